/* naive.c: the naive world of test_model_relation.c, all of it in arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model_relation/naive.h"

_Noreturn void fail(const char* file, int line, const char* what)
{
    check_failed(file, line, "operation %llu (%s): %s; again with SETT_SEED=%llu",
                 (unsigned long long)done, doing, what, (unsigned long long)seed);
}

uint32_t slot(sett_entity entity)
{
    WANT(entity.index % distance < INDICES / ranges && entity.index / distance < ranges);
    return entity.index / distance * (INDICES / ranges) + entity.index % distance;
}

uint32_t place(uint32_t at)
{
    return at / (INDICES / ranges) * distance + at % (INDICES / ranges);
}

bool alive(sett_entity entity)
{
    return !sett_is_null(entity) && sett_equals(naive.at[slot(entity)].handle, entity);
}

sett_entity some_entity(void)
{
    uint32_t kind = below(40);
    if (kind == 0 || naive.count == 0) {
        return sett_null();
    }
    if (kind < 3 && naive.dead_count != 0) {
        return naive.dead[below(naive.dead_count < DEAD ? naive.dead_count : DEAD)];
    }
    uint32_t cursor = below(naive.count); /* rows of retired entities: none */
    return sett_entity_next(world, &cursor);
}

void naive_born(sett_entity entity)
{
    WANT(!sett_is_null(entity));
    naive_entity* e = &naive.at[slot(entity)];
    WANT(sett_is_null(e->handle));
    for (uint32_t k = 0; k < naive.dead_count && k < DEAD; k++) {
        WANT(!sett_equals(naive.dead[k], entity)); /* handles do not come back */
    }
    *e = (naive_entity){.handle = entity, .parent = INDICES, .copy = INDICES};
    naive.count++;
    naive.end = slot(entity) >= naive.end ? slot(entity) + 1 : naive.end;
}

void naive_unlink(uint32_t k)
{
    memmove(&naive.link[k], &naive.link[k + 1], (--naive.link_count - k) * sizeof(naive_link));
}

uint32_t naive_find(uint32_t relation, uint32_t source, uint32_t target)
{
    uint32_t k = 0;
    while (k < naive.link_count &&
           (naive.link[k].relation != relation || naive.link[k].source != source ||
            (target != INDICES && naive.link[k].target != target))) {
        k++;
    }
    return k < naive.link_count ? k : LINKS;
}

void naive_link_add(uint32_t relation, uint32_t source, uint32_t target, uint32_t data)
{
    WANT(naive.link_count < LINKS);
    naive.link[naive.link_count++] = (naive_link){relation, source, target, data};
}

uint32_t* naive_relate(uint32_t relation, uint32_t source, uint32_t target)
{
    uint32_t data = 0;
    uint32_t k = naive_find(relation, source, target);
    if (k == LINKS) {
        uint32_t old = relations[relation].many ? LINKS : naive_find(relation, source, INDICES);
        if (old != LINKS) { /* turned: the data stay */
            data = naive.link[old].data;
            naive_unlink(old);
        }
        naive_link_add(relation, source, target, data);
        k = naive.link_count - 1;
    }
    return &naive.link[k].data;
}

void naive_end_links(bool (*test)(const naive_link* link, uint32_t a, uint32_t b), uint32_t a,
                     uint32_t b)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < naive.link_count; k++) {
        if (!test(&naive.link[k], a, b)) {
            naive.link[kept++] = naive.link[k];
        }
    }
    naive.link_count = kept;
}

bool begins_at(const naive_link* link, uint32_t relation, uint32_t source)
{
    return (relation == RELATIONS || link->relation == relation) && link->source == source;
}

bool leads_to(const naive_link* link, uint32_t relation, uint32_t target)
{
    return link->relation == relation && link->target == target;
}

static bool touches_going(const naive_link* link, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    return naive.at[link->source].going || naive.at[link->target].going;
}

