/* auto_layout.c: finds a layout while the program runs.
 *
 * Loops are counted where they begin. Every few frames each query that was looped over is counted
 * once (occupancy words, no values) and priced (price.h) under the present layout and under each
 * layout that one change would give: one type stored in the other kind, a group for one query, an
 * automatic group destroyed. The saving that a change would have given since the last sample is
 * added to its *regret*, its costs are subtracted. A change is made when its regret reaches the
 * cost of the move (the ski rental rule): at any time moves have cost no more than waiting has, so
 * that a program pays at most twice the cost of the best layout known in advance. Regret restarts
 * at 0 after each move, and each move of the same thing is priced twice as high as the one before:
 * a workload that alternates is followed ever more slowly.
 *
 * The workload: loops over 10,000 to a million entities, 60 frames a second; a scene that is
 * loaded, played, and left. Rejected: an average of the last frames with a threshold and a margin,
 * which needs two more constants and moves in vain when a phase ends at that moment.
 *
 * Invariant:  decisions depend on numbers of loops, matches and entities only: the same calls
 *             move the same values at the same frame on every machine;
 *             only types with default_storage move, and none while a snapshot is held
 */
#include "tune/layout.h"

#include "run/run.h"
#include "world/change.h"

/* Frames between two samples: at first, and if no change is close. */
#define AUTO_PERIOD 8
#define AUTO_PERIOD_MOST 128
#define AUTO_CLOSE 8 /* the period stays short if a change is at most this many samples away */

/* Cost of moving one value, and of any move. */
#define AUTO_MOVE ((setti_price)12 * SETTI_PRICE_NS)
#define AUTO_FIXED ((setti_price)20000 * SETTI_PRICE_NS)
#define AUTO_DOUBLINGS 12
/* Savings below a tenth may be errors of the model. */
#define AUTO_SHARE 90 /* of a hundred */
/* Queries below 1/AUTO_PART of the cost of all loops are ignored. */
#define AUTO_PART 32

/* Words of a type's occupancy that are compared. */
#define AUTO_WORDS 32

/* A type's presence at some frame: the words of 64 neighbours each, at equal distances. */
typedef struct auto_mark {
    uint32_t count;
    uint32_t span; /* the indices that the words are taken from, a power of two; 0: none were */
    uint64_t words[AUTO_WORDS];
} auto_mark;

/* Data of a type from the last sample. */
typedef struct setti_type_sample {
    auto_mark last;   /* at the last sample */
    auto_mark before; /* one frame before the next one; what comes and goes differs between two
                         frames by as much as between two samples */
    /* Of storing it in the other kind. The churn: entities that got or lost it between the last two
     * samples, estimated, without those that got it back within a frame. */
    setti_relayout_use use;
    bool priced; /* in this sample */
} setti_type_sample;

/* A possible change. */
typedef struct auto_option {
    setti_relayout change;
    sett_query* query; /* of a group */
    setti_relayout_use* use;
    setti_price gain; /* since the last sample */
    setti_price cost; /* of making it */
} auto_option;

/* ------------------------------------------------------------------------------------- sampling */

/* Which of 64 neighbours have a value. */
static uint64_t auto_word(const setti_storage* storage, uint32_t index)
{
    SETTI_ASSERT(index % 64 == 0);
    uint64_t word = 0;
    if (storage->kind != SETTI_SPARSE) {
        const uint64_t* found = setti_storage_word(storage, index);
        return found != NULL ? *found : 0;
    }
    for (uint32_t k = 0; k < 64; k++) {
        word |= (uint64_t)setti_sparse_has(storage, index + k) << k;
    }
    return word;
}

/* Of a set of few values: row by row, not by index. */
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
        mark->words[k] = auto_word(storage, mark->span / AUTO_WORDS * k);
    }
}

/* How many entities got or lost the type between two marks, estimated; 0 if one was not taken. */
static uint64_t auto_differ(const auto_mark* a, const auto_mark* b)
{
    uint64_t differ = 0;
    if (a->span == 0 || b->span == 0) {
        return 0;
    }
    for (uint32_t k = 0; a->span == b->span && k < AUTO_WORDS; k++) {
        differ += setti_bits_count(a->words[k] ^ b->words[k]);
    }
    uint64_t grown = a->count > b->count ? a->count - b->count : b->count - a->count;
    return SETTI_MAX(grown, differ * (a->span / 64 / AUTO_WORDS));
}

