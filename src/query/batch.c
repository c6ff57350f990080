/* batch.c: begins a loop over a query, goes from batch to batch, and ends the loop. steps.h lists
 * the other files of a loop.
 *
 * The workload: loops over a million entities spend their time inside of steps. Loops over sixteen
 * entities spend their time in this file. Most loops are over plain pages, and take a path of their
 * own.
 *
 * Invariant:  a query or job counts its open loops, and a loop is closed once;
 *             the scratch of a gathering loop is in the list of the query or job
 */
#include "query/steps.h"

/* Resets a batch. The stores are in the order of the members in memory, so that compilers join
 * them. */
SETTI_INLINE void batch_reset(sett_query* query, sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    batch->count = 0;
    batch->field_count = query->term_count;
    batch->rows = NULL;
    batch->present = query->required;
    batch->indices = NULL;
    batch->last_ = 0;
    batch->checked_.terms[0] = 0;
    batch->checked_.terms[1] = 0;
    loop->query = query;
    loop->scratch = NULL;
    loop->step_indices = NULL;
    loop->driver = SETTI_NO_DRIVER;
    loop->nested = 0;
    loop->waiting = 0;
    loop->cursor = 0;
    loop->in_place = query->positional;
    loop->step_rows = query->array_rows;
    loop->direct = query->direct;
    loop->plain = query->plain;
    loop->arranged = false;
    loop->dense = true;
    loop->remembers = false;
    loop->rare = false;
    loop->unlisted = false;
    loop->sifts = false;
    loop->full = false;
}

/* A loop over at most this many rows reads one word of each array. */
#define WORD_ROWS 64

/* Sets the limit of a loop over pages, and `full`: whether every row below the limit matches. */
SETTI_INLINE void batch_limit(const sett_query* query, sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    uint32_t limit = UINT32_MAX;
    bool full = true;
    SETTI_ASSERT(query->array_count != 0 && query->array_rows % 64 == 0);
    for (uint32_t k = 0; k < query->array_count; k++) {
        uint32_t extent = query->array[k]->extent;
        limit = SETTI_MIN(limit, extent);
        full &= query->array[k]->count == extent; /* no gaps */
    }
    loop->limit = limit;
    loop->full = full && loop->direct;
}

/* Whether the loop gathers, because the values of a field are in another order than the rows. */
static bool batch_gathers(const sett_batch* batch)
{
    const setti_loop* loop = setti_loop_of(batch);
    return (loop->query->fields & ~loop->in_place) != 0;
}

/* Prepares a loop over the rows of a sparse set, the driver.
 *   hides  a tag hides some entities from the query */
static void batch_start_driven(sett_batch* batch, const setti_plan* plan, bool hides)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    const setti_storage* driver = &query->term[plan->driver].type->storage;
    SETTI_ASSERT((plan->in_place >> plan->driver & 1) != 0); /* the driver itself is in place */
    loop->driver = plan->driver;
    loop->in_place = plan->in_place;
    loop->ordered = plan->in_place;
    loop->residual = plan->residual;
    loop->direct = false;
    loop->plain = !hides && (query->optional | query->changed | query->elsewhere_count) == 0;
    bool all_match = loop->plain && plan->residual == 0 && driver->extent == driver->count;
    loop->arranged = all_match && !batch_gathers(batch);
    loop->step_rows = SETT_BATCH_ROWS;
    SETTI_EACH_TERM(k, plan->in_place) { /* a step must not be longer than a page of such a term */
        loop->step_rows =
            SETTI_MIN(loop->step_rows, setti_storage_rows(&query->term[k].type->storage));
    }
}

/* Slow path of batch_start: makes a plan. */
static void batch_start_any(sett_query* query, sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    setti_plan plan;
    setti_plan_make(query, &plan);
    bool hides = setti_plan_hides(query);
    if (SETTI_DEBUG && hides) {
        setti_query_check_shared(query);
    }
    loop->limit = plan.limit;
    if (plan.driver != SETTI_NO_DRIVER) {
        batch_start_driven(batch, &plan, hides);
    } else if (hides) { /* the arrays alone do not decide which rows match */
        loop->plain = false;
        loop->direct = false;
    }
}

/* Prepares a batch for a new loop: brings the plan up to date, and stores it in the batch. */
SETTI_INLINE void batch_start(sett_query* query, sett_batch* batch)
{
    if (SETTI_UNLIKELY(query->version != query->world->listener_version)) {
        setti_plan_update(query);
    }
    batch_reset(query, batch);
    if (SETTI_LIKELY(query->simple)) {
        batch_limit(query, batch);
    } else {
        batch_start_any(query, batch);
    }
}

void setti_loop_start(sett_query* query, sett_batch* batch)
{
    batch_start(query, batch);
}

/* Makes a loop gather each field that an outer loop may have gathered. The outer loop's copies may
 * be newer than the values in the storage. */
