/* advise.c: proposes faster layouts from a profile. See sett/advise.h.
 *
 * Each profiled query is priced (price.h) under the present layout, and again for each possible
 * change: a type is stored in the other kind of storage, or a group owns the components of a query.
 * A change is proposed if it saves at least a tenth of the cost of all concerned loops, and a
 * microsecond in each loop. The largest saving comes first. A type occurs in one proposal only.
 *
 * Invariant:  advice depends only on counts and on the profile
 */
#include "sett/advise.h"

#include "base/writer.h"
#include "tune/layout.h"
#include "world/change.h"

#define WORTH_SHARE 90 /* a change must reduce the cost below 90 %, */
#define WORTH_NS 1000  /* and save 1,000 ns in each loop */

static const char advice_call[] = "sett_advice_apply";

/* A possible change. */
typedef struct advice_option {
    setti_relayout change;
    setti_prices prices;
    setti_price gain;  /* 0: the change does not pay */
    setti_price churn; /* the cost of entities that enter and leave the group */
} advice_option;

/* Whether a proposal in `items` has a component. */
static bool advice_has_type(const sett_advice* items, uint32_t count, sett_component component)
{
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < SETT_GROUP_TYPES && items[k].components[i] != 0; i++) {
            if (items[k].components[i] == component) {
                return true;
            }
        }
    }
    return false;
}

/* Prices an option. The option becomes *best if it saves more. */
static void advice_price(const sett_world* world, advice_option* option, advice_option* best)
{
    option->prices = setti_price_change(world, SETTI_PROFILED, &option->change, NULL);
    option->prices.then += option->churn;
    const setti_prices* prices = &option->prices;
    setti_price gain = prices->now - prices->then;
    setti_price least_gain = (setti_price)SETTI_MAX(prices->loops, 1) * WORTH_NS * SETTI_PRICE_NS;
    option->gain = 0;
    if (prices->then * 100 < prices->now * WORTH_SHARE && gain > least_gain) {
        option->gain = gain;
    }
    if (option->gain > best->gain) {
        *best = *option;
    }
}

/* Estimates the cost of the entities that would enter or leave a group for a query. */
static setti_price advice_churn(const sett_query* query)
{
    uint64_t most_changes = 0;
    for (uint32_t terms = query->required; terms != 0; terms &= terms - 1) {
        const setti_type* type = query->term[setti_bits_lowest(terms)].type;
        most_changes = SETTI_MAX(most_changes, type->use.added + type->use.removed);
    }
    uint32_t owned = setti_bits_count(setti_price_owned(query));
    return setti_price_churn(most_changes, owned, query->world->entities.count);
}

/* Whether a group for a query can be proposed: no proposal in `items` has a type of the query. */
static bool advice_can_group(const sett_query* query, const sett_advice* items, uint32_t count)
{
    const bool automatic = false;
    if (query->use[SETTI_PROFILED].loops == 0 || !setti_layout_can_group(query, automatic)) {
        return false;
    }
    for (uint32_t k = 0; k < query->term_count; k++) {
        if (advice_has_type(items, count, query->term[k].type->id)) {
            return false;
        }
    }
    return true;
}

/* Returns the change that saves the most, without the types that `items` has already. */
static advice_option advice_best(const sett_world* world, const sett_advice* items, uint32_t count)
{
    advice_option best = {0};
    for (const sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        if (advice_can_group(query, items, count)) {
            advice_option option = {.change.group = query};
            option.churn = advice_churn(query);
            advice_price(world, &option, &best);
        }
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        advice_option option = {.change.type = type};
        if (setti_layout_can_convert(type) && !advice_has_type(items, count, type->id)) {
            advice_price(world, &option, &best);
        }
    }
    return best;
}

/* Writes the names of components, each with a suffix, for example "Position_id, Velocity_id". */
static void advice_add_ids(setti_writer* text, const sett_world* world,
                           const sett_component* components, const char* suffix)
{
    const char* separator = "";
    for (uint32_t k = 0; k < SETT_GROUP_TYPES && components[k] != 0; k++) {
        setti_writer_add(text, "%s%.40s%s", separator, sett_component_name(world, components[k]),
                         suffix);
        separator = ", ";
    }
}

