/* test_strings.c: strings and lists in values: shared by copies, on all roads of a value. */
#include "saved.h"

#include "chance.h"
#include "sett/members.h"
#include "state/delta.h"
#include "value/value.h"

typedef struct Mark {
    uint32_t page;
    char tag[3];
    bool on;
    double x;
} Mark;

typedef struct Cover {
    uint8_t colour;
    sett_string author;
} Cover;

typedef struct Book {
    uint8_t shelf;
    sett_string title;
    Cover covers[2];
    sett_list marks;
    sett_list scores;
    float price;
    sett_string cache;
} Book;

#define MARK_STRUCT SETT_STRUCT(Mark, page, tag, on, x)
#define BOOK_STRUCT                                                                                \
    SETT_STRUCT(Book, shelf, title, (covers, .of = SETT_STRUCT(Cover, colour, author)),            \
                (marks, .of = MARK_STRUCT), (scores, .element = SETT_MEMBER_I16, .scale = 0.5),    \
                price, (cache, .local = true))

#define LIST(COMPONENT, TAG)                                                                       \
    COMPONENT(Book, .members = BOOK_STRUCT)                                                        \
    COMPONENT(Cover, .members = SETT_STRUCT(Cover, colour, author),                                \
              .storage = SETT_STORAGE_SPARSE_SET, .track_rows = true)                              \
    TAG(Seen)
SETT_COMPONENTS(LIST)

static scarce_memory memory; /* of all worlds of a test */

static sett_world* book_world(void)
{
    sett_world* world = scarce_world(&memory);
    CHECK_MSG(SETT_REGISTER_ALL(world, LIST) == SETT_OK, "%s", sett_world_message(world));
    return world;
}

static void all_is_given_back(void)
{
    CHECK_EQ(memory.held, 0);
}

/* ----------------------------------------------------------------------------------- the model */

#define BOOKS 24
#define TEXT 40
#define ITEMS 7

typedef struct model_book {
    bool there;
    uint8_t shelf;
    char text[3][TEXT]; /* title, authors */
    uint32_t marks;
    uint32_t scores;
    Mark mark[ITEMS];
    int16_t score[ITEMS];
} model_book;

typedef struct model {
    model_book book[BOOKS];
} model;

static sett_string* book_text(Book* book, uint32_t k)
{
    return k == 0 ? &book->title : &book->covers[k - 1].author;
}

static void model_check(sett_world* world, const model* of)
{
    for (uint32_t k = 0; k < BOOKS; k++) {
        const model_book* is = &of->book[k];
        Book* book = setti_unconst(sett_find(world, sett_entity_at(world, k), Book_id));
        CHECK_EQ(book != NULL, is->there);
        if (book == NULL) {
            continue;
        }
        CHECK_EQ(book->shelf, is->shelf);
        for (uint32_t t = 0; t < 3; t++) {
            CHECK_STR_EQ(sett_string_get(book_text(book, t)), is->text[t]);
        }
        CHECK_EQ(book->marks.count, is->marks);
        CHECK_EQ(book->scores.count, is->scores);
        for (uint32_t m = 0; m < is->marks; m++) {
            const Mark* mark = &SETT_LIST_ITEMS(&book->marks, Mark)[m];
            CHECK_EQ(mark->page, is->mark[m].page);
            CHECK(mark->x == is->mark[m].x && mark->on == is->mark[m].on);
            CHECK_STR_EQ(mark->tag, is->mark[m].tag);
        }
        for (uint32_t m = 0; m < is->scores; m++) {
            CHECK_EQ(SETT_LIST_ITEMS(&book->scores, int16_t)[m], is->score[m]);
        }
    }
}

static void draw_text(uint64_t* chance, char* out)
{
    uint32_t length = chance_below(chance, 3) == 0 ? 0 : chance_below(chance, TEXT);
    for (uint32_t k = 0; k < length; k++) {
        out[k] = (char)(chance_below(chance, 40) == 0 ? 0x80 : 33 + chance_below(chance, 90));
    }
    out[length] = '\0';
}

static void draw_mark(uint64_t* chance, Mark* out)
{
    out->page = chance_below(chance, 1000000);
    out->on = chance_below(chance, 2) != 0;
    out->x = (double)chance_below(chance, 64) / 8;
    memcpy(out->tag, chance_below(chance, 2) != 0 ? "ab" : "\0\0", 3);
}

