/* count_main.c: the scenes whose instructions tools/instructions.sh counts. Run under callgrind it
 * has one dump written for each scene, named after it; run alone it does nothing else than the
 * work, and prints the scenes' names and their operations.
 *
 * What is counted is small and touches each path that a program takes often: 4,096 entities, no
 * random sizes, nothing that depends on addresses or on time. Counts are exact; so a baseline can
 * be held to a few in a hundred. */
#include "sett/advise.h"
#include "sett/event.h"
#include "sett/hierarchy.h"
#include "sett/json.h"
#include "sett/observer.h"
#include "sett/prefab.h"
#include "sett/queue.h"
#include "sett/random.h"
#include "sett/relationship.h"
#include "sett/search.h"
#include "sett/sett.h"
#include "sett/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif

#if !defined(CALLGRIND_ZERO_STATS)
#define CALLGRIND_ZERO_STATS (void)0
#define CALLGRIND_DUMP_STATS_AT(name) (void)(name)
#endif

#define COUNT 4096u

typedef struct Vector {
    float x, y;
} Vector;

typedef Vector Velocity;

typedef struct Place {
    float x, y;
} Place;

typedef struct Health {
    uint32_t points, most;
} Health;

typedef struct count_stage {
    sett_world* world;
    sett_component p, v, sparse_set, key, rare;
    sett_component owes; /* a relationship with one target */
    sett_query* query;
    sett_search* search;
    sett_ordered* ordered;
    sett_lookup* lookup;
    sett_snapshot snapshot, later;
    sett_entity entity[COUNT];
    sett_entity far[64]; /* of a million, far apart */
    uint64_t sum;        /* keeps the compiler from leaving work out */
    uint32_t hooked;
    char* text; /* or NULL: it is only counted */
    size_t text_size;
} count_stage;

typedef struct count_scene {
    const char* name;
    void (*prepare)(count_stage* stage); /* before the counting, in a world with all types */
    void (*run)(count_stage* stage);
    uint32_t operations;
} count_scene;

static count_stage the_stage;

static sett_component count_type(sett_world* world, const char* name, size_t size,
                                 sett_storage_kind storage, bool dont_fragment)
{
    sett_component_desc desc = {0};
    desc.name = name;
    desc.size = size;
    desc.align = size != 0 ? 4 : 0;
    desc.storage = storage;
    desc.dont_fragment = dont_fragment;
    sett_component id = sett_component_register(world, &desc);
    if (id == 0) {
        abort();
    }
    return id;
}

static void count_begin(count_stage* s)
{
    s->world = sett_world_create(NULL);
    s->p = count_type(s->world, "P", sizeof(Vector), SETT_STORAGE_ARRAY, false);
    s->v = count_type(s->world, "V", sizeof(Vector), SETT_STORAGE_ARRAY, false);
    s->sparse_set =
        count_type(s->world, "sparse-set", sizeof(Vector), SETT_STORAGE_SPARSE_SET, false);
    s->key = count_type(s->world, "key", sizeof(uint32_t), SETT_STORAGE_SPARSE_SET, false);
    s->rare = count_type(s->world, "rare", sizeof(Vector), SETT_STORAGE_SPARSE_SET, false);
}

static void count_query_of(count_stage* s, sett_component a, sett_term b)
{
    sett_query_desc desc = {.terms = {{.component = a}, b}};
    desc.terms[1].access = SETT_IN;
    s->query = sett_query_create(s->world, &desc);
}

static void count_query(count_stage* s, sett_component a, sett_component b)
{
    count_query_of(s, a, (sett_term){.component = b});
}

/* ------------------------------------------------------------------------------------ preparing */

static void with_none(count_stage* s)
{
    (void)s;
}

static void with_entities(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        s->entity[k] = sett_entity_create(s->world);
    }
}

static void run_loop(count_stage* s);

/* Every `step`th entity gets it, from `first` on. */
static void give(count_stage* s, sett_component id, uint32_t first, uint32_t step)
{
    for (uint32_t k = first; k < COUNT; k += step) {
        (void)sett_add(s->world, s->entity[k], id);
    }
}

static void with_p(count_stage* s)
{
    with_entities(s);
    give(s, s->p, 0, 1);
}

/* Parents first, over chains of so many entities, whose index says nothing of their depth. */
static void with_chains(count_stage* s, uint32_t levels, sett_component along)
{
    with_p(s);
    for (uint32_t k = 0; k < COUNT; k++) {
        sett_entity source = s->entity[k * 1237 % COUNT];
        sett_entity target = s->entity[(k - 1) * 1237 % COUNT];
        if (k % levels != 0 && along == 0) {
            (void)sett_hierarchy_attach(s->world, source, target);
        } else if (k % levels != 0) {
            (void)sett_relate(s->world, source, along, target);
        }
    }
    uint32_t count;
    count_query(s, s->p, 0);
    s->ordered = sett_ordered_create(
        s->world, &(sett_ordered_desc){.query = s->query, .cascade = true, .along = along});
    s->sum += sett_ordered_update(s->ordered, &count) != NULL;
}

static void with_shallow(count_stage* s)
{
    with_chains(s, 8, 0);
}

static void with_deep(count_stage* s)
{
    with_chains(s, COUNT, 0);
}

