/* auto_layout.c: finds a layout while the program runs.
 *
 * Every few frames a sample is taken: the matches of each query with a loop are counted, and its
 * loops are priced (price.h) under the present layout and under each layout that one change would
 * give: a type stored in the other kind, a group for a query, an automatic group destroyed. What a
 * change would have saved is added to its *regret*, what it would have cost is subtracted. A change
 * is made when its regret reaches the cost of the move (the ski rental rule): a program pays twice
 * the cost of the best layout known in advance at most. Then all regrets restart at 0, and the same
 * move costs twice as much: alternating workloads are followed ever more slowly. Clearly better
 * changes wait for less, once (AUTO_CLEAR).
 *
 * The workload: loops over 10,000 to a million entities, 60 frames a second; a scene that is
 * loaded, played, and left. Rejected: an average of the last frames with a threshold and a margin,
 * which needs two more constants and moves in vain when a phase ends at that moment.
 *
 * Invariant:  decisions depend on numbers of loops, matches and entities only: the same calls move
 *             the same values at the same frame on every machine;
 *             only types with default_storage move, and none while a snapshot is held
 */
#include "tune/concern.h"
#include "tune/layout.h"

#include "run/run.h"
#include "world/change.h"

/* Frames between two samples: so many while a change is close, else up to AUTO_PERIOD_MOST. */
#define AUTO_PERIOD 8
#define AUTO_PERIOD_MOST 128
#define AUTO_CLOSE 8 /* a change is close if it is at most so many samples away */

#define AUTO_MOVE ((setti_price)12 * SETTI_PRICE_NS)     /* the cost of moving one value */
#define AUTO_FIXED ((setti_price)20000 * SETTI_PRICE_NS) /* of each move, in addition */
#define AUTO_DOUBLINGS 12                                /* of a repeated move's cost, at most */
#define AUTO_SHARE 90 /* of a hundred: a smaller saving may be an error of the model */
/* Queries with less than 1/AUTO_PART of the cost of all loops are ignored; if there are many
 * queries, those below half of the average. */
#define AUTO_PART 32
/* A clear change divides the cost of its loops by AUTO_CLEAR, was never made before, and pays for
 * itself within AUTO_SOON samples of AUTO_PERIOD frames. It waits until 1 / AUTO_SOON_PART of its
 * cost is lost, since the model underestimates such changes (by half, where half of the entities
 * are in a loop). */
#define AUTO_CLEAR 2
#define AUTO_SOON 32
#define AUTO_SOON_PART 16
/* With the best change, types move that share no query with it or with each other, because among a
 * thousand rare types each saves little. A frame moves up to so many of their values, counting
 * AUTO_TYPE more for each type; later frames move the rest. */
#define AUTO_MORE 16384
#define AUTO_TYPE 256

/* A group of more values is made in steps, one a frame: memory is touched, then types are
 * converted. (A million values of 8 bytes in one frame took 20 to 30 ms, 130 with new memory.) */
#define AUTO_AT_ONCE 131072
/* Types with so many bytes of rows and indices are converted in one frame, because a loop between
 * two moves is slower than before and after. */
#define AUTO_TOGETHER ((size_t)12 << 20)
/* Memory is touched in as many frames as AUTO_WARM bytes a frame need, so that moves do not depend
 * on the machine. A frame touches up to AUTO_WARM_MOST, for no longer than AUTO_WARM_TIME. */
#define AUTO_WARM ((size_t)3 << 20)
#define AUTO_WARM_MOST ((size_t)4 << 20)
#define AUTO_WARM_TIME 2500000 /* ns */

/* Words of a type's occupancy that are compared. */
#define AUTO_WORDS 32

/* Which entities have a type at some frame: their number, and bits of some of them, in words of 64
 * neighbours at equal distances. */
typedef struct auto_mark {
    uint32_t count;
    uint32_t span; /* the indices that the words are from, a power of two; 0: no sample */
    uint64_t words[AUTO_WORDS];
} auto_mark;

/* A type's data for sampling. */
typedef struct setti_type_sample {
    auto_mark last;         /* at the last sample */
    auto_mark before;       /* one frame before the next sample: finds types toggled each frame */
    setti_relayout_use use; /* of the other kind; churn: the entities that got or lost the type */
    bool priced;            /* by this sample */
    bool due;               /* by this sample, storing it in the other kind pays */
    bool left;              /* by a large group that was destroyed: it becomes an array soon */
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
    setti_price least; /* queries with cheaper loops are ignored */
    bool close;        /* a change is close to its cost */
    auto_option best;  /* the best change that pays; gain 0: none */
    setti_concerns concerns;
} auto_evaluation;

