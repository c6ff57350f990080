/* User interface: drawing windows in their order.
 *
 * Children of a window are drawn after it, and later siblings above earlier ones: the order of the
 * hierarchy. A click attaches a window again as the last child: so it comes to the front. A list
 * whose rows have changed is emptied by one call and filled anew. */
#include "sett/sett.h"

#include <stdio.h>
#include <string.h>

typedef struct Widget {
    char letter;
} Widget;

#define SCREEN(COMPONENT, TAG) COMPONENT(Widget)
SETT_COMPONENTS(SCREEN)

static sett_entity widget(sett_world* world, sett_entity parent, char letter)
{
    sett_entity entity = SETT_CREATE(world, SETT_VALUE(Widget, letter));
    if (!sett_is_null(parent)) {
        sett_hierarchy_attach(world, entity, parent);
    }
    return entity;
}

static void draw(sett_world* world, sett_entity root, char* out)
{
    SETT_SUBTREE(world, root, at) {
        *out++ = SETT_GET(world, at, Widget)->letter;
    }
    *out = '\0';
}

static void bring_to_front(sett_world* world, sett_entity window)
{
    sett_hierarchy_attach(world, window, sett_hierarchy_parent(world, window));
}

static void fill(sett_world* world, sett_entity window, const char* rows)
{
    sett_hierarchy_destroy_children(world, window); /* and all below them */
    for (; *rows != '\0'; rows++) {
        widget(world, window, *rows);
    }
}

int main(void)
{
    char before[16], after[16], filled[16];
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, SCREEN);
    sett_entity screen = widget(world, sett_null(), '#');
    sett_entity first = widget(world, screen, 'A');
    sett_entity second = widget(world, screen, 'B');
    widget(world, first, 'a');
    widget(world, second, 'b');
    widget(world, screen, 'C');
    draw(world, screen, before);
    bring_to_front(world, first);
    draw(world, screen, after);
    fill(world, first, "xyz");
    draw(world, screen, filled);
    printf("%s, after a click on A: %s, with other rows: %s\n", before, after, filled);
    sett_world_destroy(world);
    return strcmp(before, "#AaBbC") == 0 && strcmp(after, "#BbCAa") == 0 &&
                   strcmp(filled, "#BbCAxyz") == 0
               ? 0
               : 1;
}
