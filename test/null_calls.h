/* null_calls.h: NULL where a function of an add-on needs what another could not create: the call
 * does nothing, and a debug build names it on stderr. The header is read, so that no function is
 * left out. Include it first.
 *
 *     #define CALLS(NAMED, FINE)                                                   \
 *         NAMED(sett_space_update, sett_space_update(NULL) == SETT_STATUS_ARGUMENT) \
 *         FINE(sett_space_destroy, sett_space_destroy(NULL) == SETT_OK)
 *     ... CALLS(NULL_NAMED, NULL_FINE) ...
 *     static const char* const names[] = {CALLS(NULL_NAME, NULL_NAME)};
 *     null_check_header("addons/space/sett_space.h", names, sizeof(names) / sizeof(names[0]));
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TEST_NULL_CALLS_H
#define SETT_TEST_NULL_CALLS_H

#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "check.h"

#include <stdio.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

#define NULL_NAME(name, call) #name,
#define NULL_FINE(name, call) CHECK_MSG(call, "%s", #call);

/* A call that has to be named on stderr. */
#if !defined(NDEBUG) && !defined(_WIN32)
#define NULL_NAMED(name, call)                                                                     \
    {                                                                                              \
        null_listen(&null_hears);                                                                  \
        const bool good = (call);                                                                  \
        const bool named = null_heard(&null_hears, #name);                                         \
        CHECK_MSG(good, "%s", #call);                                                              \
        CHECK_MSG(named, "%s: no message names it", #call);                                        \
    }

typedef struct null_ear {
    FILE* file;
    int before;
} null_ear;
static null_ear null_hears;

static inline void null_listen(null_ear* ear)
{
    fflush(stderr);
    ear->file = tmpfile();
    ear->before = dup(2);
    CHECK(ear->file != NULL && ear->before >= 0 && dup2(fileno(ear->file), 2) == 2);
}

static inline bool null_heard(null_ear* ear, const char* name)
{
    char text[2000];
    fflush(stderr);
    (void)dup2(ear->before, 2);
    close(ear->before);
    rewind(ear->file);
    text[fread(text, 1, sizeof(text) - 1, ear->file)] = '\0';
    fclose(ear->file);
    return strstr(text, name) != NULL;
}
#else
#define NULL_NAMED(name, call) NULL_FINE(name, call)
#endif

/* Whether the line declares a function that takes an address; *name: where its name begins. */
static inline bool null_declares(const char* line, const char** name, size_t* length)
{
    const char* end = line + strcspn(line, "\n");
    const char* open = strchr(line, '(');
    if (open == NULL || open > end || strchr(" /#", line[0]) != NULL ||
        strncmp(line, "typedef", 7) == 0 || strncmp(line, "static", 6) == 0) {
        return false;
    }
    const char* begin = open;
    while (begin[-1] == '_' || (begin[-1] >= 'a' && begin[-1] <= 'z')) {
        begin--;
    }
    const char* close = strchr(open, ')');
    const char* star = strchr(open, '*');
    *name = begin;
    *length = (size_t)(open - begin);
    return strncmp(begin, "sett_", 5) == 0 && open[-1] != '_' && star != NULL && star < close;
}

/* Each function of the header that takes an address is one of the names. `path` is in the tree. */
static inline void null_check_header(const char* path, const char* const* names, size_t count)
{
    static char text[100000];
    char whole[1000];
#ifdef SETT_TREE
    snprintf(whole, sizeof(whole), "%s/%s", SETT_TREE, path);
#else
    snprintf(whole, sizeof(whole), "%s", path);
#endif
    FILE* file = fopen(whole, "rb");
    CHECK_MSG(file != NULL, "%s", whole);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    size_t found = 0;
    for (const char* at = strchr(text, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        const char* name;
        size_t length;
        if (null_declares(at + 1, &name, &length)) {
            size_t k = 0;
            while (k < count &&
                   (strncmp(names[k], name, length) != 0 || names[k][length] != '\0')) {
                k++;
            }
            CHECK_MSG(k < count, "%.*s is not called with NULL", (int)length, name);
            found++;
        }
    }
    CHECK(found >= 3);
}

#endif
