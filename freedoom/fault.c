/* fault.c - see fault.h. */
#include "fault.h"

#include <stdarg.h>
#include <stdio.h>

/* What comes out of a file (a lump's name) may hold anything; a terminal should not get to see it.
 */
static void fault_make_printable(char* text)
{
    for (char* c = text; *c != '\0'; ++c) {
        if ((unsigned char)*c < 0x20 || (unsigned char)*c == 0x7f) {
            *c = '?';
        }
    }
}

bool fault_set(Fault* fault, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    fault_make_printable(fault->text);
    return false;
}