SETTI_COLD static void batch_nest(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    SETTI_EACH_TERM(k, query->fields) {
        loop->nested |= (uint32_t)(query->term[k].type->storage.gather != NULL) << k;
    }
    loop->in_place &= ~loop->nested;
    loop->ordered &= ~loop->nested;
    /* the fast paths expect all fields in place */
    loop->direct = loop->direct && loop->nested == 0;
    loop->full = loop->full && loop->direct;
    loop->arranged = loop->arranged && loop->nested == 0;
}

/* Prepares the scratch of a loop that gathers, and adds the scratch to `list`. */
static void batch_open_scratch(sett_batch* batch, setti_gather_scratch* scratch,
                               setti_gather_scratch** list)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    SETTI_ASSERT(loop->scratch == NULL && query->scratch_size >= sizeof(*scratch));
    setti_gather_open(scratch, list);
    scratch->size = query->scratch_size;
    scratch->align = query->scratch_align;
    scratch->driver =
        loop->driver != SETTI_NO_DRIVER ? &query->term[loop->driver].type->storage : NULL;
    loop->scratch = scratch;
    loop->step_rows = SETTI_MIN(loop->step_rows, SETTI_GATHER_ROWS);
    SETTI_EACH_TERM(k, query->written & ~loop->in_place) {
        const setti_term* term = &query->term[k];
        /* so that access by handle finds the copies, which are newer than the storage */
        setti_gather_add(scratch, &term->type->storage, setti_field_copies(batch, term), k);
    }
}

/* The values of this many steps stay in the first-level cache. */
#define STEPS_NEAR 32

/* Looks for a sieve. If only one or two arrays have gaps, these alone decide which rows match. */
SETTI_APART static void batch_find_sieve(const sett_query* query, setti_loop* loop)
{
    const setti_storage* sieve[2] = {NULL, NULL};
    uint32_t with_gaps = 0;
    uint32_t limit = UINT32_MAX;
    for (uint32_t k = 0; k < query->array_count; k++) {
        const setti_storage* array = query->array[k];
        if (array->count != array->extent) {
            /* a third array overwrites the second, but then the sieve is not used */
            sieve[with_gaps == 0 ? 0 : 1] = array;
            limit = SETTI_MIN(limit, array->extent);
            with_gaps++;
        }
    }
    bool one_or_two = with_gaps == 1 || with_gaps == 2;
    /* if no array ends earlier, arrays without gaps have all rows of the loop */
    if (one_or_two && query->array_rows == SETT_BATCH_ROWS && limit == setti_plan_limit(query)) {
        loop->sieve[0] = sieve[0];
        loop->sieve[1] = with_gaps == 2 ? sieve[1] : sieve[0]; /* a single array stands twice */
        loop->sifts = true;
    }
}

/* Chooses how a loop finds its batches: by the rarest array, by remembered steps, or step by step.
 * Returns the batch.
 *   uses_steps  the loop may use remembered steps */
static sett_batch* batch_choose_path(sett_batch* batch, bool uses_steps)
{
    SETTI_ASSERT(setti_loop_of(batch)->open != NULL);
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    if (loop->limit <= WORD_ROWS) { /* batch_next_word makes the only batch */
        return batch;
    }
    if (query->lists.rare) {
        loop->rare = loop->direct;
        loop->full = loop->full && !loop->rare;
        loop->dense = false; /* no step is expected to be dense */
        return batch;
    }
    if (SETTI_LIKELY(query->lists.step == NULL) || !uses_steps) {
        return batch;
    }
    bool over_pages = loop->driver == SETTI_NO_DRIVER && loop->scratch == NULL;
    /* only steps over pages, of the same number of rows, are remembered */
    if (query->lists.step_rows != loop->step_rows || !over_pages) {
        return batch;
    }
    /* with one or two arrays, these are the sieve: the first and the last array */
    loop->sieve[0] = query->array[0];
    loop->sieve[1] = query->array[query->array_count - 1];
    loop->sifts = query->array_count <= 2 && loop->step_rows == SETT_BATCH_ROWS;
    loop->ahead = NULL;
    loop->unlisted = false;
    loop->dense = false;
    loop->remembers = true;
    if (query->lists.steps > STEPS_NEAR) {
        batch_find_sieve(query, loop);
    }
    return batch;
}

/* Opens a loop of a query or job. Returns false if memory runs out. */
SETTI_INLINE bool batch_open(sett_batch* batch, setti_open_loop* open)
{
    setti_loop* loop = setti_loop_of(batch);
    sett_query* query = loop->query;
    sett_world* world = query->world;
    /* `open` is a member of the query, or the first member of a setti_job_loops */
    setti_job_loops* job = open != &query->open ? (setti_job_loops*)(void*)open : NULL;
    uint32_t* gathering = job != NULL ? &job->gathering : &world->gathering;
    loop->open = open;
    loop->closed = open->closed;
    if (SETTI_UNLIKELY(*gathering != 0)) { /* inside of a loop that gathers */
        batch_nest(batch);
    }
    if (SETTI_UNLIKELY(world->profiling)) { /* batch_next_any has to run: it counts matches */
        loop->direct = false;
        loop->full = false;
        loop->arranged = false;
    }
    if (loop->direct || !batch_gathers(batch)) {
        return true;
    }
    setti_gather_scratch* scratch;
    if (job != NULL) {
        scratch = setti_arena_alloc(&job->scratch, query->scratch_size, query->scratch_align);
    } else {
        scratch = setti_pool_alloc(&world->pool, query->scratch_size, query->scratch_align);
    }
    if (scratch == NULL) {
        return false;
    }
    batch_open_scratch(batch, scratch, &open->scratches);
    ++*gathering;
    return true;
}