/* ------------------------------------------------------------------------------------- sampling */

/* Samples a small sparse set by rows, not by index. */
static void auto_take_rows(auto_mark* mark, const setti_storage* storage)
{
    uint32_t stride = mark->span / AUTO_WORDS;
    memset(mark->words, 0, sizeof(mark->words));
    for (uint32_t row = 0; row < storage->extent; row++) {
        uint32_t index = *setti_storage_index(storage, row);
        if (index < mark->span && index % stride < 64) {
            mark->words[index / stride] |= (uint64_t)1 << (index % stride);
        }
    }
}

static void auto_take_mark(auto_mark* mark, const sett_world* world, const setti_storage* storage)
{
    uint32_t capacity = setti_entity_capacity(&world->entities);
    mark->count = storage->count;
    mark->span = setti_bits_ceil(SETTI_MAX(capacity, (uint32_t)64 * AUTO_WORDS));
    if (storage->kind == SETTI_SPARSE && storage->hashed != 0) {
        auto_take_rows(mark, storage);
        return;
    }
    for (uint32_t k = 0; k < AUTO_WORDS; k++) {
        mark->words[k] = setti_storage_bits(storage, mark->span / AUTO_WORDS * k);
    }
}

/* Estimates how many entities got or lost the type between two samples; 0 without both. */
static uint64_t auto_differ(const auto_mark* a, const auto_mark* b)
{
    uint64_t differ = 0;
    if (a->span == 0 || b->span == 0) {
        return 0;
    }
    for (uint32_t k = 0; a->span == b->span && k < AUTO_WORDS; k++) {
        differ += setti_bits_count(a->words[k] ^ b->words[k]);
    }
    uint64_t counts = a->count > b->count ? a->count - b->count : b->count - a->count;
    uint32_t entities_a_bit = a->span / 64 / AUTO_WORDS;
    return SETTI_MAX(counts, differ * entities_a_bit);
}

/* The sampling data of a type; NULL when memory runs out. */
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

/* Samples presence one frame before the next sample. */
static void auto_mark_types(sett_world* world)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        setti_type_sample* sample = auto_sample_of(world, type);
        if (sample != NULL) {
            auto_take_mark(&sample->before, world, &type->storage);
        }
    }
}

static void auto_sample_type(sett_world* world, setti_type* type)
{
    setti_type_sample* sample = auto_sample_of(world, type);
    if (sample == NULL) {
        return;
    }
    auto_mark now;
    auto_take_mark(&now, world, &type->storage);
    uint64_t in_frame = auto_differ(&sample->before, &now);
    sample->use.churn =
        SETTI_MAX(auto_differ(&sample->last, &now), in_frame * setti_layout_of(world)->period);
    sample->last = now;
    sample->before.span = 0;
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

/* Counts the matches of each query with a loop. Returns the cost of all these loops. */
static setti_price auto_sample_queries(sett_world* world)
{
    setti_price all = 0;
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        setti_query_use* use = &query->use[SETTI_SAMPLED];
        use->loops += setti_tally_take(&query->nested);
        if (use->loops == 0 || query->required == 0 || query->changed != 0) {
            use->loops = 0;
            continue;
        }
        setti_plan_update(query);
        use->matched = use->loops * sett_query_count(query);
        all += (setti_price)use->loops * setti_price_loop(query, SETTI_SAMPLED, NULL);
    }
    return all;
}

/* Begins the next sample. The churn of groups fades slowly, so that a group destroyed because of
 * churn is not made again at once. */
static void auto_forget_samples(sett_world* world)
{
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        query->use[SETTI_SAMPLED].loops = 0;
        query->grouped.churn -= query->grouped.churn / 8;
    }
    for (setti_listener* at = world->listeners; at != NULL; at = at->next) {
        at->use.churn = 0;
    }
}

/* -------------------------------------------------------------------------------------- options */

