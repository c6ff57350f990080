/* common.h: what every file uses: assertions, branch hints, checked arithmetic, messages. */
#ifndef SETTI_COMMON_H
#define SETTI_COMMON_H

#include "sett/base.h"

#include <assert.h>

/* The condition holds in every correct program. Only debug builds check it. */
#define SETTI_ASSERT(condition) assert(condition)

/* SETTI_COLD      for functions that rarely run. Compiling these functions for size saves a
 *                 twentieth of the library
 * SETTI_APART     keeps a slow path out of line, so that the fast path saves fewer registers
 * SETTI_PREFETCH  loads memory before it is used. A function that only prefetches must be
 *                 SETTI_INLINE, because gcc drops calls of pure functions. */
#if defined(__GNUC__)
#define SETTI_LIKELY(x) __builtin_expect(!!(x), 1)
#define SETTI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SETTI_COLD __attribute__((noinline, cold))
#define SETTI_APART __attribute__((noinline))
#if defined(__MINGW32__) /* here format(printf) means the formats of an old Windows library */
#define SETTI_PRINTF(at, first) __attribute__((format(gnu_printf, at, first)))
#else
#define SETTI_PRINTF(at, first) __attribute__((format(printf, at, first)))
#endif
#define SETTI_PREFETCH(address) __builtin_prefetch(address)
#else
#define SETTI_LIKELY(x) (x)
#define SETTI_UNLIKELY(x) (x)
#define SETTI_COLD SETTI_APART
#if defined(_MSC_VER)
#define SETTI_APART __declspec(noinline)
#else
#define SETTI_APART
#endif
#define SETTI_PRINTF(at, first)
#define SETTI_PREFETCH(address) (void)(address)
#endif

/* Forces inlining on fast paths. At -Os this would make the library an eighth larger. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define SETTI_INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER) && !defined(__GNUC__)
#define SETTI_INLINE static __forceinline
#else
#define SETTI_INLINE static inline
#endif

/* Prints that the parameter `what` of the public function `call` is NULL. */
void setti_report_null(const char* call, const char* what);

/* Whether numbers are stored with the highest byte first. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#define SETTI_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#else
#define SETTI_BIG_ENDIAN 0
#endif

#define SETTI_NONE UINT32_MAX /* means that there is no index, no row or no page */

#define SETTI_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SETTI_MAX(a, b) ((a) > (b) ? (a) : (b))

/* Returns the least multiple of `align` (a power of two) that is >= `value`. */
static inline size_t setti_align_up(size_t value, size_t align)
{
    return (value + align - 1) & ~(align - 1);
}

/* Multiplies two numbers. Returns false if the product is too large. */
static inline bool setti_multiply(size_t count, size_t size, size_t* out)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return false;
    }
    *out = count * size;
    return true;
}

/* Whether this is a debug build. Debug builds report more misuses. */
#if defined(NDEBUG)
#define SETTI_DEBUG false
#else
#define SETTI_DEBUG true
#endif

/* Whether a parameter is NULL. Debug builds also report the parameter. */
static inline bool setti_is_null(const void* pointer, const char* call, const char* what)
{
    if (SETTI_DEBUG && pointer == NULL) {
        setti_report_null(call, what); /* to stderr, because there is no world with a log */
    }
    return SETTI_UNLIKELY(pointer == NULL);
}

/* Tests a parameter of a public function for NULL. */
#define SETTI_IS_NULL(parameter) setti_is_null((parameter), __func__, #parameter)

/* SETTI_IS_NULL for very short calls: release builds do not check. */
#if defined(NDEBUG)
#define SETTI_IS_NULL_IN_DEBUG(parameter) false
#else
#define SETTI_IS_NULL_IN_DEBUG(parameter) SETTI_IS_NULL(parameter)
#endif

/* A place in a text. Lines and columns are counted from 1. */
typedef struct setti_text_place {
    unsigned line;
    unsigned column; /* in characters of UTF-8 */
} setti_text_place;

/* Returns the place of the byte at an offset of a text. */
setti_text_place setti_text_place_of(const char* text, size_t offset);

/* Copies a struct between versions of the library. The copy may have more or fewer members than
 * `original`. Members that `original` lacks become zero. */
void setti_copy_sized(void* out, size_t out_size, const void* original, size_t original_size);

/* Adds a node at the beginning of a doubly linked list. Set node->previous to NULL before. */
#define SETTI_LIST_ADD(first, node)                                                                \
    do {                                                                                           \
        (node)->next = (first);                                                                    \
        if ((first) != NULL) {                                                                     \
            (first)->previous = (node);                                                            \
        }                                                                                          \
        (first) = (node);                                                                          \
    } while (0)
/* Removes a node from a doubly linked list. */
#define SETTI_LIST_REMOVE(first, node)                                                             \
    do {                                                                                           \
        SETTI_ASSERT(((node)->previous == NULL) == ((first) == (node)));                           \
        *((node)->previous != NULL ? &(node)->previous->next : &(first)) = (node)->next;           \
        if ((node)->next != NULL) {                                                                \
            (node)->next->previous = (node)->previous;                                             \
        }                                                                                          \
    } while (0)

/* Casts away const. No other function may do this. */
static inline void* setti_unconst(const void* pointer)
{
    return (void*)(uintptr_t)pointer;
}

#endif
