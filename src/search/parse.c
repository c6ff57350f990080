/* parse.c: the text of a search becomes a list of terms.
 *
 *     query  = list { clause }
 *     list   = chain { "," chain }
 *     chain  = item { "||" item }
 *     item   = [ "!" | "?" ] ( "{" list "}" | [ access ] term )
 *     term   = name [ steps ] [ "(" source [ "," ref ] ")" ] | "(" name [ steps ] "," ref ")"
 *            | operand compare operand
 *     operand = ref | [ ref ] ".name" | [ ref "." ] name "." member | number | text | constant
 *     source = ( ref | "singleton" ) [ "|" walk ] | walk
 *     walk   = "parent" | [ "self" "|" ] "up" [ name ] | "target" name | "prefab"
 *     clause = "group_by" ( [ "$" name "." ] name | "$" name )
 *            | "cascade" [ [ "$" name "." ] name | "$" name ] | "order_by" operand [ "desc" ]
 *     ref    = "$" name | "*" | "_" | path | "#" index [ ":" generation ]
 *     path   = [ "/" ] part { "/" part };  part = name | "#" index
 *
 * The first error ends the parsing, and is reported with a column. Texts come from consoles and
 * editors: no text may crash the parser (test/fuzz_search.c).
 *
 * Invariant:  every BEGIN has its END;  or_next is never set at the last term of a list
 */
#include "relation/name.h"
#include "search/search.h"
#include "sett/prefab.h"
#include "value/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define PARSE_NESTED 16 /* largest depth of nested lists */

typedef struct parse {
    setti_parsed* out;
    const char* text;
    const char* at; /* the next character to read */
    uint32_t nested;
} parse;

/* Stores the first error, which is at `place` in the text. Returns false. */
SETTI_PRINTF(4, 5)
static bool parse_fail(parse* p, const char* place, sett_status status, const char* format, ...)
{
    SETTI_ASSERT(place >= p->text);
    setti_parsed* out = p->out;
    if (out->error_column == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(out->error, sizeof(out->error), format, arguments);
        va_end(arguments);
        out->error_column = (uint32_t)(place - p->text) + 1;
        out->status = status;
    }
    return false;
}

#define PARSE_REJECT(p, at, ...) parse_fail(p, at, SETT_STATUS_ARGUMENT, __VA_ARGS__)

static bool parse_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Skips blanks and comments. */
static void parse_skip(parse* p)
{
    for (;;) {
        while (parse_is_blank(*p->at)) {
            p->at++;
        }
        if (p->at[0] != '/' || p->at[1] != '/') {
            return;
        }
        while (*p->at != '\0' && *p->at != '\n') {
            p->at++;
        }
    }
}

/* Returns the next word or character as messages show it. `out` is room for the text. */
static const char* parse_found(parse* p, char out[32])
{
    parse_skip(p);
    if (*p->at == '\0') {
        return "the end";
    }
    const char* end = setti_search_word_end(p->at);
    if (end == p->at) {
        end++; /* not a word: a single character */
    }
    bool is_visible = *p->at > ' ' && *p->at < 127; /* also true for words */
    if (!is_visible) {
        return "a character that is not ASCII";
    }
    snprintf(out, 32, "\"%.*s\"", (int)SETTI_MIN(end - p->at, 24), p->at); /* cuts a long word */
    return out;
}

/* Reports that `what` is missing before the next word. `where` names the place. Returns false. */
static bool parse_missing(parse* p, const char* what, const char* where)
{
    char out[32];
    const char* found = parse_found(p, out);
    return PARSE_REJECT(p, p->at, "%s is missing%s: found %s", what, where, found);
}

/* Skips `token` if it is next. Returns whether `token` was next. */
static bool parse_accept(parse* p, const char* token)
{
    parse_skip(p);
    size_t length = strlen(token);
    if (strncmp(p->at, token, length) != 0) {
        return false;
    }
    p->at += length;
    return true;
}

/* Skips `token`. If `token` is not next, reports that it is missing at the place `where`. */
static bool parse_expect(parse* p, const char* token, const char* where)
{
    if (parse_accept(p, token)) {
        return true;
    }
    char out[32];
    const char* found = parse_found(p, out);
    return PARSE_REJECT(p, p->at, "\"%s\" is missing %s: found %s", token, where, found);
}

