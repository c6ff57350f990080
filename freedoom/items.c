/* items.c - the systems by which players come to their things. See systems.h.
 *
 * An item decides itself who gets it, among those who touch it: the one from the lowest
 * start. So two players on one item are no race. What it is good for is then said by a message. */
#include "spawn.h"
#include "systems.h"

#define ITEM_REACH fixed_from_int(36) /* both radii */
#define ITEM_ABOVE fixed_from_int(56) /* as far as a player reaches up, */
#define ITEM_BELOW fixed_from_int(8)  /* and down */
#define PACK_AMMO_OF_BACKPACK 10u

/* --- muster ----------------------------------------------------------------------------------- */

static void muster_run(sett_context* context)
{
    Simulation* sim = context->user;
    for (uint32_t i = 0; i < sim->arena_count; ++i) {
        sim->musters[i] = (Muster){.box = level_no_box};
    }
    SETT_SYSTEM_EACH(context, b) {
        const Player* player = sett_batch_field(b, 0);
        const Position* position = sett_batch_field(b, 1);
        const Place* place = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            Muster* muster = &sim->musters[place[i].arena];
            uint32_t k = player[i].number - 1u;
            muster->players[k] = sett_batch_entity(b, i);
            muster->positions[k] = position[i];
            LevelBox box = level_box(position[i].x, position[i].y, ITEM_REACH);
            level_box_join(&muster->box, &box);
        }
    }
}

const sett_system_desc system_muster = {
    .name = "muster",
    .run = muster_run,
    .single_job = true,
    .terms = {SETT_IN(Player), SETT_IN(Position), SETT_IN(Place)},
};

/* --- pick up ---------------------------------------------------------------------------------- */

static uint32_t pack_limit(const Pack* pack, Ammo ammo)
{
    return weapon_ammo_limits[ammo] * (pack->backpack ? 2u : 1u);
}

static bool pack_has_room(const Pack* pack, Ammo ammo)
{
    return ammo != AMMO_NONE && pack->rounds[ammo] < pack_limit(pack, ammo);
}

/* Whether it does a player any good. */
static bool pick_up_helps(const Simulation* sim, sett_entity player, const Gift* gift)
{
    const Health* health = SETT_GET(sim->world, player, Health);
    const Armour* armour = SETT_GET(sim->world, player, Armour);
    const Pack* pack = SETT_GET(sim->world, player, Pack);
    switch ((GiftKind)gift->kind) {
    case GIFT_HEALTH:
        /* Bonuses are taken whether they help or not. */
        return health->points < gift->limit || gift->amount == 1;
    case GIFT_ARMOUR:
        return armour->points < gift->amount;
    case GIFT_AMMO:
        return pack_has_room(pack, gift->what);
    case GIFT_WEAPON:
        return (pack->weapons & (1u << gift->what)) == 0 ||
               pack_has_room(pack, weapon_table[gift->what].ammo);
    case GIFT_KEY:
        return (pack->keys & gift->what) == 0;
    default:
        return true;
    }
}

static bool pick_up_touches(Position item, Position player)
{
    int64_t dx = fixed_abs64((int64_t)item.x - player.x);
    int64_t dy = fixed_abs64((int64_t)item.y - player.y);
    int64_t dz = (int64_t)item.z - player.z;
    return dx < ITEM_REACH && dy < ITEM_REACH && dz <= ITEM_ABOVE && dz >= -ITEM_BELOW;
}

/* Goes to the first who touches it and has a use for it. */
static void pick_up_item(const Job* job, const Muster* muster, sett_entity self, Place place,
                         Position position, uint16_t type)
{
    for (uint32_t k = 0; k < COMPONENT_PLAYERS; ++k) {
        sett_entity player = muster->players[k];
        if (!sett_is_null(player) && pick_up_touches(position, muster->positions[k]) &&
            pick_up_helps(job->sim, player, &thing_table[type].gift)) {
            spawn_pickup(job, player, type);
            spawn_news(job, EVENT_PICKUP, place.arena, player, self, 0);
            spawn_end(job, self);
            return;
        }
    }
}

