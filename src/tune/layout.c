/* layout.c: layouts as texts. See sett/layout.h.
 *
 *     layout     = { statement }
 *     statement  = ("array" | "sparse_set") name { name } ";"
 *                | "group" "{" name { name } ["with" name { name }] ["without" name { name }] "}"
 *     name       = word | '"' ... '"'
 *
 * The workload: some dozen lines at the start of a program. The world stores the text, and reads
 * the text again for each newly registered type, so there is no second form to update.
 *
 * Invariant:  a stored text has been read to its end without an error;
 *             a group with by_layout owns sparse sets, and has no callbacks
 */
#include "tune/layout.h"

#include "base/writer.h"
#include "world/change.h"

#include <stdio.h>

static const char layout_call[] = "sett_layout_apply";

typedef struct layout_word {
    const char* at; /* begin in the text, at the quote if quoted; NULL: no word */
    uint32_t length;
} layout_word;

typedef enum layout_list {
    LAYOUT_OWNED,
    LAYOUT_WITH,
    LAYOUT_WITHOUT,
    LAYOUT_LISTS
} layout_list;

/* A type with its storage, or a group. */
typedef struct layout_item {
    sett_storage_kind storage; /* SETT_STORAGE_DEFAULT: the item is a group */
    layout_word name;          /* of the type, or "group" */
    layout_word type[LAYOUT_LISTS][SETT_GROUP_TYPES];
    uint32_t count[LAYOUT_LISTS];
} layout_item;

typedef struct layout_reader {
    const char* text;
    const char* at;
    sett_storage_kind storage; /* of the current list of names; SETT_STORAGE_DEFAULT: no list */
    uint32_t named;            /* names read so far in the current list */
    const char* wrong;         /* NULL, or the error */
    const char* wrong_at;
} layout_reader;

static layout_reader layout_read(const char* text)
{
    return (layout_reader){.text = text, .at = text, .storage = SETT_STORAGE_DEFAULT};
}

static bool layout_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool layout_is_sign(char c)
{
    return c == '\0' || c == '{' || c == '}' || c == ';' || c == '#' || c == '"';
}

static bool layout_fail(layout_reader* reader, const char* at, const char* wrong)
{
    reader->wrong = wrong;
    reader->wrong_at = at;
    return false;
}

/* Returns the end of a quoted word, or NULL if the closing quote is missing. */
static const char* layout_end_of_quotes(const char* at)
{
    for (at++; *at != '"'; at++) {
        if (*at == '\\') { /* the next character is literal */
            at++;
        }
        if (*at == '\0') {
            return NULL;
        }
    }
    return at + 1;
}

/* Reads the next word or sign. Returns false on an error. */
SETTI_COLD static bool layout_next_word(layout_reader* reader, layout_word* word)
{
    const char* at = reader->at;
    while (layout_is_blank(*at) || *at == '#') {
        bool comment = *at == '#';
        at++;
        while (comment && *at != '\0' && *at != '\n') {
            at++;
        }
    }
    word->at = at;
    if (*at == '"') {
        at = layout_end_of_quotes(at);
        if (at == NULL) {
            return layout_fail(reader, word->at, "the closing quote of a name is missing - add it");
        }
    } else if (layout_is_sign(*at)) {
        if (*at != '\0') {
            at++;
        }
    } else {
        while (!layout_is_blank(*at) && !layout_is_sign(*at)) {
            at++;
        }
    }
    word->length = (uint32_t)(at - word->at); /* 0 at the end of the text */
    reader->at = at;
    return true;
}

static bool layout_is(const layout_word* word, const char* text)
{
    return strlen(text) == word->length && strncmp(word->at, text, word->length) == 0;
}

SETTI_COLD static bool layout_is_name(const layout_word* word)
{
    if (word->length == 0) {
        return false;
    }
    if (word->at[0] == '"') {
        return word->length > 2; /* not "" */
    }
    bool is_keyword = layout_is(word, "array") || layout_is(word, "sparse_set") ||
                      layout_is(word, "group") || layout_is(word, "with") ||
                      layout_is(word, "without");
    return !is_keyword && !layout_is_sign(word->at[0]);
}

