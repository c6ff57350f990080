/* loop.h: loops over the entities of a query. A part of core.h.
 *
 *     SETT_FOR         one loop over all entities: break, continue and return work as in any loop
 *     SETT_QUERY_EACH  a loop over batches of up to 1,024 entities, around
 *     SETT_EACH        a loop over the rows of a batch
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_LOOP_H
#define SETT_LOOP_H

#include "sett/core.h"

/* Loops over all matching entities: `b` is the batch, `i` the row of the entity.
 *
 *     SETT_FOR(query, b, i) {
 *         Position* p = &SETT_FIELD_MUT(b, 0, Position)[i];
 *         const Velocity* v = &SETT_FIELD(b, 1, Velocity)[i];
 *         p->x += v->x * dt;
 *     }
 *
 * `break`, `continue`, `return` and `goto` work as in any loop. Inside the loop values can be
 * written, but structure cannot change (LOCKED): record commands instead.
 *
 * When rows have no gaps, gcc and clang vectorise the loop at -O3, for bodies of up to about ten
 * operations. Use SETT_QUERY_EACH with SETT_EACH_RUN for longer bodies, for clang at -O2, and for
 * values of one byte or with pointers.
 *
 * The order is that of the rows of an owning group or a sparse set, if the loop runs over these
 * rows; else that of entity indices. It depends on storages, groups and counts: see
 * sett_query_explain. If the order of a sorted type matters, ask for it by
 * SETT_IN_ORDER(T), or sett_term.drives. Within a page, entities with and without an optional
 * component come in separate batches.
 *
 * MSVC in C cannot close a loop that is left by `return` or `goto`: call sett_batch_end(b) before.
 * If you forget it, the next structural change after the function has returned closes the loop
 * (Windows, Linux), or is rejected with the query's name (other systems). */
#define SETT_FOR(query, b, i) SETT_LOOP_(SETT_BEGIN_((query), &b##_batch_), b) SETT_ROWS_(b, i)

/* Like SETT_FOR, over one of `parts` parts of what matches: see sett_batch_part.
 *
 *     SETT_FOR_PART(query, frame % 10, 10, b, i) { ... }    every entity once in ten frames */
