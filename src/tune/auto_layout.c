/* auto_layout.c: finds a layout while the program runs.
 *
 * Every few frames, a sample counts the matches of each query that had a loop. The sample prices
 * the loops (price.h) under the present layout, and again for each possible change: a type is
 * stored in the other kind of storage, a group is created for a query, or an automatic group is
 * destroyed. The saving of a change is added to the *regret* of the change; a loss is subtracted.
 * When the regret reaches the cost of the move, the change is made (the ski rental rule). So a
 * program pays at most twice the cost of the best layout, if that were known in advance. Then all
 * regrets restart at 0, and the same move costs twice as much. So alternating workloads are
 * followed ever more slowly. A clear change is made earlier (AUTO_CLEAR).
 *
 * The workload: loops over 10,000 to a million entities, 60 frames a second. A scene is loaded,
 * played, and left.
 *
 * Invariant:  decisions depend only on numbers of loops, matches and entities: the same calls move
 *             the same values at the same frame on every machine;
 *             only types with default_storage move, and no type moves while a snapshot is held
 */
#include "tune/concern.h"
#include "tune/layout.h"

#include "run/run.h"
#include "world/change.h"

/* Frames from sample to sample: AUTO_PERIOD while a change is close, otherwise up to
 * AUTO_PERIOD_MOST. */
#define AUTO_PERIOD 8
#define AUTO_PERIOD_MOST 128
#define AUTO_CLOSE 8 /* a change is close if its regret reaches its cost in 8 more samples */

#define AUTO_MOVE ((setti_price)12 * SETTI_PRICE_NS)     /* cost of moving a value */
#define AUTO_FIXED ((setti_price)20000 * SETTI_PRICE_NS) /* cost of a move, besides its values */
#define AUTO_DOUBLINGS 12 /* a repeated move costs at most 2^12 times as much */
#define AUTO_SHARE 90 /* percent: a change that leaves more of the cost may save nothing in truth */
/* A query is ignored if its loops cost little: less than 1/AUTO_PART of all loops, and less than
 * half of the loops of an average query. */
#define AUTO_PART 32
/* A clear change halves the cost of the loops, was never made before, and pays within AUTO_SOON
 * samples. The cost of a clear change is divided by AUTO_SOON_PART: the model underestimates large
 * savings. */
#define AUTO_CLEAR 2
#define AUTO_SOON 32
#define AUTO_SOON_PART 16
/* Further types move along with the best change, because each of a thousand rare types saves
 * little. A frame moves up to AUTO_MORE values. Each type counts as AUTO_TYPE more values. */
#define AUTO_MORE 16384
#define AUTO_TYPE 256

/* A group with more values is created over several frames. */
#define AUTO_AT_ONCE 131072
/* A group with fewer bytes is converted within one frame. While only a part of the types is
 * converted, loops are slow. */
#define AUTO_TOGETHER ((size_t)12 << 20)
/* Touching memory takes one frame for each AUTO_WARM bytes. So the speed of the machine does not
 * decide in which frame values move. A frame touches up to AUTO_WARM_MOST bytes, and stops after
 * AUTO_WARM_TIME. */
#define AUTO_WARM ((size_t)3 << 20)
#define AUTO_WARM_MOST ((size_t)4 << 20)
#define AUTO_WARM_TIME 2500000 /* ns */

#define AUTO_WORDS 32 /* occupancy words in a sample */

/* A sample of the entities with a type. */
typedef struct auto_mark {
    uint32_t count;             /* entities with the type */
    uint32_t span;              /* `words` are from the indices below `span`; 0: no sample */
    uint64_t words[AUTO_WORDS]; /* occupancy words at equal distances */
} auto_mark;

typedef struct setti_type_sample {
    auto_mark last;         /* the entities at the last sample */
    auto_mark before;       /* the entities one frame before the next sample */
    setti_relayout_use use; /* of the conversion; use.churn: entities that got or lost the type */
    bool priced;            /* the present sample has priced the conversion */
    bool due;               /* the type is to be converted */
    bool orphaned;          /* a large group was destroyed: the type is to become an array */
} setti_type_sample;

/* A possible change. */
typedef struct auto_option {
    setti_relayout change;
    setti_relayout_use* use;
    setti_price gain; /* since the last sample */
    setti_price cost; /* of the move */
} auto_option;

/* The evaluation of all changes after a sample. */
typedef struct auto_evaluation {
    sett_world* world;
    uint32_t max_values;
    setti_price least_cost; /* queries with cheaper loops are ignored */
    bool close;             /* the regret of a change is close to the cost of the change */
    auto_option best;       /* the best change so far; gain 0: no change pays */
    setti_concerns concerns;
} auto_evaluation;

/* ------------------------------------------------------------------------------------- sampling */

/* Samples a small sparse set: visits all rows. */
static void auto_mark_rows(auto_mark* mark, const setti_storage* storage)
{
    uint32_t stride = mark->span / AUTO_WORDS; /* word k: 64 indices from k * stride on */
    memset(mark->words, 0, sizeof(mark->words));
    for (uint32_t row = 0; row < storage->extent; row++) {
        uint32_t index = *setti_storage_index(storage, row);
        if (index < mark->span && index % stride < 64) {
            mark->words[index / stride] |= (uint64_t)1 << (index % stride);
        }
    }
}

