/* sound.c - see sound.h. A sound's lump is {3, rate, count and 16 more (32 bits), 16 samples to
 * begin with, samples of 8 bits around 128, 16 samples to end with}; others are skipped. */
#include "sound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOUND_LENGTH ((size_t)SOUND_TICKS * SOUND_TICK) /* of the tape, in pairs of samples */
#define SOUND_NEAR 160.0f                               /* map units: as loud as can be */
#define SOUND_FAR 1200.0f                               /* not heard */
#define SOUND_JUMP (SOUND_RATE / 2.0)                   /* a longer way is not played */
#define SOUND_GAIN 110                                  /* of 256: some sounds at once fit */

typedef struct SoundOf {
    uint16_t number; /* in maps; 0: a player */
    const char *shot, *pain, *death;
} SoundOf;

static const SoundOf sound_things[] = {
    {0, "DSPISTOL", "DSPLPAIN", "DSPLDETH"},    {3004, "DSPISTOL", "DSPOPAIN", "DSPODTH1"},
    {9, "DSSHOTGN", "DSPOPAIN", "DSPODTH2"},    {65, "DSSHOTGN", "DSPOPAIN", "DSPODTH3"},
    {84, "DSSHOTGN", "DSPOPAIN", "DSSSDTH"},    {3001, "DSFIRSHT", "DSPOPAIN", "DSBGDTH1"},
    {3002, "DSSGTATK", "DSDMPAIN", "DSSGTDTH"}, {58, "DSSGTATK", "DSDMPAIN", "DSSGTDTH"},
    {3005, "DSFIRSHT", "DSDMPAIN", "DSCACDTH"}, {3003, "DSFIRSHT", "DSDMPAIN", "DSBRSDTH"},
    {69, "DSFIRSHT", "DSDMPAIN", "DSKNTDTH"},   {3006, "DSSKLATK", "DSDMPAIN", "DSFIRXPL"},
    {64, "DSVILATK", "DSVIPAIN", "DSVILDTH"},   {66, "DSSKEATK", "DSPOPAIN", "DSSKEDTH"},
    {67, "DSMANATK", "DSMNPAIN", "DSMANDTH"},   {68, "DSPLASMA", "DSDMPAIN", "DSBSPDTH"},
    {71, "DSSKLATK", "DSPEPAIN", "DSBAREXP"},   {16, "DSRLAUNC", "DSDMPAIN", "DSCYBDTH"},
    {7, "DSSHOTGN", "DSDMPAIN", "DSSPIDTH"},
};

static const char* const sound_weapons[WEAPON_COUNT] = {
    [WEAPON_FIST] = "DSPUNCH",           [WEAPON_CHAINSAW] = "DSSAWFUL",
    [WEAPON_BERSERK_FIST] = "DSPUNCH",   [WEAPON_PISTOL] = "DSPISTOL",
    [WEAPON_SHOTGUN] = "DSSHOTGN",       [WEAPON_CHAINGUN] = "DSPISTOL",
    [WEAPON_SUPER_SHOTGUN] = "DSDSHTGN", [WEAPON_ROCKET_LAUNCHER] = "DSRLAUNC",
    [WEAPON_PLASMA_RIFLE] = "DSPLASMA",  [WEAPON_BFG] = "DSBFG",
};

static const char* const sound_events[EVENT_COUNT] = {
    [EVENT_BLAST] = "DSBAREXP",   [EVENT_RISE] = "DSSLOP",       [EVENT_ENTER] = "DSTELEPT",
    [EVENT_DOOR] = "DSDOROPN",    [EVENT_LIFT] = "DSPSTART",     [EVENT_STAIRS] = "DSSTNMOV",
    [EVENT_CRUSHER] = "DSPSTART", [EVENT_TELEPORT] = "DSTELEPT", [EVENT_MISS] = "DSFIRXPL",
};

static const char* const sound_gifts[] = {"DSITEMUP", "DSWPNUP", "DSGETPOW"};

const char* sound_lump(uint32_t place)
{
    const uint32_t things = (uint32_t)(sizeof sound_things / sizeof sound_things[0]) * 3;
    if (place < things) {
        const SoundOf* of = &sound_things[place / 3];
        return place % 3 == 0 ? of->shot : place % 3 == 1 ? of->pain : of->death;
    }
    place -= things;
    if (place < WEAPON_COUNT) {
        return sound_weapons[place];
    }
    place -= WEAPON_COUNT;
    if (place < EVENT_COUNT) {
        return sound_events[place] != NULL ? sound_events[place] : sound_gifts[0];
    }
    place -= EVENT_COUNT;
    return place < sizeof sound_gifts / sizeof sound_gifts[0] ? sound_gifts[place] : NULL;
}

/* --- samples ---------------------------------------------------------------------------------- */

static uint32_t sound_number(const uint8_t* at, int bytes)
{
    uint32_t number = 0;
    for (int i = 0; i < bytes; ++i) {
        number |= (uint32_t)at[i] << (8 * i);
    }
    return number;
}

