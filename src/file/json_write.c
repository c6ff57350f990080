/* json_write.c: entities as a JSON text.
 *
 * The workload: worlds of any size, written once. The only memory is a buffer of 2,000 bytes.
 *
 * Invariant:  without a query, parents precede children, and siblings preserve their order
 */
#include "file/json_value.h"
#include "relation/hierarchy.h"
#include "relation/relationship.h"
#include "run/run.h"
#include "sett/hierarchy.h"
#include "sett/name.h"
#include "sett/relationship.h"

const char* const setti_json_policies[] = {"DEFAULT", "DESTROY", "DETACH", "REJECT"};

typedef struct json_writer {
    setti_json_out out;
    sett_world* world;
    const sett_json_desc* desc;
    const char* call;
    bool has_written; /* an entity was written already */
} json_writer;

/* Returns true if the program wants a type, and the entity has the type. An empty list of
 * components stands for all types. */
static bool write_wants(const json_writer* writer, const setti_type* type, sett_entity entity)
{
    bool wanted = writer->desc->component_count == 0;
    for (uint32_t k = 0; !wanted && k < writer->desc->component_count; k++) {
        wanted = writer->desc->components[k] == type->id;
    }
    return wanted && setti_storage_has(&type->storage, entity.index);
}

/* Writes the separator *between, and then a key. *between becomes a comma. */
static void write_key(json_writer* writer, const char** between, const char* name)
{
    setti_json_add_text(&writer->out, *between);
    setti_json_add_string(&writer->out, name, strlen(name));
    setti_json_add_text(&writer->out, ": ");
    *between = ", ";
}

/* Writes the value of a component or the data of a link.
 *   owner  the component or relationship that the entity has
 *   type   the type of the value: `owner`, or the relationship's data type */
static void write_value(json_writer* writer, sett_entity entity, const setti_type* owner,
                        const setti_type* type, const void* value)
{
    setti_world_touch(writer->world, entity, owner->id, SETTI_ACCESS_READ, writer->call);
    setti_json_add_value(&writer->out, writer->world, type, value);
}

/* Writes a link as "/hall", or with data as {"to": "/hall", "data": ...}. */
static void write_link(json_writer* writer, sett_entity source, sett_entity target,
                       const setti_type* relationship, const void* data)
{
    const setti_type* type = setti_relation_of_links(relationship)->data_type;
    if (type->desc.size == 0) {
        setti_json_add_reference(&writer->out, writer->world, target);
        return;
    }
    setti_json_add_text(&writer->out, "{\"to\": ");
    setti_json_add_reference(&writer->out, writer->world, target);
    setti_json_add_text(&writer->out, ", \"data\": ");
    write_value(writer, source, relationship, type, data);
    setti_json_add_text(&writer->out, "}");
}

static void write_links(json_writer* writer, sett_entity entity)
{
    const char* begin = ", \"links\": {"; /* before the first relationship */
    const char* between = begin;
    const setti_type_list* types = &writer->world->registered;
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_type* type = types->item[k];
        if (type->links == NULL || !write_wants(writer, type, entity)) {
            continue;
        }
        sett_link_cursor cursor = {NULL, 0, 0, false};
        const char* comma = "[";
        write_key(writer, &between, type->desc.name);
        for (sett_entity target = sett_target_next(writer->world, entity, type->id, &cursor);
             !sett_is_null(target);
             target = sett_target_next(writer->world, entity, type->id, &cursor)) {
            setti_json_add_text(&writer->out, comma);
            write_link(writer, entity, target, type, cursor.data);
            comma = ", ";
        }
        bool is_empty = *comma == '['; /* no link was written */
        setti_json_add_text(&writer->out, is_empty ? "[]" : "]");
    }
    if (between != begin) { /* a relationship was written */
        setti_json_add_text(&writer->out, "}");
    }
}

/* Writes the path and the handle of an entity. If the entity has no path, writes the handle, the
 * name and the parent. */