/* Samples the entities with a type. */
static void auto_mark_type(auto_mark* mark, const sett_world* world, const setti_storage* storage)
{
    uint32_t capacity = setti_entity_capacity(&world->entities);
    mark->count = storage->count;
    /* at least 64 indices for each word */
    mark->span = setti_bits_ceil(SETTI_MAX(capacity, (uint32_t)64 * AUTO_WORDS));
    if (storage->kind == SETTI_SPARSE && storage->hashed != 0) {
        auto_mark_rows(mark, storage);
        return;
    }
    for (uint32_t k = 0; k < AUTO_WORDS; k++) {
        mark->words[k] = setti_storage_bits(storage, mark->span / AUTO_WORDS * k);
    }
}

/* Estimates how many entities got or lost a type between the samples `a` and `b`. */
static uint64_t auto_count_changed(const auto_mark* a, const auto_mark* b)
{
    uint64_t bits_changed = 0;
    if (a->span == 0 || b->span == 0) {
        return 0; /* a sample is missing */
    }
    if (a->span == b->span) { /* otherwise the words are from other indices */
        for (uint32_t k = 0; k < AUTO_WORDS; k++) {
            bits_changed += setti_bits_count(a->words[k] ^ b->words[k]);
        }
    }
    uint64_t count_change = SETTI_MAX(a->count, b->count) - SETTI_MIN(a->count, b->count);
    uint32_t indices_per_bit = a->span / 64 / AUTO_WORDS; /* a word has 64 bits */
    return SETTI_MAX(count_change, bits_changed * indices_per_bit);
}

/* Returns the sampling data of a type, created at the first use. Returns NULL if memory runs
 * out. */
static setti_type_sample* auto_sample_of(sett_world* world, setti_type* type)
{
    if (type->sample == NULL) {
        type->sample = setti_pool_alloc(&world->pool, sizeof(setti_type_sample), 16);
        if (type->sample != NULL) {
            memset(type->sample, 0, sizeof(setti_type_sample));
        }
    }
    return type->sample;
}

/* Samples all types one frame before the next sample. */
static void auto_mark_all(sett_world* world)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        setti_type_sample* sample = auto_sample_of(world, type);
        if (sample != NULL) {
            auto_mark_type(&sample->before, world, &type->storage);
        }
    }
}

/* Samples a type. Estimates how many entities have got or lost the type since the last sample. */
static void auto_sample_type(sett_world* world, setti_type* type)
{
    setti_type_sample* sample = auto_sample_of(world, type);
    if (sample == NULL) {
        return;
    }
    auto_mark now;
    auto_mark_type(&now, world, &type->storage);
    /* the changes of one frame count, because each frame may add a type and remove it again */
    uint64_t in_frame = auto_count_changed(&sample->before, &now);
    uint64_t in_period = auto_count_changed(&sample->last, &now);
    sample->use.churn = SETTI_MAX(in_period, in_frame * setti_layout_of(world)->period);
    sample->last = now;
    sample->before.span = 0; /* no sample until auto_mark_all */
    sample->priced = false;
    sample->due = false;
}

void setti_auto_unregistered(sett_world* world, setti_type* type)
{
    struct setti_layout* layout = setti_layout_of(world);
    if (layout != NULL && layout->type == type) {
        layout->type = NULL;
        layout->building = false;
        layout->warming = 0;
    }
    setti_pool_free(&world->pool, type->sample, sizeof(setti_type_sample), 16);
    type->sample = NULL;
}

/* Counts the matches of each query. Returns the cost of all loops. */
static setti_price auto_sample_queries(sett_world* world)
{
    setti_price all_loops = 0;
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        setti_query_use* use = &query->use[SETTI_SAMPLED];
        use->loops += setti_tally_take(&query->nested);
        if (use->loops == 0 || query->required == 0 || query->changed != 0) {
            use->loops = 0; /* the sample ignores the query */
            continue;
        }
        setti_plan_update(query);
        use->matched = use->loops * sett_query_count(query);
        all_loops += (setti_price)use->loops * setti_price_loop(query, SETTI_SAMPLED, NULL);
    }
    return all_loops;
}

/* Resets the counts of the sample. */
static void auto_forget_samples(sett_world* world)
{
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        query->use[SETTI_SAMPLED].loops = 0;
        /* fades slowly, so that a destroyed group does not return soon */
        query->grouped.churn -= query->grouped.churn / 8;
    }
    for (setti_listener* listener = world->listeners; listener != NULL; listener = listener->next) {
        listener->use.churn = 0;
    }
}

/* -------------------------------------------------------------------------------------- options */

/* Whether a system writes a type by handle. If the type became a sparse set, the system could use
 * only one job. */