/* Returns the next character of the name that a word spells, or zero. *at is 0 at first. */
SETTI_APART static char layout_next_char(const layout_word* word, uint32_t* at)
{
    bool quoted = word->at[0] == '"';
    if (quoted && *at == 0) {
        *at = 1;
    }
    if (quoted && word->at[*at] == '\\') { /* the next character is literal */
        ++*at;
    }
    uint32_t end = word->length - (quoted ? 1 : 0);
    return *at < end ? word->at[(*at)++] : '\0';
}

/* Whether a word spells a name. */
SETTI_APART static bool layout_word_is_name(const layout_word* word, const char* name)
{
    uint32_t at = 0;
    char next = layout_next_char(word, &at);
    while (next != '\0' && next == *name) {
        name++;
        next = layout_next_char(word, &at);
    }
    return next == *name;
}

/* Whether two words spell the same name. */
static bool layout_words_are_equal(const layout_word* a, const layout_word* b)
{
    uint32_t a_at = 0;
    uint32_t b_at = 0;
    char next = layout_next_char(a, &a_at);
    while (next != '\0' && next == layout_next_char(b, &b_at)) {
        next = layout_next_char(a, &a_at);
    }
    return next == '\0' && layout_next_char(b, &b_at) == '\0';
}

static bool layout_read_group(layout_reader* reader, layout_item* item)
{
    layout_word word;
    layout_list list = LAYOUT_OWNED;
    if (!layout_next_word(reader, &word)) {
        return false;
    }
    if (!layout_is(&word, "{")) {
        return layout_fail(reader, word.at,
                           "\"{\" is expected after \"group\" - write group { A B }");
    }
    while (layout_next_word(reader, &word) && !layout_is(&word, "}")) {
        bool with = layout_is(&word, "with");
        if (with || layout_is(&word, "without")) {
            list = with ? LAYOUT_WITH : LAYOUT_WITHOUT;
        } else if (!layout_is_name(&word)) {
            return layout_fail(reader, word.at,
                               "the name of a type, or \"}\", is expected - a group is "
                               "written: group { A B with C without D }");
        } else if (item->count[list] == SETT_GROUP_TYPES) {
            return layout_fail(reader, word.at,
                               "a list of the group has more than 16 names - leave some out");
        } else {
            item->type[list][item->count[list]++] = word;
        }
    }
    if (reader->wrong == NULL && item->count[LAYOUT_OWNED] == 0) {
        return layout_fail(reader, word.at, "the group owns no type - list one after \"{\"");
    }
    return reader->wrong == NULL;
}

/* Ends a list of names at the word after it. Returns false on an error. */
static bool layout_end_list(layout_reader* reader, const layout_word* word)
{
    if (reader->named == 0) {
        return layout_fail(reader, word->at, "the name of a type is expected - list one");
    }
    if (word->length != 0 && !layout_is(word, ";")) {
        return layout_fail(reader, word->at, "\";\" is expected after the last name - insert it");
    }
    reader->storage = SETT_STORAGE_DEFAULT;
    return true;
}

/* Reads the next type of a list, or the next group. Returns false at the end or on an error. */
SETTI_COLD static bool layout_next(layout_reader* reader, layout_item* item)
{
    SETTI_ASSERT(reader->wrong == NULL);
    layout_word word;
    memset(item, 0, sizeof(*item));
    while (layout_next_word(reader, &word)) {
        bool listed = reader->storage != SETT_STORAGE_DEFAULT;
        if (listed && layout_is_name(&word)) {
            item->storage = reader->storage;
            item->name = word;
            reader->named++;
            return true;
        }
        if (listed && !layout_end_list(reader, &word)) {
            return false;
        }
        if (word.length == 0) { /* the end of the text */
            return false;
        }
        if (layout_is(&word, "group")) {
            item->name = word;
            return layout_read_group(reader, item);
        }
        bool array = layout_is(&word, "array");
        if (array || layout_is(&word, "sparse_set")) {
            reader->storage = array ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
            reader->named = 0;
        } else if (!layout_is(&word, ";")) {
            return layout_fail(reader, word.at,
                               "array, sparse_set or group is expected - begin with it");
        }
    }
    return false;
}

/* Finds the storage of a type in a text. Groups override lists. *where becomes the name's word.
 * Returns SETT_STORAGE_DEFAULT if the text does not have the name. */
