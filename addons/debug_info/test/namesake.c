/* namesake.c: for test_debug_info.c: types of its names, in another file. */
#include <stdint.h>

typedef struct Twice {
    uint32_t left, right;
} Twice;

typedef struct Sized {
    double other;
} Sized;

Twice namesake_twice(Twice value, Sized sized);

Twice namesake_twice(Twice value, Sized sized)
{
    value.left += (uint32_t)sized.other;
    return value;
}
