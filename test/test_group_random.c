/* test_group_random.c: groups of every kind over the same types, under random operations, against
 * memberships and crossings worked out the obvious way. One type has values that know where they
 * lie, one remembers the tick of every row, one keeps its order, one requires others.
 *
 * SETT_SEED and SETT_OPERATIONS replay or prolong it. */
#include "sett/sett.h"
#include "worlds.h"

#include "world/world.h"

/* ---- The model ------------------------------------------------------------------------------- */

enum {
    A,
    B,
    C,
    D,
    T,
    M,
    N,
    P,
    K,
    L,
    R,
    TYPES
};

#define BIT(type) (1u << (type))
#define SLOTS 4096u /* entity indices of the model */
#define CROWD 1700u /* entities at most: more than fit one page */
#define BULK 0xB0000000u

typedef struct zoo_group {
    const char* name;
    uint32_t owned;
    uint32_t with;
    uint32_t without;
} zoo_group;

static const zoo_group zoo_groups[] = {
    {"full", BIT(A) | BIT(B), 0, 0},
    {"partial", BIT(C), BIT(M), BIT(N)},
    {"borrowing", BIT(D) | BIT(P), BIT(A), 0},
    {"set", 0, BIT(A) | BIT(M), 0},
    {"without", 0, BIT(M), BIT(A) | BIT(N)},
    {"kept", 0, BIT(K) | BIT(B) | BIT(T), 0},
    {"single", BIT(T), 0, BIT(K)},
};

#define GROUPS (sizeof(zoo_groups) / sizeof(zoo_groups[0]))

typedef struct zoo_slot {
    sett_entity entity;
    bool alive;
    uint32_t mask;
    uint32_t number[TYPES];
    uint64_t written; /* tick of the last write to its T */
} zoo_slot;

typedef struct zoo {
    sett_world* world;
    sett_component id[TYPES];
    zoo_slot slot[SLOTS];
    uint32_t alive;
    uint32_t given;            /* the number of another's value that is being set; or 0 */
    uint32_t members[GROUPS];  /* worked out naively, step by step */
    uint64_t expected[GROUPS]; /* crossings */
    uint64_t notified[GROUPS];
    bool inside[GROUPS][SLOTS]; /* as callbacks told */
    sett_group* group[GROUPS];  /* NULL: not there now */
    uint32_t serial;
    uint64_t random;
    sett_commands* commands;
} zoo;

typedef struct zoo_notified { /* what a callback gets */
    zoo* z;
    uint32_t group;
} zoo_notified;

static zoo the_zoo;
static zoo_notified the_notified[GROUPS];

static uint32_t draw(zoo* z, uint32_t below)
{
    z->random ^= z->random << 13;
    z->random ^= z->random >> 7;
    z->random ^= z->random << 17;
    return (uint32_t)((z->random >> 20) % below);
}

/* B's values know where they lie. */
typedef struct anchored {
    uint32_t number;
    struct anchored* self;
} anchored;

static void anchored_init(void* values, uint32_t count, void* user)
{
    anchored* at = values;
    CHECK_PTR_EQ(user, &the_zoo);
    for (uint32_t k = 0; k < count; k++) {
        at[k].number = 0;
        at[k].self = &at[k];
    }
}

static void anchored_deinit(void* values, uint32_t count, void* user)
{
    anchored* at = values;
    CHECK_PTR_EQ(user, &the_zoo);
    for (uint32_t k = 0; k < count; k++) {
        CHECK_PTR_EQ(at[k].self, &at[k]);
        memset(&at[k], 0xDD, sizeof(at[k]));
    }
}

static void anchored_copy(void* to, const void* from, uint32_t count, void* user)
{
    anchored* t = to;
    const anchored* f = from;
    CHECK_PTR_EQ(user, &the_zoo);
    for (uint32_t k = 0; k < count; k++) {
        CHECK_PTR_EQ(t[k].self, &t[k]);
        t[k].number = f[k].number;
    }
}

