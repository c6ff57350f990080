/* ordered.c: lists of a query's matches, in order.
 *
 * The workload: an order that is asked for each frame, over some thousand entities, of which few
 * came, went or changed. So the last order is where the next begins: those that still match in that
 * order, then the new ones; runs that are in order are merged, and one run is no work.
 *
 * Invariant:  item[k] <= item[k + 1];  group[k].first + group[k].count == group[k + 1].first
 */
#include "search/search_tree.h"

#include "query/query.h"

#include "sett/ordered.h"

/* An order, in one piece of memory. */
typedef struct ordered_list {
    setti_scratch memory;
    sett_entity* entity;
    sett_ordered_group* group;
    uint32_t count;
    uint32_t group_count;
} ordered_list;

struct sett_ordered {
    sett_world* world;
    sett_ordered_desc desc;
    setti_rank rank;
    sett_query* own;   /* made from `text`, or NULL */
    ordered_list now;  /* the order, */
    ordered_list last; /* and the one before */
    setti_rank_work work;
    setti_scratch positions; /* at work, by entity index: one more than the number of its item */
};

/* --------------------------------------------------------------------------------- memory */

static void ordered_free(sett_ordered* o, setti_scratch* scratch)
{
    setti_pool_free(&o->world->pool, scratch->bytes, scratch->size, scratch->align);
}

/* Room for so many entities in the work and in the list that is written next. */
static bool ordered_reserve(sett_ordered* o, ordered_list* list, uint32_t count)
{
    setti_pool* pool = &o->world->pool;
    uint32_t room = setti_bits_ceil(SETTI_MAX(count, 64));
    size_t each = sizeof(sett_ordered_group) + sizeof(sett_entity);
    size_t positions = setti_entity_capacity(&o->world->entities) * sizeof(uint32_t);
    list->count = list->group_count = 0;
    list->group = setti_scratch_get(pool, &list->memory, room * each, 16);
    if (list->group == NULL || !setti_rank_reserve(&o->work, o->world, true, room)) {
        return false;
    }
    list->entity = (sett_entity*)(void*)(list->group + room);
    if (o->positions.size < positions) {
        void* fresh = setti_scratch_get(pool, &o->positions, positions, 16);
        if (fresh == NULL) {
            return false;
        }
        memset(fresh, 0, positions);
    }
    return true;
}

/* ----------------------------------------------------------------------------------- keys */

static setti_ranked ordered_make_item(const sett_ordered* o, sett_entity entity)
{
    const sett_ordered_desc* desc = &o->desc;
    setti_ranked item = {.entity = entity};
    setti_rank_fill(&o->rank, &item, entity.index, entity.index, entity.index);
    if (o->rank.group_by == NULL) {
        item.group = desc->group_fn != NULL ? desc->group_fn(o->world, entity, desc->user) : 0;
    }
    if (desc->component != 0) {
        item.value = sett_is_enabled(o->world, entity, desc->component)
                         ? sett_find(o->world, entity, desc->component)
                         : NULL;
        item.present = item.value != NULL;
        if (item.present && desc->key != SETT_KEY_NONE) {
            item.key =
                setti_sort_key((const unsigned char*)item.value + desc->key_offset, desc->key);
        }
    }
    return item;
}

/* --------------------------------------------------------------------------------- sorting */

/* What matches now: first in the last order, then the new ones. Returns how many. */
static uint32_t ordered_collect(sett_ordered* o)
{
    setti_ranked* item = o->work.item;
    setti_ranked* other = o->work.other;
    uint32_t* position = o->positions.bytes;
    uint32_t positions = (uint32_t)(o->positions.size / sizeof(uint32_t));
    uint32_t fresh = 0;
    SETT_FOR(o->desc.query, b, i) {
        sett_entity entity = sett_batch_entity(b, i);
        SETTI_ASSERT(fresh < o->work.room && entity.index < positions);
        other[fresh++].entity = entity;
        position[entity.index] = fresh;
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < o->last.count + fresh; k++) {
        bool again = k < o->last.count;
        uint32_t index = again ? o->last.entity[k].index : other[k - o->last.count].entity.index;
        if (index < positions && position[index] != 0) {
            item[count++] = ordered_make_item(o, other[position[index] - 1].entity);
            position[index] = 0;
        }
    }
    return count;
}

static void ordered_group_all(ordered_list* list, const setti_ranked* item)
{
    list->group_count = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        list->entity[k] = item[k].entity;
        if (k == 0 || item[k].group != item[k - 1].group) {
            list->group[list->group_count++] =
                (sett_ordered_group){.group = item[k].group, .first = k};
        }
        SETTI_ASSERT(list->group_count != 0);
        list->group[list->group_count - 1].count++;
    }
}

/* Calls back for groups of one list that the other does not have. */
static void ordered_notify(const sett_ordered* o, const ordered_list* of,
                           const ordered_list* not_in,
                           void (*call)(sett_world* world, uint64_t group, void* user))
{
    uint32_t at = 0;
    for (uint32_t k = 0; call != NULL && k < of->group_count; k++) {
        while (at < not_in->group_count && not_in->group[at].group < of->group[k].group) {
            at++;
        }
        if (at == not_in->group_count || not_in->group[at].group != of->group[k].group) {
            call(o->world, of->group[k].group, o->desc.user);
        }
    }
}

