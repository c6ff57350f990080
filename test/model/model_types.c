/* model_types.c: the types of the model: every kind of storage, of hooks and of requirements there
 * is, in sizes from a tag to more than a block. Some are capped, because a value is large.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model/model.h"

#define ARRAY SETT_STORAGE_ARRAY
#define SPARSE SETT_STORAGE_SPARSE_SET
#define BEST SETT_STORAGE_DEFAULT
#define LATER 0, 0, false, false, 0, 0, MODEL_TYPES /* what model_register works out */

/* clang-format off */
model_type model_types[] = {
    {"m1",        1,     1, ARRAY, 0, {0}, 0, LATER},
    {"m8",        8,     0, BEST,   MODEL_OWN_ID | MODEL_SWITCHED, {0}, 0, LATER},
    {"m24",      24,     8, ARRAY, MODEL_TRACK | MODEL_SWITCHED, {0}, 0, LATER},
    {"m64",      64,    64, BEST,   MODEL_OWN_ID, {0}, 0, LATER},
    {"m200",    200,     0, BEST,   0, {0}, 20000, LATER},
    {"m2000",  2000,    16, ARRAY, 0, {0}, 1500, LATER},
    {"p1",        1,     0, SPARSE, MODEL_OWN_ID, {0}, 0, LATER},
    {"p4",        4,     0, SPARSE, 0, {0}, 0, LATER},
    {"p8",        8,     8, SPARSE, MODEL_TRACK | MODEL_SWITCHED, {0}, 0, LATER},
    {"p16",      16,     0, SPARSE, 0, {0}, 0, LATER},
    {"p40",      40,     0, SPARSE, MODEL_OWN_ID, {0}, 0, LATER},
    {"p700",    700,     0, BEST,   0, {0}, 3000, LATER},
    {"p4096",  4096,  4096, BEST,   MODEL_OWN_ID, {0}, 100, LATER},
    {"p9000",  9000,     0, SPARSE, MODEL_TRACK, {0}, 100, LATER},
    {"p20000",20000,     0, BEST,   0, {0}, 60, LATER},
    {"k1",        1,     0, BEST,   MODEL_KEEP, {0}, 0, LATER},
    {"k8",        8,     0, SPARSE, MODEL_KEEP | MODEL_TRACK | MODEL_SWITCHED, {0}, 0, LATER},
    {"k24",      24,     0, BEST,   MODEL_KEEP | MODEL_OWN_ID, {0}, 0, LATER},
    {"k300",    300,     0, BEST,   MODEL_KEEP, {0}, 5000, LATER},
    {"k9000",  9000,     0, SPARSE, MODEL_KEEP, {0}, 100, LATER},
    {"ktag",      0,     0, BEST,   MODEL_KEEP, {0}, 0, LATER},
    {"t0",        0,     0, BEST,   0, {0}, 0, LATER},
    {"t1",        0,     0, BEST,   MODEL_OWN_ID | MODEL_SWITCHED, {0}, 0, LATER},
    {"t2",        0,     0, ARRAY, MODEL_TRACK, {0}, 0, LATER},
    {"t3",        0,     0, BEST,   0, {0}, 0, LATER},
    {"ptag",      0,     0, SPARSE, MODEL_OWN_ID, {0}, 0, LATER},
    {"l0",        0,     0, BEST,   MODEL_NO_FRAGMENT, {0}, 0, LATER},
    {"l1", 0, 0, BEST, MODEL_NO_FRAGMENT | MODEL_OWN_ID | MODEL_SWITCHED, {0}, 0, LATER},
    {"l2",        0,     0, BEST,   MODEL_NO_FRAGMENT, {0}, 0, LATER},
    {"l3",        0,     0, SPARSE, MODEL_NO_FRAGMENT, {0}, 0, LATER},
    {"ld8",       8,     0, ARRAY, MODEL_NO_FRAGMENT, {0}, 0, LATER},
    {"ld12",     12,     0, SPARSE, MODEL_NO_FRAGMENT | MODEL_OWN_ID, {0}, 0, LATER},
    {"ld16",     16,     0, BEST,   MODEL_NO_FRAGMENT | MODEL_KEEP | MODEL_TRACK, {0}, 0, LATER},
    {"ld100",   100,     0, BEST,   MODEL_NO_FRAGMENT, {0}, 20000, LATER},
    {"r0",       16,     0, BEST,   MODEL_SWITCHED, {"m8", 0, 0}, 0, LATER},
    {"r1",       16,     0, SPARSE, MODEL_OWN_ID, {"r0", "t0", 0}, 0, LATER},
    {"r2",        0,     0, BEST,   MODEL_NOTIFIED, {"k8", "l0", 0}, 0, LATER},
    {"r3",        8,     0, BEST,   MODEL_NO_FRAGMENT, {"p8", 0, 0}, 0, LATER},
    {"r4",        8,     0, BEST,   MODEL_KEEP | MODEL_NOTIFIED, {"r1", "r2", "t0"}, 0, LATER},
    {"om",       24,     8, ARRAY, MODEL_OWNED, {0}, 10000, LATER},
    {"op",       24,     8, SPARSE, MODEL_OWNED | MODEL_NOTIFIED, {0}, 10000, LATER},
    {"ok",       24,     8, BEST,   MODEL_OWNED | MODEL_KEEP, {0}, 10000, LATER},
    {"ol", 24, 8, SPARSE, MODEL_OWNED | MODEL_NO_FRAGMENT | MODEL_NOTIFIED | MODEL_SWITCHED,
     {0}, 10000, LATER},
    {"or", 24, 8, ARRAY, MODEL_OWNED | MODEL_NOTIFIED | MODEL_TRACK, {"om", "m1", 0}, 10000, LATER},
    {"told",      8,     0, BEST,   MODEL_NOTIFIED, {0}, 20000, LATER},
    {"toldtag",   0,     0, BEST,   MODEL_NOTIFIED | MODEL_OWN_ID, {0}, 20000, LATER},
    {"seeded",   12,     4, BEST,   MODEL_SEEDED, {0}, 20000, LATER},
    {"seededk", 12, 4, SPARSE, MODEL_SEEDED | MODEL_KEEP | MODEL_NO_FRAGMENT, {0}, 20000, LATER},
    {"m8 off", 0, 0, BEST, 0, {"m8", 0, 0}, 0, LATER},
    {"m24 off", 0, 0, BEST, 0, {"m24", 0, 0}, 0, LATER},
    {"p8 off", 0, 0, BEST, 0, {"p8", 0, 0}, 0, LATER},
    {"k8 off", 0, 0, BEST, 0, {"k8", 0, 0}, 0, LATER},
    {"t1 off", 0, 0, BEST, 0, {"t1", 0, 0}, 0, LATER},
    {"l1 off", 0, 0, BEST, 0, {"l1", 0, 0}, 0, LATER},
    {"r0 off", 0, 0, BEST, 0, {"r0", 0, 0}, 0, LATER},
    {"ol off", 0, 0, BEST, 0, {"ol", 0, 0}, 0, LATER},
};
/* clang-format on */

