/* print.c: prints an entity with all values.
 *
 * A debugger may call sett_print while the program is stopped. So nothing is allocated. */
#include "inspect/describe.h"
#include "sett/describe.h"
#include "world/written.h"

#define PRINT_COMPONENTS 256 /* the most components printed */
#define PRINT_BYTES 8192     /* the longest text of sett_print */

typedef struct print_context {
    sett_world* world;
    bool names;       /* whether names can be looked up */
    const char* call; /* the name of the public function. NULL: a debugger calls sett_print */
} print_context;

static void print_path(const print_context* context, setti_writer* out, sett_entity entity)
{
    if (context->names) {
        setti_describe_path(out, context->world, entity);
    }
}

/* Writes a handle that a value holds, and the name of the handle's entity. */
static void print_handle(void* user, setti_writer* out, sett_entity entity)
{
    const print_context* context = user;
    setti_writer_add(out, "%u:%u", (unsigned)entity.index, (unsigned)entity.generation);
    if (!sett_entity_valid(context->world, entity)) {
        setti_writer_add(out, " (not alive)");
    } else {
        print_path(context, out, entity);
    }
}

/* Whether a type has no values to print. */
static bool print_is_tag(const setti_type* type)
{
    return type->desc.size == 0 && type->module == NULL;
}

static void print_value(setti_writer* out, print_context* context, const setti_type* type,
                        sett_entity entity)
{
    const void* value = setti_storage_find(&type->storage, entity.index);
    if (value == NULL || print_is_tag(type)) {
        return;
    }
    /* names and links (types of modules) need no check, because systems cannot write them */
    if (context->call != NULL && type->module == NULL) {
        setti_world_touch(context->world, entity, type->id, SETTI_ACCESS_READ, context->call);
    }
    if (type->module != NULL && type->module->describe != NULL) {
        type->module->describe(context->world, type, entity, out);
    } else if (type->members != NULL) {
        setti_value_print(out, &type->members->of, value, print_handle, context);
    } else if (type->desc.write != NULL) {
        setti_type_print(type, value, out);
    } else {
        setti_value_print_bytes(out, value, type->desc.size);
    }
}

size_t sett_value_describe(sett_world* world, sett_entity entity, sett_component component,
                           char* out, size_t size)
{
    setti_writer text = setti_writer_begin(out, size);
    if (SETTI_IS_NULL(world)) {
        return text.length;
    }
    const setti_type* type = setti_world_type(world, component);
    if (type != NULL && sett_entity_valid(world, entity)) {
        print_context context = {.world = world, .names = true, .call = "sett_value_describe"};
        print_value(&text, &context, type, entity);
    }
    return text.length;
}

static void print_all(setti_writer* out, print_context* context, sett_entity entity)
{
    sett_world* world = context->world;
    sett_component ids[PRINT_COMPONENTS];
    if (!setti_describe_entity(out, world, entity)) {
        setti_writer_add(out, "\n");
        return;
    }
    print_path(context, out, entity);
    /* `count` is the number of all components; `ids` has the first ones */
    uint32_t count = sett_entity_components(world, entity, ids, PRINT_COMPONENTS);
    setti_writer_add(out, count != 0 ? "\n" : ": no components\n");
    for (uint32_t k = 0; k < count && k < PRINT_COMPONENTS; k++) {
        const setti_type* type = setti_world_type(world, ids[k]);
        const char* separator = print_is_tag(type) ? "" : ": ";
        setti_writer_add(out, "    %s%s", type->desc.name, separator);
        print_value(out, context, type, entity);
        setti_writer_add(out, "\n");
    }
    if (count > PRINT_COMPONENTS) {
        setti_writer_add(out, "    and %u more\n", (unsigned)count - PRINT_COMPONENTS);
    }
}

size_t sett_entity_describe_values(sett_world* world, sett_entity entity, char* out, size_t size)
{
    setti_writer text = setti_writer_begin(out, size);
    if (!SETTI_IS_NULL(world)) {
        print_context context = {
            .world = world, .names = true, .call = "sett_entity_describe_values"};
        print_all(&text, &context, entity);
    }
    return text.length;
}

void sett_print(const sett_world* world, sett_entity entity)
{
    char text[PRINT_BYTES];
    setti_writer out = {text, sizeof(text), 0};
    if (!SETTI_IS_NULL(world)) {
        const setti_naming* naming = world->naming;
        print_context context = {.world = setti_unconst(world),
                                 .names = naming == NULL || naming->ready(world)};
        print_all(&out, &context, entity);
        setti_platform_print(text, SETTI_MIN(out.length, sizeof(text) - 1));
    }
}
