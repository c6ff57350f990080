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
    const char* at;
    uint32_t nested;
} parse;

/* Stores the first error. Returns false. */
SETTI_PRINTF(4, 5)
static bool parse_fail(parse* p, const char* at, sett_status status, const char* format, ...)
{
    SETTI_ASSERT(at >= p->text);
    setti_parsed* out = p->out;
    if (out->error_column == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(out->error, sizeof(out->error), format, arguments);
        va_end(arguments);
        out->error_column = (uint32_t)(at - p->text) + 1;
        out->status = status;
    }
    return false;
}

#define PARSE_REJECT(p, at, ...) parse_fail(p, at, SETT_STATUS_ARGUMENT, __VA_ARGS__)

static void parse_skip(parse* p)
{
    for (;;) {
        while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') {
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

/* The next word or character, for messages. */
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
    bool is_ascii = end - p->at > 1 || (*p->at > ' ' && *p->at < 127);
    snprintf(out, 32, is_ascii ? "\"%.*s\"" : "a character that is not ASCII",
             (int)SETTI_MIN(end - p->at, 24), p->at);
    return out;
}

/* Fails because `what` is missing before the next word. */
static bool parse_missing(parse* p, const char* what, const char* where)
{
    char out[32];
    const char* found = parse_found(p, out);
    return PARSE_REJECT(p, p->at, "%s is missing%s: found %s", what, where, found);
}

/* Skips `token` if it is next. Returns whether it was. */
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

static bool parse_expect(parse* p, const char* token, const char* where)
{
    char found[32];
    return parse_accept(p, token) || PARSE_REJECT(p, p->at, "\"%s\" is missing %s: found %s", token,
                                                  where, parse_found(p, found));
}

/* Copies a text behind setti_parsed. */
static const char* parse_keep(parse* p, const char* from, size_t length)
{
    SETTI_ASSERT(sizeof(*p->out) + p->out->text_size + length < p->out->size);
    char* kept = (char*)(p->out + 1) + p->out->text_size;
    memcpy(kept, from, length);
    kept[length] = '\0';
    p->out->text_size += length + 1;
    return kept;
}

/* Copies a quoted text behind setti_parsed, without backslashes. Returns NULL after an error. */
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

/* Skips the first colon of the :: in a C++ name. Returns whether it did. */
static bool parse_scope(parse* p)
{
    bool is_scope = p->at[0] == ':' && p->at[1] == ':' && setti_search_is_letter(p->at[2]);
    p->at += is_scope ? 1 : 0;
    return is_scope;
}

/* Reads a quoted text or a name. A name may also begin with `first`, and continue with `more`. */
SETTI_COLD static const char* parse_text(parse* p, const char* what, const char* first,
                                         const char* more)
{
    parse_skip(p);
    if (*p->at == '"') {
        return parse_quoted(p);
    }
    const char* start = p->at;
    if (setti_search_is_letter(*p->at) || (*p->at != '\0' && strchr(first, *p->at) != NULL)) {
        while (setti_search_is_word(*p->at) || parse_scope(p) ||
               (*p->at != '\0' && strchr(more, *p->at) != NULL)) {
            p->at++;
        }
        return parse_keep(p, start, (size_t)(p->at - start));
    }
    parse_missing(p, what, "");
    return NULL;
}

static const char* parse_name(parse* p, const char* what)
{
    return parse_text(p, what, "", "");
}

/* Skips `word` if it is the next word. Returns whether it was. */
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

static bool parse_number(parse* p, uint32_t* number)
{
    const char* start = p->at;
    uint64_t value = 0;
    while (setti_search_is_digit(*p->at) && value <= UINT32_MAX) {
        value = value * 10 + (uint64_t)(*p->at++ - '0');
    }
    *number = (uint32_t)value;
    return (p->at != start && value <= UINT32_MAX) ||
           PARSE_REJECT(p, start, "a number from 0 to 4294967295 is missing - write one");
}

/* The library's components. The first use in a text registers the component. */
static const struct {
    const char* name;
    sett_component (*get)(sett_world* world);
} parse_library[] = {
    {"Prefab", sett_prefab_tag},           {"Disabled", sett_disabled_tag},
    {"InstanceOf", sett_instance_of},      {"Name", sett_name_register},
    {"ChildOf", setti_hierarchy_register}, {"Hierarchy", setti_hierarchy_register}};

/* Finds the component `name`, which begins at `start`. `name` is NULL after an error. */
SETTI_COLD static bool parse_component(parse* p, const char* start, const char* name,
                                       sett_component* out)
{
    sett_world* world = p->out->world;
    if (name == NULL) {
        return false;
    }
    *out = sett_component_find(world, name);
    setti_guess guess = setti_guess_begin(name, strlen(name));
    for (uint32_t k = 0; *out == 0 && k < sizeof(parse_library) / sizeof(parse_library[0]); k++) {
        setti_guess_try(&guess, parse_library[k].name);
        if (strcmp(name, parse_library[k].name) == 0) {
            *out = parse_library[k].get(world); /* reports a failure */
            return *out != 0 || parse_fail(p, start, world->error, "%s", "");
        }
    }
    if (*out != 0) {
        return true;
    }
    setti_component_guess(world, &guess);
    return parse_fail(p, start, SETT_STATUS_UNREGISTERED,
                      "component \"%.100s\" is not registered in this world%s", name,
                      guess.found != NULL ? setti_guess_text(&guess)
                                          : " - correct the name, or register the component first");
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
        return parse_number(p, &entity->generation) &&
               (!sett_is_null(*entity) ||
                PARSE_REJECT(p, start, "#0:0 is the null handle - name an entity"));
    }
    *entity = sett_entity_at(p->out->world, entity->index); /* #7: the living entity */
    return !sett_is_null(*entity) ||
           parse_fail(p, start, SETT_STATUS_STALE, "no entity has index %.*s - name another entity",
                      (int)(p->at - start - 1), start + 1);
}

