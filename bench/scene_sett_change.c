/* scene_sett_change.c: the scenes that change structure. */
#include "scene_sett.h"

#include "sett/hierarchy.h"
#include "sett/observer.h"
#include "sett/prefab.h"

/* ------------------------------------------------------------------------------------ creating */

static void sett_create_none(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        sett_world* world = scene_world(run, run->count > 100000);
        scene_start(run);
        if (run->tuned) {
            (void)sett_entity_create_many(world, run->count, NULL, 0, NULL, NULL);
        } else {
            for (uint32_t k = 0; k < run->count; k++) {
                (void)sett_entity_create(world);
            }
        }
        scene_stop(run);
        run->checksum += sett_entity_count(world);
        sett_world_destroy(world);
    }
    run->operations = (uint64_t)rounds * run->count;
}

/* A loop over what the scene has stands by, as in the other implementations. */
static void change_prepare(sett_world* world, sett_component p, sett_component v)
{
    (void)scene_query(world,
                      (sett_term[]){{.component = p}, {.component = v, .access = SETT_IN}, {0}});
}

static uint64_t change_sum_2(sett_world* world, sett_component p, sett_component v)
{
    uint64_t sum = 0;
    uint32_t cursor = 0;
    uint32_t number = 0; /* entities are listed in the order in which they were created */
    for (sett_entity e = sett_entity_next(world, &cursor); !sett_is_null(e);
         e = sett_entity_next(world, &cursor)) {
        sum += scene_sum(number, ((const Position*)sett_get(world, e, p))->x) +
               scene_sum(number, ((const Velocity*)sett_get(world, e, v))->y);
        number++;
    }
    return sum;
}

static void sett_create_2(scene_run* run)
{
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        sett_world* world = scene_world(run, run->count > 100000);
        sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
        sett_component v = SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT);
        change_prepare(world, p, v);
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            sett_entity e = sett_entity_create(world);
            *(Position*)sett_add(world, e, p) = scene_position(k);
            *(Velocity*)sett_add(world, e, v) = scene_velocity(k);
        }
        scene_stop(run);
        run->checksum = change_sum_2(world, p, v);
        sett_world_destroy(world);
    }
    run->operations = (uint64_t)rounds * run->count;
}

static void sett_create_2_bulk(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_component v = SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT);
    change_prepare(world, p, v);
    Position* positions = scene_alloc(run->count, sizeof(Position));
    Velocity* velocities = scene_alloc(run->count, sizeof(Velocity));
    for (uint32_t k = 0; k < run->count; k++) {
        positions[k] = scene_position(k);
        velocities[k] = scene_velocity(k);
    }
    const sett_component types[] = {p, v};
    const void* const values[] = {positions, velocities};
    scene_start(run);
    (void)sett_entity_create_many(world, run->count, types, 2, values, NULL);
    scene_stop(run);
    run->checksum = change_sum_2(world, p, v);
    run->operations = run->count;
    sett_world_destroy(world);
    scene_free(positions);
    scene_free(velocities);
}

static void sett_create_4(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_component v = SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT);
    sett_component c =
        scene_type(world, "C", sizeof(Pair), SETT_ALIGNOF(Pair), SETT_STORAGE_DEFAULT);
    sett_component d =
        scene_type(world, "D", sizeof(Pair), SETT_ALIGNOF(Pair), SETT_STORAGE_DEFAULT);
    change_prepare(world, p, v);
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        sett_entity e = sett_entity_create(world);
        *(Position*)sett_add(world, e, p) = scene_position(k);
        *(Velocity*)sett_add(world, e, v) = scene_velocity(k);
        *(Pair*)sett_add(world, e, c) = (Pair){1, 1};
        *(Pair*)sett_add(world, e, d) = (Pair){2, 2};
    }
    scene_stop(run);
    run->operations = run->count;
    for (uint32_t k = 0; k < run->count; k++) {
        sett_entity e = sett_entity_at(world, k);
        run->checksum += scene_sum(k, ((const Position*)sett_get(world, e, p))->x +
                                          ((const Pair*)sett_get(world, e, c))->x) +
                         scene_sum(k, ((const Velocity*)sett_get(world, e, v))->y +
                                          ((const Pair*)sett_get(world, e, d))->y);
    }
    sett_world_destroy(world);
}

/* ---------------------------------------------------------------------------------- destroying */

