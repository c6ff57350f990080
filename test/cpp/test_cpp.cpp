/* test_cpp.cpp: what sett.hpp promises. `make test-cpp` compiles it by g++ and clang++, as C++17
 * and as C++20, without a warning, and runs it, by clang++ with sanitizers. */
#include "sett/sett.hpp"

#include "check.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
constexpr auto sett_type(const Position*)
{
    return sett::type().member("x", &Position::x).unit("m").member("y", &Position::y).range(0, 9);
}
struct Scared {
    int timer = 40;
};
struct Frozen {
};
struct Dead {
};
struct Owner {
};
struct Clock {
    uint64_t ticks;
};
struct Count {
    int value;
};
struct Health {
    int points;
};
struct Damage {
    int points;
};
struct Label {
    std::string text;
};
constexpr auto sett_type(const Label*)
{
    return sett::type().member("text", &Label::text);
}
struct Item {
    uint16_t number = 1;
    std::string name;
};
constexpr auto sett_type(const Item*)
{
    return sett::type().member("number", &Item::number).member("name", &Item::name);
}
enum class Mood : uint8_t {
    calm,
    angry
};
/* What a component may own. */
struct Bag {
    std::vector<float> weights;
    std::vector<std::string> words;
    std::vector<Item> items;
    std::vector<bool> marks;
    std::unique_ptr<Item> best;
    std::vector<std::unique_ptr<int>> numbers;
    std::array<std::string, 2> pair;
    char tag[8] = "";
    Mood mood = Mood::calm;
    double size = 0;
    sett_entity owner = {};
    std::shared_ptr<int> cache; /* of this program only */
    std::string last;
};
constexpr auto sett_type(const Bag*)
{
    return sett::type()
        .member("weights", &Bag::weights)
        .member("words", &Bag::words)
        .member("items", &Bag::items)
        .member("marks", &Bag::marks)
        .member("best", &Bag::best)
        .member("numbers", &Bag::numbers)
        .member("pair", &Bag::pair)
        .member("tag", &Bag::tag)
        .member("mood", &Bag::mood)
        .member("size", &Bag::size)
        .member("owner", &Bag::owner)
        .opaque("cache", &Bag::cache)
        .local()
        .member("last", &Bag::last);
}
struct Forgetful { /* a member is not listed */
    std::string text;
    std::vector<int> forgotten;
};
constexpr auto sett_type(const Forgetful*)
{
    return sett::type().member("text", &Forgetful::text);
}
struct Handle { /* cannot be copied */
    std::unique_ptr<int> number;
};
constexpr auto sett_type(const Handle*)
{
    return sett::type().skip();
}
struct Owes {
    int amount;
};
constexpr auto sett_type(const Owes*)
{
    return sett::type().relationship().many().member("amount", &Owes::amount);
}
struct DockedAt {
};
constexpr auto sett_type(const DockedAt*)
{
    return sett::type().relationship().acyclic();
}
struct Sprite {
    std::array<uint8_t, 4> color;
    Position at[2];
    sett_entity owner;
};
constexpr auto sett_type(const Sprite*)
{
    return sett::type()
        .member("color", &Sprite::color)
        .member("at", &Sprite::at)
        .member("owner", &Sprite::owner)
        .sparse()
        .needs<Position, Count>();
}

namespace game
{
struct Position {
    double x, y, z;
};
namespace
{
struct Hidden {
    int value;
};
} // namespace
class Secret
{
  public:
    int value() const
    {
        return value_;
    }
    void set(int v)
    {
        value_ = v;
    }

  private:
    int value_ = 7;
    friend constexpr auto sett_type(const Secret*)
    {
        return sett::type().member("value", &Secret::value_).name("Secret").can_disable();
    }
};
template <class T> struct Vec {
    T x, y;
};
} // namespace game

static_assert(sizeof(sett::entity) == 16);
static_assert(!std::is_copy_constructible_v<sett::world> &&
              std::is_nothrow_move_constructible_v<sett::world>);
static_assert(!std::is_copy_constructible_v<sett::query<Position>> &&
              std::is_nothrow_move_constructible_v<sett::query<Position>>);

static uint32_t misuses;
static char last_misuse[600];

static sett::world quiet()
{
    sett_world_desc desc = {};
    desc.log_fn = sett_log_silent;
    desc.assert_fn = [](void*, sett_status, const char* message) {
        misuses++;
        std::snprintf(last_misuse, sizeof(last_misuse), "%s", message);
    };
    return sett::world(desc);
}

static void ends(sett::world& world)
{
    const char* reason = "";
    if (sett_world_validate(world.c(), &reason) != SETT_OK) {
        std::puts(reason);
        CHECK(false);
    }
}

/* The program of README.md. */
static void readme()
{
    sett::world world;
    world.system("move").each(
        [](sett::frame f, Position& p, const Velocity& v) { p.x += v.x * f.dt; });
    sett::entity ship = world.create(Position{1, 0}, Velocity{10, 0});
    for (int frame = 0; frame < 60; frame++) {
        CHECK(world.progress(1.0f / 60));
    }
    char text[32];
    std::snprintf(text, sizeof(text), "x = %.1f", double(ship.get<Position>().x));
    CHECK(std::strcmp(text, "x = 11.0") == 0);
    ends(world);
}

static void values()
{
    sett::world world = quiet();
    sett::entity e = world.create(Position{1, 2}, Frozen{});
    CHECK(e && e.has<Position>() && e.has<Frozen>() && !e.has<Dead>() && !e.has<Velocity>());
    CHECK(e.get<Position>().y == 2 && e.find<Velocity>() == nullptr);
    e.add<Scared>().set(Velocity{3, 4}, Dead{});
    CHECK(e.get<Scared>().timer == 40 && e.get<Velocity>().x == 3 && e.has<Dead>());
    e.find_mut<Scared>()->timer = 3;
    e.get_mut<Position>()->x = 9;
    CHECK(e.get<Scared>().timer == 3 && e.get<Position>().x == 9);
    CHECK(e.ensure<Count>()->value == 0);
    e.remove<Scared, Dead>();
    CHECK(!e.has<Scared>() && !e.has<Dead>());
    misuses = 0;
    CHECK(e.get<Scared>().timer == 40); /* absent: T{}, and reported */
    CHECK(e.get<Clock>().ticks == 0);   /* not even registered */
#if !defined(NDEBUG)
    CHECK(std::strstr(last_misuse, "(Clock): the id is not registered") != nullptr);
#endif
#if !defined(NDEBUG)
    CHECK(misuses == 2);
#endif
    CHECK(e.ensure<Scared>()->timer == 40);
    sett::entity other = world.create();
    CHECK(other != e && world.count() == 2 && world.of(e) == e);
    std::unordered_set<sett_entity> handles = {e, other, e};
    std::unordered_map<sett::entity, int> numbers = {{e, 1}, {other, 2}};
    CHECK(handles.size() == 2 && numbers[other] == 2);
    CHECK(sett_entity(e) == e && sett_entity(e) != other);
    other.destroy();
    CHECK(!other && !sett::entity());
    ends(world);
}