/* Slow path of sett_query_begin. `call` is the public function that errors name. */
SETTI_APART static sett_batch* batch_begin_any(sett_query* query, sett_batch* batch,
                                               const char* call)
{
    sett_world* world = query->world;
    if (SETTI_UNLIKELY(world->running != NULL)) { /* inside a system */
        setti_world_fail_with(world, SETT_STATUS_LOCKED,
                              "%s: query \"%.100s\": system \"%.200s\" is running - "
                              "loop with SETT_CONTEXT_FOR, or declare the system as `exclusive`",
                              call, query->open.name, setti_world_running(world));
        return NULL;
    }
    batch_start(query, batch);
    setti_lists_prepare(query);
    if (!batch_open(batch, &query->open)) {
        setti_world_no_memory(world, call);
        return NULL;
    }
    setti_world_open_loop(world, &query->open);
    query->open.frame = NULL; /* sett_query_begin_local_ may set it */
    if (SETTI_UNLIKELY(query->world->counting)) {
        query->use[SETTI_PROFILED].loops++;
        query->use[SETTI_SAMPLED].loops++;
    }
    return batch_choose_path(batch, SETTI_REMEMBERS_STEPS);
}

/* The fast path is for an unchanged plan over plain pages. It calls no function, and so saves no
 * register. */
sett_batch* sett_query_begin(sett_query* query, sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (SETTI_UNLIKELY(query == NULL)) {
        return NULL;
    }
    sett_world* world = query->world;
    setti_world_check_owner(world, "sett_query_begin");
    if (SETTI_UNLIKELY(query->version_short != world->listener_version || world->running != NULL ||
                       world->loops_differ != 0 || query->lists.due == 1)) {
        return batch_begin_any(query, batch, "sett_query_begin");
    }
    SETTI_ASSERT(query->simple && query->direct && query->version == world->listener_version);
    query->lists.due--;
    batch_reset(query, batch);
    loop->direct = true; /* true already: set so that compilers know the values */
    loop->plain = true;
    batch_limit(query, batch);
    loop->open = &query->open;
    setti_world_open_loop(world, &query->open);
    query->open.frame = NULL; /* sett_query_begin_local_ may set it */
    if (SETTI_LIKELY(!query->lists.recalls || loop->limit <= WORD_ROWS)) {
        return batch;
    }
    return batch_choose_path(batch, SETTI_REMEMBERS_STEPS);
}

/* Begins a loop with a batch on the stack. open.frame is the address of the batch of the outermost
 * loop: by this address, the world finds loops that were left open. */
sett_batch* sett_query_begin_local_(sett_query* query, sett_batch* batch)
{
    const void* outermost = query != NULL ? query->open.frame : NULL;
    sett_batch* opened = sett_query_begin(query, batch);
    if (opened != NULL) {
        query->open.frame = query->open.count == 1 ? opened : outermost;
    }
    return opened;
}

sett_batch* setti_query_begin(sett_query* query, sett_batch* batch, const char* call)
{
    setti_world_check_owner(query->world, call);
    if (query->open.count != 0) {
        /* otherwise open.frame might be the batch of a loop that was left open */
        setti_world_close_returned(query->world);
    }
    const void* outermost = query->open.count != 0 ? query->open.frame : NULL;
    sett_batch* opened = batch_begin_any(query, batch, call);
    if (opened != NULL) {
        query->open.frame = outermost;
    }
    return opened;
}

sett_batch* setti_query_begin_job(sett_query* query, sett_batch* batch, setti_job_loops* job,
                                  uint32_t first, uint32_t end, bool remembers)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_world* world = query->world;
    /* `first` is a multiple of the rows of the largest page, so two jobs never share a page */
    SETTI_ASSERT(first % SETT_BATCH_ROWS == 0 && query->version == world->listener_version);
    batch_start(query, batch);
    loop->cursor = first;
    loop->limit = SETTI_MIN(loop->limit, end);
    if (!batch_open(batch, &job->opened)) {
        job->failed = true;
        return NULL;
    }
    if (SETTI_UNLIKELY(world->profiling) && first == 0) { /* the first job counts the loop */
        query->use[SETTI_PROFILED].loops++;
    }
    return batch_choose_path(batch, remembers);
}

void setti_query_close_job(setti_job_loops* job)
{
    while (job->opened.scratches != NULL) {
        setti_gather_close(job->opened.scratches);
    }
    job->opened.closed++;
    job->gathering = 0;
}

/* Returns the scratch of a loop, or NULL. Stops a loop that the world has closed. */
static setti_gather_scratch* batch_scratch(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (SETTI_UNLIKELY(loop->closed != ((const setti_open_loop*)loop->open)->closed)) {
        loop->scratch = NULL;
        sett_batch_stop(batch);
    }
    return loop->scratch;
}

