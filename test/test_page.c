/* test_page.c: the pool that a world's memory comes from, and tables of pages. */
#include "check.h"

#include "base/page.h"
#include "base/platform.h"

/* Counts what it holds, and how often it was asked. */
typedef struct counter {
    size_t held;
    uint32_t pieces;
    uint32_t calls;
    size_t align;
    bool closed;
} counter;

static void* counter_alloc(void* user, size_t size, size_t align)
{
    counter* c = user;
    if (c->closed) {
        return NULL;
    }
    c->held += size;
    c->pieces++;
    c->calls++;
    c->align = align;
    return setti_platform_alloc(NULL, size, align);
}

static void counter_free(void* user, void* ptr, size_t size, size_t align)
{
    counter* c = user;
    c->held -= size;
    c->pieces--;
    setti_platform_free(NULL, ptr, size, align);
}

static void pool_begin(setti_pool* pool, counter* c, bool huge_pages)
{
    memset(c, 0, sizeof(*c));
    setti_pool_init(pool, (sett_allocator){counter_alloc, counter_free, c, NULL}, huge_pages);
}

static void pool_end(setti_pool* pool, const counter* c)
{
    CHECK(setti_pool_validate(pool) == NULL);
    CHECK_EQ(pool->block_size, c->held);
    setti_pool_deinit(pool);
    CHECK_EQ(c->held, 0);
    CHECK_EQ(c->pieces, 0);
}

static void an_empty_pool_holds_nothing(void)
{
    setti_pool pool;
    counter c;
    pool_begin(&pool, &c, false);
    setti_pool_free(&pool, NULL, 100, 8);
    setti_pool_trim(&pool);
    CHECK_EQ(c.calls, 0);
    CHECK_EQ(pool.tick, 1);
    pool_end(&pool, &c);
}

static void sizes_are_rounded_to_classes(void)
{
    static const size_t sizes[][2] = {
        {1, 32},        {32, 32},       {33, 64},       {64, 64},        {65, 128},
        {1000, 1024},   {1024, 1024},   {1025, 1152},   {16513, 16640},  {32640, 32640},
        {32641, 32768}, {32768, 32768}, {32769, 32769}, {100000, 100000}};
    setti_pool pool;
    counter c;
    pool_begin(&pool, &c, false);
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        void* piece = setti_pool_alloc(&pool, sizes[k][0], 8);
        CHECK(piece != NULL);
        CHECK_EQ(pool.used_size, sizes[k][1]);
        setti_pool_free(&pool, piece, sizes[k][0], 8);
        CHECK_EQ(pool.used_size, 0);
    }
    pool_end(&pool, &c);
}

static void a_piece_given_back_is_handed_out_again(void)
{
    setti_pool pool;
    counter c;
    pool_begin(&pool, &c, false);
    void* a = setti_pool_alloc(&pool, 5000, 8);
    void* b = setti_pool_alloc(&pool, 5000, 8);
    setti_pool_free(&pool, a, 5000, 8);
    setti_pool_free(&pool, b, 5000, 8);
    uint32_t calls = c.calls;
    CHECK_PTR_EQ(setti_pool_alloc(&pool, 5100, 8), b); /* of the same class; the latest first */
    CHECK_PTR_EQ(setti_pool_alloc(&pool, 5000, 8), a);
    CHECK_EQ(c.calls, calls);
    CHECK_EQ(pool.allocations, calls);
    pool_end(&pool, &c);
}

static void large_pieces_come_straight_from_the_allocator(void)
{
    setti_pool pool;
    counter c;
    pool_begin(&pool, &c, false);
    void* large = setti_pool_alloc(&pool, 1000000, 16);
    CHECK(c.held >= 1000000 && c.held < 1001000);
    void* aligned = setti_pool_alloc(&pool, 100, 4096);
    CHECK_EQ((uintptr_t)aligned % 4096, 0);
    CHECK_EQ(c.align, 4096);
    CHECK_EQ(c.pieces, 2);
    setti_pool_free(&pool, large, 1000000, 16);
    CHECK_EQ(c.pieces, 1); /* and go straight back */
    setti_pool_free(&pool, aligned, 100, 4096);
    CHECK_EQ(c.held, 0);
    pool_end(&pool, &c);
}