/* The data of a type; NULL when memory runs out. */
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

/* One frame before a sample. */
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
    uint64_t frame = auto_differ(&sample->before, &now);
    sample->use.churn =
        SETTI_MAX(auto_differ(&sample->last, &now), frame * setti_layout_of(world)->period);
    sample->last = now;
    sample->before.span = 0;
    sample->priced = false;
}

void setti_auto_unregistered(sett_world* world, setti_type* type)
{
    setti_pool_free(&world->pool, type->sample, sizeof(setti_type_sample), 16);
    type->sample = NULL;
}

/* Counts the matches of every query that was looped over. Returns the cost of all these loops. */
static setti_price auto_sample_queries(sett_world* world)
{
    static const setti_relayout none = {NULL, NULL, NULL};
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
        all += (setti_price)use->loops * setti_price_loop(query, SETTI_SAMPLED, &none);
    }
    return all;
}

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

/* Whether a system writes to the type by handle: with a sparse set it would run as one job. */
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
    bool may = setti_layout_can_group(query, true);
    for (uint32_t rest = setti_price_owned(query); may && rest != 0; rest &= rest - 1) {
        may = auto_may_move(query->world, query->term[setti_bits_lowest(rest)].type);
    }
    return may;
}

/* Returns how many entities enter or leave the group of a query between two samples: the larger of
 * what an earlier group has counted and the changes of the type that changed most. */
static uint64_t auto_churn(const sett_query* query)
{
    uint64_t most = query->grouped.churn;
    for (uint32_t rest = query->required; rest != 0; rest &= rest - 1) {
        const setti_type* type = query->term[setti_bits_lowest(rest)].type;
        most = SETTI_MAX(
            most, type->sample != NULL ? ((const setti_type_sample*)type->sample)->use.churn : 0);
    }
    return most;
}

/* Prices a change, and adds to its regret. `churn`: the cost of entities that come and go with the
 * change; if below 0, without it. */
static void auto_price(const sett_world* world, auto_option* option, setti_price churn)
{
    SETTI_ASSERT(option->use != NULL);
    setti_prices prices = setti_price_change(world, SETTI_SAMPLED, &option->change);
    *(churn > 0 ? &prices.then : &prices.now) += churn > 0 ? churn : -churn;
    setti_price gain = prices.now - prices.then;
    if (gain > 0 && prices.then * 100 > prices.now * AUTO_SHARE) {
        gain = -option->use->regret / 8;
    }
    uint32_t doublings = SETTI_MIN(option->use->changes, (uint32_t)AUTO_DOUBLINGS);
    option->gain = gain;
    option->cost = ((setti_price)setti_layout_moves(&option->change) * AUTO_MOVE + AUTO_FIXED) *
                   ((setti_price)1 << doublings);
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

/* Selects the better of two changes whose regret has reached their cost; notes whether one is
 * close to it. */
static void auto_compare(auto_option* best, const auto_option* option, uint32_t max_values,
                         bool* close)
{
    SETTI_ASSERT(option->use != NULL);
    if (!auto_fits(option, max_values)) {
        return;
    }
    setti_price left = option->cost - option->use->regret;
    *close = *close || (option->gain > 0 && left <= option->gain * AUTO_CLOSE);
    if (left <= 0 && option->gain > best->gain) {
        *best = *option;
    }
}

static void auto_look_at_query(sett_world* world, sett_query* query, auto_option* best,
                               uint32_t max_values, bool* close)
{
    if (auto_can_group(query)) {
        auto_option option = {{NULL, query, NULL}, query, &query->grouped, 0, 0};
        uint32_t owned = setti_bits_count(setti_price_owned(query));
        auto_price(world, &option,
                   setti_price_churn(auto_churn(query), owned, world->entities.count));
        auto_compare(best, &option, max_values, close);
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_type* type = query->term[k].type;
        setti_type_sample* sample = type->sample;
        if (auto_may_move(world, type) && !sample->priced && setti_layout_can_convert(type)) {
            auto_option option = {{type, NULL, NULL}, NULL, &sample->use, 0, 0};
            sample->priced = true;
            setti_price changes = setti_price_changes(sample->use.churn, type->storage.count);
            auto_price(world, &option, type->storage.kind == SETTI_SPARSE ? -changes : changes);
            auto_compare(best, &option, max_values, close);
        }
    }
}

/* The change with the largest saving whose regret has reached its cost; a gain of 0: there is none.
 * `all`: cost of all loops. *close: a change is close to its cost. */
static auto_option auto_choose(sett_world* world, setti_price all, uint32_t max_values, bool* close)
{
    static const setti_relayout none = {NULL, NULL, NULL};
    auto_option best = {{NULL, NULL, NULL}, NULL, NULL, 0, 0};
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        setti_price loops = (setti_price)query->use[SETTI_SAMPLED].loops;
        if (loops != 0 &&
            loops * setti_price_loop(query, SETTI_SAMPLED, &none) >= all / AUTO_PART) {
            auto_look_at_query(world, query, &best, max_values, close);
        }
    }
    for (setti_listener* at = world->listeners; at != NULL; at = at->next) {
        if (at->automatic) {
            auto_option option = {{NULL, NULL, at}, NULL, &at->use, 0, 0};
            auto_price(world, &option,
                       -setti_price_churn(at->use.churn, at->owned.count, world->entities.count));
            auto_compare(&best, &option, max_values, close);
        }
    }
    return best;
}

