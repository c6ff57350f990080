/* test_events.c: which callbacks run, when, in which order. Each test is a sentence of
 * docs/events.md, which stands above it, in the order of that page; test_observer.c has the rest.
 */
#include "events.h"

/* ---- Which callbacks run, and in which order ------------------------------------------------- */

/* On an addition the type's own callback runs first, then its observers, in the order of their
 * creation. */
static void the_hook_and_then_observers_hear_of_an_addition(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.a, "+");
    observe(&s, "2", s.a, "+");
    observe(&s, "3", s.b, "+");
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.a);
    expect(&s, "a+0 1+0 2+0");
    sett_add(s.world, e, s.b);
    expect(&s, "3+0");
    scene_end(&s);
}

/* On a set: the type's own callback, then observers. */
static void the_hook_and_then_observers_hear_of_a_set(void)
{
    scene s;
    scene_begin(&s);
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.a, 1);
    expect(&s, "a+1 a=1");
    observe(&s, "1", s.a, "=");
    observe(&s, "2", s.a, "=");
    set(&s, e, s.a, 7);
    expect(&s, "a=7 1=7 2=7");
    scene_end(&s);
}

/* On a removal observers run first, in the order of their creation, and the type's own callback
 * last. */
static void observers_and_then_the_hook_hear_of_a_removal(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.a, "-");
    observe(&s, "2", s.a, "-");
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.a, 3);
    expect(&s, "a+3 a=3");
    sett_remove(s.world, e, s.a);
    expect(&s, "1-3 2-3 a-3");
    scene_end(&s);
}

/* One observer may handle several events of its component, and runs for these only. */
static void one_observer_hears_of_several_events(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.b, "+=-");
    observe(&s, "2", s.b, "+-");
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.b, 3);
    sett_remove(s.world, e, s.b);
    expect(&s, "1+3 2+3 1=3 1-3 2-3");
    scene_end(&s);
}

/* Observers of queries and the callbacks of groups run in the order in which observers and groups
 * were created. */
static void queries_and_groups_hear_in_the_order_of_creation(void)
{
    scene s;
    scene_begin(&s);
    watch(&s, "1", s.b, 0);
    sett_group_desc desc = {.name = "g",
                            .with = {s.b},
                            .on_enter = hear_enter,
                            .on_exit = hear_exit,
                            .user = new_teller(&s, "g")};
    sett_group_create(s.world, &desc);
    watch(&s, "2", s.b, 0);
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    expect(&s, "1> g> 2>");
    sett_remove(s.world, e, s.b);
    expect(&s, "1< g< 2<");
    scene_end(&s);
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* `on_add` runs when the value exists, is initialised, and can be read. */
static void an_addition_is_notified_afterwards(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.b, "+");
    observe(&s, "2", s.c, "+");
    observe(&s, "3", s.t, "+");
    sett_entity e = sett_entity_create(s.world);
    CHECK(sett_add(s.world, e, s.b) != NULL);
    CHECK(sett_add(s.world, e, s.c) != NULL);
    expect(&s, "1+0 2+0");
    CHECK(sett_add(s.world, e, s.t) != NULL); /* no value */
    expect(&s, "3+");
    scene_end(&s);
}

/* `on_set` of an existing component runs when the value is written. */
static void a_set_is_notified_afterwards(void)
{
    scene s;
    scene_begin(&s);
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    sett_add(s.world, e, s.c);
    observe(&s, "1", s.b, "+=-");
    observe(&s, "2", s.c, "+=-");
    set(&s, e, s.b, 4);
    set(&s, e, s.c, 5);
    expect(&s, "1=4 2=5");
    scene_end(&s);
}

/* Setting a missing component runs `on_add` with the value that is set, then `on_enter` of the
 * queries that the entity enters, then `on_set`. */
static void a_set_may_be_an_addition(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.b, "+=");
    watch(&s, "q", s.b, 0);
    for (uint32_t round = 0; round < 2; round++) { /* a new transition, and a known one */
        set(&s, sett_entity_create(s.world), s.b, 4);
        expect(&s, "1+4 q> 1=4");
    }
    scene_end(&s);
}

/* sett_ensure runs `on_add` if it adds; writing through sett_ensure, sett_get_mut, sett_find_mut
 * and loops runs no callback. */
static void writing_in_place_is_not_notified(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.b, "+=-");
    sett_entity e = sett_entity_create(s.world);
    *(uint32_t*)sett_ensure(s.world, e, s.b) = 1;
    expect(&s, "1+0");
    *(uint32_t*)sett_ensure(s.world, e, s.b) = 2;
    *(uint32_t*)sett_get_mut(s.world, e, s.b) = 3;
    *(uint32_t*)sett_find_mut(s.world, e, s.b) = 4;
    sett_query_desc desc = {"all", {{.component = s.b}}};
    sett_query* query = sett_query_create(s.world, &desc);
    SETT_QUERY_EACH(query, batch) {
        uint32_t* value = sett_batch_field(batch, 0);
        SETT_EACH(batch, k) {
            value[k] = 5;
        }
    }
    expect(&s, "");
    scene_end(&s);
}