static double advice_microseconds(setti_price price)
{
    return (double)price / SETTI_PRICE_NS / 1000;
}

static void advice_write_group(const sett_world* world, const advice_option* option,
                               sett_advice* item)
{
    setti_writer text = {item->text, sizeof(item->text), 0};
    setti_writer code = {item->code, sizeof(item->code), 0};
    const sett_query* query = option->change.group;
    const setti_query_use* use = &query->use[SETTI_PROFILED];
    double now = advice_microseconds(setti_price_loop(query, SETTI_PROFILED, NULL));
    double then = advice_microseconds(setti_price_loop(query, SETTI_PROFILED, &option->change));
    double churn = advice_microseconds(option->churn) / (double)use->loops; /* share of a loop */
    setti_writer_add(
        &text, "query \"%.60s\" finds %llu entities a loop in about %.1f us; a group that owns ",
        query->open.name, (unsigned long long)(use->matched / use->loops), now);
    advice_add_ids(&text, world, item->components, "");
    setti_writer_add(&text,
                     " would take about %.1f us, %.1f us of it for entities that enter or "
                     "leave. Owned types become sparse sets: their addresses change.",
                     then + churn, churn);
    setti_writer_add(&code, "sett_group_create(world, &(sett_group_desc){.owned = {");
    advice_add_ids(&code, world, item->components, "_id");
    if (item->with[0] != 0) {
        setti_writer_add(&code, "}, .with = {");
        advice_add_ids(&code, world, item->with, "_id");
    }
    if (item->without[0] != 0) {
        setti_writer_add(&code, "}, .without = {");
        advice_add_ids(&code, world, item->without, "_id");
    }
    setti_writer_add(&code, "}});");
}

static void advice_write_convert(const sett_world* world, const advice_option* option,
                                 sett_advice* item)
{
    setti_writer text = {item->text, sizeof(item->text), 0};
    setti_writer code = {item->code, sizeof(item->code), 0};
    const setti_type* type = option->change.type;
    bool to_array = item->storage == SETT_STORAGE_ARRAY;
    setti_writer_add(&text,
                     "\"%.60s\", which %u of %u entities have, would be faster in %s: its "
                     "profiled use would take %.1f us instead of %.1f.",
                     type->desc.name, (unsigned)type->storage.count,
                     (unsigned)world->entities.count, to_array ? "an array" : "a sparse set",
                     advice_microseconds(option->prices.then),
                     advice_microseconds(option->prices.now));
    setti_writer_add(&code, "sett_component_convert(world, %.40s_id, %s);", type->desc.name,
                     to_array ? "SETT_STORAGE_ARRAY" : "SETT_STORAGE_SPARSE_SET");
}

static void advice_fill(const sett_world* world, const advice_option* option, sett_advice* item)
{
    SETTI_ASSERT(option->gain > 0);
    memset(item, 0, sizeof(*item));
    item->cost_ns = (uint64_t)option->prices.now / SETTI_PRICE_NS;
    item->gain_ns = (uint64_t)option->gain / SETTI_PRICE_NS;
    item->moved = setti_layout_moves(&option->change);
    if (option->change.group != NULL) {
        sett_group_desc desc = setti_layout_group_desc(option->change.group);
        item->kind = SETT_ADVICE_GROUP;
        memcpy(item->components, desc.owned, sizeof(desc.owned));
        memcpy(item->with, desc.with, sizeof(desc.with));
        memcpy(item->without, desc.without, sizeof(desc.without));
        advice_write_group(world, option, item);
        return;
    }
    const setti_type* type = option->change.type;
    item->kind = SETT_ADVICE_CONVERT;
    item->components[0] = type->id;
    item->storage =
        type->storage.kind == SETTI_SPARSE ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
    advice_write_convert(world, option, item);
}