/* Copies a text to the memory behind *p->out. Returns the copy. */
static const char* parse_keep(parse* p, const char* text, size_t length)
{
    SETTI_ASSERT(sizeof(*p->out) + p->out->text_size + length < p->out->size);
    char* kept = (char*)(p->out + 1) + p->out->text_size;
    memcpy(kept, text, length);
    kept[length] = '\0';
    p->out->text_size += length + 1;
    return kept;
}

/* Copies a quoted text to the memory behind *p->out, without its backslashes. Returns the copy.
 * Returns NULL after an error. */
static const char* parse_quoted(parse* p)
{
    SETTI_ASSERT(*p->at == '"');
    const char* start = p->at++;
    char* kept = (char*)(p->out + 1) + p->out->text_size;
    size_t length = 0;
    while (*p->at != '"' && *p->at != '\0') {
        if (p->at[0] == '\\' && (p->at[1] == '"' || p->at[1] == '\\')) {
            p->at++; /* skips the first backslash */
        }
        kept[length++] = *p->at++;
    }
    if (*p->at == '\0') {
        PARSE_REJECT(p, start, "this text has no closing quote - add it");
        return NULL;
    }
    p->at++;
    kept[length] = '\0';
    SETTI_ASSERT(sizeof(*p->out) + p->out->text_size + length < p->out->size);
    p->out->text_size += length + 1;
    return kept;
}

static bool parse_is_one_of(char c, const char* characters)
{
    return c != '\0' && strchr(characters, c) != NULL;
}

/* The end of the name at `next`. Besides letters, digits and _, the name can contain the characters
 * `more`, and the :: of C++. */
static const char* parse_name_end(const char* next, const char* more)
{
    for (;;) {
        bool is_scope = next[0] == ':' && next[1] == ':' && setti_search_is_letter(next[2]);
        if (is_scope) {
            next += 2;
        } else if (setti_search_is_word(*next) || parse_is_one_of(*next, more)) {
            next++;
        } else {
            return next;
        }
    }
}

/* Reads a quoted text or a name. A name can also begin with one of the characters `first`, and
 * contain the characters `more`. If neither is next, reports that `what` is missing. Returns NULL
 * after an error. */
SETTI_COLD static const char* parse_text(parse* p, const char* what, const char* first,
                                         const char* more)
{
    parse_skip(p);
    if (*p->at == '"') {
        return parse_quoted(p);
    }
    const char* start = p->at;
    if (setti_search_is_letter(*start) || parse_is_one_of(*start, first)) {
        p->at = parse_name_end(start, more);
        return parse_keep(p, start, (size_t)(p->at - start));
    }
    parse_missing(p, what, "");
    return NULL;
}

static const char* parse_name(parse* p, const char* what)
{
    return parse_text(p, what, "", "");
}

/* Skips `word` if it is the next word. Returns whether `word` was next. */
static bool parse_word(parse* p, const char* word)
{
    parse_skip(p);
    size_t length = strlen(word);
    if (strncmp(p->at, word, length) != 0) {
        return false;
    }
    char next = p->at[length];
    if (setti_search_is_word(next) || next == '/' || next == '-') {
        return false; /* a longer word */
    }
    p->at += length;
    return true;
}

/* Reads a whole number of at most 32 bits. */
static bool parse_number(parse* p, uint32_t* number)
{
    const char* start = p->at;
    uint64_t value = 0;
    while (setti_search_is_digit(*p->at) && value <= UINT32_MAX) {
        value = value * 10 + (uint64_t)(*p->at++ - '0');
    }
    *number = (uint32_t)value;
    if (p->at == start || value > UINT32_MAX) {
        return PARSE_REJECT(p, start, "a number from 0 to 4294967295 is missing - write one");
    }
    return true;
}

/* The library's components. The first use in a text registers the component. */
static const struct {
    const char* name;
    sett_component (*get)(sett_world* world);
} parse_library[] = {
    {"Prefab", sett_prefab_tag},           {"Disabled", sett_disabled_tag},
    {"InstanceOf", sett_instance_of},      {"Name", sett_name_register},
    {"ChildOf", setti_hierarchy_register}, {"Hierarchy", setti_hierarchy_register}};

/* Returns the library's component with the name `name`. Returns 0 if the library has none, or after
 * an error, which was reported already. *in_list becomes whether the library has it. `guess` gets
 * the names in the list. */