#define SETT_FOR_PART(query, part, parts, b, i)                                                    \
    SETT_LOOP_(sett_batch_part(SETT_BEGIN_((query), &b##_batch_), (part), (parts)), b)             \
    SETT_ROWS_(b, i)

/* Loops over batches, for work that is done once for each batch:
 *
 *     SETT_QUERY_EACH(query, b) {
 *         Position* p = SETT_FIELD_MUT(b, 0, Position);
 *         const Velocity* v = SETT_FIELD(b, 1, Velocity);
 *         SETT_EACH(b, i) { p[i].x += v[i].x * dt; }
 *     }
 */
#define SETT_QUERY_EACH(query, b)                                                                  \
    SETT_LOOP_(SETT_BEGIN_((query), &b##_batch_), b)                                               \
    while (sett_batch_more_(b))

/* Closes a loop, whichever way it is left. */
static inline void sett_scope_close_(sett_batch** batch)
{
    if (*batch != NULL) {
        sett_batch_end(*batch);
        *batch = NULL;
    }
}

#if defined(__cplusplus)
extern "C++" {
struct sett_scope_ {
    sett_batch* batch;
    explicit sett_scope_(sett_batch* opened) : batch(opened)
    {
    }
    sett_scope_(const sett_scope_&) = delete;
    sett_scope_& operator=(const sett_scope_&) = delete;
    ~sett_scope_()
    {
        sett_scope_close_(&batch);
    }
};
}
#define SETT_SCOPE_(name, opened) sett_scope_ name(opened)
#define SETT_BEGIN_(query, batch) sett_query_begin((query), (batch))
#else
typedef struct sett_scope_ {
    sett_batch* batch;
} sett_scope_;
#if defined(__GNUC__) && !defined(SETT_NO_CLEANUP)
static inline void sett_scope_leave_(sett_scope_* scope)
{
    sett_scope_close_(&scope->batch);
}
#define SETT_SCOPE_(name, opened)                                                                  \
    sett_scope_ name __attribute__((cleanup(sett_scope_leave_))) = {opened}
#define SETT_BEGIN_(query, batch) sett_query_begin((query), (batch))
#else
#define SETT_SCOPE_(name, opened) sett_scope_ name = {opened}
#define SETT_BEGIN_(query, batch) sett_query_begin_local_((query), (batch))
#endif
#endif

#define SETT_LOOP_(begin, b)                                                                       \
    for (sett_batch b##_batch_, *b = (begin); b != NULL; b = NULL)                                 \
        for (SETT_SCOPE_(b##_scope_, b); b##_scope_.batch != NULL;                                 \
             sett_scope_close_(&b##_scope_.batch))

/* A loop over the rows of a batch. It has copies of the batch's members, because the compiler must
 * assume that the body writes to the batch. */
typedef struct sett_each_ {
    const uint16_t* rows;
    uint32_t count;
    bool ended; /* the rows ran out, or the loop has not begun: it was not left by `break` */
    bool open;
    uint32_t k;
} sett_each_;

static inline sett_each_ sett_each_make_(const sett_batch* batch)
{
    sett_each_ each = {batch->rows, batch->count, true, true, 0};
    return each;
}

static inline void sett_each_close_(sett_each_* each, const sett_batch* batch)
{
    each->open = false;
    if (!each->ended) {
        sett_batch_stop(batch);
    }
}

/* The next batch, unless the loop over the rows was left by `break`. */
static inline bool sett_each_next_(sett_each_* each, sett_batch* batch)
{
    if (!each->ended || !sett_batch_more_(batch)) {
        return false;
    }
    *each = sett_each_make_(batch);
    return true;
}

/* The loop over the rows of a batch. `ended` is set before and after it, and not by `break`. */
#define SETT_EACH_ROWS_(each, i)                                                                   \
    for (uint32_t i##_k_ = 0, i = ((each).ended = false, 0u);                                      \
         i##_k_ < (each).count                                                                     \
             ? (i = (each).rows != NULL ? (each).rows[i##_k_] : i##_k_, (void)i, true)             \
             : ((each).ended = true, false);                                                       \
         ++i##_k_)

#define SETT_ROWS_(b, i)                                                                           \
    for (sett_each_ i##_each_ = {NULL, 0, true, true, 0}; sett_each_next_(&i##_each_, (b));)       \
    SETT_EACH_ROWS_(i##_each_, i)

/* Loops over the rows of a batch: `i` is the row. `break` ends this loop and, after the current
 * batch, the loop over batches. Vectorised as SETT_FOR is. Evaluates `b` several times. */
#define SETT_EACH(b, i)                                                                            \
    for (sett_each_ i##_each_ = sett_each_make_(b); i##_each_.open;                                \
         sett_each_close_(&i##_each_, (b)))                                                        \
    SETT_EACH_ROWS_(i##_each_, i)

/* Like SETT_EACH: bodies of any length are vectorised, by gcc at -O3 and by clang at -O2 and -O3,
 * but rows with gaps cost up to twice as much. */
#define SETT_EACH_RUN(b, i)                                                                        \
    for (sett_each_ i##_each_ = sett_each_make_(b); i##_each_.open;                                \
         sett_each_close_(&i##_each_, (b)))                                                        \
        for (; i##_each_.ended && i##_each_.k < i##_each_.count;                                   \
             i##_each_.k = i##_each_.rows != NULL ? i##_each_.k + 1 : i##_each_.count)             \
            for (uint32_t i = (i##_each_.ended = false,                                            \
                              i##_each_.rows != NULL ? i##_each_.rows[i##_each_.k] : 0u),          \
                          i##_end_ = i##_each_.rows != NULL ? i + 1 : i##_each_.count;             \
                 i < i##_end_ ? true : (i##_each_.ended = true, false); ++i)

#endif
