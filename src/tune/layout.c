/* layout.c: layouts as texts. See sett/layout.h.
 *
 *     layout     = { statement }
 *     statement  = ("array" | "sparse_set") name { name } ";"
 *                | "group" "{" name { name } ["with" name { name }] ["without" name { name }] "}"
 *     name       = word | '"' ... '"'
 *
 * The workload: some dozen lines at the start of a program. The world stores the text, and reads
 * the text again for each newly registered type. So there is no second form to keep up to date.
 *
 * Invariant:  a stored text has been read to its end without an error;
 *             a group with `by_layout` owns sparse sets, and has no callbacks
 */
#include "tune/layout.h"

#include "base/writer.h"
#include "world/change.h"

#include <stdio.h>

static const char layout_call[] = "sett_layout_apply";

typedef struct layout_word {
    const char* begin; /* in the text: the quote if the word is quoted; NULL: no word */
    uint32_t length;
} layout_word;

typedef enum layout_list {
    LAYOUT_OWNED,
    LAYOUT_WITH,
    LAYOUT_WITHOUT,
    LAYOUT_LISTS
} layout_list;

/* A type and the storage that the text gives it, or a group. */
typedef struct layout_item {
    sett_storage_kind storage; /* SETT_STORAGE_DEFAULT: the item is a group */
    layout_word name;          /* of the type, or "group" */
    layout_word type[LAYOUT_LISTS][SETT_GROUP_TYPES];
    uint32_t count[LAYOUT_LISTS];
} layout_item;

typedef struct layout_reader {
    const char* text;
    const char* position;
    sett_storage_kind storage; /* of the current list of names; SETT_STORAGE_DEFAULT: no list */
    uint32_t named;            /* names read so far in the current list */
    const char* wrong;         /* the error, or NULL */
    const char* wrong_position;
} layout_reader;

/* Returns a reader that stands at the begin of a text. */
static layout_reader layout_begin(const char* text)
{
    return (layout_reader){.text = text, .position = text, .storage = SETT_STORAGE_DEFAULT};
}

static bool layout_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool layout_is_sign(char c)
{
    return c == '\0' || c == '{' || c == '}' || c == ';' || c == '#' || c == '"';
}

/* Stores what is wrong in the text, and where. Returns false. */
static bool layout_fail(layout_reader* reader, const char* position, const char* wrong)
{
    reader->wrong = wrong;
    reader->wrong_position = position;
    return false;
}

/* Returns the end of a quoted word, or NULL if the closing quote is missing.
 *   position  the opening quote */
static const char* layout_end_of_quotes(const char* position)
{
    for (position++; *position != '"'; position++) {
        if (*position == '\\') { /* the next character is literal */
            position++;
        }
        if (*position == '\0') {
            return NULL;
        }
    }
    return position + 1;
}

/* Skips blanks and comments. Returns the next character that is neither. */
static const char* layout_skip_blanks(const char* position)
{
    while (layout_is_blank(*position) || *position == '#') {
        if (*position == '#') {
            position += strcspn(position, "\n"); /* to the end of the line, or of the text */
        } else {
            position++;
        }
    }
    return position;
}

/* Reads the next word or sign. The end of the text is a word of length 0. Returns false on an
 * error. */
SETTI_COLD static bool layout_next_word(layout_reader* reader, layout_word* word)
{
    const char* next = layout_skip_blanks(reader->position);
    word->begin = next;
    if (*next == '"') {
        next = layout_end_of_quotes(next);
        if (next == NULL) {
            return layout_fail(reader, word->begin,
                               "the closing quote of a name is missing - add it");
        }
    } else if (layout_is_sign(*next)) {
        if (*next != '\0') {
            next++;
        }
    } else {
        while (!layout_is_blank(*next) && !layout_is_sign(*next)) {
            next++;
        }
    }
    word->length = (uint32_t)(next - word->begin);
    reader->position = next;
    return true;
}

