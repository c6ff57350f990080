/* wide_sett.c: the scenes of wide.h for Sett. */
#include "scene_sett.h"
#include "wide.h"

#include "sett/hierarchy.h"
#include "sett/json.h"
#include "sett/layout.h"
#include "sett/members.h"
#include "sett/name.h"
#include "sett/observer.h"
#include "sett/ordered.h"
#include "sett/prefab.h"
#include "sett/relationship.h"
#include "sett/search.h"

typedef sett_world lib_world;
typedef sett_entity lib_entity;
typedef sett_component lib_type;
typedef sett_query lib_query;
typedef sett_search lib_targets;
typedef sett_ordered lib_order;

#define lib_begin(run, pipeline) scene_world((run), true)
#define lib_end(world) (void)sett_world_destroy(world)
#define lib_progress(world) (void)sett_progress((world), SCENE_DT)
#define lib_system scene_system
#define lib_create sett_entity_create
#define lib_prefab sett_entity_create
#define lib_destroy(world, e) (void)sett_entity_destroy((world), (e))
#define lib_add(world, e, type) (void)sett_add((world), (e), (type))
#define lib_remove(world, e, type) (void)sett_remove((world), (e), (type))
#define lib_has sett_has
#define lib_count sett_component_count
#define lib_attach(world, e, parent) (void)sett_hierarchy_attach((world), (e), (parent))
#define lib_parent sett_hierarchy_parent
#define lib_relate(world, e, likes, target) (void)sett_relate((world), (e), (likes), (target))
#define lib_unrelate(world, e, likes, target) (void)sett_unrelate((world), (e), (likes), (target))
#define lib_prefab_done(world, root) (void)sett_prefab_make((world), (root))
#define lib_name(world, e, text) (void)sett_name_set((world), (e), (text))
#define lib_path(world, text) (!sett_is_null(sett_name_lookup((world), sett_null(), (text))))
#define LIB_ADD(world, e, type, T) ((T*)sett_add((world), (e), (type)))
#define LIB_ENSURE(world, e, type, T) ((T*)sett_ensure((world), (e), (type)))
#define LIB_FIND(world, e, type, T) ((const T*)sett_find((world), (e), (type)))
#define LIB_QUERY(world, query, b) SETT_QUERY_EACH(query, b)
#define LIB_ROUNDS(run, world, rounds, fill, scene)                                                \
    for (scene_loop loop = scene_loop_begin((run), (world), (rounds), (fill), (scene));            \
         scene_loop_next(&loop);)

static lib_type lib_register(scene_run* run, lib_world* world, const char* name, size_t size,
                             size_t align, bool rare)
{
    return scene_type(world, name, size, align,
                      run->tuned && rare ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_DEFAULT);
}

static lib_query* lib_query_create(lib_world* world, const lib_type* types, uint32_t count)
{
    sett_query_desc desc = {0};
    for (uint32_t k = 0; k < count; k++) {
        desc.terms[k].component = types[k];
        desc.terms[k].access = k == 0 ? SETT_INOUT : SETT_IN;
    }
    lib_query* query = sett_query_create(world, &desc);
    scene_check(query != NULL, "sett_query_create");
    return query;
}

static void lib_bulk(lib_world* world, uint32_t count, const lib_type* types, void* p, void* v)
{
    const void* values[2] = {p, v};
    (void)sett_entity_create_many(world, count, types, 2, values, NULL);
}

/* Between two operations of a scene without a loop: a world that finds its layout goes on. */
static inline void lib_settle(const scene_run* run, lib_world* world, uint32_t k)
{
    if (run->finds == SCENE_FINDS_AUTO && k % 8192 == 0) {
        (void)sett_layout_step(world, UINT32_MAX);
    }
}

static lib_order* lib_order_create(lib_world* world, lib_type spot)
{
    lib_query* query = lib_query_create(world, &spot, 1);
    return sett_ordered_create(world, &(sett_ordered_desc){.query = query, .cascade = true});
}

static inline void lib_order_visit(lib_world* world, lib_order* order, lib_type spot)
{
    uint32_t count;
    const sett_ordered_row* row = sett_ordered_rows(order, spot, SETT_INOUT, &count);
    (void)world;
    for (uint32_t k = 0; k < count; k++) {
        Spot* at = row[k].value;
        const Spot* above = row[k].parent;
        at->x = at->local_x + (above != NULL ? above->x : 0);
        at->y = at->local_y + (above != NULL ? above->y : 0);
    }
}

static void lib_called(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ++*(uint64_t*)user;
}

static void lib_observe(lib_world* world, lib_type type, uint64_t* called)
{
    sett_observer_desc desc = {.component = type, .on_add = lib_called, .user = called};
    scene_check(sett_observer_create(world, &desc) != NULL, "sett_observer_create");
}

static lib_type lib_relationship(lib_world* world, bool exclusive)
{
    return sett_relationship_register(
        world, &(sett_relationship_desc){.name = "Likes", .many = !exclusive});
}

static lib_targets* lib_targets_create(lib_world* world, lib_type likes)
{
    (void)likes;
    return sett_search_create(world, "Likes($e, $target)");
}

static inline uint64_t lib_targets_sum(lib_world* world, lib_targets* targets)
{
    uint64_t sum = 0;
    (void)world;
    SETT_SEARCH(targets, rows, i)
    {
        sum += sett_rows_entity(rows, 1, i).index;
    }
    return sum;
}

static inline lib_entity lib_instantiate(lib_world* world, lib_entity root)
{
    lib_entity made;
    (void)sett_instantiate(world, root, 1, &made);
    return made;
}

static inline lib_entity lib_create_child(lib_world* world, lib_entity parent)
{
    lib_entity e = sett_entity_create(world);
    (void)sett_hierarchy_attach(world, e, parent);
    return e;
}

static void lib_json_types(lib_world* world, lib_type* place, lib_type* vitals)
{
    *place = SETT_REGISTER(world, Place);
    *vitals = SETT_REGISTER(world, Vitals);
    (void)sett_members_set(world, *place, SETT_STRUCT(Place, x, y));
    (void)sett_members_set(world, *vitals, SETT_STRUCT(Vitals, points, most));
}

static bool lib_take_text(void* user, const char* text, size_t size)
{
    (void)text;
    *(size_t*)user += size;
    return true;
}

static size_t lib_json(lib_world* world)
{
    size_t size = 0;
    (void)sett_json_write(world, NULL, lib_take_text, &size);
    return size;
}

#include "wide_scenes.h"

scene_fn wide_sett(wide_row row)
{
    return wide_scenes[row];
}

scene_fn wide_sett_auto(wide_row row)
{
    bool loops = row <= WIDE_three_mixed_1m || (row >= WIDE_rare_pair_10k && row <= WIDE_twenty);
    return loops ? wide_scenes[row] : NULL;
}

scene_fn wide_sett_tuned(wide_row row)
{
    return row >= WIDE_rare_pair_10k && row <= WIDE_types_destroy ? wide_scenes[row] : NULL;
}