/* --------------------------------------------------------------------------------------- moving */

/* Resets all regrets: those of the old layout do not hold in the new one. */
static void auto_forget_regrets(sett_world* world)
{
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        query->grouped.regret = 0;
    }
    for (setti_listener* at = world->listeners; at != NULL; at = at->next) {
        at->use.regret = 0;
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        if (world->registered.item[k]->sample != NULL) {
            ((setti_type_sample*)world->registered.item[k]->sample)->use.regret = 0;
        }
    }
}

/* Stores a type in the other kind; members of the group, if given, come first. Returns how many
 * values moved; 0 when memory runs out. */
static uint64_t auto_convert(sett_world* world, setti_type* type, const setti_listener* first)
{
    SETTI_ASSERT(type->owner == NULL && world->locks == 0);
    setti_conversion conversion;
    bool array = type->storage.kind == SETTI_SPARSE;
    if (!setti_conversion_reserve(world, &conversion, type,
                                  array ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET)) {
        return 0;
    }
    setti_conversion_commit(world, &conversion, first);
    return type->storage.count;
}

/* Creates the group of a query. Returns how many values may have moved; 0 when memory runs out,
 * which is not reported, since the program made no call that failed. */
static uint64_t auto_group(sett_world* world, sett_query* query)
{
    SETTI_ASSERT(world->locks == 0 && setti_price_owned(query) != 0);
    sett_status error = world->error;
    setti_relayout change = {NULL, query, NULL};
    uint64_t moves = setti_layout_moves(&change);
    sett_group_desc desc = setti_layout_group_desc(query);
    sett_group* group = setti_group_create_for_layout(world, &desc, true, "auto_layout");
    query->wanted = false;
    if (group == NULL) {
        world->error = error;
        world->error_call = NULL;
        return 0;
    }
    group->listener.use.changes = ++query->grouped.changes;
    return moves;
}

/* Destroys a group and converts its types to arrays, as far as there is memory; the others remain
 * sparse sets, which are priced one by one from then on. */
static uint64_t auto_dissolve(sett_world* world, setti_listener* listener)
{
    SETTI_ASSERT(listener->owned.count <= SETT_GROUP_TYPES && world->locks == 0);
    setti_type* types[SETT_GROUP_TYPES];
    uint32_t count = listener->owned.count;
    uint64_t moved = 0;
    memcpy(types, listener->owned.item, count * sizeof(types[0]));
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        query->grouped.churn =
            query->cover == listener ? listener->use.churn : query->grouped.churn;
    }
    setti_group_end(setti_group_of(listener));
    for (uint32_t k = 0; k < count; k++) {
        moved += types[k]->default_storage ? auto_convert(world, types[k], NULL) : 0;
    }
    return moved;
}