static bool auto_is_written_by_handle(const sett_world* world, const setti_type* type)
{
    if (setti_run_of(world) == NULL) {
        return false; /* the world has no systems */
    }
    const sett_system* system = setti_run_of(world)->systems;
    for (; system != NULL; system = system->next) {
        for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && system->desc.access_inout[k] != 0; k++) {
            if (system->desc.access_inout[k] == type->id) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the library may choose the storage of a type. */
static bool auto_may_move(const sett_world* world, const setti_type* type)
{
    return type->default_storage && type->sample != NULL && !auto_is_written_by_handle(world, type);
}

/* Whether the library may create a group for a query. */
static bool auto_can_group(const sett_query* query)
{
    const bool automatic = true;
    if (!setti_layout_can_group(query, automatic)) {
        return false;
    }
    for (uint32_t terms = setti_price_owned(query); terms != 0; terms &= terms - 1) {
        if (!auto_may_move(query->world, query->term[setti_bits_lowest(terms)].type)) {
            return false;
        }
    }
    return true;
}

/* Estimates how many entities enter or leave the group of a query between two samples. */
static uint64_t auto_churn(const sett_query* query)
{
    uint64_t most_churn = query->grouped.churn; /* counted by an earlier group */
    for (uint32_t terms = query->required; terms != 0; terms &= terms - 1) {
        const setti_type_sample* sample = query->term[setti_bits_lowest(terms)].type->sample;
        if (sample != NULL) {
            most_churn = SETTI_MAX(most_churn, sample->use.churn);
        }
    }
    return most_churn;
}

/* Extrapolates the gain of a sample to AUTO_SOON samples of AUTO_PERIOD frames. */
static setti_price auto_extrapolate(const auto_evaluation* eval, setti_price gain)
{
    return gain * AUTO_SOON * AUTO_PERIOD / (setti_price)setti_layout_of(eval->world)->period;
}

/* Prices a change, and adds the gain to the regret.
 *   churn  additional cost of entities that enter and leave; negative: a saving */
static void auto_price(auto_evaluation* eval, auto_option* option, setti_price churn)
{
    setti_price_list list;
    const setti_price_list* concerned =
        setti_concerns_find(&eval->concerns, &option->change, &list);
    setti_prices prices =
        setti_price_change(eval->world, SETTI_SAMPLED, &option->change, concerned);
    setti_prices_add(&prices, churn);
    setti_price gain = prices.now - prices.then;
    if (gain > 0 && prices.then * 100 > prices.now * AUTO_SHARE) {
        gain = -option->use->regret / 8; /* a doubtful saving: the regret fades */
    }
    uint32_t doublings = SETTI_MIN(option->use->changes, (uint32_t)AUTO_DOUBLINGS);
    setti_price move_cost =
        (setti_price)setti_layout_moves(&option->change) * AUTO_MOVE + AUTO_FIXED;
    option->cost = move_cost * ((setti_price)1 << doublings);
    bool is_first = doublings == 0;
    bool halves_cost = prices.then * AUTO_CLEAR <= prices.now;
    if (is_first && halves_cost && option->cost <= auto_extrapolate(eval, gain)) {
        option->cost /= AUTO_SOON_PART; /* a clear change: see AUTO_CLEAR */
    }
    option->gain = gain;
    option->use->regret = SETTI_MAX(option->use->regret + gain, 0);
}

/* Whether a frame may move enough values for a change. A new group is created over several frames,
 * so only each single array has to fit into a frame. */
static bool auto_fits(const setti_relayout* change, uint32_t max_values)
{
    const sett_query* query = change->group;
    if (setti_layout_moves(change) <= max_values) {
        return true;
    }
    if (query == NULL) {
        return false;
    }
    for (uint32_t terms = setti_price_owned(query); terms != 0; terms &= terms - 1) {
        const setti_storage* storage = &query->term[setti_bits_lowest(terms)].type->storage;
        if (storage->kind != SETTI_SPARSE && storage->count > max_values) {
            return false; /* a frame has to convert the whole array */
        }
    }
    return true;
}

/* Returns what a change saves in 2 * AUTO_SOON samples, minus the cost of the moved values. */
static setti_price auto_net_saving(const auto_evaluation* eval, const auto_option* option)
{
    setti_price moves = (setti_price)setti_layout_moves(&option->change) * AUTO_MOVE;
    return 2 * auto_extrapolate(eval, option->gain) - moves;
}

/* Returns true if the change of an option pays. eval->best keeps the best change that pays. */
static bool auto_compare(auto_evaluation* eval, const auto_option* option)
{
    if (!auto_fits(&option->change, eval->max_values)) {
        return false;
    }
    if (option->gain <= 0) {
        return false;
    }
    setti_price missing = option->cost - option->use->regret;
    if (missing <= option->gain * AUTO_CLOSE) {
        eval->close = true;
    }
    if (missing > 0) {
        return false;
    }
    bool is_first = eval->best.gain == 0;
    if (is_first || auto_net_saving(eval, option) > auto_net_saving(eval, &eval->best)) {
        eval->best = *option;
    }
    return true;
}

/* Prices the changes for a query: the creation of a group, and the conversion of each type. */
static void auto_price_query(auto_evaluation* eval, sett_query* query)
{
    if (auto_can_group(query)) {
        auto_option option = {.change = {.group = query}, .use = &query->grouped};
        uint32_t owned = setti_bits_count(setti_price_owned(query));
        setti_price churn =
            setti_price_churn(auto_churn(query), owned, eval->world->entities.count);
        auto_price(eval, &option, churn);
        (void)auto_compare(eval, &option); /* a group is created only as eval->best */
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_type* type = query->term[k].type;
        setti_type_sample* sample = type->sample;
        if (auto_may_move(eval->world, type) && !sample->priced && setti_layout_can_convert(type)) {
            auto_option option = {.change = {.type = type}, .use = &sample->use};
            sample->priced = true;
            setti_price change_cost = setti_price_changes(sample->use.churn, type->storage.count);
            if (type->storage.kind == SETTI_SPARSE) {
                change_cost = -change_cost; /* an array saves the cost */
            }
            auto_price(eval, &option, change_cost);
            sample->due = auto_compare(eval, &option);
        }
    }
}

/* Finds the best change that pays. */
static void auto_choose(auto_evaluation* eval)
{
    sett_world* world = eval->world;
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        setti_price loops = (setti_price)query->use[SETTI_SAMPLED].loops;
        if (loops != 0 &&
            loops * setti_price_loop(query, SETTI_SAMPLED, NULL) >= eval->least_cost) {
            auto_price_query(eval, query);
        }
    }
    for (setti_listener* listener = world->listeners; listener != NULL; listener = listener->next) {
        if (listener->automatic) {
            auto_option option = {.change = {.dissolved = listener}, .use = &listener->use};
            setti_price churn = setti_price_churn(listener->use.churn, listener->owned.count,
                                                  world->entities.count);
            auto_price(eval, &option, -churn);
            (void)auto_compare(eval, &option);
        }
    }
}

/* --------------------------------------------------------------------------------------- moving */

/* In this section, a result of type uint64_t is the number of moved values if the function's
 * comment does not say otherwise. */

/* Resets all regrets: a new layout has other prices. */
static void auto_forget_regrets(sett_world* world)
{
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        query->grouped.regret = 0;
    }
    for (setti_listener* listener = world->listeners; listener != NULL; listener = listener->next) {
        listener->use.regret = 0;
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type_sample* sample = world->registered.item[k]->sample;
        if (sample != NULL) {
            sample->use.regret = 0;
        }
    }
}

