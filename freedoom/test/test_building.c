/* test_building.c - doors, lifts, lights, items and teleports do what is said of them. */
#include "battle.h"
#include "spawn.h"
#include "special_table.h"
#include "trigger.h"

/* A map without anybody who could get in the way. */
static void start_empty(Simulation* sim, const char* map)
{
    battle_start(sim, &map, 1, 1, 1);
    uint32_t cursor = 0;
    Job job = simulation_outside(sim);
    for (sett_entity e = sett_entity_next(sim->world, &cursor); !sett_is_null(e);
         e = sett_entity_next(sim->world, &cursor)) {
        if (SETT_HAS(sim->world, e, Alive) || SETT_HAS(sim->world, e, Item) ||
            SETT_HAS(sim->world, e, Start)) {
            spawn_end(&job, e);
        }
    }
    CHECK_EQ(sett_commands_apply(sett_commands_here(sim->world)), SETT_OK);
}

static uint64_t event_count(const Simulation* sim, int event)
{
    return SETT_GET(sim->world, sim->game, Game)->events[event];
}

/* The first line that does this to something. Sets *sector to what it does it to. */
static uint16_t find_line(const Simulation* sim, Trigger trigger, Effect effect, uint16_t* sector)
{
    const WadMap* map = &sim->arenas[0].level.map;
    for (uint16_t i = 0; i < map->line_count; i++) {
        const SpecialType* type = special_find(map->lines[i].special);
        if (type->trigger != trigger || type->effect != effect || type->key != 0) {
            continue;
        }
        *sector = sim->arenas[0].level.lines[i].back;
        for (uint16_t k = 0; trigger != TRIGGER_KNOCK && k < map->sector_count; k++) {
            *sector = map->sectors[k].tag == map->lines[i].tag ? k : *sector;
        }
        return i;
    }
    CHECK_MSG(false, "there is no such line");
    return 0;
}

static uint16_t start_at(Simulation* sim, const char* map, Trigger trigger, Effect effect,
                         uint16_t* sector)
{
    start_empty(sim, map);
    return find_line(sim, trigger, effect, sector);
}

static LevelHeights heights_of(const Simulation* sim, uint16_t sector)
{
    return *SETT_GET(sim->world, sim->arenas[0].sectors[sector], Heights);
}

static bool moves(const Simulation* sim, uint16_t sector)
{
    return SETT_HAS(sim->world, sim->arenas[0].sectors[sector], Door) ||
           SETT_HAS(sim->world, sim->arenas[0].sectors[sector], Lift);
}

static void use(Simulation* sim, uint16_t line, sett_entity user)
{
    Job job = simulation_outside(sim);
    spawn_use(&job, sim->arenas[0].lines[line], user);
    CHECK_EQ(sett_commands_apply(job.commands), SETT_OK);
}

/* The middle of a sector's box, or the first place of a grid over the box that is in the sector. */
static Position middle_of(const Simulation* sim, uint16_t sector)
{
    const Level* level = &sim->arenas[0].level;
    LevelBox box = level->sector_boxes[sector];
    Position middle = {box.left + (box.right - box.left) / 2,
                       box.bottom + (box.top - box.bottom) / 2, heights_of(sim, sector).floor};
    for (Fixed y = box.bottom; y < box.top; y += fixed_from_int(16)) {
        for (Fixed x = box.left; x < box.right; x += fixed_from_int(16)) {
            if (level_sector_at(level, middle.x, middle.y) != sector) {
                middle.x = x;
                middle.y = y;
            }
        }
    }
    CHECK_EQ(level_sector_at(level, middle.x, middle.y), sector);
    return middle;
}

static sett_entity put(Simulation* sim, uint16_t number, uint16_t sector, Position position)
{
    Place place = {.arena = 0, .sector = sector};
    Job job = simulation_outside(sim);
    sett_entity entity = spawn_thing(&job, thing_table_find(number), place, position);
    CHECK_EQ(sett_commands_apply(job.commands), SETT_OK);
    return entity;
}

static sett_entity put_player(Simulation* sim, uint8_t number, uint16_t sector, Position position)
{
    Place place = {.arena = 0, .sector = sector};
    Job job = simulation_outside(sim);
    sett_entity entity = spawn_player(&job, number, place, position);
    CHECK_EQ(sett_commands_apply(job.commands), SETT_OK);
    return entity;
}

/* --- doors ------------------------------------------------------------------------------------ */