/* Marks the rows of a batch in the scratch, so that access by handle finds their copied values.
 *   first  the row of the step where the batch begins */
static void scratch_note_rows(const sett_batch* batch, uint32_t first)
{
    const setti_loop* loop = setti_loop_of(batch);
    uint64_t* rows = loop->scratch->rows;
    SETTI_ASSERT(first + batch->count <= SETTI_GATHER_ROWS);
    loop->scratch->base = loop->step_base;
    if (batch->rows == NULL) {
        for (uint32_t word = 0; word < SETTI_GATHER_ROWS / 64; word++) {
            /* the rows of the batch that are in this word: from bit `begin` to before bit `end`;
             * both may be above 64, which setti_bits_below takes as 64 */
            uint32_t begin = SETTI_MAX(first, word * 64) - word * 64;
            uint32_t end = SETTI_MAX(first + batch->count, word * 64) - word * 64;
            rows[word] = setti_bits_below(end) & ~setti_bits_below(begin);
        }
    } else if (loop->query->optional == 0) { /* a batch with a list has all rows of `words` */
        memcpy(rows, loop->words, loop->word_count * sizeof(uint64_t));
    } else {
        for (uint32_t k = 0; k < batch->count; k++) {
            rows[batch->rows[k] / 64] |= (uint64_t)1 << (batch->rows[k] % 64);
        }
    }
}

/* Makes `generations` of a batch point to the generation of the entity in row 0. */
static void batch_set_generations(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const setti_entity_page* page =
        setti_entity_page_of(&loop->query->world->entities, batch->base);
    batch->generations = page->generation + (batch->base & SETTI_ENTITY_MASK);
}

/* Slow path of sett_batch_next: makes the next batch of any loop, from the rows of a step. */
SETTI_APART static bool batch_next_any(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (loop->scratch != NULL && batch_scratch(batch) != NULL && batch->count != 0) {
        setti_fields_scatter(batch); /* of the batch that ends */
        memset(loop->scratch->rows, 0, sizeof(loop->scratch->rows));
    }
    batch->count = 0;
    batch->rows = NULL;
    batch->present = loop->query->required;
    loop->words[SETTI_STEP_WORD_COUNT] = 0; /* list_rows needs a 0 after the last word */
    setti_step step = SETTI_STEP_WORDS;     /* if the current step has rows left */
    if (loop->waiting == 0) {
        step = setti_step_next(batch);
    }
    if (step == SETTI_STEP_END) {
        return false;
    }
    uint32_t first = 0; /* the row of the step where the batch begins */
    if (step == SETTI_STEP_WORDS) {
        first = setti_rows_choose(batch);
    }
    loop->dense = step == SETTI_STEP_DENSE;
    loop->scratch_row = first;
    if (loop->driver != SETTI_NO_DRIVER) {
        batch->indices = loop->step_indices + first;
    } else {
        batch->base = loop->step_base + first;
        batch_set_generations(batch);
    }
    setti_fields_set(batch, loop->step_base + first);
    if (loop->scratch != NULL && loop->scratch->count != 0) {
        scratch_note_rows(batch, first);
    }
    SETTI_ASSERT(batch->count != 0);
    if (SETTI_UNLIKELY(loop->query->world->profiling)) {
        loop->query->use[SETTI_PROFILED].matched += batch->count;
    }
    return true;
}

/* Whether each array has all `rows` rows of the step at `base`. */
SETTI_INLINE bool step_is_dense(const sett_query* query, uint32_t base, uint32_t rows)
{
    uint64_t common = UINT64_MAX; /* all ones as long as no array lacks a row */
    for (uint32_t k = 0; k < query->array_count; k++) {
        const uint64_t* words = setti_storage_word(query->array[k], base);
        common &= words != NULL ? setti_words_full(words, rows) : 0;
    }
    return common == UINT64_MAX;
}

/* Computes the matching rows of a step, as bits in `words`. Callers pass a local array, so that
 * compilers use vector code. */
SETTI_INLINE void step_intersect(const sett_query* query, uint32_t base, uint64_t* words)
{
    const uint64_t* bits[SETT_QUERY_TERMS + 1];
    uint32_t count = query->array_count;
    bits[0] = NULL; /* avoids a warning: compilers do not know that array_count != 0 */
    SETTI_ASSERT(count != 0 && query->lists.step_rows <= SETT_BATCH_ROWS);
    memset(words, 0, (SETTI_STEP_WORD_COUNT + 1) * sizeof(uint64_t));
    if (setti_match_words_at(query, base, bits) != NULL) {
        return; /* an array has no page: no row matches */
    }
    memcpy(words, bits[0], query->lists.step_rows / 8);
    /* the first of the two inner loops is only faster, because its length is constant */
    for (uint32_t k = 1; k < count; k++) {
        const uint64_t* array_words = bits[k];
        if (SETTI_LIKELY(query->lists.step_rows == SETT_BATCH_ROWS)) {
            for (uint32_t word = 0; word < SETTI_STEP_WORD_COUNT; word++) {
                words[word] &= array_words[word];
            }
        } else {
            for (uint32_t word = 0; word < query->lists.step_rows / 64; word++) {
                words[word] &= array_words[word];
            }
        }
    }
}