static void sett_destroy(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_component v = SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT);
    change_prepare(world, p, v);
    sett_entity* entities = scene_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_add(world, entities[k], p);
        (void)sett_add(world, entities[k], v);
    }
    if (run->row == SCENE_destroy_random) {
        scene_shuffle(entities, run->count, sizeof(sett_entity));
    }
    scene_start(run);
    if (run->tuned) {
        (void)sett_entity_destroy_many(world, entities, run->count);
    } else {
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_entity_destroy(world, entities[k]);
        }
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum = sett_entity_count(world) + sett_component_count(world, p);
    sett_world_destroy(world);
    scene_free(entities);
}

/* -------------------------------------------------------------------------- adding and removing */

static void change_count(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    ++*(uint64_t*)user;
}

static void sett_toggle(scene_run* run)
{
    uint64_t called = 0;
    sett_world* world = scene_world(run, run->count > 100000);
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_component_desc desc = {SETT_TYPE(Velocity)};
    sett_component v = sett_component_register(world, &desc);
    sett_observer_desc observers[] = {
        {.name = "added", .component = v, .on_add = change_count, .user = &called},
        {.name = "removed", .component = v, .on_remove = change_count, .user = &called}};
    for (uint32_t k = 0; run->row == SCENE_hooks && k < 2; k++) {
        (void)sett_observer_create(world, &observers[k]);
    }
    change_prepare(world, p, v);
    sett_entity* entities = scene_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_add(world, entities[k], p);
    }
    if (run->row == SCENE_toggle_1m) {
        scene_shuffle(entities, run->count, sizeof(sett_entity));
    }
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_add(world, entities[k], v);
        }
        scene_stop(run);
        run->checksum += sett_component_count(world, v);
        scene_start(run);
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_remove(world, entities[k], v);
        }
        scene_stop(run);
    }
    run->operations = (uint64_t)rounds * run->count;
    run->checksum += 3 * called + 7 * (uint64_t)sett_component_count(world, v);
    sett_world_destroy(world);
    scene_free(entities);
}

static void sett_queued(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_component v = SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT);
    sett_entity* entities = scene_entities(world, run->count);
    for (uint32_t k = 0; k < run->count; k++) {
        (void)sett_add(world, entities[k], p);
    }
    sett_query* query = scene_query(world, (sett_term[]){{.component = p, .access = SETT_IN}, {0}});
    sett_commands* commands = sett_commands_here(world);
    uint32_t rounds = scene_rounds(run->count, 1000000);
    for (uint32_t round = 0; round < rounds; round++) {
        scene_start(run);
        SETT_QUERY_EACH(query, b) {
            SETT_EACH(b, i) {
                (void)sett_cmd_add(commands, sett_batch_entity(b, i), v);
            }
        }
        (void)sett_commands_apply(commands);
        scene_stop(run);
        run->checksum += sett_component_count(world, v);
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_remove(world, entities[k], v);
        }
    }
    run->operations = (uint64_t)rounds * run->count;
    sett_world_destroy(world);
    scene_free(entities);
}

/* -------------------------------------------------------------------------------- lives in full */

static void sett_churn(scene_run* run)
{
    sett_world* world = scene_world(run, false);
    sett_component a = SCENE_TYPE(world, Ca, SETT_STORAGE_DEFAULT);
    sett_component b = SCENE_TYPE(world, Cb, SETT_STORAGE_DEFAULT);
    sett_component c = SCENE_TYPE(world, Cc, SETT_STORAGE_DEFAULT);
    sett_component d = SCENE_TYPE(world, Cd, SETT_STORAGE_DEFAULT);
    sett_entity* entities = scene_alloc(run->count, sizeof(sett_entity));
    const sett_component types[] = {a, b, c, d};
    sett_query* query = scene_query(
        world,
        (sett_term[]){{.component = a}, {.component = b}, {.component = c}, {.component = d}, {0}});
    scene_start(run);
    for (uint32_t round = 0; round < SCENE_CHURN_ROUNDS; round++) {
        if (run->tuned) {
            (void)sett_entity_create_many(world, run->count, types, 4, NULL, entities);
            SETT_QUERY_EACH(query, batch) {
                Ca* fa = sett_batch_field(batch, 0);
                Cb* fb = sett_batch_field(batch, 1);
                Cc* fc = sett_batch_field(batch, 2);
                Cd* fd = sett_batch_field(batch, 3);
                SETT_EACH(batch, i) {
                    scene_write_a(&fa[i], 1);
                    scene_write_b(&fb[i], 1);
                    scene_write_c(&fc[i], 1);
                    scene_write_d(&fd[i], 1);
                    run->checksum += (uint64_t)(fa[i].f[0] + (float)fd[i].i);
                }
            }
            (void)sett_entity_destroy_many(world, entities, run->count);
            continue;
        }
        for (uint32_t k = 0; k < run->count; k++) {
            sett_entity e = entities[k] = sett_entity_create(world);
            (void)sett_add(world, e, a);
            (void)sett_add(world, e, b);
            (void)sett_add(world, e, c);
            (void)sett_add(world, e, d);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            sett_entity e = entities[k];
            Ca* fa = sett_get_mut(world, e, a);
            Cd* fd = sett_get_mut(world, e, d);
            scene_write_a(fa, 1);
            scene_write_b(sett_get_mut(world, e, b), 1);
            scene_write_c(sett_get_mut(world, e, c), 1);
            scene_write_d(fd, 1);
            run->checksum += (uint64_t)(fa->f[0] + (float)fd->i);
        }
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_entity_destroy(world, entities[k]);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)SCENE_CHURN_ROUNDS * run->count;
    run->checksum += sett_entity_count(world);
    sett_world_destroy(world);
    scene_free(entities);
}