SETTI_COLD static sett_storage_kind layout_choice(const char* text, const char* name,
                                                  layout_word* where)
{
    sett_storage_kind kind = SETT_STORAGE_DEFAULT;
    bool owned = false;
    layout_item item;
    for (layout_reader reader = layout_read(text); layout_next(&reader, &item);) {
        if (item.storage != SETT_STORAGE_DEFAULT && !owned &&
            layout_word_is_name(&item.name, name)) {
            kind = item.storage;
            *where = item.name;
        }
        for (uint32_t k = 0; k < item.count[LAYOUT_OWNED]; k++) {
            if (layout_word_is_name(&item.type[LAYOUT_OWNED][k], name)) {
                owned = true;
                kind = SETT_STORAGE_SPARSE_SET;
                *where = item.type[LAYOUT_OWNED][k];
            }
        }
    }
    return kind;
}

static setti_type* layout_type(const sett_world* world, const layout_word* word)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        if (layout_word_is_name(word, world->registered.item[k]->desc.name)) {
            return world->registered.item[k];
        }
    }
    return NULL;
}

static sett_status layout_wrong(sett_world* world, sett_status status, const char* text,
                                const char* at, const char* wrong)
{
    setti_text_place place = setti_text_place_of(text, (size_t)(at - text));
    int length = (int)SETTI_MIN(strcspn(at, "\n"), (size_t)24);
    if (length == 0) {
        return setti_world_fail_with(world, status, "%s: line %u, column %u, at the end: %s",
                                     layout_call, place.line, place.column, wrong);
    }
    return setti_world_fail_with(world, status, "%s: line %u, column %u, at \"%.*s\": %s",
                                 layout_call, place.line, place.column, length, at, wrong);
}

/* Logs a word if no registered type has the name. */
static void layout_report_word(const sett_world* world, const char* text, const layout_word* word)
{
    if (layout_type(world, word) != NULL) {
        return;
    }
    setti_text_place place = setti_text_place_of(text, (size_t)(word->at - text));
    const uint32_t quote = word->at[0] == '"' ? 1 : 0; /* characters */
    const char* name = word->at + quote;
    uint32_t length = word->length - 2 * quote;
    setti_guess guess = setti_guess_begin(name, length);
    setti_component_guess(world, &guess);
    const char* guessed = setti_guess_text(&guess);
    setti_world_log(world, SETT_LOG_WARNING,
                    "%s: line %u, column %u: type \"%.*s\" is not registered in this world%s",
                    layout_call, place.line, place.column, (int)SETTI_MIN(length, 100u), name,
                    guessed[0] != '\0' ? guessed : " - register it, or remove its name");
}

SETTI_COLD static void layout_report(const sett_world* world)
{
    const char* text = setti_layout_of(world)->text;
    layout_item item;
    for (layout_reader reader = layout_read(text); layout_next(&reader, &item);) {
        if (item.storage != SETT_STORAGE_DEFAULT) {
            layout_report_word(world, text, &item.name);
        }
        for (uint32_t list = 0; list < LAYOUT_LISTS; list++) {
            for (uint32_t k = 0; k < item.count[list]; k++) {
                layout_report_word(world, text, &item.type[list][k]);
            }
        }
    }
}

/* Describes a group. Returns false if a type of the group is not registered. */
static bool layout_group_desc(const sett_world* world, const layout_item* item,
                              sett_group_desc* desc)
{
    sett_component* const lists[LAYOUT_LISTS] = {desc->owned, desc->with, desc->without};
    memset(desc, 0, sizeof(*desc));
    desc->name = "layout";
    for (uint32_t list = 0; list < LAYOUT_LISTS; list++) {
        for (uint32_t k = 0; k < item->count[list]; k++) {
            const setti_type* type = layout_type(world, &item->type[list][k]);
            if (type == NULL) {
                return false;
            }
            lists[list][k] = type->id;
        }
    }
    return true;
}

/* Describes the next group of registered types. Returns false at the end. */
SETTI_COLD static bool layout_next_group(const sett_world* world, layout_reader* reader,
                                         sett_group_desc* desc)
{
    layout_item item;
    while (layout_next(reader, &item)) {
        if (item.storage == SETT_STORAGE_DEFAULT && layout_group_desc(world, &item, desc)) {
            return true;
        }
    }
    return false;
}