/* Whether dont_fragment would pay for a tag: the tag has probably caused many signatures. */
static bool advice_fragments(const sett_world* world, const setti_type* type)
{
    if (type->storage.kind != SETTI_TAG || (type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
        return false;
    }
    if (setti_signature_count(&world->signatures) <= SETTI_SIGNATURE_RECLAIM / 4) {
        return false; /* the world has few signatures */
    }
    uint64_t changes = type->use.added + type->use.removed;
    /* The tag changes often, compared with the number of entities that have it. */
    return changes > 4 * (uint64_t)type->storage.count;
}

static void advice_fill_fragments(const sett_world* world, const setti_type* type,
                                  sett_advice* item)
{
    memset(item, 0, sizeof(*item));
    item->kind = SETT_ADVICE_DONT_FRAGMENT;
    item->components[0] = type->id;
    setti_writer text = {item->text, sizeof(item->text), 0};
    setti_writer code = {item->code, sizeof(item->code), 0};
    setti_writer_add(&text,
                     "tag \"%.60s\" was added or removed %llu times, and %u different sets of "
                     "components exist: registered with dont_fragment it would not add to them.",
                     type->desc.name, (unsigned long long)(type->use.added + type->use.removed),
                     (unsigned)setti_signature_count(&world->signatures));
    setti_writer_add(&code, "SETT_REGISTER_TAG_WITH(world, %.40s, .dont_fragment = true);",
                     type->desc.name);
}

SETTI_COLD uint32_t sett_advise(sett_world* world, sett_advice* items, uint32_t capacity)
{
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    uint32_t count = 0;
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        setti_plan_update(query);
    }
    if (items == NULL) {
        capacity = 0;
    }
    while (count < capacity) {
        advice_option best = advice_best(world, items, count);
        if (best.gain == 0) {
            break;
        }
        advice_fill(world, &best, &items[count++]);
    }
    for (uint32_t k = 0; k < world->registered.count && count < capacity; k++) {
        const setti_type* type = world->registered.item[k];
        if (advice_fragments(world, type)) {
            advice_fill_fragments(world, type, &items[count++]);
        }
    }
    return count;
}

SETTI_COLD sett_status sett_advice_apply(sett_world* world, const sett_advice* item)
{
    if (SETTI_IS_NULL(world) || SETTI_IS_NULL(item)) {
        return SETT_STATUS_ARGUMENT;
    }
    if (item->kind == SETT_ADVICE_CONVERT) {
        return setti_component_convert(world, item->components[0], item->storage, advice_call);
    }
    if (item->kind != SETT_ADVICE_GROUP) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: dont_fragment can only be set when a type is registered "
                                     "- write %.200s",
                                     advice_call, item->code);
    }
    sett_group_desc desc = {.name = "layout"};
    memcpy(desc.owned, item->components, sizeof(desc.owned));
    memcpy(desc.with, item->with, sizeof(desc.with));
    memcpy(desc.without, item->without, sizeof(desc.without));
    const bool automatic = false;
    sett_group* group =
        setti_group_create_for_layout(world, &desc, automatic, SETTI_NONE, advice_call);
    return group != NULL ? SETT_OK : world->error;
}

static sett_status profile_set(sett_world* world, bool profiling, const char* call)
{
    if (world->open_jobs != 0) {
        return setti_world_check_unlocked(world, call); /* fails: jobs lock the world */
    }
    const struct setti_layout* layout = setti_layout_of(world);
    bool automatic = layout != NULL && layout->automatic;
    world->profiling = profiling;
    world->counting = profiling || automatic;
    setti_component_show_types(world);
    return SETT_OK;
}

sett_status sett_profile_begin(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    const bool profiling = true;
    sett_status status = profile_set(world, profiling, "sett_profile_begin");
    if (status != SETT_OK) {
        return status;
    }
    for (uint32_t k = 0; k < world->registered.count; k++) {
        memset(&world->registered.item[k]->use, 0, sizeof(world->registered.item[k]->use));
    }
    for (sett_query* query = setti_query_first(world); query != NULL; query = query->next) {
        memset(&query->use[SETTI_PROFILED], 0, sizeof(query->use[SETTI_PROFILED]));
    }
    return SETT_OK;
}

sett_status sett_profile_end(sett_world* world)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    const bool profiling = false;
    return profile_set(world, profiling, __func__);
}
