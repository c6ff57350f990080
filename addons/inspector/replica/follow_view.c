/* follow_view.c: what the page shows of the replica (follow.c), as numbers and JSON: entries, one
 * entity, the rows of the tree, what differs between two frames, how full pages are.
 *
 * The workload: 40 rows of a tree of 100,000 entities in each frame in which the page is scrolled;
 * one query over all of them for each letter that is typed.
 *
 * Invariant:  row[0..rows) are entities of the world that is shown, or none is listed
 *
 * SPDX-License-Identifier: MIT
 */
#include "follow.c"

#define FOLLOW_CHANGES 5000 /* values that a difference lists */
#define FOLLOW_QUERY 250.0  /* milliseconds that a query may take */
#define FOLLOW_ROW 8        /* numbers that follow_entries writes for each */

typedef struct follow_change {
    uint32_t component; /* 0: the entity itself */
    sett_entity was, is;
    uint32_t before, after; /* offsets in `values`; SETTI_NONE: none */
} follow_change;

/* More equal children of one parent than FOLLOW_EQUAL are one row, which can be opened. Those of a
 * parent with more children than FOLLOW_WIDE are not: to compare them in each frame takes long. */
enum {
    FOLLOW_EQUAL = 50,
    FOLLOW_WIDE = 20000,
    FOLLOW_KINDS = 256,
    FOLLOW_FOLDS = 64,
    FOLLOW_DEEP = 8
};

/* Children without names and children of their own, with equal components and an equal hint. */
typedef struct follow_kind {
    uint32_t parent, count;
    uint64_t hash;
    uint32_t row; /* that stands for them */
} follow_kind;

static struct {
    /* the tree as it is shown */
    uint32_t* row;
    uint8_t* depth;
    uint32_t rows, row_capacity;
    uint64_t* open_bits;
    uint32_t open_words;
    follow_kind fold[FOLLOW_FOLDS];     /* the rows that stand for others, ascending */
    follow_kind unfolded[FOLLOW_FOLDS]; /* kinds that are open: a ring */
    uint32_t folds, unfolds;
    bool unfold_all;
    sett_search* search;
    char query[4096];
    char find[256];
    double until; /* milliseconds of follow_clock at which a query is ended */
    bool cut;     /* it was */

    follow_change* change;
    uint32_t changes, changes_all;
    uint32_t listed;    /* component of the changes that are listed */
    follow_text counts; /* follow_tally each */
    follow_text values;
    follow_text out;
    double info[16];
} view;

static void follow_forget_rows(void)
{
    f.version++;
    view.rows = view.folds = 0;
}

static void follow_forget_view(bool all)
{
    view.search = NULL; /* it ends with its world */
    follow_forget_rows();
    if (all) {
        view.changes = 0;
        view.unfolds = 0;
        view.unfold_all = false;
        memset(view.unfolded, 0, sizeof(view.unfolded));
        if (view.open_words != 0) {
            memset(view.open_bits, 0, view.open_words * 8);
        }
        view.query[0] = view.find[0] = '\0';
    }
}

/* -------------------------------------------------------------------------------------- entries */

/* Numbers about all, see the list in replica.js. */
EXPORT(follow_info) const double* follow_info(void)
{
    const follow_entry* at = follow_at(f.at);
    view.info[0] = f.first;
    view.info[1] = f.end;
    view.info[2] = f.at == SETTI_NONE ? -1 : (double)f.at;
    view.info[3] = f.tail == SETTI_NONE ? -1 : (double)f.tail;
    view.info[4] = follow_memory();
    view.info[5] = f.limit;
    view.info[6] = at != NULL ? (double)at->frame : 0;
    view.info[7] = f.world != NULL ? f.world->entities.count : 0;
    view.info[8] = f.world != NULL ? f.world->registered.count : 0;
    view.info[9] = f.version;
    view.info[10] = f.branch;
    view.info[11] = (double)f.notes.size;
    view.info[12] = f.open;
    view.info[14] = view.cut;
    return view.info;
}

/* Numbers about entries from..end-1: frame, parent (-1), bytes, begun, ended, hash (two halves),
 * branch with 0x10000 if it cannot be reached. */
EXPORT(follow_entries) const double* follow_entries(uint32_t from)
{
    view.out.size = 0;
    for (uint32_t k = from; k < f.end; k++) {
        const follow_entry* entry = follow_at(k);
        double row[FOLLOW_ROW] = {(double)entry->frame,
                                  entry->parent == SETTI_NONE ? -1 : (double)entry->parent,
                                  entry->size,
                                  entry->begun,
                                  entry->ended,
                                  (double)(uint32_t)entry->hash,
                                  (double)(uint32_t)(entry->hash >> 32),
                                  entry->branch + (entry->dead ? 0x10000 : 0)};
        if (!follow_add(&view.out, row, sizeof(row))) {
            return NULL;
        }
    }
    return (const double*)(const void*)view.out.data;
}

/* The records of times and log that came since the last call: kind, size, frame (two halves), all
 * u32, and the bytes. Returns their size; they are at follow_text_at. */
EXPORT(follow_notes) size_t follow_notes(void)
{
    view.out.size = 0;
    (void)follow_add(&view.out, f.notes.data, f.notes.size);
    f.notes.size = 0;
    return view.out.size;
}

EXPORT(follow_text_at) const char* follow_text_at(void)
{
    return view.out.data;
}

/* ---------------------------------------------------------------------------------------- texts */

static bool follow_put(void* user, const char* text, size_t size)
{
    (void)user;
    return follow_add(&view.out, text, size);
}

static void follow_begin(setti_json_out* to)
{
    memset(to, 0, sizeof(*to));
    to->fn = follow_put;
    view.out.size = 0;
}

static size_t follow_end(setti_json_out* to)
{
    return setti_json_finish(to) ? view.out.size : 0;
}