/* A required type is added, with all its callbacks, before the type that requires it. */
static void required_types_come_first(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "r", s.r, "+-");
    observe(&s, "b", s.b, "+-");
    watch(&s, "q", s.b, 0);
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.r);
    expect(&s, "b+0 q> r+0");
    scene_end(&s);
}

/* Removal callbacks run while the value still exists, as it was last written. */
static void a_removal_is_notified_before(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.b, "-");
    observe(&s, "2", s.c, "-");
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.b, 4);
    set(&s, e, s.c, 5);
    *(uint32_t*)sett_get_mut(s.world, e, s.b) = 6;
    sett_remove(s.world, e, s.b);
    sett_remove(s.world, e, s.c);
    expect(&s, "1-6 2-5");
    scene_end(&s);
}

/* A type that requires the removed one is removed before it, with all its callbacks. */
static void dependants_go_first(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "r", s.r, "-");
    observe(&s, "b", s.b, "-");
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.r, 1);
    set(&s, e, s.b, 2);
    sett_remove(s.world, e, s.b);
    expect(&s, "r-1 b-2");
    scene_end(&s);
}

/* A call on one entity that is rejected, or fails, runs no callback. */
static void rejected_calls_are_not_notified(void)
{
    scene s;
    scene_begin(&s);
    sett_entity e = sett_entity_create(s.world);
    sett_entity gone = sett_entity_create(s.world);
    sett_entity_destroy(s.world, gone);
    sett_add(s.world, e, s.b);
    observe(&s, "1", s.b, "+=-");
    observe(&s, "2", s.c, "+=-");
    uint32_t value = 0;
    CHECK(sett_add(s.world, e, s.b) == NULL); /* it is there */
    CHECK(sett_add(s.world, gone, s.b) == NULL);
    CHECK(sett_set(s.world, gone, s.b, &value) == NULL);
    CHECK(sett_set(s.world, e, s.b, NULL) == NULL);
    CHECK(sett_remove(s.world, e, s.c) != SETT_OK);
    CHECK(sett_entity_destroy(s.world, gone) != SETT_OK);
    expect(&s, "");
    scene_end(&s);
}

/* If an addition makes an entity match a query, `on_enter` runs after that addition's `on_add`. */
static void entering_by_an_addition(void)
{
    scene s;
    scene_begin(&s);
    watch(&s, "q", s.b, 0);
    observe(&s, "1", s.b, "+");
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    expect(&s, "1+0 q>");
    sett_add(s.world, e, s.c); /* it matched before, and does */
    expect(&s, "");
    scene_end(&s);
}

/* If a removal makes an entity cease to match, `on_exit` runs before that removal's `on_remove`. */
static void leaving_by_a_removal(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.b, "-");
    watch(&s, "q", s.b, 0);
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.b, 2);
    expect(&s, "q>");
    sett_remove(s.world, e, s.b);
    expect(&s, "q< 1-2");
    scene_end(&s);
}

/* If an addition makes an entity cease to match, `on_exit` runs before the component is added. */
static void leaving_by_an_addition(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.c, "+");
    watch(&s, "q", s.b, s.c);
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    expect(&s, "q>");
    sett_add(s.world, e, s.c);
    expect(&s, "q< 1+0");
    scene_end(&s);
}

static void look_for_c(teller* who, sett_entity entity)
{
    CHECK(!sett_has(who->s->world, entity, who->s->c));
}

/* If a removal makes an entity match, `on_enter` runs after the component is removed. */
static void entering_by_a_removal(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.c, "-");
    sett_entity e = sett_entity_create(s.world);
    sett_add(s.world, e, s.b);
    sett_add(s.world, e, s.c);
    watch(&s, "q", s.b, s.c)->then = look_for_c;
    sett_remove(s.world, e, s.c);
    expect(&s, "1-0 q>");
    scene_end(&s);
}

static uint32_t visited;

static void count_visited(sett_context* context)
{
    SETT_SYSTEM_EACH(context, batch) {
        visited += batch->count;
    }
}

/* Prefabs and disabled entities do not match a query, as loops skip them, unless a term names the
 * tag: adding the tag runs `on_exit`, removing it `on_enter`. The same holds for `on_enter` and
 * `on_exit` of systems. */