/* Slow path of step_is_listed, for a loop without a sieve: intersects the words of all arrays. */
SETTI_APART static bool step_is_listed_any(const sett_query* query, uint32_t base,
                                           const uint64_t* listed)
{
    uint64_t words[SETTI_STEP_WORD_COUNT + 1];
    uint64_t differ = 0;
    step_intersect(query, base, words);
    for (uint32_t word = 0; word < query->lists.step_rows / 64; word++) {
        differ |= words[word] ^ listed[word];
    }
    return differ == 0;
}

/* Whether `a` and `b`, intersected, equal `listed`. This is not inline, because compilers would not
 * vectorise the loop in its callers. */
SETTI_APART static bool words_intersect_to(const uint64_t* a, const uint64_t* b,
                                           const uint64_t* listed)
{
    const uint32_t half = SETTI_STEP_WORD_COUNT / 2; /* two words in each round are faster */
    uint64_t differ = 0;
    for (uint32_t word = 0; word < half; word++) {
        differ |= (a[word] & b[word]) ^ listed[word];
        differ |= (a[half + word] & b[half + word]) ^ listed[half + word];
    }
    return differ == 0;
}

/* Whether the words `listed` are still the matching rows of the step at the cursor. */
SETTI_INLINE bool step_is_listed(const setti_loop* loop, const uint64_t* listed)
{
    uint32_t base = loop->cursor;
    const uint64_t* a = setti_storage_word(loop->sieve[0], base);
    const uint64_t* b = setti_storage_word(loop->sieve[1], base);
    if (SETTI_UNLIKELY(a == NULL || b == NULL || !loop->sifts)) {
        return step_is_listed_any(loop->query, base, listed);
    }
    return words_intersect_to(a, b, listed);
}

/* Replaces the remembered rows of the step at the cursor. Returns false if `listed` cannot hold the
 * rows that match now. */
SETTI_APART static bool step_relist(setti_loop* loop, setti_listed* listed)
{
    uint64_t words[SETTI_STEP_WORD_COUNT + 1];
    step_intersect(loop->query, loop->cursor, words);
    return setti_rows_relist(loop, words, listed);
}

/* Makes sure that `listed` has the rows that match now in the step at the cursor. Returns false if
 * `listed` cannot hold them. */
SETTI_INLINE bool step_refresh(setti_loop* loop, setti_listed* listed)
{
    if (step_is_listed(loop, setti_listed_words(listed))) {
        return true;
    }
    return step_relist(loop, listed);
}

/* Prefetches the values of two terms in the listed rows of the step at `base`. */
SETTI_INLINE void step_prefetch_two(const setti_term* one, const setti_term* two, uint32_t base,
                                    const uint16_t* rows, uint32_t count)
{
    const unsigned char* a = setti_storage_row(&one->type->storage, base);
    const unsigned char* b = setti_storage_row(&two->type->storage, base);
    size_t a_size = one->type->storage.size;
    size_t b_size = two->type->storage.size;
    for (uint32_t k = 0; k < count; k++) {
        SETTI_PREFETCH(a + rows[k] * a_size);
        SETTI_PREFETCH(b + rows[k] * b_size);
    }
}

/* Prefetches the values of the step at `base`, two fields at a time. Without it, a match takes 6.1
 * ns instead of 5.3. */
SETTI_INLINE void step_prefetch(const sett_query* query, const setti_listed* listed, uint32_t base)
{
    const uint16_t* rows = setti_listed_rows(listed, query->lists.step_rows);
    const setti_term* unpaired = NULL;
    for (uint32_t k = 0, terms = query->term_count; k < terms; k++) {
        const setti_term* term = &query->term[k];
        if (term->has_field && unpaired != NULL) {
            step_prefetch_two(unpaired, term, base, rows, listed->count);
            unpaired = NULL;
        } else if (term->has_field) {
            unpaired = term;
        }
    }
    if (unpaired != NULL) { /* an odd number of fields: prefetches the last field twice */
        step_prefetch_two(unpaired, unpaired, base, rows, listed->count);
    }
}

/* Moves the cursor to the next step with matches. Returns the remembered batch of the step. Returns
 * NULL at the end of the loop, and at a step that cannot be remembered. */
SETTI_INLINE const setti_listed* step_look_ahead(setti_loop* loop)
{
    const sett_query* query = loop->query;
    const setti_lists* lists = &query->lists;
    while (loop->cursor < loop->limit) {
        setti_listed* listed = setti_lists_at(lists, loop->cursor);
        if (listed == NULL || !step_refresh(loop, listed)) { /* cannot be remembered */
            loop->unlisted = true;
            return NULL;
        }
        if (listed->count != 0) {
            if (lists->few && lists->steps > STEPS_NEAR && !listed->run) {
                step_prefetch(query, listed, loop->cursor);
            }
            return listed;
        }
        loop->cursor += loop->step_rows;
        if (loop->cursor < loop->limit) {
            /* the begin of the step at the next pages; a step has a power of two of rows */
            loop->cursor = setti_match_seek(query, loop->cursor) & ~(loop->step_rows - 1);
        }
    }
    return NULL;
}