static sett_component parse_library_component(sett_world* world, const char* name,
                                              setti_guess* guess, bool* in_list)
{
    *in_list = false;
    for (uint32_t k = 0; k < sizeof(parse_library) / sizeof(parse_library[0]); k++) {
        setti_guess_try(guess, parse_library[k].name);
        if (strcmp(name, parse_library[k].name) == 0) {
            *in_list = true;
            return parse_library[k].get(world);
        }
    }
    return 0;
}

/* Finds the component `name`, which stands at `start` in the text. Returns false after an error, or
 * if `name` is NULL: the name could not be read, and that error is stored already. */
SETTI_COLD static bool parse_component(parse* p, const char* start, const char* name,
                                       sett_component* out)
{
    sett_world* world = p->out->world;
    if (name == NULL) {
        return false;
    }
    *out = sett_component_find(world, name);
    if (*out != 0) {
        return true;
    }
    bool in_list;
    setti_guess guess = setti_guess_begin(name, strlen(name));
    *out = parse_library_component(world, name, &guess, &in_list);
    if (*out != 0) {
        return true;
    }
    if (in_list) {
        return parse_fail(p, start, world->error, "%s", ""); /* reported already */
    }
    setti_component_guess(world, &guess);
    const char* remedy = " - correct the name, or register the component first";
    if (guess.found != NULL) {
        remedy = setti_guess_text(&guess);
    }
    return parse_fail(p, start, SETT_STATUS_UNREGISTERED,
                      "component \"%.100s\" is not registered in this world%s", name, remedy);
}

/* Reads a handle, such as #7:2 or #7. */
static bool parse_handle(parse* p, sett_entity* entity)
{
    SETTI_ASSERT(*p->at == '#');
    const char* start = p->at++;
    if (!parse_number(p, &entity->index)) {
        return false;
    }
    if (*p->at == ':') {
        p->at++;
        if (!parse_number(p, &entity->generation)) {
            return false;
        }
        if (sett_is_null(*entity)) {
            return PARSE_REJECT(p, start, "#0:0 is the null handle - name an entity");
        }
        return true;
    }
    *entity = sett_entity_at(p->out->world, entity->index); /* #7: the living entity */
    if (sett_is_null(*entity)) {
        return parse_fail(p, start, SETT_STATUS_STALE,
                          "no entity has index %.*s - name another entity",
                          (int)(p->at - start - 1), start + 1);
    }
    return true;
}

/* Returns a hint for a wrong path: the path of an entity with the same name. `out` is room for the
 * hint. */
static const char* parse_meant(const parse* p, const char* path, char out[128])
{
    const char* slash = strrchr(path, '/');
    const char* name = path;
    if (slash != NULL) {
        name = slash + 1;
    }
    uint32_t cursor = 0;
    sett_entity entity = sett_null();
    if (*name != '\0') {
        entity = sett_name_next(p->out->world, name, &cursor);
    }
    size_t length = 0;
    char full[96];
    if (!sett_is_null(entity)) {
        length = sett_name_path(p->out->world, entity, full, sizeof(full));
    }
    if (sett_is_null(entity) || length >= sizeof(full)) {
        return " - correct the name or path";
    }
    snprintf(out, 128, " - did you mean \"%s\"?", full);
    return out;
}

/* Whether the "#3" at `next` begins a path, as in "#3/door". */
static bool parse_is_path(const char* next)
{
    next++; /* the # */
    while (setti_search_is_digit(*next)) {
        next++;
    }
    return next[0] == '/' && next[1] != '/'; /* two slashes are a comment */
}

/* Reads the path of an entity, such as /Harbour/Crane-1. */
static bool parse_path(parse* p, const char* what, const char* start, sett_search_ref* ref)
{
    const char* path = parse_text(p, what, "/#", "/-#");
    if (path == NULL) {
        return false;
    }
    const char* end = p->at;
    if (parse_is_one_of(*end, "+*?")) {
        p->at++; /* looks ahead, as in "Likes+(" */
    }
    if (parse_accept(p, "(")) { /* the path was the component of the next term */
        return PARSE_REJECT(p, start,
                            "\")\" is missing before \"%.100s\", which begins another term", path);
    }
    p->at = end; /* back behind the path */
    ref->entity = setti_name_lookup(p->out->world, sett_null(), path);
    if (sett_is_null(ref->entity)) {
        char out[128];
        const char* meant = parse_meant(p, path, out);
        return PARSE_REJECT(p, start, "no entity is called \"%.100s\"%s", path, meant);
    }
    return true;
}