/* Converts a type to the other kind of storage. In a new sparse set, the members of `group` get the
 * first rows. *members becomes the number of members if they are in the order of entity indices.
 * Otherwise it becomes SETTI_NONE. */
static uint64_t auto_convert(sett_world* world, setti_type* type, const setti_listener* group,
                             uint32_t* members)
{
    SETTI_ASSERT(type->owner == NULL && world->locks == 0);
    setti_conversion conversion;
    bool to_array = type->storage.kind == SETTI_SPARSE;
    sett_storage_kind kind = to_array ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
    const setti_pages old_pages = type->storage.rows;
    *members = SETTI_NONE;
    if (!setti_conversion_reserve(world, &conversion, type, kind)) {
        return 0; /* no memory */
    }
    *members = setti_conversion_commit(world, &conversion, group);
    if (group != NULL) {
        /* joins the freed pages, as room for the next type of the group */
        setti_pool_join(&world->pool, old_pages.size, old_pages.align);
    }
    return type->storage.count;
}

/* Creates the group of a query. If `length` is not SETTI_NONE, the members are in the first
 * `length` rows of all sparse sets already. */
static uint64_t auto_group(sett_world* world, sett_query* query, uint32_t length)
{
    SETTI_ASSERT(world->locks == 0 && setti_price_owned(query) != 0);
    sett_status error = world->error; /* restored on failure: the program made no call here */
    setti_relayout change = {.group = query};
    uint64_t moves = setti_layout_moves(&change); /* an upper limit */
    sett_group_desc desc = setti_layout_group_desc(query);
    const bool automatic = true;
    sett_group* group =
        setti_group_create_for_layout(world, &desc, automatic, length, "auto_layout");
    query->wanted = false;
    if (group == NULL) {
        world->error = error;
        world->error_call = NULL;
        return 0;
    }
    group->listener.use.changes = ++query->grouped.changes;
    return moves;
}

/* Destroys a group, and converts the owned types to arrays. The types of a large group are
 * converted in later frames. */
static uint64_t auto_dissolve(sett_world* world, setti_listener* listener)
{
    setti_type* types[SETT_GROUP_TYPES];
    uint32_t count = listener->owned.count;
    uint64_t moved = 0;
    memcpy(types, listener->owned.item, count * sizeof(types[0]));
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        if (query->cover == listener) {
            query->grouped.churn = listener->use.churn; /* for the price of a new group */
        }
    }
    setti_relayout change = {.dissolved = listener};
    bool large = setti_layout_moves(&change) > AUTO_AT_ONCE;
    uint32_t members; /* not needed */
    setti_group_end(setti_group_of(listener));
    for (uint32_t k = 0; k < count; k++) {
        if (!types[k]->default_storage) {
            continue; /* the program has chosen the storage */
        }
        setti_type_sample* sample = types[k]->sample;
        if (large && sample != NULL) {
            sample->orphaned = true;
            sample->due = true; /* a later frame converts the type */
            setti_layout_of(world)->has_due_types = true;
        } else {
            moved += auto_convert(world, types[k], NULL, &members);
        }
    }
    return moved;
}

/* Returns a listener with the conditions of the group of a query, for setti_matches_find. The lists
 * of the listener are in `required` and `excluded`. */
static setti_listener auto_conditions(const sett_query* query, setti_type** required,
                                      setti_type** excluded)
{
    setti_listener listener = {.with.item = required, .without.item = excluded};
    for (uint32_t k = 0; k < query->term_count; k++) {
        setti_type* type = query->term[k].type;
        if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
            continue;
        }
        if ((query->required >> k & 1) != 0) {
            required[listener.with.count++] = type;
        } else if ((query->without >> k & 1) != 0) {
            excluded[listener.without.count++] = type;
        }
    }
    return listener;
}

/* Returns how many values move if a group is created from sparse sets. Only the values of members
 * that are not in the first rows yet move. */
