/* host.c - see host.h. POSIX, with answers that do no harm elsewhere. */
#if defined(__unix__) || defined(__APPLE__) || defined(__wasi__)
#define _POSIX_C_SOURCE 200809L
#define HOST_POSIX 1
#else
#define HOST_POSIX 0
#endif

#include "host.h"

#include <time.h>

#if HOST_POSIX

#include <sys/stat.h>
#include <unistd.h>

bool host_is_terminal(FILE* stream)
{
    return isatty(fileno(stream)) != 0;
}

bool host_make_folder(const char* path)
{
    struct stat info;
    return mkdir(path, 0777) == 0 || (stat(path, &info) == 0 && S_ISDIR(info.st_mode));
}

uint64_t host_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t host_worked(void)
{
    struct timespec worked = {0};
#ifdef CLOCK_PROCESS_CPUTIME_ID
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &worked);
#endif
    return (uint64_t)worked.tv_sec * 1000000000u + (uint64_t)worked.tv_nsec;
}

void host_sleep(uint64_t nanoseconds)
{
    struct timespec time = {.tv_sec = (time_t)(nanoseconds / 1000000000u),
                            .tv_nsec = (long)(nanoseconds % 1000000000u)};
    (void)nanosleep(&time, NULL);
}

#else

bool host_is_terminal(FILE* stream)
{
    (void)stream;
    return false;
}

bool host_make_folder(const char* path)
{
    (void)path;
    return true; /* opening the file will tell */
}

uint64_t host_nanoseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t host_worked(void)
{
    return 0;
}

void host_sleep(uint64_t nanoseconds)
{
    (void)nanoseconds;
}

#endif