static void pick_up_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Position* position = sett_batch_field(b, 0);
        const Place* place = sett_batch_field(b, 1);
        const Thing* thing = sett_batch_field(b, 2);
        SETT_EACH(b, i) {
            /* Nearly all are far from all players. */
            const Muster* muster = &job.sim->musters[place[i].arena];
            if (level_box_holds(&muster->box, position[i].x, position[i].y)) {
                pick_up_item(&job, muster, sett_batch_entity(b, i), place[i], position[i],
                             thing[i].type);
            }
        }
    }
}

const sett_system_desc system_pick_up = {
    .name = "pick up",
    .run = pick_up_run,
    .terms = {SETT_IN(Position), SETT_IN(Place), SETT_IN(Thing), SETT_WITH(Item)},
    .access_any_in = {Health_id, Armour_id, Pack_id},
};

/* --- receive ---------------------------------------------------------------------------------- */

static void receive_ammo(Pack* pack, Ammo ammo, uint32_t rounds)
{
    uint32_t limit = pack_limit(pack, ammo);
    uint32_t sum = pack->rounds[ammo] + rounds;
    pack->rounds[ammo] = (uint16_t)(sum < limit ? sum : limit);
}

static void receive_into_pack(Pack* pack, const Gift* gift)
{
    switch ((GiftKind)gift->kind) {
    case GIFT_AMMO:
        receive_ammo(pack, gift->what, gift->amount);
        break;
    case GIFT_WEAPON:
        pack->weapons |= (uint16_t)(1u << gift->what);
        receive_ammo(pack, weapon_table[gift->what].ammo, gift->amount);
        break;
    case GIFT_BERSERK:
        pack->weapons |= 1u << WEAPON_BERSERK_FIST;
        break;
    case GIFT_KEY:
        pack->keys |= gift->what;
        break;
    case GIFT_BACKPACK:
        pack->backpack = true;
        for (Ammo ammo = AMMO_BULLETS; ammo < AMMO_COUNT; ++ammo) {
            receive_ammo(pack, ammo, PACK_AMMO_OF_BACKPACK);
        }
        break;
    default:
        break;
    }
}

static void receive_health(Health* health, const Gift* gift)
{
    bool heals = gift->kind == GIFT_HEALTH || gift->kind == GIFT_BERSERK;
    if (heals || gift->kind == GIFT_MEGASPHERE) {
        /* Who has more than this gives keeps it. */
        int32_t limit = fixed_max(health->points, gift->limit);
        health->points = fixed_min(health->points + gift->amount, limit);
    }
}

static void receive_armour(Armour* armour, const Gift* gift)
{
    bool whole = gift->kind == GIFT_ARMOUR || gift->kind == GIFT_MEGASPHERE;
    if (gift->kind == GIFT_ARMOUR_BONUS && armour->points < gift->limit) {
        armour->points = (uint16_t)(armour->points + gift->amount);
        armour->kind = armour->kind != 0 ? armour->kind : gift->what;
    } else if (whole && gift->amount > armour->points) {
        *armour = (Armour){.points = gift->amount, .kind = gift->what};
    }
}

static void receive_power(sett_commands* commands, sett_entity player, const Gift* gift)
{
    Clock clock = {.ticks = gift->amount};
    switch ((GiftKind)gift->kind) {
    case GIFT_INVULNERABLE:
        sett_cmd_set(commands, player, Invulnerable_id, &clock);
        break;
    case GIFT_INVISIBLE:
        sett_cmd_set(commands, player, Invisible_id, &clock);
        break;
    case GIFT_SHIELDED:
        sett_cmd_set(commands, player, Shielded_id, &clock);
        break;
    default:
        break;
    }
}

static void receive_run(sett_context* context)
{
    Job job = simulation_job(context);
    SETT_SYSTEM_EACH(context, b) {
        const Pickup* pickup = sett_batch_field(b, 0);
        SETT_EACH(b, i) {
            sett_entity player = pickup[i].player;
            const Gift* gift = &thing_table[pickup[i].type].gift;
            receive_into_pack(SETT_GET_MUT(job.world, player, Pack), gift);
            receive_health(SETT_GET_MUT(job.world, player, Health), gift);
            receive_armour(SETT_GET_MUT(job.world, player, Armour), gift);
            receive_power(job.commands, player, gift);
            spawn_end(&job, sett_batch_entity(b, i));
        }
    }
}

const sett_system_desc system_receive = {
    .name = "receive",
    .run = receive_run,
    .terms = {SETT_IN(Pickup)},
    .access_any_inout = {Pack_id, Health_id, Armour_id},
};
