/* An allocator of your own.
 *
 * All memory of a world comes from its allocator: here one that counts, and has a limit as on a
 * console. A call that does not get its memory fails, and leaves the world as it was. */
#include "sett/sett.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Position {
    double x, y, z;
} Position;

#define GAME(COMPONENT, TAG) COMPONENT(Position)
SETT_COMPONENTS(GAME)

typedef struct Budget {
    size_t used, limit;
} Budget;

static void* budget_alloc(void* user, size_t size, size_t align)
{
    Budget* budget = user;
    if (size > budget->limit - budget->used) {
        return NULL;
    }
    /* C11's needs a multiple of `align`; it never returns less than it was asked for */
    void* memory = aligned_alloc(align, (size + align - 1) / align * align);
    budget->used += memory != NULL ? size : 0;
    return memory;
}

static void budget_free(void* user, void* memory, size_t size, size_t align)
{
    Budget* budget = user;
    (void)align;
    budget->used -= size;
    free(memory);
}

int main(void)
{
    Budget budget = {.limit = 1 << 20};
    sett_world* world = sett_world_create(&(sett_world_desc){
        .allocator = {.alloc_fn = budget_alloc, .free_fn = budget_free, .user = &budget},
        .log_fn = sett_log_silent});
    SETT_REGISTER_ALL(world, GAME);
    uint32_t count = 0;
    while (!sett_is_null(SETT_CREATE(world, SETT_VALUE(Position, .x = 1)))) {
        count++;
    }
    bool right = sett_world_error(world) == SETT_STATUS_OUT_OF_MEMORY;
    right = right && sett_entity_count(world) == count && budget.used <= budget.limit;
    right = right && sett_world_validate(world, NULL) == SETT_OK;
    sett_world_destroy(world);
    printf("%u entities in 1 MB, %u bytes left over after the end\n", (unsigned)count,
           (unsigned)budget.used);
    return right && count > 20000 && budget.used == 0 ? 0 : 1;
}