static void hidden_entities_do_not_match(void)
{
    for (uint32_t late = 0; late < 2; late++) {
        scene s;
        scene_begin(&s);
        if (!late) {
            CHECK(sett_prefab_tag(s.world) != 0 && sett_disabled_tag(s.world) != 0);
        }
        watch(&s, "q", s.b, 0);
        sett_system_desc desc = {.name = "s",
                                 .run = count_visited,
                                 .terms = {{.component = s.b}},
                                 .on_enter = hear_enter,
                                 .on_exit = hear_exit,
                                 .user = new_teller(&s, "s")};
        CHECK(sett_system_create(s.world, &desc) != NULL);
        CHECK(sett_prefab_tag(s.world) != 0 && sett_disabled_tag(s.world) != 0);
        watch(&s, "p", SETT_ID_PREFAB, s.c);
        sett_entity e[3];
        CHECK_EQ(sett_entity_create_many(s.world, 3, &s.b, 1, NULL, e), SETT_OK);
        expect(&s, "q> s> q> s> q> s>");
        sett_add(s.world, e[1], SETT_ID_DISABLED);
        expect(&s, "q< s<");
        CHECK_EQ(sett_prefab_make(s.world, e[2]), SETT_OK);
        expect(&s, "q< s< p>");
        visited = 0;
        CHECK_EQ(sett_progress(s.world, 1.0f), SETT_OK);
        CHECK_EQ(visited, 1);
        sett_query_desc both = {
            .terms = {{.component = s.b}, {.component = SETT_ID_PREFAB, .kind = SETT_OPTIONAL}}};
        sett_query* query = sett_query_create(s.world, &both); /* the system's set would lack one */
        CHECK_EQ(sett_query_count(query), 2);
        sett_query_destroy(query);
        sett_add(s.world, e[2], s.c);
        expect(&s, "p<");
        sett_entity made;
        CHECK_EQ(sett_instantiate(s.world, e[2], 1, &made), SETT_OK);
        expect(&s, "q> s>");
        CHECK_EQ(sett_entity_destroy(s.world, e[2]), SETT_OK);
        expect(&s, "");
        sett_remove(s.world, e[1], SETT_ID_DISABLED);
        expect(&s, "q> s>");
        CHECK_EQ(sett_progress(s.world, 1.0f), SETT_OK);
        CHECK_EQ(visited, 4);
        scene_end(&s);
    }
}

/* Callbacks of components, groups, and observers of queries without terms also run for prefabs and
 * disabled entities. */
static void other_callbacks_run_for_hidden_entities(void)
{
    scene s;
    scene_begin(&s);
    CHECK(sett_prefab_tag(s.world) != 0 && sett_disabled_tag(s.world) != 0);
    sett_entity e = sett_entity_create(s.world);
    CHECK_EQ(sett_prefab_make(s.world, e), SETT_OK);
    sett_add(s.world, e, SETT_ID_DISABLED);
    observe(&s, "1", s.b, "+-");
    watch(&s, "all", 0, 0);
    watch(&s, "q", s.b, 0);
    sett_group_desc desc = {.name = "g",
                            .with = {s.b},
                            .on_enter = hear_enter,
                            .on_exit = hear_exit,
                            .user = new_teller(&s, "g")};
    CHECK(sett_group_create(s.world, &desc) != NULL);
    sett_add(s.world, e, s.b);
    expect(&s, "1+0 g>");
    CHECK_EQ(sett_entity_destroy(s.world, e), SETT_OK);
    expect(&s, "all< g< 1-0");
    scene_end(&s);
}

/* Destroying an entity runs `on_exit` of the queries that it leaves, then the removal callbacks of
 * all its components: dont_fragment ones first, the latest registered first, then the others in
 * descending order of id; only then is the first value freed. */
static void an_end_is_notified_before_the_first_value_goes(void)
{
    scene s;
    scene_begin(&s);
    sett_component l2 = number_type(&s, "l2", (sett_component_desc){.dont_fragment = true});
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.b, 2);
    set(&s, e, s.a, 1);
    set(&s, e, s.c, 3);
    set(&s, e, s.l, 4);
    set(&s, e, l2, 5);
    expect(&s, "a+1 a=1");
    observe(&s, "b", s.b, "-");
    observe(&s, "c", s.c, "-");
    observe(&s, "l", s.l, "-");
    observe(&s, "l2", l2, "-");
    observe(&s, "1", s.a, "-");
    watch(&s, "q", s.b, 0);
    sett_entity_destroy(s.world, e);
    expect(&s, "q< l2-5 l-4 c-3 b-2 1-1 a-1");
    CHECK(!sett_entity_valid(s.world, e));
    scene_end(&s);
}

static void look_for_all(teller* who, sett_entity entity)
{
    scene* s = who->s;
    CHECK(sett_has(s->world, entity, s->a) && sett_has(s->world, entity, s->b));
    CHECK_EQ(sett_entity_destroy(s->world, entity), SETT_OK); /* does nothing */
}

/* During these callbacks the entity is valid and has all its components; destroying it again
 * returns OK and does nothing. */
static void a_dying_entity_is_whole(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "1", s.a, "-")->then = look_for_all;
    observe(&s, "2", s.b, "-")->then = look_for_all;
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.a, 1);
    set(&s, e, s.b, 2);
    expect(&s, "a+1 a=1");
    sett_entity_destroy(s.world, e);
    expect(&s, "2-2 1-1 a-1");
    scene_end(&s);
}

/* sett_entity_clear runs the same callbacks as destroying; the entity stays alive. */
static void clearing_an_entity_is_notified_as_its_end(void)
{
    scene s;
    scene_begin(&s);
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.b, 2);
    set(&s, e, s.l, 4);
    set(&s, e, s.c, 3);
    observe(&s, "b", s.b, "-");
    observe(&s, "c", s.c, "-");
    observe(&s, "l", s.l, "-");
    watch(&s, "q", s.b, 0);
    CHECK_EQ(sett_entity_clear(s.world, e), SETT_OK);
    expect(&s, "q< l-4 c-3 b-2");
    CHECK(sett_entity_valid(s.world, e));
    scene_end(&s);
}

/* sett_entity_create_many runs callbacks when all values of all entities exist: type by type,
 * required ones first, for each entity `on_add` and then, if values were given, `on_set`; at last,
 * for each entity, `on_enter` of its queries. */