static sett_entity tree_child(sett_world* world, sett_entity parent, sett_component type)
{
    sett_entity e = sett_entity_create(world);
    (void)sett_add(world, e, type);
    (void)sett_hierarchy_attach(world, e, parent);
    return e;
}

static void sett_tree(scene_run* run)
{
    sett_world* world = scene_world(run, false);
    sett_component a = SCENE_TYPE(world, Ca, SETT_STORAGE_DEFAULT);
    sett_component b = SCENE_TYPE(world, Cb, SETT_STORAGE_DEFAULT);
    sett_component c = SCENE_TYPE(world, Cc, SETT_STORAGE_DEFAULT);
    sett_component d = SCENE_TYPE(world, Cd, SETT_STORAGE_DEFAULT);
    sett_entity* roots = scene_alloc(run->count, sizeof(sett_entity));
    scene_start(run);
    for (uint32_t round = 0; round < SCENE_TREE_ROUNDS; round++) {
        for (uint32_t k = 0; k < run->count; k++) {
            roots[k] = sett_entity_create(world);
            (void)sett_add(world, roots[k], a);
            (void)sett_add(world, roots[k], b);
            for (uint32_t i = 0; i < SCENE_TREE_CHILDREN; i++) {
                sett_entity child = tree_child(world, roots[k], c);
                for (uint32_t j = 0; j < SCENE_TREE_LEAVES; j++) {
                    (void)tree_child(world, child, d);
                }
            }
        }
        run->checksum += sett_entity_count(world);
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_entity_destroy(world, roots[k]);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)SCENE_TREE_ROUNDS * SCENE_TREE_ENTITIES(run->count);
    run->checksum += 3 * (uint64_t)sett_entity_count(world);
    sett_world_destroy(world);
    scene_free(roots);
}

/* An entity of a prefab that is put together by hand. */
static sett_entity instance_node(sett_world* world, sett_entity parent, sett_component first,
                                 sett_component second)
{
    Ca a = {{1, 2, 3, 4, 5, 6}};
    sett_entity e = sett_entity_create(world);
    (void)sett_set(world, e, first, &a);
    (void)sett_set(world, e, second, &a);
    if (!sett_is_null(parent)) {
        (void)sett_hierarchy_attach(world, e, parent);
    }
    return e;
}

