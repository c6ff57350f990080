/* test_validate.c: sett_world_validate sees what is broken inside of a world: one field at a time
 * is written, the reason is the one that names it, and with the field as it was the world is sound.
 *
 * SPDX-License-Identifier: MIT
 */
#include "relation/chain.h"
#include "relation/hierarchy.h"
#include "run/run.h"
#include "worlds.h"

#define ENTITIES 3000

static struct {
    sett_world* world;
    sett_component array, sparse, hashed, needing, one, many;
    sett_entity e[ENTITIES];
} s;

static void run_nothing(sett_context* context)
{
    (void)context;
}

static void begin(void)
{
    s.world = quiet_world();
    s.array = sett_component_register(
        s.world,
        &(sett_component_desc){.name = "array", .size = 32, .storage = SETT_STORAGE_ARRAY});
    s.sparse = sett_component_register(
        s.world,
        &(sett_component_desc){.name = "sparse", .size = 8, .storage = SETT_STORAGE_SPARSE_SET});
    s.hashed = sett_component_register(
        s.world,
        &(sett_component_desc){.name = "hashed", .size = 8, .storage = SETT_STORAGE_SPARSE_SET});
    const sett_component needs[] = {s.array};
    s.needing = sett_component_register(
        s.world, &(sett_component_desc){
                     .name = "needing", .size = 8, .required = needs, .required_count = 1});
    s.one = sett_relationship_register(s.world, &(sett_relationship_desc){.name = "One"});
    s.many = sett_relationship_register(s.world,
                                        &(sett_relationship_desc){.name = "Many", .many = true});
    CHECK_EQ(sett_entity_create_many(s.world, ENTITIES, NULL, 0, NULL, s.e), SETT_OK);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        CHECK(k >= 1000 || sett_add(s.world, s.e[k], s.array) != NULL);
        CHECK(k % 2 != 0 || sett_add(s.world, s.e[k], s.sparse) != NULL);
        CHECK(k % 300 != 0 || sett_add(s.world, s.e[k], s.hashed) != NULL);
    }
    CHECK(sett_add(s.world, s.e[1], s.needing) != NULL);
    for (uint32_t k = 1; k < 20; k++) {
        CHECK(sett_relate(s.world, s.e[k], s.one, s.e[k / 4]) != NULL);
        CHECK(sett_relate(s.world, s.e[k], s.many, s.e[k / 4]) != NULL);
        CHECK(sett_relate(s.world, s.e[k], s.many, s.e[k + 30]) != NULL);
        CHECK_EQ(sett_hierarchy_attach(s.world, s.e[k], s.e[k / 4]), SETT_OK);
    }
    CHECK_EQ(sett_hierarchy_attach(s.world, s.e[100], s.e[101]), SETT_OK);
    CHECK_EQ(sett_hierarchy_detach(s.world, s.e[100]), SETT_OK);
    static const char* const names[] = {"a", "b", "c"};
    for (uint32_t k = 0; k < 3; k++) {
        sett_system_desc desc = {.name = names[k], .run = run_nothing};
        desc.fixed_step = k == 0 ? 0 : 0.25f * (float)k;
        CHECK(sett_system_create(s.world, &desc) != NULL);
    }
    CHECK_EQ(sett_progress(s.world, 0.6f), SETT_OK);
    CHECK(sett_query_create(s.world, &(sett_query_desc){.terms = {{.component = s.array}}}) !=
          NULL);
    CHECK_VALID(s.world);
}

/* The field has other bytes for the time of one validation. */
static void broken(void* field, const void* bytes, size_t size, const char* expected)
{
    unsigned char before[16];
    const char* reason = "";
    CHECK(size <= sizeof(before));
    memcpy(before, field, size);
    memcpy(field, bytes, size);
    CHECK_MSG(sett_world_validate(s.world, &reason) == SETT_STATUS_INVALID, "not seen: %s",
              expected);
    CHECK_MSG(strstr(reason, expected) != NULL, "%s, not: %s", reason, expected);
    memcpy(field, before, size);
    CHECK_EQ(sett_world_validate(s.world, &reason), SETT_OK);
    CHECK_STR_EQ(reason, "");
}

#define BROKEN(field, T, value, expected)                                                          \
    broken(&(field), (const T[]){(value)}, sizeof(T), expected)

static setti_storage* storage_of(sett_component id)
{
    return &setti_world_type(s.world, id)->storage;
}

static void broken_links_are_seen(void)
{
    begin();
    setti_relation* many = setti_relation_of(s.world, s.many);
    sett_links* targets = setti_storage_find(&many->links->storage, s.e[5].index);
    sett_links* sources = setti_storage_find(&many->sources->storage, s.e[1].index);
    CHECK(targets->count == 2 && sources->count == 4);
    sett_link* link = &setti_chain_record_at(many, targets->first_)->link;
    BROKEN(link->chain_.previous, uint32_t, 17, "a list's neighbours disagree");
    BROKEN(link->target.index, uint32_t, 900, "in the list of another entity");
    BROKEN(sources->count, uint32_t, 5, "count or end is wrong");
    BROKEN(sources->count, uint32_t, 3, "count or end is wrong");
    BROKEN(targets->count, uint32_t, 0, "a source without a target");
    BROKEN(many->record_count, uint32_t, many->record_count + 1, "records are missing");
    setti_relation* one = setti_relation_of(s.world, s.one);
    sources = setti_storage_find(&one->sources->storage, s.e[1].index);
    BROKEN(sources->count, uint32_t, 0, "links are missing from their targets' lists");
    BROKEN(many->links->collect_room, uint32_t, 0, "more entities are linked than");
    CHECK_END(s.world);
}

