/* wide_flecs.c: the scenes of wide.h for flecs, as its manual does them: cached queries, systems in
 * its pipeline, whole tables at a time. */
#include "scene_flecs.h"
#include "wide.h"

#include <string.h>

typedef ecs_world_t lib_world;
typedef ecs_entity_t lib_entity;
typedef ecs_entity_t lib_type;
typedef ecs_query_t lib_query;
typedef ecs_query_t lib_targets;
typedef ecs_query_t lib_order;
typedef ecs_iter_t lib_context;

#define lib_begin(run, pipeline) ((pipeline) ? ecs_init() : ecs_mini())
#define lib_end(world) (void)ecs_fini(world)
#define lib_register(run, world, name, size, align, rare)                                          \
    ((void)(run), (void)(rare), flecs_type((world), (name), (size), (align)))
#define lib_progress(world) (void)ecs_progress((world), SCENE_DT)
#define lib_settle(run, world, k) (void)(run)
#define lib_query_create flecs_query
#define lib_create ecs_new
#define lib_create_child(world, parent) ecs_new_w_pair((world), EcsChildOf, (parent))
#define lib_prefab(world) ecs_new_w_id((world), EcsPrefab)
#define lib_prefab_done(world, root) (void)(root)
#define lib_instantiate(world, root) ecs_new_w_pair((world), EcsIsA, (root))
#define lib_destroy ecs_delete
#define lib_add ecs_add_id
#define lib_remove ecs_remove_id
#define lib_has ecs_has_id
#define lib_count(world, type) (uint64_t) ecs_count_id((world), (type))
#define lib_attach(world, e, parent) ecs_add_pair((world), (e), EcsChildOf, (parent))
#define lib_parent(world, e) ecs_get_target((world), (e), EcsChildOf, 0)
#define lib_relate ecs_add_pair
#define lib_unrelate ecs_remove_pair
#define lib_name(world, e, text) (void)ecs_set_name((world), (e), (text))
#define lib_path(world, text) (ecs_lookup_path_w_sep((world), 0, (text), "/", NULL, false) != 0)
#define LIB_ADD(world, e, type, T) ((T*)ecs_ensure_id((world), (e), (type), sizeof(T)))
#define LIB_ENSURE LIB_ADD
#define LIB_FIND(world, e, type, T) ((const T*)ecs_get_id((world), (e), (type)))
#define LIB_QUERY(world, query, b)                                                                 \
    for (ecs_iter_t b##_it = ecs_query_iter((world), (query)), *b = &b##_it; ecs_query_next(b);)
#define LIB_SYSTEM(c, b) for (ecs_iter_t* b = (c); b != NULL; b = NULL)
#define LIB_USER(c) ((c)->ctx)
#define LIB_FIELD(b, T, k) ((T*)ecs_field_w_size((b), sizeof(T), (int8_t)(k)))
#define LIB_ROWS(b, i) for (int32_t i = 0; i < (b)->count; i++)
#define LIB_ROUNDS(run, world, rounds, fill, scene)                                                \
    for (uint32_t turn = ((void)(fill), (void)(scene), 0u); scene_goes_on((run), turn, (rounds));  \
         turn++)

static void lib_system(lib_world* world, const char* name, ecs_iter_action_t run, void* user,
                       const lib_type* types, uint32_t writes)
{
    const ecs_id_t phase[] = {ecs_dependson(EcsOnUpdate), EcsOnUpdate, 0};
    ecs_system_desc_t desc = {
        .entity = ecs_entity_init(world, &(ecs_entity_desc_t){.add = phase}),
        .callback = run,
        .ctx = user,
        .query.cache_kind = EcsQueryCacheAuto,
    };
    (void)name;
    for (uint32_t k = 0; k < 3 && types[k] != 0; k++) {
        desc.query.terms[k].id = types[k];
        desc.query.terms[k].inout = writes >> k & 1 ? EcsInOut : EcsIn;
    }
    scene_check(ecs_system_init(world, &desc) != 0, "ecs_system_init");
}

static void lib_bulk(lib_world* world, uint32_t count, const lib_type* types, void* p, void* v)
{
    ecs_bulk_desc_t desc = {.count = (int32_t)count, .ids = {types[0], types[1]}};
    void* values[] = {p, v};
    desc.data = p != NULL ? values : NULL;
    (void)ecs_bulk_init(world, &desc);
}

static lib_order* lib_order_create(lib_world* world, lib_type spot)
{
    ecs_query_desc_t desc = {.terms = {{.id = spot},
                                       {.id = spot,
                                        .src.id = EcsCascade | EcsUp,
                                        .trav = EcsChildOf,
                                        .inout = EcsIn,
                                        .oper = EcsOptional}},
                             .cache_kind = EcsQueryCacheAuto};
    return ecs_query_init(world, &desc);
}

static inline void lib_order_visit(lib_world* world, lib_order* order, lib_type spot)
{
    (void)spot;
    LIB_QUERY(world, order, it)
    {
        Spot* at = LIB_FIELD(it, Spot, 0);
        const Spot* above = LIB_FIELD(it, const Spot, 1);
        float x = above != NULL ? above->x : 0;
        float y = above != NULL ? above->y : 0;
        LIB_ROWS(it, i)
        {
            at[i].x = at[i].local_x + x;
            at[i].y = at[i].local_y + y;
        }
    }
}

static void lib_called(ecs_iter_t* it)
{
    *(uint64_t*)it->ctx += (uint64_t)it->count;
}

static void lib_observe(lib_world* world, lib_type type, uint64_t* called)
{
    ecs_observer_desc_t desc = {.callback = lib_called, .ctx = called, .events = {EcsOnAdd}};
    desc.query.terms[0].id = type;
    scene_check(ecs_observer_init(world, &desc) != 0, "ecs_observer_init");
}

static lib_type lib_relationship(lib_world* world, bool exclusive)
{
    lib_type likes = ecs_new(world);
    if (exclusive) {
        ecs_add_id(world, likes, EcsExclusive);
    }
    return likes;
}

static lib_targets* lib_targets_create(lib_world* world, lib_type likes)
{
    ecs_query_desc_t desc = {.terms = {{.id = ecs_pair(likes, EcsWildcard)}},
                             .cache_kind = EcsQueryCacheAuto};
    return ecs_query_init(world, &desc);
}

static inline uint64_t lib_targets_sum(lib_world* world, lib_targets* targets)
{
    uint64_t sum = 0;
    LIB_QUERY(world, targets, it)
    {
        uint64_t target = ecs_pair_second(world, ecs_field_id(it, 0));
        LIB_ROWS(it, i)
        {
            sum += target;
        }
    }
    return sum;
}

static lib_type lib_struct(lib_world* world, const char* name, const char* const* members,
                           ecs_entity_t type)
{
    ecs_struct_desc_t desc = {
        .entity = ecs_entity_init(world, &(ecs_entity_desc_t){.name = name}),
        .members = {{.name = members[0], .type = type}, {.name = members[1], .type = type}}};
    return ecs_struct_init(world, &desc);
}

static void lib_json_types(lib_world* world, lib_type* place, lib_type* vitals)
{
    *place = lib_struct(world, "Place", (const char*[]){"x", "y"}, ecs_id(ecs_f32_t));
    *vitals = lib_struct(world, "Vitals", (const char*[]){"points", "most"}, ecs_id(ecs_u32_t));
}

static size_t lib_json(lib_world* world)
{
    char* text = ecs_world_to_json(world, NULL);
    scene_check(text != NULL, "ecs_world_to_json");
    size_t size = strlen(text);
    ecs_os_free(text);
    return size;
}

#include "wide_scenes.h"

scene_fn wide_flecs(wide_row row)
{
    return wide_scenes[row];
}