/* Returns a hint for a wrong path: the path of an entity with the same name. */
static const char* parse_meant(const parse* p, const char* path, char out[128])
{
    const char* slash = strrchr(path, '/');
    const char* name = slash != NULL ? slash + 1 : path;
    uint32_t cursor = 0;
    sett_entity entity = *name != '\0' ? sett_name_next(p->out->world, name, &cursor) : sett_null();
    char full[96];
    if (sett_is_null(entity) ||
        sett_name_path(p->out->world, entity, full, sizeof(full)) >= sizeof(full)) {
        return " - correct the name or path";
    }
    snprintf(out, 128, " - did you mean \"%s\"?", full);
    return out;
}

/* Whether the "#3" at `at` begins a path, as in "#3/door". */
static bool parse_is_path(const char* at)
{
    at++;
    while (setti_search_is_digit(*at)) {
        at++;
    }
    return at[0] == '/' && at[1] != '/'; /* two slashes are a comment */
}

/* Reads a path, such as /Harbour/Crane-1. */
static bool parse_path(parse* p, const char* what, const char* start, sett_search_ref* ref)
{
    const char* path = parse_text(p, what, "/#", "/-#");
    if (path == NULL) {
        return false;
    }
    const char* end = p->at;
    bool has_steps = *end != '\0' && strchr("+*?", *end) != NULL;
    p->at += has_steps ? 1 : 0; /* looks ahead, as in "Likes+(" */
    if (parse_accept(p, "(")) { /* the path was another term's component */
        return PARSE_REJECT(p, start,
                            "\")\" is missing before \"%.100s\", which begins another term", path);
    }
    p->at = end;
    ref->entity = setti_name_lookup(p->out->world, sett_null(), path);
    char meant[128];
    return !sett_is_null(ref->entity) || PARSE_REJECT(p, start, "no entity is called \"%.100s\"%s",
                                                      path, parse_meant(p, path, meant));
}

/* Reads $name, *, _, #7:2 or a path. */
SETTI_COLD static bool parse_ref(parse* p, const char* what, sett_search_ref* ref)
{
    parse_skip(p);
    const char* start = p->at;
    if (*p->at == '$') {
        p->at++;
        ref->variable = setti_search_is_letter(*p->at) ? parse_name(p, what) : NULL;
        return ref->variable != NULL ||
               PARSE_REJECT(p, start, "the name of a variable is missing after \"$\"");
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

static sett_search_term* parse_add(parse* p, const char* at, sett_search_kind kind)
{
    setti_parsed* out = p->out;
    if (out->term_count == SETT_SEARCH_TERMS) {
        parse_fail(p, at, SETT_STATUS_LIMIT,
                   "the query has more than %d terms (a list in braces counts as two) - use fewer",
                   SETT_SEARCH_TERMS);
        return NULL;
    }
    out->column[out->term_count] = (uint32_t)(at - p->text) + 1;
    sett_search_term* term = &out->term[out->term_count++];
    memset(term, 0, sizeof(*term));
    term->kind = kind;
    return term;
}

static bool parse_along(parse* p, sett_component* along)
{
    parse_skip(p);
    const char* start = p->at;
    return parse_component(p, start, parse_name(p, "a relationship"), along);
}

/* Reads a walk if one is next. Returns false after an error. */
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
        return term->along != 0 || parse_fail(p, p->at, p->out->world->error, "%s", "");
    }
    bool self = parse_word(p, "self");
    if (self && !parse_expect(p, "|", "after \"self\" (as in \"self|up\")")) {
        return false;
    }
    if (!parse_word(p, "up")) { /* else there is no walk, or an incomplete one */
        return !self || parse_missing(p, "\"up\"", " after \"self|\"");
    }
    term->walk = self ? SETT_WALK_SELF_UP : SETT_WALK_UP;
    parse_skip(p);
    bool names_relationship = setti_search_is_letter(*p->at) || *p->at == '"';
    return !names_relationship || parse_along(p, &term->along);
}

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
        return term->walk != SETT_WALK_NONE ||
               parse_missing(p, "parent, up, self|up, target or prefab", " after \"|\"");
    }
    return true;
}