static void with_deep_links(count_stage* s)
{
    with_chains(s, COUNT,
                sett_relationship_register(s->world, &(sett_relationship_desc){.name = "docked"}));
}

static void with_sparse(count_stage* s)
{
    with_p(s);
    s->v = s->sparse_set;
}

/* One that is there makes others take longer, so it is registered only where it is the subject. */
static void with_dont_fragment(count_stage* s)
{
    s->v = count_type(s->world, "dont_fragment", 0, SETT_STORAGE_DEFAULT, true);
    with_p(s);
}

static void with_tag(count_stage* s)
{
    s->v = count_type(s->world, "tag", 0, SETT_STORAGE_DEFAULT, false);
    with_p(s);
}

static void with_both(count_stage* s)
{
    with_p(s);
    give(s, s->v, 0, 1);
    count_query(s, s->p, s->v);
}

static void count_shuffle(count_stage* s)
{
    uint32_t state = 1;
    for (uint32_t k = COUNT; k > 1; k--) {
        state = state * 1664525u + 1013904223u;
        uint32_t other = (uint32_t)((uint64_t)state * k >> 32);
        sett_entity swap = s->entity[k - 1];
        s->entity[k - 1] = s->entity[other];
        s->entity[other] = swap;
    }
}

static void with_both_shuffled(count_stage* s)
{
    with_both(s);
    count_shuffle(s);
}

static void with_all_ended_at_random(count_stage* s)
{
    with_both_shuffled(s);
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_entity_destroy(s->world, s->entity[k]);
    }
}

static void with_tree(count_stage* s) /* the component is there already */
{
    with_p(s);
    (void)sett_hierarchy_attach(s->world, s->entity[1], s->entity[0]);
}

static void with_all_twice(count_stage* s) /* pages and edges are there already */
{
    with_both(s);
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_entity_destroy(s->world, s->entity[k]);
    }
}

static void with_half(count_stage* s)
{
    with_p(s);
    give(s, s->v, 0, 2);
    count_query(s, s->p, s->v);
}

static void with_few(count_stage* s)
{
    with_p(s);
    give(s, s->v, 0, 61);
    count_query(s, s->p, s->v);
}

/* What a query remembers of its last loops is there already. */
static void with_half_again(count_stage* s)
{
    with_half(s);
    for (uint32_t k = 0; k < 3; k++) {
        run_loop(s);
    }
}

static void with_few_again(count_stage* s)
{
    with_few(s);
    for (uint32_t k = 0; k < 3; k++) {
        run_loop(s);
    }
}

/* One of a hundred entities got or lost the component in between. */
static void with_few_toggled(count_stage* s)
{
    with_few_again(s);
    for (uint32_t k = 0; k < COUNT; k += 122) {
        (void)sett_remove(s->world, s->entity[k], s->v);
        (void)sett_add(s->world, s->entity[(k + 31) % COUNT], s->v);
    }
}

static void with_few_sparse(count_stage* s)
{
    with_p(s);
    give(s, s->rare, 0, 8);
    count_query(s, s->p, s->rare);
}

static void with_half_sparse(count_stage* s)
{
    with_p(s);
    for (uint32_t k = 0; k < COUNT; k += 2) { /* in another order than that of indices */
        (void)sett_add(s->world, s->entity[(k * 77) % COUNT], s->sparse_set);
    }
    count_query_of(s, s->sparse_set, (sett_term){.component = s->p, .kind = SETT_OPTIONAL});
}

static void with_group(count_stage* s)
{
    sett_group_desc desc = {0};
    with_entities(s);
    give(s, s->sparse_set, 0, 1);
    give(s, s->rare, 0, 2);
    desc.owned[0] = s->sparse_set;
    desc.owned[1] = s->rare;
    (void)sett_group_create(s->world, &desc);
    count_query(s, s->sparse_set, s->rare);
}

/* A type that one entity has, the last of a million. */
static void with_many(count_stage* s)
{
    static sett_entity many[1 << 20];
    (void)sett_entity_create_many(s->world, 1 << 20, &s->p, 1, NULL, many);
    for (uint32_t k = 0; k < 64; k++) {
        s->far[k] = many[(k * 37 % 64 << 14) + 100 * k];
        (void)sett_add(s->world, s->far[k], s->v); /* the transition is known */
        (void)sett_remove(s->world, s->far[k], s->v);
    }
    (void)sett_add(s->world, many[(1 << 20) - 1], s->v);
    count_query(s, s->v, s->p);
}

static void with_sixteen(count_stage* s)
{
    for (uint32_t k = 0; k < 16; k++) {
        sett_entity entity = sett_entity_create(s->world);
        (void)sett_add(s->world, entity, s->p);
        (void)sett_add(s->world, entity, s->v);
    }
    count_query(s, s->p, s->v);
}

static void with_keys(count_stage* s)
{
    with_entities(s);
    for (uint32_t k = 0; k < COUNT; k++) {
        *(uint32_t*)sett_add(s->world, s->entity[k], s->key) = k * 2654435761u >> 7;
    }
}

