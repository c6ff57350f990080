/* explorer.c: what the open-source flecs explorer asks of a program, answered as it expects.
 *
 * Its tree asks with one fixed expression, which is matched as text and not parsed: what follows it
 * says which level. Other expressions are queries as sett/search.h has them. An entity's number is
 * its index and, above bit 32, its generation; names are separated by dots.
 */
#include "inspector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPLORER_PATH 1100
#define EXPLORER_LIMIT 1000 /* results at most */
#define EXPLORER_VALUE 4096 /* bytes of a value as JSON */

typedef struct explorer {
    sett_inspector* inspector;
    sett_world* world;
    server_request* request;
    inspector_text* out;
    inspector_limit limit;
} explorer;

static void explorer_fail(explorer* of, int status, const char* why)
{
    setti_out_clear(of->out);
    setti_out_add(of->out, "{", 1);
    setti_out_key(of->out, "error");
    setti_out_quote(of->out, why);
    setti_out_add(of->out, "}", 1);
    of->request->status = status;
}

static int explorer_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* A member of the query behind `?`, decoded. False if it is not there or too long. */
static bool explorer_option(const explorer* of, const char* key, char* out, size_t size)
{
    size_t length = strlen(key);
    const char* at = of->request->query;
    while (at != NULL && (strncmp(at, key, length) != 0 || at[length] != '=')) {
        at = strchr(at, '&');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL) {
        return false;
    }
    size_t k = 0;
    for (at += length + 1; *at != '\0' && *at != '&' && k + 1 < size; at++) {
        char c = *at == '+' ? ' ' : *at;
        if (c == '%' && explorer_digit(at[1]) >= 0 && explorer_digit(at[2]) >= 0) {
            c = (char)(explorer_digit(at[1]) * 16 + explorer_digit(at[2]));
            at += 2;
        }
        out[k++] = c;
    }
    out[k] = '\0';
    return k + 1 < size && strlen(out) == k;
}

/* ---------------------------------------------------------------------------------------- names */

/* A path with dots, or "#number". */
static sett_entity explorer_find(const sett_world* world, const char* path)
{
    char name[EXPLORER_PATH];
    size_t k = 0;
    if (path[0] == '#') {
        char* end = NULL;
        sett_entity entity = sett_entity_from_u64(strtoull(path + 1, &end, 10));
        entity = entity.generation == 0 ? sett_entity_at(world, entity.index) : entity;
        return *end == '\0' && sett_entity_valid(world, entity) ? entity : sett_null();
    }
    for (; *path != '\0' && k + 1 < sizeof(name); path++) {
        bool escaped = *path == '\\' && path[1] != '\0';
        path += escaped;
        name[k++] = !escaped && *path == '.' ? '/' : *path;
    }
    name[k] = '\0';
    return *path == '\0' ? sett_name_lookup(world, sett_null(), name) : sett_null();
}

/* "a.b", with '\' before dots in names; of an entity without a name "#number". */
static void explorer_path(const sett_world* world, sett_entity entity, char* out, size_t size)
{
    char path[EXPLORER_PATH];
    size_t k = 0;
    bool named = true;
    for (sett_entity at = entity; !sett_is_null(at); at = sett_hierarchy_parent(world, at)) {
        named = named && sett_name_get(world, at) != NULL;
    }
    if (!named || sett_name_path(world, entity, path, sizeof(path)) >= sizeof(path)) {
        (void)snprintf(out, size, "#%llu", (unsigned long long)sett_entity_to_u64(entity));
        return;
    }
    for (const char* at = path; *at != '\0' && k + 2 < size; at++) {
        if (*at == '.') {
            out[k++] = '\\';
        }
        out[k++] = *at == '/' ? '.' : *at;
    }
    out[k] = '\0';
}

/* "name", "parent" and "id". */
static void explorer_put_name(explorer* of, sett_entity entity)
{
    char path[EXPLORER_PATH];
    const char* name = sett_name_get(of->world, entity);
    sett_entity parent = sett_hierarchy_parent(of->world, entity);
    setti_out_key(of->out, "name");
    if (name == NULL) {
        (void)snprintf(path, sizeof(path), "#%llu", (unsigned long long)sett_entity_to_u64(entity));
        name = path;
    }
    setti_out_quote(of->out, name);
    if (!sett_is_null(parent)) {
        explorer_path(of->world, parent, path, sizeof(path));
        setti_out_key(of->out, "parent");
        setti_out_quote(of->out, path);
    }
    setti_out_key(of->out, "id");
    setti_out_format(of->out, "%llu", (unsigned long long)sett_entity_to_u64(entity));
}

