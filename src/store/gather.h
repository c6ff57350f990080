/* gather.h: a loop over several storages copies values into the loop's order of rows, and works on
 * the copies. The end of the batch writes the copies back. Until then, access by handle and inner
 * loops use the copies.
 *
 * Invariant:  storage.gather is the list of open gathers of the storage, the latest first;
 *             an entity whose row is in `rows` has a copy in each gather that is `used`
 */
#ifndef SETTI_GATHER_H
#define SETTI_GATHER_H

#include "store/storage.h"

/* The rows of a step of a loop that gathers. The copies fit into the first-level cache. */
#define SETTI_GATHER_ROWS 128

typedef struct setti_gather {
    struct setti_gather* outer; /* the gather of an outer loop for the same storage, or NULL */
    setti_storage* storage;     /* has the original values */
    const struct setti_gather_scratch* scratch;
    unsigned char* values; /* the copies, by row of the step */
    uint32_t term;         /* the number of the term in the query */
    bool used;             /* false: there are no copies, as the values have the batch's order */
} setti_gather;

/* The memory of a loop that gathers. */
typedef struct setti_gather_scratch {
    struct setti_gather_scratch* next;  /* in the list of the loop's query or job */
    struct setti_gather_scratch** link; /* the pointer to this scratch in the list */
    const setti_storage* driver; /* the sparse set with the loop's rows; NULL: rows are indices */
    uint32_t base;               /* the first row of the step */
    uint32_t size;               /* bytes of the scratch, with `gathers` and all copies */
    uint32_t align;              /* alignment of the scratch */
    uint32_t count;              /* entries of `gathers` */
    uint64_t rows[SETTI_GATHER_ROWS / 64]; /* bit k: the batch has row k of the step */
    setti_gather gathers[];                /* one for each type that the loop writes */
} setti_gather_scratch;

/* Adds an empty scratch at the front of `list`. */
void setti_gather_open(setti_gather_scratch* scratch, setti_gather_scratch** list);

/* Redirects access by handle: callers get the copies `values` instead of the storage's values. */
void setti_gather_add(setti_gather_scratch* scratch, setti_storage* storage, unsigned char* values,
                      uint32_t term);

/* Ends all redirections of a scratch. */
void setti_gather_close(setti_gather_scratch* scratch);

/* Pass as `except` of setti_gather_find to search all scratches. */
#define SETTI_GATHER_ANY ((const setti_gather_scratch*)NULL)

/* Returns the latest copy of the value of an index. Returns NULL if there is no copy. Does not
 * search the scratch `except`. */
void* setti_gather_find(const setti_storage* storage, const setti_gather_scratch* except,
                        uint32_t index);

#endif
