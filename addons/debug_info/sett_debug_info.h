/* sett_debug_info.h: members of component types from the program's debug information.
 *
 *     SETT_REGISTER(world, Position);
 *     SETT_REGISTER(world, Velocity);
 *     sett_debug_info_describe(world, NULL, NULL); // both have members now
 *
 * For programs compiled with -g (DWARF, as gcc and clang write it on Linux) and not stripped. Debug
 * information in files of other packages is not looked for, nor is the network. Needs libdw; link
 * sett::debug_info.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_DEBUG_INFO_H
#define SETT_DEBUG_INFO_H

#include "sett/members.h"

#ifdef __GNUC__ /* also where the rest of this add-on is hidden in a shared library */
#pragma GCC visibility push(default)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Options. All zeroes is a good default. */
typedef struct sett_debug_info_desc {
    /* receives a line for each type that is left out, with the reason, and for a failure; the world
     * can be read in it. Default: sett_log_stderr */
    sett_log_fn log_fn;
    void* log_user;
} sett_debug_info_desc;

/* Counts of types. */
typedef struct sett_debug_info_result {
    uint32_t described; /* have members now that they did not have */
    uint32_t left_out;  /* still without members */
} sett_debug_info_result;

/* Describes each registered type that has values and no members, as sett_members_set does. Finds
 * its C type by `type_name`, without that by `name`, at file scope of the program and of its shared
 * libraries. Kinds and order are those that SETT_STRUCT gives to all members as declared. Besides:
 *
 *     enums            have their constants
 *     nested structs   have their members; those of a struct without a name become members of the
 *                      outer one, and in C++ those of base classes
 *     unions           are opaque, as are long double and complex numbers
 *     pointers         are opaque and local: an address means nothing elsewhere
 *
 * Units, ranges, scales, sets of bits and names of elements are not in debug information.
 * Left out are types with bit-fields, types that are not found with the registered size, or found
 * with that size in several forms, and types of which values exist.
 * Compilers omit types that only sizeof mentions, and clang typedefs that nothing is declared with:
 * -fno-eliminate-unused-debug-types includes them. Types in namespaces of C++ are not found.
 *   desc    options; NULL for the defaults
 *   result  receives counts; NULL if they are not needed
 * Returns OK, also if types were left out; the types described before a failure stay described.
 * Fails: ARGUMENT (world is NULL), ABSENT (the program has no debug information: compile it with
 * -g), LOCKED, OUT_OF_MEMORY. sett_world_error is not set.
 * Cost: reads all debug information once: about 10 ms for 1 MB.
 * Threads: writer. Since: 0.2 */
sett_status sett_debug_info_describe(sett_world* world, const sett_debug_info_desc* desc,
                                     sett_debug_info_result* result);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