/* -------------------------------------------------------------------------------------- schemas */

static const char* explorer_kind(sett_member_kind kind)
{
    switch (kind) {
    case SETT_MEMBER_BOOL:
        return "bool";
    case SETT_MEMBER_F32:
    case SETT_MEMBER_F64:
        return "float";
    case SETT_MEMBER_TEXT:
    case SETT_MEMBER_STRING:
        return "text";
    case SETT_MEMBER_ENTITY:
        return "entity";
    case SETT_MEMBER_U8:
        return "byte";
    default:
        return "int";
    }
}

static void explorer_put_struct(explorer* of, const sett_struct* members, uint32_t depth);

static void explorer_put_member(explorer* of, const sett_member* member, uint32_t depth)
{
    sett_member_kind kind = member->element != SETT_MEMBER_UNKNOWN ? member->element : member->kind;
    bool array = member->count > 1 && kind != SETT_MEMBER_TEXT && kind != SETT_MEMBER_OPAQUE;
    bool list = member->kind == SETT_MEMBER_LIST;
    if (array) {
        setti_out_add(of->out, "[\"array\",", 9);
    } else if (list) {
        setti_out_add(of->out, "[\"vector\",", 10);
    }
    if (member->of != NULL && depth != 0) {
        explorer_put_struct(of, member->of, depth - 1);
    } else {
        setti_out_add(of->out, "[", 1);
        setti_out_quote(of->out, member->constants == NULL ? explorer_kind(kind)
                                 : member->bits            ? "bitmask"
                                                           : "enum");
        for (const sett_constant* at = member->constants; at != NULL && at->name != NULL; at++) {
            setti_out_add(of->out, ",", 1);
            setti_out_quote(of->out, at->name);
        }
        if (member->constants == NULL && member->unit != NULL) {
            setti_out_add(of->out, ",{", 2);
            setti_out_key(of->out, "unit");
            setti_out_quote(of->out, member->unit);
            setti_out_key(of->out, "symbol");
            setti_out_quote(of->out, member->unit);
            setti_out_add(of->out, "}", 1);
        }
        setti_out_add(of->out, "]", 1);
    }
    if (array) {
        setti_out_format(of->out, ",%u]", (unsigned)member->count);
    } else if (list) {
        setti_out_add(of->out, "]", 1);
    }
}

static void explorer_put_struct(explorer* of, const sett_struct* members, uint32_t depth)
{
    setti_out_add(of->out, "{", 1);
    for (uint32_t k = 0; members != NULL && k < members->count; k++) {
        setti_out_key(of->out, members->members[k].name);
        explorer_put_member(of, &members->members[k], depth);
    }
    setti_out_add(of->out, "}", 1);
}

static void explorer_put_schema(explorer* of, sett_component component)
{
    explorer_put_struct(of, sett_members_get(of->world, component), SETT_MEMBERS_DEPTH);
}

static bool explorer_is_tag(const explorer* of, sett_component component)
{
    sett_component_desc desc;
    return sett_component_describe(of->world, component, &desc) != SETT_OK || desc.size == 0;
}

static void explorer_put_value(explorer* of, sett_entity entity, sett_component component)
{
    char value[EXPLORER_VALUE];
    size_t size = sett_json_format_value(of->world, entity, component, value, sizeof(value));
    if (size == 0 || size >= sizeof(value) || sett_members_get(of->world, component) == NULL) {
        setti_out_add(of->out, "null", 4);
    } else {
        setti_out_add(of->out, value, size);
    }
}

/* ------------------------------------------------------------------------------------- entities */

static void explorer_get_world(explorer* of)
{
    sett_stats stats;
    sett_world_stats(of->world, &stats);
    setti_out_format(
        of->out,
        "{\"id\":1,\"name\":\"World\",\"parent\":\"flecs.core\",\"tags\":[],\"pairs\":{},"
        "\"components\":{\"(flecs.doc.Description,flecs.core.Name)\":{\"value\":%s},"
        "\"flecs.stats.WorldSummary\":{\"fps\":%llu,\"target_fps\":%llu,"
        "\"frame_time_frame\":0,\"uptime\":0,\"entity_count\":%u,\"table_count\":%u,"
        "\"systems_ran_frame\":0,\"observers_ran_frame\":0,\"queries_ran_frame\":0,"
        "\"command_count\":0,\"command_count_frame\":0,\"build_info\":{\"version\":\"%d\","
        "\"compiler\":\"\",\"debug\":false,\"sanitize\":false,\"perf_trace\":false,"
        "\"addons\":[],\"flags\":[]}}}}",
        of->inspector->title.at, (unsigned long long)of->inspector->past.rate,
        (unsigned long long)of->inspector->past.rate, (unsigned)stats.entities,
        (unsigned)stats.signatures, sett_version());
}

