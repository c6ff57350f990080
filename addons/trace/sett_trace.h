/* sett_trace.h: what a world does, as a file that Perfetto (ui.perfetto.dev) and chrome://tracing
 * open. Link sett::trace.
 *
 *     sett_trace_file* file = sett_trace_file_create(100000);
 *     sett_trace_set(world, &(sett_trace){sett_trace_file_begin, sett_trace_file_end, file});
 *     ...                                             some frames
 *     sett_trace_set(world, NULL);
 *     sett_trace_file_save(file, "game.json");
 *     sett_trace_file_destroy(file);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TRACE_FILE_H
#define SETT_TRACE_FILE_H

#include "sett/trace.h"

#ifdef __GNUC__ /* also where the rest of this add-on is hidden in a shared library */
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Spans in memory. Several worlds can have one. */
typedef struct sett_trace_file sett_trace_file;

/* Reserves memory for so many spans, at 128 bytes each; later ones are counted, and left out.
 * Returns NULL if memory runs out, or for 0. Since: 0.2 */
sett_trace_file* sett_trace_file_create(uint32_t spans);

/* Frees it; NULL is fine. No world may have it any more. Since: 0.2 */
void sett_trace_file_destroy(sett_trace_file* file);

/* The functions for sett_trace; `user` is the file. A program can call them for spans of its own.
 * Names of more than 43 bytes are cut. Cost: a clock and an atomic addition, some 40 ns.
 * Threads: any. Since: 0.2 */
void sett_trace_file_begin(void* user, sett_span_kind kind, const char* name, uint64_t number);
void sett_trace_file_end(void* user, sett_span_kind kind);

/* Returns how many begins and ends did not fit. Threads: any. Since: 0.2 */
uint32_t sett_trace_file_lost(const sett_trace_file* file);

/* Writes all spans that have ended. No span is open on another thread meanwhile.
 * Returns false if the file cannot be written. Since: 0.2 */
bool sett_trace_file_save(const sett_trace_file* file, const char* path);

/* Forgets all spans. No span is open. Since: 0.2 */
void sett_trace_file_clear(sett_trace_file* file);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