static uint64_t auto_misplaced(const sett_query* query, const setti_listener* conditions)
{
    uint32_t owned = setti_price_owned(query);
    const sett_world* world = query->world;
    const setti_storage* first_set = &query->term[setti_bits_lowest(owned)].type->storage;
    uint32_t members = 0; /* found so far; this is also the row that the next member gets */
    uint64_t moves = 0;
    setti_matches known; /* which signatures have the conditions */
    setti_matches_init(&known);
    for (uint32_t row = 0; row < first_set->extent; row++) {
        uint32_t index = *setti_storage_index(first_set, row);
        uint32_t signature = setti_entity_set_of(&world->entities, index);
        if (!setti_matches_find(&known, conditions, &world->signatures, signature)) {
            continue;
        }
        for (uint32_t terms = owned; terms != 0; terms &= terms - 1) {
            const setti_storage* storage = &query->term[setti_bits_lowest(terms)].type->storage;
            if (setti_sparse_row(storage, index) != members) {
                moves += 2; /* the values of two rows are exchanged */
            }
        }
        members++;
    }
    return moves;
}

/* Returns how many bytes of new memory the conversion of a storage to the other kind takes. */
static size_t auto_room(const sett_world* world, const setti_storage* storage)
{
    size_t rows = storage->count;
    if (storage->kind == SETTI_SPARSE) {
        size_t capacity = setti_entity_capacity(&world->entities);
        size_t rows_at_most = rows * setti_storage_rows(storage); /* a page for each value */
        return SETTI_MIN(capacity, rows_at_most) * storage->size;
    }
    size_t row_size = storage->size + sizeof(uint32_t); /* a value and an entity index */
    size_t index_size = (size_t)setti_array_end(storage) * sizeof(uint32_t); /* a row by index */
    return rows * row_size + index_size;
}

/* Returns the largest array among the types of a group that are not in *done_terms. Adds the term
 * of the type to *done_terms. Returns NULL if no array is left. */
static setti_type* auto_next_type(const sett_query* query, uint32_t* done_terms)
{
    setti_type* next = NULL;
    uint32_t term = 0;
    for (uint32_t terms = setti_price_owned(query) & ~*done_terms; terms != 0; terms &= terms - 1) {
        uint32_t k = setti_bits_lowest(terms);
        setti_type* type = query->term[k].type;
        bool is_larger = next == NULL || type->storage.count > next->storage.count;
        if (type->storage.kind != SETTI_SPARSE && is_larger) {
            next = type;
            term = k;
        }
    }
    if (next != NULL) {
        *done_terms |= (uint32_t)1 << term;
    }
    return next;
}

/* Returns how many bytes the conversion of an array frees. */
static size_t auto_freed(const setti_storage* storage)
{
    size_t count = 0;
    for (uint32_t number = 0; number < storage->rows.count; number++) {
        if (storage->rows.data[number] != NULL) {
            count++;
        }
    }
    return count * storage->rows.size;
}

/* Whether a single frame can convert all types of a group. */
static bool auto_is_short(const sett_query* query)
{
    size_t size = 0;
    uint32_t done_terms = 0;
    const setti_type* type;
    while ((type = auto_next_type(query, &done_terms)) != NULL) {
        size += auto_room(query->world, &type->storage);
    }
    return size <= AUTO_TOGETHER;
}

/* Returns how many bytes of new memory the conversion of the types of a group takes. */
static size_t auto_group_room(const sett_query* query)
{
    size_t size = 0;
    size_t freed = 0;
    for (uint32_t terms = setti_price_owned(query); terms != 0; terms &= terms - 1) {
        const setti_type* type = query->term[setti_bits_lowest(terms)].type;
        if (type->owner != NULL) { /* the type of another group becomes an array first */
            size += auto_room(query->world, &type->storage);
        }
    }
    uint32_t done_terms = 0;
    const setti_type* type;
    while ((type = auto_next_type(query, &done_terms)) != NULL) {
        size_t room = auto_room(query->world, &type->storage);
        size_t reused = SETTI_MIN(room, freed); /* memory that earlier conversions have freed */
        size += room - reused;
        freed += auto_freed(&type->storage) / 8 * 7 - reused; /* an eighth is lost in gaps */
    }
    return size;
}

/* Plans to touch `size` bytes of memory in the next frames. */
static void auto_begin_warming(struct setti_layout* layout, size_t size)
{
    size += size / 16; /* the ends of pages are not used */
    layout->warm = NULL;
    layout->warm_size = size;
    /* frames, rounded up */
    layout->warming = (uint32_t)SETTI_MIN(size / AUTO_WARM, (size_t)UINT16_MAX) + 1;
}

/* Touches memory if this is planned for the frame. Returns false if it is not planned. */
static bool auto_warm(sett_world* world)
{
    struct setti_layout* layout = setti_layout_of(world);
    if (layout->warming == 0) {
        return false;
    }
    layout->warming--;
    setti_pool_warm(&world->pool, &layout->warm, layout->warm_size, AUTO_WARM_MOST, AUTO_WARM_TIME);
    return true;
}

static void auto_expect_none(sett_world* world)
{
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        query->expected = false;
    }
}

/* Ends building. If `query` is not NULL, gives up its group, and makes the next attempt cost
 * more. */
