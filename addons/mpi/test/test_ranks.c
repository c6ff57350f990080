/* test_ranks.c: sett::mpi with one rank, without mpirun. tools/ranks.sh runs several.
 *
 * A rank is its own counterpart here: what it packs it unpacks, what it encodes it decodes.
 */
#include "../ranks.h"
#include "chance.h"
#include "sett/hierarchy.h"
#include "sett/relationship.h"
#include "worlds.h"

#include <unistd.h>

enum {
    POSITION = 1,
    SPEED,
    MARK,
    NAMED,
    LIKES,
    WIDTH = 8
};

typedef struct position {
    int32_t x, y;
} position;

static char failure[1000];

/* The linker leads calls of these three here (--wrap): memory can run out. */

#if defined(RANKS_WRAPS)
static uint32_t allocations; /* that succeed before one fails; UINT32_MAX: all */
static bool ran_out;

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* memory, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* memory, size_t size);

static bool runs_out(void)
{
    bool fails = allocations == 0;
    allocations -= allocations != UINT32_MAX && allocations != 0;
    ran_out = ran_out || fails;
    allocations = fails ? UINT32_MAX : allocations;
    return fails;
}

void* __wrap_malloc(size_t size)
{
    return runs_out() ? NULL : __real_malloc(size);
}

void* __wrap_calloc(size_t count, size_t size)
{
    return runs_out() ? NULL : __real_calloc(count, size);
}

void* __wrap_realloc(void* memory, size_t size)
{
    return runs_out() ? NULL : __real_realloc(memory, size);
}
#endif

static void failed(sett_status status, const char* message, void* user)
{
    (void)status;
    (void)user;
    snprintf(failure, sizeof(failure), "%s", message);
}

static uint32_t cell_of(const void* at, void* user)
{
    const position* p = at;
    (void)user;
    return (uint32_t)(p->y / 10 * WIDTH + p->x / 10);
}

static char logged[1000]; /* last */

static void logs(void* user, sett_log_level level, const char* message)
{
    (void)user;
    (void)level;
    snprintf(logged, sizeof(logged), "%s", message);
}

static sett_world* typed(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = logs});
    CHECK(world != NULL);
    sett_component_register(
        world,
        &(sett_component_desc){.name = "position", .size = sizeof(position), .id = POSITION});
    sett_component_register(world,
                            &(sett_component_desc){.name = "speed", .size = 12, .id = SPEED});
    sett_component_register(world, &(sett_component_desc){.name = "mark", .id = MARK});
    sett_relationship_register(world, &(sett_relationship_desc){.name = "likes", .id = LIKES});
    return world;
}

static const sett_component ghosts[] = {POSITION, SPEED, MARK};
static const sett_component relations[] = {LIKES};

static sett_ranks_desc described(void)
{
    return (sett_ranks_desc){.position = POSITION,
                             .cell_of = cell_of,
                             .cells = WIDTH * WIDTH,
                             .width = WIDTH,
                             .ghosts = ghosts,
                             .ghost_count = 3,
                             .ghost_id = 50,
                             .relations = relations,
                             .relation_count = 1,
                             .failed = failed};
}

static sett_ranks* made(sett_world* world)
{
    sett_ranks_desc desc = described();
    sett_ranks* ranks = sett_ranks_create(world, MPI_COMM_SELF, &desc);
    CHECK(ranks != NULL);
    failure[0] = '\0';
    return ranks;
}

static sett_entity placed(sett_ranks* ranks, uint32_t cell)
{
    position at = {(int32_t)(cell % WIDTH * 10 + 5), (int32_t)(cell / WIDTH * 10 + 5)};
    sett_entity entity = sett_ranks_create_entity(ranks, cell);
    CHECK(!sett_is_null(entity));
    sett_set(ranks->world, entity, POSITION, &at);
    return entity;
}

static uint64_t hashed(sett_ranks* ranks)
{
    uint64_t hash = 0;
    CHECK_EQ(sett_ranks_hash(ranks, &hash), SETT_OK);
    return hash;
}