static void with_keys_disturbed(count_stage* s)
{
    with_keys(s);
    (void)sett_sort(s->world, &(sett_sort_desc){.component = s->key, .key = SETT_KEY_U32});
    for (uint32_t k = 0; k < COUNT; k += 97) {
        *(uint32_t*)sett_get_mut(s->world, s->entity[k], s->key) = k * 40503u >> 7;
    }
}

static void count_hook(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ((count_stage*)user)->hooked++;
}

static void with_hook(count_stage* s)
{
    sett_component_desc desc = {.name = "hooked",
                                .size = sizeof(Vector),
                                .align = 4,
                                .on_add = count_hook,
                                .on_remove = count_hook,
                                .user = s};
    with_entities(s);
    s->v = sett_component_register(s->world, &desc);
}

/* A type that can be switched off, and so is required by its tag. */
static void with_switch(count_stage* s)
{
    sett_component_desc desc = {
        .name = "switched", .size = sizeof(Vector), .align = 4, .can_disable = true};
    with_entities(s);
    s->v = sett_component_register(s->world, &desc);
}

/* The parent, or the target, of entity `k` in a tree with sixteen below each. */
static sett_entity count_above(const count_stage* s, uint32_t k)
{
    return s->entity[(k - 1) / 16];
}

static void with_attached(count_stage* s)
{
    with_p(s);
    for (uint32_t k = 1; k < COUNT; k++) {
        (void)sett_hierarchy_attach(s->world, s->entity[k], count_above(s, k));
    }
}

static void with_detached(count_stage* s)
{
    with_attached(s);
    for (uint32_t k = 1; k < COUNT; k++) {
        (void)sett_hierarchy_detach(s->world, s->entity[k]);
    }
}

static void count_relationship(count_stage* s, bool acyclic)
{
    with_p(s);
    s->owes = sett_relationship_register(
        s->world, &(sett_relationship_desc){.name = "Owes", .acyclic = acyclic});
}

static void with_relationship(count_stage* s) /* one link is there already */
{
    count_relationship(s, false);
    (void)sett_relate(s->world, s->entity[1], s->owes, s->entity[0]);
}

static void with_acyclic(count_stage* s)
{
    count_relationship(s, true);
    (void)sett_relate(s->world, s->entity[1], s->owes, s->entity[0]);
}

static void with_related(count_stage* s)
{
    with_relationship(s);
    for (uint32_t k = 2; k < COUNT; k++) {
        (void)sett_relate(s->world, s->entity[k], s->owes, count_above(s, k));
    }
}

static void with_unrelated(count_stage* s)
{
    with_related(s);
    for (uint32_t k = 1; k < COUNT; k++) {
        (void)sett_unrelate(s->world, s->entity[k], s->owes, count_above(s, k));
    }
}

static void with_search_parents(count_stage* s)
{
    with_attached(s);
    s->search = sett_search_create(s->world, "P($e), ChildOf($e, $parent), P($parent)");
}

static void with_search_children(count_stage* s)
{
    with_attached(s);
    give(s, s->v, 0, 64); /* so few parents that the search begins with them */
    s->search = sett_search_create(s->world, "V($parent), ChildOf($e, $parent)");
}

static void with_search_targets(count_stage* s)
{
    with_related(s);
    s->search = sett_search_create(s->world, "P($e), Owes($e, $target), P($target)");
}

static void with_search_sources(count_stage* s)
{
    with_related(s);
    give(s, s->v, 0, 64);
    s->search = sett_search_create(s->world, "V($target), Owes($e, $target)");
}

static void with_both_sparse(count_stage* s)
{
    with_sparse(s);
    s->p = s->sparse_set;
    give(s, s->p, 0, 1);
}

static void with_half_of_sparse(count_stage* s)
{
    with_sparse(s);
    s->p = s->sparse_set;
    give(s, s->p, 0, 2);
}

/* -------------------------------------------------------------------------------------- counted */

static void run_create(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        s->entity[k] = sett_entity_create(s->world);
    }
}

static void run_create_2(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        sett_entity entity = sett_entity_create(s->world);
        *(Vector*)sett_add(s->world, entity, s->p) = (Vector){1, 2};
        *(Vector*)sett_add(s->world, entity, s->v) = (Vector){3, 4};
    }
}

static void run_create_with(count_stage* s)
{
    const Vector p = {1, 2}, v = {3, 4};
    const sett_value values[2] = {{.component = s->p, .value = &p},
                                  {.component = s->v, .value = &v}};
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_create_with(s->world, values, 2);
    }
}

/* A prefab of two types, or of such a node with three children; two instances were made. */
static void make_prefab(count_stage* s, uint32_t children)
{
    for (uint32_t k = 0; k <= children; k++) {
        s->entity[k] = sett_entity_create(s->world);
        *(Vector*)sett_add(s->world, s->entity[k], s->p) = (Vector){1, 2};
        *(Vector*)sett_add(s->world, s->entity[k], s->v) = (Vector){3, 4};
        if (k != 0) {
            (void)sett_hierarchy_attach(s->world, s->entity[k], s->entity[0]);
        }
    }
    (void)sett_prefab_make(s->world, s->entity[0]);
    for (uint32_t k = 0; k < 2; k++) {
        (void)sett_instantiate(s->world, s->entity[0], 1, NULL);
    }
}

static void with_prefab(count_stage* s)
{
    make_prefab(s, 0);
}