/* One change of one value. */
static void change_book(sett_world* world, uint64_t* chance, Book* book, model_book* is)
{
    uint32_t t = chance_below(chance, 3);
    uint32_t m;
    switch (chance_below(chance, 6)) {
    case 0:
        draw_text(chance, is->text[t]);
        CHECK_EQ(sett_string_set(world, book_text(book, t), is->text[t]), SETT_OK);
        break;
    case 1:
        if (is->marks < ITEMS) {
            Mark* mark = SETT_LIST_PUSH(world, &book->marks, Mark);
            CHECK(mark != NULL);
            CHECK(mark->page == 0 && mark->x == 0 && !mark->on && mark->tag[0] == 0);
            draw_mark(chance, &is->mark[is->marks]);
            *mark = is->mark[is->marks++];
        }
        break;
    case 2:
        if (is->marks != 0) {
            m = chance_below(chance, is->marks);
            draw_mark(chance, &is->mark[m]);
            SETT_LIST_EDIT(world, &book->marks, Mark)[m] = is->mark[m];
        }
        break;
    case 3:
        m = chance_below(chance, ITEMS);
        for (uint32_t k = is->marks; k < m; k++) {
            memset(&is->mark[k], 0, sizeof(Mark));
        }
        is->marks = m;
        CHECK_EQ(sett_list_resize(world, &book->marks, sizeof(Mark), m) != NULL, m != 0);
        break;
    case 4:
        m = chance_below(chance, ITEMS);
        for (uint32_t k = 0; k < m; k++) {
            is->score[k] = (int16_t)chance_draw(chance);
        }
        is->scores = m;
        if (sett_list_resize(world, &book->scores, sizeof(int16_t), m) != NULL) {
            memcpy(setti_unconst(book->scores.items), is->score, m * sizeof(int16_t));
        }
        break;
    default:
        is->shelf = book->shelf = (uint8_t)chance_draw(chance);
        CHECK_EQ(sett_string_set(world, &book->cache, "not part of the state"), SETT_OK);
        break;
    }
}

/* A value of the program, which stays the program's. */
static void set_book(sett_world* world, uint64_t* chance, sett_entity entity, model_book* is)
{
    Book book = {0};
    memset(is, 0, sizeof(*is));
    is->there = true;
    for (uint32_t k = 0; k < 6; k++) {
        change_book(world, chance, &book, is);
    }
    if (chance_below(chance, 2) == 0) {
        CHECK(sett_set(world, entity, Book_id, &book) != NULL);
    } else {
        CHECK_EQ(sett_cmd_set(sett_commands_here(world), entity, Book_id, &book), SETT_OK);
        if (chance_below(chance, 8) == 0) {
            CHECK_EQ(sett_cmd_set(sett_commands_here(world), entity, Book_id, &book), SETT_OK);
        }
        CHECK_EQ(sett_commands_apply(sett_commands_here(world)), SETT_OK);
    }
    for (uint32_t t = 0; t < 3; t++) {
        CHECK_EQ(sett_string_set(world, book_text(&book, t), NULL), SETT_OK);
    }
    CHECK_EQ(sett_string_set(world, &book.cache, ""), SETT_OK);
    CHECK(sett_list_resize(world, &book.marks, sizeof(Mark), 0) == NULL);
    CHECK(sett_list_resize(world, &book.scores, 0, 0) == NULL);
}

static void model_step(sett_world* world, uint64_t* chance, model* of)
{
    uint32_t k = chance_below(chance, BOOKS);
    sett_entity entity = sett_entity_at(world, k);
    model_book* is = &of->book[k];
    uint32_t what = chance_below(chance, 10);
    if (what == 0 && is->there) {
        CHECK_EQ(sett_remove(world, entity, Book_id), SETT_OK);
        memset(is, 0, sizeof(*is));
    } else if (what == 1) {
        set_book(world, chance, entity, is);
    } else if (what == 2) {
        uint32_t other = chance_below(chance, BOOKS);
        if (of->book[other].there) { /* two entities share all of it */
            CHECK(sett_set(world, entity, Book_id,
                           sett_get(world, sett_entity_at(world, other), Book_id)) != NULL);
            *is = of->book[other];
        }
    } else if (!is->there) {
        Book* book = sett_add(world, entity, Book_id);
        CHECK(book != NULL && book->title.text == NULL && book->marks.count == 0);
        is->there = true;
    } else {
        change_book(world, chance, sett_get_mut(world, entity, Book_id), is);
    }
}

static sett_world* model_world(model* of)
{
    sett_world* world = book_world();
    memset(of, 0, sizeof(*of));
    for (uint32_t k = 0; k < BOOKS; k++) {
        CHECK_EQ(sett_entity_create(world).index, k);
    }
    return world;
}

