/* sett_zstd.h: compressed files, by zstd. Link sett::zstd.
 *
 *     sett_compression zstd = sett_zstd(3);
 *     sett_world_save_with(world, "game.sett", &(sett_file_desc){.compression = &zstd});
 *     sett_world_load_with(world, "game.sett", &(sett_file_desc){.compression = &zstd}, NULL);
 *
 * Loading with it reads files that are not compressed as well.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_ZSTD_H
#define SETT_ZSTD_H

#include "sett/file.h"

#ifdef __GNUC__ /* also where the rest of this add-on is hidden in a shared library */
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the functions for sett_file_desc.compression.
 *   level  1 (fast) to 19 (small); 0: 3
 * Threads: any. Since: 0.2 */
sett_compression sett_zstd(int level);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