static void names_of_types()
{
    struct Local {
        int value;
    };
    sett::world world = quiet();
    CHECK(world.component<Position, game::Position, game::Hidden, Local, game::Vec<float>>());
    CHECK(sett_component_find(world.c(), "Position") == world.id<Position>());
    CHECK(sett_component_find(world.c(), "game::Position") == world.id<game::Position>());
    CHECK(sett_component_find(world.c(), "game::Hidden") == world.id<game::Hidden>());
    CHECK(sett_component_find(world.c(), "Local") == world.id<Local>());
    CHECK(sett_component_find(world.c(), "game::Vec<float>") == world.id<game::Vec<float>>());
    sett::entity e = world.create(game::Secret());
    CHECK(sett_component_find(world.c(), "Secret") == world.id<game::Secret>());
    CHECK(e.get<game::Secret>().value() == 7);
    e.enable<game::Secret>(false);
    CHECK((world.query<game::Secret>().count() == 0));
    ends(world);
}

/* Reading in line finds all types of a program, also those whose first slot another one has. Names
 * take no slots. */
template <int n> struct Numbered {
    int value = n;
};
template <int... n>
static void look_up_numbered(const sett::world& world, std::integer_sequence<int, n...>)
{
    CHECK((world.component<Numbered<n>...>()));
    const sett_bound_* front = sett_read_header_(world.c())->bound;
    int used = 0;
    for (int k = 0; k < SETT_BOUND_FRONT_; k++) {
        used += front[k].number != 0;
    }
    CHECK(used == sizeof...(n));
    int first = 0;
    auto look = [&](uint64_t number, sett_component id) {
        const uint32_t at = sett_bound_first_(number);
        const bool is_first = front[at].number == number;
        const sett_bound_& slot = front[is_first ? at : sett_bound_other_(number, at)];
        CHECK(slot.number == number && slot.component == id);
        first += is_first;
    };
    (look(sett::detail::number_of<Numbered<n>>(), world.id<Numbered<n>>()), ...);
    CHECK(first < used);
    sett::entity e = world.create();
    (e.set(Numbered<n>()), ...);
    CHECK((... && (e.get<Numbered<n>>().value == n && e.has<Numbered<n>>())));
}
static void slots_of_types()
{
    sett::world world = quiet();
    look_up_numbered(world, std::make_integer_sequence<int, 100>());
    ends(world);
}

/* Two types of one name in one program are kept apart: the first has it, the second is rejected.
 * The other file is twin.cpp. */
namespace
{
struct State {
    int n = 1;
};
struct Likeness {
    int n = 1;
};
} // namespace
bool twin_uses(sett::world& world);
bool twin_shares(sett::entity e);

static bool uses_timer(sett::world& world)
{
    struct Timer {
        float seconds = 2, of = 3;
    };
    sett::entity e = world.create(Timer());
    return e || world.component<Timer>();
}
static void names_of_two_types()
{
    struct Timer {
        int n = 1;
    };
    sett::world world = quiet();
    sett::entity e = world.create(State{4}, Likeness{5}, Timer{6}, Position{1, 2});
    misuses = 0;
    CHECK(twin_shares(e));
    CHECK(misuses == 0);
    CHECK(!twin_uses(world) && !uses_timer(world));
#if !defined(NDEBUG)
    CHECK(misuses > 0);
#endif
    CHECK(sett_world_error(world.c()) == SETT_STATUS_CONFLICT);
    CHECK(std::strstr(world.message(),
                      "two C++ types have the name \"Timer\", of 4 bytes and of 8") != nullptr);
    CHECK(e.get<State>().n == 4 && e.get<Likeness>().n == 5 && e.get<Timer>().n == 6);
    sett::world other = quiet(); /* there the second is the first */
    CHECK(uses_timer(other) && other.query<Timer>().count() == 0);
    ends(world);
    ends(other);
}

/* A file brings a type before its first use here. */
static void types_of_files()
{
    const std::string path = std::string(std::getenv("SETT_TEST_FOLDER")) + "/test_types.sett";
    {
        sett::world world = quiet();
        world.create(Label{"a text that does not fit into the string itself"}).name("l");
        CHECK(world.save(path.c_str()));
    }
    sett::world world = quiet();
    CHECK(world.load(path.c_str()));
    sett::entity e = world.lookup("l");
    misuses = 0;
    CHECK(e && !e.has<Label>() && e.find<Label>() == nullptr && e.find_mut<Label>() == nullptr);
    CHECK(e.get<Label>().text.empty() && e.get_mut<Label>() == nullptr);
    CHECK(e.ensure<Label>() == nullptr && !world.query<Label>() && !world.component<Label>());
    e.set(Label{"x"}).add<Label>().remove<Label>();
#if !defined(NDEBUG)
    CHECK(misuses > 0);
#endif
    CHECK(std::strstr(world.message(), "register types before loading") != nullptr);
    ends(world);
}

static bool says(sett::world& world, const char* text)
{
    const bool found = std::strstr(world.message(), text) != nullptr;
    sett_failure none = {};
    sett_world_swap_failure(world.c(), &none);
    if (!found) {
        std::puts(none.message);
    }
    return found;
}