static void follow_say(setti_json_out* to, const char* format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    setti_json_add(to, text, SETTI_MIN((size_t)size, sizeof(text) - 1));
}

static void follow_quote(setti_json_out* to, const char* text)
{
    setti_json_add_string(to, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

static void follow_members(setti_json_out* to, const sett_struct* of)
{
    setti_json_add_text(to, "[");
    for (uint32_t k = 0; of != NULL && k < of->count; k++) {
        const sett_member* member = &of->members[k];
        bool list = member->kind == SETT_MEMBER_LIST; /* for the page an array, of any count */
        sett_member_kind kind =
            member->element != SETT_MEMBER_UNKNOWN ? member->element : member->kind;
        kind = kind == SETT_MEMBER_STRING ? SETT_MEMBER_TEXT : kind;
        follow_say(to, "%s{\"name\":", k != 0 ? "," : "");
        follow_quote(to, member->name);
        follow_say(to, ",\"kind\":\"%s\",\"count\":%u,\"size\":%u",
                   sett_member_kind_name(member->of != NULL ? SETT_MEMBER_STRUCT : kind),
                   list ? 0u : (unsigned)member->count, (unsigned)member->size);
        if (member->unit != NULL && member->unit[0] != '\0') {
            setti_json_add_text(to, ",\"unit\":");
            follow_quote(to, member->unit);
        }
        if (member->description != NULL && member->description[0] != '\0') {
            setti_json_add_text(to, ",\"description\":");
            follow_quote(to, member->description);
        }
        if (member->scale != 0 && member->scale != 1) {
            follow_say(to, ",\"scale\":%.17g", member->scale);
        }
        if (member->minimum < member->maximum && isfinite(member->maximum - member->minimum)) {
            follow_say(to, ",\"minimum\":%.17g,\"maximum\":%.17g", member->minimum,
                       member->maximum);
        }
        if (member->constants != NULL) {
            follow_say(to, ",\"bits\":%s,\"constants\":[", member->bits ? "true" : "false");
            for (const sett_constant* c = member->constants; c->name != NULL; c++) {
                setti_json_add_text(to, c != member->constants ? "," : "");
                follow_quote(to, c->name);
            }
            setti_json_add_text(to, "]");
        }
        if (member->of != NULL) {
            setti_json_add_text(to, ",\"members\":");
            follow_members(to, member->of);
        }
        setti_json_add_text(to, "}");
    }
    setti_json_add_text(to, "]");
}

static const char* const follow_forms[] = {"value", "tree",    "name",  "link",
                                           "links", "sources", "other", "value"};

/* All component types: [{id, name, size, storage, save, form, count, members}]. */
EXPORT(follow_types) size_t follow_types(void)
{
    setti_json_out to;
    follow_begin(&to);
    setti_json_add_text(&to, "[");
    for (uint32_t k = 0; f.world != NULL && k < f.world->registered.count; k++) {
        const setti_type* type = f.world->registered.item[k];
        const sett_component_desc* desc = &type->desc;
        follow_say(&to, "%s{\"id\":%u,\"name\":", k != 0 ? "," : "", (unsigned)type->id);
        follow_quote(&to, desc->name);
        follow_say(&to,
                   ",\"size\":%u,\"storage\":\"%s\",\"skip\":%s,\"form\":\"%s\",\"count\":%u,"
                   "\"members\":",
                   (unsigned)desc->size,
                   type->storage.kind == SETTI_SPARSE ? "sparse set"
                   : desc->size == 0                  ? "tag"
                                                      : "array",
                   desc->save == SETT_SAVE_SKIP ? "true" : "false",
                   follow_forms[setti_delta_form_of(type)], (unsigned)type->storage.count);
        follow_members(&to, desc->members);
        setti_json_add_text(&to, "}");
    }
    setti_json_add_text(&to, "]");
    return follow_end(&to);
}

/* One entity as json.h has it; nothing if it is not alive. */
EXPORT(follow_entity) size_t follow_entity(uint32_t index, uint32_t generation)
{
    sett_entity entity = {index, generation};
    view.out.size = 0;
    if (f.world == NULL || !sett_entity_valid(f.world, entity)) {
        return 0;
    }
    sett_json_desc desc;
    memset(&desc, 0, sizeof(desc));
    desc.entity = entity;
    desc.single = true;
    return sett_json_write(f.world, &desc, follow_put, NULL) == SETT_OK ? view.out.size : 0;
}

static sett_entity follow_resolve(const char* text)
{
    sett_entity entity = {0, 0};
    if (text[0] == '#' && setti_json_parse_handle(text, &entity)) {
        return sett_entity_valid(f.world, entity) ? entity : sett_null();
    }
    return sett_name_lookup(f.world, sett_null(), text);
}

/* The entity of a reference in the input, "#7:2" or a path. Returns its index, -1 if there is none;
 * its generation is in follow_info()[13]. */
EXPORT(follow_lookup) double follow_lookup(size_t size)
{
    if (f.world == NULL) {
        return -1;
    }
    f.input.data[size] = '\0';
    sett_entity entity = follow_resolve(f.input.data);
    view.info[13] = entity.generation;
    return sett_is_null(entity) ? -1 : (double)entity.index;
}

/* The generation at an index now; 0: nothing lives there. */
EXPORT(follow_generation) uint32_t follow_generation(uint32_t index)
{
    return f.world != NULL ? sett_entity_at(f.world, index).generation : 0;
}

/* ----------------------------------------------------------------------------------------- tree */

static bool follow_is_open(uint32_t index)
{
    return index / 64 < view.open_words && (view.open_bits[index / 64] >> (index % 64) & 1) != 0;
}

EXPORT(follow_expand) void follow_expand(uint32_t index, int open)
{
    uint32_t word = index / 64;
    if (word >= view.open_words) {
        uint32_t words = (word + 1) * 2;
        uint64_t* bits = realloc(view.open_bits, words * 8);
        if (bits == NULL) {
            return;
        }
        memset(bits + view.open_words, 0, (words - view.open_words) * 8);
        view.open_bits = bits;
        view.open_words = words;
    }
    uint64_t bit = (uint64_t)1 << (index % 64);
    view.open_bits[word] = open != 0 ? view.open_bits[word] | bit : view.open_bits[word] & ~bit;
    follow_forget_rows();
}

/* Opens all, or none. */
EXPORT(follow_expand_all) void follow_expand_all(int open)
{
    view.unfold_all = open != 0;
    for (uint32_t k = f.world != NULL ? setti_entity_capacity(&f.world->entities) : 0; k-- > 0;) {
        if (open == 0 || sett_hierarchy_child_count(f.world, sett_entity_at(f.world, k)) != 0) {
            follow_expand(k, open);
        }
    }
}

static const char* follow_hint(sett_entity entity, const sett_component* ids, uint32_t count);

static uint64_t follow_mix(uint64_t hash, const void* bytes, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        hash = (hash ^ ((const unsigned char*)bytes)[k]) * 0x100000001b3u;
    }
    return hash;
}

/* What makes entities equal in the tree; 0: it is like no other. */
static uint64_t follow_kind_of(sett_entity entity)
{
    sett_component ids[24];
    if (sett_name_get(f.world, entity) != NULL ||
        sett_hierarchy_child_count(f.world, entity) != 0) {
        return 0;
    }
    uint32_t used = SETTI_MIN(sett_entity_components(f.world, entity, ids, 24), 24);
    const char* hint = follow_hint(entity, ids, used);
    uint64_t hash = follow_mix(0xcbf29ce484222325u, ids, used * sizeof(*ids));
    return follow_mix(hash, hint, hint != NULL ? strlen(hint) : 0) | 1;
}

static follow_kind* follow_find_kind(follow_kind* list, uint32_t count, uint32_t parent,
                                     uint64_t hash)
{
    for (uint32_t k = 0; k < count; k++) {
        if (list[k].hash == hash && list[k].parent == parent) {
            return &list[k];
        }
    }
    return NULL;
}

/* Opens the row that stands for an entity and its equals, or closes it. */
EXPORT(follow_fold) void follow_fold(uint32_t index, int open)
{
    sett_entity entity = f.world != NULL ? sett_entity_at(f.world, index) : sett_null();
    sett_entity parent = sett_is_null(entity) ? entity : sett_hierarchy_parent(f.world, entity);
    uint64_t hash = sett_is_null(parent) ? 0 : follow_kind_of(entity);
    if (hash == 0) {
        return;
    }
    follow_kind* at = follow_find_kind(view.unfolded, FOLLOW_FOLDS, parent.index, hash);
    if (open != 0 && at == NULL) {
        at = &view.unfolded[view.unfolds++ % FOLLOW_FOLDS];
        at->parent = parent.index;
        at->hash = hash;
    } else if (open == 0) {
        view.unfold_all = false;
        if (at != NULL) {
            memset(at, 0, sizeof(*at));
        }
    }
    follow_forget_rows();
}

/* The row as one that stands for others; NULL: it is an entity's. */
static follow_kind* follow_fold_at(uint32_t row)
{
    for (uint32_t k = 0; k < view.folds && view.fold[k].row <= row; k++) {
        if (view.fold[k].row == row) {
            return &view.fold[k];
        }
    }
    return NULL;
}

static bool follow_is_unfolded(const follow_kind* kind)
{
    return view.unfold_all ||
           follow_find_kind(view.unfolded, FOLLOW_FOLDS, kind->parent, kind->hash) != NULL;
}

/* Opens the ancestors of an entity. */
EXPORT(follow_reveal) void follow_reveal(uint32_t index)
{
    sett_entity at = f.world != NULL ? sett_entity_at(f.world, index) : sett_null();
    follow_fold(index, 1);
    while (!sett_is_null(at) && !sett_is_null(at = sett_hierarchy_parent(f.world, at))) {
        follow_expand(at.index, 1);
    }
}

static bool follow_row(uint32_t index, uint32_t depth)
{
    if (view.rows == view.row_capacity) {
        uint32_t capacity = view.row_capacity * 2 + 1024;
        uint32_t* row = realloc(view.row, capacity * sizeof(*row));
        view.row = row != NULL ? row : view.row;
        uint8_t* depths = row != NULL ? realloc(view.depth, capacity) : NULL;
        view.depth = depths != NULL ? depths : view.depth;
        if (depths == NULL) {
            return false;
        }
        view.row_capacity = capacity;
    }
    view.row[view.rows] = index;
    view.depth[view.rows++] = (uint8_t)SETTI_MIN(depth, 255);
    return true;
}

/* Whether `part` occurs in `text`, capital or not. */
static bool follow_contains(const char* text, const char* part)
{
    for (; *text != '\0'; text++) {
        size_t k = 0;
        while (part[k] != '\0' && text[k] != '\0' && (text[k] | 32) == (part[k] | 32)) {
            k++;
        }
        if (part[k] == '\0') {
            return true;
        }
    }
    return false;
}

static bool follow_matches(uint32_t index)
{
    if (view.find[0] == '\0') {
        return true;
    }
    sett_entity entity = sett_entity_at(f.world, index);
    if (view.find[0] == '#') {
        char text[32];
        snprintf(text, sizeof(text), "#%u:%u", (unsigned)index, (unsigned)entity.generation);
        return strncmp(text, view.find, strlen(view.find)) == 0;
    }
    const char* name = sett_name_get(f.world, entity);
    return name != NULL && follow_contains(name, view.find);
}

static int follow_compare(const void* a, const void* b)
{
    uint32_t x = *(const uint32_t*)a;
    uint32_t y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

static bool follow_is_late(void* user)
{
    (void)user;
    view.cut = view.cut || follow_clock() > view.until;
    return view.cut;
}

/* The results of the query, each once, ascending; those that were found in time. */
static void follow_flatten_query(void)
{
    uint32_t variable = sett_search_variable(view.search, "this");
    variable = variable == UINT32_MAX ? 0 : variable;
    if (sett_search_variable_count(view.search) == 0) {
        return;
    }
    view.until = follow_clock() + FOLLOW_QUERY;
    (void)sett_search_limit(view.search, follow_is_late, NULL);
    SETT_SEARCH(view.search, rows, i)
    {
        uint32_t index = rows->index[variable][i];
        if (index != UINT32_MAX && follow_matches(index) && !follow_row(index, 0)) {
            break;
        }
    }
    qsort(view.row, view.rows, sizeof(*view.row), follow_compare);
    uint32_t count = 0;
    for (uint32_t k = 0; k < view.rows; k++) {
        if (count == 0 || view.row[count - 1] != view.row[k]) {
            view.row[count++] = view.row[k];
        }
    }
    view.rows = count;
}

static void follow_flatten_tree(sett_entity root, uint32_t base);

/* The kinds of the children of a parent, and how many are of each; those after the first
 * FOLLOW_KINDS are not counted. `kind_of`: the hash of each child. */
static uint32_t follow_count_kinds(sett_entity parent, follow_kind* kinds, uint64_t* kind_of)
{
    uint32_t count = 0;
    uint32_t place = 0;
    sett_entity at = sett_hierarchy_first(f.world, parent);
    for (; !sett_is_null(at); at = sett_hierarchy_next(f.world, at)) {
        uint64_t hash = kind_of[place++] = follow_kind_of(at);
        follow_kind* kind = follow_find_kind(kinds, count, parent.index, hash);
        if (kind == NULL && hash != 0 && count < FOLLOW_KINDS) {
            kind = &kinds[count++];
            *kind = (follow_kind){parent.index, 0, hash, SETTI_NONE};
        }
        if (kind != NULL) {
            kind->count++;
        }
    }
    return count;
}

/* The row that stands for a kind, and if it is open the entities: `at` is the first of them. */
static void follow_flatten_kind(follow_kind* kind, sett_entity at, const uint64_t* kind_of,
                                uint32_t depth)
{
    kind->row = view.rows;
    view.fold[view.folds++] = *kind;
    bool room = follow_row(at.index, depth) && follow_is_unfolded(kind);
    for (; room && !sett_is_null(at); at = sett_hierarchy_next(f.world, at), kind_of++) {
        room = *kind_of != kind->hash || follow_row(at.index, depth + 1);
    }
}

/* The children of a parent that has many. Returns false if they are to be listed one by one. */
static bool follow_flatten_wide(sett_entity parent, uint32_t depth)
{
    uint32_t children = sett_hierarchy_child_count(f.world, parent);
    follow_kind* kinds = NULL; /* and behind them the hash of each child */
    if (children > FOLLOW_EQUAL && children <= FOLLOW_WIDE && depth < FOLLOW_DEEP) {
        kinds = malloc(FOLLOW_KINDS * sizeof(*kinds) + children * sizeof(uint64_t));
    }
    if (kinds == NULL) {
        return false;
    }
    uint64_t* kind_of = (uint64_t*)(void*)(kinds + FOLLOW_KINDS);
    uint32_t count = follow_count_kinds(parent, kinds, kind_of);
    uint32_t place = 0;
    sett_entity at = sett_hierarchy_first(f.world, parent);
    for (; !sett_is_null(at); at = sett_hierarchy_next(f.world, at), place++) {
        follow_kind* kind = follow_find_kind(kinds, count, parent.index, kind_of[place]);
        if (kind == NULL || kind->count <= FOLLOW_EQUAL ||
            (kind->row == SETTI_NONE && view.folds == FOLLOW_FOLDS)) {
            follow_flatten_tree(at, depth);
        } else if (kind->row == SETTI_NONE) {
            follow_flatten_kind(kind, at, kind_of + place, depth);
        }
    }
    free(kinds);
    return true;
}

static void follow_flatten_tree(sett_entity root, uint32_t base)
{
    uint32_t depth = base;
    sett_entity at = root;
    while (follow_row(at.index, depth)) {
        sett_entity next = sett_null();
        if (follow_is_open(at.index) && !follow_flatten_wide(at, depth + 1)) {
            next = sett_hierarchy_first(f.world, at);
        }
        if (!sett_is_null(next)) {
            depth++;
            at = next;
            continue;
        }
        while (depth != base && sett_is_null(next = sett_hierarchy_next(f.world, at))) {
            at = sett_hierarchy_parent(f.world, at);
            depth--;
        }
        if (depth == base) {
            return;
        }
        at = next;
    }
}

/* Lists what the tree shows now. Returns how many rows, -1 if the query is wrong (follow_why). */
EXPORT(follow_tree) double follow_tree(void)
{
    view.rows = view.folds = 0;
    view.cut = false;
    if (f.world == NULL) {
        return 0;
    }
    if (view.query[0] != '\0' && view.search == NULL) {
        view.search = sett_search_create(f.world, view.query);
        if (view.search == NULL) {
            return follow_fail(sett_world_message(f.world));
        }
    }
    if (view.search != NULL) {
        follow_flatten_query();
        return view.rows;
    }
    uint32_t end = setti_entity_capacity(&f.world->entities);
    const setti_storage* nodes =
        setti_hierarchy_of(f.world) != NULL ? &setti_hierarchy_of(f.world)->type->storage : NULL;
    for (uint32_t index = 0; index < end; index++) {
        sett_entity entity = sett_entity_at(f.world, index);
        if (sett_is_null(entity)) {
            continue;
        }
        if (view.find[0] != '\0') {
            if (follow_matches(index) && !follow_row(index, 0)) {
                break;
            }
            continue;
        }
        const sett_hierarchy* node = nodes != NULL ? setti_storage_find(nodes, index) : NULL;
        if (node == NULL) {
            if (!follow_row(index, 0)) {
                break;
            }
        } else if (node->parent == 0) {
            follow_flatten_tree(entity, 0);
        }
    }
    return view.rows;
}

/* Sets what the tree shows from the input: a query (empty: none) and a part of a name, with a zero
 * between. */
EXPORT(follow_filter) double follow_filter(size_t size)
{
    f.input.data[size] = '\0';
    size_t length = strlen(f.input.data);
    if (strcmp(view.query, f.input.data) != 0 && view.search != NULL) {
        (void)sett_search_destroy(view.search);
        view.search = NULL;
    }
    snprintf(view.query, sizeof(view.query), "%s", f.input.data);
    snprintf(view.find, sizeof(view.find), "%s", length < size ? f.input.data + length + 1 : "");
    f.version++;
    return follow_tree();
}

/* What an entity without a name is, as far as it says so: the constant in its first member that has
 * constants, such as "imp". NULL: it says nothing. */
static const char* follow_constant(const sett_member* member, const void* value)
{
    int64_t bits = 0;
    if (member->constants == NULL || member->bits || member->count != 1 || member->size > 8) {
        return NULL;
    }
    memcpy(&bits, (const unsigned char*)value + member->offset, member->size);
    const sett_constant* constant = member->constants;
    while (constant->name != NULL && constant->value != bits) {
        constant++;
    }
    return constant->name;
}

/* A name for an entity that has none: its first constant, or the name of its prefab; or NULL. */
static const char* follow_hint(sett_entity entity, const sett_component* ids, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const setti_type* type = setti_world_type(f.world, ids[k]);
        const sett_struct* of = type->desc.members;
        for (uint32_t m = 0; of != NULL && m < of->count; m++) {
            const char* name =
                follow_constant(&of->members[m], setti_storage_find(&type->storage, entity.index));
            if (name != NULL) {
                return name;
            }
        }
    }
    return sett_name_get(f.world, sett_target(f.world, entity, SETT_ID_INSTANCE_OF));
}

/* What an entity is called everywhere in the page: its name, or a hint; nothing if it has none. */
EXPORT(follow_label) size_t follow_label(uint32_t index, uint32_t generation)
{
    sett_entity entity = {index, generation};
    view.out.size = 0;
    if (f.world == NULL || !sett_entity_valid(f.world, entity)) {
        return 0;
    }
    sett_component ids[24];
    uint32_t used = sett_entity_components(f.world, entity, ids, 24);
    const char* label = sett_name_get(f.world, entity);
    label = label != NULL ? label : follow_hint(entity, ids, SETTI_MIN(used, 24));
    return label != NULL && follow_add(&view.out, label, strlen(label)) ? view.out.size : 0;
}

/* The first entity that has children; -1: none has. */
EXPORT(follow_first_parent) double follow_first_parent(void)
{
    uint32_t end = f.world != NULL ? setti_entity_capacity(&f.world->entities) : 0;
    for (uint32_t index = 0; index < end; index++) {
        sett_entity entity = sett_entity_at(f.world, index);
        if (!sett_is_null(entity) && sett_hierarchy_child_count(f.world, entity) != 0) {
            return index;
        }
    }
    return -1;
}

/* Rows of the list as JSON: [index, generation, depth, children, open, name or null, [component
 * ids], hint or null, path of the parent]; of one that stands for equal entities: [the first of
 * them, its generation, depth, how many, open, null, [component ids], hint or null, null, 1]. */
EXPORT(follow_rows) size_t follow_rows(uint32_t from, uint32_t count)
{
    setti_json_out to;
    bool flat = view.find[0] != '\0' || view.search != NULL;
    char path[SETTI_JSON_REFERENCE];
    follow_begin(&to);
    setti_json_add_text(&to, "[");
    for (uint32_t k = from; k < view.rows && k - from < count; k++) {
        sett_entity entity = sett_entity_at(f.world, view.row[k]);
        sett_component ids[24];
        uint32_t used = sett_entity_components(f.world, entity, ids, 24);
        const char* name = sett_name_get(f.world, entity);
        const follow_kind* fold = follow_fold_at(k);
        follow_say(&to, "%s[%u,%u,%u,%u,%d,", k != from ? "," : "", (unsigned)entity.index,
                   (unsigned)entity.generation, flat ? 0u : (unsigned)view.depth[k],
                   fold != NULL ? (unsigned)fold->count
                                : (unsigned)sett_hierarchy_child_count(f.world, entity),
                   fold != NULL ? follow_is_unfolded(fold) : follow_is_open(entity.index));
        if (name != NULL) {
            follow_quote(&to, name);
        } else {
            setti_json_add_text(&to, "null");
        }
        setti_json_add_text(&to, ",[");
        for (uint32_t c = 0; c < used && c < 24; c++) {
            follow_say(&to, "%s%u", c != 0 ? "," : "", (unsigned)ids[c]);
        }
        const char* hint = name == NULL ? follow_hint(entity, ids, SETTI_MIN(used, 24)) : NULL;
        setti_json_add_text(&to, hint != NULL ? "]," : "],null");
        if (hint != NULL) {
            follow_quote(&to, hint);
        }
        sett_entity parent = sett_hierarchy_parent(f.world, entity);
        if (flat && !sett_is_null(parent)) {
            (void)sett_name_path(f.world, parent, path, sizeof(path));
            setti_json_add_text(&to, ",");
            follow_quote(&to, path);
        }
        setti_json_add_text(&to, fold != NULL ? ",null,1]" : "]");
    }
    setti_json_add_text(&to, "]");
    return follow_end(&to);
}

/* The row of an entity, -1 if the tree does not show it. */
EXPORT(follow_row_of) double follow_row_of(uint32_t index)
{
    for (uint32_t k = 0; k < view.rows; k++) {
        if (view.row[k] == index && follow_fold_at(k) == NULL) {
            return k;
        }
    }
    return -1;
}

/* ----------------------------------------------------------------------------------- difference */

/* How many values of a type differ; of 0: entities that ended and began. */
typedef struct follow_tally {
    uint32_t component, changed, added, removed;
} follow_tally;

typedef struct follow_sink {
    setti_compare_sink sink;
    const setti_type* type;
    setti_delta_form form;
    follow_tally count;
} follow_sink;

static follow_change* follow_change_add(uint32_t component)
{
    view.changes_all++;
    if (view.changes == FOLLOW_CHANGES || component != view.listed) {
        return NULL;
    }
    follow_change* change = &view.change[view.changes++];
    memset(change, 0, sizeof(*change));
    change->before = change->after = SETTI_NONE;
    return change;
}

static void follow_see_entity(setti_compare_sink* sink, const sett_entity* ended,
                              const sett_entity* begun)
{
    follow_sink* of = (follow_sink*)(void*)sink;
    follow_change* change = follow_change_add(0);
    of->count.added += begun != NULL;
    of->count.removed += ended != NULL;
    if (change != NULL) {
        change->was = ended != NULL ? *ended : sett_null();
        change->is = begun != NULL ? *begun : sett_null();
    }
}

static bool follow_keep_text(void* user, const char* text, size_t size)
{
    (void)user;
    return follow_add(&view.values, text, size);
}

/* What a value owns may end before it is shown: of such values the text is preserved. */
static uint32_t follow_keep(const setti_type* type, const void* value)
{
    if (value != NULL && setti_delta_form_of(type) == SETTI_DELTA_OWNED) {
        setti_json_out to = {.fn = follow_keep_text};
        uint32_t text = (uint32_t)view.values.size;
        setti_json_add_value(&to, f.world, type, value);
        setti_json_add(&to, "", 1); /* its zero */
        return setti_json_finish(&to) ? text : SETTI_NONE;
    }
    while (view.values.size % 16 != 0) {
        (void)follow_add(&view.values, "", 1);
    }
    uint32_t offset = (uint32_t)view.values.size;
    size_t size = type->desc.size;
    return value == NULL ? SETTI_NONE : follow_add(&view.values, value, size) ? offset : SETTI_NONE;
}

static void follow_see_value(setti_compare_sink* sink, sett_entity was, const void* before,
                             sett_entity is, const void* after)
{
    follow_sink* of = (follow_sink*)(void*)sink;
    if (before == NULL && after == NULL) {
        return;
    }
    if (of->form == SETTI_DELTA_TREE && before != NULL && after != NULL &&
        ((const sett_hierarchy*)before)->parent == ((const sett_hierarchy*)after)->parent) {
        return; /* a sibling came or went */
    }
    if (of->form == SETTI_DELTA_TARGET) {
        return; /* said at the sources */
    }
    follow_change* change = follow_change_add(of->type->id);
    of->count.added += before == NULL;
    of->count.removed += after == NULL;
    of->count.changed += before != NULL && after != NULL;
    if (change != NULL) {
        change->component = of->type->id;
        change->was = before != NULL ? was : sett_null();
        change->is = after != NULL ? is : sett_null();
        change->before = follow_keep(of->type, before);
        change->after = follow_keep(of->type, after);
    }
}

static void follow_count_end(follow_sink* sink)
{
    follow_tally* count = &sink->count;
    count->component = sink->type != NULL ? sink->type->id : 0;
    if ((count->changed | count->added | count->removed) != 0) {
        (void)follow_add(&view.counts, count, sizeof(*count));
    }
    memset(count, 0, sizeof(*count));
}

static int follow_compare_all(sett_snapshot from)
{
    sett_status status = SETT_OK;
    setti_view then;
    setti_compare compare;
    follow_sink sink = {.sink = {.entity = follow_see_entity, .value = follow_see_value},
                        .form = SETTI_DELTA_VALUES};
    setti_snapshot* node = setti_snapshot_find(f.world, from, &status);
    if (node == NULL || !setti_view_init(f.world, node, NULL, &then)) {
        return follow_fail("memory ran out");
    }
    memset(&compare, 0, sizeof(compare));
    if (!setti_compare_init(&then, &compare)) {
        setti_view_deinit(f.world, &then);
        return follow_fail("memory ran out");
    }
    compare.sink = &sink.sink;
    setti_compare_entities(&compare);
    follow_count_end(&sink);
    for (uint32_t k = 0; k < f.world->registered.count; k++) {
        sink.type = f.world->registered.item[k];
        sink.form = setti_delta_form_of(sink.type);
        setti_compare_type(&compare, sink.type);
        follow_count_end(&sink);
    }
    setti_compare_deinit(&compare);
    setti_view_deinit(f.world, &then);
    return 0;
}

/* Compares entry `a` with entry `b`; the replica is at `b` then. Returns how many changes there
 * are; follow_counts counts them by type, follow_changes lists the first ones of one type, or of
 * entities (0); -1: one cannot be reached. */
EXPORT(follow_diff) double follow_diff(uint32_t a, uint32_t b, uint32_t component)
{
    sett_snapshot from = {0, 0};
    view.changes = view.changes_all = 0;
    view.values.size = view.counts.size = 0;
    view.listed = component;
    if (view.change == NULL) {
        view.change = malloc(FOLLOW_CHANGES * sizeof(*view.change));
    }
    if (view.change == NULL || follow_seek(a, 1e9) != 1) {
        return -1;
    }
    uint8_t world = f.world_number;
    if (sett_snapshot_take(f.world, &from) != SETT_OK) {
        return follow_fail(sett_world_message(f.world));
    }
    sett_world* of = f.world;
    double count = -1;
    if (follow_seek(b, 1e9) == 1) {
        if (f.world_number != world) {
            (void)follow_fail("the two frames are of different streams: a gap is between them");
        } else if (follow_compare_all(from) == 0) {
            count = view.changes_all;
        }
    }
    (void)sett_snapshot_drop(of, from);
    return count;
}

/* What differs, by type: component (0: entities), changed, added, removed, all u32. Returns how
 * many bytes. */
EXPORT(follow_counts) size_t follow_counts(void)
{
    view.out.size = 0;
    return follow_add(&view.out, view.counts.data, view.counts.size) ? view.out.size : 0;
}

/* The values of types that the library writes, in words: text in Name, the parent in Hierarchy. */
static void follow_own_value(setti_json_out* to, const setti_type* type, const void* value)
{
    switch (setti_delta_form_of(type)) {
    case SETTI_DELTA_TREE: {
        uint32_t parent = ((const sett_hierarchy*)value)->parent;
        setti_json_add_text(to, "{\"parent\":");
        if (parent == 0) {
            setti_json_add_text(to, "null");
        } else {
            setti_json_add_reference(to, f.world, sett_entity_at(f.world, parent - 1));
        }
        setti_json_add_text(to, "}");
        break;
    }
    case SETTI_DELTA_LINK:
        setti_json_add_text(to, "{\"target\":");
        setti_json_add_reference(to, f.world, ((const sett_link*)value)->target);
        if (setti_relation_of_links(type)->data_size != 0) {
            setti_json_add_text(to, ",\"data\":");
            setti_json_add_value(to, f.world, setti_relation_of_links(type)->data_type,
                                 (const unsigned char*)value +
                                     setti_relation_of_links(type)->layout.data);
        }
        setti_json_add_text(to, "}");
        break;
    case SETTI_DELTA_LINKS:
        follow_say(to, "{\"targets\":%u}", (unsigned)((const sett_links*)value)->count);
        break;
    default:
        setti_json_add_text(to, "{}");
        break;
    }
}

static void follow_side(setti_json_out* to, const setti_type* type, uint32_t offset)
{
    setti_json_add_text(to, ",");
    if (offset == SETTI_NONE) {
        setti_json_add_text(to, "null");
    } else if (type->desc.size == 0) {
        setti_json_add_text(to, "true");
    } else if (setti_delta_form_of(type) == SETTI_DELTA_OWNED) {
        setti_json_add_text(to, (const char*)view.values.data + offset);
    } else if (setti_delta_form_of(type) != SETTI_DELTA_VALUES) {
        follow_own_value(to, type, view.values.data + offset);
    } else {
        setti_json_add_value(to, f.world, type, view.values.data + offset);
    }
}

/* Changes as JSON: [component or 0, "#was" or null, "#is" or null, name, before, after]. */
EXPORT(follow_changes) size_t follow_changes(uint32_t from, uint32_t count)
{
    setti_json_out to;
    follow_begin(&to);
    setti_json_add_text(&to, "[");
    for (uint32_t k = from; k < view.changes && k - from < count; k++) {
        const follow_change* change = &view.change[k];
        const sett_entity side[2] = {change->was, change->is};
        follow_say(&to, "%s[%u", k != from ? "," : "", (unsigned)change->component);
        for (uint32_t s = 0; s < 2; s++) {
            if (sett_is_null(side[s])) {
                setti_json_add_text(&to, ",null");
            } else {
                follow_say(&to, ",\"#%u:%u\"", (unsigned)side[s].index,
                           (unsigned)side[s].generation);
            }
        }
        sett_entity shown = sett_is_null(change->is) ? change->was : change->is;
        const char* name = sett_name_get(f.world, shown);
        sett_component ids[24];
        uint32_t used = name == NULL && !sett_is_null(change->is)
                            ? sett_entity_components(f.world, shown, ids, 24)
                            : 0;
        const char* hint = follow_hint(shown, ids, SETTI_MIN(used, 24));
        setti_json_add_text(&to, name == NULL && hint == NULL ? ",null" : ",");
        if (name != NULL || hint != NULL) {
            follow_quote(&to, name != NULL ? name : hint);
        }
        if (change->component != 0) {
            const setti_type* type = setti_world_type(f.world, change->component);
            follow_side(&to, type, change->before);
            follow_side(&to, type, change->after);
        }
        setti_json_add_text(&to, "]");
    }
    setti_json_add_text(&to, "]");
    return follow_end(&to);
}

/* -------------------------------------------------------------------------------------- storage */

/* How full the pages of a type are, a byte a page (255: full). Returns how many pages. */
EXPORT(follow_pages) size_t follow_pages(uint32_t component)
{
    const setti_type* type = f.world != NULL ? setti_world_type(f.world, component) : NULL;
    view.out.size = 0;
    if (type == NULL) {
        return 0;
    }
    const setti_storage* storage = &type->storage;
    uint32_t rows = setti_storage_rows(storage);
    if (storage->kind == SETTI_SPARSE) {
        for (uint32_t at = 0; at < storage->count; at += rows) {
            unsigned char full = (unsigned char)(SETTI_MIN(storage->count - at, rows) * 255 / rows);
            (void)follow_add(&view.out, &full, 1);
        }
        return view.out.size;
    }
    uint32_t capacity = setti_entity_capacity(&f.world->entities);
    for (uint32_t first = 0; first < capacity; first += rows) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < rows; k++) {
            count += setti_storage_find(storage, first + k) != NULL;
        }
        unsigned char full = (unsigned char)((count * 255 + rows - 1) / rows);
        (void)follow_add(&view.out, &full, 1);
    }
    return view.out.size;
}