const sett_entity* sett_ordered_update(sett_ordered* o, uint32_t* count)
{
    *count = 0;
    if (SETTI_IS_NULL(o) || setti_world_check_serial(o->world, "sett_ordered_update") != SETT_OK) {
        return NULL;
    }
    ordered_list next = o->last;
    if (!ordered_reserve(o, &next, sett_query_count(o->desc.query))) {
        o->last = next;
        setti_world_no_memory(o->world, "sett_ordered_update");
        return NULL;
    }
    o->last = o->now;
    next.count = ordered_collect(o);
    SETTI_ASSERT(next.count <= o->work.room);
    ordered_group_all(&next, setti_rank_sort(&o->rank, &o->work, next.count));
    o->now = next;
    ordered_notify(o, &o->last, &o->now, o->desc.on_group_last);
    ordered_notify(o, &o->now, &o->last, o->desc.on_group_first);
    *count = o->now.count;
    return *count != 0 ? o->now.entity : NULL;
}

/* ------------------------------------------------------------------------------ creating */

static const char* ordered_check(sett_ordered* o)
{
    static const uint8_t sizes[] = {0, 4, 4, 4, 8, 8, 8}; /* by sett_key_kind */
    const sett_ordered_desc* desc = &o->desc;
    const setti_type* type = setti_world_type(o->world, desc->component);
    bool said = desc->group_by != 0 || desc->cascade || desc->component != 0;
    if (desc->text != NULL && (desc->query != NULL || said)) {
        return "`text` says the query and its order, but for `group_fn`";
    }
    if (desc->text == NULL && (desc->query == NULL || desc->query->world != o->world)) {
        return "a query of this world is needed";
    }
    if ((desc->group_by != 0 && desc->group_fn != NULL) ||
        (desc->key != SETT_KEY_NONE && desc->compare != NULL)) {
        return "one of `key` and `compare`, one of `group_by` and `group_fn`";
    }
    bool keyed = desc->key != SETT_KEY_NONE || desc->compare != NULL;
    if ((unsigned)desc->key > SETT_KEY_F64 || keyed != (desc->component != 0) ||
        (keyed && (type == NULL || desc->key_offset > type->storage.size ||
                   sizes[desc->key] > type->storage.size - desc->key_offset))) {
        return "`component` is a component whose values have the key, or can be compared";
    }
    if (desc->key != SETT_KEY_NONE && !setti_sort_key_fits(type, desc->key_offset, desc->key)) {
        return "the member at `key_offset` is of another kind than `key`";
    }
    sett_component along = desc->along != 0 ? desc->along : SETT_ID_HIERARCHY;
    bool right =
        (desc->group_by == 0 || setti_rank_along(o->world, desc->group_by, &o->rank.group_by)) &&
        (!desc->cascade || setti_rank_along(o->world, along, &o->rank.along));
    return right ? NULL
                 : "`along` and `group_by` are relationships with one target for each source";
}

/* The query and the order that a text says. */
static sett_status ordered_read(sett_ordered* o, const char* call)
{
    sett_query_desc desc;
    sett_status status = setti_query_parse(o->world, o->desc.text, call, &desc, &o->rank);
    if (status == SETT_OK && o->rank.group_by != NULL && o->desc.group_fn != NULL) {
        status = setti_world_fail_with(o->world, SETT_STATUS_ARGUMENT,
                                       "%s: one of group_by and `group_fn`", call);
    }
    desc.name = o->desc.text;
    o->own = status == SETT_OK ? sett_query_create(o->world, &desc) : NULL;
    o->desc.query = o->own;
    o->desc.text = NULL;
    return status == SETT_OK && o->own == NULL ? SETT_STATUS_ARGUMENT : status;
}

sett_ordered* sett_ordered_create_sized(sett_world* world, const sett_ordered_desc* desc,
                                        size_t size)
{
    static const char call[] = "sett_ordered_create";
    sett_ordered_desc full;
    desc = setti_world_desc(world, desc, size, &full, sizeof(full), call);
    if (desc == NULL || setti_world_check_serial(world, call) != SETT_OK) {
        return NULL;
    }
    sett_ordered* o = setti_world_alloc(world, sizeof(*o), 16, call);
    if (o == NULL) {
        return NULL;
    }
    o->world = world;
    o->desc = *desc;
    o->rank = (setti_rank){.world = world, .compare = desc->compare, .user = desc->user};
    o->rank.reverse = desc->reverse;
    const char* wrong = ordered_check(o);
    if (wrong != NULL) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT, "%s: %s", call, wrong);
    }
    if (wrong != NULL || (desc->text != NULL && ordered_read(o, call) != SETT_OK)) {
        setti_pool_free(&world->pool, o, sizeof(*o), 16);
        return NULL;
    }
    return o;
}

void sett_ordered_destroy(sett_ordered* o)
{
    if (o != NULL && setti_world_check_serial(o->world, "sett_ordered_destroy") == SETT_OK) {
        setti_pool* pool = &o->world->pool;
        sett_query_destroy(o->own);
        ordered_free(o, &o->now.memory);
        ordered_free(o, &o->last.memory);
        ordered_free(o, &o->positions);
        setti_rank_reserve(&o->work, o->world, true, 0);
        setti_pool_free(pool, o, sizeof(*o), 16);
    }
}

uint32_t sett_ordered_group_count(const sett_ordered* o)
{
    return o != NULL ? o->now.group_count : 0;
}

sett_ordered_group sett_ordered_group_at(const sett_ordered* o, uint32_t k)
{
    sett_ordered_group none = {0, 0, 0};
    return o != NULL && k < o->now.group_count ? o->now.group[k] : none;
}