/* The value of `rows` of a batch that is a run: no list of rows. */
#define BATCH_IS_RUN ((const uint16_t*)NULL)

/* Makes a batch of `count` rows for a direct loop: all fields are in place. Returns true.
 *   rows  the numbers of the rows, counted from the row `base`; or BATCH_IS_RUN */
SETTI_INLINE bool batch_hand_out(sett_batch* batch, uint32_t base, uint32_t count,
                                 const uint16_t* rows)
{
    const sett_query* query = setti_loop_of(batch)->query;
    SETTI_ASSERT(count != 0 && setti_loop_of(batch)->direct);
    batch->base = base;
    batch->count = count;
    batch->rows = rows;
    batch->present = query->required;
    batch_set_generations(batch);
    setti_pool* pool = &query->world->pool;
    for (uint32_t k = 0, terms = query->term_count; k < terms; k++) {
        const setti_term* term = &query->term[k];
        batch->fields[k] = term->has_field ? setti_field_in_place(batch, pool, term, base) : NULL;
    }
    return true;
}

/* Returns the bits of `word` that all arrays have in their words at `base`. */
SETTI_INLINE uint64_t rare_intersect(const sett_query* query, uint32_t base, uint64_t word)
{
    for (uint32_t k = 0; k < query->array_count; k++) {
        const uint64_t* array_word = setti_storage_word(query->array[k], base);
        word &= array_word != NULL ? *array_word : 0;
    }
    return word;
}

/* Moves the cursor to the next word with matches. Returns the matches, as bits. Returns 0 at the
 * end of the loop. */
SETTI_INLINE uint64_t rare_next_word(setti_loop* loop)
{
    const setti_storage* rarest = setti_match_rarest(loop->query);
    uint32_t index = loop->cursor;
    SETTI_ASSERT(index % 64 == 0);
    while (index < loop->limit) {
        const uint64_t* words = setti_storage_word(rarest, index);
        bool page_begins = index % SETT_BATCH_ROWS == 0;
        /* if the page is missing, or begins empty, searches for a page with values */
        if (words == NULL || (page_begins && *words == 0)) {
            index = setti_array_seek(rarest, index);
            if (index >= loop->limit) {
                break;
            }
            words = setti_storage_word(rarest, index);
        }
        uint32_t page_end = SETTI_MIN(loop->limit, (index | (SETT_BATCH_ROWS - 1)) + 1);
        if (words == NULL) { /* this page is missing */
            index = page_end;
            continue;
        }
        while (index < page_end && *words == 0) {
            index += 64;
            words++;
        }
        if (index >= page_end) { /* no values in the rest of the page */
            continue;
        }
        uint64_t word = rare_intersect(loop->query, index, *words);
        if (word != 0) {
            loop->cursor = index;
            return word;
        }
        index += 64;
    }
    loop->cursor = loop->limit;
    return 0;
}

/* Makes a batch of the rows that are bits of `word`. Bit 0 is the row `base`. Returns true. */
SETTI_INLINE bool batch_hand_out_word(sett_batch* batch, uint32_t base, uint64_t word)
{
    setti_loop* loop = setti_loop_of(batch);
    uint32_t first = setti_bits_lowest(word);
    uint64_t rows = word >> first; /* bit 0 is now the first matching row */
    base += first;
    if ((rows & (rows + 1)) == 0) { /* no gaps: adding 1 carries through all bits */
        uint32_t length = rows == UINT64_MAX ? 64 : setti_bits_lowest(~rows);
        return batch_hand_out(batch, base, length, BATCH_IS_RUN);
    }
    uint32_t count = 0;
    for (uint64_t rest = rows; rest != 0; rest &= rest - 1) {
        loop->list[count++] = (uint16_t)setti_bits_lowest(rest);
    }
    return batch_hand_out(batch, base, count, loop->list);
}

/* Makes the next batch of a loop that reads only words with values of the rarest array. */
SETTI_APART static bool batch_next_rare(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    SETTI_ASSERT(loop->rare && loop->direct && loop->waiting == 0);
    uint64_t word = rare_next_word(loop);
    if (word == 0) {
        batch->count = 0;
        return false;
    }
    uint32_t base = loop->cursor;
    loop->cursor += 64;
    return batch_hand_out_word(batch, base, word);
}