static void trimming_gives_empty_blocks_back(void)
{
    static void* piece[2000];
    setti_pool pool;
    counter c;
    pool_begin(&pool, &c, false);
    void* first = setti_pool_alloc(&pool, 32, 8);
    memset(first, 7, 32);
    for (uint32_t k = 0; k < 2000; k++) {
        piece[k] = setti_pool_alloc(&pool, 100 + k, 8);
        CHECK(piece[k] != NULL);
    }
    size_t full = c.held;
    setti_pool_trim(&pool);
    CHECK_EQ(c.held, full);
    for (uint32_t k = 0; k < 2000; k++) {
        setti_pool_free(&pool, piece[k], 100 + k, 8);
    }
    CHECK_EQ(c.held, full);
    setti_pool_trim(&pool);
    CHECK(setti_pool_validate(&pool) == NULL);
    CHECK_EQ(c.pieces, 1); /* the block of `first` */
    CHECK_EQ(((unsigned char*)first)[31], 7);
    setti_pool_free(&pool, first, 32, 8);
    setti_pool_trim(&pool);
    CHECK_EQ(c.held, 0);
    CHECK(setti_pool_alloc(&pool, 32, 8) != NULL); /* and it goes on */
    pool_end(&pool, &c);
}

static void trimming_without_memory_does_nothing(void)
{
    setti_pool pool;
    counter c;
    pool_begin(&pool, &c, false);
    void* piece = setti_pool_alloc(&pool, 500, 8);
    setti_pool_free(&pool, piece, 500, 8);
    c.closed = true;
    size_t held = c.held;
    setti_pool_trim(&pool);
    CHECK_EQ(c.held, held);
    CHECK_PTR_EQ(setti_pool_alloc(&pool, 500, 8), piece);
    CHECK(setti_pool_alloc(&pool, 100000, 8) == NULL);
    pool_end(&pool, &c);
}

static void huge_pages_come_in_blocks_of_their_size(void)
{
    setti_pool pool;
    counter c;
    pool_begin(&pool, &c, true);
    CHECK(setti_pool_alloc(&pool, 1000, 8) != NULL);
    CHECK_EQ(c.align, SETTI_HUGE_PAGE);
    CHECK_EQ(c.held % SETTI_HUGE_PAGE, 0);
    CHECK(c.held != 0);
    pool_end(&pool, &c);
}

/* ---- At random ------------------------------------------------------------------------------- */

#define PIECES 400

typedef struct held_piece {
    unsigned char* bytes;
    size_t size;
    size_t align;
    unsigned char mark;
} held_piece;