/* Whether a system writes the type by handle: with a sparse set it would have one job. */
static bool auto_is_written_by_handle(const sett_world* world, const setti_type* type)
{
    const sett_system* system = setti_run_of(world) != NULL ? setti_run_of(world)->systems : NULL;
    for (; system != NULL; system = system->next) {
        for (uint32_t k = 0; k < SETT_SYSTEM_ACCESS && system->desc.access_inout[k] != 0; k++) {
            if (system->desc.access_inout[k] == type->id) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the library may choose how the type is stored. */
static bool auto_may_move(const sett_world* world, const setti_type* type)
{
    return type->default_storage && type->sample != NULL && !auto_is_written_by_handle(world, type);
}

static bool auto_can_group(const sett_query* query)
{
    const bool automatic = true;
    bool may = setti_layout_can_group(query, automatic);
    for (uint32_t rest = setti_price_owned(query); may && rest != 0; rest &= rest - 1) {
        may = auto_may_move(query->world, query->term[setti_bits_lowest(rest)].type);
    }
    return may;
}

/* Estimates how many entities enter or leave the group of a query between two samples: what an
 * earlier group has counted, or the changes of the type that changed most, if they are more. */
static uint64_t auto_churn(const sett_query* query)
{
    uint64_t most = query->grouped.churn;
    for (uint32_t rest = query->required; rest != 0; rest &= rest - 1) {
        const setti_type_sample* sample = query->term[setti_bits_lowest(rest)].type->sample;
        most = sample != NULL ? SETTI_MAX(most, sample->use.churn) : most;
    }
    return most;
}

/* Extrapolates a gain since the last sample to AUTO_SOON short periods. */
static setti_price auto_extrapolate(const auto_evaluation* look, setti_price gain)
{
    return gain * AUTO_SOON * AUTO_PERIOD / (setti_price)setti_layout_of(look->world)->period;
}

/* Prices a change, and adds to its regret. `churn`: the cost of entities that enter and leave;
 * below 0: the change saves it. */
static void auto_price(auto_evaluation* look, auto_option* option, setti_price churn)
{
    setti_price_list list;
    setti_prices prices =
        setti_price_change(look->world, SETTI_SAMPLED, &option->change,
                           setti_concerns_find(&look->concerns, &option->change, &list));
    setti_prices_add(&prices, churn);
    setti_price gain = prices.now - prices.then;
    if (gain > 0 && prices.then * 100 > prices.now * AUTO_SHARE) {
        gain = -option->use->regret / 8; /* a doubtful saving: the regret fades */
    }
    uint32_t doublings = SETTI_MIN(option->use->changes, (uint32_t)AUTO_DOUBLINGS);
    option->gain = gain;
    option->cost = ((setti_price)setti_layout_moves(&option->change) * AUTO_MOVE + AUTO_FIXED) *
                   ((setti_price)1 << doublings);
    if (doublings == 0 && prices.then * AUTO_CLEAR <= prices.now &&
        option->cost <= auto_extrapolate(look, gain)) {
        option->cost /= AUTO_SOON_PART;
    }
    option->use->regret = SETTI_MAX(option->use->regret + gain, 0);
}

/* Whether each type of a group can be converted in a step of `max_values` values. */
static bool auto_can_build(const sett_query* query, uint32_t max_values)
{
    bool fits = true;
    for (uint32_t rest = setti_price_owned(query); rest != 0; rest &= rest - 1) {
        const setti_storage* storage = &query->term[setti_bits_lowest(rest)].type->storage;
        fits = fits && (storage->kind == SETTI_SPARSE || storage->count <= max_values);
    }
    return fits;
}

/* Whether a change fits into steps of `max_values` values. */
static bool auto_fits(const auto_option* option, uint32_t max_values)
{
    return setti_layout_moves(&option->change) <= max_values ||
           (option->change.group != NULL && auto_can_build(option->change.group, max_values));
}

/* The saving of a change in twice AUTO_SOON samples, less its cost. So a slightly larger saving
 * does not pay for moving a hundred times the values. */
static setti_price auto_net_saving(const auto_evaluation* look, const auto_option* option)
{
    setti_price moves = (setti_price)setti_layout_moves(&option->change) * AUTO_MOVE;
    return 2 * auto_extrapolate(look, option->gain) - moves;
}

/* Compares a priced change with the best so far. Returns whether its regret reaches its cost. */
static bool auto_compare(auto_evaluation* look, const auto_option* option)
{
    if (!auto_fits(option, look->max_values)) {
        return false;
    }
    setti_price left = option->cost - option->use->regret;
    look->close = look->close || (option->gain > 0 && left <= option->gain * AUTO_CLOSE);
    bool pays = left <= 0 && option->gain > 0;
    if (pays && (look->best.gain == 0 ||
                 auto_net_saving(look, option) > auto_net_saving(look, &look->best))) {
        look->best = *option;
    }
    return pays;
}

/* Prices a group for a query, and its types in the other kind. */
static void auto_look_at_query(auto_evaluation* look, sett_query* query)
{
    if (auto_can_group(query)) {
        auto_option option = {.change = {.group = query}, .use = &query->grouped};
        uint32_t owned = setti_bits_count(setti_price_owned(query));
        auto_price(look, &option,
                   setti_price_churn(auto_churn(query), owned, look->world->entities.count));
        (void)auto_compare(look, &option);
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_type* type = query->term[k].type;
        setti_type_sample* sample = type->sample;
        if (auto_may_move(look->world, type) && !sample->priced && setti_layout_can_convert(type)) {
            auto_option option = {.change = {.type = type}, .use = &sample->use};
            sample->priced = true;
            setti_price changes = setti_price_changes(sample->use.churn, type->storage.count);
            auto_price(look, &option, type->storage.kind == SETTI_SPARSE ? -changes : changes);
            sample->due = auto_compare(look, &option);
        }
    }
}

/* Prices all changes; look->best becomes the best one that pays. */
static void auto_choose(auto_evaluation* look)
{
    sett_world* world = look->world;
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        setti_price loops = (setti_price)query->use[SETTI_SAMPLED].loops;
        if (loops != 0 && loops * setti_price_loop(query, SETTI_SAMPLED, NULL) >= look->least) {
            auto_look_at_query(look, query);
        }
    }
    for (setti_listener* at = world->listeners; at != NULL; at = at->next) {
        if (at->automatic) {
            auto_option option = {.change = {.dissolved = at}, .use = &at->use};
            auto_price(look, &option,
                       -setti_price_churn(at->use.churn, at->owned.count, world->entities.count));
            (void)auto_compare(look, &option);
        }
    }
}

/* --------------------------------------------------------------------------------------- moving */

/* Resets all regrets, which are not valid in a new layout. */
static void auto_forget_regrets(sett_world* world)
{
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        query->grouped.regret = 0;
    }
    for (setti_listener* at = world->listeners; at != NULL; at = at->next) {
        at->use.regret = 0;
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type_sample* sample = world->registered.item[k]->sample;
        if (sample != NULL) {
            sample->use.regret = 0;
        }
    }
}

/* Stores a type in the other kind. With the conditions of a group (or NULL) its members come first,
 * and the type's old pages become room for the next type. *members becomes the number of members,
 * SETTI_NONE if it is not known. Returns the number of values moved; 0 when memory runs out. */
static uint64_t auto_convert(sett_world* world, setti_type* type, const setti_listener* group,
                             uint32_t* members)
{
    SETTI_ASSERT(type->owner == NULL && world->locks == 0);
    setti_conversion conversion;
    bool array = type->storage.kind == SETTI_SPARSE;
    const setti_pages old = type->storage.rows;
    *members = SETTI_NONE;
    if (!setti_conversion_reserve(world, &conversion, type,
                                  array ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET)) {
        return 0;
    }
    *members = setti_conversion_commit(world, &conversion, group);
    if (group != NULL) {
        setti_pool_join(&world->pool, old.size, old.align);
    }
    return type->storage.count;
}

/* Creates the group of a query. `length`: as for setti_group_create_for_layout. Returns the number
 * of values that may have moved; 0 when memory runs out. */
static uint64_t auto_group(sett_world* world, sett_query* query, uint32_t length)
{
    SETTI_ASSERT(world->locks == 0 && setti_price_owned(query) != 0);
    sett_status error = world->error; /* stays: no call of the program fails here */
    setti_relayout change = {.group = query};
    uint64_t moves = setti_layout_moves(&change);
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

/* Destroys a group and converts its types to arrays if there is memory; others stay sparse sets,
 * and are priced one by one. Types of a large group are converted in the next frames. */
static uint64_t auto_dissolve(sett_world* world, setti_listener* listener)
{
    setti_type* types[SETT_GROUP_TYPES];
    uint32_t count = listener->owned.count;
    uint64_t moved = 0;
    memcpy(types, listener->owned.item, count * sizeof(types[0]));
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        query->grouped.churn =
            query->cover == listener ? listener->use.churn : query->grouped.churn;
    }
    setti_relayout change = {.dissolved = listener};
    bool large = setti_layout_moves(&change) > AUTO_AT_ONCE;
    uint32_t members;
    setti_group_end(setti_group_of(listener));
    for (uint32_t k = 0; k < count; k++) {
        setti_type_sample* sample = types[k]->default_storage ? types[k]->sample : NULL;
        if (large && sample != NULL) {
            sample->due = sample->left = true;
            setti_layout_of(world)->more = true;
        } else if (types[k]->default_storage) {
            moved += auto_convert(world, types[k], NULL, &members);
        }
    }
    return moved;
}

/* The conditions of the group for a query. They are in `with` and `without`, which have room for
 * SETT_QUERY_TERMS types each. */
static setti_listener auto_conditions(const sett_query* query, setti_type** with,
                                      setti_type** without)
{
    setti_listener listener = {.with.item = with, .without.item = without};
    for (uint32_t k = 0; k < query->term_count; k++) {
        setti_type* type = query->term[k].type;
        bool skip = (type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0;
        if (!skip && (query->required >> k & 1) != 0) {
            with[listener.with.count++] = type;
        } else if (!skip && (query->without >> k & 1) != 0) {
            without[listener.without.count++] = type;
        }
    }
    return listener;
}

/* The number of values moved by creating the group from sparse sets: two for each misplaced row. */
static uint64_t auto_misplaced(const sett_query* query, const setti_listener* conditions)
{
    uint32_t owned = setti_price_owned(query);
    const sett_world* world = query->world;
    const setti_storage* first = &query->term[setti_bits_lowest(owned)].type->storage;
    uint32_t length = 0;
    uint64_t moves = 0;
    setti_matches known;
    setti_matches_init(&known);
    for (uint32_t row = 0; row < first->extent; row++) {
        uint32_t index = *setti_storage_index(first, row);
        uint32_t signature = setti_entity_set_of(&world->entities, index);
        if (!setti_matches_find(&known, conditions, &world->signatures, signature)) {
            continue;
        }
        for (uint32_t rest = owned; rest != 0; rest &= rest - 1) {
            const setti_storage* storage = &query->term[setti_bits_lowest(rest)].type->storage;
            moves += setti_sparse_row(storage, index) != length ? 2 : 0;
        }
        length++;
    }
    return moves;
}

/* Bytes of new memory for the other kind of a storage: rows, their indices, the index of rows. */
static size_t auto_room(const sett_world* world, const setti_storage* storage)
{
    size_t rows = storage->count;
    if (storage->kind == SETTI_SPARSE) {
        size_t capacity = setti_entity_capacity(&world->entities);
        return SETTI_MIN(capacity, rows * setti_storage_rows(storage)) * storage->size;
    }
    return rows * (storage->size + sizeof(uint32_t)) +
           (size_t)setti_array_end(storage) * sizeof(uint32_t);
}

/* Returns the next type that a group converts, the one with the most values, and adds its term to
 * `done`; NULL: there is none. The largest comes first, since loops become slower with it. */
static setti_type* auto_next_type(const sett_query* query, uint32_t* done)
{
    setti_type* next = NULL;
    uint32_t term = 0;
    for (uint32_t rest = setti_price_owned(query) & ~*done; rest != 0; rest &= rest - 1) {
        uint32_t k = setti_bits_lowest(rest);
        setti_type* type = query->term[k].type;
        bool more = next == NULL || type->storage.count > next->storage.count;
        if (type->storage.kind != SETTI_SPARSE && more) {
            next = type;
            term = k;
        }
    }
    *done |= next != NULL ? (uint32_t)1 << term : 0;
    return next;
}

/* Bytes that the conversion of an array leaves free. */
static size_t auto_freed(const setti_storage* storage)
{
    size_t count = 0;
    for (uint32_t number = 0; number < storage->rows.count; number++) {
        count += storage->rows.data[number] != NULL;
    }
    return count * storage->rows.size;
}

/* Whether a frame can convert all types of a group. */
static bool auto_is_short(const sett_query* query)
{
    size_t size = 0;
    uint32_t done = 0;
    const setti_type* type;
    while ((type = auto_next_type(query, &done)) != NULL) {
        size += auto_room(query->world, &type->storage);
    }
    return size <= AUTO_TOGETHER;
}

/* Bytes of new memory for the types that a group converts, one after the other. An eighth of what
 * one leaves is lost at the ends of runs. Types of another group become arrays first, and then find
 * the room of their sparse sets again. */
static size_t auto_group_room(const sett_query* query)
{
    size_t size = 0;
    size_t free = 0;
    for (uint32_t rest = setti_price_owned(query); rest != 0; rest &= rest - 1) {
        const setti_type* type = query->term[setti_bits_lowest(rest)].type;
        size += type->owner != NULL ? auto_room(query->world, &type->storage) : 0;
    }
    uint32_t done = 0;
    const setti_type* type;
    while ((type = auto_next_type(query, &done)) != NULL) {
        size_t room = auto_room(query->world, &type->storage);
        size_t reused = SETTI_MIN(room, free);
        size += room - reused;
        free += auto_freed(&type->storage) / 8 * 7 - reused;
    }
    return size;
}

/* Plans to touch memory, in a number of frames that does not depend on the allocator. */
static void auto_begin_warming(struct setti_layout* layout, size_t size)
{
    size += size / 16; /* the ends of pages are not used */
    layout->warm = NULL;
    layout->warm_size = size;
    layout->warming = (uint32_t)SETTI_MIN(size / AUTO_WARM, (size_t)UINT16_MAX) + 1;
}

/* Touches memory for a frame. Returns false if all is touched. */
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

/* Gives up touching memory ahead. */
static void auto_expect_none(sett_world* world)
{
    setti_layout_of(world)->warming = 0;
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        query->expected = false;
    }
}

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

/* Begins to build the group of a query, or to convert a type. */
static void auto_begin_building(sett_world* world, sett_query* query, setti_type* type)
{
    struct setti_layout* layout = setti_layout_of(world);
    SETTI_ASSERT((query != NULL) != (type != NULL) && !layout->building);
    uint32_t frames_left =
        layout->warming; /* if the group was expected, memory is touched already */
    bool expected = query != NULL && query->expected;
    auto_expect_none(world);
    layout->warming = frames_left;
    if (!expected) {
        auto_begin_warming(layout, query != NULL ? auto_group_room(query)
                                                 : auto_room(world, &type->storage));
    }
    if (query != NULL) {
        query->wanted = true;
    }
    layout->type = type;
    layout->building = true;
}

/* Converts a type alone. */
static uint64_t auto_take_type(sett_world* world, setti_type* type)
{
    setti_type_sample* sample = type->sample;
    uint32_t members;
    uint64_t moved = auto_convert(world, type, NULL, &members);
    sample->use.changes += moved != 0 && !sample->left;
    sample->left = false;
    return moved;
}

static uint64_t auto_build_type(sett_world* world, uint32_t max_values)
{
    setti_type* type = setti_layout_of(world)->type;
    auto_stop_building(world, NULL);
    bool can = auto_may_move(world, type) && setti_layout_can_convert(type) &&
               type->storage.count <= max_values; /* the program may have changed it */
    return can ? auto_take_type(world, type) : 0;
}

/* Whether the sparse sets of a group have the same entities in their first `length` rows. */
static bool auto_is_arranged(const sett_query* query, uint32_t length)
{
    uint32_t owned = setti_price_owned(query);
    const setti_storage* first = &query->term[setti_bits_lowest(owned)].type->storage;
    for (uint32_t rest = owned & (owned - 1); rest != 0; rest &= rest - 1) {
        const setti_storage* other = &query->term[setti_bits_lowest(rest)].type->storage;
        uint32_t part = SETTI_MIN(setti_storage_rows(first), setti_storage_rows(other));
        for (uint32_t row = 0; row < length; row += part) { /* `part` divides the pages of both */
            size_t size = SETTI_MIN(part, length - row) * sizeof(uint32_t);
            if (memcmp(setti_storage_index(first, row), setti_storage_index(other, row), size) !=
                0) {
                return false;
            }
        }
    }
    return true;
}

/* Converts the types of a group that are arrays, up to `max_values` values, and adds to *moved how
 * many. *members becomes how many members the last one has in front, or SETTI_NONE. Returns whether
 * all are converted; if that is impossible, nothing is built any more. */
static bool auto_convert_types(sett_world* world, sett_query* query,
                               const setti_listener* conditions, uint32_t max_values,
                               uint64_t* moved, uint32_t* members)
{
    bool together = auto_is_short(query);
    uint32_t done = 0;
    setti_type* type;
    while ((type = auto_next_type(query, &done)) != NULL) {
        uint64_t then = *moved + type->storage.count;
        bool large = then > max_values || (!together && then > AUTO_AT_ONCE);
        if (*moved != 0 && large) {
            return false; /* the next frame goes on */
        }
        if (then > max_values) {
            auto_stop_building(world, query); /* the type has grown */
            return false;
        }
        *moved += auto_convert(world, type, conditions, members);
        if (type->storage.kind != SETTI_SPARSE) {
            auto_stop_building(world, query); /* no memory */
            return false;
        }
    }
    return true;
}

/* Ends other groups that own types of the wanted one, and converts one such type to an array. It is
 * then converted again with the wanted group's members in front, which takes two short frames:
 * exchanging its rows takes one long frame. Returns the number of values moved. */
static uint64_t auto_take_from_groups(sett_world* world, sett_query* query, uint32_t max_values)
{
    for (uint32_t rest = setti_price_owned(query); rest != 0; rest &= rest - 1) {
        setti_type* type = query->term[setti_bits_lowest(rest)].type;
        if (type->owner != NULL) {
            uint64_t moved = auto_dissolve(world, type->owner);
            if (moved != 0) {
                return moved;
            }
        }
        setti_type_sample* sample = type->sample;
        if (sample != NULL && sample->left && type->storage.count <= max_values) {
            sample->due = false;
            return auto_take_type(world, type);
        }
    }
    return 0;
}

/* Converts the types of the wanted group, in steps of `max_values`, and then creates the group. */
static uint64_t auto_build_group(sett_world* world, uint32_t max_values)
{
    sett_query* query = setti_query_first(world);
    while (query != NULL && !query->wanted) {
        query = query->next;
    }
    if (query == NULL || !auto_can_group(query)) { /* the program has changed its types */
        auto_stop_building(world, query);
        return 0;
    }
    uint64_t moved = auto_take_from_groups(world, query, max_values);
    if (moved != 0) {
        return moved; /* the next frame goes on */
    }
    setti_type* with[SETT_QUERY_TERMS];
    setti_type* without[SETT_QUERY_TERMS];
    setti_listener conditions = auto_conditions(query, with, without);
    uint32_t members = SETTI_NONE;
    if (!auto_convert_types(world, query, &conditions, max_values, &moved, &members)) {
        return moved;
    }
    if (members != SETTI_NONE && auto_is_arranged(query, members)) {
        auto_stop_building(world, NULL);
        (void)auto_group(world, query, members);
        return moved;
    }
    if (moved > AUTO_AT_ONCE) {
        return moved;
    }
    setti_relayout change = {.group = query};
    bool fits_in_any_case = moved + setti_layout_moves(&change) <= max_values;
    uint64_t misplaced = fits_in_any_case ? 0 : auto_misplaced(query, &conditions);
    if (moved + misplaced <= max_values) {
        auto_stop_building(world, NULL);
        (void)auto_group(world, query, SETTI_NONE);
        return moved + misplaced;
    }
    if (moved == 0) {
        auto_stop_building(world, query);
    }
    return moved;
}

static uint64_t auto_build(sett_world* world, uint32_t max_values)
{
    if (auto_warm(world)) {
        return 0;
    }
    return setti_layout_of(world)->type != NULL ? auto_build_type(world, max_values)
                                                : auto_build_group(world, max_values);
}

/* Makes a change, or begins it. Returns the number of values moved. */
static uint64_t auto_make_change(sett_world* world, const auto_option* option, uint32_t max_values)
{
    const setti_relayout* change = &option->change;
    if (change->dissolved != NULL) {
        return auto_dissolve(world, setti_unconst(change->dissolved));
    }
    sett_query* query = setti_unconst(change->group);
    setti_type* type = setti_unconst(change->type);
    if (type != NULL && auto_room(world, &type->storage) <= AUTO_WARM) {
        return auto_take_type(world, type);
    }
    if (query != NULL &&
        setti_layout_moves(change) <= SETTI_MIN(max_values, (uint32_t)AUTO_AT_ONCE)) {
        return auto_group(world, query, SETTI_NONE);
    }
    auto_begin_building(world, query, type);
    return auto_build(world, max_values);
}

/* Selects a type, if it shares no query with the changes selected so far. Returns whether it was
 * selected; its queries count as taken in any case. */
static bool auto_select(auto_evaluation* look, const setti_type* type)
{
    setti_price_list list;
    setti_relayout change = {.type = type};
    if (setti_concerns_find(&look->concerns, &change, &list) == NULL) {
        return false;
    }
    bool apart = true;
    for (uint32_t k = 0; k < list.count; k++) {
        apart = apart && !list.query[k]->grouped.taken;
    }
    for (uint32_t k = 0; k < list.count; k++) {
        list.query[k]->grouped.taken = true;
    }
    return apart;
}

/* Selects more types that are due and independent of the best change. */
static void auto_select_more(auto_evaluation* look)
{
    sett_world* world = look->world;
    (void)auto_select(look, look->best.change.type);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        setti_type_sample* sample = type->sample;
        if (sample != NULL && sample->due) {
            sample->due = type != look->best.change.type && auto_select(look, type);
            setti_layout_of(world)->more = setti_layout_of(world)->more || sample->due;
        }
    }
}

