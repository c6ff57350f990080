/* restored.c: reports the changes that a restore makes.
 *
 * The workload: after a rollback of some frames, a renderer moves and removes its objects. The
 * differences are collected before the restore, while both states exist, and reported afterwards.
 *
 * Invariant:  each difference is reported once, and nothing else is reported
 */
#include "state/restored.h"

typedef struct restored_sink {
    setti_compare_sink sink;
    sett_world* world;
    setti_restored* list;
    sett_component component; /* the type that is compared now */
    bool failed;              /* memory ran out */
} restored_sink;

static void restored_add(restored_sink* sink, sett_restored_kind kind, sett_entity entity)
{
    setti_restored* list = sink->list;
    setti_pool* pool = &sink->world->pool;
    sett_restored* items =
        setti_pool_grow(pool, list->item, sizeof(*items), list->count, 1, &list->capacity);
    if (items == NULL) {
        sink->failed = true;
        return;
    }
    list->item = items;
    list->item[list->count++] = (sett_restored){kind, sink->component, entity};
}

/* `revived` is an entity that only the restored snapshot has. `killed` is an entity that only the
 * present state has. One of them may be NULL. */
static void restored_note_entity(setti_compare_sink* given, const sett_entity* revived,
                                 const sett_entity* killed)
{
    restored_sink* sink = (restored_sink*)given;
    if (killed != NULL) {
        restored_add(sink, SETT_RESTORED_KILLED, *killed);
    }
    if (revived != NULL) {
        restored_add(sink, SETT_RESTORED_REVIVED, *revived);
    }
}

/* `restored_value` is NULL if the restored snapshot has no value. `present_value` is NULL if the
 * present state has no value. */
static void restored_note_value(setti_compare_sink* given, sett_entity restored,
                                const void* restored_value, sett_entity present,
                                const void* present_value)
{
    restored_sink* sink = (restored_sink*)given;
    if (present_value != NULL && restored_value != NULL && sett_equals(restored, present)) {
        restored_add(sink, SETT_RESTORED_CHANGED, restored);
        return;
    }
    if (present_value != NULL) {
        restored_add(sink, SETT_RESTORED_REMOVED, present);
    }
    if (restored_value != NULL) {
        restored_add(sink, SETT_RESTORED_ADDED, restored);
    }
}

bool setti_restored_find(sett_world* world, setti_snapshot* target, setti_restored* list)
{
    setti_view view;
    setti_compare compare;
    restored_sink sink = {.sink.entity = restored_note_entity,
                          .sink.value = restored_note_value,
                          .world = world,
                          .list = list};
    *list = (setti_restored){0};
    if (!setti_view_init(world, target, NULL, &view)) {
        return false;
    }
    sink.failed = !setti_compare_init(&view, &compare);
    if (!sink.failed) {
        compare.sink = &sink.sink;
        setti_compare_entities(&compare);
        for (uint32_t k = 0; !sink.failed && k < world->registered.count; k++) {
            sink.component = world->registered.item[k]->id;
            setti_compare_type(&compare, world->registered.item[k]);
        }
        setti_compare_deinit(&compare);
    }
    setti_view_deinit(world, &view);
    if (sink.failed) {
        setti_restored_free(world, list);
    }
    return !sink.failed;
}

void setti_restored_notify(sett_world* world, const setti_restored* list)
{
    SETTI_ASSERT(setti_state_of(world)->options.restored != NULL);
    const sett_snapshot_options* options = &setti_state_of(world)->options;
    const char* outer = world->calling;
    world->calling = "sett_snapshot_options.restored";
    world->locks++; /* the callback may only read */
    options->restored(world, list->item, list->count, options->user);
    world->locks--;
    world->calling = outer;
}

void setti_restored_free(sett_world* world, setti_restored* list)
{
    setti_pool_free(&world->pool, list->item, list->capacity * sizeof(*list->item), 16);
    memset(list, 0, sizeof(*list));
}