static void with_prefab_tree(count_stage* s)
{
    make_prefab(s, 3);
}

static void with_instances(count_stage* s)
{
    make_prefab(s, 0);
    sett_entity prefab = s->entity[0];
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_instantiate(s->world, prefab, 1, &s->entity[k]);
    }
}

static void run_instantiate(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_instantiate(s->world, s->entity[0], 1, NULL);
    }
}

static void run_create_many(count_stage* s)
{
    const sett_component types[2] = {s->p, s->v};
    (void)sett_entity_create_many(s->world, COUNT, types, 2, NULL, s->entity);
}

static void run_destroy(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_entity_destroy(s->world, s->entity[k]);
    }
}

/* One goes and one comes, where all indices are in use. */
static void run_replace(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_entity_destroy(s->world, s->entity[k]);
        s->entity[k] = sett_entity_create(s->world);
    }
}

/* Sixteen children a node, all of it gone with the root. */
static void run_tree(count_stage* s)
{
    for (uint32_t k = 2; k < COUNT; k++) {
        (void)sett_hierarchy_attach(s->world, s->entity[k], s->entity[(k - 1) / 16]);
    }
    (void)sett_entity_destroy(s->world, s->entity[0]);
}

static void run_attach(count_stage* s)
{
    for (uint32_t k = 2; k < COUNT; k++) {
        (void)sett_hierarchy_attach(s->world, s->entity[k], count_above(s, k));
    }
}

static void run_attach_below_one(count_stage* s)
{
    for (uint32_t k = 2; k < COUNT; k++) {
        (void)sett_hierarchy_attach(s->world, s->entity[k], s->entity[0]);
    }
}

static void run_attach_chain(count_stage* s)
{
    for (uint32_t k = 2; k < COUNT; k++) {
        (void)sett_hierarchy_attach(s->world, s->entity[k], s->entity[k - 1]);
    }
}

/* From its parent to that one's neighbour. */
static void run_move(count_stage* s)
{
    for (uint32_t k = 17; k < COUNT; k++) {
        (void)sett_hierarchy_attach(s->world, s->entity[k], s->entity[(k - 1) / 16 - 1]);
    }
}

static void run_detach(count_stage* s)
{
    for (uint32_t k = 2; k < COUNT; k++) {
        (void)sett_hierarchy_detach(s->world, s->entity[k]);
    }
}

/* Those without children, one by one. */
static void run_destroy_leaves(count_stage* s)
{
    for (uint32_t k = COUNT / 2; k < COUNT; k++) {
        (void)sett_entity_destroy(s->world, s->entity[k]);
    }
}

static void run_relate(count_stage* s)
{
    for (uint32_t k = 2; k < COUNT; k++) {
        (void)sett_relate(s->world, s->entity[k], s->owes, count_above(s, k));
    }
}

static void run_relate_to_one(count_stage* s)
{
    for (uint32_t k = 2; k < COUNT; k++) {
        (void)sett_relate(s->world, s->entity[k], s->owes, s->entity[0]);
    }
}

static void run_relate_chain(count_stage* s)
{
    for (uint32_t k = 2; k < COUNT; k++) {
        (void)sett_relate(s->world, s->entity[k], s->owes, s->entity[k - 1]);
    }
}

static void run_relate_turn(count_stage* s)
{
    for (uint32_t k = 17; k < COUNT; k++) {
        (void)sett_relate(s->world, s->entity[k], s->owes, s->entity[(k - 1) / 16 - 1]);
    }
}

static void run_unrelate(count_stage* s)
{
    for (uint32_t k = 2; k < COUNT; k++) {
        (void)sett_unrelate(s->world, s->entity[k], s->owes, count_above(s, k));
    }
}

static void run_search(count_stage* s)
{
    SETT_SEARCH(s->search, rows, i)
    {
        s->sum += sett_rows_entity(rows, 1, i).index;
    }
}

static void run_add(count_stage* s)
{
    sett_component id = s->v;
    for (uint32_t k = 0; k < COUNT; k++) {
        s->sum += sett_add(s->world, s->entity[k], id) != NULL;
    }
}

static void run_remove(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_remove(s->world, s->entity[k], s->v);
    }
}

static void run_add_remove(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_add(s->world, s->entity[k], s->v);
        (void)sett_remove(s->world, s->entity[k], s->v);
    }
}

static void run_toggle_far(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_add(s->world, s->far[k % 64], s->v);
        (void)sett_remove(s->world, s->far[k % 64], s->v);
    }
}

static void run_set(count_stage* s)
{
    const Vector value = {5, 6};
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_set(s->world, s->entity[k], s->p, &value);
    }
}

static void run_get(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        s->sum += (uint64_t)((const Vector*)sett_get(s->world, s->entity[k], s->p))->x;
    }
}

static void run_find(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        s->sum += sett_find(s->world, s->entity[k], s->p) != NULL;
    }
}

static void run_get_accessor(count_stage* s)
{
    sett_accessor accessor = sett_accessor_make(s->world, s->p);
    for (uint32_t k = 0; k < COUNT; k++) {
        s->sum += (uint64_t)((const Vector*)sett_accessor_find(&accessor, s->entity[k]))->x;
    }
}

