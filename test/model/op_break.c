/* op_break.c: a world broken on purpose, to prove that validation sees it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/operations.h"

#include "world/world.h"

#define SCRATCH_ENTITIES 200u

typedef struct scratch {
    sett_world* world;
    setti_type* array;
    setti_type* sparse_set;
    setti_type* kept;
    setti_type* dont_fragment;
    setti_type* needy; /* requires array */
    setti_type* hooked;
    setti_listener* group; /* owns sparse-set */
    setti_listener* set;   /* owns nothing */
    sett_entity entity[SCRATCH_ENTITIES];
} scratch;

static void scratch_hook(sett_world* world, sett_entity entity, void* value, void* user)
{
    (void)world;
    (void)entity;
    (void)value;
    (void)user;
}

static setti_type* scratch_register(sett_world* world, sett_component_desc desc)
{
    sett_component id = sett_component_register(world, &desc);
    CHECK(id != 0);
    return setti_world_type(world, id);
}

static void scratch_begin(scratch* s)
{
    s->world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    CHECK(s->world != NULL);
    s->array = scratch_register(s->world, (sett_component_desc){.name = "array", .size = 8});
    s->sparse_set = scratch_register(
        s->world,
        (sett_component_desc){.name = "sparse-set", .size = 8, .storage = SETT_STORAGE_SPARSE_SET});
    s->kept = scratch_register(
        s->world, (sett_component_desc){.name = "kept", .size = 8, .keep_order = true});
    s->dont_fragment = scratch_register(
        s->world, (sett_component_desc){.name = "dont_fragment", .dont_fragment = true});
    s->needy = scratch_register(
        s->world,
        (sett_component_desc){.name = "needy", .required = &s->array->id, .required_count = 1});
    s->hooked = scratch_register(
        s->world, (sett_component_desc){.name = "hooked", .size = 4, .on_remove = scratch_hook});
    setti_type* all[] = {s->array, s->sparse_set, s->kept, s->dont_fragment, s->needy, s->hooked};
    for (uint32_t k = 0; k < SCRATCH_ENTITIES; k++) {
        s->entity[k] = sett_entity_create(s->world);
        for (uint32_t j = 0; j < 6; j++) {
            CHECK((k + j) % 4 == 0 || sett_ensure(s->world, s->entity[k], all[j]->id) != NULL);
        }
    }
    sett_remove(s->world, s->entity[10], s->kept->id);
    sett_group* group = sett_group_create(
        s->world, &(sett_group_desc){.owned = {s->sparse_set->id}, .with = {s->hooked->id}});
    sett_group* set = sett_group_create(
        s->world, &(sett_group_desc){.with = {s->array->id}, .without = {s->kept->id}});
    CHECK(group != NULL && set != NULL);
    s->group = &group->listener;
    s->set = &set->listener;
    CHECK_EQ(sett_world_validate(s->world, NULL), SETT_OK);
}

/* Each way changes one number behind the library's back. */
static void scratch_break(scratch* s, uint32_t way)
{
    sett_world* w = s->world;
    setti_entity_page* page = setti_entity_page_of(&w->entities, 0);
    setti_sparse_page* sparse = s->sparse_set->storage.presence.data[0];
    uint32_t at = setti_index_find(&s->sparse_set->storage, 5);
    uint64_t* bits = s->array->storage.presence.data[0];
    uint64_t* dont_fragment = s->dont_fragment->storage.presence.data[0];
    /* clang-format off */
    switch (way) {
    case 0: bits[1] ^= 1u << 3; break;                           /* presence against signature */
    /* presence of an index not alive */
    case 1: bits[10] ^= 1; break;
    case 2: dont_fragment[12] ^= 1; break;
    case 3: s->array->storage.count++; break;
    case 4: s->array->storage.extent = 64; break;
    /* sparse-set: the way there and back */
    case 5: sparse->slot[at].row ^= 1; break;
    case 6: *setti_storage_index(&s->sparse_set->storage, 3) = SETTI_NONE; break;
    case 7: sparse->slot[at] = sparse->slot[(at + 1) % SETTI_INDEX_SLOTS]; break;
    case 8: s->kept->storage.extent++; break;                    /* a gap at the end */
    case 9: page->generation[7] |= SETTI_DEAD; break;            /* dead, and has a signature */
    case 10: page->generation[900] &= ~SETTI_DEAD; break;        /* alive and free */
    case 11: page->signature[900] = 1; break;                    /* no signature */
    case 12: page->signature[20] = page->signature[21]; break;   /* another's */
    case 13: page->free[0] ^= 1u << 4; break;                    /* free and alive */
    case 14: w->pool.used_size += 32; break;
    case 15: w->signatures.record[page->signature[6]].hooked ^= 1; break;
    case 16: w->entities.retired++; break;
    case 17: s->group->length--; break;
    case 18: s->group->length++; break;
    case 20: s->hooked->flags ^= SETTI_TYPE_ON_SET; break;       /* no callback runs */
    case 19: *(uint64_t*)s->set->members.presence.data[0] ^= 2; break;
    case 21: s->set->members.count++; break;
    /* transitions back, remembered as such forth */
    case 22: s->array->added[0] = (setti_transition){page->signature[1], 0}; break;
    case 23: page->free[14] ^= 1; break;                         /* reserved by no command */
    case 24: page->free[15] = 0; break;                          /* a word that the summary has */
    case 25: w->entities.words.level[0][0] ^= 1u << 5; break;    /* a word that no search finds */
    case 26: w->entities.hint = 15; break;                       /* some are free before the hint */
    case 27: w->entities.count++; break;
    case 28: w->entities.reserved++; break;
    case 29: w->collect_room++; break;
    default: s->array->removed[0] = (setti_transition){0, page->signature[1]}; break;
    }
    /* clang-format on */
}

/* Whether validation sees this one break. Memory that a broken world cannot account for stays
 * with its pool. */
bool scratch_is_seen(uint32_t way)
{
    scratch s;
    scratch_begin(&s);
    scratch_break(&s, way);
    const char* reason = "";
    bool seen = sett_world_validate(s.world, &reason) == SETT_STATUS_INVALID && reason[0] != '\0';
    setti_world_free(s.world); /* not sett_world_destroy: who knows what it would follow */
    return seen;
}

void op_break(void)
{
    if (one_in(50)) {
        EXPECT(scratch_is_seen(below(BREAKS)));
    }
}