static void write_identity(json_writer* writer, sett_entity entity)
{
    char path[SETTI_JSON_REFERENCE];
    char handle[SETTI_JSON_HANDLE];
    sett_world* world = writer->world;
    size_t length = setti_json_path(world, entity, path);
    size_t handle_length = setti_json_handle(entity, handle);
    const char* begin = writer->has_written ? ",\n{\"entity\": " : "\n{\"entity\": ";
    setti_json_add_text(&writer->out, begin);
    if (length != 0) {
        setti_json_add_string(&writer->out, path, length);
        setti_json_add_text(&writer->out, ", \"handle\": ");
        setti_json_add(&writer->out, handle, handle_length);
        return;
    }
    const char* name = NULL;
    if (world->naming != NULL) {
        name = sett_name_get(world, entity);
    }
    sett_entity parent = sett_hierarchy_parent(world, entity);
    setti_json_add(&writer->out, handle, handle_length);
    if (name != NULL) {
        setti_json_add_text(&writer->out, ", \"name\": ");
        setti_json_add_bytes(&writer->out, name, strlen(name));
    }
    if (!sett_is_null(parent)) {
        setti_json_add_text(&writer->out, ", \"parent\": ");
        setti_json_add_reference(&writer->out, world, parent);
    }
}

/* Writes "parent": null for an entity in the hierarchy without a parent and children. Writes
 * "policy" if the policy is not the default. */
static void write_node(json_writer* writer, sett_entity entity)
{
    const setti_hierarchy* tree = setti_hierarchy_of(writer->world);
    if (tree == NULL) {
        return;
    }
    const sett_hierarchy* node = setti_storage_find(&tree->type->storage, entity.index);
    if (node == NULL) {
        return;
    }
    uint32_t policy = node->children & SETTI_POLICY;
    if (node->parent == 0 && node->first == 0) { /* nothing else shows the node */
        setti_json_add_text(&writer->out, ", \"parent\": null");
    }
    if (policy != SETT_CHILDREN_DEFAULT) {
        setti_json_add_text(&writer->out, ", \"policy\": ");
        setti_json_add_string(&writer->out, setti_json_policies[policy],
                              strlen(setti_json_policies[policy]));
    }
}

static void write_entity(json_writer* writer, sett_entity entity)
{
    const char* between = "";
    const setti_type_list* types = &writer->world->registered;
    write_identity(writer, entity);
    write_node(writer, entity);
    setti_json_add_text(&writer->out, ", \"components\": {");
    for (uint32_t k = 0; k < types->count; k++) {
        const setti_type* type = types->item[k];
        if (type->module == NULL && write_wants(writer, type, entity)) {
            write_key(writer, &between, type->desc.name);
            write_value(writer, entity, type, type,
                        setti_storage_find(&type->storage, entity.index));
        }
    }
    setti_json_add_text(&writer->out, "}");
    write_links(writer, entity);
    setti_json_add_text(&writer->out, "}");
    writer->has_written = true;
}

/* Writes `root` and the descendants. If the program wants a single entity, writes only `root`. */
static void write_subtree(json_writer* writer, sett_entity root)
{
    if (writer->desc->single) {
        if (!writer->out.stopped) {
            write_entity(writer, root);
        }
        return;
    }
    sett_entity entity = root;
    while (!sett_is_null(entity) && !writer->out.stopped) {
        write_entity(writer, entity);
        entity = sett_hierarchy_walk(writer->world, root, entity);
    }
}

/* Writes the entities of the query. Returns false if the query cannot begin. world->error is the
 * reason then. */
static bool write_query(json_writer* writer)
{
    sett_batch memory;
    sett_batch* batch = setti_query_begin(writer->desc->query, &memory, writer->call);
    if (batch == NULL) {
        return false;
    }
    while (sett_batch_next(batch)) {
        for (uint32_t k = 0; k < batch->count; k++) {
            uint32_t row = batch->rows != NULL ? batch->rows[k] : k;
            write_entity(writer, sett_batch_entity(batch, row));
        }
    }
    sett_batch_end(batch);
    return true;
}