/* Marks all who go when one does; whether it is possible. */
static bool naive_collect(uint32_t index)
{
    for (uint32_t k = 0; k < naive.end; k++) {
        naive.at[k].going = k == index;
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 0; k < naive.end; k++) {
            naive_entity* e = &naive.at[k];
            if (!sett_is_null(e->handle) && !e->going && e->parent != INDICES &&
                naive.at[e->parent].going && naive.at[e->parent].policy != SETT_CHILDREN_DETACH) {
                e->going = more = true;
            }
        }
        for (uint32_t k = 0; k < naive.link_count; k++) {
            const naive_link* link = &naive.link[k];
            bool* source = &naive.at[link->source].going;
            bool* target = &naive.at[link->target].going;
            if (*target && !*source &&
                relations[link->relation].on_target == SETT_CLEANUP_DESTROY) {
                *source = more = true;
            }
            if (*source && !*target &&
                relations[link->relation].on_source == SETT_CLEANUP_DESTROY) {
                *target = more = true;
            }
        }
    }
    for (uint32_t k = 0; k < naive.link_count; k++) {
        const naive_link* link = &naive.link[k];
        bool source = naive.at[link->source].going;
        bool target = naive.at[link->target].going;
        if ((target && !source && relations[link->relation].on_target == SETT_CLEANUP_REJECT) ||
            (source && !target && relations[link->relation].on_source == SETT_CLEANUP_REJECT)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < naive.end; k++) { /* whether the children would go is of no account */
        const naive_entity* e = &naive.at[k];
        if (!sett_is_null(e->handle) && e->parent != INDICES && naive.at[e->parent].going &&
            naive.at[e->parent].policy == SETT_CHILDREN_REJECT) {
            return false;
        }
    }
    return true;
}

bool naive_destroy(uint32_t index)
{
    if (!naive_collect(index)) {
        return false;
    }
    naive_end_links(touches_going, 0, 0);
    for (uint32_t k = 0; k < naive.end; k++) {
        if (naive.at[k].going) {
            naive.dead[naive.dead_count++ % DEAD] = naive.at[k].handle;
            naive.at[k].handle = sett_null();
            naive.count--;
        } else if (naive.at[k].parent != INDICES && naive.at[naive.at[k].parent].going) {
            naive.at[k].parent = INDICES;
        }
    }
    return true;
}

bool naive_is_below(uint32_t index, uint32_t ancestor)
{
    while (index != INDICES && index != ancestor) {
        index = naive.at[index].parent;
    }
    return index == ancestor;
}

uint32_t naive_child(uint32_t parent, uint32_t k)
{
    uint64_t after = 0;
    for (;; k--) {
        uint32_t next = INDICES;
        for (uint32_t c = 0; c < naive.end; c++) {
            const naive_entity* e = &naive.at[c];
            if (!sett_is_null(e->handle) && e->parent == parent && e->place > after &&
                (next == INDICES || e->place < naive.at[next].place)) {
                next = c;
            }
        }
        if (next == INDICES || k == 0) {
            return next;
        }
        after = naive.at[next].place;
    }
}

void naive_attach(uint32_t index, uint32_t parent)
{
    naive.at[index].place = ++naive.places; /* to the end, from wherever it was */
    naive.at[index].parent = parent;
}

void naive_join(uint32_t index, uint32_t parent)
{
    bool joins = naive.at[parent].prefab;
    for (uint32_t k = 0; joins && k < naive.end; k++) {
        naive.at[k].prefab |= !sett_is_null(naive.at[k].handle) && naive_is_below(k, index);
    }
    naive_attach(index, parent);
}

const uint32_t* naive_shared(uint32_t index)
{
    for (uint32_t steps = 0; !naive.at[index].has_shared; steps++) {
        uint32_t k = steps < 64 ? naive_find(INSTANCE_OF, index, INDICES) : LINKS;
        if (k == LINKS) {
            return NULL;
        }
        index = naive.link[k].target;
    }
    return &naive.at[index].shared;
}

uint32_t naive_depth(uint32_t index)
{
    uint32_t depth = 0;
    for (; naive.at[index].parent != INDICES; depth++) {
        index = naive.at[index].parent;
    }
    return depth;
}

uint32_t naive_size(uint32_t root)
{
    uint32_t size = 0;
    for (uint32_t k = 0; k < naive.end; k++) {
        size += !sett_is_null(naive.at[k].handle) && naive_is_below(k, root);
    }
    return size;
}