static void auto_stop_building(sett_world* world, sett_query* query)
{
    struct setti_layout* layout = setti_layout_of(world);
    layout->building = false;
    layout->type = NULL;
    layout->warming = 0;
    if (query != NULL) {
        query->wanted = false;
        query->grouped.changes++;
    }
}

/* Begins to create the group of `query`, or to convert `type`. One of the two is NULL. */
static void auto_begin_building(sett_world* world, sett_query* query, setti_type* type)
{
    struct setti_layout* layout = setti_layout_of(world);
    SETTI_ASSERT((query != NULL) != (type != NULL) && !layout->building);
    bool expected = query != NULL && query->expected;
    auto_expect_none(world);
    if (query != NULL) {
        query->wanted = true;
    }
    if (!expected) { /* the memory of an expected group is being touched already */
        size_t room;
        if (query != NULL) {
            room = auto_group_room(query);
        } else {
            room = auto_room(world, &type->storage);
        }
        auto_begin_warming(layout, room);
    }
    layout->type = type;
    layout->building = true;
}

/* Converts a type that no group waits for. */
static uint64_t auto_convert_alone(sett_world* world, setti_type* type)
{
    setti_type_sample* sample = type->sample;
    uint32_t members; /* not needed */
    uint64_t moved = auto_convert(world, type, NULL, &members);
    if (moved != 0 && !sample->orphaned) {
        sample->use.changes++;
    }
    sample->orphaned = false;
    return moved;
}

/* Whether all sparse sets of a group have the same entities in the first `length` rows. */
static bool auto_is_arranged(const sett_query* query, uint32_t length)
{
    uint32_t owned = setti_price_owned(query);
    const setti_storage* first_set = &query->term[setti_bits_lowest(owned)].type->storage;
    /* for all terms except that of `first_set` */
    for (uint32_t terms = owned & (owned - 1); terms != 0; terms &= terms - 1) {
        const setti_storage* other_set = &query->term[setti_bits_lowest(terms)].type->storage;
        /* a part lies in a single page of each set */
        uint32_t part_rows =
            SETTI_MIN(setti_storage_rows(first_set), setti_storage_rows(other_set));
        for (uint32_t row = 0; row < length; row += part_rows) {
            const uint32_t* first_indices = setti_storage_index(first_set, row);
            const uint32_t* other_indices = setti_storage_index(other_set, row);
            size_t size = SETTI_MIN(part_rows, length - row) * sizeof(uint32_t);
            if (memcmp(first_indices, other_indices, size) != 0) {
                return false;
            }
        }
    }
    return true;
}

/* Converts the arrays among the types of a group to sparse sets. *members becomes the number of
 * members, which get the first rows. Adds the number of values moved to *moved. Returns false if an
 * array is left: for the next frame, or because the group was given up. */
static bool auto_convert_types(sett_world* world, sett_query* query,
                               const setti_listener* conditions, uint32_t max_values,
                               uint64_t* moved, uint32_t* members)
{
    uint64_t frame_limit = max_values; /* values that this frame moves */
    if (!auto_is_short(query)) {
        frame_limit = SETTI_MIN(max_values, (uint32_t)AUTO_AT_ONCE);
    }
    uint32_t done_terms = 0;
    setti_type* type;
    while ((type = auto_next_type(query, &done_terms)) != NULL) {
        uint64_t total_moved = *moved + type->storage.count;
        if (*moved != 0 && total_moved > frame_limit) {
            return false; /* the next frame continues */
        }
        if (total_moved > max_values) {
            auto_stop_building(world, query); /* the type has grown: gives up */
            return false;
        }
        *moved += auto_convert(world, type, conditions, members);
        if (type->storage.kind != SETTI_SPARSE) {
            auto_stop_building(world, query); /* no memory: gives up */
            return false;
        }
    }
    return true;
}

/* Takes a type of the wanted group away from another group. */
static uint64_t auto_free_types(sett_world* world, sett_query* query, uint32_t max_values)
{
    for (uint32_t terms = setti_price_owned(query); terms != 0; terms &= terms - 1) {
        setti_type* type = query->term[setti_bits_lowest(terms)].type;
        if (type->owner != NULL) {
            uint64_t moved = auto_dissolve(world, type->owner);
            if (moved != 0) { /* 0: the group was large, and its types are orphaned */
                return moved;
            }
        }
        setti_type_sample* sample = type->sample;
        if (sample != NULL && sample->orphaned && type->storage.count <= max_values) {
            sample->due = false;
            /* to an array; later frames make a sparse set with the members first */
            return auto_convert_alone(world, type);
        }
    }
    return 0;
}

/* Makes the next step of creating the wanted group. */
static uint64_t auto_build_group(sett_world* world, uint32_t max_values)
{
    sett_query* query = setti_query_first(world);
    while (query != NULL && !query->wanted) {
        query = query->next;
    }
    if (query == NULL || !auto_can_group(query)) { /* the program has changed something */
        auto_stop_building(world, query);
        return 0;
    }
    uint64_t moved = auto_free_types(world, query, max_values);
    if (moved != 0) {
        return moved; /* the next frame continues */
    }
    setti_type* required[SETT_QUERY_TERMS];
    setti_type* excluded[SETT_QUERY_TERMS];
    setti_listener conditions = auto_conditions(query, required, excluded);
    uint32_t members = SETTI_NONE; /* unknown if all types are sparse sets already */
    if (!auto_convert_types(world, query, &conditions, max_values, &moved, &members)) {
        return moved;
    }
    if (members != SETTI_NONE && auto_is_arranged(query, members)) { /* no row has to move */
        auto_stop_building(world, NULL);
        (void)auto_group(world, query, members);
        return moved;
    }
    if (moved > AUTO_AT_ONCE) {
        return moved; /* the next frame creates the group */
    }
    setti_relayout change = {.group = query};
    uint64_t misplaced = 0; /* values to move; counted only if there may be too many */
    if (moved + setti_layout_moves(&change) > max_values) {
        misplaced = auto_misplaced(query, &conditions);
    }
    if (moved + misplaced <= max_values) {
        auto_stop_building(world, NULL);
        (void)auto_group(world, query, SETTI_NONE);
        return moved + misplaced;
    }
    if (moved == 0) { /* a whole frame is not enough to create the group */
        auto_stop_building(world, query);
    }
    return moved;
}