/* The plan of the query that filters the tree. */
EXPORT(follow_plan) size_t follow_plan(void)
{
    view.out.size = 0;
    if (view.search == NULL) {
        return 0;
    }
    size_t size = sett_search_explain(view.search, NULL, 0);
    if (!follow_room(&view.out, size + 1)) {
        return 0;
    }
    view.out.size = sett_search_explain(view.search, view.out.data, size + 1);
    return view.out.size;
}

/* The first element of a member, as a number; NaN: it is none. */
static double follow_number_of(const sett_member_ref* ref, const unsigned char* value)
{
    double scale = ref->member->scale != 0 ? ref->member->scale : 1;
    value += ref->offset;
    switch (ref->kind) {
    case SETT_MEMBER_F32: {
        float number;
        memcpy(&number, value, sizeof(number));
        return (double)number;
    }
    case SETT_MEMBER_F64: {
        double number;
        memcpy(&number, value, sizeof(number));
        return number;
    }
    case SETT_MEMBER_I8:
    case SETT_MEMBER_I16:
    case SETT_MEMBER_I32:
    case SETT_MEMBER_I64: {
        uint64_t bits = follow_number(value, ref->size);
        uint32_t shift = 64 - 8 * ref->size;
        return (double)((int64_t)(bits << shift) >> shift) * scale;
    }
    case SETT_MEMBER_BOOL:
    case SETT_MEMBER_U8:
    case SETT_MEMBER_U16:
    case SETT_MEMBER_U32:
    case SETT_MEMBER_U64:
        return (double)follow_number(value, ref->size) * scale;
    default:
        return NAN;
    }
}