static bool explorer_is_world(const char* path)
{
    return strcmp(path, "flecs/core/World") == 0 || strcmp(path, "flecs.core.World") == 0;
}

static void explorer_get_entity(explorer* of, const char* path)
{
    sett_component ids[256];
    if (explorer_is_world(path)) {
        explorer_get_world(of);
        return;
    }
    sett_entity entity = explorer_find(of->world, path);
    if (sett_is_null(entity)) {
        explorer_fail(of, 404, "entity not found");
        return;
    }
    uint32_t count = sett_entity_components(of->world, entity, ids, 256);
    count = count < 256 ? count : 256;
    setti_out_add(of->out, "{", 1);
    explorer_put_name(of, entity);
    for (uint32_t pass = 0; pass < 3; pass++) {
        static const char* const keys[] = {"tags", "components", "type_info"};
        setti_out_key(of->out, keys[pass]);
        setti_out_add(of->out, pass == 0 ? "[" : "{", 1);
        for (uint32_t k = 0; k < count; k++) {
            const char* name = sett_component_name(of->world, ids[k]);
            bool own = ids[k] >= SETT_ID_HIERARCHY && ids[k] < SETT_ID_RESERVED_END;
            if (own || explorer_is_tag(of, ids[k]) != (pass == 0)) {
                continue;
            }
            if (pass == 0) {
                setti_out_comma(of->out);
                setti_out_quote(of->out, name);
                continue;
            }
            setti_out_key(of->out, name);
            if (pass == 1) {
                explorer_put_value(of, entity, ids[k]);
            } else {
                explorer_put_schema(of, ids[k]);
            }
        }
        setti_out_add(of->out, pass == 0 ? "]" : "}", 1);
    }
    setti_out_add(of->out, ",\"pairs\":{},\"inherited\":{}}", 27);
}

/* ---------------------------------------------------------------------------------------- trees */

static void explorer_put_item(explorer* of, sett_entity entity)
{
    bool prefab = sett_has(of->world, entity, SETT_ID_PREFAB);
    bool disabled = sett_has(of->world, entity, SETT_ID_DISABLED);
    bool parent = !sett_is_null(sett_hierarchy_first(of->world, entity));
    setti_out_comma(of->out);
    setti_out_add(of->out, "{", 1);
    explorer_put_name(of, entity);
    setti_out_format(
        of->out, ",\"fields\":{\"is_set\":[false,false,false,false,false,false,%s,%s,%s,false]}}",
        prefab ? "true" : "false", disabled ? "true" : "false", parent ? "true" : "false");
}

/* The next entity, as long as there is time. */
static sett_entity explorer_next(explorer* of, uint32_t* cursor)
{
    return setti_inspector_is_late(&of->limit) ? sett_null() : sett_entity_next(of->world, cursor);
}

static void explorer_get_children(explorer* of, sett_entity parent)
{
    uint32_t count = 0;
    uint32_t cursor = 0;
    sett_entity at;
    if (!sett_is_null(parent)) {
        for (at = sett_hierarchy_first(of->world, parent);
             !sett_is_null(at) && count < EXPLORER_LIMIT && !setti_inspector_is_late(&of->limit);
             count++) {
            explorer_put_item(of, at);
            at = sett_hierarchy_next(of->world, at);
        }
        return;
    }
    while (at = explorer_next(of, &cursor), !sett_is_null(at) && count < EXPLORER_LIMIT) {
        if (sett_is_null(sett_hierarchy_parent(of->world, at))) {
            explorer_put_item(of, at);
            count++;
        }
    }
}

static void explorer_get_named(explorer* of, const char* part)
{
    uint32_t count = 0;
    uint32_t cursor = 0;
    sett_entity at;
    while (at = explorer_next(of, &cursor), !sett_is_null(at) && count < EXPLORER_LIMIT) {
        char number[24];
        const char* name = sett_name_get(of->world, at);
        (void)snprintf(number, sizeof(number), "#%llu", (unsigned long long)sett_entity_to_u64(at));
        if (strstr(name != NULL ? name : number, part) != NULL) {
            explorer_put_item(of, at);
            count++;
        }
    }
}

