/* See assert.h. */
#pragma once
int _commit(int file);