/* gcc and clang agree on the names of templates, which are part of files. */
namespace shapes
{
enum class Side {
    left,
    right
};
template <class... T> struct Box {
    int n = 0;
};
template <unsigned long n> struct Buffer {
    char bytes[n] = {};
};
template <Side s> struct Hand {
    int n = 0;
};
struct Depth {
    float meters = 0;
};
constexpr auto sett_type(const Depth*)
{
    return sett::type().member("meters", &Depth::meters);
}
} // namespace shapes
static void names_of_templates()
{
    using namespace shapes;
    CHECK(sett::detail::name_of<Box<long>>() == std::string("shapes::Box<long>"));
    CHECK(sett::detail::name_of<Box<unsigned long long, short>>() ==
          std::string("shapes::Box<unsigned long long, short>"));
    CHECK(sett::detail::name_of<Box<unsigned, unsigned char, unsigned short>>() ==
          std::string("shapes::Box<unsigned int, unsigned char, unsigned short>"));
    CHECK(sett::detail::name_of<Box<Box<int>>>() == std::string("shapes::Box<shapes::Box<int>>"));
    CHECK(sett::detail::name_of<Buffer<16>>() == std::string("shapes::Buffer<16>"));
    CHECK(sett::detail::name_of<Box<std::string, int>>() ==
          std::string("shapes::Box<std::basic_string<char>, int>"));
    CHECK(sett::detail::name_of<Box<std::vector<std::string>>>() ==
          std::string("shapes::Box<std::vector<std::basic_string<char>>>"));
    CHECK(sett::detail::name_of<Box<int*, const char* const>>() ==
          std::string("shapes::Box<int*, const char*const>"));
    CHECK(sett::detail::name_of<Hand<Side::right>>() ==
          std::string("shapes::Hand<shapes::Side::right>"));

    sett::world world = quiet();
    world.create(Depth{3});
    world.create(Depth{30});
    CHECK(world.search("shapes::Depth.meters > 5").count() == 1);
    CHECK(world.search("\"shapes::Depth\".meters > 5, shapes::Depth").count() == 1);
    CHECK(!world.search("shapes:Depth") && !world.search("shapes::"));
    world.create(Item{5, "five"});
    CHECK(!world.search("Item.number > 4"));
    CHECK(says(world, "to compare: it is a C++ type with strings or lists - put the member into "
                      "another component"));
    const uint64_t then = world.tick();
    CHECK(then == sett_world_tick(world.c()));
    ends(world);
}

/* What has more of something than there is room for fails, and says what and where. */
template <int... n>
static sett_system* look_up(sett::world& world, std::integer_sequence<int, n...>)
{
    return world.system("looks").each([](Position&, sett::lookup<Numbered<n>>...) {});
}
template <int... n>
static sett_system* look_up_by_list(sett::world& world, const char* name,
                                    std::integer_sequence<int, n...>)
{
    return world.system(name).reads_any<Numbered<n>...>().each([](Position&) {});
}
template <int... n> static bool filter_by(sett::world& world, std::integer_sequence<int, n...>)
{
    return bool(world.query<Position, sett::without<Numbered<n>...>>());
}
static void limits()
{
    sett::world world = quiet();
    const char* names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    {
        auto builder = world.system("last");
        for (const char* name : names) {
            (void)builder.after(name);
        }
        CHECK(world.message()[0] == '\0');
        (void)builder.after("ninth");
        CHECK(builder.run([](sett::frame) {}) == nullptr);
        CHECK(says(world, "system \"last\": more than 8 names"));
    }
    CHECK(look_up(world, std::make_integer_sequence<int, 16>()) != nullptr);
    CHECK(look_up(world, std::make_integer_sequence<int, 17>()) == nullptr);
    CHECK(says(world, "system \"looks\": more than 16 components"));
    CHECK(look_up_by_list(world, "few", std::make_integer_sequence<int, 16>()) != nullptr);
    CHECK(look_up_by_list(world, "many", std::make_integer_sequence<int, 17>()) == nullptr);
    CHECK(says(world, "system \"many\": more than 16 components"));
    CHECK(filter_by(world, std::make_integer_sequence<int, 31>()));
    CHECK(!filter_by(world, std::make_integer_sequence<int, 32>()));
    CHECK(says(world, "more than 32 terms"));
    CHECK(world.system("runs").with<Position>().run([](sett::frame) {}) == nullptr);
    CHECK(says(world, "run() visits no entities"));
    ends(world);
}

/* An entity of no world. */
static void no_world()
{
    sett::entity none;
    none.add<Scared>().set(Position{1, 2}, Frozen{}).remove<Scared, Frozen>().enable<Scared>();
    none.clear().name("none").child_of(none).relate<DockedAt>(none).send(Damage{1});
    none.later().set(Position{1, 2}).add<Frozen>().destroy();
    none.destroy();
    CHECK(!none && !none.has<Position>() && none.find<Position>() == nullptr);
    CHECK(none.find_mut<Position>() == nullptr && none.get_mut<Position>() == nullptr);
    CHECK(none.ensure<Position>() == nullptr && none.get<Scared>().timer == 40);
    CHECK(!none.parent() && none.name() == nullptr && !none.target<DockedAt>());
    CHECK(none.related<Owes>(none) == nullptr && !none.instantiate(Position{1, 2}));
    for (sett::entity child : none.children()) {
        CHECK(!child);
        std::abort();
    }
    for (sett::entity to : none.targets<DockedAt>()) {
        CHECK(!to);
        std::abort();
    }
}

/* C has registered the type before: with the same layout, and with another one. */
static void types_of_c()
{
    sett::world world = quiet();
    sett_component_desc desc = {};
    desc.name = desc.type_name = "Count";
    desc.size = desc.align = 4;
    desc.storage = SETT_STORAGE_SPARSE_SET;
    desc.id = 77;
    CHECK(sett_component_register(world.c(), &desc) == 77);
    CHECK(world.id<Count>() == 77);
    desc.name = desc.type_name = "Velocity";
    desc.id = 78;
    CHECK(sett_component_register(world.c(), &desc) == 78);
    CHECK(!world.component<Velocity>());
    CHECK(sett_world_error(world.c()) == SETT_STATUS_CONFLICT);
    CHECK((!world.query<Position, Velocity>()));
    for (auto [e, v] : world.query<Velocity>()) {
        CHECK(v.x == v.x + 1 && !e);
    }
    CHECK(sett_component_unregister(world.c(), 77) == SETT_OK);
    CHECK(world.id<Count>() != 0 && world.create(Count{3}).get<Count>().value == 3);
    ends(world);
}