static void creating_many_is_notified_at_the_end(void)
{
    scene s;
    scene_begin(&s);
    s.indices = true;
    watch(&s, "q", s.b, 0);
    observe(&s, "r", s.r, "+=");
    observe(&s, "b", s.b, "+=");
    observe(&s, "c", s.c, "+=");
    sett_component types[] = {s.c, s.r};
    uint32_t numbers[] = {7, 8};
    const void* values[] = {numbers, NULL};
    CHECK_EQ(sett_entity_create_many(s.world, 2, types, 2, values, NULL), SETT_OK);
    expect(&s, "c+0:7 c=0:7 c+1:8 c=1:8 b+0:0 b+1:0 r+0:0 r+1:0 q>0: q>1:");
    scene_end(&s);
}

/* sett_component_clear runs the callbacks of sett_remove for each entity: in the order of the
 * indices, for a sparse-set type from its last row to its first. */
static void clearing_a_type_is_notified_one_by_one(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "b", s.b, "-");
    observe(&s, "c", s.c, "-");
    watch(&s, "q", s.b, 0);
    for (uint32_t k = 1; k <= 2; k++) {
        sett_entity e = sett_entity_create(s.world);
        set(&s, e, s.b, k);
        set(&s, e, s.c, k);
    }
    expect(&s, "q> q>");
    CHECK_EQ(sett_component_clear(s.world, s.b), SETT_OK);
    expect(&s, "q< b-1 q< b-2");
    CHECK_EQ(sett_component_clear(s.world, s.c), SETT_OK);
    expect(&s, "c-2 c-1");
    scene_end(&s);
}

/* `sett_entity_destroy_many`, `sett_entity_destroy_with`, `sett_world_clear` and
 * `sett_world_destroy` run the callbacks of `sett_entity_destroy` for each entity.
 * `sett_entity_forget` runs the callbacks of `sett_entity_destroy`. */
static void the_end_of_many_is_notified_one_by_one(void)
{
    static scene s;
    scene_begin(&s);
    observe(&s, "b", s.b, "-");
    watch(&s, "q", s.b, 0);
    sett_entity e[5];
    for (uint32_t k = 0; k < 5; k++) {
        e[k] = sett_entity_create(s.world);
        set(&s, e[k], s.b, k);
    }
    sett_add(s.world, e[2], s.t);
    expect(&s, "q> q> q> q> q>");
    sett_entity_destroy_many(s.world, e, 2);
    expect(&s, "q< b-0 q< b-1");
    sett_entity_destroy_with(s.world, s.t);
    expect(&s, "q< b-2");
    CHECK_EQ(sett_entity_set_range(s.world, 128, 0), SETT_OK);
    CHECK_EQ(sett_entity_forget(s.world, e[3]), SETT_OK);
    expect(&s, "q< b-3");
    sett_world_clear(s.world);
    s.length = 0;
    set(&s, sett_entity_create(s.world), s.b, 9);
    s.length = 0;
    scene_valid(&s);
    sett_world_destroy(s.world);
    CHECK_STR_EQ(s.text, "q< b-9");
}

/* Moving values runs no callback: converting, compacting, sorting, trimming, groups that arrange.
 */
static void moving_is_not_notified(void)
{
    scene s;
    scene_begin(&s);
    for (uint32_t k = 0; k < 5; k++) {
        sett_entity e = sett_entity_create(s.world);
        set(&s, e, s.c, 10 - k);
        set(&s, e, s.b, k);
    }
    observe(&s, "b", s.b, "+=-");
    observe(&s, "c", s.c, "+=-");
    watch(&s, "q", s.c, 0);
    CHECK_EQ(sett_sort(s.world, &(sett_sort_desc){.component = s.c, .key = SETT_KEY_U32}), SETT_OK);
    CHECK_EQ(sett_component_convert(s.world, s.b, SETT_STORAGE_SPARSE_SET), SETT_OK);
    CHECK_EQ(sett_component_compact(s.world, s.c), SETT_OK);
    CHECK_EQ(sett_world_trim(s.world), SETT_OK);
    CHECK(sett_group_create(s.world, &(sett_group_desc){.owned = {s.b, s.c}}) != NULL);
    expect(&s, "");
    sett_remove(s.world, sett_entity_at(s.world, 2), s.b); /* observers came along */
    expect(&s, "b-2");
    scene_end(&s);
}

static sett_component register_likes(scene* s, bool many)
{
    sett_component likes = sett_relationship_register(
        s->world, &(sett_relationship_desc){.name = "likes", .size = 4, .many = many});
    observe(s, "l", likes, "+=-");
    return likes;
}

/* A link runs the callbacks of its component at the source: `on_add` with the first target, once
 * the link leads there; `on_set` when an exclusive link changes its target, and when one of several
 * links is added or removed; `on_remove` before the last link is removed, while it still leads to
 * its target. Writing data through the address that sett_relate returns runs no callback. */