/* -------------------------------------------------------------------------------------- queries */

/* The values of a result, one for each term of $this that has a component. */
static void explorer_put_row(explorer* of, const sett_search_desc* desc, const sett_rows* rows,
                             uint32_t row)
{
    sett_entity entity = sett_rows_entity(rows, 0, row);
    setti_out_comma(of->out);
    setti_out_add(of->out, "{", 1);
    explorer_put_name(of, entity);
    setti_out_add(of->out, ",\"fields\":{\"values\":[", 21);
    for (uint32_t k = 0; k < desc->term_count; k++) {
        const sett_search_term* term = &desc->terms[k];
        if (term->kind == SETT_SEARCH_TERM && !term->negated) {
            setti_out_comma(of->out);
            if (explorer_is_tag(of, term->component)) {
                setti_out_add(of->out, "{}", 2);
            } else {
                explorer_put_value(of, entity, term->component);
            }
        }
    }
    setti_out_add(of->out, "]}}", 3);
}

static void explorer_put_fields(explorer* of, const sett_search_desc* desc)
{
    setti_out_add(of->out, "],\"query_info\":{\"vars\":[\"this\"],\"terms\":[]},\"field_info\":[",
                  58);
    for (uint32_t k = 0; k < desc->term_count; k++) {
        const sett_search_term* term = &desc->terms[k];
        if (term->kind == SETT_SEARCH_TERM && !term->negated) {
            setti_out_comma(of->out);
            setti_out_add(of->out, "{", 1);
            setti_out_key(of->out, "id");
            setti_out_quote(of->out, sett_component_name(of->world, term->component));
            setti_out_key(of->out, "type");
            setti_out_quote(of->out, sett_component_name(of->world, term->component));
            if (!explorer_is_tag(of, term->component)) {
                setti_out_key(of->out, "schema");
                explorer_put_schema(of, term->component);
            }
            setti_out_add(of->out, "}", 1);
        }
    }
    setti_out_add(of->out, "]", 1);
}

/* `tree`: results as items of the tree, without fields. */
static bool explorer_get_search(explorer* of, const char* expression, bool tree)
{
    sett_search_desc desc;
    uint32_t count = 0;
    sett_search* search = sett_search_create(of->world, expression);
    if (search == NULL) {
        explorer_fail(of, 200, sett_world_message(of->world));
        return false;
    }
    sett_search_describe(search, &desc);
    (void)sett_search_limit(search, setti_inspector_is_late, &of->limit);
    SETT_SEARCH(search, rows, i)
    {
        if (count++ == EXPLORER_LIMIT || rows->variable_count == 0 ||
            setti_inspector_is_late(&of->limit)) {
            break;
        }
        if (tree) {
            explorer_put_item(of, sett_rows_entity(rows, 0, i));
        } else {
            explorer_put_row(of, &desc, rows, i);
        }
    }
    if (!tree) {
        explorer_put_fields(of, &desc);
    }
    (void)sett_search_destroy(search);
    return true;
}

/* What follows the fixed terms of the tree's expression; NULL if it is another one. */
static char* explorer_level(char* expression)
{
    static const char last[] = "|self)";
    char* at = strstr(expression, "?flecs.core.Module") != NULL ? strstr(expression, last) : NULL;
    if (at == NULL) {
        return NULL;
    }
    at += sizeof(last) - 1;
    while (*at == ',' || *at == ' ') {
        at++;
    }
    return at;
}

static bool explorer_get_tree(explorer* of, char* level)
{
    static const char child[] = "(flecs.core.ChildOf,";
    static const char named[] = "$this ~= \"";
    size_t size = strlen(level);
    if (strncmp(level, child, sizeof(child) - 1) == 0 && level[size - 1] == ')') {
        level[size - 1] = '\0';
        level += sizeof(child) - 1;
        level += *level == ' ';
        bool root = strcmp(level, "0") == 0 || strcmp(level, "#0") == 0;
        sett_entity parent = root ? sett_null() : explorer_find(of->world, level);
        if (root || !sett_is_null(parent)) {
            explorer_get_children(of, parent);
        }
    } else if (strncmp(level, named, sizeof(named) - 1) == 0 && level[size - 1] == '"') {
        level[size - 1] = '\0';
        explorer_get_named(of, level + sizeof(named) - 1);
    } else if (level[0] != '\0') {
        return explorer_get_search(of, level, true);
    }
    return true;
}