static bool layout_is(const layout_word* word, const char* text)
{
    return strlen(text) == word->length && strncmp(word->begin, text, word->length) == 0;
}

/* Whether a word can be the name of a type. */
SETTI_COLD static bool layout_is_name(const layout_word* word)
{
    static const char* const keywords[] = {"array", "sparse_set", "group", "with", "without"};
    if (word->length == 0) {
        return false;
    }
    if (word->begin[0] == '"') {
        return word->length > 2; /* not "" */
    }
    for (size_t k = 0; k < sizeof(keywords) / sizeof(keywords[0]); k++) {
        if (layout_is(word, keywords[k])) {
            return false;
        }
    }
    return !layout_is_sign(word->begin[0]);
}

/* Returns the next character of the name that a word spells, or zero at the end of the name.
 *   place  where the character is in the word; 0 at first, and updated */
SETTI_APART static char layout_next_char(const layout_word* word, uint32_t* place)
{
    bool quoted = word->begin[0] == '"';
    uint32_t end = word->length;
    if (quoted) {
        end--; /* the closing quote */
        if (*place == 0) {
            *place = 1;
        }
        if (word->begin[*place] == '\\') { /* the next character is literal */
            ++*place;
        }
    }
    if (*place >= end) {
        return '\0';
    }
    return word->begin[(*place)++];
}

/* Whether a word spells a name. */
SETTI_APART static bool layout_word_is_name(const layout_word* word, const char* name)
{
    uint32_t place = 0;
    char next = layout_next_char(word, &place);
    while (next != '\0' && next == *name) {
        name++;
        next = layout_next_char(word, &place);
    }
    return next == *name;
}

/* Whether two words spell the same name. */
static bool layout_words_are_equal(const layout_word* a, const layout_word* b)
{
    uint32_t a_place = 0;
    uint32_t b_place = 0;
    char a_next = layout_next_char(a, &a_place);
    char b_next = layout_next_char(b, &b_place);
    while (a_next != '\0' && a_next == b_next) {
        a_next = layout_next_char(a, &a_place);
        b_next = layout_next_char(b, &b_place);
    }
    return a_next == b_next;
}

/* Reads a group after the word "group". Returns false on an error. */
static bool layout_read_group(layout_reader* reader, layout_item* item)
{
    layout_word word;
    layout_list list = LAYOUT_OWNED;
    if (!layout_next_word(reader, &word)) {
        return false;
    }
    if (!layout_is(&word, "{")) {
        return layout_fail(reader, word.begin,
                           "\"{\" is expected after \"group\" - write group { A B }");
    }
    while (layout_next_word(reader, &word) && !layout_is(&word, "}")) {
        if (layout_is(&word, "with")) {
            list = LAYOUT_WITH;
        } else if (layout_is(&word, "without")) {
            list = LAYOUT_WITHOUT;
        } else if (!layout_is_name(&word)) {
            return layout_fail(reader, word.begin,
                               "the name of a type, or \"}\", is expected - a group is "
                               "written: group { A B with C without D }");
        } else if (item->count[list] == SETT_GROUP_TYPES) {
            return layout_fail(reader, word.begin,
                               "a list of the group has more than 16 names - leave some out");
        } else {
            item->type[list][item->count[list]++] = word;
        }
    }
    if (reader->wrong != NULL) {
        return false;
    }
    if (item->count[LAYOUT_OWNED] == 0) {
        return layout_fail(reader, word.begin, "the group owns no type - list one after \"{\"");
    }
    return true;
}

/* Ends a list of names. `word` is the word after the list. Returns false on an error. */
static bool layout_end_list(layout_reader* reader, const layout_word* word)
{
    if (reader->named == 0) {
        return layout_fail(reader, word->begin, "the name of a type is expected - list one");
    }
    if (word->length != 0 && !layout_is(word, ";")) {
        return layout_fail(reader, word->begin,
                           "\";\" is expected after the last name - insert it");
    }
    reader->storage = SETT_STORAGE_DEFAULT;
    return true;
}