/* Handles come from cells; a free index is used again from the next tick on. */
static void homes_give_handles(void)
{
    sett_world* world = typed();
    sett_ranks* ranks = made(world);
    sett_entity a = placed(ranks, 3);
    sett_entity b = placed(ranks, 3);
    CHECK_EQ(a.index, 3 * 64);
    CHECK_EQ(b.index, 3 * 64 + 1);
    CHECK_EQ(sett_ranks_end(ranks), SETT_OK);
    CHECK_EQ(sett_entity_destroy(world, a), SETT_OK);
    CHECK_EQ(placed(ranks, 3).index, 3 * 64 + 2);
    CHECK_EQ(sett_ranks_end(ranks), SETT_OK);
    sett_entity again = placed(ranks, 3);
    CHECK_EQ(again.index, a.index);
    CHECK_EQ(again.generation, 2);
    CHECK(sett_entity_create(world).index >= WIDTH * WIDTH * 64);
    CHECK_EQ(sett_ranks_create_entity(ranks, WIDTH * WIDTH).generation, 0);
    for (uint32_t k = 3; k < 64; k++) {
        placed(ranks, 3);
    }
    CHECK_EQ(sett_ranks_create_entity(ranks, 3).generation, 0);
    CHECK(strstr(logged, "sett_ranks_desc.indices") != NULL);
    logged[0] = '\0';
    CHECK_EQ(sett_ranks_create_entity(ranks, 3).generation, 0);
    CHECK_STR_EQ(logged, "");
    sett_ranks_destroy(ranks);
    CHECK_END(world);
}

/* One rank has the hash of its world, whatever lived and ended. */
static void hash_is_that_of_the_world(void)
{
    sett_world* world = typed();
    sett_ranks* ranks = made(world);
    uint64_t chance = 3;
    for (uint32_t tick = 0; tick < 50; tick++) {
        CHECK_EQ(sett_ranks_begin(ranks), tick == 0 ? SETT_OK : SETT_OK);
        for (uint32_t k = 0; k < 20; k++) {
            sett_entity e = placed(ranks, chance_below(&chance, WIDTH * WIDTH));
            if (chance_below(&chance, 3) == 0) {
                sett_add(world, e, MARK);
            }
        }
        for (uint32_t k = 0; k < 10; k++) {
            sett_entity_destroy(world, entity_from(world, chance_below(&chance, 4096)));
        }
        CHECK_EQ(sett_ranks_end(ranks), SETT_OK);
        CHECK_EQ(hashed(ranks), sett_world_hash(world));
    }
    CHECK_EQ(sett_ranks_tick(ranks), 50);
    sett_ranks_destroy(ranks);
    CHECK_END(world);
}

/* --------------------------------------------------------------------------------------- ghosts */

static void fill_view(const sett_ranks* ranks, ranks_view* view, uint64_t* chance, uint32_t density)
{
    view->list.count = 0;
    for (uint32_t index = 0; index < 2000; index++) {
        if (chance_below(chance, 10) < density) {
            sett_entity entity = {index * 2, 1 + chance_below(chance, 2)};
            setti_ranks_push(&view->list, entity);
        }
    }
    for (uint32_t type = 0; type < ranks->types; type++) {
        view->column[type] = realloc(view->column[type], 2001 * ranks->size[type] + 1);
        for (uint32_t k = 0; k < view->list.count * ranks->size[type]; k++) {
            uint32_t byte = chance_below(chance, 4) == 0 ? chance_below(chance, 256) : k % 5;
            view->column[type][k] = (unsigned char)(type == 0 ? byte & 7 : byte);
        }
    }
    view->capacity = 2001;
}

/* Equal entities, of which a few bytes differ. */
static void alter_view(const sett_ranks* ranks, const ranks_view* old, ranks_view* now,
                       uint64_t* chance)
{
    now->list.count = 0;
    for (uint32_t k = 0; k < old->list.count; k++) {
        setti_ranks_push(&now->list, old->list.item[k]);
    }
    for (uint32_t type = 0; type < ranks->types; type++) {
        size_t size = (size_t)old->list.count * ranks->size[type];
        memcpy(now->column[type], old->column[type], size);
        for (uint32_t k = 0; k < 20 && size != 0; k++) {
            now->column[type][chance_below(chance, (uint32_t)size)] ^= 1;
        }
    }
}

