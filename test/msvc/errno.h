/* See assert.h. */
#pragma once
int* _errno(void);
#define errno (*_errno())
#define EINTR 4
#define ENOMEM 12
#define EINVAL 22
#define ERANGE 34