/* Whether a list has all types of `ids`. Adds the number of `ids` to *count. */
static bool layout_list_has(const sett_world* world, const setti_type_list* list,
                            const sett_component* ids, uint32_t* count)
{
    for (uint32_t k = 0; k < SETT_GROUP_TYPES && ids[k] != 0; k++) {
        ++*count;
        if (!setti_type_list_has(list, setti_world_type(world, ids[k]))) {
            return false;
        }
    }
    return true;
}

/* Whether a list has exactly the types of `ids` and `more`. `more` may be NULL. */
static bool layout_list_is(const sett_world* world, const setti_type_list* list,
                           const sett_component* ids, const sett_component* more)
{
    uint32_t count = 0;
    bool has_all = layout_list_has(world, list, ids, &count) &&
                   (more == NULL || layout_list_has(world, list, more, &count));
    return has_all && count >= list->count; /* the list has no other type */
}

/* Finds the group that a layout made as `desc` describes. Returns NULL without one. */
static setti_listener* layout_find_group(const sett_world* world, const sett_group_desc* desc)
{
    for (setti_listener* listener = world->listeners; listener != NULL; listener = listener->next) {
        if (listener->by_layout && layout_list_is(world, &listener->owned, desc->owned, NULL) &&
            layout_list_is(world, &listener->with, desc->owned,
                           desc->with) && /* also the owned types */
            layout_list_is(world, &listener->without, desc->without, NULL)) {
            return listener;
        }
    }
    return NULL;
}

static bool layout_has_group(const sett_world* world, const char* text,
                             const setti_listener* listener)
{
    sett_group_desc desc;
    for (layout_reader reader = layout_read(text); layout_next_group(world, &reader, &desc);) {
        if (layout_find_group(world, &desc) == listener) {
            return true;
        }
    }
    return false;
}

/* Creates the groups of a text. Groups with unregistered types wait. */
static sett_status layout_make_groups(sett_world* world, const char* text)
{
    SETTI_ASSERT(world->locks == 0);
    const bool automatic = false;
    sett_group_desc desc;
    for (layout_reader reader = layout_read(text); layout_next_group(world, &reader, &desc);) {
        if (layout_find_group(world, &desc) != NULL) {
            continue;
        }
        const sett_group* group =
            setti_group_create_for_layout(world, &desc, automatic, SETTI_NONE, layout_call);
        if (group == NULL) {
            return world->error;
        }
    }
    return SETT_OK;
}

static sett_status layout_check_group(sett_world* world, const char* text, const layout_item* item)
{
    for (uint32_t k = 0; k < LAYOUT_LISTS * SETT_GROUP_TYPES; k++) { /* all lists in one loop */
        uint32_t list = k / SETT_GROUP_TYPES;
        const layout_word* word = &item->type[list][k % SETT_GROUP_TYPES];
        const setti_type* type = word->at != NULL ? layout_type(world, word) : NULL;
        if (type == NULL) {
            continue;
        }
        if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
            return layout_wrong(world, SETT_STATUS_ARGUMENT, text, word->at,
                                "a group cannot have a dont_fragment type - leave it out");
        }
        if (list == LAYOUT_OWNED && type->storage.keep_order) {
            return layout_wrong(world, SETT_STATUS_ARGUMENT, text, word->at,
                                "a group cannot own a type with keep_order - list it after "
                                "\"with\"");
        }
    }
    return SETT_OK;
}

/* Finds a name of `item` that also occurs earlier in the text. `other`: memory for an item. */
static const layout_word* layout_find_twice(const char* text, const layout_item* item,
                                            layout_item* other)
{
    for (layout_reader reader = layout_read(text); layout_next(&reader, other);) {
        if (item->storage != SETT_STORAGE_DEFAULT && other->storage != SETT_STORAGE_DEFAULT &&
            other->name.at < item->name.at && layout_words_are_equal(&other->name, &item->name)) {
            return &item->name;
        }
        for (uint32_t k = 0; k < item->count[LAYOUT_OWNED]; k++) {
            const layout_word* word = &item->type[LAYOUT_OWNED][k];
            for (uint32_t i = 0; i < other->count[LAYOUT_OWNED]; i++) {
                const layout_word* earlier = &other->type[LAYOUT_OWNED][i];
                if (earlier->at < word->at && layout_words_are_equal(earlier, word)) {
                    return word;
                }
            }
        }
    }
    return NULL;
}