/* Two of an entity, by id, by type, and for a list. */
static void run_get_2(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        const Vector* p = sett_get(s->world, s->entity[k], s->p);
        const Vector* v = sett_get(s->world, s->entity[k], s->v);
        s->sum += (uint64_t)(p->x + v->x);
    }
}

static void run_get_2_typed(count_stage* s)
{
    const sett_component Vector_id = s->p;
    const sett_component Velocity_id = s->v;
    for (uint32_t k = 0; k < COUNT; k++) {
        const Vector* p = SETT_GET(s->world, s->entity[k], Vector);
        const Vector* v = SETT_GET(s->world, s->entity[k], Velocity);
        s->sum += (uint64_t)(p->x + v->x);
    }
}

static void run_find_many(count_stage* s)
{
    static const void* found[COUNT];
    s->sum += sett_find_many(s->world, s->entity, COUNT, s->p, found);
}

static void run_has(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        s->sum += sett_has(s->world, s->entity[k], s->v);
    }
}

static void run_loop(count_stage* s)
{
    SETT_QUERY_EACH(s->query, b) {
        Vector* p = sett_batch_field(b, 0);
        const Vector* v = sett_batch_field(b, 1);
        if (v != NULL) {
            SETT_EACH(b, i) {
                p[i].x += v[i].x;
                p[i].y += v[i].y;
            }
        }
    }
}

static void run_loop_often(count_stage* s)
{
    for (uint32_t k = 0; k < 64; k++) {
        run_loop(s);
    }
}

static void run_query_count(count_stage* s)
{
    s->sum += sett_query_count(s->query);
}

/* Adds to each its parent's. */
static void run_ordered(count_stage* s)
{
    uint32_t count;
    const sett_ordered_row* row = sett_ordered_rows(s->ordered, s->p, SETT_INOUT, &count);
    for (uint32_t k = 0; k < count; k++) {
        Vector* p = row[k].value;
        const Vector* parent = row[k].parent;
        if (parent != NULL) {
            p->x += parent->x;
            p->y += parent->y;
        }
    }
}

/* Asked for again, while nothing came, went or moved. */
static void with_shallow_again(count_stage* s)
{
    with_shallow(s);
    run_ordered(s);
}

/* After an entity has gone. */
static void run_ordered_less(count_stage* s)
{
    uint32_t count;
    (void)sett_remove(s->world, s->entity[7], s->p);
    s->sum += sett_ordered_update(s->ordered, &count) != NULL;
}

static void run_sort(count_stage* s)
{
    (void)sett_sort(s->world, &(sett_sort_desc){.component = s->key, .key = SETT_KEY_U32});
}

static void run_nothing(sett_context* context)
{
    (void)context;
}

/* Entities whose text is 130 bytes: integers, floats with few digits, floats with all of them. */
static void with_described(count_stage* s)
{
    sett_component health = SETT_REGISTER(s->world, Health);
    sett_component place = SETT_REGISTER(s->world, Place);
    (void)sett_members_set(s->world, health, SETT_STRUCT(Health, points, most));
    (void)sett_members_set(s->world, place, SETT_STRUCT(Place, x, y));
    s->text = NULL;
    s->text_size = 0;
    with_entities(s);
    for (uint32_t k = 0; k < COUNT; k++) {
        *(Place*)sett_add(s->world, s->entity[k], place) = (Place){(float)k * 0.25f, (float)k / 7};
        *(Health*)sett_add(s->world, s->entity[k], health) = (Health){k % 100, 100};
    }
}

static bool count_take(void* user, const char* text, size_t size)
{
    count_stage* s = user;
    if (s->text != NULL) {
        memcpy(s->text + s->text_size, text, size);
    }
    s->text_size += size;
    return true;
}

static void run_json_write(count_stage* s)
{
    (void)sett_json_write(s->world, NULL, count_take, s);
    s->sum += s->text_size;
}

static void with_text(count_stage* s)
{
    static char text[COUNT * 200];
    with_described(s);
    s->text = text;
    s->text_size = 0;
    run_json_write(s);
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_entity_destroy(s->world, s->entity[k]);
    }
}

static void run_json_read(count_stage* s)
{
    const sett_json_read_desc desc = {0};
    s->sum += sett_json_read(s->world, s->text, s->text_size, &desc, NULL) == SETT_OK;
}

/* A thousand systems that want a type that no entity has. */
static void with_idle_systems(count_stage* s)
{
    with_p(s);
    for (uint32_t k = 0; k < 1000; k++) {
        char name[16];
        snprintf(name, sizeof(name), "idle%u", (unsigned)k);
        sett_system_desc desc = {0};
        desc.name = name;
        desc.run = run_nothing;
        desc.terms[0].component = s->p;
        desc.terms[1].component = s->v;
        s->sum += sett_system_create(s->world, &desc) != NULL;
    }
    (void)sett_progress(s->world, 0);
}

static void run_progress(count_stage* s)
{
    (void)sett_progress(s->world, 0);
}

static void run_queued(count_stage* s)
{
    sett_commands* commands = sett_commands_here(s->world);
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_cmd_add(commands, s->entity[k], s->v);
    }
    (void)sett_commands_apply(commands);
}

