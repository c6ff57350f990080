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
    CHECK_EQ(loads_with(copy, to, NULL, 0), SETT_STATUS_ARGUMENT);
    CHECK(strstr(sett_world_message(copy), "compression") != NULL);
    CHECK_EQ(sett_entity_count(copy), 0);
    CHECK_MSG(loads_with(copy, to, &zstd, 0) == SETT_OK, "%s", sett_world_message(copy));
    CHECK_SAME(world, copy);
    CHECK_END(world);
    CHECK_END(copy);
    disk_destroy(to);
}

/* Too little room, bytes that are missing or altered, another size. */
static void its_functions_fail_as_those_of_zstd(void)
{
    sett_compression zstd = sett_zstd(0);
    unsigned char plain[1000];
    unsigned char packed[2000];
    unsigned char again[1001];
    uint64_t chance = 3;
    for (size_t k = 0; k < sizeof(plain); k++) {
        plain[k] = (unsigned char)(k < 500 ? chance_draw(&chance) : 7);
    }
    CHECK(zstd.bound(zstd.user, sizeof(plain)) <= sizeof(packed));
    size_t size = zstd.compress(zstd.user, plain, sizeof(plain), packed, sizeof(packed));
    CHECK(size > 500 && size < 600);
    CHECK_EQ(zstd.compress(zstd.user, plain, sizeof(plain), again, size / 2), 0);
    CHECK(zstd.decompress(zstd.user, packed, size, again, sizeof(plain)));
    CHECK_EQ(memcmp(plain, again, sizeof(plain)), 0);
    for (size_t length = 0; length < size; length++) {
        CHECK(!zstd.decompress(zstd.user, packed, length, again, sizeof(plain)));
    }
    CHECK(!zstd.decompress(zstd.user, packed, size, again, sizeof(plain) - 1));
    CHECK(!zstd.decompress(zstd.user, packed, size, again, sizeof(plain) + 1));
    packed[0] ^= 1;
    CHECK(!zstd.decompress(zstd.user, packed, size, again, sizeof(plain)));
}

TEST_MAIN(TEST(its_functions_fail_as_those_of_zstd), TEST(compressed_files_come_back),
          TEST(memory_is_limited))
