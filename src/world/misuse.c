/* misuse.c: reports misuse to the hooks.
 *
 * The workload: a mistake in a loop, many times in a second. The log gets the 1st, the 10th, the
 * 100th report of a kind, and so on. The assert hook gets every report of misuse, but no report of
 * wrong input (a file, a delta, the text of a query). Two reports are of the same kind if the
 * messages differ only in handles, and if the callers on the stack are equal.
 *
 *     message   sett_get, entity 7:2, component 3 "Mass": the handle is stale ...
 *     kind      sett_get, entity    , component 3 "Mass": the handle is stale ...    in draw, main
 *
 * The callers tell apart equal messages from two places of the program. Only debug builds compare
 * callers, in about 2 us for a report.
 *
 * A small hash table counts the reports of each kind. A kind can be in four entries of the table. A
 * new kind replaces the kind with the fewest reports in these entries.
 *
 * Debug builds also report when two threads write to a world outside of systems.
 */
#include "world/world.h"

#include "base/platform.h"

#include <stdio.h>
#include <string.h>

#define MISUSE_WAYS 4     /* entries in which a kind can be */
#define MISUSE_CALLERS 16 /* callers to compare; about half are inside the library */
#define MISUSE_FNV 0x100000001B3u

static bool misuse_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the length of the handle (such as 7:2) at the beginning of a text. Returns 0 if the text
 * does not begin with a handle. */
static size_t misuse_handle_length(const char* text)
{
    size_t colon = 0;
    while (misuse_is_digit(text[colon])) {
        colon++;
    }
    if (colon == 0 || text[colon] != ':') {
        return 0;
    }
    size_t end = colon + 1;
    if (!misuse_is_digit(text[end])) {
        return 0;
    }
    while (misuse_is_digit(text[end])) {
        end++;
    }
    return end;
}

/* Returns the kind of a misuse: an FNV-1a hash of the message and of the callers. The hash leaves
 * out the handles in the message. */
static uint64_t misuse_kind(const char* message)
{
    uint64_t hash = 0xCBF29CE484222325u;
    const char* next = message;
    while (*next != '\0') {
        bool is_in_number = next != message && misuse_is_digit(next[-1]);
        if (!is_in_number) {
            next += misuse_handle_length(next); /* handles are not a part of the kind */
        }
        if (*next != '\0') {
            hash = (hash ^ (unsigned char)*next) * MISUSE_FNV;
            next++;
        }
    }
    void* callers[MISUSE_CALLERS];
    uint32_t count = 0;
    if (SETTI_DEBUG) {
        count = setti_platform_callers(callers, MISUSE_CALLERS);
    }
    for (uint32_t k = 0; k < count; k++) {
        hash = (hash ^ (uintptr_t)callers[k]) * MISUSE_FNV;
    }
    return hash | 1; /* never 0 */
}

/* Counts a report. Returns the number of reports of the kind so far. */
static uint64_t misuse_count(sett_world* world, uint64_t kind)
{
    setti_misuse* rarest = NULL;
    uint64_t count = 0;
    setti_lock_take(&world->misuse_lock); /* several threads may report at once */
    if (!world->misuse_is_zeroed) {
        memset(world->misuse, 0, sizeof(world->misuse));
        world->misuse_is_zeroed = true;
    }
    for (uint32_t way = 0; way < MISUSE_WAYS && count == 0; way++) {
        /* kind / 2, because the lowest bit of a kind is always 1 */
        setti_misuse* entry = &world->misuse[(kind / 2 + way) % SETTI_MISUSES];
        if (entry->kind == kind) {
            count = ++entry->count;
        }
        if (rarest == NULL || entry->count < rarest->count) {
            rarest = entry;
        }
    }
    if (count == 0) { /* a new kind */
        count = 1;
        rarest->kind = kind;
        rarest->count = count;
    }
    setti_lock_release(&world->misuse_lock);
    return count;
}

static bool misuse_is_power_of_ten(uint64_t count)
{
    SETTI_ASSERT(count != 0);
    while (count % 10 == 0) {
        count /= 10;
    }
    return count == 1;
}

SETTI_COLD void setti_misuse_report(const sett_world* world, sett_status status,
                                    const char* message, bool asserts)
{
    SETTI_ASSERT(status != SETT_OK && message != NULL);
    uint64_t count = misuse_count(setti_unconst(world), misuse_kind(message));
    char text[SETTI_MESSAGE_SIZE + 32];
    if (count == 1) {
        world->log_fn(world->hook_user, SETT_LOG_ERROR, message);
    } else if (misuse_is_power_of_ten(count)) {
        snprintf(text, sizeof(text), "%llu times: %s", (unsigned long long)count, message);
        world->log_fn(world->hook_user, SETT_LOG_ERROR, text);
    }
    if (asserts && world->assert_fn != NULL) {
        world->assert_fn(world->hook_user, status, message);
    }
}