/* Converts types that are due, at least one if it fits. Returns the number of values moved. */
static uint64_t auto_take_more(sett_world* world, uint32_t max_values)
{
    uint64_t spent = 0;
    uint64_t moved = 0;
    setti_layout_of(world)->more = false;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        setti_type_sample* sample = type->sample;
        if (sample == NULL || !sample->due) {
            continue;
        }
        if (spent != 0 && spent + type->storage.count + AUTO_TYPE > AUTO_MORE) {
            setti_layout_of(world)->more = true;
            break;
        }
        sample->due = false;
        bool may = auto_may_move(world, type) || (sample->left && type->default_storage);
        if (moved + type->storage.count <= max_values && may &&
            setti_layout_can_convert(type)) { /* the program may have changed it */
            uint64_t values = auto_take_type(world, type);
            moved += values;
            spent += values + AUTO_TYPE;
        }
        sample->left = false;
    }
    return moved;
}

/* --------------------------------------------------------------------------------------- public */

/* Resets the regrets of changes that share queries with the converted types. */
static void auto_forget_taken(sett_world* world)
{
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        for (uint32_t k = 0; query->grouped.taken && k < query->term_count; k++) {
            setti_type_sample* sample = query->term[k].type->sample;
            query->grouped.regret = 0;
            if (sample != NULL) {
                sample->use.regret = 0;
            }
        }
    }
}

