/* test_zstd.c: compressed files come back, are smaller, and are believed as little as others. */
#include "saved.h"
#include "sett_zstd.h"

static sett_status loads_with(sett_world* world, disk* from, const sett_compression* with,
                              size_t limit)
{
    return sett_world_load_with(
        world, "f", &(sett_file_desc){.files = &from->files, .compression = with, .limit = limit},
        NULL);
}

static void compressed_files_come_back(void)
{
    sett_compression zstd = sett_zstd(0);
    uint64_t chance = 7;
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* copy = typed_world();
    sett_file_desc desc = {.files = &to->files, .compression = &zstd};
    for (uint32_t k = 0; k < 5000; k++) {
        sett_set(world, sett_entity_create(world), PLACE, &(uint32_t[3]){k, 7, 9});
    }
    saves(world, to, 1);
    size_t plain = to->node[disk_find(to, "f")->node].size;
    CHECK_EQ(sett_world_save_with(world, "f", &desc), SETT_OK);
    size_t packed = to->node[disk_find(to, "f")->node].size;
    CHECK(packed * 2 < plain);
    CHECK_MSG(loads_with(copy, to, &zstd, 0) == SETT_OK, "%s", sett_world_message(copy));
    CHECK_SAME(world, copy);
    desc.keyframe_every = 4;
    sett_journal* journal = sett_journal_create(world, "f", &desc);
    for (uint64_t frame = 1; frame < 20; frame++) {
        change(world, &chance, 50);
        CHECK_EQ(sett_journal_append(journal, frame), SETT_OK);
    }
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    CHECK_MSG(loads_with(copy, to, &zstd, 0) == SETT_OK, "%s", sett_world_message(copy));
    CHECK_SAME(world, copy);
    CHECK_END(world);
    CHECK_END(copy);
    disk_destroy(to);
}

/* A kilobyte that says it is much more: rejected before memory is taken for it. */
static void memory_is_limited(void)
{
    sett_compression zstd = sett_zstd(19);
    disk* to = disk_create();
    sett_world* world = typed_world();
    sett_world* copy = typed_world();
    sett_file_desc desc = {.files = &to->files, .compression = &zstd};
    static const uint32_t same[3] = {1, 2, 3};
    for (uint32_t k = 0; k < 100000; k++) {
        sett_set(world, sett_entity_create(world), PLACE, same);
    }
    CHECK_EQ(sett_world_save_with(world, "f", &desc), SETT_OK);
    CHECK(to->node[disk_find(to, "f")->node].size < 16384);
    CHECK_EQ(loads_with(copy, to, &zstd, (size_t)1 << 20), SETT_STATUS_LIMIT);
    CHECK_EQ(loads_with(copy, to, NULL, 0), SETT_STATUS_INVALID);
    CHECK(strstr(sett_world_message(copy), "compression") != NULL);
    CHECK_EQ(sett_entity_count(copy), 0);
    CHECK_MSG(loads_with(copy, to, &zstd, 0) == SETT_OK, "%s", sett_world_message(copy));
    CHECK_SAME(world, copy);
    CHECK_END(world);
    CHECK_END(copy);
    disk_destroy(to);
}

TEST_MAIN(TEST(compressed_files_come_back), TEST(memory_is_limited))