static void door_opens_and_closes(void)
{
    Simulation sim;
    uint16_t sector = 0;
    uint16_t line = start_at(&sim, "E1M1", TRIGGER_KNOCK, EFFECT_DOOR_VISIT, &sector);
    LevelHeights shut = heights_of(&sim, sector);
    CHECK_EQ(shut.ceiling, shut.floor);
    use(&sim, line, sett_null());
    battle_run(&sim, 1);
    CHECK(moves(&sim, sector));
    CHECK_EQ(event_count(&sim, EVENT_DOOR), 1);
    Fixed highest = shut.ceiling;
    for (int i = 0; i < 100; i++) {
        Fixed before = heights_of(&sim, sector).ceiling;
        battle_run(&sim, 1);
        CHECK(heights_of(&sim, sector).ceiling - before <= 2 * FIXED_ONE);
        highest = fixed_max(highest, heights_of(&sim, sector).ceiling);
    }
    CHECK(highest - shut.floor >= fixed_from_int(56)); /* a player can get through */
    for (int i = 0; i < 300; i++) {
        battle_run(&sim, 1);
    }
    CHECK_EQ(heights_of(&sim, sector).ceiling, shut.ceiling);
    CHECK(!moves(&sim, sector));
    CHECK_EQ(event_count(&sim, EVENT_DOOR), 1);
    simulation_deinit(&sim);
}

static void door_does_not_crush(void)
{
    Simulation sim;
    uint16_t sector = 0;
    uint16_t line = start_at(&sim, "E1M1", TRIGGER_KNOCK, EFFECT_DOOR_VISIT, &sector);
    use(&sim, line, sett_null());
    for (int i = 0; i < 60; i++) {
        battle_run(&sim, 1);
    }
    put(&sim, 2035, sector, middle_of(&sim, sector)); /* a barrel, 42 units high */
    for (int i = 0; i < 600; i++) {
        battle_run(&sim, 1);
        LevelHeights now = heights_of(&sim, sector);
        CHECK(now.ceiling - now.floor >= fixed_from_int(42));
    }
    CHECK(moves(&sim, sector));
    simulation_deinit(&sim);
}

static void monsters_open_doors(void)
{
    Simulation sim;
    uint16_t sector = 0;
    uint16_t line = start_at(&sim, "E1M1", TRIGGER_KNOCK, EFFECT_DOOR_VISIT, &sector);
    const LevelLine* door = &sim.arenas[0].level.lines[line];
    const SpecialType* type = special_find(door->special);
    CHECK(type->monsters);
    /* In front of the door: to the right of the line, a little way off its middle. */
    int64_t length = fixed_square_root((uint64_t)door->dx * (uint64_t)door->dx +
                                       (uint64_t)door->dy * (uint64_t)door->dy);
    Fixed x = fixed_from_int(door->x + door->dx / 2 + (int32_t)(40 * door->dy / length));
    Fixed y = fixed_from_int(door->y + door->dy / 2 - (int32_t)(40 * door->dx / length));
    Position at = {x, y, heights_of(&sim, door->front).floor};
    sett_entity zombie = put(&sim, 3004, door->front, at);
    /* On its way to the door: 0 is east, 2 north, ... */
    bool upright = door->dx == 0;
    uint8_t direction = upright ? (door->dy > 0 ? 4 : 0) : (door->dx > 0 ? 2 : 6);
    *SETT_GET_MUT(sim.world, zombie, Walk) = (Walk){.direction = direction, .steps = 20};
    bool opened = false;
    for (int i = 0; i < 100 && !opened; i++) {
        battle_run(&sim, 1);
        opened = moves(&sim, sector);
    }
    CHECK(opened);
    CHECK(SETT_HAS(sim.world, zombie, Alive));
    simulation_deinit(&sim);
}

/* --- lifts ------------------------------------------------------------------------------------ */

