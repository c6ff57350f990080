/* name.c: names of entities. Not there yet: the hierarchy asks whether they allow a move. */
#include "relation/name_table.h"
bool setti_name_may_move(sett_world* world, uint32_t index, uint32_t parent, const char* call)
{
    (void)world;
    (void)index;
    (void)parent;
    (void)call;
    return true;
}
void setti_name_moved(sett_world* world, uint32_t index, uint32_t from)
{
    (void)world;
    (void)index;
    (void)from;
}
