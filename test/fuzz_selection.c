/* Feeds bytes to the loader of selections: as fuzz_delta.c, whose recipes, checks and world these
 * are. The last of three times only three types are allowed.
 *
 * SPDX-License-Identifier: MIT
 */
#define FUZZ_SELECTION 1
#include "fuzz_delta.c"