/* A number in a value of an entity, for charts: the first element of the member whose path is in
 * the input. NaN: there is none. */
EXPORT(follow_member) double follow_member(uint32_t index, uint32_t component, size_t size)
{
    sett_member_ref ref;
    f.input.data[size] = '\0';
    sett_entity entity = f.world != NULL ? sett_entity_at(f.world, index) : sett_null();
    if (sett_is_null(entity) || !sett_member_find(f.world, component, f.input.data, &ref)) {
        return NAN;
    }
    const unsigned char* value = sett_find(f.world, entity, component);
    return value != NULL ? follow_number_of(&ref, value) : NAN;
}

/* A member by its whole name, "Component.member". */
typedef struct follow_channel {
    sett_component component; /* 0: there is none */
    sett_member_ref ref;
} follow_channel;

static void follow_channel_find(follow_channel* to, const char* name)
{
    char type[256];
    const char* dot = strchr(name, '.');
    size_t size = dot != NULL ? (size_t)(dot - name) : 0;
    to->component = 0;
    if (size != 0 && size < sizeof(type)) {
        memcpy(type, name, size);
        type[size] = '\0';
        to->component = sett_component_find(f.world, type);
        if (to->component != 0 && !sett_member_find(f.world, to->component, dot + 1, &to->ref)) {
            to->component = 0;
        }
    }
}