static void members()
{
    sett::world world = quiet();
    sett::entity owner = world.create().name("owner");
    sett::entity e =
        world.create(Sprite{{1, 2, 3, 4}, {{1, 2}, {3, 4}}, owner}, Position{0, 0}).name("e");
    CHECK(e.has<Count>()); /* needs */
    std::string text;
    CHECK(world.write_json(text));
    CHECK(text.find("\"Sprite\": {\"color\": [1, 2, 3, 4], \"at\": [{\"x\": 1, \"y\": 2}, "
                    "{\"x\": 3, \"y\": 4}], \"owner\": \"/owner\"}") != std::string::npos);
    const sett_struct* of = sett_members_get(world.c(), world.id<Position>());
    CHECK(of != nullptr && of->count == 2 && std::strcmp(of->members[0].unit, "m") == 0 &&
          of->members[1].maximum == 9);
    sett::world copy = quiet();
    CHECK((copy.component<Sprite, Position>()));
    CHECK(copy.read_json(text.data(), text.size()));
    CHECK(copy.lookup("e").get<Sprite>().at[1].y == 4);
    CHECK(copy.lookup("e").get<Sprite>().owner == copy.lookup("owner"));
    if (auto failed = copy.read_json("{", 1); !failed) {
        CHECK(failed.code() == SETT_STATUS_INVALID && failed.message()[0] != '\0');
    }
    ends(copy);
}

static void queries()
{
    sett::world world = quiet();
    for (int k = 0; k < 3000; k++) {
        sett::entity e = world.create(Position{float(k), 0}, Count{k});
        if (k % 3 == 0) {
            e.set(Velocity{1, 1});
        }
        if (k % 5 == 0) {
            e.add<Frozen>();
        }
    }
    auto all = world.query<Position, const Velocity*, Frozen*>();
    int count = 0, with = 0, frozen = 0;
    all.each([&](sett::entity e, Position& p, const Velocity* v, Frozen* f) {
        CHECK(e.get<Count>().value == int(p.x));
        CHECK((v != nullptr) == (int(p.x) % 3 == 0) && (f != nullptr) == (int(p.x) % 5 == 0));
        count++, with += v != nullptr, frozen += f != nullptr;
    });
    CHECK(count == 3000 && with == 1000 && frozen == 600 && all.count() == 3000);
    int rows = 0;
    for (auto [e, p, v, f] : all) {
        CHECK(e.get<Count>().value == int(p.x));
        CHECK((v != nullptr) == (int(p.x) % 3 == 0) && (f != nullptr) == (int(p.x) % 5 == 0));
        p.y = 1;
        rows++;
    }
    CHECK(rows == 3000);
    auto few = world.query<const Position, sett::with<Velocity>, sett::without<Frozen>>();
    few.each([&](const Position& p) {
        CHECK(int(p.x) % 3 == 0 && int(p.x) % 5 != 0 && p.y == 1);
        count--;
    });
    CHECK(count == 2200 && few.count() == 800);
    CHECK((world.query<sett::any<Velocity, Frozen>, const Position>().count() == 1400));
    for (auto [e, p] : few) {
        CHECK(e == few.first() && p.x == 3);
        break;
    }
    CHECK(few.matches(few.first()) &&
          !few.matches(world.query<Frozen*, sett::with<Frozen>>().first()));
    const uint64_t seen = sett_world_tick(world.c());
    sett_world_advance_tick(world.c());
    world.query<Count>().first().get_mut<Count>()->value = 8;
    auto news = world.query<sett::changed<Count>>();
    news.since(seen);
    CHECK(news.count() == 1024); /* a page */
    world.query<Count>().each([&](sett::entity e, Count& c) {
        if (c.value % 2 == 0) {
            e.later().remove<Count>().add<Dead>();
        }
    });
    CHECK(world.query<Count>().count() == 3000 && world.apply());
    CHECK(world.query<Count>().count() == 1500 && world.query<sett::with<Dead>>().count() == 1500);
    world.later().create().set(Clock{3}, Owner{}).remove<Scared, Clock>();
    CHECK(world.apply() && !world.query<Clock>().first() &&
          world.query<sett::with<Owner>>().first());
    auto moved = std::move(few);
    CHECK(!few && moved.count() > 0);
    few = std::move(moved);
    CHECK(few && !moved);
    ends(world);
}

static void relations()
{
    sett::world world = quiet();
    sett::entity tank = world.create(Position{5, 0}).name("tank");
    sett::entity turret = world.create(Position{1, 0}).child_of(tank);
    sett::entity barrel = world.create(Position{1, 0}, Velocity{1, 1}).child_of(turret);
    world.create().child_of(tank);
    CHECK(barrel.parent() == turret && !tank.parent());
    int children = 0;
    for (sett::entity child : tank.children()) {
        CHECK(child.parent() == tank);
        children++;
    }
    CHECK(children == 2 && world.lookup("tank") == tank && std::strcmp(tank.name(), "tank") == 0);
    float sum = 0;
    for (auto [e, p, up, v] :
         world.query<const Position, sett::parent<const Position>, const Velocity*>()) {
        CHECK(e.parent().get<Position>().x == up->x);
        sum += p.x + up->x + (v != nullptr ? v->x : 0);
    }
    CHECK(sum == 1 + 5 + 1 + 1 + 1);
    world.query<const Position, sett::up<Position>, sett::with<Velocity>>().each(
        [](const Position&, sett::up<Position> up) { up->y = 8; });
    CHECK(turret.get<Position>().y == 8);

    sett::entity bob = world.create(), alice = world.create(), carol = world.create();
    bob.relate(Owes{5}, alice).relate(Owes{6}, carol);
    CHECK(bob.related<Owes>(alice)->amount == 5 && alice.related<Owes>(bob) == nullptr);
    bob.related_mut<Owes>(carol)->amount++;
    int amount = 0;
    for (sett::entity who : bob.targets<Owes>()) {
        amount += bob.related<Owes>(who)->amount;
    }
    CHECK(amount == 12);
    for (sett::entity who : carol.sources<Owes>()) {
        CHECK(who == bob);
    }
    bob.unrelate<Owes>(carol);
    CHECK(bob.has<Owes>() && !bob.related<Owes>(carol) && bob.target<Owes>() == alice);
    tank.relate<DockedAt>(bob);
    CHECK(tank.target<DockedAt>() == bob);
    bob.relate<DockedAt>(tank);
    CHECK(sett_world_error(world.c()) == SETT_STATUS_CYCLE);

    auto search = world.search("Owes($who, $to)");
    int found = 0;
    search.each([&](sett::entity who, sett::entity to) { found += who == bob && to == alice; },
                "who", "to");
    CHECK(found == 1 && search.count() == 1 && search.bind("to", bob) && search.count() == 0);
    search.each([&](sett::entity) { found++; }, "nothing");
    CHECK(found == 1);
    ends(world);
}