static void links_are_notified_at_their_source(void)
{
    for (uint32_t many = 0; many < 2; many++) {
        scene s;
        scene_begin(&s);
        sett_entity e[3];
        for (uint32_t k = 0; k < 3; k++) {
            e[k] = sett_entity_create(s.world);
        }
        sett_component likes = register_likes(&s, many != 0);
        *(uint32_t*)sett_relate(s.world, e[0], likes, e[1]) = 5;
        expect(&s, "l+1"); /* the target's index; of many, how many there are */
        *(uint32_t*)sett_relate(s.world, e[0], likes, e[2]) = 6;
        expect(&s, "l=2");
        if (many != 0) {
            CHECK_EQ(sett_unrelate(s.world, e[0], likes, e[1]), SETT_OK);
            expect(&s, "l=1");
        }
        CHECK_EQ(sett_unrelate(s.world, e[0], likes, e[2]), SETT_OK);
        expect(&s, many != 0 ? "l-1" : "l-2");
        scene_end(&s);
    }
}

/* What a callback of a link is about: its target, and its data if the link is there. */
typedef struct link_heard {
    sett_component likes;
    sett_entity target[4]; /* on_add, on_set, on_remove, of each the last */
    uint32_t data[4];
    uint32_t calls;
} link_heard;

static void hear_link(sett_world* world, sett_entity source, link_heard* heard, uint32_t event)
{
    sett_entity target = sett_target_changed(world, source, heard->likes);
    const uint32_t* data = sett_related(world, source, heard->likes, target);
    heard->target[event] = target;
    heard->data[event] = data != NULL ? *data : 99;
    heard->calls++;
    CHECK(sett_is_null(sett_target_changed(world, target, heard->likes)));
    CHECK(sett_is_null(sett_target_changed(world, source, SETT_ID_INSTANCE_OF)));
}

static void hear_link_added(sett_world* world, sett_entity source, void* value, void* user)
{
    (void)value;
    hear_link(world, source, user, 0);
}

static void hear_link_set(sett_world* world, sett_entity source, void* value, void* user)
{
    (void)value;
    hear_link(world, source, user, 1);
}

static void hear_link_removed(sett_world* world, sett_entity source, void* value, void* user)
{
    (void)value;
    hear_link(world, source, user, 2);
}

/* The last call was this event, about a link to this target with these data; 99: it is gone. */
static void expect_link(link_heard* heard, uint32_t event, sett_entity target, uint32_t data)
{
    CHECK_EQ(heard->calls, 1);
    CHECK_ENTITY_EQ(heard->target[event], target);
    CHECK_EQ(heard->data[event], data);
    heard->calls = 0;
}

static link_heard observe_links(scene* s, bool many)
{
    link_heard heard = {.likes = sett_relationship_register(
                            s->world, &(sett_relationship_desc){
                                          .name = "likes", .size = 4, .align = 4, .many = many})};
    return heard;
}

/* `sett_relate_set` and `sett_cmd_relate` write the data of a link before its callbacks run; other
 * data of a link that exists run `on_set`, equal data run nothing. */
static void links_are_notified_with_their_data(void)
{
    for (uint32_t way = 0; way < 4; way++) {
        scene s;
        scene_begin(&s);
        bool many = way % 2 != 0;
        bool recorded = way / 2 != 0;
        sett_commands* commands = sett_commands_here(s.world);
        link_heard heard = observe_links(&s, many);
        CHECK(sett_observer_create(s.world, &(sett_observer_desc){.component = heard.likes,
                                                                  .on_add = hear_link_added,
                                                                  .on_set = hear_link_set,
                                                                  .on_remove = hear_link_removed,
                                                                  .user = &heard}) != NULL);
        sett_entity e[4];
        for (uint32_t k = 0; k < 4; k++) {
            e[k] = sett_entity_create(s.world);
        }
        static const struct {
            uint32_t target, data, event;
        } steps[] = {{1, 5, 0}, {1, 6, 1}, {2, 7, 1}, {2, 8, 1}};
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t data = steps[k].data;
            sett_entity target = e[steps[k].target];
            for (uint32_t again = 0; again < 2; again++) { /* equal data run nothing */
                if (recorded) {
                    CHECK_EQ(sett_cmd_relate(commands, e[0], heard.likes, target, &data), SETT_OK);
                    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
                } else {
                    uint32_t* own = sett_relate_set(s.world, e[0], heard.likes, target, &data);
                    CHECK_PTR_EQ(own, sett_related(s.world, e[0], heard.likes, target));
                    CHECK_PTR_EQ(own, sett_relate_set(s.world, e[0], heard.likes, target, NULL));
                }
            }
            expect_link(&heard, steps[k].event, target, data);
        }
        CHECK(sett_is_null(sett_target_changed(s.world, e[0], heard.likes)));
        scene_end(&s);
    }
}