static void lift_goes_down_and_comes_back(void)
{
    Simulation sim;
    uint16_t sector = 0;
    uint16_t line = start_at(&sim, "E1M1", TRIGGER_PUSH, EFFECT_LIFT, &sector);
    LevelHeights up = heights_of(&sim, sector);
    sett_entity medikit = put(&sim, 2012, sector, middle_of(&sim, sector));
    sett_entity barrel = put(&sim, 2035, sector, middle_of(&sim, sector));
    use(&sim, line, sett_null());
    Fixed lowest = up.floor;
    for (int i = 0; i < 400; i++) {
        battle_run(&sim, 1);
        Fixed floor = heights_of(&sim, sector).floor;
        lowest = fixed_min(lowest, floor);
        /* What stands on it has followed it to where it was when this tick began. */
        Fixed z = SETT_GET(sim.world, medikit, Position)->z;
        CHECK(z - floor <= fixed_from_int(8) && floor - z <= fixed_from_int(8));
        CHECK_EQ(SETT_GET(sim.world, barrel, Position)->z, z);
    }
    CHECK(lowest < up.floor);
    CHECK_EQ(heights_of(&sim, sector).floor, up.floor);
    CHECK_EQ(SETT_GET(sim.world, medikit, Position)->z, up.floor);
    CHECK(!moves(&sim, sector));
    CHECK_EQ(event_count(&sim, EVENT_LIFT), 1);
    simulation_deinit(&sim);
}

/* --- stairs and crushers ---------------------------------------------------------------------- */

static void stairs_rise_step_by_step(void)
{
    Simulation sim;
    uint16_t sector = 0;
    uint16_t line = start_at(&sim, "E1M3", TRIGGER_PUSH, EFFECT_STAIRS, &sector);
    const Arena* arena = &sim.arenas[0];
    use(&sim, line, sett_null());
    battle_run(&sim, 1);
    CHECK_EQ(event_count(&sim, EVENT_STAIRS), 1);
    uint32_t steps = sett_component_count(sim.world, Lift_id);
    CHECK(steps >= 3);
    Fixed low = fixed_from_int(arena->level.map.sectors[sector].floor);
    Fixed before = heights_of(&sim, sector).floor;
    for (uint32_t i = 0; i < 32 * steps + 40; i++) {
        battle_run(&sim, 1);
        CHECK(heights_of(&sim, sector).floor - before <= FIXED_ONE / 4);
        before = heights_of(&sim, sector).floor;
    }
    CHECK_EQ(sett_component_count(sim.world, Lift_id), 0);
    CHECK_EQ(heights_of(&sim, sector).floor, low + fixed_from_int(8));
    /* Each height from the first step to the last is that of one that looks like it. */
    for (uint32_t k = 1; k <= steps; k++) {
        bool found = false;
        for (uint16_t i = 0; i < arena->level.map.sector_count; i++) {
            found = found || (heights_of(&sim, i).floor == low + fixed_from_int(8 * (int32_t)k) &&
                              strcmp(arena->level.map.sectors[i].floor_flat,
                                     arena->level.map.sectors[sector].floor_flat) == 0);
        }
        CHECK(found);
    }
    use(&sim, line, sett_null()); /* once only */
    battle_run(&sim, 1);
    CHECK_EQ(event_count(&sim, EVENT_STAIRS), 1);
    simulation_deinit(&sim);
}

static void crusher_goes_up_and_down_and_hurts(void)
{
    Simulation sim;
    uint16_t sector = 0;
    uint16_t line = start_at(&sim, "E4M9", TRIGGER_CROSS, EFFECT_CRUSHER, &sector);
    LevelHeights first = heights_of(&sim, sector);
    sett_entity demon = put(&sim, 3002, sector, middle_of(&sim, sector));
    sett_entity shell = put(&sim, 2008, sector, middle_of(&sim, sector));
    use(&sim, line, sett_null());
    uint32_t turns = 0;
    bool sank = false;
    Fixed lowest = first.ceiling, last = first.ceiling;
    for (int i = 0; i < 1200; i++) {
        battle_run(&sim, 1);
        Fixed now = heights_of(&sim, sector).ceiling;
        turns += now < last && !sank ? 1 : 0;
        sank = now != last ? now < last : sank;
        lowest = fixed_min(lowest, now);
        CHECK(now <= first.ceiling);
        last = now;
    }
    CHECK_EQ(lowest, first.floor + fixed_from_int(8));
    CHECK(turns >= 2);
    CHECK(SETT_HAS(sim.world, demon, Corpse));
    CHECK(sett_entity_valid(sim.world, shell));
    CHECK_EQ(event_count(&sim, EVENT_CRUSHER) > 0, true);
    CHECK(event_count(&sim, EVENT_HIT) >= 15); /* 150 points, 10 at a time */
    CHECK_EQ(sett_world_error(sim.world), SETT_OK);
    simulation_deinit(&sim);
}