SETTI_COLD static sett_status layout_check_text(sett_world* world, const char* text)
{
    layout_item item;
    layout_item other;
    layout_reader reader = layout_read(text);
    while (layout_next(&reader, &item)) {
        const layout_word* twice = layout_find_twice(text, &item, &other);
        if (twice != NULL) {
            const char* wrong = item.storage != SETT_STORAGE_DEFAULT
                                    ? "the type is listed twice - leave out one of the two"
                                    : "the type is owned twice - leave out one, or list it after "
                                      "\"with\" there";
            return layout_wrong(world, SETT_STATUS_ARGUMENT, text, twice->at, wrong);
        }
        sett_status status = layout_check_group(world, text, &item);
        if (status != SETT_OK) {
            return status;
        }
    }
    if (reader.wrong != NULL) {
        return layout_wrong(world, SETT_STATUS_ARGUMENT, text, reader.wrong_at, reader.wrong);
    }
    return SETT_OK;
}

/* Checks that a type can be stored as a text says. Sets *moves if the values would move. */
static sett_status layout_check_type(sett_world* world, const char* text, const setti_type* type,
                                     bool* moves)
{
    layout_word where = {NULL, 0};
    sett_storage_kind kind = layout_choice(text, type->desc.name, &where);
    if (kind == SETT_STORAGE_DEFAULT) {
        return SETT_OK;
    }
    const char* wrong = setti_conversion_check(type, &kind);
    if (wrong != NULL) {
        return layout_wrong(world, SETT_STATUS_ARGUMENT, text, where.at, wrong);
    }
    bool differs = kind != type->desc.storage;
    if (differs && type->owner != NULL && !type->owner->by_layout) {
        char owned[192];
        snprintf(owned, sizeof(owned),
                 "group \"%.100s\" of the program owns the type - destroy that group first",
                 type->owner->name);
        return layout_wrong(world, SETT_STATUS_CONFLICT, text, where.at, owned);
    }
    *moves = *moves || differs;
    return SETT_OK;
}

/* Whether applying a text would create or destroy a group. */
SETTI_COLD static bool layout_groups_differ(const sett_world* world, const char* text)
{
    sett_group_desc desc;
    bool differ = false;
    for (const setti_listener* listener = world->listeners; listener != NULL;
         listener = listener->next) {
        differ = differ || (listener->by_layout && !layout_has_group(world, text, listener));
    }
    for (layout_reader reader = layout_read(text); layout_next_group(world, &reader, &desc);) {
        differ = differ || layout_find_group(world, &desc) == NULL;
    }
    return differ;
}

/* Checks that a text can be applied to the registered types. */
static sett_status layout_check(sett_world* world, const char* text)
{
    bool moves = false;
    sett_status status = setti_world_check_unlocked(world, layout_call);
    if (status == SETT_OK) {
        status = layout_check_text(world, text);
    }
    for (uint32_t k = 0; status == SETT_OK && k < world->registered.count; k++) {
        status = layout_check_type(world, text, world->registered.item[k], &moves);
    }
    if (status == SETT_OK && (moves || layout_groups_differ(world, text))) {
        status = setti_world_check_no_snapshots(world, layout_call);
    }
    return status;
}

static void layout_drop_text(sett_world* world)
{
    struct setti_layout* layout = setti_layout_of(world);
    setti_pool_free(&world->pool, layout->text, layout->text_size, 1);
    layout->text = NULL;
    layout->text_size = 0;
    layout->unreported = false;
}

/* Destroys the groups of earlier layouts that the text does not have. */
static void layout_end_groups(sett_world* world, const char* text)
{
    for (setti_listener* listener = world->listeners; listener != NULL;) {
        setti_listener* next = listener->next;
        if (listener->by_layout && !layout_has_group(world, text, listener)) {
            setti_group_end(setti_group_of(listener));
        }
        listener = next;
    }
}