static void check_views(const sett_ranks* ranks, const ranks_view* a, const ranks_view* b)
{
    CHECK_EQ(a->list.count, b->list.count);
    for (uint32_t k = 0; k < a->list.count; k++) {
        CHECK_ENTITY_EQ(a->list.item[k], b->list.item[k]);
    }
    for (uint32_t type = 0; type < ranks->types; type++) {
        size_t size = (size_t)a->list.count * ranks->size[type];
        CHECK(size == 0 || memcmp(a->column[type], b->column[type], size) == 0);
    }
}

/* Any view follows from any other; hostile bytes are rejected, or give another view. */
static void views_come_back(void)
{
    sett_world* world = typed();
    sett_ranks* ranks = made(world);
    uint64_t chance = check_setting("SETT_SEED", 5);
    ranks_view view[2] = {{{NULL, 0, 0}, {NULL}, 0}, {{NULL, 0, 0}, {NULL}, 0}};
    ranks_list gone = {NULL, 0, 0};
    ranks_list come = {NULL, 0, 0};
    for (uint32_t round = 0; round < 200; round++) {
        ranks_view* old = &view[round % 2];
        ranks_view* now = &view[(round + 1) % 2];
        ranks_bytes bytes = {NULL, 0, 0, false};
        ranks_view got = {{NULL, 0, 0}, {NULL}, 0};
        uint32_t changed;
        if (round % 3 == 2) {
            alter_view(ranks, old, now, &chance);
        } else {
            fill_view(ranks, now, &chance, round % 11);
        }
        CHECK(setti_ranks_encode_view(ranks, old, now, &bytes));
        ranks_reader from = {bytes.at, bytes.at + bytes.size, false};
        CHECK_EQ(setti_ranks_decode_view(ranks, old, &got, &gone, &come, &from, &changed), SETT_OK);
        check_views(ranks, now, &got);
        for (uint32_t k = 0; k < 100; k++) {
            uint32_t at = chance_below(&chance, (uint32_t)bytes.size);
            unsigned char was = bytes.at[at];
            bytes.at[at] = (unsigned char)chance_below(&chance, 256);
            size_t size = k % 3 == 0 ? chance_below(&chance, (uint32_t)bytes.size) : bytes.size;
            unsigned char* exact = malloc(size + 1);
            memcpy(exact, bytes.at, size);
            from = (ranks_reader){exact, exact + size, false};
            setti_ranks_decode_view(ranks, old, &got, &gone, &come, &from, &changed);
            free(exact);
            bytes.at[at] = was;
        }
        setti_ranks_free_view(&got);
        free(bytes.at);
    }
    setti_ranks_free_view(&view[0]);
    setti_ranks_free_view(&view[1]);
    free(gone.item);
    free(come.item);
    sett_ranks_destroy(ranks);
    CHECK_END(world);
}

/* What does not change costs 4 bits for each byte of a value, of all ghosts together. */
static void equal_views_cost_nothing(void)
{
    sett_world* world = typed();
    sett_ranks* ranks = made(world);
    uint64_t chance = 1;
    ranks_view view = {{NULL, 0, 0}, {NULL}, 0};
    ranks_bytes bytes = {NULL, 0, 0, false};
    fill_view(ranks, &view, &chance, 5);
    CHECK(view.list.count > 500);
    CHECK(setti_ranks_encode_view(ranks, &view, &view, &bytes));
    CHECK_EQ(bytes.size, 2 + 1 + 1 + (1 + 8 + 12 + 1) / 2);
    setti_ranks_free_view(&view);
    free(bytes.at);
    sett_ranks_destroy(ranks);
    CHECK_END(world);
}

/* ---------------------------------------------------------------------------------------- moves */