/* Random changes, snapshots in any order, and after some steps all roads to another world. */
static void copies_are_what_they_were(void)
{
    uint64_t chance = check_setting("SETT_SEED", 1);
    uint32_t steps = (uint32_t)check_setting("SETT_OPERATIONS", 4000);
    model live;
    model saved[5];
    sett_snapshot snapshot[5] = {{0, 0}};
    sett_world* world = model_world(&live);
    sett_world* replica = book_world();
    disk* to = disk_create();
    static char text[1 << 17];
    CHECK_EQ(sett_world_clone(world, replica), SETT_OK);
    sett_snapshot confirmed = take(world);
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t s = chance_below(&chance, 5);
        uint32_t what = chance_below(&chance, 60);
        if (what < 54) {
            model_step(world, &chance, &live);
        } else if (what < 56) {
            (void)sett_snapshot_drop(world, snapshot[s]);
            snapshot[s] = take(world);
            saved[s] = live;
        } else if (what == 56 && sett_snapshot_status(world, snapshot[s]) == SETT_OK) {
            CHECK_EQ(sett_snapshot_restore(world, snapshot[s]), SETT_OK);
            live = saved[s];
            model_check(world, &live);
        } else if (what == 57) {
            unsigned char* bytes;
            sett_snapshot now = take(world);
            size_t size = encode(world, confirmed, now, &bytes);
            CHECK_APPLY(replica, bytes, size);
            CHECK_SAME(world, replica);
            model_check(replica, &live);
            free(bytes);
            CHECK_EQ(sett_snapshot_drop(world, confirmed), SETT_OK);
            confirmed = now;
        } else if (what == 58 && step % 4 == 0) {
            sett_world* read = book_world();
            saves(world, to, step);
            CHECK_MSG(loads(read, to, NULL) == SETT_OK, "%s", sett_world_message(read));
            CHECK_SAME(world, read);
            model_check(read, &live);
            CHECK_END(read);
        } else if (what == 59) {
            sett_world* read = book_world();
            sett_json_read_desc kept = {.keep_handles = true};
            size_t length = sett_json_format(world, NULL, text, sizeof(text));
            CHECK(length != 0 && length < sizeof(text));
            CHECK_MSG(sett_json_read(read, text, length, &kept, NULL) == SETT_OK, "%s",
                      sett_world_message(read));
            model_check(read, &live);
            CHECK_END(read);
        }
        if (step % 64 == 0) {
            CHECK_VALID(world);
            model_check(world, &live);
            CHECK_EQ(sett_world_check_writes(world), SETT_OK);
        }
    }
    disk_destroy(to);
    CHECK_END(world);
    CHECK_END(replica);
    all_is_given_back();
}

/* ---------------------------------------------------------------------------------- one by one */

/* A book on entity 0, with all that it can have. */
static sett_world* full_world(sett_entity* out)
{
    sett_world* world = book_world();
    *out = sett_entity_create(world);
    Book* book = sett_add(world, *out, Book_id);
    book->shelf = 3;
    CHECK_EQ(sett_string_set(world, &book->title, "On \"Growth\""), SETT_OK);
    CHECK_EQ(sett_string_set(world, &book->covers[1].author, "D'Arcy"), SETT_OK);
    for (uint32_t k = 0; k < 2; k++) {
        *SETT_LIST_PUSH(world, &book->marks, Mark) = (Mark){10 + k, "m", k == 0, 0.5};
        *SETT_LIST_PUSH(world, &book->scores, int16_t) = (int16_t)(k + 1);
    }
    return world;
}

static void copies_share_until_they_change(void)
{
    sett_entity e;
    sett_world* world = full_world(&e);
    Book copy = {0};
    const Book* book = sett_get(world, e, Book_id);
    sett_entity other = sett_duplicate(world, e, NULL);
    const Book* shared = sett_get(world, other, Book_id);
    CHECK(shared->title.text == book->title.text && shared->marks.items == book->marks.items);
    Mark* marks = SETT_LIST_EDIT(world, &((Book*)sett_get_mut(world, other, Book_id))->marks, Mark);
    CHECK(marks != book->marks.items);
    marks[0].page = 99;
    CHECK_EQ(SETT_LIST_ITEMS(&book->marks, Mark)[0].page, 10);
    CHECK(SETT_LIST_EDIT(world, &((Book*)sett_get_mut(world, other, Book_id))->marks, Mark) ==
          marks); /* now its own */
    CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    CHECK_STR_EQ(sett_string_get(&shared->title), "On \"Growth\"");
    CHECK(sett_list_resize(world, &copy.marks, 4, 1) != NULL);
    CHECK(sett_list_resize(world, &copy.marks, 8, 1) == NULL); /* other items */
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK(sett_list_resize(world, &copy.marks, 4, 0) == NULL);
    sett_entity made[3];
    CHECK_EQ(sett_prefab_make(world, other), SETT_OK);
    CHECK_EQ(sett_instantiate(world, other, 3, made), SETT_OK);
    CHECK(((const Book*)sett_get(world, made[2], Book_id))->title.text == shared->title.text);
    CHECK_END(world);
    all_is_given_back();
}