/* Reads $name, *, _, #7:2 or a path. */
SETTI_COLD static bool parse_ref(parse* p, const char* what, sett_search_ref* ref)
{
    parse_skip(p);
    const char* start = p->at;
    if (*p->at == '$') {
        p->at++;
        if (!setti_search_is_letter(*p->at)) {
            return PARSE_REJECT(p, start, "the name of a variable is missing after \"$\"");
        }
        ref->variable = parse_name(p, what);
        return true;
    }
    if (parse_accept(p, "*") || parse_word(p, "_")) {
        ref->variable = *start == '*' ? "*" : "_";
        return true;
    }
    if (*p->at == '#' && !parse_is_path(p->at)) {
        return parse_handle(p, &ref->entity);
    }
    return parse_path(p, what, start, ref);
}

/* Appends a term, which begins at `place` in the text. Returns NULL after an error. */
static sett_search_term* parse_add(parse* p, const char* place, sett_search_kind kind)
{
    setti_parsed* out = p->out;
    if (out->term_count == SETT_SEARCH_TERMS) {
        parse_fail(p, place, SETT_STATUS_LIMIT,
                   "the query has more than %d terms (a list in braces counts as two) - use fewer",
                   SETT_SEARCH_TERMS);
        return NULL;
    }
    out->column[out->term_count] = (uint32_t)(place - p->text) + 1;
    sett_search_term* term = &out->term[out->term_count++];
    memset(term, 0, sizeof(*term));
    term->kind = kind;
    return term;
}

/* Reads the name of a relationship. */
static bool parse_along(parse* p, sett_component* relationship)
{
    parse_skip(p);
    const char* start = p->at;
    return parse_component(p, start, parse_name(p, "a relationship"), relationship);
}

/* Reads a walk, if a walk is next. Returns false after an error. */
SETTI_COLD static bool parse_walk(parse* p, sett_search_term* term)
{
    if (parse_word(p, "parent")) {
        term->walk = SETT_WALK_ONE;
        return true;
    }
    if (parse_word(p, "target")) {
        term->walk = SETT_WALK_ONE;
        return parse_along(p, &term->along);
    }
    if (parse_word(p, "prefab")) {
        term->walk = SETT_WALK_SELF_UP;
        term->along = sett_instance_of(p->out->world);
        if (term->along == 0) {
            return parse_fail(p, p->at, p->out->world->error, "%s", ""); /* reported already */
        }
        return true;
    }
    bool self = parse_word(p, "self");
    if (self && !parse_expect(p, "|", "after \"self\" (as in \"self|up\")")) {
        return false;
    }
    if (!parse_word(p, "up")) {
        if (self) {
            return parse_missing(p, "\"up\"", " after \"self|\"");
        }
        return true; /* no walk is next */
    }
    term->walk = self ? SETT_WALK_SELF_UP : SETT_WALK_UP;
    parse_skip(p);
    bool names_relationship = setti_search_is_letter(*p->at) || *p->at == '"';
    if (names_relationship) {
        return parse_along(p, &term->along);
    }
    return true;
}

/* Reads a source, a walk or both. */
static bool parse_source(parse* p, sett_search_term* term)
{
    if (!parse_walk(p, term)) {
        return false;
    }
    if (term->walk != SETT_WALK_NONE) { /* a walk from $this */
        return true;
    }
    term->singleton = parse_word(p, "singleton");
    if (!term->singleton && !parse_ref(p, "an entity or a variable", &term->source)) {
        return false;
    }
    parse_skip(p);
    if (p->at[0] == '|' && p->at[1] != '|') {
        p->at++;
        if (!parse_walk(p, term)) {
            return false;
        }
        if (term->walk == SETT_WALK_NONE) {
            return parse_missing(p, "parent, up, self|up, target or prefab", " after \"|\"");
        }
    }
    return true;
}

/* Reads the mark of several steps, if a mark is next. */
static void parse_steps(parse* p, sett_search_term* term)
{
    static const char marks[] = "+*?"; /* in the order of sett_search_steps */
    if (parse_is_one_of(*p->at, marks)) {
        /* + 1: SETT_STEPS_ONE has no mark */
        term->steps = (sett_search_steps)(strchr(marks, *p->at) - marks + 1);
        p->at++;
    }
}

/* Reads the steps, the source and the target of a term. Each can be left out. */
SETTI_COLD static bool parse_arguments(parse* p, sett_search_term* term)
{
    parse_steps(p, term);
    if (!parse_accept(p, "(")) {
        return true;
    }
    if (!parse_source(p, term)) {
        return false;
    }
    if (parse_accept(p, ",")) {
        return parse_ref(p, "a target", &term->target) && parse_expect(p, ")", "after the target");
    }
    return parse_expect(p, ")", "after the source");
}