/* A tree, with the order of its children and links out of it, from one world to another. */
static void trees_move_whole(void)
{
    sett_world* world[2] = {typed(), typed()};
    sett_ranks* ranks[2] = {made(world[0]), made(world[1])};
    ranks_bytes bytes = {NULL, 0, 0, false};
    ranks_list list = {NULL, 0, 0};
    sett_entity root = placed(ranks[0], 1);
    sett_entity other = placed(ranks[0], 2);
    sett_entity child[3];
    setti_ranks_push(&list, root);
    for (uint32_t k = 0; k < 3; k++) {
        child[k] = sett_ranks_create_entity(ranks[0], 1);
        sett_hierarchy_attach(world[0], child[k], root);
        setti_ranks_push(&list, child[k]);
    }
    sett_entity order[3] = {child[2], child[0], child[1]};
    sett_hierarchy_order(world[0], root, order, 3);
    sett_relate(world[0], child[1], LIKES, other);
    sett_relate(world[0], child[2], LIKES, child[1]);
    sett_entity_destroy(world[0], placed(ranks[0], 2));
    CHECK_EQ(setti_ranks_pack(ranks[0], &list, &bytes), SETT_OK);
    ranks_reader from = {bytes.at, bytes.at + bytes.size, false};
    CHECK_EQ(setti_ranks_unpack(ranks[1], &from), SETT_OK);
    CHECK_ENTITY_EQ(sett_hierarchy_first(world[1], root), child[2]);
    CHECK_ENTITY_EQ(sett_hierarchy_next(world[1], child[2]), child[0]);
    CHECK_ENTITY_EQ(sett_target(world[1], child[1], LIKES), other);
    CHECK(sett_has(world[1], other, 50));
    CHECK(!sett_has(world[1], other, POSITION));
    CHECK(!sett_has(world[1], child[1], 50));
    /* again: this rank has it already */
    from = (ranks_reader){bytes.at, bytes.at + bytes.size, false};
    CHECK_EQ(setti_ranks_unpack(ranks[1], &from), SETT_STATUS_INVALID);
    for (size_t k = 0; k < bytes.size; k++) { /* truncated anywhere */
        sett_world* third = typed();
        sett_ranks* rank = made(third);
        from = (ranks_reader){bytes.at, bytes.at + k, false};
        CHECK(setti_ranks_unpack(rank, &from) != SETT_OK);
        sett_ranks_destroy(rank);
        CHECK_END(third);
        k += k / 8;
    }
    free(bytes.at);
    free(list.item);
    for (uint32_t k = 0; k < 2; k++) {
        sett_ranks_destroy(ranks[k]);
        CHECK_END(world[k]);
    }
}

/* Bytes that are about an entity that they do not announce are rejected. */
static void bytes_are_not_believed(void)
{
    sett_world* world[2] = {typed(), typed()};
    sett_ranks* ranks[2] = {made(world[0]), made(world[1])};
    uint64_t chance = 9;
    ranks_bytes bytes = {NULL, 0, 0, false};
    ranks_list list = {NULL, 0, 0};
    for (uint32_t k = 0; k < 10; k++) {
        setti_ranks_push(&list, placed(ranks[0], k));
    }
    CHECK_EQ(setti_ranks_pack(ranks[0], &list, &bytes), SETT_OK);
    bytes.at[1]++; /* the first handle is another one */
    ranks_reader from = {bytes.at, bytes.at + bytes.size, false};
    CHECK(setti_ranks_unpack(ranks[1], &from) != SETT_OK);
    bytes.at[1]--;
    for (uint32_t k = 0; k < 500; k++) {
        sett_world* third = typed();
        sett_ranks* rank = made(third);
        uint32_t at = chance_below(&chance, (uint32_t)bytes.size);
        unsigned char was = bytes.at[at];
        bytes.at[at] ^= (unsigned char)(1 << chance_below(&chance, 8));
        from = (ranks_reader){bytes.at, bytes.at + bytes.size, false};
        setti_ranks_unpack(rank, &from);
        bytes.at[at] = was;
        sett_ranks_destroy(rank);
        CHECK_END(third);
    }
    free(bytes.at);
    free(list.item);
    for (uint32_t k = 0; k < 2; k++) {
        sett_ranks_destroy(ranks[k]);
        CHECK_END(world[k]);
    }
}