static void run_world(count_stage* s)
{
    sett_world* world = sett_world_create(NULL);
    s->sum += world != NULL;
    sett_world_destroy(world);
}

/* ----------------------------------------------------------- what headers say (promises.txt) */

static void run_event(count_stage* s)
{
    const Vector value = {1, 2};
    for (uint32_t k = 0; k < COUNT; k++) {
        (void)sett_event_send(s->world, s->entity[k], SETT_ROUTE_ENTITY, s->p, &value);
    }
}

static void count_fetch(sett_context* context)
{
    count_stage* s = context->user;
    for (uint32_t k = 0; k < COUNT; k++) {
        s->sum += (uintptr_t)sett_commands_here(context->world);
    }
}

/* A system that fetches its buffer for each entity. */
static void with_fetching(count_stage* s)
{
    sett_system_desc desc = {.name = "fetches", .run = count_fetch, .user = s};
    s->sum += sett_system_create(s->world, &desc) != NULL;
    (void)sett_progress(s->world, 0);
}

static void count_visit(sett_context* context)
{
    count_stage* s = context->user;
    SETT_SYSTEM_EACH(context, b) {
        s->sum += b->count;
    }
}

/* A hundred systems over sixteen entities. */
static void with_busy_systems(count_stage* s)
{
    with_sixteen(s);
    for (uint32_t k = 0; k < 100; k++) {
        char name[16];
        snprintf(name, sizeof(name), "busy%u", (unsigned)k);
        sett_system_desc desc = {.name = name, .run = count_visit, .user = s};
        desc.terms[0].component = s->p;
        s->sum += sett_system_create(s->world, &desc) != NULL;
    }
    (void)sett_progress(s->world, 0);
}

static void run_random(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        s->sum += sett_random(7, s->entity[k], 1, 0);
    }
}

static void run_random_range(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        s->sum += sett_random_range(k * UINT64_C(0x9e3779b97f4a7c15), 100);
    }
}

static void run_random_normal(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        s->sum += sett_random_normal(k * UINT64_C(0x9e3779b97f4a7c15)) > 0;
    }
}

static void with_steps(count_stage* s)
{
    sett_component place = SETT_REGISTER(s->world, Place);
    (void)sett_members_set(s->world, place,
                           SETT_STRUCT(Place, (x, .step = 1.0 / 1024), (y, .step = 1.0 / 1024)));
    with_entities(s);
    for (uint32_t k = 0; k < COUNT; k++) {
        *(Place*)sett_add(s->world, s->entity[k], place) = (Place){(float)k / 7, (float)k / 9};
    }
}

static void run_round(count_stage* s)
{
    (void)sett_world_round(s->world);
}

static void run_instantiate_many(count_stage* s)
{
    (void)sett_instantiate(s->world, s->entity[0], COUNT, NULL);
}

static void with_snapshot(count_stage* s)
{
    with_both(s);
    (void)sett_snapshot_take(s->world, &s->snapshot);
}

/* The first writes to 64 KB. */
static void run_write_all(count_stage* s)
{
    SETT_QUERY_EACH(s->query, b) {
        Vector* p = sett_batch_field(b, 0);
        p[0].x = 1;
    }
}

static unsigned char the_delta[COUNT * 64];
static size_t the_delta_size;

/* Two snapshots: between them, each position changes, 64 entities lose their velocity, 64 are
 * destroyed and 64 are created. */
static void with_two_snapshots(count_stage* s)
{
    with_both(s);
    (void)sett_snapshot_take(s->world, &s->snapshot);
    for (uint32_t k = 0; k < COUNT; k++) {
        ((Vector*)sett_get_mut(s->world, s->entity[k], s->p))->x += (float)k;
    }
    for (uint32_t k = 0; k < 64; k++) {
        (void)sett_remove(s->world, s->entity[k * 32], s->v);
        (void)sett_entity_destroy(s->world, s->entity[k * 32 + 7]);
    }
    for (uint32_t k = 0; k < 64; k++) {
        (void)sett_add(s->world, sett_entity_create(s->world), s->p);
    }
    (void)sett_snapshot_take(s->world, &s->later);
}

static void run_delta_encode(count_stage* s)
{
    s->sum += sett_delta_encode(s->world, s->snapshot, s->later, the_delta, sizeof(the_delta),
                                &the_delta_size) == SETT_OK;
}

static void with_delta(count_stage* s)
{
    with_two_snapshots(s);
    run_delta_encode(s);
    (void)sett_snapshot_restore(s->world, s->snapshot);
}

static void run_delta_apply(count_stage* s)
{
    s->sum += sett_delta_apply(s->world, the_delta, the_delta_size) == SETT_OK;
}

static void count_lookup(count_stage* s, bool ordered)
{
    with_described(s);
    sett_component health = sett_component_find(s->world, "Health");
    s->lookup = ordered ? sett_lookup_create_ordered(s->world, health, "points")
                        : sett_lookup_create(s->world, health, "points");
    s->sum += sett_lookup_find(s->lookup, &(uint32_t){1000}, NULL, 0);
    if (ordered) {
        s->sum += sett_lookup_range(s->lookup, &(uint32_t){1000}, NULL, 0, NULL, 0);
    }
}

static void with_lookup(count_stage* s)
{
    count_lookup(s, false);
}

