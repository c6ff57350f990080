/* misuse.cpp: programs that must not compile, each for the reason that stands above it, in the
 * words of sett.hpp. tools/test_cpp.sh compiles each, with -DMISUSE=<number>; 0 compiles. */
#include "sett/sett.hpp"

#include <string>
#include <vector>

struct Position {
    float x, y;
};
struct Frozen {
};
struct Label {
    std::string text;
};
struct Owes {
    int amount;
};
constexpr auto sett_type(const Owes*)
{
    return sett::type().relationship();
}
struct Plain {
    explicit Plain(int v) : value(v)
    {
    }
    int value;
};
struct Throws {
    Throws() = default;
    Throws(Throws&&) noexcept(false)
    {
    }
    Throws& operator=(const Throws&) = default;
};
struct Token {
    Token() = default;
    Token(Token&&) noexcept
    {
    }
};
struct Unique {
    Token value;
};
struct Group {
    std::vector<sett_entity> all;
};
struct Next {
    sett::entity e;
};
struct Node {
    Position* at;
    sett::entity next;
    sett_entity right;
};
#if MISUSE == 15
/* SAYS: a pointer means nothing in a file or on another machine */
constexpr auto sett_type(const Node*)
{
    return sett::type().member("at", &Node::at);
}
#elif MISUSE == 16
/* SAYS: a member that refers to an entity is a sett_entity */
constexpr auto sett_type(const Node*)
{
    return sett::type().member("next", &Node::next);
}
#elif MISUSE == 17
/* SAYS: snapshots cannot copy a member of this component */
constexpr auto sett_type(const Unique*)
{
    return sett::type().opaque("value", &Unique::value).local();
}
#elif MISUSE == 24
/* SAYS: a list of entities is a relationship with many */
constexpr auto sett_type(const Group*)
{
    return sett::type().member("all", &Group::all);
}
#elif MISUSE == 25
/* SAYS: an opaque member that owns memory cannot be written */
constexpr auto sett_type(const Label*)
{
    return sett::type().opaque("text", &Label::text);
}
#elif MISUSE == 0
constexpr auto sett_type(const Node*)
{
    return sett::type()
        .opaque("at", &Node::at)
        .local()
        .member("right", &Node::right)
        .opaque("next", &Node::next)
        .local();
}
#endif

int main()
{
    sett::world world;
    sett::entity e = world.create();
    (void)e;
#if MISUSE == 0
    world.system("s").each([](Position&, const Frozen*) {});
    e.set(Node()).relate(Owes{1}, e);
#elif MISUSE == 1
    /* SAYS: a component comes by reference or by pointer */
    world.system("s").each([](Position p) { p.x++; });
#elif MISUSE == 2
    /* SAYS: a tag (an empty type) has no value: filter by */
    world.system("s").each([](const Position&, Frozen&) {});
#elif MISUSE == 3
    /* SAYS: give each its type, such as */
    world.system("s").each([](auto& p) { p.x++; });
#elif MISUSE == 4
    /* SAYS: each() visits entities */
    world.system("s").each([](sett::frame) {});
#elif MISUSE == 5
    /* SAYS: so its lambda cannot be mutable */
    world.system("s").each([n = 0](Position& p) mutable { p.x += float(n++); });
#elif MISUSE == 6
    /* SAYS: the lambda's parameters are not those of the query */
    world.query<const Position>().each([](Position& p) { p.x++; });
#elif MISUSE == 7
    /* SAYS: this component owns memory */
    e.set(Label{"text"});
#elif MISUSE == 8
    /* SAYS: this type is a relationship, which needs a target */
    e.add<Owes>();
#elif MISUSE == 9
    /* SAYS: this type is no relationship */
    e.relate<Position>(e);
#elif MISUSE == 10
    /* SAYS: a component type needs a default constructor */
    e.set(Plain(1));
#elif MISUSE == 11
    /* SAYS: name the type without const here */
    e.get_mut<const Position>()->x = 1;
#elif MISUSE == 12
    /* SAYS: a component is a value, not a pointer or a reference */
    Position p = {};
    e.set(&p);
#elif MISUSE == 13
    /* SAYS: this component is a tag (an empty type), without a value */
    e.get<Frozen>();
#elif MISUSE == 14
    /* SAYS: the lambda of a recorded call is copied as bytes */
    world.later().call([text = std::string("x")](sett::world_ref) { (void)text; });
#elif MISUSE == 15 || MISUSE == 16
    e.set(Node());
#elif MISUSE == 24
    e.add<Group>();
#elif MISUSE == 25
    e.add<Label>();
#elif MISUSE == 17
    e.add<Unique>();
#elif MISUSE == 18
    /* SAYS: its move constructor and its destructor must be noexcept */
    e.add<Throws>();
#elif MISUSE == 19
    /* SAYS: run() calls the lambda once a frame */
    world.system("s").run([](Position&) {});
#elif MISUSE == 20
    /* SAYS: an observer calls f(sett::entity), or f(sett::entity, T&) */
    world.on_set<Position>([](Position&) {});
#elif MISUSE == 21
    /* SAYS: a component is a struct of its own */
    e.set(5);
#elif MISUSE == 22
    /* SAYS: cannot be a component: it has the address of its world */
    e.set(sett::entity());
#elif MISUSE == 26
    /* SAYS: for which it stores a sett_entity */
    e.set(Next{e});
#elif MISUSE == 23
    /* SAYS: a relationship has no field */
    world.system("s").each([](const Owes&) {});
#elif MISUSE == 27
    /* SAYS: a look-up is by a member that sett_type() lists */
    sett::lookup_by<&Position::x> by_x(world);
#endif
    return 0;
}
