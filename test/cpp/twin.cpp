/* twin.cpp: a second file of the test's program, with types that are named like its own. */
#include "sett/sett.hpp"

namespace
{
struct State {
    double heat = 9, cold = 8, wet = 7;
};
struct Likeness {
    int n = 2;
};
} // namespace
struct Position {
    float x, y;
};

bool twin_uses(sett::world& world)
{
    sett::entity e = world.create();
    e.set(State(), Likeness());
    e.later().set(State()).add<Likeness>();
    (void)world.apply();
    return e.has<State>() || e.get<State>().heat != 9 || e.get_mut<State>() != nullptr ||
           e.ensure<State>() != nullptr || world.query<State>() || world.component<State>() ||
           e.has<Likeness>() || world.component<Likeness>();
}
/* In both files it is one type. */
bool twin_shares(sett::entity e)
{
    return e.get<Position>().x == 1;
}