static void values_are_shown(void)
{
    sett_entity e;
    char text[1000];
    sett_world* world = full_world(&e);
    sett_world* other = full_world(&e);
    static const char json[] =
        "{\"shelf\": 3, \"title\": \"On \\\"Growth\\\"\", \"covers\": [{\"colour\": 0, \"author\": "
        "\"\"}, {\"colour\": 0, \"author\": \"D'Arcy\"}], \"marks\": [{\"page\": 10, \"tag\": \"m\""
        ", \"on\": true, \"x\": 0.5}, {\"page\": 11, \"tag\": \"m\", \"on\": false, \"x\": 0.5}], "
        "\"scores\": [0.5, 1], \"price\": 0}";
    sett_json_format_value(world, e, Book_id, text, sizeof(text));
    CHECK_STR_EQ(text, json);
    sett_value_describe(world, e, Book_id, text, sizeof(text));
    CHECK_MSG(strstr(text, "title = \"On \\x22Growth\\x22\"") != NULL, "%s", text);
    CHECK_MSG(strstr(text, "marks = [{page = 10, tag = \"m\", on = true, x = 0.5}, {page = 11") !=
                  NULL,
              "%s", text);
    CHECK_MSG(strstr(text, "scores = [0.5, 1]") != NULL, "%s", text);
    Book* book = sett_get_mut(other, e, Book_id);
    CHECK_EQ(sett_world_difference(world, other, text, sizeof(text)), 0);
    SETT_LIST_EDIT(other, &book->marks, Mark)[1].page = 12;
    CHECK_EQ(sett_string_set(other, &book->title, "Off"), SETT_OK);
    CHECK(SETT_LIST_PUSH(other, &book->scores, int16_t) != NULL);
    CHECK(sett_world_difference(world, other, text, sizeof(text)) != 0);
    CHECK_MSG(strstr(text, "title is \"On \\x22Growth\\x22\" in the first world, \"Off\" in the "
                           "second; marks[1].page is 11 in the first world, 12 in the second; "
                           "scores is [0.5, 1] in the first world, [0.5, 1, 0]") != NULL,
              "%s", text);
    CHECK(sett_world_hash(world) != sett_world_hash(other));
    CHECK_EQ(sett_json_set(other, e, Book_id, json, strlen(json)), SETT_OK);
    CHECK_EQ(sett_world_hash(world), sett_world_hash(other));
    CHECK_EQ(sett_json_set(other, e, Book_id, "{\"title\": \"a\\u0000b\"}", 20),
             SETT_STATUS_INVALID);
    CHECK_EQ(sett_json_set(other, e, Book_id, "{\"marks\": [{}, {\"page\": -1}]}", 31),
             SETT_STATUS_INVALID);
    CHECK_MSG(strstr(sett_world_message(other), "marks[1].page") != NULL, "%s",
              sett_world_message(other));
    CHECK_EQ(sett_world_hash(world), sett_world_hash(other));
    CHECK_END(world);
    CHECK_END(other);
    all_is_given_back();
}

/* The canonical form: the hash is this number on every machine. */
static void the_hash_is_that_of_the_content(void)
{
    sett_entity e;
    sett_world* world = full_world(&e);
    CHECK(sett_world_hash_portable(world, NULL));
    uint64_t hash = sett_world_hash(world);
    Book* book = sett_get_mut(world, e, Book_id);
    CHECK_EQ(sett_string_set(world, &book->cache, "local"), SETT_OK);
    book->marks.count--; /* no room is given back */
    CHECK(SETT_LIST_PUSH(world, &book->marks, Mark) != NULL);
    *SETT_LIST_EDIT(world, &book->marks, Mark) = (Mark){10, "m", true, 0.5};
    SETT_LIST_EDIT(world, &book->marks, Mark)[1] = (Mark){11, "m", false, 0.5};
    CHECK_EQ(sett_world_hash(world), hash);
    CHECK_EQ(hash, 1894237553071213887u);
    CHECK_END(world);
    all_is_given_back();
}