static void explorer_get_query(explorer* of)
{
    char expression[EXPLORER_VALUE];
    if (!explorer_option(of, "expr", expression, sizeof(expression))) {
        explorer_fail(of, 200, "there is no query of this name");
        return;
    }
    char* level = explorer_level(expression);
    setti_out_add(of->out, "{\"results\":[", 12);
    bool done =
        level != NULL ? explorer_get_tree(of, level) : explorer_get_search(of, expression, false);
    if (done) {
        setti_out_add(of->out, level != NULL ? "]}" : "}", level != NULL ? 2 : 1);
    }
}

/* ---------------------------------------------------------------------------------------- edits */

/* {"a.b": v} as {"a": {"b": v}}. */
static bool explorer_nest(explorer* of, const char* value, inspector_text* out)
{
    json object;
    json key;
    json member;
    size_t cursor = 0;
    if (!setti_body_check(value, strlen(value), &object)) {
        return false;
    }
    setti_out_clear(out);
    setti_out_add(out, "{", 1);
    while (setti_body_next(object, &cursor, &key, &member)) {
        char name[EXPLORER_PATH];
        uint32_t depth = 0;
        if (!setti_body_string(key, name, sizeof(name)) || strchr(name, '[') != NULL) {
            return false;
        }
        char* at = name;
        for (char* dot = strchr(at, '.'); dot != NULL; dot = strchr(at, '.')) {
            *dot = '\0';
            setti_out_key(out, at);
            setti_out_add(out, "{", 1);
            at = dot + 1;
            depth++;
        }
        setti_out_key(out, at);
        setti_out_add(out, member.at, member.size);
        while (depth-- != 0) {
            setti_out_add(out, "}", 1);
        }
    }
    setti_out_add(out, "}", 1);
    (void)of;
    return !out->failed;
}

static void explorer_edit_component(explorer* of, sett_entity entity, bool put)
{
    char name[EXPLORER_PATH];
    char value[EXPLORER_VALUE];
    inspector_text* nested = &of->inspector->scratch;
    sett_component component = explorer_option(of, "component", name, sizeof(name))
                                   ? sett_component_find(of->world, name)
                                   : 0;
    bool done = false;
    if (component == 0) {
        explorer_fail(of, 404, "component not found");
        return;
    }
    if (!put) {
        done = sett_remove(of->world, entity, component) == SETT_OK;
    } else if (!explorer_option(of, "value", value, sizeof(value))) {
        done = sett_ensure(of->world, entity, component) != NULL;
    } else if (!explorer_nest(of, value, nested)) {
        explorer_fail(of, 400, "the value cannot be read");
        return;
    } else {
        done = sett_json_set(of->world, entity, component, nested->at, nested->size) == SETT_OK;
    }
    if (done) {
        setti_out_add(of->out, "{}", 2);
    } else {
        explorer_fail(of, 400, sett_world_message(of->world));
    }
}

static void explorer_toggle(explorer* of, sett_entity entity)
{
    char enable[16] = "";
    sett_component tag = sett_disabled_tag(of->world);
    (void)explorer_option(of, "enable", enable, sizeof(enable));
    if (strcmp(enable, "true") == 0) {
        (void)sett_remove(of->world, entity, tag);
    } else {
        (void)sett_ensure(of->world, entity, tag);
    }
    setti_out_add(of->out, "{}", 2);
}

static void explorer_edit(explorer* of, const char* kind, const char* path)
{
    bool put = strcmp(of->request->method, "PUT") == 0;
    bool creates = put && strcmp(kind, "entity") == 0;
    char name[EXPLORER_PATH];
    if (explorer_is_world(path)) { /* it sets a frame rate that it has not changed */
        setti_out_add(of->out, "{}", 2);
        return;
    }
    sett_entity entity = explorer_find(of->world, path);
    inspector_edit edit = setti_inspector_before_edit(of->inspector);
    if (creates && sett_is_null(entity)) {
        (void)snprintf(name, sizeof(name), "%s", path);
        for (char* at = strchr(name, '.'); at != NULL; at = strchr(at, '.')) {
            *at = '/';
        }
        entity = sett_name_ensure(of->world, sett_null(), name);
    }
    if (sett_is_null(entity)) {
        explorer_fail(of, 404, "entity not found");
    } else if (strcmp(kind, "component") == 0) {
        explorer_edit_component(of, entity, put);
    } else if (strcmp(kind, "toggle") == 0) {
        explorer_toggle(of, entity);
    } else if (creates || sett_entity_destroy(of->world, entity) == SETT_OK) {
        setti_out_add(of->out, "{}", 2);
    } else {
        explorer_fail(of, 400, sett_world_message(of->world));
    }
    if (of->request->status >= 400) {
        setti_inspector_cancel_edit(of->inspector, edit);
    }
}

