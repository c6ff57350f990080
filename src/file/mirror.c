/* mirror.c: a second world that follows a world, for another thread.
 *
 * The workload: an inspector that sends all changes to a page, sixty times a second. Comparing,
 * hashing and writing take ten times as long as copying the written pages. So the program's thread
 * copies the pages, and another thread encodes from the copy.
 *
 *     the program      frame | copy | frame ...        | copy | frame
 *     another thread                  snapshot, delta          snapshot, delta
 *
 * Rejected: encoding on the thread from a snapshot of the world itself. Unchanged pages belong to
 * the living world, and reading a page would take the lock of copy-on-write.
 *
 * Invariant:  the copy contains all writes up to the tick `since`
 */
#include "file/load.h"
#include "file/run_record.h"
#include "sett/state.h"
#include "state/replica.h"
#include "world/command.h"

struct sett_mirror {
    sett_world* world;
    sett_world* copy;
    uint64_t since;        /* tick of the latest copy */
    bool has_first_copy;   /* a first copy was completed */
    bool broken;           /* memory ran out during a later copy */
    uint32_t unregistered; /* sett_world.unregistered when the mirror was created */
    setti_replica_map map;
    setti_bytes run; /* record of the systems */
};

static const char mirror_call[] = "sett_mirror_copy";

sett_mirror* sett_mirror_create(sett_world* world)
{
    if (SETTI_IS_NULL(world) || setti_world_check_serial(world, __func__) != SETT_OK) {
        return NULL;
    }
    sett_mirror* mirror = setti_world_alloc(world, sizeof(*mirror), 16, __func__);
    if (mirror == NULL) {
        return NULL;
    }
    mirror->world = world;
    mirror->unregistered = world->unregistered;
    mirror->copy = setti_replica_create(world);
    if (mirror->copy == NULL) {
        sett_mirror_destroy(mirror);
        setti_world_no_memory(world, __func__);
        return NULL;
    }
    mirror->copy->module[SETTI_SLOT_MIRRORED] = &mirror->run;
    return mirror;
}

/* Returns true if values of a type are copied by hooks or functions of the program. */
static bool mirror_is_hooked(const setti_type* type)
{
    const sett_component_desc* desc = &type->desc;
    if (desc->save == SETT_SAVE_CLONE || setti_type_data(type)->desc.write != NULL) {
        return true;
    }
    if (type->module != NULL) {
        return false; /* its hooks are those of the library */
    }
    bool owns = desc->deinit != NULL || desc->copy != NULL || desc->move != NULL;
    return owns || desc->write != NULL;
}

/* Returns a type with hooks, or NULL if there is none. Hooks must not run on another thread. */
static const setti_type* mirror_find_hooked(const sett_world* world)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        if (mirror_is_hooked(type)) {
            return type;
        }
    }
    return NULL;
}

bool sett_mirror_supports(const sett_world* world, sett_component* hooked)
{
    if (SETTI_IS_NULL(world)) {
        return false;
    }
    const setti_type* type = mirror_find_hooked(world);
    if (type != NULL && hooked != NULL) {
        *hooked = type->id;
    }
    return type == NULL;
}

static sett_status mirror_fail_broken(const sett_mirror* mirror)
{
    return setti_world_fail_with(mirror->world, SETT_STATUS_OUT_OF_MEMORY,
                                 "%s: memory ran out during a copy, so the mirror is incomplete - "
                                 "destroy it, and create another one",
                                 mirror_call);
}

static sett_status mirror_check(const sett_mirror* mirror)
{
    sett_world* world = mirror->world;
    const setti_type* rejected = mirror_find_hooked(world);
    if (mirror->broken) {
        return mirror_fail_broken(mirror);
    }
    if (rejected != NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: \"%.100s\" has value hooks or SETT_SAVE_CLONE, so a "
                                     "mirror cannot copy its values - work on the world itself",
                                     mirror_call, rejected->desc.name);
    }
    if (mirror->unregistered != world->unregistered) {
        return setti_world_fail_with(
            world, SETT_STATUS_CONFLICT,
            "%s: a component was unregistered after the mirror was created "
            "- destroy the mirror, and create another one",
            mirror_call);
    }
    if (mirror->copy->listeners == NULL) {
        return SETT_OK;
    }
    const char* what = mirror->copy->listeners->observes ? "observer" : "group";
    return setti_world_fail_with(world, SETT_STATUS_CONFLICT,
                                 "%s: the mirror's world has %s \"%.100s\" - destroy the %s",
                                 mirror_call, what, mirror->copy->listeners->name, what);
}

/* Copies the world: completely at first, and later only the pages written since the latest copy. */
static sett_status mirror_follow(sett_mirror* mirror)
{
    sett_world* world = mirror->world;
    sett_world* copy = mirror->copy;
    sett_world_own(copy);
    sett_status status = setti_replica_join_all(copy, world, mirror_call);
    if (status == SETT_OK) {
        if (mirror->has_first_copy) {
            status = setti_replica_update(world, copy, &mirror->map, mirror->since, mirror_call);
        } else {
            status = setti_replica_clone(world, copy, mirror_call);
        }
    }
    if (status == SETT_OK) {
        return status;
    }
    if (status != SETT_STATUS_OUT_OF_MEMORY) {
        return setti_world_fail_with(world, status, "%s: %s", mirror_call, setti_load_why(copy));
    }
    mirror->broken = mirror->has_first_copy; /* a failed update leaves old and new pages */
    if (mirror->broken) {
        return mirror_fail_broken(mirror);
    }
    return setti_world_no_memory(world, mirror_call);
}

sett_status sett_mirror_copy(sett_mirror* mirror)
{
    if (SETTI_IS_NULL(mirror)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_world* world = mirror->world;
    sett_status status = setti_world_check_unlocked(world, mirror_call);
    if (status != SETT_OK) {
        return status;
    }
    status = setti_commands_apply_all(world, mirror_call);
    if (status != SETT_OK) {
        return status;
    }
    status = mirror_check(mirror);
    if (status != SETT_OK) {
        return status;
    }
    status = mirror_follow(mirror);
    if (status != SETT_OK) {
        return status;
    }
    mirror->has_first_copy = true;
    mirror->since = world->pool.tick++; /* later writes have a higher tick */
    setti_bytes_free(&world->pool, &mirror->run);
    if (!setti_run_encode(world, &mirror->run)) {
        return setti_world_no_memory(world, mirror_call);
    }
    return SETT_OK;
}

sett_world* sett_mirror_world(sett_mirror* mirror)
{
    return SETTI_IS_NULL(mirror) ? NULL : mirror->copy;
}

void sett_mirror_destroy(sett_mirror* mirror)
{
    if (mirror == NULL) {
        return;
    }
    setti_pool* pool = &mirror->world->pool;
    if (mirror->copy != NULL) {
        sett_world_own(mirror->copy);
        (void)sett_world_destroy(mirror->copy);
    }
    setti_bytes_free(pool, &mirror->run);
    setti_pool_free(pool, mirror, sizeof(*mirror), 16);
}