SETTI_COLD void setti_misuse_note_type(const sett_world* const_world, sett_component id,
                                       const char* type_name)
{
    sett_world* world = setti_unconst(const_world);
    setti_lock_take(&world->misuse_lock);
    world->noted.id = id;
    snprintf(world->noted.name, sizeof(world->noted.name), "%s", type_name);
    setti_lock_release(&world->misuse_lock);
}

SETTI_COLD void setti_misuse_noted_type(const sett_world* const_world, sett_component id, char* out,
                                        size_t size)
{
    sett_world* world = setti_unconst(const_world);
    out[0] = '\0';
    setti_lock_take(&world->misuse_lock);
    if (world->noted.id == id && world->noted.name[0] != '\0') {
        snprintf(out, size, " (%s)", world->noted.name);
    }
    setti_lock_release(&world->misuse_lock);
}

/* Fails and returns true if the world or the descriptor is NULL. */
static bool misuse_lacks_descriptor(sett_world* world, const void* desc, const char* call)
{
    if (setti_is_null(world, call, "world")) {
        return true;
    }
    if (desc != NULL) {
        return false;
    }
    setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                          "%s: the descriptor is NULL - pass the address of a descriptor", call);
    return true;
}

/* Fails because a descriptor is longer than this library's. Returns NULL. */
SETTI_COLD static const void* misuse_reject_long_descriptor(sett_world* world, const char* call)
{
    setti_world_fail_with(world, SETT_STATUS_MISMATCH,
                          "%s: the descriptor is longer than this library's, because the program "
                          "was compiled with a later sett.h - use the library of that version",
                          call);
    return NULL;
}

SETTI_COLD const void* setti_world_desc_terms(sett_world* world, const void* desc, size_t size,
                                              size_t term_size, void* full, size_t full_size,
                                              sett_term* terms, const char* call)
{
    if (misuse_lacks_descriptor(world, desc, call)) {
        return NULL;
    }
    if (SETTI_LIKELY(size == full_size && term_size == sizeof(sett_term))) {
        return desc;
    }
    const unsigned char* original = desc;
    unsigned char* copy = full;
    /* the terms have the same offset in *desc and *full, and may differ in size */
    size_t terms_begin = (size_t)((unsigned char*)terms - copy);
    size_t terms_end = terms_begin + SETT_QUERY_TERMS * term_size;
    size_t full_terms_end = terms_begin + SETT_QUERY_TERMS * sizeof(sett_term);
    bool has_longer_terms = term_size > sizeof(sett_term);
    /* the fields after the terms are longer than in this library */
    bool has_more_fields = size >= terms_end && size - terms_end > full_size - full_terms_end;
    if (has_longer_terms || has_more_fields) {
        return misuse_reject_long_descriptor(world, call);
    }
    if (size < terms_end) {
        setti_world_fail_with(world, SETT_STATUS_ARGUMENT,
                              "%s: `size` is %llu bytes, and the descriptor's terms end at %llu - "
                              "pass the size of the whole descriptor",
                              call, (unsigned long long)size, (unsigned long long)terms_end);
        return NULL;
    }
    memcpy(copy, original, terms_begin);
    for (size_t k = 0; k < SETT_QUERY_TERMS; k++) {
        setti_copy_sized(copy + terms_begin + k * sizeof(sett_term), sizeof(sett_term),
                         original + terms_begin + k * term_size, term_size);
    }
    setti_copy_sized(copy + full_terms_end, full_size - full_terms_end, original + terms_end,
                     size - terms_end);
    return full;
}

const void* setti_world_desc(sett_world* world, const void* desc, size_t size, void* full,
                             size_t full_size, const char* call)
{
    if (misuse_lacks_descriptor(world, desc, call)) {
        return NULL;
    }
    if (SETTI_LIKELY(size == full_size)) {
        return desc;
    }
    if (size > full_size) {
        return misuse_reject_long_descriptor(world, call);
    }
    setti_copy_sized(full, full_size, desc, size);
    return full;
}

SETTI_COLD void setti_misuse_check_owner(sett_world* world, const char* call)
{
    uintptr_t thread = setti_platform_thread();
    if (world->owner == 0) {
        world->owner = thread;
    } else if (world->owner != thread && world->running == NULL) { /* the guard checks systems */
        setti_world_misuse_with(world, SETT_STATUS_CONFLICT,
                                "%s: another thread writes to this world - let one thread write at "
                                "a time; the one that takes over calls sett_world_own(world)",
                                call);
    }
}

void sett_world_own(sett_world* world)
{
    if (!SETTI_IS_NULL(world)) {
        world->owner = setti_platform_thread();
    }
}