/* At another rate: each value is the mean of those that it stands for. */
static bool sound_decode(SoundSample* sample, const uint8_t* bytes, size_t size)
{
    if (size < 40 || sound_number(bytes, 2) != 3) {
        return true;
    }
    uint32_t rate = sound_number(bytes + 2, 2), count = sound_number(bytes + 4, 4);
    if (rate < 4000 || count < 32 || count > size - 8) {
        return true;
    }
    const uint8_t* values = bytes + 24;
    count -= 32;
    uint64_t most = (uint64_t)SOUND_LONGEST * SOUND_TICK - SOUND_TICK;
    uint64_t length = (uint64_t)count * SOUND_RATE / rate;
    length = length < most ? length : most;
    sample->values = malloc((size_t)length + 1);
    if (sample->values == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < length; ++i) {
        uint64_t first = i * rate / SOUND_RATE, last = (i + 1) * rate / SOUND_RATE;
        last = last > first ? last : first + 1;
        int sum = 0;
        for (uint64_t k = first; k < last; ++k) {
            sum += (int)values[k < count ? k : count - 1] - 128;
        }
        sample->values[i] = (int8_t)(sum / (int)(last - first));
    }
    sample->count = (uint32_t)length;
    return true;
}

/* Returns its place, and reads it when it is first asked for; SOUND_SAMPLES: there is none. */
static uint32_t sound_find(Sound* sound, const char* name, const Art* arts, uint32_t art_count)
{
    for (uint32_t i = 0; i < sound->sample_count; ++i) {
        if (strcmp(sound->samples[i].name, name) == 0) {
            return i;
        }
    }
    if (sound->sample_count == SOUND_SAMPLES) {
        return SOUND_SAMPLES;
    }
    SoundSample* sample = &sound->samples[sound->sample_count];
    *sample = (SoundSample){.name = name};
    for (uint32_t i = art_count; i-- > 0 && sample->count == 0;) {
        const WadLump* lump = wad_find_lump(&arts[i].wad, name);
        if (lump != NULL && !sound_decode(sample, arts[i].wad.bytes + lump->offset, lump->size)) {
            return SOUND_SAMPLES;
        }
    }
    return sound->sample_count++;
}

bool sound_open(Sound* sound)
{
    *sound = (Sound){.tape = calloc(SOUND_LENGTH * 2, sizeof(int16_t))};
    return sound->tape != NULL;
}

void sound_close(Sound* sound)
{
    for (uint32_t i = 0; i < sound->sample_count; ++i) {
        free(sound->samples[i].values);
    }
    free(sound->tape);
}

/* --- the tape --------------------------------------------------------------------------------- */

static int16_t sound_clip(int value)
{
    return (int16_t)(value > 32767 ? 32767 : value < -32768 ? -32768 : value);
}

/* Adds what of an event lies at or behind a tick. */
static void sound_mix(Sound* sound, const SoundEvent* event, uint32_t from)
{
    const SoundSample* sample = &sound->samples[event->sample];
    uint32_t first = from > event->tick ? (from - event->tick) * SOUND_TICK : 0;
    size_t start = (size_t)event->tick * SOUND_TICK;
    for (uint32_t i = first; i < sample->count; ++i) {
        int16_t* at = &sound->tape[(start + i) % SOUND_LENGTH * 2];
        int value = sample->values[i] * SOUND_GAIN;
        at[0] = sound_clip(at[0] + value * event->left / 255);
        at[1] = sound_clip(at[1] + value * event->right / 255);
    }
}

static void sound_wipe(Sound* sound, uint32_t tick)
{
    memset(sound->tape + (size_t)(tick % SOUND_TICKS) * SOUND_TICK * 2, 0,
           (size_t)SOUND_TICK * 2 * sizeof *sound->tape);
}

/* The game goes on from another tick: what came behind it is wiped, what sounded then goes on. */
static void sound_cut(Sound* sound, uint32_t tick)
{
    for (uint32_t i = 0; i < SOUND_LONGEST; ++i) {
        sound_wipe(sound, tick + i);
    }
    uint32_t kept = sound->event_count < SOUND_EVENTS ? sound->event_count : SOUND_EVENTS;
    while (kept > 0 && sound->events[(sound->event_count - 1) % SOUND_EVENTS].tick >= tick) {
        --sound->event_count;
        --kept;
    }
    for (uint32_t i = 1; i <= kept; ++i) {
        const SoundEvent* event = &sound->events[(sound->event_count - i) % SOUND_EVENTS];
        if (event->tick + SOUND_LONGEST < tick) {
            break;
        }
        sound_mix(sound, event, tick);
    }
}

/* --- events ----------------------------------------------------------------------------------- */

static const SoundOf* sound_of(uint16_t type)
{
    const ThingType* thing = &thing_table[type];
    for (size_t i = 1; i < sizeof sound_things / sizeof sound_things[0]; ++i) {
        if (thing->number == sound_things[i].number) {
            return &sound_things[i];
        }
    }
    return thing->kind == THING_PLAYER ? &sound_things[0] : NULL;
}