/* Makes the changes that were selected. Returns the number of values moved. */
static uint64_t auto_take_found(auto_evaluation* look)
{
    for (sett_query* query = setti_query_first(look->world); query != NULL; query = query->next) {
        query->grouped.taken = false;
    }
    uint64_t moved = auto_make_change(look->world, &look->best, look->max_values);
    if (look->best.change.type == NULL || look->concerns.first == NULL) {
        auto_forget_regrets(look->world);
        return moved;
    }
    auto_select_more(look);
    auto_forget_taken(look->world);
    return moved;
}

/* Evaluates a sample, and makes the best change that pays; types that share no query with it move
 * in this frame and the next ones. Returns the number of values moved. */
static uint64_t auto_evaluate(sett_world* world, uint32_t max_values)
{
    struct setti_layout* layout = setti_layout_of(world);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        auto_sample_type(world, world->registered.item[k]);
    }
    auto_evaluation look = {.world = world, .max_values = max_values};
    setti_price all = auto_sample_queries(world);
    setti_concerns_init(&look.concerns, world);
    look.least = all / SETTI_MAX((setti_price)AUTO_PART, (setti_price)look.concerns.queries * 2);
    auto_choose(&look);
    bool done = look.best.gain > 0;
    layout->period =
        done || look.close ? AUTO_PERIOD : SETTI_MIN(layout->period * 2, AUTO_PERIOD_MOST);
    uint64_t moved = done ? auto_take_found(&look) : 0;
    setti_concerns_deinit(&look.concerns, world);
    auto_forget_samples(world);
    return moved;
}

