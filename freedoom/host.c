/* host.c - see host.h. POSIX, with answers that do no harm elsewhere. */
#if defined(__unix__) || defined(__APPLE__) || defined(__wasi__)
#define _DEFAULT_SOURCE /* sigaltstack */
#define _POSIX_C_SOURCE 200809L
#define HOST_POSIX 1
#else
#define HOST_POSIX 0
#endif

#include "host.h"

#include <time.h>

#if HOST_POSIX

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if !defined(__wasi__)
#include <signal.h>
#endif

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

#if !defined(__wasi__)
static int host_crash_file = -1;
static void (*host_crash_dump)(const char* why, HostWrite write, void* file);
static char host_crash_stack[65536]; /* the program's own may be used up */

static bool host_crash_write(void* file, const void* bytes, size_t size)
{
    const char* at = bytes;
    while (size != 0) {
        ssize_t wrote = write(*(int*)file, at, size);
        if (wrote <= 0) {
            return false;
        }
        at += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

/* Everything here is safe in a handler. It ends, and the signal comes again, without it. */
static void host_crash(int number)
{
    const char* why = number == SIGSEGV   ? "SIGSEGV: memory that is not there was used"
                      : number == SIGABRT ? "SIGABRT: an assertion, or abort()"
                      : number == SIGFPE  ? "SIGFPE: a division by zero"
                                          : "SIGILL or SIGBUS";
    host_crash_dump(why, host_crash_write, &host_crash_file);
    (void)raise(number);
}

bool host_on_crash(const char* path, void (*dump)(const char* why, HostWrite write, void* file))
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS};
    stack_t stack = {.ss_sp = host_crash_stack, .ss_size = sizeof host_crash_stack};
    struct sigaction action = {.sa_handler = host_crash,
                               .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
    host_crash_file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    host_crash_dump = dump;
    (void)sigaltstack(&stack, NULL);
    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; ++k) {
        if (host_crash_file >= 0) {
            (void)sigaction(signals[k], &action, NULL);
        }
    }
    return host_crash_file >= 0;
}
#endif

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
#if defined(TIME_UTC)
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#else
    return (uint64_t)time(NULL) * 1000000000u;
#endif
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

#if !HOST_POSIX || defined(__wasi__)
bool host_on_crash(const char* path, void (*dump)(const char* why, HostWrite write, void* file))
{
    (void)path;
    (void)dump;
    return true;
}
#endif
