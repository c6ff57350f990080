/* host.h - the few things that the C library does not know. The only file with code for a
 * platform. */
#ifndef FREEDOOM_HOST_H
#define FREEDOOM_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whether a person is watching this stream. */
bool host_is_terminal(FILE* stream);

/* Makes a folder, unless it is there. Returns whether it is there now. */
bool host_make_folder(const char* path);

/* A clock that only goes forward. */
uint64_t host_nanoseconds(void);

/* How long all threads of the program together have worked, ns; 0 where that is not known. */
uint64_t host_worked(void);

/* Waits; where that is not known it does not. */
void host_sleep(uint64_t nanoseconds);

/* Writes bytes to the end of a file. */
typedef bool (*HostWrite)(void* file, const void* bytes, size_t size);

/* Creates a file, and when the program crashes calls `dump`, which may call nothing but `write`.
 * Returns false if it cannot be created; true where there are no signals, too. */
bool host_on_crash(const char* path, void (*dump)(const char* why, HostWrite write, void* file));

#endif