static void with_lookup_ordered(count_stage* s)
{
    count_lookup(s, true);
}

/* Values that nothing has. */
static void run_lookup_find(count_stage* s)
{
    for (uint32_t k = 0; k < 64; k++) {
        s->sum += sett_lookup_find(s->lookup, &(uint32_t){1000 + k}, NULL, 0);
    }
}

static void run_lookup_range(count_stage* s)
{
    for (uint32_t k = 0; k < 64; k++) {
        s->sum += sett_lookup_range(s->lookup, &(uint32_t){1000 + k}, NULL, 0, NULL, 0);
    }
}

/* In each of the pages one value was written, and did not change. */
static void with_lookup_written(count_stage* s)
{
    with_lookup(s);
    sett_component health = sett_component_find(s->world, "Health");
    for (uint32_t k = 0; k < COUNT; k += 64) {
        (void)sett_get_mut(s->world, s->entity[k], health);
    }
}

static void run_lookup_update(count_stage* s)
{
    s->sum += sett_lookup_find(s->lookup, &(uint32_t){1000}, NULL, 0);
}

static void with_observers(count_stage* s)
{
    with_p(s);
    s->sum += sett_observer_create(s->world, &(sett_observer_desc){.component = s->v,
                                                                   .on_add = count_hook,
                                                                   .on_remove = count_hook,
                                                                   .user = s}) != NULL;
}

static void with_queue(count_stage* s)
{
    with_p(s);
    s->sum += sett_queue_create(s->world, &(sett_observer_desc){.component = s->v}) != NULL;
}

static void count_left(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    (void)entity;
    ((count_stage*)user)->hooked++;
}

static void with_query_observed(count_stage* s)
{
    with_both(s);
    sett_observer_desc desc = {.on_exit = count_left, .user = s};
    desc.terms[0].component = s->rare;
    s->sum += sett_observer_create(s->world, &desc) != NULL;
}

static void with_profile(count_stage* s)
{
    with_both(s);
    (void)sett_profile_begin(s->world);
}

static void with_bound(count_stage* s)
{
    with_entities(s);
    (void)sett_component_bind(s->world, 12345, s->p);
}

static void run_bound(count_stage* s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        s->sum += sett_component_bound(s->world, 12345);
    }
}

static void run_convert(count_stage* s)
{
    (void)sett_component_convert(s->world, s->v, SETT_STORAGE_SPARSE_SET);
}

static void with_parents(count_stage* s)
{
    with_attached(s);
    count_query_of(s, s->p, (sett_term){.component = s->p, .walk = SETT_WALK_ONE});
}

/* A step of a walk for each. */
static void run_from(count_stage* s)
{
    SETT_QUERY_EACH(s->query, b) {
        SETT_EACH(b, i) {
            s->sum += sett_batch_from(b, 1, i) != NULL;
        }
    }
}

/* ----------------------------------------------------------------------------------- the scenes */

