/* game.h - all of the game but its window: takes the keys that are pressed, and draws a picture. */
#ifndef FREEDOOM_GAME_H
#define FREEDOOM_GAME_H

#include "hud.h"
#include "overview.h"
#include "session.h"
#include "sound.h"

#define GAME_FILES 8u

/* What is pressed in a frame. */
typedef struct GameControls {
    float turn;           /* radians to the left in this frame */
    int8_t forward, side; /* -127 to 127 */
    uint8_t weapon;       /* 1 + WEAPON_*, or 0 */
    bool fire, use, rewind;
    bool map, help, costs, kill_cam, next_map, crowd; /* pressed just now */
} GameControls;

typedef struct Play {
    Simulation* sim;
    Session* session;
    Art arts[GAME_FILES];
    uint32_t art_count;
    Stage stage; /* without art: the map has none */
    uint32_t stage_arena;
    bool stage_known;
    Render* render;
    SightBlend blend;
    Overview overview;
    Hud hud;
    Sound sound;

    bool above;       /* shows the map */
    float angle;      /* of the own view: ahead of the ticks */
    float clock;      /* ticks, 0 to 1: since the last one */
    float credit;     /* ticks, parts of one: to be played again in the next frame */
    float eye;        /* height, which follows steps softly */
    float hurt, gain; /* how much red, yellow is in the picture */
    int32_t health;
    uint16_t items;
    uint8_t buttons; /* INPUT_*: pressed since the last order, however shortly; for the next one */
    uint8_t weapon;  /* as well */
    bool use_held;
    bool patient;        /* plays ticks again however long a frame takes: the same on any machine */
    bool spreads;        /* a tick's work over the frames before it is due: for a lone thread */
    uint64_t begun_time; /* of the tick that has begun, ns */
    uint64_t tick_time;  /* of the last tick, ns */
    uint64_t played, drawn; /* of the last frame: ns for ticks, and for the picture */
} Play;

/* Reads the pictures of these files, and takes part as player 1 of a map. */
bool game_open(Play* play, Simulation* sim, const char* const* wads, uint32_t wad_count,
               uint32_t arena, int width, int height, Fault* fault);
void game_close(Play* play);

/* Goes on by a part of a second, and draws. */
bool game_frame(Play* play, float seconds, const GameControls* controls, Fault* fault);

/* What is heard in a frame of so many seconds, after it: pairs of 16 bits, left and right,
 * SOUND_RATE a second. Returns how many there are; `to` has room for `room`. */
uint32_t game_listen(Play* play, float seconds, int16_t* to, uint32_t room);

/* Says how long that took, in ns: for the display. */
void game_note_time(Play* play, uint64_t time);

#endif
