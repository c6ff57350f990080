/* See assert.h. */
#pragma once
#define _Check_return_