/* Reads "*" as any relationship, if `after` follows. Returns whether "*" and `after` were next. */
static bool parse_any(parse* p, const char* after, sett_search_term* term)
{
    parse ahead = *p;
    if (!parse_accept(&ahead, "*") || !parse_accept(&ahead, after)) {
        return false;
    }
    parse_accept(p, "*");
    term->component = SETT_ANY_RELATIONSHIP;
    return true;
}

/* Reads the rest of a term such as (Likes, $b). */
static bool parse_pair(parse* p, sett_search_term* term)
{
    if (!parse_any(p, ",", term) && !parse_along(p, &term->component)) {
        return false;
    }
    parse_steps(p, term);
    return parse_expect(p, ",", "after the relationship") &&
           parse_ref(p, "a target", &term->target) && parse_expect(p, ")", "after the target");
}

/* Reads the path of a member, such as at[1].x. */
SETTI_COLD static bool parse_member(parse* p, sett_search_operand* operand)
{
    const char* start = p->at;
    while (setti_search_is_word(*p->at) || parse_is_one_of(*p->at, ".[]")) {
        p->at++;
    }
    operand->kind = SETT_OPERAND_MEMBER;
    operand->text = parse_keep(p, start, (size_t)(p->at - start));
    if (p->at == start) {
        return PARSE_REJECT(p, start, "a member is missing after \".\"");
    }
    return true;
}

/* Reads `name` or `Component.member`, after a dot. */
static bool parse_property(parse* p, sett_search_operand* operand)
{
    const char* start = p->at;
    const char* name = parse_name(p, "\"name\" or a component");
    bool is_name = name != NULL && strcmp(name, "name") == 0;
    if (is_name && *p->at != '.') { /* not a component called "name" */
        operand->kind = SETT_OPERAND_NAME;
        return true;
    }
    return parse_component(p, start, name, &operand->component) &&
           parse_expect(p, ".", "after a component (as in A.b)") && parse_member(p, operand);
}

/* The end of the digits at `next`. One of the characters `signs` can stand before the digits. */
static const char* parse_digits(const char* next, const char* signs)
{
    if (parse_is_one_of(*next, signs)) {
        next++;
    }
    while (setti_search_is_digit(*next)) {
        next++;
    }
    return next;
}

/* Reads a number. Fractions, exponents and integers too large for 64 bits become doubles. */
static bool parse_value(parse* p, sett_search_operand* operand)
{
    const char* start = p->at;
    p->at = parse_digits(start, "-");
    bool whole = *p->at != '.';
    if (!whole) {
        p->at = parse_digits(p->at + 1, "");
    }
    if (*p->at == 'e' || *p->at == 'E') {
        const char* end = parse_digits(p->at + 1, "+-");
        if (setti_search_is_digit(end[-1])) { /* else "e" begins the next word */
            whole = false;
            p->at = end;
        }
    }
    size_t length = (size_t)(p->at - start);
    operand->kind = SETT_OPERAND_INTEGER;
    if (whole && setti_number_read(SETT_MEMBER_I64, start, length, 0, &operand->integer) == NULL) {
        return true;
    }
    operand->kind = SETT_OPERAND_NUMBER;
    if (setti_number_read(SETT_MEMBER_F64, start, length, 0, &operand->number) != NULL) {
        /* too large for a double */
        operand->number = *start == '-' ? -(double)INFINITY : (double)INFINITY;
    }
    if (length > SETTI_NUMBER_TEXT) {
        return parse_fail(p, start, SETT_STATUS_LIMIT,
                          "a number has more than %d characters - write fewer digits",
                          SETTI_NUMBER_TEXT);
    }
    return true;
}

/* The meaning of a bare word in a comparison. */
typedef enum parse_word_meaning {
    PARSE_ENTITY,
    PARSE_CONSTANT
} parse_word_meaning;

/* Reads a quoted text, or a member of a component with a quoted name. */
static bool parse_quoted_operand(parse* p, sett_search_operand* operand)
{
    const char* start = p->at;
    operand->kind = SETT_OPERAND_TEXT;
    operand->text = parse_quoted(p);
    if (operand->text == NULL) {
        return false;
    }
    if (*p->at != '.') { /* a text */
        return true;
    }
    return parse_component(p, start, operand->text, &operand->component) && /* "a.b".x */
           parse_expect(p, ".", "after a component (as in A.b)") && parse_member(p, operand);
}