static void parse_steps(parse* p, sett_search_term* term)
{
    static const char marks[] = "+*?"; /* in the order of sett_search_steps */
    const char* mark = *p->at != '\0' ? strchr(marks, *p->at) : NULL;
    if (mark != NULL) {
        term->steps = (sett_search_steps)(mark - marks + 1);
        p->at++;
    }
}

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

/* Reads "*" as any relationship, if `after` follows. */
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
    while (setti_search_is_word(*p->at) || *p->at == '.' || *p->at == '[' || *p->at == ']') {
        p->at++;
    }
    operand->kind = SETT_OPERAND_MEMBER;
    operand->text = parse_keep(p, start, (size_t)(p->at - start));
    return p->at != start || PARSE_REJECT(p, start, "a member is missing after \".\"");
}

/* Reads `name` or `Component.member`, after a dot. */
static bool parse_property(parse* p, sett_search_operand* operand)
{
    const char* start = p->at;
    const char* name = parse_name(p, "\"name\" or a component");
    if (name != NULL && strcmp(name, "name") == 0 && *p->at != '.') {
        operand->kind = SETT_OPERAND_NAME;
        return true;
    }
    return parse_component(p, start, name, &operand->component) &&
           parse_expect(p, ".", "after a component (as in A.b)") && parse_member(p, operand);
}

/* The end of digits after an optional character of `signs`. */
static const char* parse_digits(const char* at, const char* signs)
{
    if (*at != '\0' && strchr(signs, *at) != NULL) {
        at++;
    }
    while (setti_search_is_digit(*at)) {
        at++;
    }
    return at;
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
    bool has_e = *p->at == 'e' || *p->at == 'E';
    const char* exponent_end = has_e ? parse_digits(p->at + 1, "+-") : p->at;
    if (exponent_end != p->at && setti_search_is_digit(exponent_end[-1])) {
        whole = false;
        p->at = exponent_end;
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
    return length <= SETTI_NUMBER_TEXT ||
           parse_fail(p, start, SETT_STATUS_LIMIT,
                      "a number has more than %d characters - write fewer digits",
                      SETTI_NUMBER_TEXT);
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
    if (operand->text == NULL || *p->at != '.') {
        return operand->text != NULL;
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
    if (setti_search_is_digit(*p->at) || (*p->at == '-' && setti_search_is_digit(p->at[1]))) {
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

/* Whether the last token was "*". */
static bool parse_follows_star(const parse* p)
{
    const char* at = p->at;
    while (at != p->text && (at[-1] == ' ' || at[-1] == '\n' || at[-1] == '\t')) {
        at--;
    }
    return at != p->text && at[-1] == '*';
}

/* Skips the operator of a comparison if it is next. Returns whether it was. */
static bool parse_mark(parse* p, sett_compare* compare)
{
    for (uint32_t k = SETT_COMPARE_NOT_CONTAINS + 1; k-- != 0;) { /* "<=" before "<" */
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
    return parse_missing(p, "a comparison (== != < <= > >= ~= !~)",
                         *p->at == '(' ? " (a variable stands in front: $pile.Pile.amount > 3)"
                                       : "");
}

/* Reads an optional [in], [drive] or [in drive]. */
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
    bool is_value = left->kind == SETT_OPERAND_MEMBER &&
                    sett_member_find(p->out->world, left->component, left->text, &member) &&
                    member.kind != SETT_MEMBER_ENTITY;
    term->kind = SETT_SEARCH_COMPARE;
    return parse_compare(p, &term->compare) &&
           parse_operand(p, &term->right, is_value ? PARSE_CONSTANT : PARSE_ENTITY);
}

/* Fails if an operator of comparisons follows a component. */
static bool parse_uncompared(parse* p, sett_component component, const char* name)
{
    const char* name_end = p->at;
    parse_skip(p);
    const char* at = p->at;
    sett_compare compare; /* not needed */
    if (!parse_mark(p, &compare)) {
        p->at = name_end;
        return true;
    }
    const sett_struct* structure = sett_members_get(p->out->world, component);
    bool known = structure != NULL && structure->count != 0;
    return PARSE_REJECT(p, at, "\"%.60s\" is a component - compare a member%s%.60s%s%.60s", name,
                        known ? ": " : "", known ? name : "", known ? "." : "",
                        known ? structure->members[0].name : "");
}

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
        term->target.variable = "_"; /* "has a parent"; "Hierarchy" only tests the component */
    }
    return true;
}

static bool parse_term(parse* p, sett_search_term* term)
{
    parse_skip(p);
    if (parse_any(p, "(", term)) {
        return parse_arguments(p, term);
    }
    if (*p->at == '$' || *p->at == '.' || *p->at == '#' || *p->at == '*') {
        return parse_operand(p, &term->left, PARSE_ENTITY) && parse_right(p, term);
    }
    bool access_given = false;
    if (!parse_access(p, term, &access_given)) {
        return false;
    }
    return parse_accept(p, "(") ? parse_pair(p, term) : parse_named_term(p, term, access_given);
}

static bool parse_chains(parse* p);

/* Reads the rest of a list in braces. `term` becomes its BEGIN. */
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
    return parse_add(p, p->at - 1, SETT_SEARCH_END) != NULL;
}

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
    return parse_accept(p, "{") ? parse_list(p, start, term) : parse_term(p, term);
}