struct Ticket {
    uint64_t key = 0;
    int16_t price = 0;
    int16_t seat = 0; /* of the kind of another member */
    sett_entity owner = {};
};
constexpr auto sett_type(const Ticket*)
{
    return sett::type()
        .member("key", &Ticket::key)
        .member("price", &Ticket::price)
        .member("seat", &Ticket::seat)
        .member("owner", &Ticket::owner);
}

static void look_ups()
{
    sett::world world = quiet();
    sett::lookup_by<&Ticket::key> by_key(world);
    sett::lookup_by<&Ticket::owner> by_owner(world);
    sett::lookup_by<&Ticket::price, true> by_price(world);
    const sett::lookup_by<&Ticket::seat> by_seat(world);
    CHECK(by_key && by_owner && by_price && by_seat && !by_key.find(7));
    sett::entity alice = world.create(Position{});
    sett::entity all[100];
    for (int k = 0; k < 100; k++) {
        const int16_t price = static_cast<int16_t>(90 - k);
        all[k] = world.create(Ticket{static_cast<uint64_t>(k), price, static_cast<int16_t>(k % 4),
                                     k % 2 == 0 ? sett_entity(alice) : sett_entity{}});
    }
    CHECK(by_key.find(77) == all[77] && !by_key.find(100) && by_key.count(5) == 1);
    CHECK(by_seat.count(3) == 25 && !by_seat.find(3)); /* there are several */
    int sum = 0;
    CHECK(by_owner.each(alice, [&](sett::entity e) { sum += e.get<Ticket>().seat; }) == 50);
    CHECK(sum == 50);
    int16_t last = -100;
    CHECK(by_price.each(-9, 5, [&](sett::entity e) {
        CHECK(e.get<Ticket>().price > last);
        last = e.get<Ticket>().price;
        e.destroy(); /* these are copies of handles */
    }) == 15);
    CHECK(last == 5 && by_price.each(-9, 5, [](sett::entity) {}) == 0 && by_price.count(6) == 1);
    all[3].get_mut<Ticket>()->key = 1000;
    CHECK(by_key.find(1000) == all[3] && !by_key.find(3));
    sett::lookup_by<& Ticket::key> moved = std::move(by_key);
    CHECK(!by_key && by_key.count(5) == 0 && !by_key.find(5) && moved.find(5) == all[5]);
    ends(world);
}

/* Types that a command is the first to use, inside a loop, where none can be registered. */
static void new_types_of_commands()
{
    sett::world world = quiet();
    CHECK((world.component<Position, Count>()));
    sett::entity bob = world.create(Position{1, 0}), alice = world.create(Position{2, 0});
    sett::entity gone = world.create();
    int links = 0, events = 0;
    world.query<const Position>().each([&](sett::entity e, const Position& p) {
        e.later().relate(Owes{p.x == 1 ? 5 : 6}, p.x == 1 ? alice : bob);
        e.later().relate<DockedAt>(p.x == 1 ? alice : gone).unrelate<Owes>(gone);
        e.later().send(Damage{3}).send(Dead{}).set(Count{1});
    });
    CHECK(sett_world_error(world.c()) == SETT_OK && sett_component_find(world.c(), "Owes") == 0);
    gone.destroy(); /* a link to it is skipped, as by a command of C */
    CHECK(world.apply() && sett_world_error(world.c()) == SETT_OK);
    CHECK(bob.related<Owes>(alice)->amount == 5 && alice.related<Owes>(bob)->amount == 6);
    CHECK(bob.target<DockedAt>() == alice && !alice.target<DockedAt>());
    for (sett::entity to : bob.targets<Owes>()) {
        links += to == alice;
    }
    world.on_event<Damage>([&](sett::entity, const Damage& d) { events += d.points; });
    world.query<const Position>().each([&](sett::entity e, const Position&) {
        e.later().unrelate<Owes>(alice).unrelate<DockedAt>(alice).send(Damage{3});
    });
    CHECK(world.apply() && links == 1 && events == 6);
    CHECK(!bob.has<Owes>() && !bob.has<DockedAt>() && alice.has<Owes>());

    sett::world other = quiet();
    sett::entity one = other.create(Position{1, 0}), end = other.create(Position{2, 0});
    sett::later made = other.later().create();
    other.query<const Position>().each([&](sett::entity e, const Position&) {
        e.later().relate<DockedAt>(e == one ? end : one); /* a circle: the second one fails */
        made.relate(Owes{7}, e);
    });
    CHECK(!other.apply() || sett_world_error(other.c()) == SETT_STATUS_CYCLE);
    CHECK(one.target<DockedAt>() == end && !end.target<DockedAt>());
    CHECK(other.of(made).related<Owes>(end)->amount == 7);
    ends(world);
    ends(other);
}

static void prefabs()
{
    sett::world world = quiet();
    sett::entity imp = world.prefab(Count{60}, Label{"imp"}, Frozen{});
    world.create(Position{0, 1}).name("horns").child_of(imp);
    sett::entity one = imp.instantiate(Position{8, 3}, Count{90});
    sett::entity two = imp.instantiate();
    CHECK(one.get<Count>().value == 90 && two.get<Count>().value == 60 && one.has<Frozen>());
    CHECK(two.get<Label>().text == "imp" && sett_name_find(world.c(), one, "horns") != sett_null());
    CHECK(world.query<Count>().count() == 2);
    ends(world);
}