/* Reads a side of a comparison. A bare word has the meaning `meaning`. */
SETTI_COLD static bool parse_operand(parse* p, sett_search_operand* operand,
                                     parse_word_meaning meaning)
{
    parse_skip(p);
    if (*p->at == '"') {
        return parse_quoted_operand(p, operand);
    }
    const char* digit = *p->at == '-' ? p->at + 1 : p->at; /* behind a minus, if there is one */
    if (setti_search_is_digit(*digit)) {
        return parse_value(p, operand);
    }
    const char* end = setti_search_word_end(p->at);
    if (setti_search_is_letter(*p->at) && *end == '.') { /* a member of $this */
        return parse_property(p, operand);
    }
    if (meaning == PARSE_CONSTANT && setti_search_is_letter(*p->at)) {
        operand->kind = SETT_OPERAND_CONSTANT;
        operand->text = parse_name(p, "a constant");
        return true;
    }
    bool is_of_this = *p->at == '.'; /* ".name" or ".Component.member" */
    if (!is_of_this && !parse_ref(p, "a value", &operand->of)) {
        return false;
    }
    if (*p->at != '.') { /* an entity or variable */
        return true;
    }
    p->at++;
    return parse_property(p, operand);
}

/* Whether the last token that was read is "*". */
static bool parse_follows_star(const parse* p)
{
    const char* end = p->at;
    while (end != p->text && parse_is_blank(end[-1])) {
        end--;
    }
    return end != p->text && end[-1] == '*';
}

/* Reads the operator of a comparison, if an operator is next. Returns whether one was next. */
static bool parse_mark(parse* p, sett_compare* compare)
{
    for (uint32_t k = SETT_COMPARE_NOT_CONTAINS + 1; k-- != 0;) { /* "<=" comes before "<" */
        if (parse_accept(p, setti_search_mark((sett_compare)k))) {
            *compare = (sett_compare)k;
            return true;
        }
    }
    return false;
}

static bool parse_compare(parse* p, sett_compare* compare)
{
    if (parse_mark(p, compare)) {
        return true;
    }
    if (parse_follows_star(p)) {
        return PARSE_REJECT(p, p->at, "\"*\" cannot stand for a component - name the component");
    }
    const char* hint = "";
    bool has_argument = *p->at == '(';
    if (has_argument) {
        hint = " (a variable stands in front: $pile.Pile.amount > 3)";
    }
    return parse_missing(p, "a comparison (== != < <= > >= ~= !~)", hint);
}

/* Reads an access such as [in], [drive] or [in drive], if one is next. Sets *given if the access
 * names in, out, inout or none. */
static bool parse_access(parse* p, sett_search_term* term, bool* given)
{
    if (!parse_accept(p, "[")) {
        return true;
    }
    for (uint32_t k = 0; k <= SETT_NONE; k++) {
        if (parse_word(p, setti_search_access((sett_access)k))) {
            *given = true;
            term->access = (sett_access)k;
            break;
        }
    }
    term->drives = parse_word(p, "drive");
    if (*given || term->drives) {
        return parse_expect(p, "]", "after the access");
    }
    return PARSE_REJECT(p, p->at, "in, out, inout, none or drive is missing after \"[\"");
}

/* Reads the operator and the right side of a comparison. */
SETTI_COLD static bool parse_right(parse* p, sett_search_term* term)
{
    const sett_search_operand* left = &term->left;
    sett_member_ref member;
    parse_word_meaning meaning = PARSE_ENTITY;
    if (left->kind == SETT_OPERAND_MEMBER &&
        sett_member_find(p->out->world, left->component, left->text, &member) &&
        member.kind != SETT_MEMBER_ENTITY) {
        meaning = PARSE_CONSTANT;
    }
    term->kind = SETT_SEARCH_COMPARE;
    return parse_compare(p, &term->compare) && parse_operand(p, &term->right, meaning);
}

/* Reports an error if the operator of a comparison follows a component. Otherwise returns true. */
static bool parse_uncompared(parse* p, sett_component component, const char* name)
{
    const char* name_end = p->at;
    parse_skip(p);
    const char* mark = p->at;
    sett_compare compare; /* not needed */
    if (!parse_mark(p, &compare)) {
        p->at = name_end;
        return true;
    }
    char example[128] = ""; /* the first member, if the members are known */
    const sett_struct* structure = sett_members_get(p->out->world, component);
    if (structure != NULL && structure->count != 0) {
        snprintf(example, sizeof(example), ": %.60s.%.60s", name, structure->members[0].name);
    }
    return PARSE_REJECT(p, mark, "\"%.60s\" is a component - compare a member%s", name, example);
}