SETTI_COLD static bool parse_chains(parse* p)
{
    do {
        while (parse_item(p) && parse_accept(p, "||")) {
            p->out->term[p->out->term_count - 1].or_next = true;
        }
    } while (p->out->error_column == 0 && parse_accept(p, ","));
    return p->out->error_column == 0;
}

/* Reads the variable, the relationship or both of a clause: $s, DockedAt or $s.DockedAt. */
static bool parse_of(parse* p, sett_search_ref* of, sett_component* along)
{
    parse_skip(p);
    if (*p->at == '$') {
        if (!parse_ref(p, "a variable", of)) {
            return false;
        }
        if (*p->at != '.') {
            return true;
        }
        p->at++;
    }
    return parse_along(p, along);
}

/* Reads the operand of order_by, and an optional "desc". */
static bool parse_by(parse* p, sett_search_order* order)
{
    parse_skip(p);
    const char* start = p->at;
    const char* end = setti_search_word_end(start);
    bool is_bare_word = end != start && *end != '.'; /* rejected below */
    if (!is_bare_word && !parse_operand(p, &order->by, PARSE_ENTITY)) {
        return false;
    }
    order->reverse = parse_word(p, "desc");
    return order->by.kind == SETT_OPERAND_NAME || order->by.kind == SETT_OPERAND_MEMBER ||
           PARSE_REJECT(p, start,
                        "order_by lacks a member or a name, such as Sprite.layer or $s.name");
}

typedef enum parse_clause {
    PARSE_NO_CLAUSE,
    PARSE_GROUP_BY,
    PARSE_CASCADE,
    PARSE_ORDER_BY
} parse_clause;

static const char* const parse_clauses[] = {"", "group_by", "cascade", "order_by"};

/* Skips the first word of a clause. Returns PARSE_NO_CLAUSE if another word is next. */
static parse_clause parse_clause_word(parse* p)
{
    parse_clause clause = PARSE_ORDER_BY;
    while (clause != PARSE_NO_CLAUSE && !parse_word(p, parse_clauses[clause])) {
        clause--;
    }
    return clause;
}

/* Whether a name or variable follows, not a clause. */
static bool parse_is_named(const parse* p)
{
    parse ahead = *p;
    parse_skip(&ahead);
    return parse_clause_word(&ahead) == PARSE_NO_CLAUSE &&
           (setti_search_is_letter(*ahead.at) || *ahead.at == '"' || *ahead.at == '$');
}

static bool parse_clause_rest(parse* p, parse_clause clause, sett_search_order* order)
{
    switch (clause) {
    case PARSE_GROUP_BY:
        return parse_of(p, &order->group_of, &order->group_by);
    case PARSE_CASCADE:
        order->cascade = true;
        return !parse_is_named(p) || parse_of(p, &order->cascade_of, &order->along);
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
    setti_parsed* out = *parsed = setti_world_alloc(world, size, 16, call);
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