static void systems()
{
    sett::world world = quiet();
    world.set(Clock{0});
    for (int k = 0; k < 2000; k++) {
        world.create(Position{float(k), 0}, Velocity{1, 1}, Count{k});
    }
    sett_system* clock = world.system("clock").run([](sett::frame f, sett::single<Clock> c) {
        c->ticks++;
        CHECK(f.number + 1 == c->ticks);
    });
    world.system("move").after("clock").without<Frozen>().each(
        [](const sett::frame& f, Position& p, const Velocity& v) { p.x += v.x * f.dt; });
    int runs = 0;
    auto text = std::make_unique<std::string>("captured");
    world.system("captures")
        .exclusive()
        .run([&runs, text = std::move(text)](sett::frame f) mutable {
            runs++;
            *text += '.';
            CHECK(text->size() == 8 + size_t(runs));
            f.world().create(Dead{});
        });
    world.system("aim").each([](sett::entity e, const Count& c, sett::lookup<const Position> all,
                                sett::single<const Clock> now) {
        CHECK(all.find(e) != nullptr && all.has(e) && all.find(e)->y == 0);
        CHECK(now->ticks > 0 && c.value >= 0);
    });
    world.system("freeze").records<Frozen>().single_job().each(
        [](sett::frame f, sett::entity e, const Count& c) {
            if (c.value % 2 == 0 && f.number == 1) {
                f.later(e).add<Frozen>().set(Scared{1});
                f.later().create(Dead{}, Scared{}).child_of(e);
            }
        });
    world.system("never").phase(SETT_PHASE_OUTPUT).disabled().each([](Count&) { CHECK(false); });
    CHECK(clock != nullptr && sett_system_find(world.c(), "aim") != nullptr);
    for (int k = 0; k < 4; k++) {
        CHECK(world.progress(1));
    }
    CHECK(runs == 4 && world.get<Clock>().ticks == 4 && world.find<Scared>() == nullptr);
    CHECK((world.query<sett::with<Dead>>().count() == 1004));
    uint32_t moved = 0;
    world.query<const Position, const Count, sett::without<Frozen>>().each(
        [&](const Position& p, const Count& c) { moved += p.x == float(c.value + 4); });
    CHECK(moved == 1000);
    CHECK((world.query<const Scared, sett::with<Frozen>>().count() == 1000));
    ends(world);
}

static void observers()
{
    int alive = 0;
    struct token {
        int* count;
        explicit token(int* c) : count(c)
        {
            ++*count;
        }
        token(token&& other) noexcept : count(std::exchange(other.count, nullptr))
        {
        }
        token(const token&) = delete;
        ~token()
        {
            if (count != nullptr) {
                --*count;
            }
        }
    };
    std::string heard;
    {
        sett::world world = quiet();
        world.on_add<Count>([&heard, t = token(&alive)](sett::entity e, Count& c) {
            heard += '+';
            c.value += e ? 1 : 0;
        });
        sett_observer* set = world.on_set<Count>([&](sett::entity, const Count&) { heard += '='; });
        world.on_remove<Count>([&](sett::entity e) { heard += e ? '-' : '?'; });
        world.observer("replace").on_replace<Count>(
            [&](sett::entity, const Count& old, const Count& now) {
                heard += std::to_string(old.value) + std::to_string(now.value);
            });
        world.observer().with<Health>().on_event<Damage>([](sett::entity e, const Damage& d) {
            e.later().set(Health{e.get<Health>().points - d.points});
        });
        world.observer().with<Count, Velocity>().without<Dead>().on_enter(
            [&, t = token(&alive)](sett::entity) { heard += '>'; });
        world.observer().with<Count, Velocity>().without<Dead>().on_exit(
            [&](sett::entity) { heard += '<'; });
        CHECK(alive == 2);
        sett::entity e = world.create(Count{1});
        CHECK(e.get<Count>().value == 2 && heard == "+=");
        e.set(Count{5}).set(Velocity{1, 1}).set(Dead{}).remove<Dead>().remove<Count>();
        CHECK(heard == "+==25><><-");
        CHECK(sett_observer_destroy(set) == SETT_OK);
        heard.clear();
        e.set(Count{1});
        CHECK(heard == "+>");
        sett::entity orc = world.create(Health{10});
        orc.send(Damage{3});
        orc.later().send(Damage{4});
        e.send(Damage{5});
        CHECK(world.apply() && orc.get<Health>().points == 3);
        world.later().call(
            [handle = sett_entity(orc)](sett::world_ref w) { w.of(handle).destroy(); });
        CHECK(orc && world.apply() && !orc);
    }
    CHECK(alive == 0);
}

static void state()
{
    sett::world world = quiet();
    CHECK((world.component<Position, Velocity>()));
    sett::world replica = quiet();
    CHECK((replica.component<Position, Velocity>()));
    sett::snapshot empty = world.take();
    std::vector<sett::entity> all;
    for (int k = 0; k < 100; k++) {
        all.push_back(world.create(Position{float(k), 0}, Velocity{1, 2}));
    }
    auto query = world.query<Position, const Velocity>();
    auto step = [&] { query.each([](Position& p, const Velocity& v) { p.x += v.x; }); };
    sett::snapshot before = world.take();
    const uint64_t hash = world.hash();
    step();
    CHECK(before && before.hash() == hash && world.hash() != hash);
    CHECK(before.restore() && world.hash() == hash && all[7].get<Position>().x == 7);
    std::string bytes;
    CHECK(empty.delta(before, bytes) && replica.apply_delta(bytes.data(), bytes.size()));
    CHECK(replica.hash() == hash);
    CHECK(!replica.apply_delta(bytes.data(), bytes.size()));
    before = world.take();
    before = sett::snapshot();
    CHECK(!before);
    {
        sett::ring ring(world, 8);
        for (uint64_t frame = 0; frame < 10; frame++) {
            CHECK(ring.take_frame(frame));
            step();
        }
        CHECK(ring.count() == 8 && all[7].get<Position>().x == 17);
        CHECK(ring.restore_frame(5) && all[7].get<Position>().x == 12);
        CHECK(!ring.restore(30));
    }
    empty = sett::snapshot();
    sett::world clone = quiet();
    CHECK(world.clone_into(clone) && clone.hash() == world.hash());
    const std::string path = std::string(std::getenv("SETT_TEST_FOLDER")) + "/test_cpp.sett";
    CHECK(world.save(path.c_str()));
    CHECK(replica.load(path.c_str()) && replica.hash() == world.hash());
    CHECK(!world.save("/nowhere/at/all.sett"));
    ends(world);
    ends(replica);
}

static Bag full_bag(sett_entity owner)
{
    Bag bag;
    bag.weights = {1, 2.5f, -0.0f};
    bag.words = {"", "one", "a text that does not fit into the string itself"};
    bag.items.push_back({7, "seven"});
    bag.items.push_back({8, "eight"});
    bag.marks = {true, false, true};
    bag.best = std::make_unique<Item>(Item{9, "nine"});
    bag.numbers.push_back(std::make_unique<int>(-5));
    bag.numbers.push_back(nullptr);
    bag.pair = {"left", "right"};
    std::strcpy(bag.tag, "tag");
    bag.mood = Mood::angry;
    bag.size = 1e300;
    bag.owner = owner;
    bag.last = "last";
    return bag;
}
static bool is_full(const Bag& bag, sett_entity owner)
{
    return bag.weights == std::vector<float>{1, 2.5f, 0} && bag.words.size() == 3 &&
           bag.words[2].size() > 40 && bag.items.size() == 2 && bag.items[1].number == 8 &&
           bag.items[1].name == "eight" && bag.marks == std::vector<bool>{true, false, true} &&
           bag.best != nullptr && bag.best->name == "nine" && bag.numbers.size() == 2 &&
           *bag.numbers[0] == -5 && bag.numbers[1] == nullptr && bag.pair[1] == "right" &&
           std::strcmp(bag.tag, "tag") == 0 && bag.mood == Mood::angry && bag.size == 1e300 &&
           bag.owner == owner && bag.last == "last";
}

