/* search_print.c: writes a search as text. parse.c reads the text back as the same terms. */
#include "relation/name.h"
#include "search/search.h"
#include "value/number.h"

#include <math.h>

#define PRINT_PATH (SETT_NAME_MAX + 1)

/* Whether a name needs no quotes. Besides the characters of words, the name can have the characters
 * `more`. */
static bool spell_is_plain(const char* name, const char* more)
{
    static const char* const words[] = {"parent",    "up", "self",     "target",  "prefab",
                                        "singleton", "_",  "group_by", "cascade", "order_by"};
    if (name[0] == '\0' || name[0] == '-' || setti_search_is_digit(name[0])) {
        return false;
    }
    for (const char* next = name; *next != '\0'; next++) {
        bool is_comment = next[0] == '/' && next[1] == '/';
        bool is_allowed = setti_search_is_word(*next) || strchr(more, *next) != NULL;
        if (is_comment || !is_allowed) {
            return false;
        }
    }
    for (uint32_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
        if (strcmp(name, words[k]) == 0) {
            return false;
        }
    }
    return true;
}

static void spell_quoted(setti_writer* writer, const char* text)
{
    setti_writer_add(writer, "\"");
    for (; *text != '\0'; text++) {
        bool needs_backslash = *text == '"' || *text == '\\';
        setti_writer_add(writer, needs_backslash ? "\\%c" : "%c", *text);
    }
    setti_writer_add(writer, "\"");
}

/* Writes a name, in quotes if necessary. Besides the characters of words, the characters `more`
 * need no quotes. */
SETTI_COLD static void spell_text(setti_writer* writer, const char* name, const char* more)
{
    if (spell_is_plain(name, more)) {
        setti_writer_add(writer, "%s", name);
    } else {
        spell_quoted(writer, name);
    }
}

/* Writes the path of an entity, or the handle if the path does not lead to the entity. */
static void spell_entity(setti_writer* writer, const sett_search* search, sett_entity entity)
{
    char path[PRINT_PATH];
    size_t length = sett_name_path(search->world, entity, path, sizeof(path));
    bool only_names = path[0] != '#' && strstr(path, "/#") == NULL;
    bool is_whole = length != 0 && length < sizeof(path);
    sett_entity named = sett_null();
    if (only_names && is_whole) {
        named = setti_name_lookup(search->world, sett_null(), path);
    }
    if (!sett_is_null(named) && sett_equals(named, entity)) {
        spell_text(writer, path, "/-");
    } else {
        setti_writer_add(writer, "#%u:%u", SETTI_HANDLE(entity));
    }
}

static void spell_ref(setti_writer* writer, const sett_search* search, const sett_search_ref* ref)
{
    const char* name = ref->variable;
    if (name == NULL && !sett_is_null(ref->entity)) {
        spell_entity(writer, search, ref->entity);
    } else if (name == NULL) {
        setti_writer_add(writer, "$this");
    } else {
        bool any = strcmp(name, "*") == 0 || strcmp(name, "_") == 0;
        setti_writer_add(writer, any ? "%s" : "$%s", name);
    }
}

static bool spell_is_this(const sett_search_ref* ref)
{
    if (ref->variable == NULL) {
        return sett_is_null(ref->entity);
    }
    return strcmp(ref->variable, "this") == 0;
}

/* Writes a walk, such as "parent" or "up Likes". */
static void spell_walk(setti_writer* writer, const sett_search* search,
                       const sett_search_term* term)
{
    SETTI_ASSERT(term->walk != SETT_WALK_NONE);
    bool in_hierarchy = term->along == 0 || term->along == SETT_ID_HIERARCHY;
    if (term->walk == SETT_WALK_SELF_UP && term->along == SETT_ID_INSTANCE_OF) {
        setti_writer_add(writer, "prefab");
        return;
    }
    if (term->walk == SETT_WALK_ONE && in_hierarchy) {
        setti_writer_add(writer, "parent");
        return;
    }
    static const char* const words[] = {"", "target", "up", "self|up"}; /* by sett_walk */
    setti_writer_add(writer, "%s", words[term->walk]);
    if (!in_hierarchy) {
        setti_writer_add(writer, " ");
        spell_text(writer, sett_component_name(search->world, term->along), "");
    }
}

/* Writes the source, the walk and the target of a term, in parentheses. */
static void spell_arguments(setti_writer* writer, const sett_search* search,
                            const sett_search_term* term, bool has_target)
{
    bool is_this = spell_is_this(&term->source) && !term->singleton;
    if (is_this && !has_target && term->walk == SETT_WALK_NONE) {
        return; /* "($this)" is left out */
    }
    setti_writer_add(writer, "(");
    if (term->singleton) {
        setti_writer_add(writer, "singleton");
    } else if (!is_this || has_target) {
        spell_ref(writer, search, &term->source);
    }
    if (term->walk != SETT_WALK_NONE) {
        setti_writer_add(writer, is_this ? "" : "|");
        spell_walk(writer, search, term);
    }
    if (has_target) {
        setti_writer_add(writer, ", ");
        spell_ref(writer, search, &term->target);
    }
    setti_writer_add(writer, ")");
}

/* Writes a number so that parse.c reads the same number. */
static void spell_number(setti_writer* writer, double number)
{
    char text[SETTI_NUMBER_SIZE];
    if (isinf(number)) {
        /* Too large for a double: parse.c reads an infinity. */
        setti_writer_add(writer, "%s", number < 0 ? "-1e999" : "1e999");
        return;
    }
    setti_number_write(SETT_MEMBER_F64, &number, 0, text);
    /* without a point, an exponent, inf or NaN, parse.c would read an integer */
    bool looks_whole = strpbrk(text, ".enN") == NULL;
    setti_writer_add(writer, "%s%s", text, looks_whole ? ".0" : "");
}