/* `sett_target_changed` says which link a callback is about; null where it is about several. */
static void callbacks_ask_which_link_it_is(void)
{
    scene s;
    scene_begin(&s);
    link_heard heard = observe_links(&s, true);
    CHECK(sett_observer_create(s.world, &(sett_observer_desc){.component = heard.likes,
                                                              .on_add = hear_link_added,
                                                              .on_set = hear_link_set,
                                                              .on_remove = hear_link_removed,
                                                              .user = &heard}) != NULL);
    sett_entity e[6];
    for (uint32_t k = 0; k < 6; k++) {
        e[k] = sett_entity_create(s.world);
    }
    for (uint32_t k = 1; k < 6; k++) {
        CHECK(sett_relate_set(s.world, e[0], heard.likes, e[k], &k) != NULL);
        expect_link(&heard, k != 1, e[k], k);
    }
    CHECK(sett_relate_set(s.world, e[0], heard.likes, e[3], &(uint32_t){30}) != NULL);
    expect_link(&heard, 1, e[3], 30);
    CHECK_EQ(sett_unrelate(s.world, e[0], heard.likes, e[2]), SETT_OK);
    expect_link(&heard, 1, e[2], 99);
    sett_entity copy = sett_duplicate(s.world, e[0], NULL);
    expect_link(&heard, 0, sett_null(), 99);
    CHECK_EQ(sett_remove(s.world, copy, heard.likes), SETT_OK);
    expect_link(&heard, 2, sett_null(), 99);
    CHECK_EQ(sett_entity_destroy(s.world, e[3]), SETT_OK);
    expect_link(&heard, 1, e[3], 99);
    CHECK_EQ(sett_unrelate_sources(s.world, heard.likes, e[1]), SETT_OK);
    expect_link(&heard, 1, e[1], 99);
    CHECK_EQ(sett_unrelate(s.world, e[0], heard.likes, e[5]), SETT_OK);
    expect_link(&heard, 1, e[5], 99);
    CHECK_EQ(sett_unrelate(s.world, e[0], heard.likes, e[4]), SETT_OK);
    expect_link(&heard, 2, e[4], 4);
    scene_end(&s);
}

static sett_component led_by;

static void hear_no_source(teller* who, sett_entity entity)
{
    CHECK_EQ(sett_source_count(who->s->world, led_by, entity), 0);
}

/* When destroying a target removes links of surviving entities, their callbacks run before any
 * callback of the target. So in `on_remove` of the target's components nothing leads to it any
 * more: observe the relationship, not the target. */
static void sources_are_notified_before_their_target(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "b", s.b, "-")->then = hear_no_source;
    sett_component likes = register_likes(&s, false);
    led_by = likes;
    sett_entity target = sett_entity_create(s.world);
    set(&s, target, s.b, 9);
    CHECK(sett_relate(s.world, sett_entity_create(s.world), likes, target) != NULL);
    CHECK_EQ(sett_source_count(s.world, likes, target), 1);
    expect(&s, "l+0");
    CHECK_EQ(sett_entity_destroy(s.world, target), SETT_OK);
    expect(&s, "l-0 b-9");
    scene_end(&s);
}

static void hear_parent(teller* who, sett_entity entity)
{
    scene* s = who->s; /* a copy is in its place: 0 is the original */
    sett_entity parent = sett_hierarchy_parent(s->world, entity);
    CHECK_EQ(sett_is_null(parent), *(const uint32_t*)sett_get(s->world, entity, s->b) == 1);
}

/* Instances and copies run the callbacks of sett_entity_create_many, when all of them are attached
 * and linked: first the entity itself, then its descendants, parents first. */
static void copies_are_notified_in_their_places(void)
{
    for (uint32_t way = 0; way < 2; way++) {
        scene s;
        scene_begin(&s);
        CHECK(sett_hierarchy_register(s.world, NULL) != 0);
        sett_entity e[4];
        for (uint32_t k = 0; k < 4; k++) { /* 1 has 2 and 4, 2 has 3 */
            e[k] = sett_entity_create(s.world);
            set(&s, e[k], s.b, k + 1);
            CHECK(k == 0 || sett_hierarchy_attach(s.world, e[k], e[k == 2 ? 1 : 0]) == SETT_OK);
        }
        observe(&s, "b", s.b, "+=")->then = hear_parent;
        sett_entity copy = way == 0 ? sett_duplicate(s.world, e[0], NULL) : sett_null();
        CHECK(way == 0 ? !sett_is_null(copy)
                       : sett_instantiate(s.world, e[0], 1, &copy) == SETT_OK);
        expect(&s, "b+1 b=1 b+2 b=2 b+3 b=3 b+4 b=4");
        scene_end(&s);
    }
}

/* Instances below a prefab are prefabs when their callbacks run. */
static void instances_below_a_prefab_are_prefabs(void)
{
    scene s;
    scene_begin(&s);
    CHECK(sett_prefab_tag(s.world) != 0);
    sett_entity folder = sett_entity_create(s.world);
    sett_entity e[2];
    CHECK_EQ(sett_entity_create_many(s.world, 2, &s.b, 1, NULL, e), SETT_OK);
    CHECK_EQ(sett_hierarchy_attach(s.world, e[1], e[0]), SETT_OK);
    CHECK_EQ(sett_prefab_make(s.world, folder), SETT_OK);
    teller* who = new_teller(&s, "b");
    sett_observer_desc desc = {.component = s.b,
                               .on_add = hear_add,
                               .on_set = hear_set,
                               .on_remove = hear_remove,
                               .terms = {{.component = SETT_ID_PREFAB, .kind = SETT_WITHOUT}},
                               .user = who};
    CHECK(sett_observer_create(s.world, &desc) != NULL);
    watch(&s, "p", SETT_ID_PREFAB, 0);
    watch(&s, "q", s.b, 0);
    const sett_value given = {.component = s.b, .value = &(uint32_t){7}};
    for (uint32_t way = 0; way < 6; way++) { /* the later ones would have a recipe */
        sett_entity made = sett_null();
        if (way % 2 == 0) {
            made = sett_instantiate_with(
                s.world, &(sett_instantiate_desc){
                             .prefab = e[0], .parent = folder, .values = &given, .value_count = 1});
        } else {
            (void)sett_hierarchy_set_scope(s.world, folder);
            CHECK_EQ(sett_instantiate(s.world, e[0], 1, &made), SETT_OK);
            (void)sett_hierarchy_set_scope(s.world, sett_null());
        }
        CHECK(sett_has(s.world, made, SETT_ID_PREFAB));
        expect(&s, "p> p>");
        CHECK_EQ(sett_entity_destroy(s.world, made), SETT_OK);
        expect(&s, "p< p<");
    }
    scene_end(&s);
}

