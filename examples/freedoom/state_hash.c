/* state_hash.c - see state_hash.h. */
#include "state_hash.h"

static uint64_t state_hash_words(const int64_t* words, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; ++i) {
        hash = dice_mix(hash + (uint64_t)words[i] + UINT64_C(0x9e3779b97f4a7c15));
    }
    return hash;
}

#define STATE_FIELDS(...)                                                                          \
    state_hash_words((const int64_t[]){__VA_ARGS__},                                               \
                     sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* Defines the function that hashes the value `v` of a component by its fields. */
#define STATE_COMPONENT(T, ...)                                                                    \
    static uint64_t state_hash_##T(const void* values, uint32_t row)                               \
    {                                                                                              \
        const T* v = (const T*)values + row;                                                       \
        return STATE_FIELDS(__VA_ARGS__);                                                          \
    }

STATE_COMPONENT(Map, v->arena)
STATE_COMPONENT(Sector, v->arena, v->number)
STATE_COMPONENT(Heights, v->floor, v->ceiling)
STATE_COMPONENT(Light, v->level)
STATE_COMPONENT(Blink, v->low, v->high, v->dark, v->bright, v->left, v->random)
STATE_COMPONENT(Glow, v->low, v->high, v->rises)
STATE_COMPONENT(Flicker, v->low, v->high)
STATE_COMPONENT(Mover, v->goal, v->home, v->speed, v->pause, v->left, v->returns)
STATE_COMPONENT(Line, v->arena, v->number)
STATE_COMPONENT(Special, v->action, v->tag)
STATE_COMPONENT(Thing, v->type)
STATE_COMPONENT(Position, v->x, v->y, v->z)
STATE_COMPONENT(Place, v->arena, v->sector)
STATE_COMPONENT(Start, v->player.index, v->player.generation, v->waited)
STATE_COMPONENT(Body, v->radius, v->height)
STATE_COMPONENT(Health, v->points)
STATE_COMPONENT(Walk, v->direction, v->wait, v->steps, v->bumped)
STATE_COMPONENT(Target, v->enemy.index, v->enemy.generation, v->z, v->patience)
STATE_COMPONENT(Clock, v->ticks)
STATE_COMPONENT(Charge, v->ticks)
STATE_COMPONENT(Player, v->number)
STATE_COMPONENT(Pack, v->rounds[AMMO_BULLETS], v->rounds[AMMO_SHELLS], v->rounds[AMMO_ROCKETS],
                v->rounds[AMMO_CELLS], v->weapons, v->keys, v->backpack)
STATE_COMPONENT(Armour, v->points, v->kind)
STATE_COMPONENT(Corpse, v->since)
STATE_COMPONENT(Velocity, v->x, v->y, v->z)
STATE_COMPONENT(Missile, v->shooter.index, v->shooter.generation)
STATE_COMPONENT(Homing, v->prey.index, v->prey.generation)
STATE_COMPONENT(Hit, v->victim.index, v->victim.generation, v->attacker.index,
                v->attacker.generation, v->damage)
STATE_COMPONENT(Use, v->line.index, v->line.generation, v->user.index, v->user.generation)
STATE_COMPONENT(Pickup, v->player.index, v->player.generation, v->type)

STATE_COMPONENT(News, v->event, v->arena, v->types[0], v->types[1], v->who.index, v->who.generation,
                v->other.index, v->other.generation, v->amount)

static uint64_t state_hash_Game(const void* values, uint32_t row)
{
    const Game* game = (const Game*)values + row;
    uint64_t hash = STATE_FIELDS((int64_t)game->seed, game->tick);
    for (int event = 0; event < EVENT_COUNT; ++event) {
        hash = STATE_FIELDS((int64_t)hash, (int64_t)game->events[event]);
    }
    return hash;
}

typedef uint64_t StateHashFn(const void* values, uint32_t row);

/* By id; tags have no values. */
static StateHashFn* const state_hash_fns[COMPONENT_END] = {
    [Map_id] = state_hash_Map,           [Sector_id] = state_hash_Sector,
    [Heights_id] = state_hash_Heights,   [Light_id] = state_hash_Light,
    [Blink_id] = state_hash_Blink,       [Glow_id] = state_hash_Glow,
    [Flicker_id] = state_hash_Flicker,   [Door_id] = state_hash_Mover,
    [Lift_id] = state_hash_Mover,        [Line_id] = state_hash_Line,
    [Special_id] = state_hash_Special,   [Thing_id] = state_hash_Thing,
    [Position_id] = state_hash_Position, [Place_id] = state_hash_Place,
    [Start_id] = state_hash_Start,       [Body_id] = state_hash_Body,
    [Health_id] = state_hash_Health,     [Walk_id] = state_hash_Walk,
    [Target_id] = state_hash_Target,     [Cooldown_id] = state_hash_Clock,
    [Pain_id] = state_hash_Clock,        [Charge_id] = state_hash_Charge,
    [Player_id] = state_hash_Player,     [Pack_id] = state_hash_Pack,
    [Armour_id] = state_hash_Armour,     [Invulnerable_id] = state_hash_Clock,
    [Invisible_id] = state_hash_Clock,   [Shielded_id] = state_hash_Clock,
    [Corpse_id] = state_hash_Corpse,     [Velocity_id] = state_hash_Velocity,
    [Missile_id] = state_hash_Missile,   [Homing_id] = state_hash_Homing,
    [Lifetime_id] = state_hash_Clock,    [Hit_id] = state_hash_Hit,
    [Use_id] = state_hash_Use,           [Pickup_id] = state_hash_Pickup,
    [News_id] = state_hash_News,         [Game_id] = state_hash_Game,
};

static bool state_hash_component(const Simulation* sim, sett_component id, uint64_t* hash)
{
    StateHashFn* value_hash = state_hash_fns[id];
    sett_query_desc desc = {.name = "state_hash", .terms = {{.component = id, .access = SETT_IN}}};
    sett_query* query = sett_query_create(sim->world, &desc);
    if (query == NULL) {
        return false;
    }
    SETT_QUERY(query, b) {
        const void* values = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            uint64_t value = value_hash != NULL ? value_hash(values, i) : 0;
            *hash += STATE_FIELDS(sett_batch_index(b, i), id, (int64_t)value);
        }
    }
    sett_query_destroy(query);
    return true;
}

bool state_hash(const Simulation* sim, uint64_t* hash)
{
    *hash = dice_mix(sett_entity_count(sim->world));
    for (sett_component id = 1; id < COMPONENT_END; ++id) {
        if (!state_hash_component(sim, id, hash)) {
            return false;
        }
    }
    return true;
}