#undef ARRAY
#undef SPARSE
#undef BEST
#undef LATER

_Static_assert(sizeof(model_types) / sizeof(model_types[0]) == MODEL_TYPES, "as model.h says");
_Static_assert(MODEL_TYPES <= MODEL_TYPES_MAX, "a bit each");

uint32_t model_find_type(const char* name)
{
    uint32_t type = 0;
    while (strcmp(model_types[type].name, name) != 0) {
        type++;
    }
    return type;
}

void model_describe(model_type* type, sett_component_desc* desc, sett_component* needed)
{
    memset(desc, 0, sizeof(*desc));
    desc->name = type->name;
    desc->size = type->size;
    desc->align = type->align;
    desc->storage = type->storage;
    desc->id = (type->flags & MODEL_OWN_ID) != 0 ? 1000 - type->number : 0;
    desc->keep_order = (type->flags & MODEL_KEEP) != 0;
    desc->dont_fragment = (type->flags & MODEL_NO_FRAGMENT) != 0 && !model.plain;
    desc->track_rows = (type->flags & MODEL_TRACK) != 0;
    desc->can_disable = (type->flags & MODEL_SWITCHED) != 0;
    desc->user = type;
    model_give_hooks(type, desc);
    desc->required = needed;
    while (desc->required_count < 3 && type->required[desc->required_count] != NULL) {
        const char* name = type->required[desc->required_count];
        needed[desc->required_count++] = model_types[model_find_type(name)].id;
    }
}

void model_register(model_world* m, uint32_t number)
{
    model_type* type = &model_types[number];
    sett_component_desc desc;
    sett_component needed[3];
    type->number = number;
    type->closure = 0;
    type->dependants = 0;
    model_describe(type, &desc, needed);
    type->id = number < MODEL_DRAWN ? sett_component_register(m->world, &desc)
                                    : sett_component_find(m->world, type->name);
    CHECK(type->id != 0);
    CHECK_EQ(sett_component_describe(m->world, type->id, &desc), SETT_OK);
    type->sparse_set = desc.storage == SETT_STORAGE_SPARSE_SET;
    type->by_default = type->storage == SETT_STORAGE_DEFAULT && !desc.keep_order;
    type->align = (uint32_t)desc.align;
    for (uint32_t k = 0; k < 3 && type->required[k] != NULL; k++) {
        uint32_t other = model_find_type(type->required[k]);
        type->closure |= model_types[other].closure | model_bit(other);
    }
    for (uint64_t rest = type->closure; rest != 0; rest &= rest - 1) {
        model_types[model_lowest(rest)].dependants |= model_bit(number);
    }
    if (number >= MODEL_DRAWN) {
        type->off = model_find_type(type->required[0]);
        model_types[type->off].off = number;
    }
    m->seed[number] = calloc(MODEL_INDICES, sizeof(uint32_t));
    m->tick[number] = calloc(MODEL_INDICES, sizeof(uint64_t));
    m->stamp[number] = calloc(MODEL_INDICES, sizeof(uint32_t));
    CHECK(m->seed[number] != NULL && m->tick[number] != NULL && m->stamp[number] != NULL);
}