/* ----------------------------------------------------------------------------------- rejecting */

typedef struct Wrong {
    sett_string text;
    sett_list list;
} Wrong;
typedef struct Who {
    sett_entity who;
} Who;
typedef struct Hidden {
    uint32_t a, b;
} Hidden;

static void rejects(sett_world* world, sett_component_desc desc, const char* why)
{
    desc.name = "Wrong";
    desc.size = sizeof(Wrong);
    desc.align = SETT_ALIGNOF(Wrong);
    CHECK_EQ(sett_component_register(world, &desc), 0);
    CHECK_EQ(sett_world_error(world), SETT_STATUS_ARGUMENT);
    CHECK_MSG(strstr(sett_world_message(world), why) != NULL, "%s", sett_world_message(world));
}

static void wrong_deinit(void* values, uint32_t count, void* user)
{
    (void)values;
    (void)count;
    (void)user;
}

#define REJECTS(world, why, ...)                                                                   \
    rejects((world), (sett_component_desc){.members = SETT_STRUCT(Wrong, text, __VA_ARGS__)}, why)

static void what_cannot_travel_is_rejected(void)
{
    sett_world* world = book_world();
    REJECTS(world, "\"list\" of Wrong is a list of items whose type C cannot name - set .of", list);
    REJECTS(world, "is a list with handles - use a relationship, which is a list of entities",
            (list, .element = SETT_MEMBER_ENTITY));
    REJECTS(world, "is a list with handles - use a relationship, which is a list of entities",
            (list, .of = SETT_STRUCT(Who, who)));
    REJECTS(world, "items own strings or lists", (list, .element = SETT_MEMBER_STRING));
    REJECTS(world, "items own strings or lists", (list, .of = SETT_STRUCT(Cover, colour, author)));
    REJECTS(world, "local members", (list, .of = SETT_STRUCT(Hidden, a, (b, .local = true))));
    REJECTS(world, "use sett_string", (list, .element = SETT_MEMBER_TEXT));
    rejects(world,
            (sett_component_desc){.deinit = wrong_deinit,
                                  .members =
                                      SETT_STRUCT(Wrong, text, (list, .element = SETT_MEMBER_F32))},
            "leave out `copy`, `deinit` and `move`");
    sett_component late = sett_component_register(
        world, &(sett_component_desc){.name = "late", .size = 16, .align = 8});
    CHECK_EQ(sett_members_set(
                 world, late,
                 &(sett_struct){
                     .name = "late",
                     .size = 16,
                     .count = 2,
                     .members =
                         (const sett_member[]){
                             {.name = "a", .kind = SETT_MEMBER_STRING, .size = 8},
                             {.name = "b", .kind = SETT_MEMBER_U64, .offset = 8, .size = 8}}}),
             SETT_STATUS_ARGUMENT);
    CHECK_MSG(strstr(sett_world_message(world), "set .members = SETT_STRUCT(...) there") != NULL,
              "%s", sett_world_message(world));
    CHECK_EQ(sett_component_register(
                 world,
                 &(sett_component_desc){
                     .name = "tells",
                     .relationship = SETT_RELATIONSHIP(.many = false),
                     .size = sizeof(Wrong),
                     .align = SETT_ALIGNOF(Wrong),
                     .members = SETT_STRUCT(Wrong, text, (list, .element = SETT_MEMBER_F32))}),
             0);
    CHECK_MSG(strstr(sett_world_message(world), "data of links cannot") != NULL, "%s",
              sett_world_message(world));
    CHECK_END(world);
    all_is_given_back();
}

/* ------------------------------------------------------------------------------------- hostile */

/* Deltas of which a byte was changed, or the end is missing: applied without a comparison of
 * hashes they must do no harm. */
