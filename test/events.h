/* events.h: listeners that write what they hear, for test_events.c and test_observer.c: the name,
 * then + added, = set, - about to be removed, > entered, < about to leave, then the value.
 */
#ifndef SETT_TEST_EVENTS_H
#define SETT_TEST_EVENTS_H

#include "sett/observer.h"
#include "sett/state.h"
#include "worlds.h"

#define TELLERS 12
#define TEXT_SIZE 4096

typedef struct scene scene;

/* A listener: a type's hooks, an observer, or a group. */
typedef struct teller {
    scene* s;
    const char* name;
    sett_observer* observer;
    void (*then)(struct teller* teller, sett_entity entity); /* what else the callback does */
    sett_observer* other;                                    /* to whom */
} teller;

struct scene {
    sett_world* world;
    sett_component a; /* a number, with hooks */
    sett_component b; /* a number */
    sett_component c; /* a number, sparse-set */
    sett_component t; /* a tag */
    sett_component l; /* a number, dont_fragment */
    sett_component r; /* a number, requires b */
    teller hooks;
    teller notified[TELLERS];
    uint32_t tellers;
    bool indices; /* write down entities too, */
    bool silent;  /* and no values */
    char text[TEXT_SIZE];
    size_t length;
    char logged[512];
    uint32_t lines;
};

static inline void hear(const teller* who, char event, sett_entity entity, const void* value)
{
    scene* s = who->s;
    CHECK(s->length + 32 < TEXT_SIZE);
    CHECK(sett_entity_valid(s->world, entity));
    s->length +=
        (size_t)sprintf(s->text + s->length, "%s%s%c", s->length != 0 ? " " : "", who->name, event);
    if (s->indices) {
        s->length += (size_t)sprintf(s->text + s->length, "%u:", entity.index);
    }
    if (value != NULL && !s->silent) {
        s->length += (size_t)sprintf(s->text + s->length, "%u", *(const uint32_t*)value);
    }
    if (who->then != NULL) {
        who->then((teller*)(uintptr_t)who, entity);
    }
}

static inline void hear_add(sett_world* world, sett_entity entity, void* value, void* user)
{
    const teller* who = user;
    CHECK_PTR_EQ(world, who->s->world);
    hear(who, '+', entity, sett_has(world, entity, who->s->t) ? NULL : value);
}

static inline void hear_set(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    hear(user, '=', entity, value);
}

static inline void hear_remove(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    hear(user, '-', entity, value);
}

static inline void hear_enter(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    hear(user, '>', entity, NULL);
}

static inline void hear_exit(sett_world* world, sett_entity entity, void* user)
{
    (void)world;
    hear(user, '<', entity, NULL);
}

static inline void keep_line(void* user, sett_log_level level, const char* message)
{
    scene* s = user;
    (void)level;
    s->lines++;
    snprintf(s->logged, sizeof(s->logged), "%s", message);
}

static inline sett_component number_type(scene* s, const char* name, sett_component_desc desc)
{
    desc.name = name;
    desc.size = sizeof(uint32_t);
    return sett_component_register(s->world, &desc);
}

static inline void scene_begin(scene* s)
{
    memset(s, 0, sizeof(*s));
    s->world = sett_world_create(&(sett_world_desc){.log_fn = keep_line, .hook_user = s});
    s->hooks = (teller){.s = s, .name = "a"};
    s->a = number_type(
        s, "a",
        (sett_component_desc){
            .on_add = hear_add, .on_set = hear_set, .on_remove = hear_remove, .user = &s->hooks});
    s->b = number_type(s, "b", (sett_component_desc){0});
    s->c = number_type(s, "c", (sett_component_desc){.storage = SETT_STORAGE_SPARSE_SET});
    s->t = sett_component_register(s->world, &(sett_component_desc){.name = "t"});
    s->l = number_type(s, "l", (sett_component_desc){.dont_fragment = true});
    s->r = number_type(s, "r", (sett_component_desc){.required = &s->b, .required_count = 1});
}

static inline void scene_valid(scene* s)
{
    CHECK_VALID(s->world);
}

static inline void scene_end(scene* s)
{
    scene_valid(s);
    sett_world_destroy(s->world);
}

/* What was heard since the last time. */
static inline void expect(scene* s, const char* text)
{
    CHECK_STR_EQ(s->text, text);
    s->length = 0;
    s->text[0] = '\0';
    scene_valid(s);
}

static inline teller* new_teller(scene* s, const char* name)
{
    CHECK(s->tellers < TELLERS);
    teller* who = &s->notified[s->tellers++];
    *who = (teller){.s = s, .name = name};
    return who;
}

/* Creates an observer of a component: of "+=-" the given events. */
static inline teller* observe(scene* s, const char* name, sett_component component,
                              const char* events)
{
    teller* who = new_teller(s, name);
    sett_observer_desc desc = {.name = name, .component = component, .user = who};
    desc.on_add = strchr(events, '+') != NULL ? hear_add : NULL;
    desc.on_set = strchr(events, '=') != NULL ? hear_set : NULL;
    desc.on_remove = strchr(events, '-') != NULL ? hear_remove : NULL;
    desc.replay = strchr(events, 'r') != NULL;
    desc.disabled = strchr(events, 'd') != NULL;
    who->observer = sett_observer_create(s->world, &desc);
    CHECK_MSG(who->observer != NULL, "%s", sett_world_message(s->world));
    return who;
}

static inline sett_observer_desc query_desc(teller* who, sett_component with,
                                            sett_component without)
{
    sett_observer_desc desc = {
        .name = who->name,
        .terms = {{.component = with}, {.component = without, .kind = SETT_WITHOUT}},
        .on_enter = hear_enter,
        .on_exit = hear_exit,
        .user = who};
    return desc;
}

/* Creates an observer of a query: one type, and not another (0: none). */
static inline teller* watch(scene* s, const char* name, sett_component with, sett_component without)
{
    teller* who = new_teller(s, name);
    sett_observer_desc desc = query_desc(who, with, without);
    who->observer = sett_observer_create(s->world, &desc);
    CHECK_MSG(who->observer != NULL, "%s", sett_world_message(s->world));
    return who;
}

static inline void set(scene* s, sett_entity entity, sett_component component, uint32_t value)
{
    CHECK(sett_set(s->world, entity, component, &value) != NULL);
}

/* A scene of the same types from which deltas come, in the state of the other. */
static inline void scene_begin_sender(scene* from, const scene* s)
{
    scene_begin(from);
    CHECK_EQ(sett_world_clone(s->world, from->world), SETT_OK);
}

/* Plays what changed in the sender since a snapshot. */
static inline sett_status play(scene* s, scene* from, sett_snapshot since, bool altered)
{
    static unsigned char bytes[4096];
    size_t size;
    sett_snapshot now;
    CHECK_EQ(sett_snapshot_take(from->world, &now), SETT_OK);
    CHECK_EQ(sett_delta_encode(from->world, since, now, bytes, sizeof(bytes), &size), SETT_OK);
    bytes[16] ^= (unsigned char)altered; /* the hash that it leads to */
    sett_status status = sett_delta_apply(s->world, bytes, size);
    CHECK(status == SETT_OK || altered);
    return status;
}

#endif