/* ---------------------------------------------------------------------------------------- lists */

static void explorer_get_components(explorer* of)
{
    sett_stats stats;
    sett_world_stats(of->world, &stats);
    uint32_t left = stats.components;
    setti_out_add(of->out, "[", 1);
    for (sett_component id = 1; left != 0 && id < 1u << 20; id++) {
        sett_component_desc desc;
        if (sett_component_name(of->world, id) == NULL ||
            sett_component_describe(of->world, id, &desc) != SETT_OK) {
            continue;
        }
        left--;
        setti_out_comma(of->out);
        setti_out_add(of->out, "{", 1);
        setti_out_key(of->out, "name");
        setti_out_quote(of->out, desc.name);
        setti_out_format(
            of->out,
            ",\"entity_count\":%u,\"entity_size\":%u,\"tables\":[],\"type\":{\"size\":%u,"
            "\"alignment\":%u}}",
            (unsigned)sett_component_count(of->world, id), (unsigned)desc.size, (unsigned)desc.size,
            (unsigned)desc.align);
    }
    setti_out_add(of->out, "]", 1);
}

static void explorer_get_pipeline(explorer* of)
{
    setti_out_add(of->out, "[", 1);
    for (const sett_system* at = sett_system_next(of->world, NULL); at != NULL;
         at = sett_system_next(of->world, at)) {
        sett_system_stats stats;
        sett_system_stats_get(at, &stats);
        double time = (double)stats.time_last / 1e9;
        setti_out_comma(of->out);
        setti_out_add(of->out, "{", 1);
        setti_out_key(of->out, "name");
        setti_out_quote(of->out, sett_system_name(at));
        setti_out_format(
            of->out,
            ",\"disabled\":%s,\"time_spent\":{\"avg\":[%.9f],\"min\":[%.9f],\"max\":[%.9f]},"
            "\"matched_entity_count\":{\"avg\":[%u],\"min\":[%u],\"max\":[%u]}}",
            sett_system_is_enabled(at) ? "false" : "true", time, time, time,
            (unsigned)stats.matches, (unsigned)stats.matches, (unsigned)stats.matches);
    }
    setti_out_add(of->out, "]", 1);
}

static void explorer_get(explorer* of, const char* kind, const char* path)
{
    if (strcmp(kind, "entity") == 0) {
        explorer_get_entity(of, path);
    } else if (strcmp(kind, "query") == 0) {
        explorer_get_query(of);
    } else if (strcmp(kind, "components") == 0) {
        explorer_get_components(of);
    } else if (strcmp(kind, "stats") == 0 && strcmp(path, "pipeline") == 0) {
        explorer_get_pipeline(of);
    } else if (strcmp(kind, "stats") == 0) {
        setti_out_add(of->out, "{}", 2);
    } else if (strcmp(kind, "tables") == 0 || strcmp(kind, "queries") == 0) {
        setti_out_add(of->out, "[]", 2);
    } else {
        explorer_fail(of, 404, "there is nothing here");
    }
}

void setti_explorer_answer(sett_inspector* inspector, server_request* request)
{
    explorer of = {inspector, inspector->world, request, &request->answer,
                   setti_inspector_limit(inspector)};
    sett_failure failure = {SETT_OK, ""};
    char kind[16];
    const char* slash = strchr(request->path, '/');
    size_t size = slash != NULL ? (size_t)(slash - request->path) : strlen(request->path);
    const char* path = slash != NULL ? slash + 1 : "";
    setti_out_clear(of.out);
    if (size >= sizeof(kind)) {
        explorer_fail(&of, 404, "there is nothing here");
        return;
    }
    memcpy(kind, request->path, size);
    kind[size] = '\0';
    sett_world_swap_failure(inspector->world, &failure);
    if (strcmp(request->method, "GET") == 0) {
        explorer_get(&of, kind, path);
    } else if (strcmp(kind, "entity") == 0 || strcmp(kind, "component") == 0 ||
               strcmp(kind, "toggle") == 0) {
        explorer_edit(&of, kind, path);
    } else {
        explorer_fail(&of, 404, "there is nothing here");
    }
    sett_world_swap_failure(inspector->world, &failure);
}