/* Makes one step toward the chosen change: touches memory, builds a group, or converts a type. A
 * type is converted in one step. Returns the number of moved values. */
static uint64_t auto_build(sett_world* world, uint32_t max_values)
{
    if (auto_warm(world)) {
        return 0;
    }
    setti_type* type = setti_layout_of(world)->type;
    if (type == NULL) {
        return auto_build_group(world, max_values);
    }
    auto_stop_building(world, NULL);
    /* the program may have changed the type */
    if (!auto_may_move(world, type) || !setti_layout_can_convert(type)) {
        return 0;
    }
    if (type->storage.count > max_values) {
        return 0;
    }
    return auto_convert_alone(world, type);
}

/* Makes a change if it is small. Begins a large change. */
static uint64_t auto_make_change(sett_world* world, const auto_option* option, uint32_t max_values)
{
    const setti_relayout* change = &option->change;
    if (change->dissolved != NULL) {
        return auto_dissolve(world, setti_unconst(change->dissolved));
    }
    sett_query* query = setti_unconst(change->group);
    setti_type* type = setti_unconst(change->type);
    if (type != NULL && auto_room(world, &type->storage) <= AUTO_WARM) {
        return auto_convert_alone(world, type);
    }
    if (query != NULL &&
        setti_layout_moves(change) <= SETTI_MIN(max_values, (uint32_t)AUTO_AT_ONCE)) {
        return auto_group(world, query, SETTI_NONE);
    }
    auto_begin_building(world, query, type);
    return auto_build(world, max_values);
}

/* Marks the queries that have a type as taken. Returns true if none of them was taken before. */
static bool auto_select(auto_evaluation* eval, const setti_type* type)
{
    setti_price_list list;
    setti_relayout change = {.type = type};
    if (setti_concerns_find(&eval->concerns, &change, &list) == NULL) {
        return false; /* no memory */
    }
    bool none_taken = true;
    for (uint32_t k = 0; k < list.count; k++) {
        none_taken = none_taken && !list.query[k]->grouped.taken;
    }
    for (uint32_t k = 0; k < list.count; k++) {
        list.query[k]->grouped.taken = true;
    }
    return none_taken;
}

/* Selects more due types. No two selected types share a query. */
static void auto_select_more(auto_evaluation* eval)
{
    sett_world* world = eval->world;
    (void)auto_select(eval, eval->best.change.type); /* was converted already: marks the queries */
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        setti_type_sample* sample = type->sample;
        if (sample != NULL && sample->due) {
            sample->due = type != eval->best.change.type && auto_select(eval, type);
            if (sample->due) {
                setti_layout_of(world)->has_due_types = true;
            }
        }
    }
}

/* Converts as many of the types that are due as one frame may. */
static uint64_t auto_convert_due(sett_world* world, uint32_t max_values)
{
    uint64_t spent = 0; /* moved values, and AUTO_TYPE for each type */
    uint64_t moved = 0;
    setti_layout_of(world)->has_due_types = false;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        setti_type_sample* sample = type->sample;
        if (sample == NULL || !sample->due) {
            continue;
        }
        if (spent != 0 && spent + type->storage.count + AUTO_TYPE > AUTO_MORE) {
            setti_layout_of(world)->has_due_types = true; /* the next frame continues */
            break;
        }
        sample->due = false;
        bool may_move = auto_may_move(world, type);
        if (sample->orphaned && type->default_storage) {
            may_move = true;
        }
        bool within_limit = moved + type->storage.count <= max_values;
        /* the program may have changed the type since it was due */
        if (may_move && within_limit && setti_layout_can_convert(type)) {
            uint64_t values = auto_convert_alone(world, type);
            moved += values;
            spent += values + AUTO_TYPE;
        }
        sample->orphaned = false;
    }
    return moved;
}

/* --------------------------------------------------------------------------------------- public */

/* Resets the regrets of the queries that are taken, and of the types of their terms. */
static void auto_forget_taken(sett_world* world)
{
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        if (!query->grouped.taken) {
            continue;
        }
        query->grouped.regret = 0;
        for (uint32_t k = 0; k < query->term_count; k++) {
            setti_type_sample* sample = query->term[k].type->sample;
            if (sample != NULL) {
                sample->use.regret = 0;
            }
        }
    }
}