/* Makes the only batch of a loop over at most 64 rows. */
SETTI_APART static bool batch_next_word(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    uint64_t word = UINT64_MAX;
    SETTI_ASSERT(loop->direct && loop->waiting == 0 && loop->cursor == 0 &&
                 loop->limit <= WORD_ROWS);
    for (uint32_t k = 0; k < query->array_count; k++) {
        const setti_pages* presence = &query->array[k]->presence;
        SETTI_ASSERT(presence->count != 0 && presence->none != NULL);
        word &= *(const uint64_t*)presence->read[0]; /* a missing page reads as zeroes */
    }
    loop->cursor = loop->step_rows; /* not below the limit: the loop ends after this batch */
    batch->last_ = 1;
    if (word == 0) {
        batch->count = 0;
        return false;
    }
    return batch_hand_out_word(batch, 0, word);
}

/* Makes the next batch of a loop with few matches: from the rarest array, or a remembered step. */
SETTI_APART static bool batch_next_listed(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (loop->rare) {
        return batch_next_rare(batch);
    }
    const setti_listed* listed = loop->remembers ? loop->ahead : NULL;
    if (listed == NULL && loop->remembers && !loop->unlisted) { /* not looked ahead yet */
        listed = step_look_ahead(loop);
    }
    if (listed == NULL) { /* a step that is not remembered, or the end of the loop */
        loop->unlisted = false;
        return batch_next_any(batch);
    }
    uint32_t base = loop->cursor + listed->first;
    loop->cursor += loop->step_rows;
    loop->ahead = step_look_ahead(loop); /* the next batch, to know whether this is the last */
    batch->last_ = loop->ahead == NULL && !loop->unlisted;
    const uint16_t* rows = listed->run ? BATCH_IS_RUN : setti_listed_rows(listed, loop->step_rows);
    return batch_hand_out(batch, base, listed->count, rows);
}

/* Makes the next batch of a loop whose steps are expected to match in all rows. */
SETTI_APART static bool batch_next_dense(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    uint32_t rows = SETTI_MIN(loop->step_rows, loop->limit - loop->cursor);
    SETTI_ASSERT(rows != 0 && loop->cursor % 64 == 0);
    uint32_t base = loop->cursor;
    /* in a full loop, all rows match: there is no need to read words */
    if (!loop->full && !step_is_dense(loop->query, base, rows)) {
        return batch_next_any(batch);
    }
    loop->cursor = base + loop->step_rows;
    batch->last_ = loop->cursor >= loop->limit;
    return batch_hand_out(batch, base, rows, BATCH_IS_RUN);
}

/* Tries to make the first batch of a full loop, faster than batch_next_dense. Returns false if a
 * field needs the slow path. */
SETTI_INLINE bool batch_try_first(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    const sett_world* world = query->world;
    SETTI_ASSERT(loop->full && loop->cursor == 0 && loop->waiting == 0 && batch->rows == NULL);
    for (uint32_t k = 0, terms = query->term_count; k < terms; k++) {
        const setti_term* term = &query->term[k];
        void* field = NULL;
        if (SETTI_LIKELY(term->has_field)) {
            const setti_storage* storage = &term->type->storage;
            SETTI_ASSERT(setti_pages_get(&storage->rows, 0) != NULL);
            if (term->access != SETT_IN) {
                if (SETTI_UNLIKELY(storage->tracked ||
                                   !setti_pages_try_write(&world->pool, &storage->rows, 0))) {
                    return false; /* track_rows is set, or a snapshot needs the page */
                }
            }
            field = storage->rows.data[0];
        }
        batch->fields[k] = field;
    }
    loop->cursor = loop->step_rows;
    batch->base = 0;
    batch->count = SETTI_MIN(loop->step_rows, loop->limit);
    batch->last_ = loop->step_rows >= loop->limit;
    batch->generations = setti_entity_page_of(&world->entities, 0)->generation;
    return true;
}

/* Prefetches the first 512 bytes of the next page of values. Without this, a loop over a million
 * rows took a tenth longer. */
SETTI_INLINE void batch_prefetch_page(const unsigned char* page)
{
    SETTI_PREFETCH(page);
    SETTI_PREFETCH(page + 64);
    SETTI_PREFETCH(page + 128);
    SETTI_PREFETCH(page + 192);
    SETTI_PREFETCH(page + 256);
    SETTI_PREFETCH(page + 320);
    SETTI_PREFETCH(page + 384);
    SETTI_PREFETCH(page + 448);
}

/* Makes the next batch of a loop over sparse sets whose rows are in the same order. */
SETTI_APART static bool batch_next_arranged(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    const sett_query* query = loop->query;
    uint32_t base = loop->cursor;
    SETTI_ASSERT(loop->arranged && loop->scratch == NULL);
    batch->count = 0;
    if (base >= loop->limit) {
        return false;
    }
    batch->count = SETTI_MIN(loop->step_rows, loop->limit - base);
    batch->present = query->required;
    batch->indices = setti_storage_index(&query->term[loop->driver].type->storage, base);
    loop->cursor = base + loop->step_rows;
    setti_pool* pool = &query->world->pool;
    for (uint32_t k = 0, terms = query->term_count; k < terms; k++) {
        const setti_term* term = &query->term[k];
        const setti_pages* pages = &term->type->storage.rows;
        uint32_t next_page = (base >> term->type->storage.shift) + 1;
        batch->fields[k] = term->has_field ? setti_field_in_place(batch, pool, term, base) : NULL;
        if (term->has_field && next_page < pages->count && pages->data[next_page] != NULL) {
            batch_prefetch_page(pages->data[next_page]);
        }
    }
    return true;
}