static const char* sound_of_gift(uint16_t type)
{
    GiftKind kind = (GiftKind)thing_table[type].gift.kind;
    return sound_gifts[kind == GIFT_WEAPON ? 1 : kind >= GIFT_BERSERK ? 2 : 0];
}

/* The lump of an event, or NULL; `who` is where it is heard. */
static const char* sound_of_news(const Session* session, const News* news, sett_entity* who)
{
    bool own = sett_equals(news->who, session->body);
    uint32_t held = session->facing.weapon;
    const SoundOf* of = sound_of(news->types[0]);
    *who = news->who;
    switch ((Event)news->event) {
    case EVENT_SHOT:
        return own && held != 0 && held <= WEAPON_COUNT ? sound_weapons[held - 1]
               : of != NULL                             ? of->shot
                                                        : NULL;
    case EVENT_HIT:
        *who = news->other;
        of = sound_of(news->types[1]);
        return of != NULL ? of->pain : NULL;
    case EVENT_DEATH:
        return of != NULL ? of->death : NULL;
    case EVENT_PICKUP:
        return own ? sound_of_gift(news->types[1]) : NULL;
    case EVENT_MISS:
        return thing_table[news->types[0]].kind == THING_MISSILE ? sound_events[EVENT_MISS] : NULL;
    default:
        return sound_events[news->event];
    }
}

/* How loud it is on both sides. Returns false if it is too far away. */
static bool sound_place(SoundEvent* event, const SightActor* me, const SightActor* source,
                        float angle)
{
    float share = 1.0f, side = 0.0f;
    if (me != NULL && source != NULL && source != me) {
        float x = (float)(source->position.x - me->position.x) / (float)FIXED_ONE;
        float y = (float)(source->position.y - me->position.y) / (float)FIXED_ONE;
        float distance = hypotf(x, y);
        share = 1.0f - (distance - SOUND_NEAR) / (SOUND_FAR - SOUND_NEAR);
        side = sinf(atan2f(y, x) - angle);
    }
    share = fminf(share, 1.0f) * 255.0f;
    event->left = (uint8_t)fmaxf(share * (0.65f + 0.35f * side), 0.0f);
    event->right = (uint8_t)fmaxf(share * (0.65f - 0.35f * side), 0.0f);
    return share > 0.0f;
}

/* Whether this tick has it already: three bullets that hit at once are one sound. */
static bool sound_has(const Sound* sound, uint32_t tick, uint16_t sample)
{
    for (uint32_t i = 1; i <= sound->event_count && i <= SOUND_EVENTS; ++i) {
        const SoundEvent* event = &sound->events[(sound->event_count - i) % SOUND_EVENTS];
        if (event->tick != tick) {
            return false;
        }
        if (event->sample == sample) {
            return true;
        }
    }
    return false;
}

void sound_note_tick(Sound* sound, const Session* session, const Art* arts, uint32_t art_count,
                     float angle)
{
    const Simulation* sim = session->sim;
    uint32_t tick = sim->dice.tick;
    const Sight* sight = &session->sights[tick % SESSION_SIGHTS];
    if (tick != sound->tick + 1) {
        sound_cut(sound, tick);
    }
    sound->tick = tick;
    sound_wipe(sound, tick + SOUND_LONGEST);
    const SightActor* me = sight_find(sight, session->body);
    for (uint32_t i = 0; i < sim->heard_count; ++i) {
        sett_entity who;
        const char* name = sound_of_news(session, &sim->heard[i], &who);
        uint32_t sample = name != NULL ? sound_find(sound, name, arts, art_count) : SOUND_SAMPLES;
        SoundEvent event = {.tick = tick, .sample = (uint16_t)sample};
        if (sample == SOUND_SAMPLES || sound_has(sound, tick, event.sample) ||
            !sound_place(&event, me, sight_find(sight, who), angle)) {
            continue;
        }
        sound->events[sound->event_count++ % SOUND_EVENTS] = event;
        sound_mix(sound, &event, tick);
    }
}

/* --- playing ---------------------------------------------------------------------------------- */

static int16_t sound_read(const Sound* sound, double at, size_t side)
{
    double below = floor(at);
    size_t first = (size_t)below % SOUND_LENGTH, second = (first + 1) % SOUND_LENGTH;
    double a = sound->tape[first * 2 + side], b = sound->tape[second * 2 + side];
    return (int16_t)(a + (b - a) * (at - below));
}

uint32_t sound_play(Sound* sound, double tick, float seconds, int16_t* to, uint32_t room)
{
    float wanted = seconds * (float)SOUND_RATE + sound->rest;
    uint32_t count = (uint32_t)wanted < room ? (uint32_t)wanted : room;
    sound->rest = wanted - floorf(wanted);
    double end = fmax(tick, 0.0) * SOUND_TICK;
    double start = fabs(end - sound->at) > SOUND_JUMP ? end : sound->at;
    for (uint32_t i = 0; i < count; ++i) {
        double at = start + (end - start) * (double)i / (double)count;
        to[i * 2] = sound_read(sound, at, 0);
        to[i * 2 + 1] = sound_read(sound, at, 1);
    }
    sound->at = end;
    return count;
}