/* Makes the best change, and selects more types to convert. */
static uint64_t auto_make_best(auto_evaluation* eval)
{
    for (sett_query* query = setti_query_first(eval->world); query != NULL; query = query->next) {
        query->grouped.taken = false;
    }
    uint64_t moved = auto_make_change(eval->world, &eval->best, eval->max_values);
    /* all regrets are forgotten if the change is a group (its type is NULL), which changes too many
     * prices, or if there are no lists, which say what prices a change of a type changes */
    if (eval->best.change.type == NULL || eval->concerns.first == NULL) {
        auto_forget_regrets(eval->world);
        return moved;
    }
    auto_select_more(eval);
    auto_forget_taken(eval->world);
    return moved;
}

/* Takes a sample, and makes the best change that pays. */
static uint64_t auto_evaluate(sett_world* world, uint32_t max_values)
{
    struct setti_layout* layout = setti_layout_of(world);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        auto_sample_type(world, world->registered.item[k]);
    }
    auto_evaluation eval = {.world = world, .max_values = max_values};
    setti_price all_loops = auto_sample_queries(world);
    setti_concerns_init(&eval.concerns, world);
    /* 1 / AUTO_PART of the cost of all loops, or half of the average of the queries, whichever is
     * less */
    eval.least_cost =
        all_loops / SETTI_MAX((setti_price)AUTO_PART, (setti_price)eval.concerns.queries * 2);
    auto_choose(&eval);
    bool found = eval.best.gain > 0;
    if (found || eval.close) {
        layout->period = AUTO_PERIOD;
    } else {
        layout->period = SETTI_MIN(layout->period * 2, AUTO_PERIOD_MOST);
    }
    uint64_t moved = 0;
    if (found) {
        moved = auto_make_best(&eval);
    }
    setti_concerns_deinit(&eval.concerns, world);
    auto_forget_samples(world);
    return moved;
}

/* Whether a large group would pay if all frames were like the first frame.
 *   prices  of the creation of the group */
static bool auto_is_expected(const sett_query* query, uint32_t max_values, setti_prices prices)
{
    setti_relayout change = {.group = query};
    uint64_t moves = setti_layout_moves(&change);
    if (moves <= AUTO_AT_ONCE || !auto_fits(&change, max_values)) {
        return false;
    }
    if (prices.then * AUTO_CLEAR > prices.now) {
        return false;
    }
    setti_price cost = (setti_price)moves * AUTO_MOVE + AUTO_FIXED;
    setti_price gain = prices.now - prices.then;
    return cost <= gain * AUTO_SOON * AUTO_PERIOD;
}

/* Begins to touch memory for the expected group that saves the most, if there is one. */
static void auto_look_ahead(sett_world* world, uint32_t max_values)
{
    setti_concerns concerns;
    setti_price best_gain = 0;
    sett_query* best = NULL;
    auto_mark_all(world); /* creates the sampling data of types */
    (void)auto_sample_queries(world);
    setti_concerns_init(&concerns, world);
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        if (query->use[SETTI_SAMPLED].loops == 0 || !auto_can_group(query)) {
            continue;
        }
        setti_price_list list;
        setti_relayout change = {.group = query};
        const setti_price_list* concerned = setti_concerns_find(&concerns, &change, &list);
        setti_prices prices = setti_price_change(world, SETTI_SAMPLED, &change, concerned);
        setti_price gain = prices.now - prices.then;
        if (gain > best_gain && auto_is_expected(query, max_values, prices)) {
            best_gain = gain;
            best = query;
        }
    }
    setti_concerns_deinit(&concerns, world);
    if (best != NULL) {
        best->expected = true;
        auto_begin_warming(setti_layout_of(world), auto_group_room(best));
        (void)auto_warm(world);
    }
}

/* Uses a frame between two samples. */
static void auto_wait(sett_world* world, uint32_t max_values)
{
    struct setti_layout* layout = setti_layout_of(world);
    if (layout->early) {
        layout->early = false;
        auto_look_ahead(world, max_values);
    } else {
        (void)auto_warm(world);
    }
    if (layout->frames + 1 == layout->period) { /* the next frame takes the sample */
        auto_mark_all(world);
    }
}

uint64_t setti_auto_layout_step(sett_world* world, uint32_t max_values)
{
    struct setti_layout* layout = setti_layout_of(world);
    if (!layout->automatic || world->locks != 0 || world->pool.cow_from != 0) {
        return 0;
    }
    if (layout->building) {
        return auto_build(world, max_values);
    }
    if (layout->has_due_types) {
        return auto_convert_due(world, max_values);
    }
    if (++layout->frames < layout->period) {
        auto_wait(world, max_values);
        return 0;
    }
    layout->frames = 0;
    uint64_t moved = auto_evaluate(world, max_values);
    if (!layout->building) { /* no group is being created: forgets the expected group */
        layout->warming = 0;
        auto_expect_none(world);
    }
    return moved;
}

SETTI_COLD sett_status sett_layout_auto(sett_world* world, uint32_t max_values)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (setti_world_check_serial(world, "sett_layout_auto") != SETT_OK) {
        return world->error;
    }
    struct setti_layout* layout = setti_layout_ensure(world);
    if (layout == NULL) {
        return setti_world_no_memory(world, "sett_layout_auto");
    }
    layout->automatic = max_values != 0;
    layout->max_values = max_values;
    layout->period = AUTO_PERIOD;
    layout->frames = 0;
    auto_stop_building(world, NULL);
    auto_expect_none(world);
    layout->early = true;
    layout->has_due_types = false;
    world->counting = layout->automatic || world->profiling;
    return SETT_OK;
}