/* Reads the next item: a type of a list, or a group. Returns false at the end, or on an error. */
SETTI_COLD static bool layout_next(layout_reader* reader, layout_item* item)
{
    SETTI_ASSERT(reader->wrong == NULL);
    layout_word word;
    memset(item, 0, sizeof(*item));
    while (layout_next_word(reader, &word)) {
        bool in_list = reader->storage != SETT_STORAGE_DEFAULT;
        if (in_list && layout_is_name(&word)) {
            item->storage = reader->storage;
            item->name = word;
            reader->named++;
            return true;
        }
        if (in_list && !layout_end_list(reader, &word)) {
            return false;
        }
        if (word.length == 0) { /* the end of the text */
            return false;
        }
        if (layout_is(&word, "group")) {
            item->name = word;
            return layout_read_group(reader, item);
        }
        if (layout_is(&word, "array")) {
            reader->storage = SETT_STORAGE_ARRAY;
            reader->named = 0;
        } else if (layout_is(&word, "sparse_set")) {
            reader->storage = SETT_STORAGE_SPARSE_SET;
            reader->named = 0;
        } else if (!layout_is(&word, ";")) {
            return layout_fail(reader, word.begin,
                               "array, sparse_set or group is expected - write one of them, or "
                               "remove this word");
        }
    }
    return false;
}

/* Finds the storage that a text gives a type. A group that owns the type overrides a list.
 * *where becomes the word with the name. Returns SETT_STORAGE_DEFAULT if the text does not have
 * the name. */