/* Values that own memory go through all that sees the state. */
static void owned_values()
{
    sett::world world = quiet(), other = quiet();
    for (sett::world* w : {&world, &other}) {
        CHECK((w->component<Label, Bag, Position>()));
    }
    /* different strings, different hashes */
    sett::entity e = world.create(Label{"one"});
    sett::entity f = other.create(Label{"two"});
    CHECK(world.hash() != other.hash() && sett_world_hash_portable(world.c(), nullptr));
    char text[256];
    CHECK(sett_world_difference(world.c(), other.c(), text, sizeof(text)) != 0);
    f.set(Label{"one"});
    CHECK(world.hash() == other.hash());
    f.destroy();
    other = quiet();
    CHECK((other.component<Label, Bag, Position>()));

    sett::snapshot empty = world.take();
    sett::snapshot other_empty = other.take();
    const Bag full = full_bag(e);
    sett::entity g = world.create(full, Position{1, 2});
    CHECK(is_full(g.get<Bag>(), e) && g.get<Bag>().best != full.best);
    g.get_mut<Bag>()->cache = std::make_shared<int>(3);
    sett::snapshot before = world.take();
    const uint64_t hash = world.hash();
    Bag* bag = g.get_mut<Bag>();
    bag->cache = nullptr;
    CHECK(world.hash() == hash); /* local */
    bag = g.get_mut<Bag>();
    bag->tag[5] = 'x'; /* behind the end of the text */
    CHECK(world.hash() == hash);
    g.get_mut<Bag>()->best->name += '!';
    CHECK(world.hash() != hash);
    g.get_mut<Bag>()->best = nullptr;
    g.get_mut<Bag>()->words.clear();
    CHECK(before.restore() && world.hash() == hash && is_full(g.get<Bag>(), e));
    CHECK(*g.get<Bag>().cache == 3);
    std::string delta;
    sett::entity o = other.create(Label{"one"}); /* the state that `empty` has */
    CHECK(o == e);
    other_empty = other.take();
    CHECK(empty.delta(before, delta) && other.apply_delta(delta.data(), delta.size()));
    CHECK(other.hash() == hash && is_full(other.of(g).get<Bag>(), e));
    CHECK(other.of(g).get<Bag>().cache == nullptr);
    other_empty = sett::snapshot();
    before = sett::snapshot();
    empty = sett::snapshot();

    const std::string path = std::string(std::getenv("SETT_TEST_FOLDER")) + "/test_owned.sett";
    CHECK(world.save(path.c_str()));
    CHECK(other.load(path.c_str()) && other.hash() == hash && is_full(other.of(g).get<Bag>(), e));
    std::string json;
    CHECK(world.write_json(json) &&
          json.find("\"Label\": {\"text\": \"one\"}") != std::string::npos);
    sett::world read = quiet();
    CHECK((read.component<Label, Bag, Position>()));
    sett_json_read_desc same = {};
    same.keep_handles = true;
    CHECK(read.read_json(json.data(), json.size(), same));
    CHECK(is_full(read.of(g).get<Bag>(), e) && read.of(e).get<Label>().text == "one");

    /* copied together, handles lead to the copies; hostile bytes are rejected */
    sett::entity root = world.create(Position{0, 0});
    sett::entity holder = world.create(full_bag(root)).child_of(root);
    sett_duplicate_desc duplicate = {};
    sett::entity twin = world.of(sett_duplicate(world.c(), root, &duplicate));
    for (sett::entity child : twin.children()) {
        CHECK(child != holder && is_full(child.get<Bag>(), twin));
    }
    CHECK(twin != root && holder.get<Bag>().owner == root);
    sett_component_desc desc = {};
    CHECK(sett_component_describe(world.c(), world.id<Bag>(), &desc) == SETT_OK);
    struct sink {
        sett_sink head;
        std::string bytes;
    } out = {{[](sett_sink* to, const void* bytes, size_t size) {
                 reinterpret_cast<sink*>(to)->bytes.append(static_cast<const char*>(bytes), size);
             }},
             {}};
    desc.write(&full, &out.head, desc.user);
    Bag back;
    CHECK(desc.read(&back, out.bytes.data(), out.bytes.size(), nullptr) == SETT_OK);
    CHECK(is_full(back, e));
    uint32_t rejected = 0;
    for (size_t size = 0; size < out.bytes.size() - 4; size++) {
        const std::string part = out.bytes.substr(0, size);
        rejected += desc.read(&back, part.data(), part.size(), nullptr) == SETT_STATUS_INVALID;
    }
    CHECK(rejected == out.bytes.size() - 4);
    for (size_t at = 0; at < out.bytes.size(); at++) {
        std::string wrong = out.bytes;
        wrong[at] = char(wrong[at] ^ 0xFF);
        (void)desc.read(&back, wrong.data(), wrong.size(), nullptr);
    }
    CHECK(!world.component<Forgetful>());
    ends(world);
    ends(other);
}

/* Values that own memory in snapshots, and those that snapshots leave out. */
static void owners()
{
    sett::world world = quiet();
    const std::string longer = "a text that does not fit into the string itself";
    std::vector<sett::entity> all;
    for (int k = 0; k < 100; k++) {
        all.push_back(world.create(Label{longer + std::to_string(k)}));
        all.back().set(Handle{std::make_unique<int>(k)});
    }
    sett::snapshot before = world.take();
    for (int k = 0; k < 100; k++) {
        all[size_t(k)].set(Label{"changed"}).get_mut<Handle>()->number = nullptr;
    }
    all[5].destroy();
    all[6].remove<Label>();
    all[7].later().set(Label{longer});
    CHECK(world.apply() && all[7].get<Label>().text == longer);
    CHECK(before.restore());
    for (int k = 0; k < 100; k++) {
        CHECK(all[size_t(k)].get<Label>().text == longer + std::to_string(k));
        CHECK(all[size_t(k)].get<Handle>().number == nullptr); /* not restored */
    }
    before = sett::snapshot();
    ends(world);
}

