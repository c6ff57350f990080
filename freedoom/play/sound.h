/* sound.h - what is heard: the sounds of the game's files, on a tape that also runs backwards.
 *
 * The tape has a place for each moment of the last minute, 315 samples a tick. An event of a tick
 * adds its sound from there on. Whatever moment the picture shows, the tape is played from the
 * moment before to this one: forwards at its own speed, and backwards, four times as fast, while
 * the game rewinds. Where the game goes on after that, the tape is wiped from there on. */
#ifndef FREEDOOM_SOUND_H
#define FREEDOOM_SOUND_H

#include "art.h"
#include "session.h"

#define SOUND_RATE 11025u /* samples a second */
#define SOUND_TICK (SOUND_RATE / SIMULATION_TICKS_A_SECOND)
#define SOUND_LONGEST (4u * SIMULATION_TICKS_A_SECOND) /* ticks that a sound lasts at most */
#define SOUND_TICKS (SESSION_TICKS + SOUND_LONGEST)    /* on the tape */
#define SOUND_EVENTS 4096u
#define SOUND_SAMPLES 64u

/* A lump of a file, at SOUND_RATE. */
typedef struct SoundSample {
    const char* name;
    int8_t* values;
    uint32_t count; /* 0: no file has it */
} SoundSample;

typedef struct SoundEvent {
    uint32_t tick;
    uint16_t sample;
    uint8_t left, right; /* how loud, 0 to 255 */
} SoundEvent;

typedef struct Sound {
    SoundSample samples[SOUND_SAMPLES];
    uint32_t sample_count;
    SoundEvent events[SOUND_EVENTS]; /* a ring, ascending by tick */
    uint32_t event_count;            /* of all time */
    int16_t* tape;                   /* left and right, by time modulo the tape's length */
    uint32_t tick;                   /* the last one that is on it */
    double at;                       /* samples: what was played last */
    float rest;                      /* of a sample, of the last frame */
} Sound;

/* Returns false if memory runs out. */
bool sound_open(Sound* sound);
void sound_close(Sound* sound);

/* The names of all lumps that can be heard, for those who cut files; NULL behind the last one. */
const char* sound_lump(uint32_t place);

/* Adds what the last tick did, as the one at the keyboard hears it, who looks in a direction
 * (radians). */
void sound_note_tick(Sound* sound, const Session* session, const Art* arts, uint32_t art_count,
                     float angle);

/* Plays so much of a second, up to a moment in ticks. `to` has room for `room` pairs of samples.
 * Returns how many there are. */
uint32_t sound_play(Sound* sound, double tick, float seconds, int16_t* to, uint32_t room);

#endif