static uint64_t next_random(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void take_piece(setti_pool* pool, held_piece* p, uint64_t* random)
{
    static const size_t most[] = {40, 300, 3000, 33000, 70000};
    p->size = 1 + (size_t)next_random(random) % most[next_random(random) % 5];
    p->align = (size_t)1 << (next_random(random) % (next_random(random) % 8 == 0 ? 13 : 8));
    p->mark = (unsigned char)next_random(random);
    p->bytes = setti_pool_alloc(pool, p->size, p->align);
    CHECK(p->bytes != NULL);
    CHECK_EQ((uintptr_t)p->bytes % p->align, 0);
    memset(p->bytes, p->mark, p->size);
}

static void give_piece(setti_pool* pool, held_piece* p)
{
    for (size_t at = 0; at < p->size; at++) {
        CHECK_EQ(p->bytes[at], p->mark);
    }
    setti_pool_free(pool, p->bytes, p->size, p->align);
    p->bytes = NULL;
}

static void pieces_never_overlap(void)
{
    static held_piece held[PIECES];
    uint64_t random = check_setting("SETT_SEED", 1);
    setti_pool pool;
    counter c;
    pool_begin(&pool, &c, false);
    for (uint32_t round = 0; round < 20000; round++) {
        held_piece* p = &held[next_random(&random) % PIECES];
        if (p->bytes != NULL) {
            give_piece(&pool, p);
        } else {
            take_piece(&pool, p, &random);
        }
        if (round % 1000 == 0) {
            setti_pool_trim(&pool);
        }
        const char* reason = round % 16 == 0 ? setti_pool_validate(&pool) : NULL;
        CHECK_MSG(reason == NULL, "round %u: %s", round, reason);
    }
    for (uint32_t k = 0; k < PIECES; k++) {
        if (held[k].bytes != NULL) {
            give_piece(&pool, &held[k]);
        }
    }
    CHECK_EQ(pool.used_size, 0);
    setti_pool_trim(&pool);
    CHECK_EQ(c.held, 0);
    pool_end(&pool, &c);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static void a_table_of_pages_grows_and_keeps_its_pages(void)
{
    setti_pool pool;
    counter c;
    bool fresh = false;
    setti_pages pages;
    pool_begin(&pool, &c, false);
    setti_pages_init(&pages, 256, 64);
    CHECK(setti_pages_get(&pages, 0) == NULL);
    CHECK(setti_pages_ensure(&pool, &pages, 3, &fresh) && fresh);
    void* page = setti_pages_get(&pages, 3);
    CHECK(page != NULL && (uintptr_t)page % 64 == 0);
    CHECK(setti_pages_get(&pages, 2) == NULL);
    CHECK(setti_pages_get(&pages, 4) == NULL);
    CHECK(setti_pages_ensure(&pool, &pages, 3, &fresh) && !fresh);
    CHECK(setti_pages_reserve(&pool, &pages, 5000));
    CHECK_EQ(pages.count, 5000);
    CHECK_PTR_EQ(setti_pages_get(&pages, 3), page);
    CHECK(setti_pages_get(&pages, 4999) == NULL);
    setti_pages_free(&pool, &pages, 3);
    setti_pages_free(&pool, &pages, 4);
    CHECK(setti_pages_get(&pages, 3) == NULL);
    CHECK(setti_pages_ensure(&pool, &pages, 4999, &fresh) && fresh);
    setti_pages_deinit(&pool, &pages);
    CHECK_EQ(pool.used_size, 0);
    pool_end(&pool, &c);
}

static void readers_see_something_where_no_page_is(void)
{
    setti_pool pool;
    counter c;
    bool fresh;
    static const uint64_t none[8];
    setti_pages pages;
    pool_begin(&pool, &c, false);
    setti_pages_init_read(&pages, sizeof(none), 64, none, 5);
    CHECK_EQ(pages.read_count, 0);
    CHECK(setti_pages_ensure(&pool, &pages, 2, &fresh));
    CHECK_EQ(pages.read_count, 3);
    CHECK_EQ(pages.read_mask, 3);
    CHECK(pages.read[1] == none && pages.read[2] == pages.data[2] && pages.read[3] == none);
    setti_pages_hide(&pages, true);
    CHECK(setti_pages_reserve(&pool, &pages, 9));
    CHECK_EQ(pages.read_count, 0);
    setti_pages_hide(&pages, false);
    CHECK_EQ(pages.read_count, 9);
    CHECK(pages.read[2] == pages.data[2] && pages.read[15] == none);
    CHECK(setti_pages_validate(&pages) == NULL);
    pages.read_count--;
    CHECK(setti_pages_validate(&pages) != NULL);
    pages.read_count++;
    CHECK(setti_pages_ensure(&pool, &pages, 40, &fresh)); /* behind what readers see */
    CHECK_EQ(pages.read_count, 32);
    CHECK_EQ(pages.read_mask, 31);
    CHECK(pages.read[2] == pages.data[2] && pages.read[31] == none);
    CHECK(setti_pages_get(&pages, 40) == pages.data[40] && pages.data[40] != NULL);
    CHECK(setti_pages_validate(&pages) == NULL);
    setti_pages_free(&pool, &pages, 2);
    CHECK(pages.read[2] == none);
    pages.read[2] = &pool;
    CHECK(setti_pages_validate(&pages) != NULL);
    setti_pages_shrink(&pool, &pages, 64);
    setti_pages_deinit(&pool, &pages);
    CHECK_EQ(pages.read_count, 0);
    CHECK(setti_pages_validate(&pages) == NULL);
    setti_pages_deinit(&pool, &pages);
    pool_end(&pool, &c);
}

static void writing_marks_a_page_with_the_tick(void)
{
    setti_pool pool;
    counter c;
    bool fresh;
    setti_pages pages;
    pool_begin(&pool, &c, false);
    setti_pages_init(&pages, 64, 8);
    CHECK(setti_pages_ensure(&pool, &pages, 0, &fresh));
    CHECK(setti_pages_ensure(&pool, &pages, 1, &fresh));
    pool.tick = 9;
    setti_pages_write(&pool, &pages, 1);
    CHECK_EQ(pages.tick[1], 9);
    CHECK(pages.tick[0] < 9);
    pool.tick = 10;
    CHECK(setti_pages_reserve(&pool, &pages, 100));
    CHECK_EQ(pages.tick[1], 9); /* growing is no write */
    setti_pages_deinit(&pool, &pages);
    pool_end(&pool, &c);
}

/* Tables whose pages are created in turn, as those of the types of an entity are. */
#define TABLES 4

static void fill_tables(setti_pool* pool, setti_pages* tables, uint32_t from, uint32_t to)
{
    for (uint32_t number = from; number < to; number++) {
        for (uint32_t k = 0; k < TABLES; k++) {
            bool fresh;
            CHECK(setti_pages_ensure(pool, &tables[k], number, &fresh));
            memset(tables[k].data[number], (int)k, tables[k].size);
        }
    }
}

/* Of a hundred pages, how many lie right behind the one before. */
static uint32_t side_by_side(const setti_pages* pages)
{
    uint32_t pairs = 0;
    uint32_t count = 0;
    for (uint32_t k = 1; k < pages->count && pages->data[k] != NULL; k++) {
        pairs++;
        count += (unsigned char*)pages->data[k] == (unsigned char*)pages->data[k - 1] + pages->size;
    }
    return count * 100 / pairs;
}

static void tables_init(setti_pages* tables)
{
    static const size_t sizes[TABLES] = {8192, 4096, 16384, 8192};
    for (uint32_t k = 0; k < TABLES; k++) {
        setti_pages_init(&tables[k], sizes[k], 64);
    }
}

static void pages_of_a_table_lie_side_by_side(void)
{
    setti_pool pool;
    setti_pages tables[TABLES];
    counter c;
    pool_begin(&pool, &c, false);
    tables_init(tables);
    fill_tables(&pool, tables, 0, 400);
    for (uint32_t k = 0; k < TABLES; k++) {
        CHECK_MSG(side_by_side(&tables[k]) >= 80, "table %u: %u", k, side_by_side(&tables[k]));
        CHECK_EQ(((unsigned char*)tables[k].data[399])[0], k);
    }
    size_t held = c.held;
    for (uint32_t k = 0; k < 400; k++) { /* in an order in which neighbours go apart */
        for (uint32_t t = 0; t < TABLES; t++) {
            setti_pages_free(&pool, &tables[t], k * 171 % 400);
        }
        CHECK(k % 50 != 0 || setti_pool_validate(&pool) == NULL);
    }
    fill_tables(&pool, tables, 0, 400);
    for (uint32_t k = 0; k < TABLES; k++) {
        CHECK_MSG(side_by_side(&tables[k]) >= 80, "again: %u: %u", k, side_by_side(&tables[k]));
    }
    CHECK(setti_pool_validate(&pool) == NULL);
    CHECK_EQ(c.held, held);
    for (uint32_t k = 0; k < TABLES; k++) { /* what is left of runs goes back with the table */
        setti_pages_deinit(&pool, &tables[k]);
        CHECK(setti_pool_validate(&pool) == NULL);
    }
    CHECK_EQ(pool.used_size, 0);
    CHECK(pool.strips == NULL);
    pool_end(&pool, &c);
}

/* A type that few entities have takes no room for pages that it will not have. */
static void far_pages_take_no_run(void)
{
    setti_pool pool;
    setti_pages pages;
    counter c;
    bool fresh;
    pool_begin(&pool, &c, false);
    setti_pages_init(&pages, 8192, 64);
    for (uint32_t k = 0; k < 200; k++) {
        CHECK(setti_pages_ensure(&pool, &pages, k * 50, &fresh));
        CHECK(pool.strips == NULL);
    }
    setti_pages_deinit(&pool, &pages);
    pool_end(&pool, &c);
}

/* When the allocator fails, all that the blocks hold is handed out, what is left of runs too. */
static void runs_are_given_back_when_memory_runs_out(void)
{
    setti_pool pool;
    setti_pages tables[TABLES];
    counter c;
    pool_begin(&pool, &c, false);
    tables_init(tables);
    fill_tables(&pool, tables, 0, 150);
    CHECK(pool.strips != NULL);
    c.closed = true;
    while (setti_pool_alloc(&pool, 8192, 64) != NULL) {
        CHECK(setti_pool_validate(&pool) == NULL);
    }
    while (setti_pool_alloc(&pool, 1500, 64) != NULL) {
    }
    CHECK(pool.strips == NULL);
    size_t rest = pool.block_size - pool.used_size;
    CHECK_MSG(rest < pool.block_size / 25, "%zu of %zu are left", rest, pool.block_size);
    c.closed = false;
    fill_tables(&pool, tables, 150, 200); /* and it goes on */
    for (uint32_t k = 0; k < TABLES; k++) {
        setti_pages_deinit(&pool, &tables[k]);
    }
    pool_end(&pool, &c);
}

/* So many bytes are handed out without asking the allocator, in pieces of all sizes. */
static void reservations_keep_their_promise(void)
{
    for (size_t size = 100000; size < 20000000; size = size * 3 / 2) {
        setti_pool pool;
        setti_pages tables[TABLES];
        counter c;
        bool fresh = true;
        pool_begin(&pool, &c, false);
        tables_init(tables);
        fill_tables(&pool, tables, 0, 40);
        for (uint32_t k = 0; k < TABLES; k++) { /* the tables themselves are large pieces */
            CHECK(setti_pages_reserve(&pool, &tables[k], 2000));
        }
        CHECK(setti_pool_reserve(&pool, size));
        uint32_t calls = c.calls;
        size_t end = pool.used_size + size - 100000;
        for (uint32_t number = 40; pool.used_size < end && number < 2000; number++) {
            for (uint32_t k = 0; k < TABLES && pool.used_size < end; k++) {
                CHECK(setti_pages_ensure(&pool, &tables[k], number, &fresh));
            }
        }
        while (pool.used_size < end) {
            CHECK(setti_pool_alloc(&pool, 30000, 64) != NULL);
        }
        CHECK_EQ(c.calls, calls);
        CHECK_MSG(size < 2000000 || side_by_side(&tables[0]) >= 70, "%zu: %u", size,
                  side_by_side(&tables[0]));
        CHECK(setti_pool_validate(&pool) == NULL);
        setti_pool_trim(&pool);
        CHECK(pool.strips == NULL);
        CHECK(setti_pool_validate(&pool) == NULL);
        setti_pool_deinit(&pool);
        CHECK_EQ(c.held, 0);
    }
}

enum {
    JOINED = 200
};

/* Free pieces that are neighbours become room for pieces of another size, and only those. */
static void neighbours_join(void)
{
    setti_pool pool;
    counter c;
    void* piece[JOINED];
    pool_begin(&pool, &c, false);
    CHECK(setti_pool_reserve(&pool, JOINED * 9400));
    for (uint32_t k = 0; k < JOINED; k++) {
        piece[k] = setti_pool_alloc(&pool, 8320, 64);
        CHECK(piece[k] != NULL);
        memset(piece[k], 1, 8320);
    }
    while (pool.bump_size >= 12416) { /* nothing else is left */
        CHECK(setti_pool_alloc(&pool, 12416, 64) != NULL);
    }
    uint32_t calls = c.calls;
    for (uint32_t k = 0; k < JOINED; k += 2) { /* no neighbours, but for those of the second half */
        setti_pool_free(&pool, piece[k], 8320, 64);
    }
    for (uint32_t k = JOINED / 2 + 1; k < JOINED; k += 2) {
        setti_pool_free(&pool, piece[k], 8320, 64);
    }
    setti_pool_join(&pool, 100, 8); /* small pieces stay as they are */
    setti_pool_join(&pool, 8320, 64);
    CHECK(setti_pool_validate(&pool) == NULL);
    for (uint32_t k = 0; k < JOINED / 3 - 4; k++) { /* of 12 KB, in the room of the second half */
        void* large = setti_pool_alloc(&pool, 12416, 64);
        CHECK(large != NULL);
        memset(large, 2, 12416);
    }
    for (uint32_t k = 0; k < JOINED / 4; k++) { /* single ones are there still */
        CHECK(setti_pool_alloc(&pool, 8320, 64) != NULL);
    }
    CHECK_EQ(c.calls, calls);
    for (uint32_t k = 1; k < JOINED / 2; k += 2) {
        CHECK_EQ(*(unsigned char*)piece[k], 1); /* what was in use is untouched */
        CHECK_EQ(((unsigned char*)piece[k])[8319], 1);
    }
    CHECK(setti_pool_validate(&pool) == NULL);
    setti_pool_trim(&pool);
    CHECK(pool.ranges == NULL);
    CHECK(setti_pool_validate(&pool) == NULL);
    setti_pool_deinit(&pool);
    CHECK_EQ(c.held, 0);
}

/* A trim frees blocks with nothing but joined room. */
static void joined_room_is_trimmed(void)
{
    setti_pool pool;
    counter c;
    void* piece[JOINED];
    pool_begin(&pool, &c, false);
    for (uint32_t k = 0; k < JOINED; k++) {
        piece[k] = setti_pool_alloc(&pool, 8320, 64);
    }
    for (uint32_t k = 0; k < JOINED; k++) {
        setti_pool_free(&pool, piece[k], 8320, 64);
    }
    setti_pool_join(&pool, 8320, 64);
    CHECK(pool.ranges != NULL);
    setti_pool_trim(&pool);
    CHECK_EQ(pool.block_size, 0);
    pool_end(&pool, &c);
}

/* Twenty types whose pages are as long as the sets of a first-level cache: where they begin differs
 * modulo that. */
static void pages_do_not_begin_alike(void)
{
    setti_pool pool;
    counter c;
    uint64_t met = 0;
    pool_begin(&pool, &c, false);
    CHECK(setti_pool_reserve(&pool, 200000)); /* in one block, as in worlds of a usual size */
    for (uint32_t k = 0; k < 20; k++) {
        void* page = setti_pool_alloc(&pool, 4096, 64);
        met |= (uint64_t)1 << ((uintptr_t)page % 4096 / 64);
    }
    CHECK_EQ(setti_bits_count(met), 20);
    CHECK(setti_pool_validate(&pool) == NULL);
    setti_pool_deinit(&pool);
}

static void without_memory_a_table_stays_as_it_is(void)
{
    setti_pool pool;
    counter c;
    bool fresh;
    setti_pages pages;
    pool_begin(&pool, &c, false);
    setti_pages_init(&pages, 100000, 8);
    c.closed = true;
    CHECK(!setti_pages_reserve(&pool, &pages, 1));
    CHECK(!setti_pages_ensure(&pool, &pages, 0, &fresh));
    CHECK_EQ(pages.count, 0);
    c.closed = false;
    CHECK(setti_pages_reserve(&pool, &pages, 4));
    c.closed = true;
    CHECK(!setti_pages_ensure(&pool, &pages, 0, &fresh));
    CHECK(!setti_pages_reserve(&pool, &pages, 10000000));
    CHECK_EQ(pages.count, 4);
    CHECK(setti_pages_get(&pages, 0) == NULL);
    setti_pages_deinit(&pool, &pages);
    pool_end(&pool, &c);
}

static void validation_sees_bytes_that_do_not_add_up(void)
{
    setti_pool pool;
    counter c;
    pool_begin(&pool, &c, false);
    CHECK(setti_pool_alloc(&pool, 100, 8) != NULL);
    CHECK(setti_pool_alloc(&pool, 100000, 8) != NULL);
    pool.used_size += 32;
    CHECK(setti_pool_validate(&pool) != NULL);
    pool.used_size -= 32;
    pool.block_size++;
    CHECK(setti_pool_validate(&pool) != NULL);
    pool.block_size--;
    pool_end(&pool, &c);
}

TEST_MAIN(TEST(an_empty_pool_holds_nothing), TEST(sizes_are_rounded_to_classes),
          TEST(a_piece_given_back_is_handed_out_again),
          TEST(large_pieces_come_straight_from_the_allocator),
          TEST(trimming_gives_empty_blocks_back), TEST(trimming_without_memory_does_nothing),
          TEST(huge_pages_come_in_blocks_of_their_size), TEST(pieces_never_overlap),
          TEST(a_table_of_pages_grows_and_keeps_its_pages),
          TEST(readers_see_something_where_no_page_is), TEST(writing_marks_a_page_with_the_tick),
          TEST(pages_of_a_table_lie_side_by_side), TEST(far_pages_take_no_run),
          TEST(runs_are_given_back_when_memory_runs_out), TEST(reservations_keep_their_promise),
          TEST(neighbours_join), TEST(joined_room_is_trimmed), TEST(pages_do_not_begin_alike),
          TEST(without_memory_a_table_stays_as_it_is),
          TEST(validation_sees_bytes_that_do_not_add_up))