SETTI_COLD sett_status sett_layout_apply(sett_world* world, const char* text)
{
    sett_status status = SETTI_IS_NULL(text) ? SETT_STATUS_ARGUMENT : layout_check(world, text);
    if (status != SETT_OK) {
        return status;
    }
    size_t size = strlen(text) + 1;
    char* copy = setti_pool_alloc(&world->pool, size, 1);
    if (copy == NULL || setti_layout_ensure(world) == NULL) {
        setti_pool_free(&world->pool, copy, size, 1);
        return setti_world_no_memory(world, layout_call);
    }
    layout_drop_text(world);
    struct setti_layout* layout = setti_layout_of(world);
    layout->text = memcpy(copy, text, size);
    layout->text_size = size;
    layout->unreported = true;
    layout_end_groups(world, copy);
    for (uint32_t k = 0; status == SETT_OK && k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        layout_word where;
        sett_storage_kind kind = layout_choice(copy, type->desc.name, &where);
        if (kind != SETT_STORAGE_DEFAULT) {
            type->default_storage = false;
            status = setti_change_convert(world, type, kind, layout_call);
        }
    }
    return status == SETT_OK ? layout_make_groups(world, copy) : status;
}

static sett_storage_kind layout_choose(const sett_world* world, const char* name)
{
    layout_word where;
    const char* text = setti_layout_of(world)->text;
    return text != NULL ? layout_choice(text, name, &where) : SETT_STORAGE_DEFAULT;
}

/* Creates the groups of the text whose types are registered now. */
static void layout_resume(sett_world* world)
{
    const char* text = setti_layout_of(world)->text;
    if (text != NULL && world->locks == 0 && world->pool.cow_from == 0) {
        (void)layout_make_groups(world, text);
    }
}

/* After the first frame with a text: reports names that no type has. */
static void layout_end_frame(sett_world* world)
{
    if (setti_layout_of(world)->unreported) {
        setti_layout_of(world)->unreported = false;
        layout_resume(world);
        layout_report(world);
    }
}

static void layout_frame(sett_world* world)
{
    layout_end_frame(world);
    (void)setti_auto_layout_step(world, setti_layout_of(world)->max_values);
}

struct setti_layout* setti_layout_ensure(sett_world* world)
{
    static const setti_module_calls calls = {.slot = SETTI_SLOT_LAYOUT,
                                             .trim = layout_drop_text,
                                             .choose = layout_choose,
                                             .registered = layout_resume,
                                             .unregistered = setti_auto_unregistered,
                                             .after_frame = layout_frame};
    if (setti_layout_of(world) == NULL) {
        struct setti_layout* layout = setti_pool_alloc(&world->pool, sizeof(*layout), 16);
        if (layout == NULL) {
            return NULL;
        }
        memset(layout, 0, sizeof(*layout));
        world->module[SETTI_SLOT_LAYOUT] = layout;
        setti_world_add_calls(world, &calls);
    }
    return setti_layout_of(world);
}

uint64_t sett_layout_step(sett_world* world, uint32_t max_values)
{
    if (SETTI_IS_NULL(world) || setti_layout_of(world) == NULL ||
        setti_world_check_unlocked(world, __func__) != SETT_OK) {
        return 0;
    }
    layout_end_frame(world);
    return setti_auto_layout_step(world, max_values);
}

SETTI_COLD static void layout_add_name(setti_writer* out, const char* name)
{
    layout_word word = {name, (uint32_t)strlen(name)};
    bool plain = layout_is_name(&word);
    for (const char* at = name; *at != '\0'; at++) {
        plain = plain && !layout_is_blank(*at) && !layout_is_sign(*at);
    }
    if (plain) {
        setti_writer_add(out, " %s", name);
        return;
    }
    setti_writer_add(out, " \"");
    for (const char* at = name; *at != '\0'; at++) {
        setti_writer_add(out, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
    }
    setti_writer_add(out, "\"");
}

/* Whether a type is an ordinary type, not one of a module of the library. */
static bool layout_is_plain(const setti_type* type)
{
    return (type->flags & (SETTI_TYPE_CASCADES | SETTI_TYPE_LINKED | SETTI_TYPE_STAYS)) == 0;
}

SETTI_COLD static void layout_describe_kind(const sett_world* world, setti_writer* out,
                                            setti_kind kind, const char* word)
{
    bool begun = false;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        if (type->storage.kind == kind && layout_is_plain(type) &&
            (type->owner == NULL || !type->owner->by_layout)) { /* else the group lists the type */
            setti_writer_add(out, "%s", begun ? "" : word);
            layout_add_name(out, type->desc.name);
            begun = true;
        }
    }
    setti_writer_add(out, "%s", begun ? ";\n" : "");
}