/* A file of an older program: members of types that own memory are found by their names. */
namespace older
{
struct Part {
    std::string name;
    int size = 0;
};
constexpr auto sett_type(const Part*)
{
    return sett::type().name("Part").member("name", &Part::name).member("size", &Part::size);
}
struct Person {
    std::string first, last;
    uint16_t age = 0;
    std::vector<uint16_t> marks;
    std::vector<std::string> words;
    Part part;
};
constexpr auto sett_type(const Person*)
{
    return sett::type()
        .name("Person")
        .member("first", &Person::first)
        .member("last", &Person::last)
        .member("age", &Person::age)
        .member("marks", &Person::marks)
        .member("words", &Person::words)
        .member("part", &Person::part);
}
} // namespace older
namespace newer
{
struct Part {
    int size = 0;
    std::string name;
};
constexpr auto sett_type(const Part*)
{
    return sett::type().name("Part").member("size", &Part::size).member("name", &Part::name);
}
struct Person {
    std::vector<std::string> words;
    std::vector<uint32_t> marks;
    std::string last;
    double height = 1.5;
    Part part;
    int age = 0;
    std::string first;
    std::string nick = "none";
};
constexpr auto sett_type(const Person*)
{
    return sett::type()
        .name("Person")
        .layout_version(2)
        .member("words", &Person::words)
        .member("marks", &Person::marks)
        .member("last", &Person::last)
        .member("height", &Person::height)
        .member("part", &Person::part)
        .member("age", &Person::age)
        .member("first", &Person::first)
        .member("nick", &Person::nick);
}
} // namespace newer
namespace other
{
struct Person { /* words are of another kind */
    std::vector<Item> words;
};
constexpr auto sett_type(const Person*)
{
    return sett::type().name("Person").member("words", &Person::words);
}
} // namespace other
namespace strange
{
struct Person { /* a text where a number was */
    std::string age;
};
constexpr auto sett_type(const Person*)
{
    return sett::type().name("Person").member("age", &Person::age);
}
} // namespace strange

static void older_files()
{
    const std::string path = std::string(std::getenv("SETT_TEST_FOLDER")) + "/test_older.sett";
    const std::string again = path + "2";
    sett::world world = quiet();
    older::Person ada;
    ada.first = "Ada";
    ada.last = "Lovelace";
    ada.age = 36;
    ada.marks = {1, 2, 3};
    ada.words = {"engine", std::string("with\0zero", 9)};
    ada.part = {"hand", 2};
    world.create(ada).name("ada");
    CHECK(world.save(path.c_str()));

    sett::world now = quiet();
    CHECK(now.component<newer::Person>() && now.load(path.c_str()));
    const newer::Person& p = now.lookup("ada").get<newer::Person>();
    CHECK(p.first == "Ada" && p.last == "Lovelace" && p.age == 36 && p.height == 1.5);
    CHECK(p.marks.size() == 3 && p.marks[2] == 3 && p.words == ada.words && p.nick == "none");
    CHECK(p.part.name == "hand" && p.part.size == 2);

    /* A program without the type saves it again. */
    sett::world without = quiet();
    CHECK(without.load(path.c_str()) && without.hash() == world.hash());
    CHECK(without.save(again.c_str()));
    sett::world back = quiet();
    CHECK(back.component<older::Person>() && back.load(again.c_str()));
    CHECK(back.hash() == world.hash() &&
          back.lookup("ada").get<older::Person>().words == ada.words);

    sett::world wrong = quiet();
    CHECK(wrong.component<other::Person>() && !wrong.load(path.c_str()));
    CHECK(says(wrong, "\"Person\""));
    CHECK(wrong.count() == 0);
    sett::world text = quiet();
    CHECK(text.component<strange::Person>() && !text.load(path.c_str()));
    CHECK(says(text, "type \"Person\" has another layout in this world: member \"age\""));

    std::string json;
    CHECK(world.write_json(json));
    CHECK(json.find(
              "\"first\": \"Ada\", \"last\": \"Lovelace\", \"age\": 36, \"marks\": [1, 2, 3]") !=
          std::string::npos);
    sett::world read = quiet();
    CHECK(read.component<newer::Person>());
    const char part[] = "{\"entities\": [{\"entity\": \"/x\", \"components\": "
                        "{\"Person\": {\"last\": \"Hopper\", \"age\": 85}}}]}";
    CHECK(read.read_json(part, sizeof(part) - 1));
    read.query<const newer::Person>().each([](const newer::Person& hopper) {
        CHECK(hopper.last == "Hopper" && hopper.age == 85 && hopper.nick == "none");
    });
    const char bad[] = "{\"entities\": [{\"entity\": \"/x\", \"components\": "
                       "{\"Person\": {\"lust\": \"Hopper\"}}}]}";
    CHECK(!read.read_json(bad, sizeof(bad) - 1) &&
          says(read, "Person.lust: no member has this name"));
    world.create(Label{std::string("a\0b", 3)});
    json.clear();
    CHECK(world.write_json(json) && read.component<Label>());
    read.query<const newer::Person>();
    sett::world whole = quiet();
    CHECK((whole.component<Label, older::Person>()) && whole.read_json(json.data(), json.size()));
    CHECK(whole.query<const Label>().first().get<Label>().text.size() == 3);
    ends(world);
    ends(now);
    ends(without);
    ends(read);
    ends(whole);
}

/* A plugin sees a sett_world only, and names its types itself; see plugin.cpp. */
extern "C" int plugin_run(sett_world* world);

static void plugins()
{
    sett::world world = quiet();
    sett::entity e = world.create(Position{1, 2});
    CHECK(plugin_run(world.c()) == 3);
    CHECK(e.get<Position>().x == 5);
    CHECK(sett_component_find(world.c(), "plugin::Own") != 0);
    CHECK(world.progress(0) && e.get<Position>().x == 6);
    ends(world);
}

int main()
{
    readme();
    values();
    names_of_types();
    slots_of_types();
    names_of_two_types();
    types_of_files();
    limits();
    names_of_templates();
    no_world();
    types_of_c();
    members();
    queries();
    relations();
    look_ups();
    new_types_of_commands();
    prefabs();
    systems();
    observers();
    state();
    owned_values();
    owners();
    older_files();
    plugins();
    std::puts("23 passed, 0 failed");
    return 0;
}
