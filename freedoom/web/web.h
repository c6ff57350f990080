/* web.h - what page.js calls of the game. */
#ifndef FREEDOOM_WEB_H
#define FREEDOOM_WEB_H

#include <stdbool.h>
#include <stdint.h>

#define WEB_EXPORT(name) __attribute__((export_name(#name)))

/* What went wrong last. */
WEB_EXPORT(web_fault) const char* web_fault(void);

/* Begins a game on the map that has pictures: alone, or with all others. The size is that of the
 * picture. */
WEB_EXPORT(web_start) bool web_start(bool all, uint32_t seed, uint32_t width, uint32_t height);

/* Joins a host as this player, from 2 on: before the first frame of a game that has begun on the
 * map with pictures. Datagrams are those of page_net.js. */
WEB_EXPORT(web_join) bool web_join(uint32_t players, uint32_t player);

/* Goes on, and draws. See keys_controls. Returns the picture as a canvas wants it, or NULL for a
 * fault. */
WEB_EXPORT(web_frame)
const uint32_t* web_frame(float seconds, uint32_t held, uint32_t pressed, float mouse);

/* Whether the demonstration plays (demo.h) instead of the keys. */
WEB_EXPORT(web_play_itself) void web_play_itself(bool itself);

/* There is no keyboard: what is written over the view names no keys. */
WEB_EXPORT(web_hide_keys) void web_hide_keys(bool hidden);

/* What is heard in the last frame, of so many seconds: pairs of 16 bits, 11,025 a second; web_heard
 * says how many. */
WEB_EXPORT(web_listen) const int16_t* web_listen(float seconds);
WEB_EXPORT(web_heard) uint32_t web_heard(void);

/* --- for tests -------------------------------------------------------------------------------- */

WEB_EXPORT(web_hash) uint64_t web_hash(void);
WEB_EXPORT(web_tick) uint32_t web_tick(void);
WEB_EXPORT(web_map_count) uint32_t web_map_count(void);
WEB_EXPORT(web_mode) uint32_t web_mode(void);     /* SESSION_* */
WEB_EXPORT(web_ghosts) uint32_t web_ghosts(void); /* in the picture */
WEB_EXPORT(web_x) float web_x(void);              /* where the player is */
WEB_EXPORT(web_y) float web_y(void);
WEB_EXPORT(web_angle) float web_angle(void);
WEB_EXPORT(web_played) float web_played(void); /* ms: what the ticks of the last frame took */

/* With others: hashes that were equal; the latest frame that is final and was hashed, -1: none, and
 * the hash before it; bits of the players who are there. */
WEB_EXPORT(web_compared) uint32_t web_compared(void);
WEB_EXPORT(web_final_frame) int32_t web_final_frame(void);
WEB_EXPORT(web_final_hash) uint64_t web_final_hash(void);
WEB_EXPORT(web_present) uint32_t web_present(void);

/* See trial.h. The simulation is that of the game; a script without hash has a fault. */
WEB_EXPORT(web_simulate) bool web_simulate(uint32_t ticks);
WEB_EXPORT(web_script) uint64_t web_script(uint32_t number, uint32_t ticks);
WEB_EXPORT(web_march) float web_march(uint32_t entities, uint32_t rounds, bool numbers);

#endif
