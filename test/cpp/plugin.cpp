/* plugin.cpp: a shared library that shares no symbol with the program, beside the C functions. */
#include "sett/sett.hpp"

struct Position {
    float x, y;
};
namespace plugin
{
struct Own {
    int value = 3;
};
} // namespace plugin

extern "C" SETT_LINKAGE int plugin_run(sett_world* c)
{
    sett::world_ref world(c);
    auto query = world.query<Position>();
    int value = 0;
    query.each([&](sett::entity e, Position& p) {
        p.x += 4;
        e.later().set(plugin::Own());
    });
    if (!world.component<plugin::Own>() || !world.apply()) {
        return 0;
    }
    world.query<const plugin::Own>().each([&](const plugin::Own& o) { value += o.value; });
    world.system("plugin").each([](Position& p, const plugin::Own&) { p.x += 1; });
    return value;
}
