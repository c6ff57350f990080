/* op_link.c: links between two entities.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model_relation/naive.h"

/* Whether a link of the relationship without circles would close one. */
static bool naive_closes(uint32_t source, uint32_t target)
{
    while (target != source && naive_find(ACYCLIC, target, INDICES) != LINKS) {
        target = naive.link[naive_find(ACYCLIC, target, INDICES)].target;
    }
    return target == source;
}

void do_relate(void)
{
    doing = "relate";
    uint32_t relation = below(INSTANCE_OF + (below(8) == 0));
    sett_entity source = some_entity();
    sett_entity target = some_entity();
    bool possible = alive(source) && alive(target);
    bool closes = possible && relation == ACYCLIC && naive_closes(slot(source), slot(target));
    const uint32_t given = below(1000);
    bool gives = relations[relation].data && below(3) == 0;
    uint32_t* data = gives ? sett_relate_set(world, source, relations[relation].id, target, &given)
                           : sett_relate(world, source, relations[relation].id, target);
    WANT((data != NULL) == (possible && !closes));
    WANT(data != NULL ||
         sett_world_error(world) == (closes ? SETT_STATUS_CYCLE : SETT_STATUS_STALE));
    possible = possible && !closes;
    if (possible) {
        uint32_t* expected = naive_relate(relation, slot(source), slot(target));
        if (relations[relation].data) {
            WANT(*data == (gives ? given : *expected));
            *data = *expected = below(1000);
        }
    }
}

void do_unrelate(void)
{
    doing = "unrelate";
    uint32_t relation = below(RELATIONS);
    sett_entity source = some_entity();
    sett_entity target = some_entity();
    if (naive.link_count != 0 && below(3) != 0) {
        const naive_link* link = &naive.link[below(naive.link_count)];
        relation = link->relation;
        source = naive.at[link->source].handle;
        target = naive.at[link->target].handle;
    }
    uint32_t k =
        alive(source) && alive(target) ? naive_find(relation, slot(source), slot(target)) : LINKS;
    sett_status status = sett_unrelate(world, source, relations[relation].id, target);
    WANT(status == (k != LINKS ? SETT_OK : alive(source) ? SETT_STATUS_ABSENT : SETT_STATUS_STALE));
    if (k != LINKS) {
        naive_unlink(k);
    }
}

void do_end_links(void)
{
    doing = "belongs to a relationship - use sett_relate and sett_unrelate";
    uint32_t relation = below(RELATIONS);
    sett_entity entity = some_entity();
    bool is = alive(entity);
    if (below(2) == 0) {
        sett_status status = sett_unrelate_sources(world, relations[relation].id, entity);
        WANT(status == (is ? SETT_OK : SETT_STATUS_STALE));
        if (is) {
            naive_end_links(leads_to, relation, slot(entity));
        }
        return;
    }
    bool has = is && naive_find(relation, slot(entity), INDICES) != LINKS;
    sett_status status = sett_remove(world, entity, relations[relation].id);
    WANT(status == (has ? SETT_OK : is ? SETT_STATUS_ABSENT : SETT_STATUS_STALE));
    if (has) {
        naive_end_links(begins_at, relation, slot(entity));
    }
}
