/* codecs.c: the codecs of this layer's types, for deltas and files, and their registration. */
#include "relation/codecs.h"
#include "relation/hierarchy.h"
#include "relation/name.h"
#include "relation/relationship.h"
#include "relation/singleton.h"
#include "sett/prefab.h"

const setti_codec* setti_codec_own(const setti_type* type)
{
    const sett_world* world = type->world;
    if (type->links != NULL) {
        return setti_relation_of_links(type)->many ? &setti_links_codec : &setti_link_codec;
    }
    if (type->ends != NULL) {
        return &setti_target_codec;
    }
    if (setti_hierarchy_of(world) != NULL && setti_hierarchy_of(world)->type == type) {
        return &setti_hierarchy_codec;
    }
    if (setti_names_of(world) != NULL && setti_names_of(world)->type == type) {
        return &setti_name_codec;
    }
    return NULL;
}

sett_status setti_codec_register_library(sett_world* world, const char* name)
{
    static const struct {
        const char* name;
        sett_component (*make)(sett_world* world);
    } types[] = {
        {"Hierarchy", setti_hierarchy_register},
        {"Name", sett_name_register},
        {"Prefab", sett_prefab_tag},
        {"Disabled", sett_disabled_tag},
        {"InstanceOf", sett_instance_of},
        {"InstanceOf sources", sett_instance_of},
        {"Singletons", setti_singleton_register},
    };
    for (uint32_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
        if (strcmp(types[k].name, name) == 0) {
            sett_component id = types[k].make(world);
            return id != 0 ? SETT_OK : world->error;
        }
    }
    return SETT_OK;
}