static void hostile_deltas_do_no_harm(void)
{
    sett_entity e;
    sett_world* world = full_world(&e);
    sett_world* into = book_world();
    unsigned char* bytes;
    sett_snapshot full = take(world);
    CHECK_EQ(sett_entity_destroy(world, e), SETT_OK);
    sett_snapshot none = take(world);
    CHECK_EQ(sett_world_clone(world, into), SETT_OK);
    CHECK_EQ(sett_snapshot_restore(world, full), SETT_OK);
    size_t size = encode(world, none, full, &bytes);
    uint64_t before = sett_world_hash(into);
    uint64_t held = memory.held;
    for (size_t at = 0; at < size; at++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            bytes[at] ^= (unsigned char)(1u << bit);
            if (setti_delta_apply(into, bytes, size, SETTI_TRUST) == SETT_OK) {
                CHECK_VALID(into);
                (void)sett_world_hash(into);
                CHECK_EQ(sett_world_clone(world, into), SETT_OK);
                sett_world* again = book_world(); /* `into` as it was */
                sett_world_destroy(into);
                into = again;
                CHECK_EQ(sett_snapshot_restore(world, none), SETT_OK);
                CHECK_EQ(sett_world_clone(world, into), SETT_OK);
                CHECK_EQ(sett_snapshot_restore(world, full), SETT_OK);
            } else {
                CHECK_EQ(sett_world_hash(into), before);
            }
            bytes[at] ^= (unsigned char)(1u << bit);
        }
        CHECK(setti_delta_apply(into, bytes, at, SETTI_TRUST) != SETT_OK);
    }
    CHECK(memory.held < held + (1u << 20));
    CHECK_APPLY(into, bytes, size);
    CHECK_SAME(world, into);
    free(bytes);
    CHECK_END(world);
    CHECK_END(into);
    all_is_given_back();
}

/* -------------------------------------------------------------------------------------- memory */

static sett_world* scarce_book;
static sett_entity scarce_entity;
static uint64_t scarce_hash;
static unsigned char* scarce_bytes;
static size_t scarce_size;

static bool step_set(void* user)
{
    Book* book = sett_get_mut(scarce_book, scarce_entity, Book_id);
    (void)user;
    return sett_string_set(scarce_book, &book->title, "another title") == SETT_OK;
}

static bool step_push(void* user)
{
    Book* book = sett_get_mut(scarce_book, scarce_entity, Book_id);
    (void)user;
    return SETT_LIST_PUSH(scarce_book, &book->marks, Mark) != NULL;
}

static bool step_json(void* user)
{
    static const char text[] = "{\"scores\": [1, 2, 3], \"title\": \"x\", \"marks\": [{}, {}]}";
    (void)user;
    return sett_json_set(scarce_book, scarce_entity, Book_id, text, sizeof(text) - 1) == SETT_OK;
}

static void scarce_unchanged(void* user)
{
    (void)user;
    CHECK_EQ(sett_world_hash(scarce_book), scarce_hash);
}

/* A delta of which the n-th allocation fails, for every n. */
static void apply_with_ever_more(void)
{
    for (uint32_t blocks = 0;; blocks++) {
        sett_status status =
            apply_scarcely(scarce_book, &memory, 0, blocks, scarce_bytes, scarce_size);
        CHECK_VALID(scarce_book);
        if (status == SETT_OK) {
            return;
        }
        CHECK_EQ(status, SETT_STATUS_OUT_OF_MEMORY);
        scarce_unchanged(NULL);
        memory.failures++;
    }
}

static void every_allocation_fails_once(void)
{
    static bool (*const steps[])(void*) = {step_set, step_push, step_json};
    for (uint32_t k = 0; k < 4; k++) {
        scarce_book = full_world(&scarce_entity);
        sett_snapshot before = take(scarce_book);
        CHECK(step_set(NULL) && step_push(NULL));
        sett_entity other = sett_duplicate(scarce_book, scarce_entity, NULL);
        CHECK(!sett_is_null(other));
        sett_snapshot after = take(scarce_book);
        scarce_size = encode(scarce_book, before, after, &scarce_bytes);
        CHECK_EQ(sett_snapshot_restore(scarce_book, before), SETT_OK);
        if (k == 3) { /* the delta's own snapshot is the only one */
            sett_snapshot_drop_all(scarce_book);
        }
        scarce_hash = sett_world_hash(scarce_book);
        memory.failures = 0;
        if (k < 3) {
            scarce_run(scarce_book, &memory, steps[k], scarce_unchanged, NULL);
        } else {
            apply_with_ever_more();
        }
        CHECK_MSG(memory.failures != 0, "step %u never failed", (unsigned)k);
        CHECK(sett_world_hash(scarce_book) != scarce_hash);
        free(scarce_bytes);
        CHECK_END(scarce_book);
        all_is_given_back();
    }
}

/* ----------------------------------------------------------------------------------- migrating */

typedef struct Old {
    char name[8];
    sett_string note;
    sett_string gone;
    sett_list marks;
} Old;
typedef struct OldMark {
    uint16_t page;
    uint8_t dropped;
} OldMark;
typedef struct New {
    sett_list marks;
    sett_string name; /* an array of characters before */
    sett_string note;
    sett_string fresh;
} New;
typedef struct Plain {
    uint32_t hp;
} Plain;
typedef struct Owning {
    uint32_t hp;
    sett_string name;
} Owning;