static void anchored_move(void* to, void* from, uint32_t count, void* user)
{
    anchored* t = to;
    anchored* f = from;
    CHECK_PTR_EQ(user, &the_zoo);
    for (uint32_t k = 0; k < count; k++) {
        CHECK_PTR_EQ(f[k].self, &f[k]);
        t[k].number = f[k].number;
        t[k].self = &t[k];
        memset(&f[k], 0xEE, sizeof(f[k]));
    }
}

static const uint32_t* zoo_number(const void* value)
{
    return value; /* every type begins with it */
}

static bool zoo_has_bytes(uint32_t type)
{
    return type != N && type != P && type != L;
}

static bool zoo_matches(uint32_t mask, uint32_t g)
{
    uint32_t with = zoo_groups[g].owned | zoo_groups[g].with;
    return (mask & with) == with && (mask & zoo_groups[g].without) == 0;
}

/* A value that can be an entity's: nothing yet, given to many at once, or made for it. */
static bool zoo_plausible(uint32_t number, uint32_t index)
{
    return number == 0 || number >= BULK || number >> 16 == index;
}

static void zoo_callback(sett_world* world, sett_entity entity, const zoo_notified* notified,
                         bool enters)
{
    zoo* z = notified->z;
    CHECK_PTR_EQ(world, z->world);
    CHECK(sett_entity_valid(world, entity) && entity.index < SLOTS);
    CHECK(sett_group_has(z->group[notified->group], entity));
    CHECK_EQ(z->inside[notified->group][entity.index], !enters);
    z->inside[notified->group][entity.index] = enters;
    z->notified[notified->group]++;
    uint32_t with = zoo_groups[notified->group].owned | zoo_groups[notified->group].with;
    for (uint32_t t = 0; t < TYPES; t++) {
        const void* value = sett_find(world, entity, z->id[t]);
        CHECK((with & BIT(t)) == 0 || value != NULL);
        if (value != NULL && zoo_has_bytes(t)) {
            uint32_t number = *zoo_number(value);
            CHECK(zoo_plausible(number, entity.index) || number == z->given);
            CHECK(t != B || ((const anchored*)value)->self == value);
        }
    }
    if (z->notified[notified->group] % 64 == 0) {
        CHECK(sett_is_null(sett_entity_create(world)));
        CHECK_EQ(sett_world_error(world), SETT_STATUS_LOCKED);
    }
}

static void zoo_on_enter(sett_world* world, sett_entity entity, void* user)
{
    zoo_callback(world, entity, user, true);
}

static void zoo_left(sett_world* world, sett_entity entity, void* user)
{
    zoo_callback(world, entity, user, false);
}

/* The model's entity changes its components: crossings are counted. */
static void zoo_step(zoo* z, zoo_slot* slot, uint32_t mask)
{
    for (uint32_t g = 0; g < GROUPS; g++) {
        bool before = zoo_matches(slot->mask, g);
        bool after = zoo_matches(mask, g);
        z->members[g] += (uint32_t)after - (uint32_t)before;
        z->expected[g] += before != after && z->group[g] != NULL;
    }
    for (uint32_t t = 0; t < TYPES; t++) {
        if ((slot->mask & BIT(t)) == 0) {
            slot->number[t] = 0;
        }
    }
    if ((mask & ~slot->mask & BIT(T)) != 0) {
        slot->written = sett_world_tick(z->world);
    }
    slot->mask = mask;
}

/* R requires A and N. */
static void zoo_model_add(zoo* z, zoo_slot* slot, uint32_t type)
{
    static const uint32_t required[] = {A, N};
    for (uint32_t k = 0; type == R && k < 2; k++) {
        if ((slot->mask & BIT(required[k])) == 0) {
            zoo_step(z, slot, slot->mask | BIT(required[k]));
        }
    }
    zoo_step(z, slot, slot->mask | BIT(type));
}