SETTI_COLD static sett_storage_kind layout_choice(const char* text, const char* name,
                                                  layout_word* where)
{
    sett_storage_kind kind = SETT_STORAGE_DEFAULT;
    bool owned = false;
    layout_item item;
    for (layout_reader reader = layout_begin(text); layout_next(&reader, &item);) {
        bool is_type = item.storage != SETT_STORAGE_DEFAULT;
        if (is_type && !owned && layout_word_is_name(&item.name, name)) {
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

/* Returns the registered type that a word names, or NULL. */
static setti_type* layout_type(const sett_world* world, const layout_word* word)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        if (layout_word_is_name(word, world->registered.item[k]->desc.name)) {
            return world->registered.item[k];
        }
    }
    return NULL;
}

/* Reports what is wrong at a position of a text. Returns `status`. */
static sett_status layout_wrong(sett_world* world, sett_status status, const char* text,
                                const char* position, const char* wrong)
{
    setti_text_place place = setti_text_place_of(text, (size_t)(position - text));
    int length = (int)SETTI_MIN(strcspn(position, "\n"), (size_t)24); /* bytes to quote */
    if (length == 0) {
        return setti_world_fail_with(world, status, "%s: line %u, column %u, at the end: %s",
                                     layout_call, place.line, place.column, wrong);
    }
    return setti_world_fail_with(world, status, "%s: line %u, column %u, at \"%.*s\": %s",
                                 layout_call, place.line, place.column, length, position, wrong);
}

/* Logs a warning if a word names no registered type. */
static void layout_report_word(const sett_world* world, const char* text, const layout_word* word)
{
    if (layout_type(world, word) != NULL) {
        return;
    }
    setti_text_place place = setti_text_place_of(text, (size_t)(word->begin - text));
    const uint32_t quote = word->begin[0] == '"' ? 1 : 0; /* characters of a quote */
    const char* name = word->begin + quote;
    uint32_t length = word->length - 2 * quote;
    setti_guess guess = setti_guess_begin(name, length);
    setti_component_guess(world, &guess);
    const char* guessed = setti_guess_text(&guess);
    setti_world_log(world, SETT_LOG_WARNING,
                    "%s: line %u, column %u: type \"%.*s\" is not registered in this world%s",
                    layout_call, place.line, place.column, (int)SETTI_MIN(length, 100u), name,
                    guessed[0] != '\0' ? guessed : " - register it, or remove its name");
}

/* Logs a warning for each name in the text that no registered type has. */
SETTI_COLD static void layout_report(const sett_world* world)
{
    const char* text = setti_layout_of(world)->text;
    layout_item item;
    for (layout_reader reader = layout_begin(text); layout_next(&reader, &item);) {
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

/* Finds the next group that has only registered types, and describes it. Returns false if no such
 * group is left. */
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

/* Whether a list has all types of `ids`. If so, adds the number of `ids` to *count. */
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

/* Whether a list has the types of `ids` and `more`, and no other type. `more` may be NULL. */
static bool layout_list_is(const sett_world* world, const setti_type_list* list,
                           const sett_component* ids, const sett_component* more)
{
    uint32_t count = 0;
    if (!layout_list_has(world, list, ids, &count)) {
        return false;
    }
    if (more != NULL && !layout_list_has(world, list, more, &count)) {
        return false;
    }
    return count >= list->count; /* if there were another type, the list would be longer */
}

/* Whether a layout has created a group, and the group is as `desc` describes. */
static bool layout_group_is(const sett_world* world, const setti_listener* listener,
                            const sett_group_desc* desc)
{
    if (!listener->by_layout || !layout_list_is(world, &listener->owned, desc->owned, NULL)) {
        return false;
    }
    /* listener->with has the owned types too */
    return layout_list_is(world, &listener->with, desc->owned, desc->with) &&
           layout_list_is(world, &listener->without, desc->without, NULL);
}

/* Returns the group that a layout has created as `desc` describes, or NULL if there is none. */
static setti_listener* layout_find_group(const sett_world* world, const sett_group_desc* desc)
{
    for (setti_listener* listener = world->listeners; listener != NULL; listener = listener->next) {
        if (layout_group_is(world, listener, desc)) {
            return listener;
        }
    }
    return NULL;
}

/* Whether a text has a group that the layout has created. */
static bool layout_has_group(const sett_world* world, const char* text,
                             const setti_listener* listener)
{
    sett_group_desc desc;
    for (layout_reader reader = layout_begin(text); layout_next_group(world, &reader, &desc);) {
        if (layout_find_group(world, &desc) == listener) {
            return true;
        }
    }
    return false;
}

/* Creates the groups of a text that do not exist yet. A group with an unregistered type waits. */
static sett_status layout_make_groups(sett_world* world, const char* text)
{
    SETTI_ASSERT(world->locks == 0);
    const bool automatic = false;
    sett_group_desc desc;
    for (layout_reader reader = layout_begin(text); layout_next_group(world, &reader, &desc);) {
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

/* Checks that the type that `word` names can be in a list of a group. */
static sett_status layout_check_member(sett_world* world, const char* text, uint32_t list,
                                       const layout_word* word)
{
    const setti_type* type = layout_type(world, word);
    if (type == NULL) {
        return SETT_OK; /* not registered yet */
    }
    if ((type->flags & SETTI_TYPE_DONT_FRAGMENT) != 0) {
        return layout_wrong(world, SETT_STATUS_ARGUMENT, text, word->begin,
                            "a group cannot have a dont_fragment type - leave it out");
    }
    if (list == LAYOUT_OWNED && type->storage.keep_order) {
        return layout_wrong(world, SETT_STATUS_ARGUMENT, text, word->begin,
                            "a group cannot own a type with keep_order - list it after "
                            "\"with\"");
    }
    return SETT_OK;
}

/* Whether the name `k` of a list also occurs before it, in the same list or an earlier one. */
static bool layout_is_earlier(const layout_item* item, uint32_t list, uint32_t k)
{
    for (uint32_t i = 0; i <= list; i++) {
        uint32_t count = i == list ? k : item->count[i];
        for (uint32_t n = 0; n < count; n++) {
            if (layout_words_are_equal(&item->type[i][n], &item->type[list][k])) {
                return true;
            }
        }
    }
    return false;
}

static sett_status layout_check_group(sett_world* world, const char* text, const layout_item* item)
{
    for (uint32_t list = 0; list < LAYOUT_LISTS; list++) {
        for (uint32_t k = 0; k < item->count[list]; k++) {
            if (layout_is_earlier(item, list, k)) {
                return layout_wrong(world, SETT_STATUS_ARGUMENT, text, item->type[list][k].begin,
                                    "the group has the type twice - leave out one of the two");
            }
            sett_status status = layout_check_member(world, text, list, &item->type[list][k]);
            if (status != SETT_OK) {
                return status;
            }
        }
    }
    return SETT_OK;
}

/* Returns the name of a type that the group `item` owns, and that the group `other` owns earlier in
 * the text. Returns NULL if there is none. */
static const layout_word* layout_find_owned_twice(const layout_item* item, const layout_item* other)
{
    for (uint32_t k = 0; k < item->count[LAYOUT_OWNED]; k++) {
        const layout_word* word = &item->type[LAYOUT_OWNED][k];
        for (uint32_t i = 0; i < other->count[LAYOUT_OWNED]; i++) {
            const layout_word* earlier = &other->type[LAYOUT_OWNED][i];
            if (earlier->begin < word->begin && layout_words_are_equal(earlier, word)) {
                return word;
            }
        }
    }
    return NULL;
}

/* Returns a name of `item` that also occurs earlier in the text, or NULL if there is none.
 *   other  memory for an item */
static const layout_word* layout_find_twice(const char* text, const layout_item* item,
                                            layout_item* other)
{
    for (layout_reader reader = layout_begin(text); layout_next(&reader, other);) {
        bool are_types =
            item->storage != SETT_STORAGE_DEFAULT && other->storage != SETT_STORAGE_DEFAULT;
        bool is_earlier = other->name.begin < item->name.begin;
        if (are_types && is_earlier && layout_words_are_equal(&other->name, &item->name)) {
            return &item->name;
        }
        const layout_word* owned_twice = layout_find_owned_twice(item, other);
        if (owned_twice != NULL) {
            return owned_twice;
        }
    }
    return NULL;
}

SETTI_COLD static sett_status layout_check_text(sett_world* world, const char* text)
{
    layout_item item;
    layout_item other;
    layout_reader reader = layout_begin(text);
    while (layout_next(&reader, &item)) {
        const layout_word* twice = layout_find_twice(text, &item, &other);
        if (twice != NULL) {
            const char* wrong = "the type is listed twice - leave out one of the two";
            if (item.storage == SETT_STORAGE_DEFAULT) {
                wrong = "the type is owned twice - leave out one, or list it after \"with\" there";
            }
            return layout_wrong(world, SETT_STATUS_ARGUMENT, text, twice->begin, wrong);
        }
        sett_status status = layout_check_group(world, text, &item);
        if (status != SETT_OK) {
            return status;
        }
    }
    if (reader.wrong != NULL) {
        return layout_wrong(world, SETT_STATUS_ARGUMENT, text, reader.wrong_position, reader.wrong);
    }
    return SETT_OK;
}

/* Checks that a type can be stored as a text says. *moves becomes true if the values would move. */
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
        return layout_wrong(world, SETT_STATUS_ARGUMENT, text, where.begin, wrong);
    }
    bool differs = kind != type->desc.storage;
    if (differs && type->owner != NULL && !type->owner->by_layout) {
        char owned[192];
        snprintf(owned, sizeof(owned),
                 "group \"%.100s\" of the program owns the type - destroy that group first",
                 type->owner->name);
        return layout_wrong(world, SETT_STATUS_CONFLICT, text, where.begin, owned);
    }
    if (differs) {
        *moves = true;
    }
    return SETT_OK;
}

/* Whether applying a text would create or destroy a group. */
SETTI_COLD static bool layout_groups_differ(const sett_world* world, const char* text)
{
    sett_group_desc desc;
    for (const setti_listener* listener = world->listeners; listener != NULL;
         listener = listener->next) {
        if (listener->by_layout && !layout_has_group(world, text, listener)) {
            return true;
        }
    }
    for (layout_reader reader = layout_begin(text); layout_next_group(world, &reader, &desc);) {
        if (layout_find_group(world, &desc) == NULL) {
            return true;
        }
    }
    return false;
}

/* Checks that a text can be applied to the registered types. */
static sett_status layout_check(sett_world* world, const char* text)
{
    sett_status status = setti_world_check_unlocked(world, layout_call);
    if (status != SETT_OK) {
        return status;
    }
    status = layout_check_text(world, text);
    if (status != SETT_OK) {
        return status;
    }
    bool moves = false; /* any of the types */
    for (uint32_t k = 0; k < world->registered.count; k++) {
        status = layout_check_type(world, text, world->registered.item[k], &moves);
        if (status != SETT_OK) {
            return status;
        }
    }
    if (moves || layout_groups_differ(world, text)) {
        return setti_world_check_no_snapshots(world, layout_call);
    }
    return SETT_OK;
}

static void layout_drop_text(sett_world* world)
{
    struct setti_layout* layout = setti_layout_of(world);
    setti_pool_free(&world->pool, layout->text, layout->text_size, 1);
    layout->text = NULL;
    layout->text_size = 0;
    layout->unreported = false;
}

/* Destroys the groups that an earlier text has created and that `text` does not have. */
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

/* Converts the registered types to the storages that a text gives them. */
static sett_status layout_convert_types(sett_world* world, const char* text)
{
    for (uint32_t k = 0; k < world->registered.count; k++) {
        setti_type* type = world->registered.item[k];
        layout_word where;
        sett_storage_kind kind = layout_choice(text, type->desc.name, &where);
        if (kind == SETT_STORAGE_DEFAULT) {
            continue;
        }
        type->default_storage = false;
        sett_status status = setti_change_convert(world, type, kind, layout_call);
        if (status != SETT_OK) {
            return status;
        }
    }
    return SETT_OK;
}

SETTI_COLD sett_status sett_layout_apply(sett_world* world, const char* text)
{
    if (SETTI_IS_NULL(text)) {
        return SETT_STATUS_ARGUMENT;
    }
    sett_status status = layout_check(world, text);
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
    status = layout_convert_types(world, copy);
    if (status != SETT_OK) {
        return status;
    }
    return layout_make_groups(world, copy);
}

/* Returns the storage that the text gives a new type. */
static sett_storage_kind layout_choose(const sett_world* world, const char* name)
{
    layout_word where;
    const char* text = setti_layout_of(world)->text;
    if (text == NULL) {
        return SETT_STORAGE_DEFAULT;
    }
    return layout_choice(text, name, &where);
}

/* Creates the groups of the text that have waited for a type that is registered now. */
static void layout_resume(sett_world* world)
{
    const char* text = setti_layout_of(world)->text;
    if (text != NULL && world->locks == 0 && world->pool.cow_from == 0) {
        (void)layout_make_groups(world, text);
    }
}

/* At the end of the first frame after a text was applied, reports names that no type has. */
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

/* Whether a name has to stand in quotes. */
static bool layout_needs_quotes(const char* name)
{
    layout_word word = {name, (uint32_t)strlen(name)};
    if (!layout_is_name(&word)) {
        return true;
    }
    for (const char* c = name; *c != '\0'; c++) {
        if (layout_is_blank(*c) || layout_is_sign(*c)) {
            return true;
        }
    }
    return false;
}

SETTI_COLD static void layout_add_name(setti_writer* out, const char* name)
{
    if (!layout_needs_quotes(name)) {
        setti_writer_add(out, " %s", name);
        return;
    }
    setti_writer_add(out, " \"");
    for (const char* c = name; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            setti_writer_add(out, "\\");
        }
        setti_writer_add(out, "%c", *c);
    }
    setti_writer_add(out, "\"");
}

/* Whether a type is an ordinary type. Returns false for types of the library's modules. */
static bool layout_is_plain(const setti_type* type)
{
    return (type->flags & (SETTI_TYPE_CASCADES | SETTI_TYPE_LINKED | SETTI_TYPE_STAYS)) == 0;
}

/* Writes the types of a kind as a list that begins with `word`. Types that a group of the layout
 * owns are left out, because the group lists them. */
SETTI_COLD static void layout_describe_kind(const sett_world* world, setti_writer* out,
                                            setti_kind kind, const char* word)
{
    bool begun = false;
    for (uint32_t k = 0; k < world->registered.count; k++) {
        const setti_type* type = world->registered.item[k];
        bool in_group = type->owner != NULL && type->owner->by_layout;
        if (type->storage.kind == kind && layout_is_plain(type) && !in_group) {
            setti_writer_add(out, "%s", begun ? "" : word);
            layout_add_name(out, type->desc.name);
            begun = true;
        }
    }
    if (begun) {
        setti_writer_add(out, ";\n");
    }
}

/* Writes a list of types that begins with `word`. Writes nothing if no type is left.
 *   except  types to leave out; may be NULL */
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
    if (type->owner != NULL || !layout_is_plain(type)) {
        return false;
    }
    if (type->storage.size == 0 || type->storage.keep_order) {
        return false;
    }
    bool to_array = type->storage.kind == SETTI_SPARSE;
    sett_storage_kind new_kind = to_array ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET;
    return setti_conversion_check(type, &new_kind) == NULL;
}

/* Whether a group can own a type.
 *   automatic  the group may take the type from an automatic group */
static bool layout_can_own(const setti_type* type, bool automatic)
{
    if (type->owner != NULL) {
        bool can_replace = automatic && type->owner->automatic;
        if (!can_replace) {
            return false;
        }
    }
    if (type->storage.keep_order || !layout_is_plain(type)) {
        return false;
    }
    return (type->flags & SETTI_TYPE_DONT_FRAGMENT) == 0;
}

bool setti_layout_can_group(const sett_query* query, bool automatic)
{
    uint32_t owned = setti_price_owned(query);
    if (query->arranged != 0) {
        bool can_replace = automatic && query->cover->automatic;
        if (!can_replace || query->arranged == owned) {
            return false; /* another group is in the way, or this group exists */
        }
    }
    for (uint32_t terms = owned; terms != 0; terms &= terms - 1) {
        if (!layout_can_own(query->term[setti_bits_lowest(terms)].type, automatic)) {
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

/* Returns how many values move at most if a group is created for a query. */
static uint64_t layout_group_moves(const sett_query* query)
{
    uint64_t values = 0;
    uint64_t most_members = UINT32_MAX; /* the count of the rarest type */
    uint32_t sparse_sets = 0;
    for (uint32_t terms = setti_price_owned(query); terms != 0; terms &= terms - 1) {
        const setti_storage* storage = &query->term[setti_bits_lowest(terms)].type->storage;
        most_members = SETTI_MIN(most_members, storage->count);
        if (storage->kind == SETTI_SPARSE) {
            sparse_sets++;
        } else {
            values += storage->count; /* all values of an array are copied */
        }
    }
    /* 2: a member of a sparse set moves to the front in exchange for another row */
    return values + 2 * most_members * sparse_sets;
}

uint64_t setti_layout_moves(const setti_relayout* change)
{
    if (change->group != NULL) {
        return layout_group_moves(change->group);
    }
    if (change->type != NULL) {
        return change->type->storage.count;
    }
    if (change->dissolved == NULL) {
        return 0;
    }
    uint64_t values = 0;
    for (uint32_t k = 0; k < change->dissolved->owned.count; k++) {
        values += change->dissolved->owned.item[k]->storage.count;
    }
    return values;
}