static void crusher_stops_and_goes_on(void)
{
    Simulation sim;
    uint16_t sector = 0;
    uint16_t line = start_at(&sim, "E4M9", TRIGGER_CROSS, EFFECT_CRUSHER, &sector);
    LevelHeights first = heights_of(&sim, sector);
    static const uint16_t actions[] = {73, 74, 73}; /* as often as you like: start, stop */
    static const int32_t heights[] = {-10, -10, -20};
    for (int i = 0; i < 3; i++) {
        SETT_GET_MUT(sim.world, sim.arenas[0].lines[line], Special)->action = actions[i];
        use(&sim, line, sett_null());
        for (int k = 0; k < 10; k++) {
            battle_run(&sim, 1);
        }
        CHECK_EQ(heights_of(&sim, sector).ceiling, first.ceiling + fixed_from_int(heights[i]));
    }
    CHECK_EQ(SETT_GET(sim.world, sim.arenas[0].sectors[sector], Crusher)->high, first.ceiling);
    simulation_deinit(&sim);
}

/* --- teleports -------------------------------------------------------------------------------- */

static void teleport_leads_to_its_landing(void)
{
    Simulation sim;
    uint16_t sector = 0;
    uint16_t line = start_at(&sim, "E2M1", TRIGGER_CROSS, EFFECT_TELEPORT, &sector);
    uint16_t pad = sim.arenas[0].level.lines[line].front;
    sett_entity first = put_player(&sim, 1, pad, middle_of(&sim, pad));
    use(&sim, line, first);
    battle_run(&sim, 1);
    const Position* there = SETT_GET(sim.world, first, Position);
    CHECK_EQ(level_sector_at(&sim.arenas[0].level, there->x, there->y), sector);
    CHECK_EQ(SETT_GET(sim.world, first, Place)->sector, sector);
    CHECK_EQ(there->z, heights_of(&sim, sector).floor);
    CHECK_EQ(event_count(&sim, EVENT_TELEPORT), 1);
    /* No body arrives where another stands. */
    sett_entity second = put_player(&sim, 2, pad, middle_of(&sim, pad));
    use(&sim, line, second);
    battle_run(&sim, 1);
    CHECK_EQ(event_count(&sim, EVENT_TELEPORT), 1);
    simulation_deinit(&sim);
}

/* --- items ------------------------------------------------------------------------------------ */

static void item_is_picked_up_once(void)
{
    Simulation sim;
    start_empty(&sim, "E1M1");
    const WadThing* thing = &sim.arenas[0].level.map.things[0];
    Position at = {fixed_from_int(thing->x), fixed_from_int(thing->y), 0};
    uint16_t sector = (uint16_t)level_sector_at(&sim.arenas[0].level, at.x, at.y);
    at.z = heights_of(&sim, sector).floor;
    sett_entity second = put_player(&sim, 2, sector, at);
    sett_entity first = put_player(&sim, 1, sector, at);
    sett_entity clip = put(&sim, 2007, sector, at);
    sett_entity sphere = put(&sim, 2013, sector, at);
    sett_entity kit = put(&sim, 2012, sector, at);
    battle_run(&sim, 1);
    battle_run(&sim, 1);
    CHECK(!sett_entity_valid(sim.world, clip));
    CHECK(!sett_entity_valid(sim.world, sphere));
    CHECK_EQ(SETT_GET(sim.world, first, Pack)->rounds[AMMO_BULLETS], 60);
    CHECK_EQ(SETT_GET(sim.world, second, Pack)->rounds[AMMO_BULLETS], 50);
    CHECK_EQ(SETT_GET(sim.world, first, Health)->points, 200);
    CHECK_EQ(SETT_GET(sim.world, second, Health)->points, 100);
    CHECK(sett_entity_valid(sim.world, kit)); /* no player needs it */
    CHECK_EQ(event_count(&sim, EVENT_PICKUP), 2);
    simulation_deinit(&sim);
}

