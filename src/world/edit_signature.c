/* edit_signature.c: finds the signatures of entities before and after an edit.
 *
 * The workload: the first use of each transition. Unused signatures are freed between calls, so the
 * number of a signature is valid during one call. Caches of numbers compare
 * world->transition_epoch.
 *
 * Invariant:  during a call, each signature in use belongs to a living entity, or was created after
 *             setti_edit_settle
 */
#include "base/cow.h"
#include "world/edit.h"

uint32_t setti_edit_toggle(sett_world* world, uint32_t signature, const setti_type* type)
{
    if (signature == SETTI_NONE || (type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
        return signature;
    }
    return setti_signature_toggle(&world->pool, &world->signatures, signature, type->id,
                                  (type->flags & SETTI_TYPE_REMOVE_HOOKS) != 0);
}

/* Warns that there are many signatures. Names the types that are in a quarter to three
 * quarters of the signatures. */
SETTI_COLD static void edit_warn_signatures(sett_world* world)
{
    const setti_signature_table* table = &world->signatures;
    const uint32_t quarter = table->count / 4;
    char list[SETTI_MESSAGE_SIZE / 2];
    setti_writer names = setti_writer_begin(list, sizeof(list));
    /* - 64: there must be room for the name of another type */
    for (uint32_t k = 0; k < world->registered.count && names.length < sizeof(list) - 64; k++) {
        uint32_t with_type = 0; /* number of signatures with the type */
        for (uint32_t number = 1; number < table->count; number++) {
            with_type += setti_signature_has(table, number, world->registered.item[k]->id);
        }
        if (with_type >= quarter && with_type <= table->count - quarter) {
            setti_writer_add(&names, "%s \"%.48s\"", names.length != 0 ? "," : "",
                             world->registered.item[k]->desc.name);
        }
    }
    setti_world_log(
        world, SETT_LOG_WARNING,
        "%u different sets of components exist, and each set takes memory - register tags that "
        "come and go independently with .dont_fragment = true%s%s",
        (unsigned)setti_signature_count(table),
        names.length != 0 ? "; candidates are in a quarter to three quarters of the sets:" : "",
        list);
    world->signature_warning =
        SETTI_MAX(setti_signature_count(table) * 2, world->signature_warning);
}

/* Marks the signatures of the entities in a page of the entity table.
 *   user  the signature table */
static void edit_mark_signatures(void* user, const void* data)
{
    const setti_entity_page* page = data;
    const setti_signature_table* table = user;
    for (uint32_t slot = 0; slot < SETTI_ENTITY_ROWS; slot++) {
        table->record[page->signature[slot] & ~SETTI_DYING].mark = 1;
    }
}

void setti_edit_reclaim_signatures(sett_world* world)
{
    SETTI_ASSERT(world->locks == 0);
    setti_signature_table* table = &world->signatures;
    const setti_pages* pages = &world->entities.pages;
    for (uint32_t number = 0; number < pages->count && table->count != 0; number++) {
        if (pages->data[number] != NULL) {
            edit_mark_signatures(table, pages->data[number]);
        }
    }
    if (world->pool.cow_from != 0 && table->count != 0) { /* pages of snapshots count, too */
        world->pool.cow->each(world->pool.cow, pages, edit_mark_signatures, table);
    }
    setti_signature_sweep(&world->pool, table);
    table->reclaim_at = SETTI_MAX(setti_signature_count(table) * 2, SETTI_SIGNATURE_RECLAIM);
    setti_edit_forget_transitions(world);
}

void setti_edit_forget_transitions(sett_world* world)
{
    world->transition_epoch++;
    setti_plan_table* plans = &world->plans;
    setti_pool_free(&world->pool, plans->step, plans->capacity * sizeof(*plans->step), 16);
    setti_hash_map_deinit(&world->pool, &plans->by_edge);
    *plans = (setti_plan_table){.calls = plans->calls};
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type_forget_transitions(world->registered.item[k]);
    }
}

void setti_edit_settle(sett_world* world)
{
    SETTI_ASSERT(world->locks == 0);
    uint32_t count = setti_signature_count(&world->signatures);
    if (SETTI_UNLIKELY(count >= SETTI_SIGNATURE_RECLAIM && count >= world->signatures.reclaim_at)) {
        setti_edit_reclaim_signatures(world);
    }
    if (SETTI_UNLIKELY(count >= world->signature_warning)) {
        edit_warn_signatures(world);
    }
}