/* Whether a group would be built if all frames were like the first one. */
static bool auto_is_expected(const auto_evaluation* look, const sett_query* query,
                             setti_prices prices)
{
    setti_relayout change = {.group = setti_unconst(query)};
    auto_option option = {.change = change};
    uint64_t moves = setti_layout_moves(&change);
    setti_price gain = prices.now - prices.then;
    return moves > AUTO_AT_ONCE && auto_fits(&option, look->max_values) &&
           prices.then * AUTO_CLEAR <= prices.now &&
           (setti_price)moves * AUTO_MOVE + AUTO_FIXED <= gain * AUTO_SOON * AUTO_PERIOD;
}

/* After the first frame: begins to touch memory for the group that seems best. */
static void auto_look_ahead(sett_world* world, uint32_t max_values)
{
    auto_evaluation look = {.world = world, .max_values = max_values};
    setti_price most = 0;
    sett_query* best = NULL;
    auto_mark_types(world); /* creates their sampling data */
    (void)auto_sample_queries(world);
    setti_concerns_init(&look.concerns, world);
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        if (query->use[SETTI_SAMPLED].loops == 0 || !auto_can_group(query)) {
            continue;
        }
        setti_price_list list;
        setti_relayout change = {.group = query};
        setti_prices prices = setti_price_change(
            world, SETTI_SAMPLED, &change, setti_concerns_find(&look.concerns, &change, &list));
        if (auto_is_expected(&look, query, prices) && prices.now - prices.then > most) {
            most = prices.now - prices.then;
            best = query;
        }
    }
    setti_concerns_deinit(&look.concerns, world);
    if (best != NULL) {
        best->expected = true;
        auto_begin_warming(setti_layout_of(world), auto_group_room(best));
        (void)auto_warm(world);
    }
}

/* Takes a frame between two samples. */
static void auto_wait(sett_world* world, uint32_t max_values)
{
    struct setti_layout* layout = setti_layout_of(world);
    if (layout->early) {
        layout->early = false;
        auto_look_ahead(world, max_values);
    } else {
        (void)auto_warm(world);
    }
    if (layout->frames + 1 == layout->period) {
        auto_mark_types(world);
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
    if (layout->more) {
        return auto_take_more(world, max_values);
    }
    if (++layout->frames < layout->period) {
        auto_wait(world, max_values);
        return 0;
    }
    layout->frames = 0;
    uint64_t moved = auto_evaluate(world, max_values);
    if (!layout->building) {
        auto_expect_none(world); /* the first frame was misleading */
    }
    return moved;
}

sett_status sett_layout_auto(sett_world* world, uint32_t max_values)
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
    layout->more = false;
    world->counting = layout->automatic || world->profiling;
    return SETT_OK;
}