/* Reads a term that begins with the name of a component: a test of the component, a link, or a
 * comparison. */
static bool parse_named_term(parse* p, sett_search_term* term, bool access_given)
{
    parse_skip(p);
    const char* start = p->at;
    const char* name = parse_name(p, "a term");
    if (!parse_component(p, start, name, &term->component)) {
        return false;
    }
    if (*p->at == '.') {
        p->at++;
        term->left.component = term->component;
        term->component = 0;
        return parse_member(p, &term->left) && parse_right(p, term);
    }
    if (!parse_uncompared(p, term->component, name) || !parse_arguments(p, term)) {
        return false;
    }
    if (!access_given && setti_search_is_elsewhere(term)) {
        term->access = SETT_IN;
    }
    bool has_target = term->target.variable != NULL || !sett_is_null(term->target.entity);
    if (strcmp(name, "ChildOf") == 0 && !has_target) {
        /* ChildOf alone means "has a parent". Hierarchy only tests the component. */
        term->target.variable = "_";
    }
    return true;
}

static bool parse_term(parse* p, sett_search_term* term)
{
    parse_skip(p);
    if (parse_any(p, "(", term)) {
        return parse_arguments(p, term);
    }
    if (parse_is_one_of(*p->at, "$.#*")) { /* a comparison */
        return parse_operand(p, &term->left, PARSE_ENTITY) && parse_right(p, term);
    }
    bool access_given = false;
    if (!parse_access(p, term, &access_given)) {
        return false;
    }
    if (parse_accept(p, "(")) {
        return parse_pair(p, term);
    }
    return parse_named_term(p, term, access_given);
}

static bool parse_chains(parse* p);

/* Reads the rest of a list in braces. `term` becomes the BEGIN of the list. */
static bool parse_list(parse* p, const char* start, sett_search_term* term)
{
    term->kind = SETT_SEARCH_BEGIN;
    if (++p->nested > PARSE_NESTED) {
        return parse_fail(p, start, SETT_STATUS_LIMIT,
                          "lists are nested more than %d levels deep - nest fewer", PARSE_NESTED);
    }
    if (!parse_chains(p) || !parse_expect(p, "}", "after a list")) {
        return false;
    }
    p->nested--;
    return parse_add(p, p->at - 1 /* the brace */, SETT_SEARCH_END) != NULL;
}

/* Reads a term or a list, with `!` or `?` in front. */
static bool parse_item(parse* p)
{
    parse_skip(p);
    const char* start = p->at;
    sett_search_term* term = parse_add(p, start, SETT_SEARCH_TERM);
    if (term == NULL) {
        return false;
    }
    term->negated = parse_accept(p, "!");
    term->optional = !term->negated && parse_accept(p, "?");
    if (parse_accept(p, "{")) {
        return parse_list(p, start, term);
    }
    return parse_term(p, term);
}

SETTI_COLD static bool parse_chains(parse* p)
{
    do {
        while (parse_item(p) && parse_accept(p, "||")) {
            p->out->term[p->out->term_count - 1].or_next = true; /* a term, or a list's END */
        }
    } while (p->out->error_column == 0 && parse_accept(p, ","));
    return p->out->error_column == 0;
}

/* Reads what a clause is about: a variable ($s), a relationship (DockedAt) or both
 * ($s.DockedAt). */
static bool parse_of(parse* p, sett_search_ref* variable, sett_component* relationship)
{
    parse_skip(p);
    if (*p->at == '$') {
        if (!parse_ref(p, "a variable", variable)) {
            return false;
        }
        if (*p->at != '.') {
            return true;
        }
        p->at++;
    }
    return parse_along(p, relationship);
}

/* Reads the operand of order_by, and an optional "desc". */
static bool parse_by(parse* p, sett_search_order* order)
{
    parse_skip(p);
    const char* start = p->at;
    const char* end = setti_search_word_end(start);
    bool is_bare_word = end != start && *end != '.'; /* not read, and rejected below */
    if (!is_bare_word && !parse_operand(p, &order->by, PARSE_ENTITY)) {
        return false;
    }
    order->reverse = parse_word(p, "desc");
    if (order->by.kind != SETT_OPERAND_NAME && order->by.kind != SETT_OPERAND_MEMBER) {
        return PARSE_REJECT(p, start,
                            "order_by lacks a member or a name, such as Sprite.layer or $s.name");
    }
    return true;
}