static void gifts_have_limits(void)
{
    Simulation sim;
    start_empty(&sim, "E1M1");
    const WadThing* thing = &sim.arenas[0].level.map.things[0];
    Position at = {fixed_from_int(thing->x), fixed_from_int(thing->y), 0};
    uint16_t sector = (uint16_t)level_sector_at(&sim.arenas[0].level, at.x, at.y);
    sett_entity player = put_player(&sim, 1, sector, at);
    Job job = simulation_outside(&sim);
    static const uint16_t numbers[] = {2048, 2048, 2048, 2048, 2048, 8, 2048, 2018, 2015,
                                       2019, 2003, 2022, 2024, 2025, 5, 40,   2023, 83};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        spawn_pickup(&job, player, thing_table_find(numbers[i]));
        CHECK_EQ(sett_commands_apply(sett_commands_here(sim.world)), SETT_OK);
        battle_run(&sim, 1);
        CHECK_EQ(SETT_GET(sim.world, player, Pack)->rounds[AMMO_BULLETS] <= (i < 5 ? 200 : 400),
                 true);
    }
    CHECK(trigger_has_key(&sim, player, KEY_BLUE));
    CHECK(!trigger_has_key(&sim, player, KEY_RED));
    CHECK(trigger_has_key(&sim, sett_null(), 0));
    const Pack* pack = SETT_GET(sim.world, player, Pack);
    CHECK_EQ(pack->rounds[AMMO_BULLETS], 260);
    CHECK_EQ(pack->rounds[AMMO_ROCKETS], 12);
    CHECK_EQ(pack->keys, KEY_BLUE);
    CHECK(pack->backpack);
    CHECK((pack->weapons & 1u << WEAPON_ROCKET_LAUNCHER) != 0);
    CHECK((pack->weapons & 1u << WEAPON_BERSERK_FIST) != 0);
    CHECK_EQ(SETT_GET(sim.world, player, Armour)->points, 200);
    CHECK_EQ(SETT_GET(sim.world, player, Armour)->kind, ARMOUR_BLUE);
    CHECK_EQ(SETT_GET(sim.world, player, Health)->points, 200);
    CHECK(SETT_HAS(sim.world, player, Invulnerable));
    CHECK(SETT_HAS(sim.world, player, Invisible));
    CHECK(SETT_HAS(sim.world, player, Shielded));
    /* Powers end, and while they last nothing hurts. */
    spawn_hit(&job, player, sett_null(), 1000);
    for (int i = 0; i < 60 * 35; i++) {
        battle_run(&sim, 1);
    }
    CHECK(SETT_HAS(sim.world, player, Player));
    CHECK(!SETT_HAS(sim.world, player, Invulnerable));
    CHECK(!SETT_HAS(sim.world, player, Shielded));
    spawn_hit(&job, player, sett_null(), 1000);
    battle_run(&sim, 1);
    CHECK(SETT_HAS(sim.world, player, Corpse));
    CHECK(!SETT_HAS(sim.world, player, Pack));
    simulation_deinit(&sim);
}

/* --- lights ----------------------------------------------------------------------------------- */

static void lights_stay_in_bounds(void)
{
    static const char* const maps[] = {"E2M2", "E3M3", "E4M1"};
    Simulation sim;
    battle_start(&sim, maps, 3, 1, 1);
    uint64_t changes = 0;
    uint8_t* before = calloc(sim.sector_count, 1);
    CHECK(before != NULL);
    for (int i = 0; i < 200; i++) {
        battle_run(&sim, 1);
        for (uint32_t a = 0; a < 3; a++) {
            for (uint32_t s = 0; s < sim.arenas[a].level.map.sector_count; s++) {
                sett_entity sector = sim.arenas[a].sectors[s];
                const Blink* blink = SETT_FIND(sim.world, sector, Blink);
                const Glow* glow = SETT_FIND(sim.world, sector, Glow);
                const Flicker* flicker = SETT_FIND(sim.world, sector, Flicker);
                uint8_t low = blink != NULL     ? blink->low
                              : glow != NULL    ? glow->low
                              : flicker != NULL ? flicker->low
                                                : 0;
                uint8_t high = blink != NULL     ? blink->high
                               : glow != NULL    ? glow->high
                               : flicker != NULL ? flicker->high
                                                 : 255;
                uint8_t level = SETT_GET(sim.world, sector, Light)->level;
                CHECK(level >= low && level <= high);
                uint8_t* old = &before[sim.arenas[a].first_sector + s];
                changes += i > 0 && *old != level ? 1 : 0;
                *old = level;
            }
        }
    }
    CHECK(sett_component_count(sim.world, Blink_id) > 0);
    CHECK(sett_component_count(sim.world, Glow_id) > 0);
    CHECK(changes > 1000);
    free(before);
    simulation_deinit(&sim);
}

TEST_MAIN(TEST(door_opens_and_closes), TEST(door_does_not_crush), TEST(monsters_open_doors),
          TEST(lift_goes_down_and_comes_back), TEST(stairs_rise_step_by_step),
          TEST(crusher_goes_up_and_down_and_hurts), TEST(crusher_stops_and_goes_on),
          TEST(teleport_leads_to_its_landing), TEST(item_is_picked_up_once),
          TEST(gifts_have_limits), TEST(lights_stay_in_bounds))