/* A command runs its callbacks when it is applied, as the immediate call would; a skipped command
 * runs none. */
static void commands_are_notified_when_they_are_applied(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "b", s.b, "+=-");
    watch(&s, "q", s.b, 0);
    sett_commands* commands = sett_commands_here(s.world);
    sett_entity e = sett_cmd_create(commands);
    uint32_t value = 5;
    sett_cmd_set(commands, e, s.b, &value);
    sett_cmd_add(commands, e, s.b);    /* it will be there */
    sett_cmd_remove(commands, e, s.c); /* it will not */
    sett_cmd_destroy(commands, e);
    sett_cmd_set(commands, e, s.b, &value);
    expect(&s, "");
    CHECK_EQ(sett_commands_apply(commands), SETT_OK);
    expect(&s, "b+5 q> b=5 q< b-5");
    scene_end(&s);
}

/* Adding and removing dont_fragment types runs the same callbacks as for other types; observers of
 * queries cannot name them. */
static void dont_fragment_types_are_notified_too(void)
{
    scene s;
    scene_begin(&s);
    observe(&s, "l", s.l, "+=-");
    sett_entity e = sett_entity_create(s.world);
    set(&s, e, s.l, 5);
    sett_remove(s.world, e, s.l);
    expect(&s, "l+5 l=5 l-5");
    teller* who = new_teller(&s, "q");
    sett_observer_desc desc = query_desc(who, s.b, s.l);
    CHECK(sett_observer_create(s.world, &desc) == NULL);
    CHECK_EQ(sett_world_error(s.world), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(s.world), "\"l\" is dont_fragment") != NULL);
    scene_end(&s);
}

static uint32_t heard_data;

/* The data of the only link of an entity. */
static void hear_data(teller* who, sett_entity entity)
{
    sett_component likes = sett_component_find(who->s->world, "likes");
    const uint32_t* data =
        sett_related(who->s->world, entity, likes, sett_target(who->s->world, entity, likes));
    heard_data = data != NULL ? *data : 0;
}

/* A delta (sett_delta_apply) runs the callbacks of destroyed entities first, then of components
 * removed, added and changed, type by type in the order of registration and by index. For an
 * addition `on_add`, `on_enter` and `on_set` run when the final value is in place. A changed
 * value runs `on_set`. */
static void a_delta_is_notified_with_final_values(void)
{
    scene s;
    scene from;
    scene_begin(&s);
    sett_entity e[3];
    for (uint32_t k = 0; k < 3; k++) {
        e[k] = sett_entity_create(s.world);
        set(&s, e[k], s.b, 10 + k);
    }
    set(&s, e[1], s.c, 20);
    scene_begin_sender(&from, &s);
    observe(&s, "b", s.b, "+=-");
    observe(&s, "c", s.c, "+=-");
    observe(&s, "r", s.r, "+=-");
    observe(&s, "t", s.t, "+=-");
    watch(&s, "q", s.a, 0);
    sett_snapshot since;
    CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
    CHECK_EQ(sett_entity_destroy(from.world, e[0]), SETT_OK);
    CHECK_EQ(sett_remove(from.world, e[1], s.c), SETT_OK);
    set(&from, e[1], s.a, 31);
    set(&from, e[2], s.b, 32);
    set(&from, e[2], s.c, 33);
    sett_entity fresh = sett_entity_create(from.world);
    set(&from, fresh, s.r, 34); /* and b, which it requires */
    set(&from, fresh, s.b, 35);
    CHECK(sett_ensure(from.world, e[1], s.t) != NULL);
    CHECK_EQ(play(&s, &from, since, false), SETT_OK);
    expect(&s, "b-10 a+31 q> a=31 b+35 b=35 b=32 c-20 c+33 c=33 t+ r+34 r=34");
    CHECK(sett_has(s.world, e[1], s.t));
    sett_world_destroy(from.world);
    scene_end(&s);
}

/* A part of the tree, with names. */
static void build_named(sett_world* world)
{
    sett_entity base = entity_from(world, 0);
    for (uint32_t k = 1; k < 3; k++) {
        CHECK_EQ(sett_hierarchy_attach(world, entity_from(world, k), base), SETT_OK);
        CHECK_EQ(sett_name_set(world, entity_from(world, k), k == 1 ? "one" : "two"), SETT_OK);
    }
}

/* Nodes of the hierarchy and names run the callbacks of `sett_hierarchy_attach` and
 * `sett_name_set`. */