static const count_scene count_scenes[] = {
    {"world", with_none, run_world, 1},
    {"create", with_all_twice, run_create, COUNT},
    {"create_2", with_all_twice, run_create_2, COUNT},
    {"create_2_first", with_none, run_create_2, COUNT},
    {"create_with", with_all_twice, run_create_with, COUNT},
    {"instantiate", with_prefab, run_instantiate, COUNT},
    {"instantiate_tree", with_prefab_tree, run_instantiate, COUNT * 4},
    {"create_many", with_none, run_create_many, COUNT},
    {"create_many_again", with_all_twice, run_create_many, COUNT},
    {"create_many_holes", with_all_ended_at_random, run_create_many, COUNT},
    {"destroy", with_both, run_destroy, COUNT},
    {"destroy_random", with_both_shuffled, run_destroy, COUNT},
    {"destroy_instances", with_instances, run_destroy, COUNT},
    {"replace", with_both_shuffled, run_replace, COUNT},
    {"tree", with_tree, run_tree, COUNT},
    {"attach", with_tree, run_attach, COUNT - 2},
    {"attach_below_one", with_tree, run_attach_below_one, COUNT - 2},
    {"attach_chain", with_tree, run_attach_chain, COUNT - 2},
    {"attach_again", with_detached, run_attach, COUNT - 2},
    {"attach_move", with_attached, run_move, COUNT - 17},
    {"detach", with_attached, run_detach, COUNT - 2},
    {"destroy_leaf", with_attached, run_destroy_leaves, COUNT / 2},
    {"relate", with_relationship, run_relate, COUNT - 2},
    {"relate_to_one", with_relationship, run_relate_to_one, COUNT - 2},
    {"relate_acyclic", with_acyclic, run_relate_chain, COUNT - 2},
    {"relate_again", with_unrelated, run_relate, COUNT - 2},
    {"relate_turn", with_related, run_relate_turn, COUNT - 17},
    {"unrelate", with_related, run_unrelate, COUNT - 2},
    {"search_parents", with_search_parents, run_search, COUNT},
    {"search_children", with_search_children, run_search, COUNT / 4},
    {"search_targets", with_search_targets, run_search, COUNT},
    {"search_sources", with_search_sources, run_search, COUNT / 4},
    {"add", with_p, run_add, COUNT},
    {"add_sparse", with_sparse, run_add, COUNT},
    {"remove_sparse", with_both_sparse, run_remove, COUNT},
    {"get_sparse", with_both_sparse, run_get, COUNT},
    {"find_sparse", with_half_of_sparse, run_find, COUNT},
    {"has_sparse", with_half_of_sparse, run_has, COUNT},
    {"add_tag", with_tag, run_add, COUNT},
    {"add_dont_fragment", with_dont_fragment, run_add, COUNT},
    {"remove", with_both, run_remove, COUNT},
    {"add_remove", with_p, run_add_remove, COUNT},
    {"add_remove_hooked", with_hook, run_add_remove, COUNT},
    {"add_remove_switch", with_switch, run_add_remove, COUNT},
    {"toggle_far", with_many, run_toggle_far, COUNT},
    {"loop_one", with_many, run_loop_often, 64},
    {"set", with_both, run_set, COUNT},
    {"get", with_both, run_get, COUNT},
    {"get_2", with_both, run_get_2, COUNT},
    {"get_2_typed", with_both, run_get_2_typed, COUNT},
    {"find_many", with_both, run_find_many, COUNT},
    {"get_accessor", with_both, run_get_accessor, COUNT},
    {"has", with_half, run_has, COUNT},
    {"loop_16", with_sixteen, run_loop_often, 64},
    {"loop_dense", with_both, run_loop, COUNT},
    {"loop_half", with_half, run_loop, COUNT / 2},
    {"loop_half_again", with_half_again, run_loop, COUNT / 2},
    {"loop_few", with_few, run_loop, COUNT / 61},
    {"loop_few_again", with_few_again, run_loop, COUNT / 61},
    {"loop_few_toggled", with_few_toggled, run_loop, COUNT / 61},
    {"loop_gathered", with_few_sparse, run_loop, COUNT / 8},
    {"loop_optional", with_half_sparse, run_loop, COUNT / 2},
    {"loop_group", with_group, run_loop, COUNT / 2},
    {"query_count", with_half, run_query_count, 1},
    {"sort", with_keys, run_sort, COUNT},
    {"sort_again", with_keys_disturbed, run_sort, COUNT},
    {"queued_add", with_p, run_queued, COUNT},
    {"ordered_rows", with_shallow, run_ordered, COUNT},
    {"ordered_rows_again", with_shallow_again, run_ordered, COUNT},
    {"ordered_rows_deep", with_deep, run_ordered, COUNT},
    {"ordered_less", with_shallow, run_ordered_less, COUNT},
    {"ordered_less_deep", with_deep, run_ordered_less, COUNT},
    {"ordered_less_links", with_deep_links, run_ordered_less, COUNT},
    {"systems_idle", with_idle_systems, run_progress, 1000},
    {"event_send", with_both, run_event, COUNT},
    {"commands_here", with_fetching, run_progress, COUNT},
    {"systems_busy", with_busy_systems, run_progress, 100},
    {"random", with_entities, run_random, COUNT},
    {"random_range", with_none, run_random_range, COUNT},
    {"random_normal", with_none, run_random_normal, COUNT},
    {"round", with_steps, run_round, COUNT * 2},
    {"instantiate_many", with_prefab, run_instantiate_many, COUNT},
    {"instantiate_trees", with_prefab_tree, run_instantiate_many, COUNT * 4},
    {"snapshot_write", with_snapshot, run_write_all, 2},
    {"delta_encode", with_two_snapshots, run_delta_encode, COUNT},
    {"delta_apply", with_delta, run_delta_apply, COUNT},
    {"lookup_find", with_lookup, run_lookup_find, 64},
    {"lookup_ordered", with_lookup_ordered, run_lookup_find, 64},
    {"lookup_range", with_lookup_ordered, run_lookup_range, 64},
    {"lookup_update", with_lookup_written, run_lookup_update, COUNT},
    {"add_remove_observed", with_observers, run_add_remove, COUNT},
    {"add_remove_queued", with_queue, run_add_remove, COUNT},
    {"destroy_observed", with_query_observed, run_destroy, COUNT},
    {"get_profiled", with_profile, run_get, COUNT},
    {"bound", with_bound, run_bound, COUNT},
    {"convert", with_both, run_convert, COUNT},
    {"batch_from", with_parents, run_from, COUNT - 1},
    {"json_write", with_described, run_json_write, COUNT},
    {"json_read", with_text, run_json_read, COUNT},
};

int main(void)
{
    for (size_t k = 0; k < sizeof(count_scenes) / sizeof(count_scenes[0]); k++) {
        const count_scene* scene = &count_scenes[k];
        count_begin(&the_stage);
        scene->prepare(&the_stage);
        CALLGRIND_ZERO_STATS;
        scene->run(&the_stage);
        CALLGRIND_DUMP_STATS_AT(scene->name);
        printf("%s %u\n", scene->name, (unsigned)scene->operations);
        if (sett_world_error(the_stage.world) != SETT_OK) {
            fprintf(stderr, "%s: %s\n", scene->name,
                    sett_status_name(sett_world_error(the_stage.world)));
            return 1;
        }
        sett_world_destroy(the_stage.world);
    }
    return the_stage.sum == 0; /* nothing was done */
}