/* The conditions of the group for a query, in `with` and `without`, which have room for
 * SETT_QUERY_TERMS. */
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

/* How many values creating the group moves, if all its types are sparse sets: two for each row in
 * a wrong position. */
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

static void auto_stop_building(sett_world* world, sett_query* query)
{
    setti_layout_of(world)->building = false;
    if (query != NULL) {
        query->wanted = false;
        query->grouped.changes++;
    }
}

/* Converts the types of a wanted group one by one, up to `max_values` values, and creates the group
 * when all are converted. */
static uint64_t auto_build(sett_world* world, uint32_t max_values)
{
    SETTI_ASSERT(setti_layout_of(world)->building);
    sett_query* query = setti_query_first(world);
    while (query != NULL && !query->wanted) {
        query = query->next;
    }
    if (query == NULL || !auto_can_group(query)) { /* the program has changed its types since */
        auto_stop_building(world, query);
        return 0;
    }
    setti_type* with[SETT_QUERY_TERMS];
    setti_type* without[SETT_QUERY_TERMS];
    setti_listener conditions = auto_conditions(query, with, without);
    uint64_t moved = 0;
    for (uint32_t rest = setti_price_owned(query); rest != 0; rest &= rest - 1) {
        setti_type* type = query->term[setti_bits_lowest(rest)].type;
        if (type->storage.kind == SETTI_SPARSE) {
            continue;
        }
        if (moved + type->storage.count > max_values) {
            if (moved == 0) {
                auto_stop_building(world, query); /* it has grown */
            }
            return moved;
        }
        moved += auto_convert(world, type, &conditions);
        if (type->storage.kind != SETTI_SPARSE) {
            auto_stop_building(world, query); /* no memory */
            return moved;
        }
    }
    uint64_t misplaced = auto_misplaced(query, &conditions);
    if (moved + misplaced <= max_values) {
        auto_stop_building(world, NULL);
        (void)auto_group(world, query);
        return moved + misplaced;
    }
    if (moved == 0) {
        auto_stop_building(world, query);
    }
    return moved;
}

/* Makes a change, or begins to. Returns how many values moved. */
static uint64_t auto_take(sett_world* world, const auto_option* option, uint32_t max_values)
{
    SETTI_ASSERT(option->gain > 0);
    const setti_relayout* change = &option->change;
    uint64_t moved = 0;
    if (change->group != NULL) {
        sett_query* query = option->query;
        if (setti_layout_moves(change) <= max_values) {
            moved = auto_group(world, query);
        } else {
            query->wanted = true;
            setti_layout_of(world)->building = true;
            moved = auto_build(world, max_values);
        }
    } else if (change->type != NULL) {
        setti_type* type = setti_world_type(world, change->type->id);
        moved = auto_convert(world, type, NULL);
        ((setti_type_sample*)type->sample)->use.changes += moved != 0;
    } else {
        moved = auto_dissolve(world, setti_unconst(change->dissolved));
    }
    auto_forget_regrets(world);
    return moved;
}

/* --------------------------------------------------------------------------------------- public */

/* Evaluates the sample, and makes the change whose regret has reached its cost. */
static uint64_t auto_look(sett_world* world, uint32_t max_values)
{
    SETTI_ASSERT(!setti_layout_of(world)->building);
    struct setti_layout* layout = setti_layout_of(world);
    for (uint32_t k = 0; k < world->registered.count; k++) {
        auto_sample_type(world, world->registered.item[k]);
    }
    bool close = false;
    setti_price all = auto_sample_queries(world);
    auto_option best = auto_choose(world, all, max_values, &close);
    bool done = best.gain > 0;
    layout->period = done || close ? AUTO_PERIOD : SETTI_MIN(layout->period * 2, AUTO_PERIOD_MOST);
    uint64_t moved = done ? auto_take(world, &best, max_values) : 0;
    auto_forget_samples(world);
    return moved;
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
    if (++layout->frames < layout->period) {
        if (layout->frames + 1 == layout->period) {
            auto_mark_types(world);
        }
        return 0;
    }
    layout->frames = 0;
    return auto_look(world, max_values);
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
    layout->building = false;
    world->counting = layout->automatic || world->profiling;
    return SETT_OK;
}