static void layout_describe_list(setti_writer* out, const setti_type_list* list,
                                 const setti_type_list* except, const char* word)
{
    bool begun = false;
    for (uint32_t k = 0; k < list->count; k++) {
        if (except == NULL || !setti_type_list_has(except, list->item[k])) {
            setti_writer_add(out, "%s", begun ? "" : word);
            layout_add_name(out, list->item[k]->desc.name);
            begun = true;
        }
    }
}

SETTI_COLD size_t sett_layout_describe(const sett_world* world, char* out, size_t size)
{
    setti_writer text = setti_writer_begin(out, size);
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    layout_describe_kind(world, &text, SETTI_ARRAY, "array");
    layout_describe_kind(world, &text, SETTI_SPARSE, "sparse_set");
    for (const setti_listener* listener = world->listeners; listener != NULL;
         listener = listener->next) {
        if (listener->by_layout) {
            setti_writer_add(&text, "group {");
            layout_describe_list(&text, &listener->owned, NULL, "");
            layout_describe_list(&text, &listener->with, &listener->owned, " with");
            layout_describe_list(&text, &listener->without, NULL, " without");
            setti_writer_add(&text, " }\n");
        }
    }
    return text.length;
}

bool setti_layout_can_convert(const setti_type* type)
{
    sett_storage_kind kind =
        type->storage.kind == SETTI_SPARSE ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
    return type->storage.size != 0 && type->owner == NULL && layout_is_plain(type) &&
           !type->storage.keep_order && setti_conversion_check(type, &kind) == NULL;
}

bool setti_layout_can_group(const sett_query* query, bool automatic)
{
    uint32_t owned = setti_price_owned(query);
    if (query->arranged != 0) {
        bool can_replace = automatic && query->cover->automatic;
        if (!can_replace || query->arranged == owned) {
            return false; /* or the group exists already */
        }
    }
    for (uint32_t rest = owned; rest != 0; rest &= rest - 1) {
        const setti_type* type = query->term[setti_bits_lowest(rest)].type;
        bool taken = type->owner != NULL && !(automatic && type->owner->automatic);
        if (taken || type->storage.keep_order || !layout_is_plain(type) ||
            (type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
            return false;
        }
    }
    return setti_bits_count(owned) >= 2 && setti_bits_count(query->required) <= SETT_GROUP_TYPES &&
           setti_bits_count(query->without) <= SETT_GROUP_TYPES;
}

SETTI_COLD sett_group_desc setti_layout_group_desc(const sett_query* query)
{
    sett_group_desc desc = {.name = "layout"};
    uint32_t owned = setti_price_owned(query);
    uint32_t counts[LAYOUT_LISTS] = {0, 0, 0};
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_type* type = query->term[k].type;
        if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
            continue;
        }
        if ((owned >> k & 1) != 0) {
            desc.owned[counts[LAYOUT_OWNED]++] = type->id;
        } else if ((query->required >> k & 1) != 0) {
            desc.with[counts[LAYOUT_WITH]++] = type->id;
        } else if ((query->without >> k & 1) != 0) {
            desc.without[counts[LAYOUT_WITHOUT]++] = type->id;
        }
    }
    return desc;
}

uint64_t setti_layout_moves(const setti_relayout* change)
{
    uint64_t values = change->type != NULL ? change->type->storage.count : 0;
    uint32_t owned = change->group != NULL ? setti_price_owned(change->group) : 0;
    uint64_t members = UINT32_MAX; /* at most: as many as the rarest type has */
    uint32_t sparse_sets = 0;
    for (uint32_t rest = owned; rest != 0; rest &= rest - 1) {
        const setti_storage* storage = &change->group->term[setti_bits_lowest(rest)].type->storage;
        bool is_sparse = storage->kind == SETTI_SPARSE;
        members = SETTI_MIN(members, storage->count);
        sparse_sets += is_sparse ? 1 : 0;
        values += is_sparse ? 0 : storage->count;
    }
    values += 2 * members * sparse_sets; /* a member's row is exchanged with a row at the front */
    for (uint32_t k = 0; change->dissolved != NULL && k < change->dissolved->owned.count; k++) {
        values += change->dissolved->owned.item[k]->storage.count;
    }
    return values;
}