static void broken_trees_are_seen(void)
{
    begin();
    sett_hierarchy* root = setti_unconst(setti_hierarchy_find(s.world, s.e[0].index));
    sett_hierarchy* child = setti_unconst(setti_hierarchy_find(s.world, s.e[19].index));
    (void)sett_hierarchy_depth(s.world, s.e[19]);
    CHECK(root != NULL && child != NULL);
    BROKEN(root->next, uint32_t, 40, "a root has siblings or a depth");
    BROKEN(child->parent, uint32_t, 0, "hierarchy: ");
    BROKEN(child->next, uint32_t, 3, "hierarchy: ");
    CHECK_END(s.world);
}

static void broken_storages_are_seen(void)
{
    begin();
    setti_storage* array = storage_of(s.array);
    setti_storage* sparse = storage_of(s.sparse);
    setti_storage* hashed = storage_of(s.hashed);
    CHECK(sparse->hashed == 0 && hashed->hashed == 1);
    BROKEN(array->count, uint32_t, array->count + 1, "count is not the number of values");
    BROKEN(array->stray, uint32_t, 0, "pages that became empty are not freed");
    BROKEN(array->presence.hidden, bool, true, "readers see values that loops have copied");
    BROKEN(array->rows.count, uint32_t, 0, "the table of rows is shorter");
    BROKEN(array->rows.data[0], void*, NULL, "a value without a page");
    setti_sparse_page* page = sparse->presence.data[0];
    BROKEN(page->count, uint32_t, page->count + 1, "miscounts its entries");
    setti_type* type = setti_world_type(s.world, s.array);
    BROKEN(type->claimed, uint32_t, 1, "rows of a type are reserved");
    type = setti_world_type(s.world, s.needing);
    BROKEN(type->required.item[0], setti_type*, setti_world_type(s.world, s.sparse),
           "lacks a type that it requires");
    BROKEN(s.world->pool.pinned, uint32_t, 1, "the pages of storages are pinned");
    CHECK_END(s.world);
}

static void broken_entities_are_seen(void)
{
    begin();
    setti_entity_table* table = &s.world->entities;
    setti_entity_page* page = setti_unconst(setti_entity_page_of(table, s.e[2000].index));
    uint32_t slot = s.e[2000].index & SETTI_ENTITY_MASK;
    BROKEN(page->generation[slot], uint32_t, 0, "a generation that none can have");
    BROKEN(page->generation[slot], uint32_t, SETTI_RETIRED, "entity table: ");
    BROKEN(page->signature[slot], uint32_t, 0, "storage and signature disagree");
    BROKEN(table->hint, uint32_t, table->end, "the hint is outside of the range");
    BROKEN(table->count, uint32_t, table->count + 1, "miscounted");
    if (table->words.levels > 1) {
        BROKEN(table->words.level[1][0], uint64_t, ~table->words.level[1][0], "which words below");
    }
    CHECK_END(s.world);
}

static void broken_schedules_are_seen(void)
{
    begin();
    setti_run* run = setti_run_of(s.world);
    CHECK(run->scheduled && run->stage_count != 0 && run->fixed != NULL);
    BROKEN(run->stages[0].first, uint32_t, 1, "without gaps");
    BROKEN(run->count, uint32_t, run->count + 1, "the schedule misses a system");
    BROKEN(run->name_count, uint32_t, run->name_count + 1, "names of systems are miscounted");
    BROKEN(run->systems->entry->system, sett_system*, run->systems->next,
           "a system is not the one of its name");
    BROKEN(run->fixed->step, float, -1.0f, "not sorted by step");
    BROKEN(run->fixed->state.steps, uint64_t, 1000, "steps that are not due");
    CHECK_END(s.world);
}

static void open_loops_are_counted(void)
{
    begin();
    sett_query* query =
        sett_query_create(s.world, &(sett_query_desc){.terms = {{.component = s.array}}});
    SETT_QUERY_EACH(query, b) {
        CHECK(sett_batch_entity(b, 0).index < ENTITIES);
        BROKEN(s.world->locks, uint32_t, 0, "fewer locks than open loops");
        break;
    }
    CHECK_END(s.world);
}

TEST_MAIN(TEST(broken_links_are_seen), TEST(broken_trees_are_seen), TEST(broken_storages_are_seen),
          TEST(broken_entities_are_seen), TEST(broken_schedules_are_seen),
          TEST(open_loops_are_counted))
