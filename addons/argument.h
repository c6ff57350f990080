/* argument.h: NULL where a function of an add-on needs what another could not create. The call
 * does nothing; a debug build names it, as the library does (core.h). */
#ifndef SETTI_ADDON_ARGUMENT_H
#define SETTI_ADDON_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define ARGUMENT_IS_NULL(parameter) argument_is_null((parameter), __func__, #parameter)

static inline bool argument_is_null(const void* parameter, const char* call, const char* name)
{
#if !defined(NDEBUG)
    if (parameter == NULL) {
        fprintf(stderr, "sett: error: %s: `%s` is NULL - check the result of what creates it\n",
                call, name);
    }
#else
    (void)call, (void)name;
#endif
    return parameter == NULL;
}

#endif