/* A message about more than it announces is rejected, and what this rank has stays. */
static void only_what_is_announced_moves(void)
{
    sett_world* world[2] = {typed(), typed()};
    sett_ranks* ranks[2] = {made(world[0]), made(world[1])};
    unsigned char encoded[4096];
    size_t size = 0;
    const sett_snapshot none = {0, 0};
    ranks_bytes bytes = {NULL, 0, 0, false};
    ranks_list list = {NULL, 0, 0};
    sett_entity two[2] = {placed(ranks[0], 5), placed(ranks[0], 6)};
    CHECK_ENTITY_EQ(placed(ranks[1], 6), two[1]);
    sett_set(world[1], two[1], POSITION, &(position){77, 7});
    const sett_selection part = {.entities = two, .entity_count = 2};
    CHECK_EQ(sett_selection_encode(world[0], &part, none, encoded, sizeof(encoded), &size),
             SETT_OK);
    setti_ranks_push(&list, two[0]);
    setti_ranks_write_list(&bytes, &list);
    setti_ranks_write_list(&bytes, &(ranks_list){NULL, 0, 0});
    setti_ranks_write_u32(&bytes, UINT32_MAX);
    setti_ranks_write_u64(&bytes, size);
    setti_ranks_write(&bytes, encoded, size);
    setti_ranks_write_varint(&bytes, 0);
    ranks_reader from = {bytes.at, bytes.at + bytes.size, false};
    CHECK(setti_ranks_unpack(ranks[1], &from) != SETT_OK);
    CHECK_EQ(((const position*)sett_get(world[1], two[1], POSITION))->x, 77);
    CHECK(!sett_entity_valid(world[1], two[0]));
    free(bytes.at);
    free(list.item);
    for (uint32_t k = 0; k < 2; k++) {
        sett_ranks_destroy(ranks[k]);
        CHECK_END(world[k]);
    }
}

/* ---------------------------------------------------------------------------------------- files */

static void populated(sett_ranks* ranks, uint64_t seed)
{
    for (uint32_t tick = 0; tick < 5; tick++) {
        for (uint32_t k = 0; k < 50; k++) {
            placed(ranks, chance_below(&seed, WIDTH * WIDTH));
        }
        for (uint32_t k = 0; k < 20; k++) {
            sett_entity_destroy(ranks->world, entity_from(ranks->world, chance_below(&seed, 4096)));
        }
        CHECK_EQ(sett_ranks_end(ranks), SETT_OK);
    }
}

static void checkpoints_come_back(void)
{
    sett_world* world[2] = {typed(), typed()};
    sett_ranks* ranks[2] = {made(world[0]), made(world[1])};
    populated(ranks[0], 1);
    populated(ranks[1], 2);
    CHECK_EQ(sett_ranks_save(ranks[0], "ranks_saved"), SETT_OK);
    uint64_t hash = hashed(ranks[0]);
    CHECK(hash != hashed(ranks[1]));
    CHECK_EQ(sett_ranks_load(ranks[1], "ranks_saved"), SETT_OK);
    CHECK_EQ(hashed(ranks[1]), hash);
    CHECK_EQ(sett_world_hash(world[1]), sett_world_hash(world[0]));
    CHECK_EQ(sett_ranks_tick(ranks[1]), 5);
    populated(ranks[0], 7);
    populated(ranks[1], 7);
    CHECK_EQ(hashed(ranks[1]), hashed(ranks[0]));
    CHECK_EQ(access("ranks_saved.5.0", F_OK), 0);
    CHECK_EQ(sett_ranks_save(ranks[0], "ranks_saved"), SETT_OK);
    CHECK(access("ranks_saved.5.0", F_OK) != 0);
    CHECK_EQ(access("ranks_saved.10.0", F_OK), 0);
    CHECK_EQ(sett_ranks_load(ranks[1], "ranks_saved"), SETT_OK);
    CHECK_EQ(hashed(ranks[1]), hashed(ranks[0]));
    for (uint32_t k = 0; k < 2; k++) {
        sett_ranks_destroy(ranks[k]);
        CHECK_END(world[k]);
    }
}

static size_t file_read(const char* name, unsigned char* bytes, size_t capacity)
{
    FILE* file = fopen(name, "rb");
    CHECK(file != NULL);
    size_t size = fread(bytes, 1, capacity, file);
    fclose(file);
    return size;
}