static sett_world* versioned(bool old)
{
    sett_world* world = scarce_world(&memory);
    sett_component_desc none = {
        .name = "Hit", .size = sizeof(Plain), .id = 2, .members = SETT_STRUCT(Plain, hp)};
    sett_component_desc owns = {.name = "Hit",
                                .size = sizeof(Owning),
                                .align = SETT_ALIGNOF(Owning),
                                .id = 2,
                                .members = SETT_STRUCT(Owning, hp, name)};
    sett_component_desc first = {
        .name = "Thing",
        .size = sizeof(Old),
        .align = SETT_ALIGNOF(Old),
        .id = 1,
        .members =
            SETT_STRUCT(Old, name, note, gone, (marks, .of = SETT_STRUCT(OldMark, page, dropped)))};
    sett_component_desc second = {
        .name = "Thing",
        .size = sizeof(New),
        .align = SETT_ALIGNOF(New),
        .id = 1,
        .members = SETT_STRUCT(New, (marks, .of = SETT_STRUCT(Mark, page, tag, on, x)), name, note,
                               fresh)};
    CHECK_MSG(sett_component_register(world, old ? &first : &second) == 1, "%s",
              sett_world_message(world));
    CHECK_MSG(sett_component_register(world, old ? &none : &owns) == 2, "%s",
              sett_world_message(world));
    return world;
}

/* Strings added and removed, texts that become strings, items with other members; and back. */
static void files_of_other_layouts_are_read(void)
{
    disk* to = disk_create();
    sett_world* world = versioned(true);
    sett_world* into = versioned(false);
    sett_world* back = versioned(true);
    sett_world* stranger = scarce_world(&memory);
    sett_load_result result;
    sett_entity e = sett_entity_create(world);
    Old* old = sett_add(world, e, 1);
    memcpy(old->name, "eight880", 8);
    CHECK_EQ(sett_string_set(world, &old->note, "a note"), SETT_OK);
    CHECK_EQ(sett_string_set(world, &old->gone, "forgotten"), SETT_OK);
    *SETT_LIST_PUSH(world, &old->marks, OldMark) = (OldMark){65535, 1};
    *SETT_LIST_PUSH(world, &old->marks, OldMark) = (OldMark){7, 2};
    ((Plain*)sett_add(world, e, 2))->hp = 9;
    saves(world, to, 1);
    CHECK_MSG(loads(into, to, &result) == SETT_OK, "%s", sett_world_message(into));
    const New* is = sett_get(into, e, 1);
    CHECK_STR_EQ(sett_string_get(&is->name), "eight880");
    CHECK_STR_EQ(sett_string_get(&is->note), "a note");
    CHECK(is->fresh.text == NULL);
    CHECK_EQ(is->marks.count, 2);
    CHECK_EQ(SETT_LIST_ITEMS(&is->marks, Mark)[0].page, 65535);
    CHECK_EQ(SETT_LIST_ITEMS(&is->marks, Mark)[1].page, 7);
    CHECK(SETT_LIST_ITEMS(&is->marks, Mark)[1].x == 0);
    CHECK_EQ(((const Owning*)sett_get(into, e, 2))->hp, 9);
    CHECK_EQ(sett_string_set(into, &((Owning*)sett_get_mut(into, e, 2))->name, "n"), SETT_OK);
    CHECK_MSG(loads(stranger, to, &result) == SETT_OK, "%s", sett_world_message(stranger));
    CHECK_EQ(result.new_types, 2);
    CHECK_EQ(sett_world_hash(stranger), sett_world_hash(world));
    saves(stranger, to, 1);
    CHECK_MSG(loads(back, to, &result) == SETT_OK, "%s", sett_world_message(back));
    CHECK_SAME(world, back);
    saves(into, to, 2); /* a string cannot become a text again, a name of 4 GB least of all */
    CHECK_EQ(loads(back, to, &result), SETT_STATUS_CONFLICT);
    CHECK_END(world);
    CHECK_END(into);
    CHECK_END(back);
    CHECK_END(stranger);
    disk_destroy(to);
    all_is_given_back();
}

typedef struct OneText {
    char text[4];
} OneText;
typedef struct FourStrings {
    sett_string text[4];
} FourStrings;

