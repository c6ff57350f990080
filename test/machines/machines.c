/* machines.c: saves a world, or loads one, and prints its hash. tools/machines.sh compiles it for
 * several machines, each of which loads what the others saved. The members lie at other places on
 * each, and their bytes in another order. FILE is a journal: a state, and a delta that changes it.
 *
 * `migrate` loads it into the types of a later version: members that are wider, new, gone, in
 * another order, those of links too.
 *
 *     machines save FILE | machines load FILE | machines migrate FILE
 *
 * SPDX-License-Identifier: MIT
 */
#include "sett.h"

#include <stdio.h>

typedef struct At {
    float x;
    double y;
} At;

typedef struct Door {
    uint8_t state;
    uint64_t big;
    At at[2];
    int16_t height;
    char label[6];
    sett_entity owner;
    bool locked;
    uint32_t keys[3];
    int64_t last;
} Door;

typedef struct Small {
    int16_t a;
    uint32_t b;
} Small;

typedef struct Debt {
    uint8_t kind;
    int64_t amount;
} Debt;

#define LIST(COMPONENT, TAG)                                                                       \
    COMPONENT(Door, .members = SETT_STRUCT(Door, state, big, (at, .of = SETT_STRUCT(At, x, y)),    \
                                           height, label, owner, locked, keys, last))              \
    COMPONENT(Small, .members = SETT_STRUCT(Small, a, b), .storage = SETT_STORAGE_SPARSE_SET)      \
    TAG(Tag)
SETT_COMPONENTS(LIST)

/* ---- and later */

typedef struct LaterAt {
    double y, x;
} LaterAt;

typedef struct LaterDoor {
    bool locked;
    int64_t height;
    LaterAt at[3];
    uint32_t keys[4];
    float open;
    uint64_t big;
    uint32_t state;
    char label[12];
    sett_entity owner;
} LaterDoor;

typedef struct LaterSmall {
    int64_t b;
    float a;
} LaterSmall;

typedef struct LaterDebt {
    int64_t amount;
    uint16_t kind;
    double rate;
} LaterDebt;

static sett_component owes, likes;

static void fill(sett_world* world)
{
    for (uint32_t k = 0; k < 300; k++) {
        sett_entity e = sett_entity_create(world);
        sett_entity parent = sett_entity_at(world, k / 3);
        char name[16];
        if (k % 7 == 3) {
            (void)sett_entity_destroy(world, e);
            continue;
        }
        Door door = {.state = (uint8_t)k,
                     .big = 0x0102030405060708u * k,
                     .at = {{(float)k / 3, k * 1.5}, {-1, 1e300}},
                     .height = (int16_t)(-(int)k),
                     .label = "door",
                     .owner = {k / 2, 1},
                     .locked = k % 3 == 0,
                     .keys = {k, k * 1000, 7},
                     .last = -((int64_t)k << 33)};
        if (k % 2 != 0) {
            (void)sett_set(world, e, Door_id, &door);
        }
        if (k % 3 == 0) {
            (void)sett_set(world, e, Small_id, &(Small){(int16_t)(k - 100), k * 70000});
        }
        (void)(k % 5 != 0 || sett_add(world, e, Tag_id) != NULL);
        snprintf(name, sizeof(name), "n%u", (unsigned)k);
        (void)(k % 4 != 0 || sett_name_set(world, e, name) == SETT_OK);
        if (k > 5 && !sett_is_null(parent)) {
            (void)sett_hierarchy_attach(world, e, parent);
            for (uint32_t n = 0; n < 2; n++) {
                Debt* debt = sett_relate(world, e, n == 0 ? likes : owes, parent);
                debt->kind = (uint8_t)k;
                debt->amount = -(int64_t)k * 1000000007;
            }
        }
    }
}

/* Some of all that there is. */
static void change(sett_world* world)
{
    for (uint32_t k = 40; k < 60; k++) {
        sett_entity e = sett_entity_at(world, k);
        Door* door = sett_has(world, e, Door_id) ? sett_get_mut(world, e, Door_id) : NULL;
        if (door != NULL) {
            door->big++;
            door->at[1].y = k;
        }
        (void)(k % 9 != 0 || sett_entity_destroy(world, e) == SETT_OK);
    }
}

static sett_status save(sett_world* world, const char* path)
{
    fill(world);
    sett_journal* journal = sett_journal_create(world, path, NULL);
    change(world);
    sett_status status = sett_journal_append(journal, 1);
    sett_status end = sett_journal_destroy(journal);
    return status == SETT_OK ? end : status;
}

static void register_links(sett_world* world, bool later)
{
    sett_relationship_desc desc = {.name = "owes",
                                   .many = true,
                                   SETT_LINK_DATA(Debt),
                                   .members = SETT_STRUCT(Debt, kind, amount)};
    if (later) {
        desc = (sett_relationship_desc){.name = "owes",
                                        .many = true,
                                        SETT_LINK_DATA(LaterDebt),
                                        .members = SETT_STRUCT(LaterDebt, amount, kind, rate)};
    }
    owes = sett_relationship_register(world, &desc);
    desc.name = "likes";
    desc.many = false;
    likes = sett_relationship_register(world, &desc);
}

static sett_status register_later(sett_world* world)
{
    const sett_component_desc types[] = {
        {.name = "Door",
         .size = sizeof(LaterDoor),
         .align = SETT_ALIGNOF(LaterDoor),
         .members = SETT_STRUCT(LaterDoor, locked, height, (at, .of = SETT_STRUCT(LaterAt, y, x)),
                                keys, open, big, state, label, owner)},
        {.name = "Small",
         .size = sizeof(LaterSmall),
         .align = SETT_ALIGNOF(LaterSmall),
         .members = SETT_STRUCT(LaterSmall, b, a)},
        {.name = "Tag"},
    };
    for (uint32_t k = 0; k < 3; k++) {
        (void)sett_component_register(world, &types[k]);
    }
    return sett_world_error(world);
}

int main(int argc, char** argv)
{
    sett_world* world = sett_world_create(NULL);
    char what = argc == 3 ? argv[1][0] : '\0';
    sett_status status = what == 'm' ? register_later(world) : SETT_REGISTER_ALL(world, LIST);
    register_links(world, what == 'm');
    if (status == SETT_OK && what == 's') {
        status = save(world, argv[2]);
    } else if (status == SETT_OK && what != '\0') {
        status = sett_world_load(world, argv[2]);
    }
    if (status == SETT_OK && sett_world_hash_portable(world, NULL)) {
        printf("%016llx %u\n", (unsigned long long)sett_world_hash(world),
               (unsigned)sett_entity_count(world));
    }
    return sett_world_destroy(world) == SETT_OK ? 0 : 1;
}