static double follow_channel_read(const follow_channel* from, sett_entity entity)
{
    const unsigned char* value =
        from->component != 0 ? sett_find(f.world, entity, from->component) : NULL;
    return value != NULL ? follow_number_of(&from->ref, value) : NAN;
}

#define FOLLOW_CHANNELS 4 /* x, y, radius, colour */

static bool follow_point(const follow_channel* channel, uint32_t index)
{
    sett_entity entity = sett_entity_at(f.world, index);
    double row[2 + FOLLOW_CHANNELS] = {entity.index, entity.generation};
    for (uint32_t k = 0; k < FOLLOW_CHANNELS; k++) {
        row[2 + k] = follow_channel_read(&channel[k], entity);
    }
    return isnan(row[2]) || isnan(row[3]) || follow_add(&view.out, row, sizeof(row));
}

/* What a scene draws of the frame that is shown: the results of a query, each with index,
 * generation, x, y, radius, colour (f64; NaN: it does not have it). In the input: the query and the
 * names of the four members, with zeroes between. Returns bytes, at follow_text_at; -1: the query
 * is wrong (follow_why). */
EXPORT(follow_points) double follow_points(size_t size)
{
    const char* part[1 + FOLLOW_CHANNELS];
    follow_channel channel[FOLLOW_CHANNELS];
    view.out.size = 0;
    f.input.data[size] = '\0';
    part[0] = f.input.data;
    for (uint32_t k = 1; k <= FOLLOW_CHANNELS; k++) {
        const char* end = part[k - 1] + strlen(part[k - 1]);
        part[k] = end < f.input.data + size ? end + 1 : end;
    }
    if (f.world == NULL) {
        return 0;
    }
    for (uint32_t k = 0; k < FOLLOW_CHANNELS; k++) {
        follow_channel_find(&channel[k], part[k + 1]);
    }
    sett_search* search = sett_search_create(f.world, part[0]);
    if (search == NULL) {
        return follow_fail(sett_world_message(f.world));
    }
    uint32_t variable = sett_search_variable(search, "this");
    bool was_cut = view.cut;
    view.cut = false;
    view.until = follow_clock() + FOLLOW_QUERY;
    (void)sett_search_limit(search, follow_is_late, NULL);
    bool room = variable != UINT32_MAX;
    SETT_SEARCH(search, rows, i)
    {
        uint32_t index = room ? rows->index[variable][i] : UINT32_MAX;
        room = room && (index == UINT32_MAX || follow_point(channel, index));
    }
    view.cut = was_cut;
    (void)sett_search_destroy(search);
    return (double)view.out.size;
}