static void nodes_and_names_of_a_delta_are_notified(void)
{
    for (uint32_t sent = 0; sent < 2; sent++) {
        scene s;
        scene from;
        scene_begin(&s);
        CHECK_EQ(sett_hierarchy_register(s.world, NULL), SETT_ID_HIERARCHY);
        CHECK_EQ(sett_name_register(s.world), SETT_ID_NAME);
        for (uint32_t k = 0; k < 3; k++) {
            CHECK(!sett_is_null(sett_entity_create(s.world)));
        }
        scene_begin_sender(&from, &s);
        s.indices = s.silent = true;
        observe(&s, "h", SETT_ID_HIERARCHY, "+=-");
        observe(&s, "n", SETT_ID_NAME, "+=-");
        sett_snapshot since;
        CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
        build_named(sent != 0 ? from.world : s.world);
        if (sent != 0) {
            CHECK_EQ(play(&s, &from, since, false), SETT_OK);
        }
        expect(&s, sent != 0 ? "h+0: h+1: h+2: n+1: n+2:" : "h+0: h+1: n+1: h+2: n+2:");
        sett_world_destroy(from.world);
        scene_end(&s);
    }
}

/* A link of a delta runs its callbacks when its data are in place; changed data of an existing link
 * run `on_set`. */
static void a_link_of_a_delta_is_notified_with_its_data(void)
{
    for (uint32_t many = 0; many < 2; many++) {
        scene s;
        scene from;
        scene_begin(&s);
        sett_entity e[3];
        for (uint32_t k = 0; k < 3; k++) {
            e[k] = sett_entity_create(s.world);
        }
        sett_component likes = sett_relationship_register(
            s.world, &(sett_relationship_desc){.name = "likes", .size = 4, .many = many != 0});
        scene_begin_sender(&from, &s);
        teller* who = observe(&s, "l", likes, "+=-");
        who->then = hear_data;
        sett_snapshot since;
        CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
        *(uint32_t*)sett_relate(from.world, e[0], likes, e[1]) = 5;
        CHECK_EQ(play(&s, &from, since, false), SETT_OK);
        s.text[0] = '\0';
        s.length = 0;
        CHECK_EQ(heard_data, 5);
        CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
        *(uint32_t*)sett_related_mut(from.world, e[0], likes, e[1]) = 6;
        CHECK_EQ(play(&s, &from, since, false), SETT_OK);
        CHECK_EQ(heard_data, 6);
        CHECK(strstr(s.text, "l=") != NULL && strstr(s.text, "l+") == NULL);
        sett_world_destroy(from.world);
        scene_end(&s);
    }
}

/* Undoing a rejected delta runs no observer. */
static void a_rejected_delta_is_undone_silently(void)
{
    scene s;
    scene from;
    scene_begin(&s);
    sett_entity e = sett_entity_create(s.world);
    scene_begin_sender(&from, &s);
    observe(&s, "b", s.b, "+=-");
    sett_snapshot since;
    CHECK_EQ(sett_snapshot_take(from.world, &since), SETT_OK);
    set(&from, e, s.b, 8);
    CHECK_EQ(play(&s, &from, since, true), SETT_STATUS_INVALID);
    expect(&s, "b+8 b=8");
    CHECK(!sett_has(s.world, e, s.b));
    sett_world_destroy(from.world);
    scene_end(&s);
}

TEST_MAIN(
    TEST(the_hook_and_then_observers_hear_of_an_addition),
    TEST(the_hook_and_then_observers_hear_of_a_set),
    TEST(observers_and_then_the_hook_hear_of_a_removal), TEST(one_observer_hears_of_several_events),
    TEST(queries_and_groups_hear_in_the_order_of_creation),
    TEST(an_addition_is_notified_afterwards), TEST(a_set_is_notified_afterwards),
    TEST(a_set_may_be_an_addition), TEST(writing_in_place_is_not_notified),
    TEST(required_types_come_first), TEST(a_removal_is_notified_before), TEST(dependants_go_first),
    TEST(rejected_calls_are_not_notified), TEST(entering_by_an_addition),
    TEST(leaving_by_a_removal), TEST(leaving_by_an_addition), TEST(entering_by_a_removal),
    TEST(hidden_entities_do_not_match), TEST(other_callbacks_run_for_hidden_entities),
    TEST(an_end_is_notified_before_the_first_value_goes), TEST(a_dying_entity_is_whole),
    TEST(clearing_an_entity_is_notified_as_its_end), TEST(creating_many_is_notified_at_the_end),
    TEST(clearing_a_type_is_notified_one_by_one), TEST(the_end_of_many_is_notified_one_by_one),
    TEST(moving_is_not_notified), TEST(links_are_notified_at_their_source),
    TEST(links_are_notified_with_their_data), TEST(callbacks_ask_which_link_it_is),
    TEST(sources_are_notified_before_their_target), TEST(copies_are_notified_in_their_places),
    TEST(instances_below_a_prefab_are_prefabs), TEST(commands_are_notified_when_they_are_applied),
    TEST(dont_fragment_types_are_notified_too), TEST(a_delta_is_notified_with_final_values),
    TEST(nodes_and_names_of_a_delta_are_notified),
    TEST(a_link_of_a_delta_is_notified_with_its_data), TEST(a_rejected_delta_is_undone_silently))