/* A text of n bytes is one text, not n of them. */
static void a_text_does_not_become_several_strings(void)
{
    disk* to = disk_create();
    sett_world* world = scarce_world(&memory);
    sett_world* into = scarce_world(&memory);
    sett_load_result result;
    sett_component_desc one = {
        .name = "Label", .size = sizeof(OneText), .id = 1, .members = SETT_STRUCT(OneText, text)};
    sett_component_desc four = {.name = "Label",
                                .size = sizeof(FourStrings),
                                .align = SETT_ALIGNOF(FourStrings),
                                .id = 1,
                                .members = SETT_STRUCT(FourStrings, text)};
    CHECK_EQ(sett_component_register(world, &one), 1);
    CHECK_EQ(sett_component_register(into, &four), 1);
    memcpy(sett_add(world, sett_entity_create(world), 1), "four", 4);
    saves(world, to, 1);
    CHECK_EQ(loads(into, to, &result), SETT_STATUS_CONFLICT);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
    all_is_given_back();
}

/* Loading, with a migration, of which the n-th allocation fails: the world stays as it was. */
static void loading_may_run_out_of_memory(void)
{
    static scarce_memory squeezed; /* what is taken from the pool meanwhile */
    disk* to = disk_create();
    sett_world* world = versioned(true);
    sett_world* into = versioned(false);
    Old* old = sett_add(world, sett_entity_create(world), 1);
    CHECK_EQ(sett_string_set(world, &old->note, "a note"), SETT_OK);
    CHECK(SETT_LIST_PUSH(world, &old->marks, OldMark) != NULL);
    CHECK(sett_add(world, sett_entity_create(world), 2) != NULL);
    saves(world, to, 1);
    uint64_t before = sett_world_hash(into);
    uint32_t failures = 0;
    sett_status status = SETT_STATUS_OUT_OF_MEMORY;
    for (uint32_t allowed = 0; status != SETT_OK; allowed++) {
        scarce_squeeze(&into->pool, &squeezed, 0);
        memory.closed = memory.strict = true;
        memory.allowed = allowed;
        status = loads(into, to, NULL);
        memory.closed = memory.strict = false;
        scarce_give_back(&into->pool, &squeezed);
        CHECK_VALID(into);
        if (status != SETT_OK) {
            CHECK_EQ(status, SETT_STATUS_OUT_OF_MEMORY);
            CHECK_EQ(sett_world_hash(into), before);
            failures++;
        }
    }
    CHECK(failures > 3);
    CHECK_EQ(sett_component_count(into, 1), 1);
    CHECK_END(world);
    CHECK_END(into);
    disk_destroy(to);
    all_is_given_back();
}

/* A journal of a book, read at its end; and merged into a living world. */
static void journals_and_merges_have_them(void)
{
    disk* to = disk_create();
    sett_entity e;
    sett_world* world = full_world(&e);
    sett_world* into = full_world(&e);
    sett_world* read = book_world();
    sett_file_desc desc = {.files = &to->files};
    sett_journal* journal = sett_journal_create(world, "f", &desc);
    CHECK(journal != NULL);
    for (uint32_t k = 0; k < 5; k++) {
        Book* book = sett_get_mut(world, e, Book_id);
        SETT_LIST_PUSH(world, &book->marks, Mark)->page = k;
        CHECK_EQ(sett_string_set(world, &book->title, k % 2 != 0 ? "odd" : "even"), SETT_OK);
        CHECK_EQ(sett_journal_append(journal, k + 1), SETT_OK);
    }
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    CHECK_MSG(loads(read, to, NULL) == SETT_OK, "%s", sett_world_message(read));
    CHECK_SAME(world, read);
    sett_merge_desc merge = {.file = &desc};
    sett_merge_result result;
    CHECK_MSG(sett_world_merge(into, "f", &merge, &result) == SETT_OK, "%s",
              sett_world_message(into));
    const Book* book = sett_get(into, sett_merge_find(&result, e), Book_id);
    CHECK_STR_EQ(sett_string_get(&book->title), "even");
    CHECK_EQ(book->marks.count, 7);
    sett_merge_result_free(into, &result);
    CHECK_END(world);
    CHECK_END(into);
    CHECK_END(read);
    disk_destroy(to);
    all_is_given_back();
}

TEST_MAIN(TEST(copies_share_until_they_change), TEST(values_are_shown),
          TEST(the_hash_is_that_of_the_content), TEST(what_cannot_travel_is_rejected),
          TEST(copies_are_what_they_were), TEST(hostile_deltas_do_no_harm),
          TEST(every_allocation_fails_once), TEST(files_of_other_layouts_are_read),
          TEST(a_text_does_not_become_several_strings), TEST(loading_may_run_out_of_memory),
          TEST(journals_and_merges_have_them))