static sett_status write_check(sett_world* world, const sett_json_desc* desc, sett_json_fn fn,
                               const char* call)
{
    if (fn == NULL) {
        return setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                                     "%s: `fn` is NULL - pass a function that takes the text",
                                     call);
    }
    if (setti_world_lacks_list(world, desc->components, desc->component_count, call,
                               "components")) {
        return world->error;
    }
    bool wants_single = desc->single && desc->query == NULL;
    bool needs_entity = wants_single || !sett_is_null(desc->entity);
    if (needs_entity && !sett_entity_valid(world, desc->entity)) {
        return setti_world_fail(world, SETT_STATUS_STALE, call, desc->entity, 0);
    }
    bool uses_query = sett_is_null(desc->entity) && desc->query != NULL;
    if (uses_query && world->running != NULL) {
        return setti_world_fail_with(
            world, SETT_STATUS_LOCKED,
            "%s: system \"%.200s\" cannot loop over a query here - declare "
            "the system as `exclusive`, or make this call after the frame",
            call, setti_world_running(world));
    }
    if (desc->query != NULL && desc->query->world != world) {
        return setti_world_fail_with(
            world, SETT_STATUS_ARGUMENT,
            "%s: query \"%.100s\" belongs to another world - create it in this one", call,
            desc->query->open.name);
    }
    return SETT_OK;
}

/* Writes the trees of all roots. */
static void write_trees(json_writer* writer)
{
    sett_world* world = writer->world;
    uint32_t cursor = 0;
    for (sett_entity entity = sett_entity_next(world, &cursor); !sett_is_null(entity);
         entity = sett_entity_next(world, &cursor)) {
        if (sett_is_null(sett_hierarchy_parent(world, entity))) {
            write_subtree(writer, entity);
        }
    }
}

static sett_status write_all(sett_world* world, const char* call, const sett_json_desc* desc,
                             size_t desc_size, sett_json_fn fn, void* user)
{
    static const sett_json_desc defaults = {0};
    sett_json_desc full;
    if (desc == NULL) {
        desc = &defaults;
        desc_size = sizeof(defaults);
    }
    desc = setti_world_desc(world, desc, desc_size, &full, sizeof(full), call);
    if (desc == NULL) {
        return world == NULL ? SETT_STATUS_ARGUMENT : SETT_STATUS_MISMATCH;
    }
    sett_status status = write_check(world, desc, fn, call);
    if (status != SETT_OK) {
        return status;
    }
    json_writer writer = {
        .out = {.fn = fn, .user = user}, .world = world, .desc = desc, .call = call};
    setti_json_add_text(&writer.out, "{\"entities\": [");
    if (!sett_is_null(desc->entity)) {
        write_subtree(&writer, desc->entity);
    } else if (desc->query == NULL) {
        write_trees(&writer);
    } else if (!write_query(&writer)) {
        return world->error;
    }
    setti_json_add_text(&writer.out, "\n]}\n");
    if (writer.out.no_memory) {
        return setti_world_no_memory(world, call);
    }
    if (setti_json_finish(&writer.out)) {
        return SETT_OK;
    }
    return setti_world_fail_with(world, SETT_STATUS_REJECTED,
                                 "%s: `fn` returned false, so the text is incomplete - write it "
                                 "again when `fn` can take all of it",
                                 call);
}

sett_status sett_json_write_sized(sett_world* world, const sett_json_desc* desc, size_t desc_size,
                                  sett_json_fn fn, void* user)
{
    return write_all(world, "sett_json_write", desc, desc_size, fn, user);
}

static bool write_to_memory(void* user, const char* text, size_t size)
{
    setti_writer_add_bytes(user, text, size);
    return true;
}

size_t sett_json_format_sized(sett_world* world, const sett_json_desc* desc, size_t desc_size,
                              char* out, size_t size)
{
    setti_writer text = setti_writer_begin(out, size);
    if (write_all(world, "sett_json_format", desc, desc_size, write_to_memory, &text) != SETT_OK) {
        text = setti_writer_begin(out, size); /* empty */
    }
    return text.length;
}

size_t sett_json_format_value(sett_world* world, sett_entity entity, sett_component component,
                              char* out, size_t size)
{
    static const char call[] = "sett_json_format_value";
    setti_writer text = setti_writer_begin(out, size);
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    const setti_type* type = setti_world_type(world, component);
    if (type == NULL || type->module != NULL || !sett_has(world, entity, component)) {
        return 0;
    }
    setti_json_out json = {.fn = write_to_memory, .user = &text};
    setti_world_touch(world, entity, component, SETTI_ACCESS_READ, call);
    setti_json_add_value(&json, world, type, setti_storage_find(&type->storage, entity.index));
    (void)setti_json_finish(&json);
    if (json.no_memory) {
        (void)setti_world_no_memory(world, call);
        text = setti_writer_begin(out, size); /* empty */
    }
    return text.length;
}