static void file_write(const char* name, const unsigned char* bytes, size_t size)
{
    FILE* file = fopen(name, "wb");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* Whatever is done to a file, the load fails and changes nothing. */
static void damaged_files_are_rejected(void)
{
    static unsigned char bytes[1 << 16];
    static unsigned char other[1 << 16];
    static const char* names[] = {"ranks_hurt", "ranks_hurt.5.0"};
    uint64_t chance = 4;
    sett_world* world[2] = {typed(), typed()};
    sett_ranks* ranks[2] = {made(world[0]), made(world[1])};
    populated(ranks[0], 1);
    populated(ranks[1], 2);
    CHECK_EQ(sett_ranks_save(ranks[1], "ranks_other"), SETT_OK);
    CHECK_EQ(sett_ranks_save(ranks[0], "ranks_hurt"), SETT_OK);
    uint64_t hash = hashed(ranks[1]);
    for (uint32_t n = 0; n < 2; n++) {
        size_t size = file_read(names[n], bytes, sizeof(bytes));
        for (uint32_t k = 0; k < 300; k++) {
            uint32_t at = chance_below(&chance, (uint32_t)size);
            bytes[at] ^= (unsigned char)(1 << k % 8);
            file_write(names[n], bytes, k % 4 == 0 ? at : size);
            bytes[at] ^= (unsigned char)(1 << k % 8);
            logged[0] = '\0';
            CHECK(sett_ranks_load(ranks[1], "ranks_hurt") != SETT_OK);
            CHECK_MSG(strstr(logged, names[n]) != NULL, "%s is not in: %s", names[n], logged);
            CHECK_EQ(hashed(ranks[1]), hash);
        }
        file_write(names[n], bytes, size);
    }
    size_t mixed = file_read("ranks_other.5.0", other, sizeof(other));
    file_write("ranks_hurt.5.0", other, mixed);
    CHECK_EQ(sett_ranks_load(ranks[1], "ranks_hurt"), SETT_STATUS_INVALID);
    CHECK(strstr(logged, "ranks_hurt.5.0") != NULL);
    unlink("ranks_hurt.5.0");
    CHECK_EQ(sett_ranks_load(ranks[1], "ranks_hurt"), SETT_STATUS_FILE);
    CHECK_EQ(sett_ranks_load(ranks[1], "ranks_none"), SETT_STATUS_FILE);
    CHECK(strstr(logged, "sett_ranks_load: \"ranks_none\" cannot be opened: ") == logged);
    CHECK_EQ(hashed(ranks[1]), hash);
    CHECK_EQ(sett_ranks_save(ranks[0], "no_folder/ranks"), SETT_STATUS_FILE);
    CHECK(strstr(logged, "sett_ranks_save: \"no_folder/ranks.5.0\" cannot be written: ") == logged);
    for (uint32_t k = 0; k < 2; k++) {
        sett_ranks_destroy(ranks[k]);
        CHECK_END(world[k]);
    }
}

/* --------------------------------------------------------------------------------------- misuse */

/* Says in the log what is wrong. */
static void rejects(sett_world* world, const sett_ranks_desc* desc, const char* why)
{
    logged[0] = '\0';
    CHECK(sett_ranks_create(world, MPI_COMM_SELF, desc) == NULL);
    CHECK_MSG(strncmp(logged, "sett_ranks_create: ", 19) == 0 && strstr(logged, why) != NULL,
              "\"%s\" is not in: %s", why, logged);
}

static uint32_t around_too_many(uint32_t cell, uint32_t* out, void* user)
{
    (void)cell, (void)out, (void)user;
    return SETT_RANKS_AROUND + 1;
}

static uint32_t around_too_far(uint32_t cell, uint32_t* out, void* user)
{
    (void)user;
    out[0] = cell + 1;
    return 1;
}

static void wrong_descriptions_are_rejected(void)
{
    sett_world* world = typed();
    sett_ranks_desc desc = described();
    desc.width = 7;
    rejects(world, &desc, "set `around`, or another `width`");
    desc = described();
    desc.indices = 65;
    rejects(world, &desc, "`indices` is not a multiple of 64");
    desc = described();
    desc.cell_of = NULL;
    rejects(world, &desc, "`position` or `cell_of` is missing - set both");
    desc = described();
    desc.indices = 1u << 30;
    rejects(world, &desc, "indices each need more than 2^32 indices - ");
    desc = described();
    const sett_component likes[] = {LIKES};
    desc.ghosts = likes;
    desc.ghost_count = 1;
    rejects(world, &desc, "in `ghosts` has hooks, is a relationship or a type of the library");
    const sett_component unknown[] = {999};
    desc.ghosts = unknown;
    rejects(world, &desc, "component 999 in `ghosts` is not registered - register it first");
    desc = described();
    const sett_component plain[] = {POSITION};
    desc.relations = plain;
    desc.relation_count = 1;
    rejects(world, &desc, "in `relations` is not a relationship");
    desc = described();
    desc.around = around_too_many;
    rejects(world, &desc, "`around` returned 33 for cell 0 - write and return at most 32 cells");
    desc.around = around_too_far;
    rejects(world, &desc, "`around` wrote cell 1 for cell 0, but not 0 for 1 - ");
    desc.cells = 1;
    rejects(world, &desc, "`around` wrote cell 1 for cell 0 - write only cells below `cells`, 1");
    CHECK(sett_ranks_create(NULL, MPI_COMM_SELF, &desc) == NULL);
    CHECK_END(world);
    world = typed();
    sett_entity_create(world);
    desc = described();
    rejects(world, &desc, "exists, and the cells need all indices below ");
    CHECK_END(world);
}

/* Where a rank cannot go on, the message says which rank and which checkpoint. */
static void failures_name_the_checkpoint(void)
{
    sett_world* world = typed();
    sett_ranks* ranks = made(world);
    sett_entity entity = placed(ranks, 0);
    CHECK_EQ(sett_ranks_begin(ranks), SETT_STATUS_ARGUMENT);
    CHECK(strstr(failure, "sett_ranks_begin: the last tick has not ended, or ") != NULL);
    CHECK(strstr(failure, "there is no checkpoint") != NULL);
    CHECK_EQ(sett_ranks_begin_wait(ranks), SETT_STATUS_ARGUMENT);
    CHECK(strstr(failure, "sett_ranks_begin_wait: no tick has begun - ") != NULL);
    CHECK_EQ(sett_ranks_save(ranks, "ranks_named"), SETT_STATUS_ARGUMENT);
    CHECK(strstr(failure, "sett_ranks_save: the last tick has not ended, or ") != NULL);
    CHECK_EQ(sett_ranks_save(ranks, NULL), SETT_STATUS_ARGUMENT);
    CHECK(strstr(failure, "sett_ranks_save: `path` is NULL - ") != NULL);
    CHECK_EQ(sett_ranks_load(ranks, NULL), SETT_STATUS_ARGUMENT);
    CHECK(strstr(logged, "sett_ranks_load: `path` is NULL - ") != NULL);
    CHECK_EQ(sett_ranks_end(ranks), SETT_OK);
    CHECK_EQ(sett_ranks_save(ranks, "ranks_named"), SETT_OK);
    sett_set(world, entity, POSITION, &(position){5, 1000});
    CHECK_EQ(sett_ranks_end(ranks), SETT_STATUS_ARGUMENT);
    CHECK(strstr(failure, "rank 0: sett_ranks_end: `cell_of` returned cell ") == failure);
    CHECK(strstr(failure, " - return a cell below `cells`, ") != NULL);
    CHECK(strstr(failure, "ranks_named, of tick 1") != NULL);
    sett_ranks_destroy(ranks);
    CHECK_END(world);
}

#if defined(RANKS_WRAPS)
/* All that a rank does, with what another one packed; false: something has failed. */
static bool does_all(sett_world* world, ranks_reader from)
{
    sett_ranks_desc desc = described();
    sett_ranks* ranks = sett_ranks_create(world, MPI_COMM_SELF, &desc);
    uint64_t hash;
    bool right = ranks != NULL;
    for (uint32_t k = 0; k < 4 && right; k++) {
        sett_entity entity = sett_ranks_create_entity(ranks, 9 + k % 2);
        right =
            !sett_is_null(entity) && sett_set(world, entity, POSITION, &(position){15, 15}) != NULL;
    }
    right = right && sett_ranks_end(ranks) == SETT_OK;
    right = right && setti_ranks_unpack(ranks, &from) == SETT_OK;
    right = right && sett_ranks_end(ranks) == SETT_OK && sett_ranks_begin(ranks) == SETT_OK;
    right =
        right && sett_entity_destroy(world, ranks->owned.item[ranks->owned.count - 1]) == SETT_OK;
    right = right && sett_ranks_end(ranks) == SETT_OK && sett_ranks_balance(ranks) == SETT_OK;
    right = right && sett_ranks_save(ranks, "ranks_scarce") == SETT_OK;
    right = right && sett_ranks_load(ranks, "ranks_scarce") == SETT_OK;
    right = right && sett_ranks_hash(ranks, &hash) == SETT_OK;
    sett_ranks_destroy(ranks);
    return right;
}

/* Each allocation fails once: the call says so, and the world is sound. */
static void memory_can_run_out(void)
{
    sett_world* other = typed();
    sett_ranks* ranks = made(other);
    ranks_bytes bytes = {NULL, 0, 0, false};
    ranks_list list = {NULL, 0, 0};
    for (uint32_t k = 0; k < 3; k++) {
        setti_ranks_push(&list, placed(ranks, k));
    }
    sett_hierarchy_attach(other, list.item[1], list.item[0]);
    sett_hierarchy_attach(other, list.item[2], list.item[0]);
    sett_relate(other, list.item[1], LIKES, placed(ranks, 5));
    CHECK_EQ(setti_ranks_pack(ranks, &list, &bytes), SETT_OK);
    ran_out = true;
    for (uint32_t n = 0; ran_out; n++) {
        sett_world* world = typed();
        ran_out = false;
        allocations = n;
        bool right = does_all(world, (ranks_reader){bytes.at, bytes.at + bytes.size, false});
        allocations = UINT32_MAX;
        CHECK_MSG(right || ran_out, "allocation %u: %s", (unsigned)n,
                  failure); /* some can be done without */
        CHECK_END(world);
        CHECK(n < 5000);
    }
    free(bytes.at);
    free(list.item);
    sett_ranks_destroy(ranks);
    CHECK_END(other);
}
#endif

static void null_is_harmless(void)
{
    uint64_t hash;
    sett_ranks_stats stats;
    sett_ranks_destroy(NULL);
    CHECK_EQ(sett_ranks_rank(NULL) + sett_ranks_count(NULL) + sett_ranks_ghost(NULL), 0);
    CHECK_EQ(sett_ranks_tick(NULL), 0);
    CHECK(!sett_ranks_owns(NULL, 0) && !sett_ranks_is_inner(NULL, 0));
    CHECK(sett_is_null(sett_ranks_create_entity(NULL, 0)));
    CHECK_EQ(sett_ranks_begin(NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_ranks_begin_wait(NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_ranks_end(NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_ranks_balance(NULL), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_ranks_hash(NULL, &hash), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_ranks_save(NULL, "x"), SETT_STATUS_ARGUMENT);
    CHECK_EQ(sett_ranks_load(NULL, "x"), SETT_STATUS_ARGUMENT);
    sett_ranks_stats_get(NULL, &stats);
    CHECK_EQ(stats.entities, 0);
}

static const check_test tests[] = {
#if defined(RANKS_WRAPS)
    TEST(memory_can_run_out),
#endif
    TEST(null_is_harmless),
    TEST(homes_give_handles),
    TEST(hash_is_that_of_the_world),
    TEST(views_come_back),
    TEST(equal_views_cost_nothing),
    TEST(trees_move_whole),
    TEST(bytes_are_not_believed),
    TEST(only_what_is_announced_moves),
    TEST(checkpoints_come_back),
    TEST(damaged_files_are_rejected),
    TEST(wrong_descriptions_are_rejected),
    TEST(failures_name_the_checkpoint),
};

check_state check_progress;

int main(int argc, char** argv)
{
#if defined(RANKS_WRAPS)
    allocations = UINT32_MAX;
#endif
    MPI_Init(NULL, NULL);
    int result = check_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
    MPI_Finalize();
    return result;
}