/* Makes the next batch, by the path that was chosen for the loop. At the end of a direct loop, this
 * calls no function. */
bool sett_batch_next(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (loop->full && loop->cursor < loop->limit) { /* every row matches */
        return (loop->cursor == 0 && batch_try_first(batch)) || batch_next_dense(batch);
    }
    if (!loop->direct || loop->waiting != 0) {
        if (loop->arranged) {
            return batch_next_arranged(batch);
        }
        return batch_next_any(batch);
    }
    if (loop->cursor >= loop->limit) {
        batch->count = 0;
        return false;
    }
    if (loop->limit <= WORD_ROWS) {
        return batch_next_word(batch);
    }
    if (loop->dense) { /* the last step was dense, so the next is expected to be */
        return batch_next_dense(batch);
    }
    return batch_next_listed(batch);
}

/* Closes a loop whose scratch, if it had one, is freed already. */
SETTI_INLINE void batch_close(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    setti_open_loop* open = loop->open;
    SETTI_ASSERT(open != NULL && loop->scratch == NULL);
    batch->count = 0;
    loop->open = NULL;
    setti_world_close_loop(loop->query->world, open);
}

/* Ends a loop that gathers: copies the values of the last batch back, and frees the scratch. */
SETTI_APART static void batch_end_scratch(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    setti_gather_scratch* scratch = batch_scratch(batch);
    sett_query* query = loop->query;
    if (scratch == NULL) {
        batch_close(batch);
        return;
    }
    setti_fields_scatter(batch);
    setti_gather_close(scratch);
    if (loop->open == &query->open) {
        SETTI_ASSERT(query->world->gathering != 0);
        query->world->gathering--;
        setti_pool_free(&query->world->pool, scratch, scratch->size, scratch->align);
    } else {
        setti_job_loops* job = loop->open;
        SETTI_ASSERT(job->gathering != 0);
        job->gathering--;
        setti_arena_pop(&job->scratch, scratch, query->scratch_size);
    }
    loop->scratch = NULL;
    batch_close(batch);
}

void sett_batch_end(sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    if (SETTI_UNLIKELY(loop->open == NULL)) {
        return; /* the loop was ended before */
    }
    if (SETTI_UNLIKELY(loop->scratch != NULL)) {
        batch_end_scratch(batch);
        return;
    }
    batch_close(batch);
}

sett_batch* sett_batch_part(sett_batch* batch, uint32_t part, uint32_t parts)
{
    if (batch == NULL) {
        return NULL;
    }
    setti_loop* loop = setti_loop_of(batch);
    if (part >= parts) {
        if (SETTI_DEBUG) {
            setti_world_misuse_with(
                loop->query->world, SETT_STATUS_ARGUMENT,
                "sett_batch_part: query \"%.100s\": `part` is %u, and `parts` is "
                "%u - pass 1 or more `parts`, and a `part` below `parts`",
                loop->query->open.name, (unsigned)part, (unsigned)parts);
        }
        sett_batch_stop(batch);
        return batch;
    }
    uint32_t first = loop->cursor;
    uint64_t rows = 0; /* of the whole loop */
    if (loop->limit > first) {
        rows = loop->limit - first;
    }
    /* a part has whole pages, so the pages are divided, not the rows */
    uint64_t pages = (rows + SETT_BATCH_ROWS - 1) / SETT_BATCH_ROWS;
    uint64_t end = first + pages * (part + 1) / parts * SETT_BATCH_ROWS;
    loop->cursor = first + (uint32_t)(pages * part / parts) * SETT_BATCH_ROWS;
    loop->limit = (uint32_t)SETTI_MIN(loop->limit, end);
    return batch;
}

void sett_batch_stop(const sett_batch* batch)
{
    setti_loop* loop = setti_loop_of(batch);
    loop->cursor = loop->limit;
    loop->ahead = NULL;
    loop->waiting = 0;
}

sett_entity sett_batch_entity_lookup_(const sett_batch* batch, uint32_t row)
{
    setti_loop* loop = setti_loop_of(batch);
    return setti_entity_at(&loop->query->world->entities, batch->indices[row]);
}

const void* sett_batch_at(const sett_batch* batch, uint32_t k, uint32_t row)
{
    const sett_query* query = setti_loop_of(batch)->query;
    if (SETTI_UNLIKELY(k >= batch->field_count)) {
        if (SETTI_DEBUG) {
            setti_world_misuse_with(
                query->world, SETT_STATUS_ARGUMENT,
                "sett_batch_at: query \"%.100s\" has no term %u about the visited "
                "entity - pass such a term, or call sett_batch_from",
                query->open.name, (unsigned)k);
        }
        return NULL;
    }
    const setti_type* type = query->term[k].type;
    uint32_t index = sett_batch_index(batch, row);
    if (!setti_type_is_on(type, index)) {
        return NULL;
    }
    return setti_storage_find(&type->storage, index);
}