/* Tuned: all in one call. Entities of five components, or trees of ten entities. */
static void sett_instances(scene_run* run)
{
    sett_world* world = scene_world(run, true);
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_component a = SCENE_TYPE(world, Ca, SETT_STORAGE_DEFAULT);
    sett_component b = SCENE_TYPE(world, Cb, SETT_STORAGE_DEFAULT);
    sett_component c = SCENE_TYPE(world, Cc, SETT_STORAGE_DEFAULT);
    sett_component d = SCENE_TYPE(world, Cd, SETT_STORAGE_DEFAULT);
    bool tree = run->row == SCENE_instance_tree;
    sett_entity prefab = instance_node(world, sett_null(), p, a);
    for (uint32_t i = 0; tree && i < SCENE_PREFAB_CHILDREN; i++) {
        sett_entity child = instance_node(world, prefab, b, c);
        for (uint32_t j = 0; j < SCENE_PREFAB_LEAVES; j++) {
            (void)instance_node(world, child, c, d);
        }
    }
    if (!tree) {
        Ca given = {{1, 2, 3, 4, 5, 6}};
        (void)sett_set(world, prefab, b, &given);
        (void)sett_set(world, prefab, c, &given);
        (void)sett_set(world, prefab, d, &given);
    }
    (void)sett_prefab_make(world, prefab);
    sett_entity last = sett_null();
    sett_entity* made = scene_alloc(run->count, sizeof(sett_entity));
    scene_start(run);
    if (run->tuned) {
        (void)sett_instantiate(world, prefab, run->count, made);
        last = made[run->count - 1];
    } else {
        for (uint32_t k = 0; k < run->count; k++) {
            (void)sett_instantiate(world, prefab, 1, &last);
        }
    }
    scene_stop(run);
    run->operations = (uint64_t)run->count * (tree ? SCENE_PREFAB_ENTITIES : 1);
    run->checksum = sett_component_count(world, c) + sett_component_count(world, d) +
                    (uint64_t)((const Ca*)sett_get(world, last, a))->f[5];
    sett_world_destroy(world);
    scene_free(made);
}

static void sett_random_ops(scene_run* run)
{
    typedef struct alive {
        sett_entity entity;
        uint32_t number;
    } alive;
    sett_world* world = scene_world(run, true);
    sett_component p = SCENE_TYPE(world, Position, SETT_STORAGE_DEFAULT);
    sett_component v = SCENE_TYPE(world, Velocity, SETT_STORAGE_DEFAULT);
    change_prepare(world, p, v);
    alive* list = scene_alloc(run->count, sizeof(alive));
    uint32_t size = 0;
    uint64_t state = SCENE_SEED;
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        uint64_t draw = scene_random(&state) >> 16;
        uint32_t what = draw & 7;
        if (what < 3 || size == 0) {
            sett_entity e = sett_entity_create(world);
            *(Position*)sett_add(world, e, p) = scene_position(k);
            list[size++] = (alive){e, k};
            continue;
        }
        uint32_t at = (uint32_t)((draw >> 3) % size);
        sett_entity e = list[at].entity;
        switch (what) {
        case 5:
            if (!sett_has(world, e, v)) {
                *(Velocity*)sett_add(world, e, v) = scene_velocity(list[at].number);
            }
            break;
        case 6:
            if (sett_has(world, e, v)) {
                (void)sett_remove(world, e, v);
            }
            break;
        case 7:
            (void)sett_entity_destroy(world, e);
            list[at] = list[--size];
            break;
        default:
            run->checksum += scene_sum(k, ((const Position*)sett_get(world, e, p))->x);
            break;
        }
    }
    scene_stop(run);
    run->operations = run->count;
    run->checksum += sett_entity_count(world) + 3 * (uint64_t)sett_component_count(world, v);
    sett_world_destroy(world);
    scene_free(list);
}

static void sett_empty_world(scene_run* run)
{
    scene_start(run);
    for (uint32_t k = 0; k < run->count; k++) {
        sett_world* world = sett_world_create(NULL);
        run->checksum += world != NULL;
        sett_world_destroy(world);
    }
    scene_stop(run);
    run->operations = run->count;
}

scene_fn scene_sett_change(scene_row row)
{
    static const scene_fn rows[SCENE_ROWS] = {
        [SCENE_create_none] = sett_create_none,
        [SCENE_create_2] = sett_create_2,
        [SCENE_create_2_bulk] = sett_create_2_bulk,
        [SCENE_create_4] = sett_create_4,
        [SCENE_destroy_order] = sett_destroy,
        [SCENE_destroy_random] = sett_destroy,
        [SCENE_toggle_10k] = sett_toggle,
        [SCENE_toggle_1m] = sett_toggle,
        [SCENE_toggle_1m_order] = sett_toggle,
        [SCENE_hooks] = sett_toggle,
        [SCENE_queued] = sett_queued,
        [SCENE_churn] = sett_churn,
        [SCENE_tree] = sett_tree,
        [SCENE_instance] = sett_instances,
        [SCENE_instance_tree] = sett_instances,
        [SCENE_random_ops] = sett_random_ops,
        [SCENE_empty_world] = sett_empty_world,
    };
    return rows[row];
}
