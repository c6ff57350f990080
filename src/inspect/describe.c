/* describe.c: describes entities as text. */
#include "sett/describe.h"

#include "inspect/describe.h"
#include "world/world.h"

#define DESCRIBE_COMPONENTS 64 /* the most components listed by name */

void setti_describe_path(setti_writer* text, sett_world* world, sett_entity entity)
{
    if (world->naming == NULL || !world->naming->has(world, entity)) {
        return;
    }
    setti_writer_add(text, " \"");
    size_t free_bytes = 0;
    char* end = NULL; /* the end of the text. NULL: the buffer is full, and text is only counted */
    if (text->length < text->size) {
        free_bytes = text->size - text->length;
        end = text->out + text->length;
    }
    /* `path` returns the length of the whole path, even if the path does not fit */
    text->length += world->naming->path(world, entity, end, free_bytes);
    setti_writer_add(text, "\"");
}

bool setti_describe_entity(setti_writer* text, sett_world* world, sett_entity entity)
{
    bool alive = sett_entity_valid(world, entity);
    setti_writer_add(text, "entity %u:%u", (unsigned)entity.index, (unsigned)entity.generation);
    if (!alive) {
        setti_writer_add(text, ": %s", setti_world_describe_stale(world, entity));
    }
    return alive;
}

size_t sett_entity_describe(const sett_world* const_world, sett_entity entity, char* out,
                            size_t size)
{
    sett_world* world = setti_unconst(const_world); /* only caches change */
    setti_writer text = setti_writer_begin(out, size);
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    if (!setti_describe_entity(&text, world, entity)) {
        return text.length;
    }
    setti_describe_path(&text, world, entity);
    sett_component ids[DESCRIBE_COMPONENTS]; /* the first components */
    /* `count` is the number of all components */
    uint32_t count = sett_entity_components(world, entity, ids, DESCRIBE_COMPONENTS);
    for (uint32_t k = 0; k < count && k < DESCRIBE_COMPONENTS; k++) {
        const char* separator = k == 0 ? ": " : ", ";
        setti_writer_add(&text, "%s%s", separator, sett_component_name(world, ids[k]));
    }
    if (count > DESCRIBE_COMPONENTS) {
        setti_writer_add(&text, ", and %u more", (unsigned)count - DESCRIBE_COMPONENTS);
    } else if (count == 0) {
        setti_writer_add(&text, ": no components");
    }
    return text.length;
}