static void zoo_model_remove(zoo* z, zoo_slot* slot, uint32_t type)
{
    if ((type == A || type == N) && (slot->mask & BIT(R)) != 0) {
        zoo_step(z, slot, slot->mask & ~BIT(R));
    }
    zoo_step(z, slot, slot->mask & ~BIT(type));
}

static void zoo_model_create(zoo* z, sett_entity entity)
{
    CHECK(entity.index < SLOTS && !z->slot[entity.index].alive);
    z->slot[entity.index] = (zoo_slot){.entity = entity, .alive = true};
    z->alive++;
}

static void zoo_model_destroy(zoo* z, zoo_slot* slot)
{
    zoo_step(z, slot, 0);
    slot->alive = false;
    z->alive--;
}

/* An entity that is alive, or NULL after a few tries. */
static zoo_slot* zoo_pick(zoo* z)
{
    for (uint32_t k = 0; k < 40; k++) {
        zoo_slot* slot = &z->slot[draw(z, CROWD + 400)];
        if (slot->alive) {
            return slot;
        }
    }
    return NULL;
}

static uint32_t zoo_new_number(zoo* z, const zoo_slot* slot)
{
    return slot->entity.index << 16 | (++z->serial & 0xFFFF);
}

/* Writes a value as a type's values are laid out. */
static const void* zoo_value(uint32_t number)
{
    static union {
        uint32_t number;
        unsigned char bytes[64];
        uint64_t aligned;
        void* pointer;
    } value;
    value.number = number;
    return &value;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static void zoo_create(zoo* z)
{
    zoo_model_create(z, sett_entity_create(z->world));
}

static void zoo_create_many(zoo* z)
{
    static uint32_t numbers[400];
    static sett_entity made[400];
    uint32_t count = 1 + draw(z, draw(z, 4) == 0 ? 400 : 20);
    uint32_t mask = draw(z, 1u << TYPES) & draw(z, 1u << TYPES);
    sett_component components[TYPES];
    const void* values[TYPES];
    uint32_t types = 0;
    for (uint32_t k = 0; k < count; k++) {
        numbers[k] = BULK + (++z->serial & 0xFFFFFF);
    }
    for (uint32_t t = TYPES; t-- > 0;) {
        if ((mask & BIT(t)) != 0) {
            values[types] = t == D || t == R ? numbers : NULL; /* the types of four bytes */
            components[types++] = z->id[t];
        }
    }
    CHECK_EQ(sett_entity_create_many(z->world, count, components, types, values, made), SETT_OK);
    mask |= (mask & BIT(R)) != 0 ? BIT(A) | BIT(N) : 0;
    for (uint32_t k = 0; k < count; k++) {
        zoo_model_create(z, made[k]);
        zoo_slot* slot = &z->slot[made[k].index];
        zoo_step(z, slot, mask);
        slot->number[D] = (mask & BIT(D)) != 0 ? numbers[k] : 0;
        slot->number[R] = (mask & BIT(R)) != 0 ? numbers[k] : 0;
    }
}

static void zoo_destroy(zoo* z, zoo_slot* slot)
{
    CHECK_EQ(sett_entity_destroy(z->world, slot->entity), SETT_OK);
    zoo_model_destroy(z, slot);
}

static void zoo_add(zoo* z, zoo_slot* slot, uint32_t type)
{
    bool had = (slot->mask & BIT(type)) != 0;
    const void* value = sett_add(z->world, slot->entity, z->id[type]);
    CHECK_EQ(value == NULL, had);
    if (!had) {
        CHECK(!zoo_has_bytes(type) || *zoo_number(value) == 0);
        CHECK(type != B || ((const anchored*)value)->self == value);
        zoo_model_add(z, slot, type);
    }
}

static void zoo_set(zoo* z, zoo_slot* slot, uint32_t type)
{
    uint32_t number = zoo_new_number(z, slot);
    const void* value = sett_set(z->world, slot->entity, z->id[type], zoo_value(number));
    CHECK(value != NULL);
    if ((slot->mask & BIT(type)) == 0) {
        zoo_model_add(z, slot, type);
    }
    if (zoo_has_bytes(type)) {
        CHECK_EQ(*zoo_number(value), number);
        slot->number[type] = number;
        slot->written = type == T ? sett_world_tick(z->world) : slot->written;
    }
}

/* A value given from the same storage, of an entity whose row may move meanwhile. */
static void zoo_copy(zoo* z, zoo_slot* slot, uint32_t type)
{
    const zoo_slot* from = zoo_pick(z);
    for (uint32_t g = 0; g < GROUPS; g++) { /* best the one that the next to enter exchanges with */
        const setti_storage* storage = &setti_world_type(z->world, z->id[type])->storage;
        if ((zoo_groups[g].owned & BIT(type)) != 0 && z->members[g] < storage->extent) {
            from = &z->slot[*setti_storage_index(storage, z->members[g])];
        }
    }
    if (from == NULL || !zoo_has_bytes(type) || (from->mask & BIT(type)) == 0) {
        return;
    }
    uint32_t number = from->number[type];
    const void* given = sett_get(z->world, from->entity, z->id[type]);
    z->given = number;
    const void* value = sett_set(z->world, slot->entity, z->id[type], given);
    z->given = 0;
    CHECK(value != NULL);
    if ((slot->mask & BIT(type)) == 0) {
        zoo_model_add(z, slot, type);
    }
    CHECK_EQ(*zoo_number(value), number);
    zoo_set(z, slot, type); /* its own again, as callbacks expect */
}

static void zoo_remove(zoo* z, zoo_slot* slot, uint32_t type)
{
    bool had = (slot->mask & BIT(type)) != 0;
    CHECK_EQ(sett_remove(z->world, slot->entity, z->id[type]), had ? SETT_OK : SETT_STATUS_ABSENT);
    if (had) {
        zoo_model_remove(z, slot, type);
    }
}

static void zoo_clear(zoo* z, zoo_slot* slot)
{
    CHECK_EQ(sett_entity_clear(z->world, slot->entity), SETT_OK);
    zoo_step(z, slot, 0);
}

static void zoo_all_with(zoo* z, uint32_t type, bool destroy)
{
    CHECK_EQ(destroy ? sett_entity_destroy_with(z->world, z->id[type])
                     : sett_component_clear(z->world, z->id[type]),
             SETT_OK);
    for (uint32_t k = 0; k < SLOTS; k++) {
        zoo_slot* slot = &z->slot[k];
        if (slot->alive && (slot->mask & BIT(type)) != 0) {
            if (destroy) {
                zoo_model_destroy(z, slot);
            } else {
                zoo_model_remove(z, slot, type);
            }
        }
    }
}

typedef struct zoo_record {
    uint32_t kind;
    sett_entity entity;
    uint32_t type;
    uint32_t number;
} zoo_record;

/* Records some commands and applies them; the model takes them one by one, as they are. */
static void zoo_commands(zoo* z)
{
    zoo_record records[40];
    uint32_t count = 1 + draw(z, 40);
    sett_entity fresh = sett_null();
    for (uint32_t k = 0; k < count; k++) {
        const zoo_slot* slot = zoo_pick(z);
        zoo_record* r = &records[k];
        bool use_fresh = !sett_is_null(fresh) && draw(z, 3) == 0;
        r->entity = use_fresh || slot == NULL ? fresh : slot->entity;
        r->kind = draw(z, 24);
        r->type = draw(z, TYPES);
        r->number = r->entity.index << 16 | (++z->serial & 0xFFFF);
        sett_status status = SETT_OK;
        if (r->kind == 0) {
            status = sett_cmd_destroy(z->commands, r->entity);
        } else if (r->kind == 1) {
            status = sett_cmd_clear(z->commands, r->entity);
        } else if (r->kind == 2) {
            fresh = sett_cmd_create(z->commands);
            CHECK(!sett_is_null(fresh));
            r->entity = fresh;
        } else if (r->kind < 9) {
            status = sett_cmd_add(z->commands, r->entity, z->id[r->type]);
        } else if (r->kind < 16) {
            status = sett_cmd_set(z->commands, r->entity, z->id[r->type], zoo_value(r->number));
        } else {
            status = sett_cmd_remove(z->commands, r->entity, z->id[r->type]);
        }
        CHECK_EQ(status, SETT_OK);
    }
    CHECK_EQ(sett_commands_apply(z->commands), SETT_OK);
    for (uint32_t k = 0; k < count; k++) {
        const zoo_record* r = &records[k];
        zoo_slot* slot = &z->slot[r->entity.index];
        if (r->kind == 2) {
            zoo_model_create(z, r->entity);
            continue;
        }
        if (sett_is_null(r->entity) || !slot->alive || !sett_equals(slot->entity, r->entity)) {
            continue;
        }
        bool has = (slot->mask & BIT(r->type)) != 0;
        if (r->kind == 0) {
            zoo_model_destroy(z, slot);
        } else if (r->kind == 1) {
            zoo_step(z, slot, 0);
        } else if (r->kind >= 16) {
            if (has) {
                zoo_model_remove(z, slot, r->type);
            }
        } else {
            if (!has) {
                zoo_model_add(z, slot, r->type);
            }
            if (r->kind >= 9 && zoo_has_bytes(r->type)) {
                slot->number[r->type] = r->number;
                slot->written = r->type == T ? sett_world_tick(z->world) : slot->written;
            }
        }
    }
}

/* A group goes, or comes back. */
static void zoo_toggle_group(zoo* z, uint32_t g)
{
    if (z->group[g] != NULL) {
        CHECK_EQ(sett_group_destroy(z->group[g]), SETT_OK);
        z->group[g] = NULL;
        return;
    }
    sett_group_desc desc = {.name = zoo_groups[g].name,
                            .on_enter = zoo_on_enter,
                            .on_exit = zoo_left,
                            .user = &the_notified[g]};
    uint32_t count[3] = {0, 0, 0};
    for (uint32_t t = 0; t < TYPES; t++) {
        if ((zoo_groups[g].owned & BIT(t)) != 0) {
            desc.owned[count[0]++] = z->id[t];
        }
        if ((zoo_groups[g].with & BIT(t)) != 0) {
            desc.with[count[1]++] = z->id[t];
        }
        if ((zoo_groups[g].without & BIT(t)) != 0) {
            desc.without[count[2]++] = z->id[t];
        }
    }
    z->group[g] = sett_group_create(z->world, &desc);
    CHECK_MSG(z->group[g] != NULL, "%s", sett_world_message(z->world));
    for (uint32_t k = 0; k < SLOTS; k++) {
        z->inside[g][k] = z->slot[k].alive && zoo_matches(z->slot[k].mask, g);
    }
}

/* What changes the layout and no more. */
static void zoo_arrange(zoo* z)
{
    static const uint32_t convertible[] = {M, N, K, R};
    uint32_t type = convertible[draw(z, 4)];
    uint32_t g = draw(z, GROUPS);
    sett_storage_kind kind = draw(z, 2) == 0 ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY;
    sett_status status;
    bool rejected;
    switch (draw(z, 6)) {
    case 0:
        CHECK_EQ(sett_world_trim(z->world), SETT_OK);
        break;
    case 1:
        status = sett_component_convert(z->world, z->id[type], kind);
        rejected = type == K && kind == SETT_STORAGE_ARRAY; /* an array cannot keep their order */
        CHECK_EQ(status, rejected ? SETT_STATUS_ARGUMENT : SETT_OK);
        break;
    case 2:
        if (z->group[g] != NULL && zoo_groups[g].owned != 0 && zoo_groups[g].owned != BIT(P)) {
            uint32_t by = g == 0 ? A : g == 1 ? C : g == 2 ? D : T;
            CHECK_EQ(sett_sort(z->world, &(sett_sort_desc){.component = z->id[by],
                                                           .group = z->group[g],
                                                           .key = SETT_KEY_U32}),
                     SETT_OK);
        }
        break;
    case 3:
        CHECK_EQ(sett_component_compact(z->world, z->id[K]), SETT_OK);
        break;
    case 4:
        zoo_toggle_group(z, g);
        break;
    case 5:
        (void)sett_world_advance_tick(z->world);
        break;
    }
}

static void zoo_operate(zoo* z)
{
    uint32_t type = draw(z, TYPES);
    uint32_t kind = draw(z, 1000);
    zoo_slot* slot = zoo_pick(z);
    if (slot == NULL || (kind < 60 && z->alive < CROWD)) {
        zoo_create(z);
    } else if (kind < 70 && z->alive + 400 < CROWD) {
        zoo_create_many(z);
    } else if (kind < 120) {
        zoo_destroy(z, slot);
    } else if (kind < 480) {
        zoo_add(z, slot, type);
    } else if (kind < 520) {
        zoo_copy(z, slot, type);
    } else if (kind < 640) {
        zoo_set(z, slot, type);
    } else if (kind < 900) {
        zoo_remove(z, slot, type);
    } else if (kind < 920) {
        zoo_clear(z, slot);
    } else if (kind < 980) {
        zoo_commands(z);
    } else if (kind < 997) {
        zoo_arrange(z);
    } else {
        zoo_all_with(z, type, z->alive > CROWD / 2 && draw(z, 3) == 0);
    }
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static void zoo_compare_counts(const zoo* z)
{
    for (uint32_t g = 0; g < GROUPS; g++) {
        CHECK_EQ(z->notified[g], z->expected[g]);
        if (z->group[g] != NULL) {
            CHECK_EQ(sett_group_count(z->group[g]), z->members[g]);
        }
    }
}

/* Rows in place: the members of an owning group, and no others, lie in front of its storages. */
static void zoo_compare_rows(const zoo* z, uint32_t g)
{
    const setti_storage* first = NULL;
    for (uint32_t t = 0; t < TYPES; t++) {
        if ((zoo_groups[g].owned & BIT(t)) == 0) {
            continue;
        }
        const setti_storage* storage = &setti_world_type(z->world, z->id[t])->storage;
        first = first == NULL ? storage : first;
        for (uint32_t row = 0; row < storage->extent; row++) {
            uint32_t index = *setti_storage_index(storage, row);
            const zoo_slot* slot = &z->slot[index];
            CHECK(slot->alive);
            CHECK_EQ(zoo_matches(slot->mask, g), row < z->members[g]);
            if (row < z->members[g]) {
                CHECK_EQ(index, *setti_storage_index(first, row));
            }
            if (zoo_has_bytes(t)) {
                CHECK_EQ(*zoo_number(setti_storage_at(storage, row)), slot->number[t]);
            }
        }
    }
}

static void zoo_compare(const zoo* z)
{
    CHECK_EQ(sett_entity_count(z->world), z->alive);
    uint32_t members[GROUPS] = {0};
    for (uint32_t k = 0; k < SLOTS; k++) {
        const zoo_slot* slot = &z->slot[k];
        if (!slot->alive) {
            CHECK(sett_is_null(sett_entity_at(z->world, k)));
            continue;
        }
        CHECK(sett_entity_valid(z->world, slot->entity));
        for (uint32_t t = 0; t < TYPES; t++) {
            const void* value = sett_find(z->world, slot->entity, z->id[t]);
            CHECK_EQ(value != NULL, (slot->mask & BIT(t)) != 0);
            if (value != NULL && zoo_has_bytes(t)) {
                CHECK_EQ(*zoo_number(value), slot->number[t]);
                CHECK(t != B || ((const anchored*)value)->self == value);
            }
        }
        if ((slot->mask & BIT(T)) != 0) {
            CHECK_EQ(sett_changed_tick(z->world, slot->entity, z->id[T]), slot->written);
        }
        for (uint32_t g = 0; g < GROUPS; g++) {
            bool matches = zoo_matches(slot->mask, g);
            members[g] += matches;
            if (z->group[g] != NULL) {
                CHECK_EQ(sett_group_has(z->group[g], slot->entity), matches);
                CHECK_EQ(z->inside[g][k], matches);
            }
        }
    }
    for (uint32_t g = 0; g < GROUPS; g++) {
        CHECK_EQ(z->members[g], members[g]);
        if (z->group[g] != NULL && zoo_groups[g].owned != 0) {
            zoo_compare_rows(z, g);
        }
    }
}

static void zoo_register(zoo* z)
{
    const sett_storage_kind sparse_set = SETT_STORAGE_SPARSE_SET;
    const sett_component_desc descs[TYPES] = {
        [A] = {.name = "A", .size = 8, .storage = sparse_set},
        [B] = {.name = "B",
               .size = sizeof(anchored),
               .storage = sparse_set,
               .init = anchored_init,
               .deinit = anchored_deinit,
               .copy = anchored_copy,
               .move = anchored_move,
               .user = z},
        [C] = {.name = "C", .size = 40, .storage = sparse_set},
        [D] = {.name = "D", .size = 4, .storage = sparse_set},
        [T] = {.name = "T", .size = 8, .storage = sparse_set, .track_rows = true},
        [M] = {.name = "M", .size = 8},
        [N] = {.name = "N"},
        [P] = {.name = "P", .storage = sparse_set},
        [K] = {.name = "K", .size = 8, .keep_order = true},
        [L] = {.name = "L", .dont_fragment = true},
        [R] = {.name = "R", .size = 4},
    };
    for (uint32_t t = 0; t < TYPES; t++) {
        sett_component_desc desc = descs[t];
        const sett_component required[] = {z->id[A], z->id[N]};
        if (t == R) {
            desc.required = required;
            desc.required_count = 2;
        }
        z->id[t] = sett_component_register(z->world, &desc);
        CHECK(z->id[t] != 0);
    }
}

static void random_operations_agree_with_naive_memberships(void)
{
    zoo* z = &the_zoo;
    uint64_t seed = check_setting("SETT_SEED", 20240607);
    uint64_t operations = check_setting("SETT_OPERATIONS", CHECK_ROUNDS(40000));
    memset(z, 0, sizeof(*z));
    z->random = (seed + 1) * 0x9E3779B97F4A7C15u | 1;
    z->world = quiet_world();
    z->commands = sett_commands_create(z->world);
    zoo_register(z);
    for (uint32_t g = 0; g < GROUPS; g++) {
        the_notified[g] = (zoo_notified){z, g};
        zoo_toggle_group(z, g);
    }
    printf("  seed %llu, %llu operations\n", (unsigned long long)seed,
           (unsigned long long)operations);
    uint32_t most = 0;
    for (uint64_t k = 0; k < operations; k++) {
        zoo_operate(z);
        zoo_compare_counts(z);
        most = z->alive > most ? z->alive : most;
        if (k % 40 == 0 || k + 1 == operations) {
            CHECK_VALID(z->world);
            zoo_compare(z);
        }
    }
    CHECK(operations < 20000 || most > 1024);
    for (uint32_t g = 0; g < GROUPS; g++) {
        CHECK(operations < 20000 || z->notified[g] > 100);
    }
    CHECK_VALID(z->world);
    uint32_t members[GROUPS];
    memcpy(members, z->members, sizeof(members));
    sett_world_destroy(z->world); /* all leave, with callbacks */
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint64_t leaves = z->group[g] != NULL ? members[g] : 0;
        CHECK_EQ(z->notified[g], z->expected[g] + leaves);
    }
}

TEST_MAIN(TEST(random_operations_agree_with_naive_memberships))