typedef enum parse_clause {
    PARSE_NO_CLAUSE,
    PARSE_GROUP_BY,
    PARSE_CASCADE,
    PARSE_ORDER_BY
} parse_clause;

static const char* const parse_clauses[] = {"", "group_by", "cascade", "order_by"};

/* Skips the first word of a clause. Returns the clause, or PARSE_NO_CLAUSE if no clause is next. */
static parse_clause parse_clause_word(parse* p)
{
    parse_clause clause = PARSE_ORDER_BY;
    while (clause != PARSE_NO_CLAUSE && !parse_word(p, parse_clauses[clause])) {
        clause--;
    }
    return clause;
}

/* Whether a name or a variable is next, and not a clause. */
static bool parse_is_named(const parse* p)
{
    parse ahead = *p;
    parse_skip(&ahead);
    if (parse_clause_word(&ahead) != PARSE_NO_CLAUSE) {
        return false;
    }
    return setti_search_is_letter(*ahead.at) || *ahead.at == '"' || *ahead.at == '$';
}

/* Reads what follows the first word of a clause. */
static bool parse_clause_rest(parse* p, parse_clause clause, sett_search_order* order)
{
    switch (clause) {
    case PARSE_GROUP_BY:
        return parse_of(p, &order->group_of, &order->group_by);
    case PARSE_CASCADE:
        order->cascade = true;
        if (parse_is_named(p)) {
            return parse_of(p, &order->cascade_of, &order->along);
        }
        return true;
    default: /* PARSE_ORDER_BY */
        SETTI_ASSERT(clause == PARSE_ORDER_BY);
        return parse_by(p, order);
    }
}

/* Reads the clauses after the terms, in any order. */
static bool parse_order(parse* p)
{
    bool seen[PARSE_ORDER_BY + 1] = {false};
    for (;;) {
        parse_skip(p);
        const char* start = p->at;
        parse_clause clause = parse_clause_word(p);
        if (clause == PARSE_NO_CLAUSE) {
            return true;
        }
        if (p->out->column[SETTI_AT_ORDER] == 0) { /* the first clause */
            p->out->column[SETTI_AT_ORDER] = (uint32_t)(start - p->text) + 1;
        }
        if (seen[clause]) {
            return PARSE_REJECT(p, start, "%s occurs twice - leave out one", parse_clauses[clause]);
        }
        seen[clause] = true;
        if (!parse_clause_rest(p, clause, &p->out->order)) {
            return false;
        }
    }
}

SETTI_COLD sett_status setti_search_fail(sett_world* world, sett_status status, const char* call,
                                         const char* text, uint32_t column, const char* wrong)
{
    setti_text_place place = setti_text_place_of(text, SETTI_MAX(column, 1) - 1);
    char line[24] = "";
    if (place.line > 1) {
        snprintf(line, sizeof(line), "line %u, ", place.line);
    }
    return setti_world_fail_input(world, status, "%s: %scolumn %u: %.400s", call, line,
                                  place.column, wrong);
}

SETTI_COLD sett_status setti_search_parse(sett_world* world, const char* text, const char* call,
                                          setti_parsed** parsed)
{
    /* A text of n bytes is stored in n + 1 bytes, at most 2 * n. */
    size_t size = sizeof(**parsed) + 2 * strlen(text) + 2;
    setti_parsed* out = setti_world_alloc(world, size, 16, call);
    *parsed = out;
    if (out == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    out->world = world;
    out->size = size;
    parse p = {out, text, text, 0};
    if (parse_chains(&p) && parse_order(&p)) { /* parse_order skips blanks */
        if (*p.at == '\0') {
            return SETT_OK;
        }
        parse_missing(&p, "\",\" or \"||\"", " after a term");
    }
    sett_status status = out->status;
    if (out->error[0] != '\0') { /* else the error was reported */
        setti_search_fail(world, status, call, text, out->error_column, out->error);
    }
    setti_parsed_free(out);
    *parsed = NULL;
    return status;
}

void setti_parsed_free(setti_parsed* parsed)
{
    setti_pool_free(&parsed->world->pool, parsed, parsed->size, 16);
}