SETTI_COLD static void spell_operand(setti_writer* writer, const sett_search* search,
                                     const sett_search_operand* operand)
{
    switch (operand->kind) {
    case SETT_OPERAND_TEXT:
        spell_quoted(writer, operand->text);
        return;
    case SETT_OPERAND_CONSTANT:
        setti_writer_add(writer, "%s", operand->text);
        return;
    case SETT_OPERAND_INTEGER:
        setti_writer_add(writer, "%lld", (long long)operand->integer);
        return;
    case SETT_OPERAND_NUMBER:
        spell_number(writer, operand->number);
        return;
    default:
        break;
    }
    bool constant = operand->of.variable == NULL && !sett_is_null(operand->of.entity);
    bool omits_this = operand->kind != SETT_OPERAND_ENTITY && spell_is_this(&operand->of);
    if (constant) { /* not the name: at the start of a term, parse.c reads a name as a component */
        setti_writer_add(writer, "#%u:%u", SETTI_HANDLE(operand->of.entity));
    } else if (!omits_this) {
        spell_ref(writer, search, &operand->of);
    }
    if (operand->kind == SETT_OPERAND_NAME) {
        setti_writer_add(writer, ".name");
    } else if (operand->kind == SETT_OPERAND_MEMBER) {
        setti_writer_add(writer, omits_this ? "" : ".");
        spell_text(writer, sett_component_name(search->world, operand->component), "");
        setti_writer_add(writer, ".%s", operand->text);
    }
}

/* Writes the access of a term in brackets, unless it is the usual one. Also writes "drive". */
static void spell_access(setti_writer* writer, const sett_search_term* term)
{
    sett_access usual = setti_search_is_elsewhere(term) ? SETT_IN : SETT_INOUT;
    bool has_access = term->access != usual;
    if (!has_access && !term->drives) {
        return;
    }
    setti_writer_add(writer, "[");
    if (has_access) {
        setti_writer_add(writer, "%s", setti_search_access(term->access));
    }
    if (has_access && term->drives) {
        setti_writer_add(writer, " ");
    }
    if (term->drives) {
        setti_writer_add(writer, "drive");
    }
    setti_writer_add(writer, "] ");
}

SETTI_COLD void setti_search_print_term(const sett_search* search, uint32_t number,
                                        setti_writer* writer)
{
    SETTI_ASSERT(number < search->term_count);
    static const char* const steps[] = {"", "+", "*", "?"};
    const sett_search_term* term = &search->term[number];
    if (term->kind == SETT_SEARCH_COMPARE) {
        spell_operand(writer, search, &term->left);
        setti_writer_add(writer, " %s ", setti_search_mark(term->compare));
        spell_operand(writer, search, &term->right);
        return;
    }
    spell_access(writer, term);
    bool has_target = term->target.variable != NULL || !sett_is_null(term->target.entity);
    const char* name = sett_component_name(search->world, term->component);
    if (has_target && term->component == SETT_ID_HIERARCHY) {
        name = "ChildOf";
    }
    spell_text(writer, name, "");
    setti_writer_add(writer, "%s", steps[term->steps]);
    spell_arguments(writer, search, term, has_target);
}

/* Writes the variable and relationship of a clause: $x, Likes or $x.Likes. */
SETTI_COLD static void spell_of(setti_writer* writer, const sett_search* search,
                                const sett_search_ref* ref, sett_component relationship)
{
    bool is_this = spell_is_this(ref);
    /* A variable alone is written even if it is "$this". */
    bool only_variable = relationship == 0 && ref->variable != NULL;
    if (!is_this || only_variable) {
        setti_writer_add(writer, " ");
        spell_ref(writer, search, ref);
    }
    if (relationship != 0) {
        setti_writer_add(writer, is_this ? " " : ".");
        spell_text(writer, sett_component_name(search->world, relationship), "");
    }
}

static void spell_order(setti_writer* writer, const sett_search* search)
{
    const sett_search_order* order = &search->ordering;
    if (search->rank_of[SETTI_RANK_GROUP] != SETTI_NO_REF) {
        setti_writer_add(writer, " group_by");
        spell_of(writer, search, &order->group_of, order->group_by);
    }
    if (order->cascade) {
        setti_writer_add(writer, " cascade");
        spell_of(writer, search, &order->cascade_of, order->along);
    }
    if (search->rank_of[SETTI_RANK_VALUE] != SETTI_NO_REF) {
        setti_writer_add(writer, " order_by ");
        spell_operand(writer, search, &order->by);
        setti_writer_add(writer, "%s", order->reverse ? " desc" : "");
    }
}

SETTI_COLD size_t sett_search_print(const sett_search* search, char* out, size_t size)
{
    setti_writer writer = setti_writer_begin(out, size);
    const char* between = "";
    if (search == NULL) {
        return writer.length;
    }
    for (uint32_t k = 0; k < search->term_count; k++) {
        const sett_search_term* term = &search->term[k];
        if (term->kind != SETT_SEARCH_END) {
            setti_writer_add(&writer, "%s", between);
            setti_writer_add(&writer, "%s", term->negated ? "!" : "");
            setti_writer_add(&writer, "%s", term->optional ? "?" : "");
        }
        between = term->or_next ? " || " : ", ";
        if (term->kind == SETT_SEARCH_BEGIN) {
            setti_writer_add(&writer, "{");
            between = "";
        } else if (term->kind == SETT_SEARCH_END) {
            setti_writer_add(&writer, "}");
        } else {
            setti_search_print_term(search, k, &writer);
        }
    }
    spell_order(&writer, search);
    return writer.length;
}
