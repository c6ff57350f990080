/* sett.hpp: Sett from C++17 and C++20. One header over the C functions; no static state, and no
 * exceptions needed.
 *
 *     #include "sett/sett.hpp"
 *
 *     struct Position { float x, y; };
 *     struct Velocity { float x, y; };
 *     struct Frozen {};                                        empty: a tag
 *
 *     sett::world world;
 *     auto ship = world.create(Position{1, 0}, Velocity{10, 0});
 *
 *     world.system("move").without<Frozen>().each([](sett::frame f, Position& p, const Velocity& v) {
 *         p.x += v.x * f.dt;
 *     });
 *     world.on_set<Velocity>([&](sett::entity e, const Velocity& v) { ... });
 *     world.progress(1.0f / 60);
 *
 *     for (auto [e, p, v] : world.query<Position, const Velocity>()) { ... }
 *     printf("%g\n", ship.get<Position>().x);
 *
 * Types. A component is a C++ type. It is registered by its first use, under its name with
 * namespaces ("game::Position"); what C has registered under this name is used. Values begin as T{},
 * so default member initialisers hold. Options and members stand beside the type, in a function that
 * sett.hpp finds:
 *
 *     constexpr auto sett_type(const Position*)
 *     {
 *         return sett::type().member("x", &Position::x).member("y", &Position::y);
 *     }
 *
 * Parameters of lambdas, and types of queries:
 *
 *     Position&         has it; read and written          const Position&    has it; read
 *     Position*         may have it, else nullptr         const Position*    read only
 *     sett::entity      the entity                        sett::frame        systems: dt, time
 *     sett::single<T>   systems: a singleton              sett::lookup<T>    systems: of any entity
 *     sett::parent<T>   the parent has it                 sett::up<T>        an ancestor has it
 *     queries only: sett::with<T>, sett::without<T>, sett::any<A, B>, sett::changed<T>
 *
 * A type that owns memory lists its members: numbers, enums, sett_entity, std::string, structs that
 * list theirs, and arrays, std::vector and std::unique_ptr of these. Then snapshots, hashes, deltas,
 * files and JSON contain them. Otherwise it does not compile, or is described with .skip().
 *
 * In queries a type stands without the &: world.query<Position, const Velocity, Mass*>(). From
 * these, systems get their terms and lists of accesses (system.h).
 *
 * Inside loops, systems and callbacks structure is locked: record changes, e.later().remove<T>().
 * Lambdas are stored in memory of the world, with what they capture. They must not throw.
 *
 * Failures. Calls return what C returns: nullptr, an entity that is false, or a sett::result. What
 * is wrong is in the log, in debug builds of the library, and in world.message().
 *
 * What this header has no call for is done with the C functions: world.c() is the sett_world*, an
 * entity converts to sett_entity, world.id<T>() is the id of a component.
 *
 * A query, snapshot, ring or search must end before its world: declare it after the world.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_HPP
#define SETT_HPP

#include "sett/sett.h"

#include <new>
#include <type_traits>
#include <typeindex>
#include <utility>

#if !defined(__GNUC__)
#error "sett.hpp takes the names of types from __PRETTY_FUNCTION__: gcc and clang have it"
#endif

inline bool operator==(sett_entity a, sett_entity b) noexcept { return sett_equals(a, b); }
inline bool operator!=(sett_entity a, sett_entity b) noexcept { return !sett_equals(a, b); }
template <> struct std::hash<sett_entity> {
    size_t operator()(sett_entity e) const noexcept
    {
        const uint64_t mixed = sett_entity_to_u64(e) * 0x9E3779B97F4A7C15u;
        return static_cast<size_t>(mixed ^ mixed >> 32);
    }
};

namespace sett
{

class entity;
class later;
class recorder;
class world_ref;
struct frame;

/* ------------------------------------------------------------------------- options and members */

/* Options of a component type, and its members; see sett_component_desc and members.h. Return it
 * from a function `constexpr auto sett_type(const T*)`, in the namespace of T or as its friend. */
namespace detail
{
struct options {
    const char* name = nullptr;
    sett_storage_kind storage = SETT_STORAGE_DEFAULT;
    uint32_t layout_version = 0;
    bool keep_order = false, dont_fragment = false, track_rows = false, can_disable = false;
    bool skip = false;
    bool relationship = false, many = false, acyclic = false, transitive = false, reflexive = false;
    sett_cleanup on_target = SETT_CLEANUP_REMOVE, on_source = SETT_CLEANUP_REMOVE;
    uint32_t (*needs)(sett_world* world, sett_component* out) = nullptr;
};

template <class T> using bare = std::remove_cv_t<std::remove_reference_t<T>>;
template <class T> inline constexpr bool never = false;

struct no_members {
    static constexpr uint32_t count = 0;
    template <class F> constexpr void each(const F&) const {}
};

template <class Rest, class C, class M> struct members_and {
    static constexpr uint32_t count = Rest::count + 1;
    using of = C;
    using value = M;
    Rest rest;
    M C::*at;
    sett_member options; /* offset, size and `of` follow when the type is registered */
    bool opaque;
    template <class F> constexpr void each(const F& f) const
    {
        rest.each(f);
        f(*this);
    }
};

template <class T, class = void> struct has_items : std::false_type {
};
template <class T> /* std::array */
struct has_items<T, std::void_t<typename T::value_type, decltype(std::tuple_size<T>::value)>>
    : std::bool_constant<sizeof(T) == sizeof(typename T::value_type) * std::tuple_size<T>::value> {
};
template <class T, class = void> struct item_of {
    using type = std::remove_all_extents_t<T>;
};
template <class T> struct item_of<T, std::enable_if_t<has_items<T>::value>> {
    using type = std::remove_all_extents_t<typename T::value_type>;
};
} // namespace detail

template <class Members = detail::no_members> class type
{
  public:
    constexpr type() = default;
    constexpr type(const detail::options& o, const Members& m) : options_(o), members_(m) {}

    /* A member. The options unit, range, scale, step, local, constants and element, behind it, are
     * those of the last member; see sett_member. */
    template <class C, class M>
    constexpr type<detail::members_and<Members, C, M>> member(const char* name, M C::*at) const;
    /* A member that only the program reads: bytes, which other machines may have otherwise. One
     * that owns memory is also local(): only snapshots and copies contain it, by its operator=. */
    template <class C, class M>
    constexpr type<detail::members_and<Members, C, M>> opaque(const char* name, M C::*at) const;
    constexpr type unit(const char* text) const { return of_member(&sett_member::unit, text); }
    constexpr type range(double minimum, double maximum) const
    {
        return of_member(&sett_member::minimum, minimum).of_member(&sett_member::maximum, maximum);
    }
    constexpr type scale(double one) const { return of_member(&sett_member::scale, one); }
    constexpr type step(double step) const { return of_member(&sett_member::step, step); }
    constexpr type local() const { return of_member(&sett_member::local, true); }
    /* `list` ends with {nullptr, 0} and is static. */
    constexpr type constants(const sett_constant* list, bool bits = false) const
    {
        return of_member(&sett_member::constants, list).of_member(&sett_member::bits, bits);
    }
    constexpr type element(sett_member_kind kind) const
    {
        return of_member(&sett_member::element, kind);
    }

    constexpr type name(const char* text) const { return with(&detail::options::name, text); }
    constexpr type sparse() const
    {
        return with(&detail::options::storage, SETT_STORAGE_SPARSE_SET);
    }
    constexpr type array() const { return with(&detail::options::storage, SETT_STORAGE_ARRAY); }
    constexpr type keep_order() const { return with(&detail::options::keep_order, true); }
    constexpr type dont_fragment() const { return with(&detail::options::dont_fragment, true); }
    constexpr type track_rows() const { return with(&detail::options::track_rows, true); }
    constexpr type can_disable() const { return with(&detail::options::can_disable, true); }
    constexpr type layout_version(uint32_t version) const
    {
        return with(&detail::options::layout_version, version);
    }
    /* Entities with this type have these too. */
    template <class... T> constexpr type needs() const;
    /* Snapshots, copies, hashes, deltas and files leave it out. */
    constexpr type skip() const { return with(&detail::options::skip, true); }
    /* It is a relationship (relationship.h): the members of the type are the data of a link. */
    constexpr type relationship() const { return with(&detail::options::relationship, true); }
    constexpr type many() const { return with(&detail::options::many, true); }
    constexpr type acyclic() const { return with(&detail::options::acyclic, true); }
    constexpr type transitive() const { return with(&detail::options::transitive, true); }
    constexpr type reflexive() const { return with(&detail::options::reflexive, true); }
    constexpr type on_target_destroyed(sett_cleanup what) const
    {
        return with(&detail::options::on_target, what);
    }
    constexpr type on_source_destroyed(sett_cleanup what) const
    {
        return with(&detail::options::on_source, what);
    }

    /* Private. */
    template <class O> constexpr type with(O detail::options::*at, O value) const
    {
        type t = *this;
        return t.options_.*at = value, t;
    }
    template <class O> constexpr type of_member(O sett_member::*at, O value) const
    {
        type t = *this;
        return t.members_.options.*at = value, t;
    }
    detail::options options_;
    Members members_{};
};

namespace detail
{

/* ------------------------------------------------------------------------- names and ids of types */

struct text {
    const char* at;
    size_t size;
};

/* "... [with T = game::Position]" in gcc, "... [T = game::Position]" in clang. */
template <class T> constexpr text spelled()
{
    const char* all = __PRETTY_FUNCTION__;
    size_t from = 0;
    while (!(all[from] == 'T' && all[from + 1] == ' ' && all[from + 2] == '=')) {
        from++;
    }
    from += 4;
    size_t end = from;
    while (all[end] != '\0') {
        end++;
    }
    return {all + from, end - 1 - from};
}

constexpr bool begins(const char* at, size_t left, const char* with)
{
    size_t k = 0;
    while (with[k] != '\0' && k < left && at[k] == with[k]) {
        k++;
    }
    return with[k] == '\0';
}

template <size_t N> struct name_text {
    char at[N];
    uint64_t hash; /* not 0 */
};

/* Without unnamed namespaces, and without the function around a local type: compilers spell both
 * differently, and names are part of hashes and files. */
template <size_t N> constexpr name_text<N> cleaned(text from)
{
    const char* const unnamed[] = {"{anonymous}::", "(anonymous namespace)::"};
    const size_t lengths[] = {13, 23};
    name_text<N> out = {};
    size_t size = 0;
    for (size_t k = 0; k < from.size;) {
        bool skipped = false;
        for (size_t u = 0; u < 2 && !skipped; u++) {
            if (begins(from.at + k, from.size - k, unnamed[u])) {
                k += lengths[u];
                skipped = true;
            }
        }
        if (!skipped) {
            out.at[size++] = from.at[k++];
        }
    }
    size_t start = 0;
    for (size_t k = 0; k + 2 < size; k++) {
        if (out.at[k] == ')' && begins(out.at + k + 1, size - k - 1, "::")) {
            start = k + 3;
        } else if (out.at[k] == ')' && begins(out.at + k + 1, size - k - 1, ">::")) {
            start = k + 4;
        }
    }
    for (size_t k = start; start != 0 && k <= size; k++) {
        out.at[k - start] = k < size ? out.at[k] : '\0';
    }
    return out;
}

template <class T, class = void> struct described_by {
    static constexpr sett::type<> value{};
};
template <class T>
struct described_by<T, std::void_t<decltype(sett_type(static_cast<const T*>(nullptr)))>> {
    static constexpr auto value = sett_type(static_cast<const T*>(nullptr));
};
template <class T> inline constexpr auto& description = described_by<T>::value;
template <class T> inline constexpr options const& options_of = description<T>.options_;
template <class T>
inline constexpr bool has_members = bare<decltype(description<T>.members_)>::count != 0;
template <class T> inline constexpr bool is_relationship = options_of<T>.relationship;
template <class T> inline constexpr bool is_tag = std::is_empty_v<T>;

template <class T> inline constexpr auto own_name = cleaned<spelled<T>().size + 1>(spelled<T>());
template <class T> constexpr const char* name_of()
{
    return options_of<T>.name != nullptr ? options_of<T>.name : own_name<T>.at;
}
constexpr uint64_t hash_of(const char* name)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *name != '\0'; name++) {
        hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001B3u;
    }
    return hash + 1 > 1 ? hash : 1;
}
/* The number to which a type's id is bound (sett_component_bind). */
template <class T> inline constexpr uint64_t number_of = hash_of(name_of<T>());

template <class T, class... Args> T* construct(void* at, Args&&... args)
{
    return ::new (at) T{std::forward<Args>(args)...};
}

/* ------------------------------------------------------------------- values that own memory */

/* The standard's containers by what they can do, so that this header includes none of them. */
template <class T, class = void> struct is_text : std::false_type {
};
template <class T>
struct is_text<T, std::void_t<decltype(std::declval<T&>().assign("", size_t())),
                              decltype(std::declval<T&>().c_str())>> : std::true_type {
};
template <class T, class = void> struct is_list : std::false_type {
};
template <class T>
struct is_list<T, std::void_t<decltype(std::declval<T&>().push_back(
                      std::declval<typename T::value_type>()))>>
    : std::bool_constant<!is_text<T>::value> {
};
template <class T, class = void> struct is_owner : std::false_type {
};
template <class T>
struct is_owner<T, std::void_t<decltype(std::declval<T&>().release()), typename T::element_type>>
    : std::bool_constant<!std::is_array_v<typename T::element_type> &&
                         !std::is_polymorphic_v<typename T::element_type>> {
};
template <class T> inline constexpr bool is_array = std::is_array_v<T> || has_items<T>::value;

/* Whether a member of this type can be written and read (`in_list`: as an item of a list, where no
 * copy would find a handle), and whether its operator= copies all of it. */
template <class M> constexpr bool is_written(bool in_list = false)
{
    if constexpr (is_array<M>) {
        return is_written<typename item_of<M>::type>(in_list);
    } else if constexpr (is_text<M>::value) {
        return true;
    } else if constexpr (is_list<M>::value) {
        return is_written<typename M::value_type>(true);
    } else if constexpr (is_owner<M>::value) {
        return is_written<typename M::element_type>(true);
    } else if constexpr (has_members<M>) {
        bool all = true;
        description<M>.members_.each([&](const auto& m) {
            all = all && (m.opaque || is_written<typename bare<decltype(m)>::value>(in_list));
        });
        return all;
    } else {
        constexpr sett_member_kind kind = sett_kind_of_<M>::value();
        return kind != SETT_MEMBER_UNKNOWN && kind != SETT_MEMBER_STRING &&
               kind != SETT_MEMBER_LIST && !(in_list && kind == SETT_MEMBER_ENTITY);
    }
}
template <class M> constexpr bool is_copied_whole()
{
    if constexpr (is_array<M>) {
        return is_copied_whole<typename item_of<M>::type>();
    } else if constexpr (is_list<M>::value) {
        return is_copied_whole<typename M::value_type>();
    } else if constexpr (has_members<M>) {
        bool all = std::is_copy_assignable_v<M>;
        description<M>.members_.each([&](const auto& m) {
            all = all && is_copied_whole<typename bare<decltype(m)>::value>();
        });
        return all;
    } else {
        return std::is_copy_assignable_v<M>;
    }
}
template <class T> constexpr bool can_copy()
{
    bool all = true;
    description<T>.members_.each([&](const auto& m) {
        using part = typename bare<decltype(m)>::value;
        all = all && (is_written<part>() || is_copied_whole<part>());
    });
    return all;
}
template <class T> constexpr bool has_hidden_memory()
{
    bool any = false;
    description<T>.members_.each([&](const auto& m) {
        any = any || (m.opaque && !m.options.local &&
                      !std::is_trivially_copyable_v<typename bare<decltype(m)>::value>);
    });
    return any;
}

/* The bytes of a value: numbers in little endian, one NaN, texts and lists behind their length. A
 * text at the end of a value stands alone: so a type of one text is written as this text. */
struct writer {
    sett_sink* to;
    size_t size = 0;
    unsigned char at[256];
    explicit writer(sett_sink* sink) : to(sink) {}
    ~writer() { flush(); }
    void flush()
    {
        if (size != 0) {
            to->write(to, at, size);
        }
        size = 0;
    }
    void bytes(const void* from, size_t count)
    {
        flush();
        to->write(to, from, count);
    }
    void number(uint64_t bits, size_t count)
    {
        if (size + count > sizeof(at)) {
            flush();
        }
        for (size_t k = 0; k < count; k++) {
            at[size++] = static_cast<unsigned char>(bits >> 8 * k);
        }
    }
};
/* The other way, from bytes that may be hostile: `bad` once they do not fit. */
struct reader {
    const unsigned char* at;
    size_t left;
    bool bad = false;
    const unsigned char* take(size_t count)
    {
        bad = bad || count > left;
        if (bad) {
            return nullptr;
        }
        at += count, left -= count;
        return at - count;
    }
    uint64_t number(size_t count)
    {
        const unsigned char* from = take(count);
        uint64_t bits = 0;
        for (size_t k = 0; from != nullptr && k < count; k++) {
            bits |= static_cast<uint64_t>(from[k]) << 8 * k;
        }
        return bits;
    }
    size_t length() /* of items that have a byte at least */
    {
        const uint64_t count = number(4);
        bad = bad || count > left;
        return bad ? 0 : static_cast<size_t>(count);
    }
};

template <class M> struct word_of {
    using type = std::conditional_t<sizeof(M) == sizeof(uint32_t), uint32_t, uint64_t>;
};
template <class M> void put(writer& out, const M& value, bool is_last = false)
{
    if constexpr (is_array<M>) {
        bool ended = false;
        for (const auto& item : value) {
            using item_type = bare<decltype(item)>;
            if constexpr (std::is_same_v<item_type, char>) { /* text: up to its zero byte */
                ended = ended || item == 0;
                put(out, ended ? item_type() : item);
            } else {
                put(out, item);
            }
        }
    } else if constexpr (is_text<M>::value) {
        if (!is_last) {
            out.number(value.size(), 4);
        }
        out.bytes(value.data(), value.size());
    } else if constexpr (is_list<M>::value) {
        out.number(value.size(), 4);
        for (const auto& item : value) {
            put(out, item);
        }
    } else if constexpr (is_owner<M>::value) {
        out.number(value != nullptr, 1);
        if (value != nullptr) {
            put(out, *value);
        }
    } else if constexpr (has_members<M>) {
        uint32_t left = description<M>.members_.count;
        description<M>.members_.each([&](const auto& m) {
            left--;
            using part = typename bare<decltype(m)>::value;
            if (m.options.local) {
                return;
            }
            if constexpr (is_written<part>()) {
                put(out, value.*m.at, is_last && left == 0);
            } else if constexpr (std::is_trivially_copyable_v<part>) {
                out.bytes(&(value.*m.at), sizeof(part));
            }
        });
    } else if constexpr (std::is_same_v<M, sett_entity>) {
        out.number(sett_entity_to_u64(value), 8);
    } else if constexpr (std::is_floating_point_v<M>) {
        const M one_nan = value == value ? value : static_cast<M>(__builtin_nan(""));
        typename word_of<M>::type word;
        memcpy(&word, &one_nan, sizeof(word));
        out.number(word, sizeof(word));
    } else {
        out.number(static_cast<uint64_t>(value), sizeof(M));
    }
}
template <class M> void take(reader& in, M& value, bool is_last = false)
{
    if constexpr (is_array<M>) {
        for (auto& item : value) {
            take(in, item);
        }
    } else if constexpr (is_text<M>::value) {
        const size_t size = is_last ? in.left : in.length();
        const unsigned char* from = in.take(size);
        value.assign(reinterpret_cast<const char*>(from != nullptr ? from : in.at),
                     from != nullptr ? size : 0);
    } else if constexpr (is_list<M>::value) {
        value.clear();
        for (size_t left = in.length(); left > 0 && !in.bad; left--) {
            typename M::value_type item{};
            take(in, item);
            value.push_back(std::move(item));
        }
    } else if constexpr (is_owner<M>::value) {
        value.reset(in.number(1) != 0 ? new typename M::element_type() : nullptr);
        if (value != nullptr) {
            take(in, *value);
        }
    } else if constexpr (has_members<M>) {
        uint32_t left = description<M>.members_.count;
        description<M>.members_.each([&](const auto& m) {
            using part = typename bare<decltype(m)>::value;
            left--;
            if (m.options.local) {
                return;
            }
            if constexpr (is_written<part>()) {
                take(in, value.*m.at, is_last && left == 0);
            } else if constexpr (std::is_trivially_copyable_v<part>) {
                if (const unsigned char* from = in.take(sizeof(part))) {
                    memcpy(&(value.*m.at), from, sizeof(part));
                }
            }
        });
    } else if constexpr (std::is_same_v<M, sett_entity>) {
        value = sett_entity_from_u64(in.number(8));
    } else if constexpr (std::is_floating_point_v<M>) {
        const auto word = static_cast<typename word_of<M>::type>(in.number(sizeof(M)));
        memcpy(&value, &word, sizeof(word));
    } else if constexpr (std::is_same_v<M, bool>) {
        const uint64_t bits = in.number(1);
        in.bad = in.bad || bits > 1;
        value = bits == 1;
    } else {
        value = static_cast<M>(in.number(sizeof(M)));
    }
}
/* Copies what operator= does not: std::unique_ptr, with all that is in it. */
template <class M> void copy(M& to, const M& from)
{
    if constexpr (is_copied_whole<M>()) {
        if constexpr (std::is_array_v<M>) {
            for (size_t k = 0; k < std::extent_v<M>; k++) {
                copy(to[k], from[k]);
            }
        } else {
            to = from;
        }
    } else if constexpr (is_array<M>) {
        auto* at = &to[0];
        for (const auto& item : from) {
            copy(*at++, item);
        }
    } else if constexpr (is_list<M>::value) {
        to.clear();
        for (const auto& item : from) {
            typename M::value_type made{};
            copy(made, item);
            to.push_back(std::move(made));
        }
    } else if constexpr (is_owner<M>::value) {
        to.reset(from != nullptr ? new typename M::element_type() : nullptr);
        if (from != nullptr) {
            copy(*to, *from);
        }
    } else {
        description<M>.members_.each([&](const auto& m) { copy(to.*m.at, from.*m.at); });
    }
}

/* ------------------------------------------------------------------------------- value hooks */

template <class T> void hook_init(void* values, uint32_t count, void*)
{
    for (uint32_t k = 0; k < count; k++) {
        construct<T>(static_cast<T*>(values) + k);
    }
}
template <class T> void hook_deinit(void* values, uint32_t count, void*)
{
    for (uint32_t k = 0; k < count; k++) {
        static_cast<T*>(values)[k].~T();
    }
}
template <class T> void hook_copy(void* to, const void* from, uint32_t count, void*)
{
    for (uint32_t k = 0; k < count; k++) {
        copy(static_cast<T*>(to)[k], static_cast<const T*>(from)[k]);
    }
}
template <class T> void hook_move(void* to, void* from, uint32_t count, void*)
{
    for (uint32_t k = 0; k < count; k++) {
        T* source = static_cast<T*>(from) + k;
        ::new (static_cast<void*>(static_cast<T*>(to) + k)) T(std::move(*source));
        source->~T();
    }
}
template <class T> void hook_write(const void* value, sett_sink* to, void*)
{
    writer out(to);
    put(out, *static_cast<const T*>(value), true);
}
template <class T> sett_status hook_read(void* value, const void* bytes, size_t size, void*)
{
    reader in = {static_cast<const unsigned char*>(bytes), size};
#if defined(__cpp_exceptions)
    try {
        take(in, *static_cast<T*>(value), true);
    } catch (...) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
#else
    take(in, *static_cast<T*>(value), true);
#endif
    return !in.bad && in.left == 0 ? SETT_OK : SETT_STATUS_INVALID;
}

/* Whether the library copies values by the hook `copy`. */
template <class T>
inline constexpr bool is_copied = std::is_trivially_copyable_v<T> || !options_of<T>.skip;

/* --------------------------------------------------------------------------- what T may be */

template <class T> constexpr bool check_type()
{
    static_assert(!std::is_pointer_v<T> && !std::is_reference_v<T>,
                  "sett: a component is a value, not a pointer or a reference to one: write "
                  "set(*pointer), get<T>()");
    static_assert(!std::is_same_v<T, entity> && !std::is_base_of_v<world_ref, T> &&
                      !std::is_same_v<T, frame>,
                  "sett: a sett::entity, sett::world or sett::frame cannot be a component: it has "
                  "the address of its world. Store a sett_entity in a struct of your own");
    static_assert(std::is_class_v<T> || std::is_union_v<T>,
                  "sett: a component is a struct of its own: with `struct Health { int points; }` "
                  "the type says what the number means");
    return true;
}

template <class T> constexpr bool check_component()
{
    if constexpr (check_type<T>() && std::is_class_v<T>) {
        static_assert(std::is_default_constructible_v<T>,
                      "sett: a component type needs a default constructor: add() begins a value "
                      "with it");
        if constexpr (is_relationship<T>) {
            static_assert(std::is_trivially_copyable_v<T> &&
                              std::is_trivially_default_constructible_v<T>,
                          "sett: the data of a link begins as zeroes and is copied as bytes: this "
                          "relationship needs a plain type, without default member initialisers");
        } else if constexpr (!std::is_trivially_copyable_v<T>) {
            static_assert(std::is_nothrow_move_constructible_v<T> &&
                              std::is_nothrow_destructible_v<T>,
                          "sett: values of a component move when others are removed: its move "
                          "constructor and its destructor must be noexcept");
            static_assert(options_of<T>.skip || has_members<T>,
                          "sett: this component owns memory (it is not trivially copyable): list "
                          "its members beside the type, for snapshots, hashes, deltas, files and "
                          "JSON: `constexpr auto sett_type(const T*) { return "
                          "sett::type().member(\"text\", &T::text); }`; or leave it out of them by "
                          ".skip()");
            static_assert(options_of<T>.skip || !has_hidden_memory<T>(),
                          "sett: an opaque member that owns memory cannot be written: add "
                          ".local() behind it, and only snapshots and copies contain it");
            static_assert(options_of<T>.skip || can_copy<T>(),
                          "sett: snapshots cannot copy a member of this component: list it by "
                          ".member() if it is a std::unique_ptr, or describe the type with .skip()");
        }
    }
    return true;
}

/* A component with values, but no relationship. */
template <class T> constexpr void check_plain()
{
    if constexpr (check_component<T>()) {
        static_assert(!is_relationship<T>,
                      "sett: this type is a relationship, which needs a target: use relate, "
                      "unrelate, target and related");
    }
}
template <class T> constexpr void check_value()
{
    check_plain<T>();
    static_assert(!is_tag<T>, "sett: this component is a tag (an empty type), without a value: ask "
                              "with has<T>(), and name it in with<T>()");
    static_assert(!std::is_const_v<T>, "sett: name the type without const here: get and find read, "
                                       "get_mut and find_mut write");
}
template <class T> constexpr void check_relationship()
{
    if constexpr (check_component<T>()) {
        static_assert(is_relationship<T>,
                      "sett: this type is no relationship: describe it with `constexpr auto "
                      "sett_type(const T*) { return sett::type().relationship(); }`");
    }
}

/* ------------------------------------------------------------------------------ registration */

template <class T> struct described {
    using members = bare<decltype(description<T>.members_)>;
    sett_member items[members::count];
    sett_struct of;

    described()
    {
        uint32_t n = 0;
        const unsigned char* made = sett_default_<T>();
        description<T>.members_.each([&](const auto& m) {
            using item = bare<decltype(m)>;
            static_assert(std::is_same_v<typename item::of, T>,
                          "sett: sett_type(const T*) lists members of another class: list members "
                          "of T itself, and give a base class a component of its own");
            sett_member& out = items[n++];
            const T* value = reinterpret_cast<const T*>(made);
            out = m.options;
            out.offset = static_cast<uint32_t>(
                reinterpret_cast<const unsigned char*>(&(value->*m.at)) - made);
            out.size = static_cast<uint32_t>(sizeof(typename item::value));
            using element = typename item_of<typename item::value>::type;
            if constexpr (has_members<element>) {
                out.of = described<element>::get();
            }
        });
        of = {name_of<T>(), static_cast<uint32_t>(sizeof(T)), n, items, sett_members_link_};
    }
    static const sett_struct* get()
    {
        static const described made;
        return &made.of;
    }
};

/* Whether what is not in a list of members can be padding: less than the alignment of what follows,
 * of which the compiler does not tell more here. */
inline bool lists_all_bytes(const sett_struct& of, size_t align)
{
    uint32_t at = 0;
    for (bool found = true; found;) {
        found = false;
        for (uint32_t k = 0; k < of.count && !found; k++) {
            const sett_member& m = of.members[k];
            found = m.offset + m.size > at && m.offset <= at + (align - 1);
            at = found ? m.offset + m.size : at;
        }
    }
    return of.size - at < align;
}
/* Where handles lie in a value. */
struct handle_offsets {
    uint32_t at[64];
    uint32_t count = 0;
    void add(const sett_struct& of, uint32_t base)
    {
        for (uint32_t k = 0; k < of.count; k++) {
            const sett_member& m = of.members[k];
            const uint32_t step =
                m.of != nullptr ? m.of->size : static_cast<uint32_t>(sizeof(sett_entity));
            for (uint32_t offset = 0; offset < m.size && count < 64; offset += step) {
                if (m.of != nullptr) {
                    add(*m.of, base + m.offset + offset);
                } else if (m.kind == SETT_MEMBER_ENTITY) {
                    at[count++] = base + m.offset + offset;
                }
            }
        }
    }
};

template <class T> sett_component register_relationship(sett_world* world)
{
    constexpr const options& o = options_of<T>;
    sett_relationship_desc desc = {};
    desc.name = name_of<T>();
    desc.storage = o.storage;
    desc.many = o.many;
    desc.acyclic = o.acyclic;
    desc.transitive = o.transitive;
    desc.reflexive = o.reflexive;
    desc.on_target_destroyed = o.on_target;
    desc.on_source_destroyed = o.on_source;
    if constexpr (!is_tag<T>) {
        desc.type_name = desc.name;
        desc.size = sizeof(T);
        desc.align = alignof(T);
        desc.mask = SETT_MASK(T);
        if constexpr (has_members<T>) {
            desc.members = described<T>::get();
        }
    }
    return sett_relationship_register(world, &desc);
}

template <class T> sett_component register_component(sett_world* world)
{
    constexpr const options& o = options_of<T>;
    sett_component needs[32];
    [[maybe_unused]] handle_offsets handles;
    sett_component_desc desc = {};
    desc.name = name_of<T>();
    desc.storage = o.storage;
    desc.layout_version = o.layout_version;
    desc.keep_order = o.keep_order;
    desc.dont_fragment = o.dont_fragment;
    desc.track_rows = o.track_rows;
    desc.can_disable = o.can_disable;
    if (o.needs != nullptr) {
        desc.required = needs;
        desc.required_count = o.needs(world, needs);
    }
    if constexpr (!is_tag<T>) {
        desc.type_name = desc.name;
        desc.size = sizeof(T);
        desc.align = alignof(T);
        desc.save = o.skip ? SETT_SAVE_SKIP : SETT_SAVE_BYTES;
        if constexpr (std::is_trivially_copyable_v<T>) {
            desc.mask = SETT_MASK(T);
            if constexpr (has_members<T>) {
                desc.members = described<T>::get();
            }
            desc = sett_with_init_<T>(desc);
        } else {
            desc.init = hook_init<T>;
            desc.deinit = hook_deinit<T>;
            desc.move = hook_move<T>;
            if constexpr (is_copied<T>) {
                desc.copy = hook_copy<T>;
                desc.save = SETT_SAVE_CLONE;
                desc.write = hook_write<T>;
                desc.read = hook_read<T>;
                if (!lists_all_bytes(*described<T>::get(), alignof(T))) {
                    sett_world_log(world, SETT_LOG_ERROR,
                                   "sett.hpp: sett_type does not list all members of this type; a "
                                   "base class or a member that is not for others: .skip()");
                    sett_world_log(world, SETT_LOG_ERROR, desc.name);
                    return 0;
                }
                handles.add(*described<T>::get(), 0);
                desc.entity_offsets = handles.at;
                desc.entity_offset_count = handles.count;
            }
        }
    }
    return sett_component_register(world, &desc);
}

/* Whether C has registered the type as C++ sees it. */
inline bool is_same_layout(const sett_world* world, sett_component id, size_t size, size_t align)
{
    sett_component_desc present = {};
    return sett_component_describe(world, id, &present) == SETT_OK && present.size == size &&
           (size == 0 || present.align >= align);
}

/* The id of a type that no number is bound to yet: registers it, unless it is registered. */
template <class T> [[gnu::noinline, gnu::cold]] sett_component first_use(sett_world* world)
{
    check_component<T>();
    const size_t size = is_tag<T> ? 0 : sizeof(T);
    sett_component id = sett_component_find(world, name_of<T>());
    if (id == 0 || (!is_relationship<T> && !is_same_layout(world, id, size, alignof(T)))) {
        if constexpr (is_relationship<T>) {
            id = register_relationship<T>(world);
        } else {
            id = register_component<T>(world);
        }
    }
    if (id == 0) {
        sett_world_log(world, SETT_LOG_ERROR, sett_world_message(world));
        sett_world_log(world, SETT_LOG_ERROR,
                       "sett.hpp: the type could not be registered by its first use: call "
                       "world.component<T>() before loops and systems use it");
        return 0;
    }
    (void)sett_component_bind(world, number_of<T>, id);
    return id;
}

template <class T>
[[gnu::noinline, gnu::cold, gnu::pure]] sett_component id_by_name(const sett_world* world)
{
    const sett_component id = sett_component_bound(world, number_of<T>);
    return id != 0 ? id : sett_component_find(world, name_of<T>());
}
/* The id of a type, to read; 0 if it is not registered. */
template <class T> sett_component id_in(const sett_world* world)
{
    const sett_bound_* slot = &sett_read_header_(world)->bound[number_of<T> % SETT_BOUND_FRONT_];
    return SETT_LIKELY_(slot->number == number_of<T>) ? slot->component : id_by_name<T>(world);
}

/* The id of a type, to change the world: registers it if need be. 0 on failure. */
template <class T> sett_component id_for(sett_world* world)
{
    const sett_bound_* slot = &sett_read_header_(world)->bound[number_of<T> % SETT_BOUND_FRONT_];
    if (SETT_LIKELY_(slot->number == number_of<T>)) {
        return slot->component;
    }
    const sett_component id = sett_component_bound(world, number_of<T>);
    return id != 0 ? id : first_use<T>(world);
}

/* ----------------------------------------------------------------------------------- lambdas */

/* A lambda in memory of the world. */
template <class F> struct closure {
    sett_world* world;
    F call;

    static closure* make(sett_world* world, F&& f)
    {
        void* at = sett_world_alloc(world, sizeof(closure), alignof(closure));
        return at != nullptr ? ::new (at) closure{world, std::move(f)} : nullptr;
    }
    static void free(void* user)
    {
        closure* self = static_cast<closure*>(user);
        sett_world* world = self->world;
        self->~closure();
        (void)sett_world_release(world, self, sizeof(closure), alignof(closure));
    }
};

template <class... T> struct list {
    static constexpr uint32_t count = sizeof...(T);
};
template <class... L> struct joined {
    using type = list<>;
};
template <class... T> struct joined<list<T...>> {
    using type = list<T...>;
};
template <class... A, class... B, class... L>
struct joined<list<A...>, list<B...>, L...> : joined<list<A..., B...>, L...> {
};

template <class F, class = void> struct signature {
    static_assert(never<F>, "sett: the lambda's parameters say what it visits: give each its type, "
                            "such as `Position& p, const Velocity& v`, instead of auto");
    using args = list<>;
    static constexpr bool is_const = true;
};
template <class M> struct method;
template <class R, class C, class... A> struct method<R (C::*)(A...)> {
    using args = list<A...>;
    static constexpr bool is_const = false;
};
template <class R, class C, class... A> struct method<R (C::*)(A...) const> {
    using args = list<A...>;
    static constexpr bool is_const = true;
};
template <class R, class C, class... A>
struct method<R (C::*)(A...) noexcept> : method<R (C::*)(A...)> {
};
template <class R, class C, class... A>
struct method<R (C::*)(A...) const noexcept> : method<R (C::*)(A...) const> {
};
template <class F>
struct signature<F, std::void_t<decltype(&F::operator())>> : method<decltype(&F::operator())> {
};
template <class R, class... A> struct signature<R (*)(A...), void> {
    using args = list<A...>;
    static constexpr bool is_const = true;
};
template <class R, class... A> struct signature<R (*)(A...) noexcept, void> {
    using args = list<A...>;
    static constexpr bool is_const = true;
};
} // namespace detail

/* -------------------------------------------------------------------------------------- results */

/* Whether a call succeeded, and if not, why. */
class [[nodiscard]] result
{
  public:
    result(const sett_world* world, sett_status code) : world_(world), code_(code) {}
    explicit operator bool() const { return code_ == SETT_OK; }
    sett_status code() const { return code_; }
    /* Valid until the next failure in the world. */
    const char* message() const
    {
        return code_ != SETT_OK && world_ != nullptr && sett_world_error(world_) == code_
                   ? sett_world_message(world_)
                   : sett_status_text(code_);
    }

  private:
    const sett_world* world_;
    sett_status code_;
};

/* -------------------------------------------------------------------------------------- entities */

namespace detail
{
template <class Step> class entity_range;
struct child_step;
template <class R> struct target_step;
template <class R> struct source_step;
} // namespace detail

/* An entity of a world: its handle, and where it lives. Small, to be passed by value. Components
 * store a sett_entity, which this converts to. */
class entity
{
  public:
    entity() = default;
    entity(sett_world* world, sett_entity handle) : world_(world), handle_(handle) {}
    operator sett_entity() const { return handle_; }
    sett_world* c_world() const { return world_; }
    world_ref world() const;
    /* Whether it is alive. */
    explicit operator bool() const
    {
        return world_ != nullptr && sett_entity_valid(world_, handle_);
    }
    friend bool operator==(entity a, entity b) { return sett_equals(a.handle_, b.handle_); }
    friend bool operator!=(entity a, entity b) { return !sett_equals(a.handle_, b.handle_); }

    /* Reads a component. If the entity does not have it: a misuse, and a value T{}. */
    template <class T> const T& get() const
    {
        detail::check_value<T>();
        const void* at = sett_get_of_size_(world_, handle_, detail::id_in<T>(world_), sizeof(T));
        return *static_cast<const T*>(SETT_LIKELY_(at != nullptr) ? at : sett_default_<T>());
    }
    /* Reads a component; nullptr if the entity does not have it. */
    template <class T> const T* find() const
    {
        detail::check_value<T>();
        const sett_component id = detail::id_in<T>(world_);
        return id != 0 ? static_cast<const T*>(sett_find_of_size_(world_, handle_, id, sizeof(T)))
                       : nullptr;
    }
    /* To write; nullptr if the entity does not have it, which get_mut reports. */
    template <class T> T* get_mut() const
    {
        detail::check_value<T>();
        return static_cast<T*>(sett_get_mut(world_, handle_, detail::id_in<T>(world_)));
    }
    template <class T> T* find_mut() const
    {
        detail::check_value<T>();
        const sett_component id = detail::id_in<T>(world_);
        return id != 0 ? static_cast<T*>(sett_find_mut(world_, handle_, id)) : nullptr;
    }
    /* To write; adds T{} if it is absent. */
    template <class T> T* ensure() const
    {
        detail::check_value<T>();
        return static_cast<T*>(sett_ensure(world_, handle_, detail::id_for<T>(world_)));
    }
    template <class T> bool has() const
    {
        detail::check_component<T>();
        const sett_component id = detail::id_in<T>(world_);
        return id != 0 && sett_has(world_, handle_, id);
    }
    /* Adds an absent component: T{}, or a tag. */
    template <class T> entity add() const
    {
        detail::check_plain<T>();
        return (void)sett_add(world_, handle_, detail::id_for<T>(world_)), *this;
    }
    /* Sets values, and adds what is absent: e.set(Position{1, 2}, Burning{}). A type that cannot be
     * copied is moved into its place, without on_set. */
    template <class... T> entity set(T&&... values) const
    {
        return (set_one(std::forward<T>(values)), ...), *this;
    }
    template <class... T> entity remove() const
    {
        (detail::check_plain<T>(), ...);
        ((void)sett_remove(world_, handle_, detail::id_for<T>(world_)), ...);
        return *this;
    }
    /* Switches a component off or on; its type is described with can_disable. */
    template <class T> entity enable(bool on = true) const
    {
        return (void)sett_enable(world_, handle_, detail::id_for<T>(world_), on), *this;
    }
    entity clear() const { return (void)sett_entity_clear(world_, handle_), *this; }
    void destroy() const { (void)sett_entity_destroy(world_, handle_); }
    /* Records changes, where structure is locked: e.later().destroy(). */
    sett::later later() const;

    entity child_of(sett_entity parent) const
    {
        return (void)sett_hierarchy_attach(world_, handle_, parent), *this;
    }
    entity parent() const { return {world_, sett_hierarchy_parent(world_, handle_)}; }
    /* for (sett::entity child : e.children()): the body can destroy or move `child`. */
    detail::entity_range<detail::child_step> children() const;

    entity name(const char* text) const
    {
        return (void)sett_name_set(world_, handle_, text), *this;
    }
    /* nullptr: it has none. */
    const char* name() const { return sett_name_get(world_, handle_); }

    /* Links to a target: bob.relate<Likes>(alice), or with data bob.relate(Owes{5}, alice). */
    template <class R> entity relate(sett_entity target) const
    {
        detail::check_relationship<R>();
        return (void)sett_relate(world_, handle_, detail::id_for<R>(world_), target), *this;
    }
    template <class R> entity relate(const R& data, sett_entity target) const
    {
        detail::check_relationship<R>();
        void* at = sett_relate(world_, handle_, detail::id_for<R>(world_), target);
        if constexpr (!detail::is_tag<R>) {
            if (at != nullptr) {
                *static_cast<R*>(at) = data;
            }
        }
        return *this;
    }
    template <class R> entity unrelate(sett_entity target) const
    {
        detail::check_relationship<R>();
        return (void)sett_unrelate(world_, handle_, detail::id_for<R>(world_), target), *this;
    }
    /* The target, the first one of several; false if there is none. */
    template <class R> entity target() const
    {
        detail::check_relationship<R>();
        return {world_, sett_target(world_, handle_, detail::id_for<R>(world_))};
    }
    /* The data of a link; nullptr if there is no link. */
    template <class R> const R* related(sett_entity target) const
    {
        detail::check_relationship<R>();
        return static_cast<const R*>(
            sett_related(world_, handle_, detail::id_for<R>(world_), target));
    }
    template <class R> R* related_mut(sett_entity target) const
    {
        detail::check_relationship<R>();
        return static_cast<R*>(
            sett_related_mut(world_, handle_, detail::id_for<R>(world_), target));
    }
    template <class R> detail::entity_range<detail::target_step<R>> targets() const;
    template <class R> detail::entity_range<detail::source_step<R>> sources() const;

    /* An instance of this entity, a prefab, with values of its own (prefab.h). */
    template <class... T> entity instantiate(T&&... values) const;

    /* Sends an event (event.h): orc.send(Damage{3}). */
    template <class T> entity send(const T& event, sett_route route = SETT_ROUTE_ENTITY) const
    {
        detail::check_plain<T>();
        (void)sett_event_send(world_, handle_, route, detail::id_for<T>(world_),
                              detail::is_tag<T> ? nullptr : &event);
        return *this;
    }

  private:
    template <class T> void set_one(T&& value) const
    {
        using V = detail::bare<T>;
        detail::check_plain<V>();
        const sett_component id = detail::id_for<V>(world_);
        if constexpr (detail::is_tag<V>) {
            (void)sett_set(world_, handle_, id, nullptr);
        } else if constexpr (detail::is_copied<V>) {
            (void)sett_set(world_, handle_, id, &value);
        } else if (void* at = sett_ensure(world_, handle_, id)) {
            *static_cast<V*>(at) = std::forward<T>(value);
        }
    }

    sett_world* world_ = nullptr;
    sett_entity handle_ = {0, 0};
};

namespace detail
{
template <class T> sett_value value_of(sett_world* world, const T& value)
{
    check_plain<T>();
    static_assert(is_copied<T>, "sett: values of this type cannot be copied into a new entity: "
                                "create the entity, then call set(std::move(value))");
    return {id_for<T>(world), is_tag<T> ? nullptr : &value, 0, nullptr};
}

/* A loop over related entities: Step has first(world, of) and next(). */
template <class Step> class entity_range
{
  public:
    entity_range(sett_world* world, sett_entity of) : world_(world), of_(of) {}
    struct iterator {
        sett_world* world;
        Step step;
        sett_entity at;
        entity operator*() const { return {world, at}; }
        iterator& operator++()
        {
            at = step.next();
            return *this;
        }
        bool operator!=(const iterator& end) const { return !sett_equals(at, end.at); }
    };
    iterator begin() const
    {
        iterator it = {world_, Step(), sett_null()};
        it.at = it.step.first(world_, of_);
        return it;
    }
    iterator end() const { return {world_, Step(), sett_null()}; }

  private:
    sett_world* world_;
    sett_entity of_;
};

struct child_step {
    const sett_world* world = nullptr;
    sett_entity after = {0, 0};
    sett_entity first(sett_world* in, sett_entity parent)
    {
        world = in;
        after = sett_hierarchy_first(world, parent);
        return next();
    }
    sett_entity next()
    {
        sett_entity at = after;
        after = sett_is_null(at) ? at : sett_hierarchy_next(world, at);
        return at;
    }
};
template <class R> struct target_step {
    const sett_world* world = nullptr;
    sett_component id = 0;
    sett_entity of = {0, 0};
    sett_link_cursor cursor = {};
    sett_entity first(sett_world* in, sett_entity source)
    {
        check_relationship<R>();
        world = in, of = source, id = id_for<R>(in);
        return next();
    }
    sett_entity next() { return sett_target_next(world, of, id, &cursor); }
};
template <class R> struct source_step : target_step<R> {
    sett_entity first(sett_world* in, sett_entity target)
    {
        check_relationship<R>();
        this->world = in, this->of = target, this->id = id_for<R>(in);
        return next();
    }
    sett_entity next() { return sett_source_next(this->world, this->id, this->of, &this->cursor); }
};
} // namespace detail

inline detail::entity_range<detail::child_step> entity::children() const
{
    return {world_, handle_};
}
template <class R> detail::entity_range<detail::target_step<R>> entity::targets() const
{
    return {world_, handle_};
}
template <class R> detail::entity_range<detail::source_step<R>> entity::sources() const
{
    return {world_, handle_};
}
template <class... T> entity entity::instantiate(T&&... values) const
{
    const sett_value list[] = {detail::value_of(world_, values)...,
                               sett_value{0, nullptr, 0, nullptr}};
    sett_instantiate_desc desc = {};
    desc.prefab = handle_;
    desc.values = list;
    desc.value_count = sizeof...(T);
    return {world_, sett_instantiate_with(world_, &desc)};
}

/* -------------------------------------------------------------------------------------- commands */

namespace detail {
template <class F> void record_call(sett_commands* commands, const F& f)
{
    static_assert(std::is_trivially_copyable_v<F> && alignof(F) <= 16,
                  "sett: the lambda of a recorded call is copied as bytes: capture numbers, "
                  "handles and pointers, by value");
    auto run = [](sett_world* world, void* data) noexcept { (*static_cast<F*>(data))(world); };
    (void)sett_cmd_call(commands, run, &f, sizeof(f));
}
} // namespace detail

/* Records changes of an entity (core.h: commands). */
class later
{
  public:
    later(sett_commands* commands, sett_entity entity) : commands_(commands), entity_(entity) {}
    /* The handle, also of an entity that is not created yet. */
    operator sett_entity() const { return entity_; }
    template <class T> later add() const
    {
        detail::check_plain<T>();
        if (const sett_component id = known<T>()) {
            (void)sett_cmd_add(commands_, entity_, id);
        } else {
            defer([](entity e) { (void)(e.has<T>() || e.add<T>()); });
        }
        return *this;
    }
    template <class... T> later set(const T&... values) const
    {
        return (set_one(values), ...), *this;
    }
    template <class... T> later remove() const { return (remove_one<T>(), ...), *this; }
    template <class T> later enable(bool on = true) const
    {
        return (void)sett_cmd_enable(commands_, entity_, id<T>(), on), *this;
    }
    later clear() const { return (void)sett_cmd_clear(commands_, entity_), *this; }
    void destroy() const { (void)sett_cmd_destroy(commands_, entity_); }
    later child_of(sett_entity parent) const
    {
        return (void)sett_cmd_attach(commands_, entity_, parent), *this;
    }
    later name(const char* text) const
    {
        return (void)sett_cmd_name_set(commands_, entity_, text), *this;
    }
    template <class R> later relate(sett_entity target) const
    {
        detail::check_relationship<R>();
        return (void)sett_cmd_relate(commands_, entity_, id<R>(), target, nullptr), *this;
    }
    template <class R> later relate(const R& data, sett_entity target) const
    {
        detail::check_relationship<R>();
        (void)sett_cmd_relate(commands_, entity_, id<R>(), target,
                              detail::is_tag<R> ? nullptr : &data);
        return *this;
    }
    template <class R> later unrelate(sett_entity target) const
    {
        detail::check_relationship<R>();
        return (void)sett_cmd_unrelate(commands_, entity_, id<R>(), target), *this;
    }
    template <class T> later send(const T& event, sett_route route = SETT_ROUTE_ENTITY) const
    {
        detail::check_plain<T>();
        (void)sett_cmd_event(commands_, entity_, route, id<T>(),
                             detail::is_tag<T> ? nullptr : &event);
        return *this;
    }

  private:
    template <class T> sett_component id() const
    {
        return detail::id_for<T>(sett_commands_world(commands_));
    }
    template <class T> sett_component known() const
    {
        return detail::id_in<T>(sett_commands_world(commands_));
    }
    /* A type that is used for the first time inside a loop can be registered only after it. */
    template <class F> void defer(F f) const
    {
        detail::record_call(commands_, [f, handle = entity_](sett_world* world) {
            if (entity e{world, handle}) {
                f(e);
            }
        });
    }
    template <class T> void remove_one() const
    {
        detail::check_plain<T>();
        if (const sett_component id = known<T>()) {
            (void)sett_cmd_remove(commands_, entity_, id);
        } else {
            defer([](entity e) { e.remove<T>(); });
        }
    }
    template <class T> void set_one(const T& value) const
    {
        detail::check_plain<T>();
        static_assert(detail::is_copied<T>,
                      "sett: a command copies its value, and this type cannot be copied");
        if constexpr (std::is_trivially_copyable_v<T>) {
            if (known<T>() == 0) {
                return defer([value](entity e) { e.set(value); });
            }
        }
        if constexpr (detail::is_tag<T>) {
            (void)sett_cmd_add(commands_, entity_, id<T>());
        } else {
            (void)sett_cmd_set(commands_, entity_, id<T>(), &value);
        }
    }

    sett_commands* commands_;
    sett_entity entity_;
};

inline sett::later entity::later() const { return {sett_commands_here(world_), handle_}; }

/* Records changes of a world: world.later(), frame.later(). */
class recorder
{
  public:
    explicit recorder(sett_commands* commands) : commands_(commands) {}
    sett_commands* c() const { return commands_; }
    template <class... T> sett::later create(const T&... values) const
    {
        return sett::later(commands_, sett_cmd_create(commands_)).set(values...);
    }
    sett::later instantiate(sett_entity prefab) const
    {
        return {commands_, sett_cmd_instantiate(commands_, prefab)};
    }
    sett::later of(sett_entity entity) const { return {commands_, entity}; }
    /* Calls f(sett::world_ref) when commands are applied. */
    template <class F> void call(F f) const;

  private:
    sett_commands* commands_;
};

/* ----------------------------------------------------------------- what lambdas are called with */

/* A call of a system's function (sett_context). */
struct frame {
    explicit frame(sett_context* context)
        : dt(context->dt), time(context->time), number(context->frame), context_(context)
    {
    }
    float dt;        /* seconds: of the frame, the interval or the fixed step */
    double time;     /* the sum of dt before this one */
    uint64_t number; /* of this frame or fixed step, from 0 */
    sett_context* c() const { return context_; }
    inline world_ref world() const;
    /* Records changes: they are applied at the end of the phase. */
    recorder later() const { return recorder(context_->commands); }
    sett::later later(sett_entity entity) const { return {context_->commands, entity}; }

  private:
    sett_context* context_;
};

/* A singleton; nullptr if there is none. const T: only read. */
template <class T> class single
{
  public:
    explicit single(T* at) : at_(at) {}
    explicit operator bool() const { return at_ != nullptr; }
    T* operator->() const { return at_; }
    T& operator*() const { return *at_; }

  private:
    T* at_;
};

/* Components of any entity: positions.find(target). lookup<const T> only reads. */
template <class T> class lookup
{
  public:
    explicit lookup(sett_world* world)
        : world_(world),
          accessor_(sett_accessor_make(world, detail::id_for<detail::bare<T>>(world)))
    {
    }
    T* find(sett_entity entity) const
    {
        if constexpr (std::is_const_v<T>) {
            return static_cast<T*>(sett_accessor_find(&accessor_, entity));
        } else {
            return static_cast<T*>(sett_find_mut(world_, entity, accessor_.component));
        }
    }
    bool has(sett_entity entity) const { return sett_accessor_has(&accessor_, entity); }

  private:
    sett_world* world_;
    sett_accessor accessor_;
};

/* The value of the parent, or of the nearest ancestor that has T. */
template <class T> struct parent : single<T> {
    using single<T>::single;
};
template <class T> struct up : single<T> {
    using single<T>::single;
};

/* Filters of a query's types. */
template <class... T> struct with;
template <class... T> struct without;
template <class... T> struct any;
template <class T> struct changed;

namespace detail
{

/* What a lambda's parameter, or a query's type, asks for:
 *     is_field     it has a term and a field            is_elsewhere  its term is of another entity
 *     term         the term's access, kind and walk
 *     value        what the lambda receives
 *     make         from a batch: what gives the value for each row */
struct no_field {
    static constexpr bool is_field = false, is_elsewhere = false, is_row = false;
    static void term(sett_world*, sett_term&) {}
    static void access(sett_world*, sett_system_desc&) {}
};

inline void add_access(sett_component* list, sett_component id)
{
    uint32_t k = 0;
    while (k < SETT_SYSTEM_ACCESS - 1 && list[k] != 0 && list[k] != id) {
        k++;
    }
    list[k] = id;
}

template <class T> struct row_ref {
    T* at;
    T& operator()(uint32_t i) const { return at[i]; }
};
template <class T> struct row_pointer {
    T* at;
    T* operator()(uint32_t i) const
    {
        return at != nullptr ? at + (is_tag<std::remove_const_t<T>> ? 0 : i) : nullptr;
    }
};
template <class T> struct row_same {
    T value;
    T operator()(uint32_t) const { return value; }
};
/* Has copies of the batch's members, which the body of a loop could write to; and calls nothing, so
 * that it costs nothing where the entity is not used. */
struct row_entity {
    sett_world* world = nullptr;
    const uint32_t* indices = nullptr;
    const uint32_t* generations = nullptr;
    uint32_t base = 0;
    row_entity() = default;
    row_entity(sett_world* in, const sett_batch* b)
        : world(in), indices(b->indices), generations(b->generations), base(b->base)
    {
    }
    entity operator()(uint32_t i) const
    {
        if (indices == nullptr) {
            return {world, sett_entity{base + i, generations[i]}};
        }
        const uint32_t index = indices[i];
        const void* page = sett_read_header_(world)->entities.data[index >> 10];
        return {world, sett_entity{index, static_cast<const uint32_t*>(page)[index & 1023]}};
    }
};
template <class V, class T> struct row_elsewhere {
    const sett_batch* batch;
    uint32_t k;
    V operator()(uint32_t i) const
    {
        if constexpr (std::is_const_v<T>) {
            return V(static_cast<T*>(sett_batch_from(batch, k, i)));
        } else {
            return V(static_cast<T*>(sett_batch_from_mut(batch, k, i)));
        }
    }
};

template <class A> struct arg : no_field {
    static_assert(
        never<A>,
        "sett: a component comes by reference or by pointer: write `const T&` to read it, "
        "`T&` to change it, `T*` if it may be absent");
    using value = A;
};
template <class T> struct field_arg : no_field {
    static constexpr bool is_field = true, is_row = true;
    using component = std::remove_const_t<T>;
    static void term(sett_world* world, sett_term& t)
    {
        t.component = id_for<component>(world);
        t.access = std::is_const_v<T> ? SETT_IN : SETT_INOUT;
    }
};
template <class T> struct arg<T&> : field_arg<T> {
    static constexpr bool check()
    {
        using V = std::remove_const_t<T>;
        if constexpr (check_component<V>()) {
            static_assert(!is_relationship<V>,
                          "sett: a relationship has no field: filter by with<R>(), and ask "
                          "e.target<R>() and e.related<R>(target) in the loop");
            static_assert(!is_tag<V>, "sett: a tag (an empty type) has no value: filter by "
                                      "with<T>() or without<T>(), or take `const T*`");
        }
        return true;
    }
    static_assert(check());
    using value = T&;
    static row_ref<T> make(const sett_batch* batch, sett_world*, sett_context*, uint32_t k)
    {
        return {static_cast<T*>(sett_batch_field(batch, k))};
    }
};
template <class T> struct arg<T*> : field_arg<T> {
    static constexpr bool check() { return check_plain<std::remove_const_t<T>>(), true; }
    static_assert(check());
    using value = T*;
    static void term(sett_world* world, sett_term& t)
    {
        field_arg<T>::term(world, t);
        t.kind = SETT_OPTIONAL;
    }
    static row_pointer<T> make(const sett_batch* batch, sett_world*, sett_context*, uint32_t k)
    {
        if constexpr (is_tag<std::remove_const_t<T>>) { /* any address: nothing is read from it */
            void* at = sett_batch_has(batch, k) ? const_cast<sett_batch*>(batch) : nullptr;
            return {static_cast<T*>(at)};
        } else {
            return {static_cast<T*>(sett_batch_field(batch, k))};
        }
    }
};
template <> struct arg<entity> : no_field {
    static constexpr bool is_row = true;
    using value = entity;
    static row_entity make(const sett_batch* batch, sett_world* world, sett_context*, uint32_t)
    {
        return {world, batch};
    }
};
template <> struct arg<sett_entity> : arg<entity> {
};
template <> struct arg<frame> : no_field {
    using value = frame;
    static row_same<frame> make(const sett_batch*, sett_world*, sett_context* context, uint32_t)
    {
        return {frame(context)};
    }
};
template <class T> struct arg<single<T>> : no_field {
    using value = single<T>;
    static void access(sett_world* world, sett_system_desc& desc)
    {
        check_value<std::remove_const_t<T>>();
        add_access(std::is_const_v<T> ? desc.access_any_in : desc.access_any_inout,
                   id_for<std::remove_const_t<T>>(world));
    }
    static row_same<value> make(const sett_batch*, sett_world* world, sett_context*, uint32_t)
    {
        const sett_component id = id_for<std::remove_const_t<T>>(world);
        if constexpr (std::is_const_v<T>) {
            return {value(static_cast<T*>(sett_singleton_find(world, id)))};
        } else {
            return {value(static_cast<T*>(sett_singleton_find_mut(world, id)))};
        }
    }
};
template <class T> struct arg<lookup<T>> : no_field {
    using value = lookup<T>;
    static void access(sett_world* world, sett_system_desc& desc)
    {
        check_value<std::remove_const_t<T>>();
        add_access(std::is_const_v<T> ? desc.access_any_in : desc.access_any_inout,
                   id_for<std::remove_const_t<T>>(world));
    }
    static row_same<value> make(const sett_batch*, sett_world* world, sett_context*, uint32_t)
    {
        return {value(world)};
    }
};
template <class V, class T, sett_walk walk> struct elsewhere_arg : no_field {
    static constexpr bool is_elsewhere = true, is_row = true;
    using value = V;
    static void term(sett_world* world, sett_term& t)
    {
        check_value<std::remove_const_t<T>>();
        t.component = id_for<std::remove_const_t<T>>(world);
        t.access = std::is_const_v<T> ? SETT_IN : SETT_INOUT;
        t.walk = walk;
    }
    static row_elsewhere<V, T> make(const sett_batch* batch, sett_world*, sett_context*, uint32_t k)
    {
        return {batch, k};
    }
};
template <class T> struct arg<parent<T>> : elsewhere_arg<parent<T>, T, SETT_WALK_ONE> {
};
template <class T> struct arg<up<T>> : elsewhere_arg<up<T>, T, SETT_WALK_UP> {
};

/* `const sett::frame&` and the like are as without the reference. */
template <class A> struct is_special : std::false_type {
};
template <> struct is_special<entity> : std::true_type {
};
template <> struct is_special<sett_entity> : std::true_type {
};
template <> struct is_special<frame> : std::true_type {
};
template <class T> struct is_special<single<T>> : std::true_type {
};
template <class T> struct is_special<lookup<T>> : std::true_type {
};
template <class T> struct is_special<parent<T>> : std::true_type {
};
template <class T> struct is_special<up<T>> : std::true_type {
};
template <class A> using arg_of = arg<std::conditional_t<is_special<bare<A>>::value, bare<A>, A>>;

template <class T> sett_component filter_id(sett_world* world)
{
    check_component<T>();
    return id_for<T>(world);
}

/* A list of terms that grows. A type that could not be registered makes it fail. */
struct terms {
    sett_term* at;
    uint32_t count = 0;
    bool failed = false;
    void add(const sett_term& t)
    {
        failed = failed || t.component == 0 || count == SETT_QUERY_TERMS;
        if (count < SETT_QUERY_TERMS) {
            at[count++] = t;
        }
    }
};
struct filter_base {
};
template <sett_term_kind kind, bool is_changed, class... T> struct filter : filter_base {
    static void add(sett_world* world, terms& out) { (out.add(term<T>(world)), ...); }
    template <class V> static sett_term term(sett_world* world)
    {
        sett_term t = {};
        t.component = filter_id<V>(world);
        t.kind = kind;
        t.access = is_changed ? SETT_IN : SETT_NONE;
        t.changed = is_changed;
        return t;
    }
};
/* The types of a query: of fields as a lambda's parameters, with & added. */
template <class T> struct query_type {
    static constexpr bool is_filter = std::is_base_of_v<filter_base, T>;
    using field = std::conditional_t<is_special<T>::value || std::is_pointer_v<T>, T, T&>;
    using args = std::conditional_t<is_filter, list<>, list<field>>;
    static void add(sett_world* world, terms& out)
    {
        if constexpr (is_filter) {
            T::add(world, out);
        }
    }
};

template <class A> void add_term(sett_world* world, terms& out)
{
    sett_term t = {};
    arg_of<A>::term(world, t);
    out.add(t);
}
template <class... A> void add_fields(sett_world* world, terms& out, list<A...>)
{
    ((arg_of<A>::is_field ? add_term<A>(world, out) : void()), ...);
}
template <class... A> void add_elsewhere(sett_world* world, terms& out, list<A...>)
{
    ((arg_of<A>::is_elsewhere ? add_term<A>(world, out) : void()), ...);
}

/* The numbers of the terms of A...: fields first, in their order; `first_elsewhere` is that of the
 * first term elsewhere, behind the filters. */
template <class... A> struct numbers {
    static constexpr uint32_t count_before(size_t at, bool elsewhere)
    {
        const bool is[] = {(elsewhere ? arg_of<A>::is_elsewhere : arg_of<A>::is_field)..., false};
        uint32_t n = 0;
        for (size_t k = 0; k < at; k++) {
            n += is[k];
        }
        return n;
    }
};

/* One loop in the source is two for the compiler: the first one becomes vector code. */
template <class F, class... Row>
inline void call_rows(const sett_batch* batch, F& f, const Row... row)
{
    const uint32_t count = batch->count;
    const uint16_t* rows = batch->rows;
    if (rows == nullptr) {
        for (uint32_t i = 0; i < count; i++) {
            f(row(i)...);
        }
    } else {
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t i = rows[k];
            f(row(i)...);
        }
    }
}

struct closer {
    sett_batch* batch;
    ~closer() { sett_batch_end(batch); }
};

template <class F, class... A, size_t... K>
inline void call_batches(sett_batch* batch, F& f, sett_world* world, sett_context* context,
                         uint32_t elsewhere, list<A...>, std::index_sequence<K...>)
{
    closer end{batch};
    while (sett_batch_more_(batch)) {
        call_rows(batch, f,
                  arg_of<A>::make(batch, world, context,
                                  arg_of<A>::is_elsewhere
                                      ? elsewhere + numbers<A...>::count_before(K, true)
                                      : numbers<A...>::count_before(K, false))...);
    }
}

/* ------------------------------------------------------------------------------ range-for loops */

/* The rows that a range-for visits. What the library writes to lies in row_end, whose address
 * escapes; the rest can stay in registers. */
template <class... A> struct row_end {
    mutable sett_batch batch;
    sett_world* world;
    sett_batch* open; /* the batch, or nullptr */
    uint32_t elsewhere;
    row_end(sett_world* in, sett_query* query, sett_context* context, uint32_t number)
        : world(in), elsewhere(number)
    {
        open = context != nullptr ? sett_context_query(context, query, &batch)
                                  : sett_query_begin(query, &batch);
    }
    row_end(const row_end&) = delete;
    ~row_end()
    {
        if (open != nullptr) {
            sett_batch_end(open);
        }
    }
};
template <size_t K, class A> struct row_slot {
    decltype(arg_of<A>::make(nullptr, nullptr, nullptr, 0)) at;
};
template <class Indices, class... A> struct row_slots;
template <size_t... K, class... A>
struct row_slots<std::index_sequence<K...>, A...> : row_slot<K, A>... {
    row_slots() = default;
    row_slots(const sett_batch* batch, sett_world* world, uint32_t elsewhere)
        : row_slot<K, A>{arg_of<A>::make(batch, world, nullptr,
                                         arg_of<A>::is_elsewhere
                                             ? elsewhere + numbers<A...>::count_before(K, true)
                                             : numbers<A...>::count_before(K, false))}...
    {
    }
};
template <class... A> struct row : row_slots<std::index_sequence_for<A...>, A...> {
    uint32_t i = 0;
};
template <size_t K, class... A> struct nth;
template <size_t K, class First, class... A> struct nth<K, First, A...> : nth<K - 1, A...> {
};
template <class First, class... A> struct nth<0, First, A...> {
    using type = First;
};
template <size_t K, class... A> typename arg_of<typename nth<K, A...>::type>::value get(row<A...> r)
{
    return static_cast<const row_slot<K, typename nth<K, A...>::type>&>(r).at(r.i);
}

template <class... A> struct row_iterator {
    row<A...> at;
    const uint16_t* rows = nullptr;
    uint32_t k = 0;
    uint32_t count = 0;
    row<A...> operator*() const
    {
        row<A...> here = at;
        here.i = rows != nullptr ? rows[k] : k;
        return here;
    }
    row_iterator& operator++()
    {
        k++;
        return *this;
    }
    bool operator!=(const row_end<A...>& end)
    {
        if (SETT_LIKELY_(k < count)) {
            return true;
        }
        if (end.open == nullptr || !sett_batch_more_(&end.batch)) {
            return false;
        }
        static_cast<row_slots<std::index_sequence_for<A...>, A...>&>(at) = {&end.batch, end.world,
                                                                            end.elsewhere};
        rows = end.batch.rows;
        count = end.batch.count;
        k = 0;
        return true;
    }
};

template <class L> struct range_of;
template <class... A> struct range_of<list<A...>> {
    sett_world* world;
    sett_query* query;
    sett_context* context;
    uint32_t elsewhere;

    row_iterator<A...> begin() const { return {}; }
    row_end<A...> end() const { return {world, query, context, elsewhere}; }
    template <class F> void each(F&& f) const { each_of(f, list<A...>()); }

  private:
    template <class F, class First, class... B> void each_of(F& f, list<First, B...>) const
    {
        constexpr bool whole =
            std::is_invocable_v<F&, typename arg_of<First>::value, typename arg_of<B>::value...>;
        constexpr bool values = std::is_invocable_v<F&, typename arg_of<B>::value...>;
        static_assert(
            whole || values,
            "sett: the lambda's parameters are not those of the query: first, if wanted, "
            "sett::entity; then in the order of its types T& for T, const T& for const T, "
            "T* for T*");
        sett_batch batch;
        sett_batch* open = context != nullptr ? sett_context_query(context, query, &batch)
                                              : sett_query_begin(query, &batch);
        if (open == nullptr) {
            return;
        }
        if constexpr (whole) {
            call_batches(&batch, f, world, context, elsewhere, list<First, B...>(),
                         std::make_index_sequence<sizeof...(B) + 1>());
        } else if constexpr (values) {
            call_batches(&batch, f, world, context, elsewhere, list<B...>(),
                         std::make_index_sequence<sizeof...(B)>());
        }
    }
};
} // namespace detail

template <class... T> struct with : detail::filter<SETT_WITH, false, T...> {
};
template <class... T> struct without : detail::filter<SETT_WITHOUT, false, T...> {
};
template <class... T> struct any : detail::filter<SETT_ANY, false, T...> {
};
template <class T> struct changed : detail::filter<SETT_WITH, true, T> {
};

/* --------------------------------------------------------------------------------------- queries */

namespace detail
{
/* A thing of C that ends with this object. */
template <class C, sett_status (*end)(C*)> class owner
{
  public:
    owner() = default;
    owner(sett_world* world, C* c) : world_(world), c_(c) {}
    owner(owner&& other) noexcept : world_(other.world_), c_(std::exchange(other.c_, nullptr)) {}
    owner& operator=(owner&& other) noexcept
    {
        std::swap(world_, other.world_);
        std::swap(c_, other.c_);
        return *this;
    }
    ~owner() { (void)end(c_); }
    explicit operator bool() const { return c_ != nullptr; }
    C* c() const { return c_; }

  protected:
    sett_world* world_ = nullptr;
    C* c_ = nullptr;
};
} // namespace detail

/* A query over the types T (see above), destroyed with this object. For a query that failed to be
 * created, which the log says, loops are empty. */
template <class... T> class query : public detail::owner<sett_query, sett_query_destroy>
{
    using args = typename detail::joined<detail::list<entity>,
                                         typename detail::query_type<T>::args...>::type;
    using range = detail::range_of<args>;

  public:
    query() = default;
    explicit query(const world_ref& world);
    /* Calls f for each match: f(Position& p, const Velocity& v), or with sett::entity first. The
     * fastest loop: short bodies become vector code. */
    template <class F> void each(F&& f) const { all().each(f); }
    /* for (auto [e, p, v] : query): the entity, then references, or pointers for T*. The body can
     * break and return. */
    auto begin() const { return all().begin(); }
    auto end() const { return all().end(); }
    /* The loops inside a system: query.in(frame).each(...), for (... : query.in(frame)). The system
     * declares what the query accesses (reads_any, writes_any). */
    range in(const frame& f) const { return {world_, c_, f.c(), elsewhere_}; }
    uint32_t count() const { return c_ != nullptr ? sett_query_count(c_) : 0; }
    /* The first match; false if there is none. */
    entity first() const { return {world_, c_ != nullptr ? sett_query_first(c_) : sett_null()}; }
    bool matches(sett_entity e) const { return c_ != nullptr && sett_query_matches(c_, e); }
    /* For sett::changed: values written after this tick match (sett_query_set_since). */
    void since(uint64_t tick) const { sett_query_set_since(c_, tick); }

  private:
    range all() const { return {world_, c_, nullptr, elsewhere_}; }

    uint32_t elsewhere_ = 0;
};

/* A query over several entities, as text (search.h), destroyed with this object. */
class search : public detail::owner<sett_search, sett_search_destroy>
{
  public:
    search(const world_ref& world, const char* text);
    result bind(const char* variable, sett_entity entity)
    {
        return {world_, sett_search_bind(c_, sett_search_variable(c_, variable), entity)};
    }
    uint64_t count() { return c_ != nullptr ? sett_search_count(c_) : 0; }
    /* Calls f with the entities of these variables, for each result:
     *     ships.each([](sett::entity ship, sett::entity planet) { ... }, "this", "planet"); */
    template <class F, class... Name> void each(F&& f, Name... names)
    {
        constexpr size_t n = sizeof...(Name);
        const char* const name[n + 1] = {names..., nullptr};
        uint32_t variables[n + 1] = {};
        for (size_t k = 0; k < n; k++) {
            variables[k] = sett_search_variable(c_, name[k]);
            if (c_ != nullptr && variables[k] == UINT32_MAX) {
                sett_world_log(world_, SETT_LOG_ERROR, "search.each: no variable has this name:");
                sett_world_log(world_, SETT_LOG_ERROR, name[k]);
                return;
            }
        }
        SETT_SEARCH(c_, rows, i) { call(f, rows, i, variables, std::make_index_sequence<n>()); }
    }

  private:
    template <class F, size_t... K>
    void call(F& f, const sett_rows* rows, uint32_t i, const uint32_t* variables,
              std::index_sequence<K...>)
    {
        f(entity(world_, sett_rows_entity(rows, variables[K], i))...);
    }
};

/* ----------------------------------------------------------------------------- systems, observers */

/* Makes a system: world.system("name"), options, then each(lambda) or run(lambda). The options are
 * those of sett_system_desc. */
class system_builder
{
  public:
    system_builder(sett_world* world, const char* name) : world_(world) { desc_.name = name; }
    template <class... T> system_builder& with() { return add_filter<sett::with<T...>>(); }
    template <class... T> system_builder& without() { return add_filter<sett::without<T...>>(); }
    template <class... T> system_builder& any() { return add_filter<sett::any<T...>>(); }
    template <class T> system_builder& changed() { return add_filter<sett::changed<T>>(); }
    system_builder& phase(int number) { return desc_.phase = number, *this; }
    system_builder& before(const char* system) { return add_name(desc_.before, system); }
    system_builder& after(const char* system) { return add_name(desc_.after, system); }
    /* What the lambda does beside its parameters: components of the visited entity that it writes by
     * handle, components of any entity, and those that its commands add, set or remove. */
    template <class... T> system_builder& writes() { return add_access<T...>(desc_.access_inout); }
    template <class... T> system_builder& reads_any()
    {
        return add_access<T...>(desc_.access_any_in);
    }
    template <class... T> system_builder& writes_any()
    {
        return add_access<T...>(desc_.access_any_inout);
    }
    template <class... T> system_builder& records() { return add_access<T...>(desc_.records); }
    system_builder& single_job() { return desc_.single_job = true, *this; }
    system_builder& exclusive() { return desc_.exclusive = true, *this; }
    system_builder& once() { return desc_.run_once = true, *this; }
    system_builder& disabled() { return desc_.disabled = true, *this; }
    system_builder& interval(float seconds) { return desc_.interval = seconds, *this; }
    system_builder& fixed_step(float seconds) { return desc_.fixed_step = seconds, *this; }
    system_builder& run_if(bool (*condition)(const sett_world*, void*))
    {
        return desc_.run_if = condition, *this;
    }

    /* Runs f for each entity that has what its parameters name. */
    template <class F> sett_system* each(F f)
    {
        using args = typename detail::signature<F>::args;
        return each_of(std::move(f), args());
    }
    /* Runs f once a frame: f(sett::frame), with single and lookup as they are wanted. Without
     * parameters other than frame, and without lists of accesses, it runs alone (exclusive). */
    template <class F> sett_system* run(F f)
    {
        using args = typename detail::signature<F>::args;
        return run_of(std::move(f), args());
    }

  private:
    template <class Filter> system_builder& add_filter()
    {
        Filter::add(world_, filters_);
        return *this;
    }
    template <class... T> system_builder& add_access(sett_component* list)
    {
        (detail::add_access(list, detail::filter_id<T>(world_)), ...);
        return *this;
    }
    system_builder& add_name(const char** list, const char* name)
    {
        for (int k = 0; k < SETT_SYSTEM_ORDER; k++) {
            if (list[k] == nullptr) {
                list[k] = name;
                break;
            }
        }
        return *this;
    }
    template <class F, class... A> sett_system* each_of(F f, detail::list<A...> a)
    {
        using detail::arg_of;
        constexpr bool visits = (... || arg_of<A>::is_row);
        static_assert(visits,
                      "sett: each() visits entities, and no parameter of the lambda names a "
                      "component or takes a sett::entity: use run()");
        static_assert(detail::signature<F>::is_const || !visits,
                      "sett: a system can run on several threads at once, so its lambda cannot be "
                      "mutable: keep what it changes in a component or a singleton "
                      "(sett::single<T>)");
        detail::terms all = {desc_.terms};
        detail::add_fields(world_, all, a);
        for (uint32_t k = 0; k < filters_.count; k++) {
            all.add(filter_terms_[k]);
        }
        const uint32_t elsewhere = all.count;
        detail::add_elsewhere(world_, all, a);
        if (all.failed || filters_.failed) {
            return nullptr;
        }
        (arg_of<A>::access(world_, desc_), ...);
        struct state {
            F f;
            uint32_t elsewhere;
            void operator()(sett_context* context) const
            {
                sett_batch batch;
                if (sett_context_begin(context, &batch) != nullptr) {
                    detail::call_batches(&batch, f, context->world, context, elsewhere,
                                         detail::list<A...>(), std::index_sequence_for<A...>());
                }
            }
        };
        return make(state{std::move(f), elsewhere});
    }
    template <class F, class... A> sett_system* run_of(F f, detail::list<A...>)
    {
        using detail::arg_of;
        static_assert(!(... || arg_of<A>::is_row),
                      "sett: run() calls the lambda once a frame, and a parameter of it names a "
                      "component or takes a sett::entity: use each()");
        (arg_of<A>::access(world_, desc_), ...);
        struct state {
            mutable F f;
            void operator()(sett_context* context) const
            {
                f(arg_of<A>::make(nullptr, context->world, context, 0)(0)...);
            }
        };
        return make(state{std::move(f)});
    }
    template <class State> sett_system* make(State&& state)
    {
        using closure = detail::closure<State>;
        closure* user = closure::make(world_, std::move(state));
        if (user == nullptr) {
            return nullptr;
        }
        desc_.user = user;
        desc_.free_user = closure::free;
        desc_.run = [](sett_context* context) noexcept {
            static_cast<const closure*>(context->user)->call(context);
        };
        sett_system* made = sett_system_create(world_, &desc_);
        if (made == nullptr) {
            closure::free(user);
        }
        return made;
    }

    sett_world* world_;
    sett_system_desc desc_ = {};
    sett_term filter_terms_[SETT_QUERY_TERMS];
    detail::terms filters_ = {filter_terms_};
};

/* Makes an observer: world.observer(), filters, then what it observes (observer.h). The lambda is
 * called with the entity, and with the value, if it takes one:
 *     world.observer().with<Health>().on_event<Damage>([](sett::entity e, const Damage& d) { ... });
 *     world.observer().with<Light>().without<Broken>().on_enter([](sett::entity e) { ... }); */
class observer_builder
{
  public:
    observer_builder(sett_world* world, const char* name) : world_(world) { desc_.name = name; }
    template <class... T> observer_builder& with()
    {
        return sett::with<T...>::add(world_, terms_), *this;
    }
    template <class... T> observer_builder& without()
    {
        return sett::without<T...>::add(world_, terms_), *this;
    }
    template <class... T> observer_builder& any()
    {
        return sett::any<T...>::add(world_, terms_), *this;
    }
    observer_builder& of(sett_entity entity) { return desc_.entity = entity, *this; }
    /* Also calls it for what exists: on_add and on_enter. */
    observer_builder& replay() { return desc_.replay = true, *this; }
    template <class T, class F> sett_observer* on_add(F f)
    {
        return value<T>(&sett_observer_desc::on_add, std::move(f));
    }
    template <class T, class F> sett_observer* on_set(F f)
    {
        return value<T>(&sett_observer_desc::on_set, std::move(f));
    }
    template <class T, class F> sett_observer* on_remove(F f)
    {
        return value<T>(&sett_observer_desc::on_remove, std::move(f));
    }
    template <class T, class F> sett_observer* on_event(F f)
    {
        return value<T>(&sett_observer_desc::on_event, std::move(f));
    }
    /* f(sett::entity, const T& old, T& present) */
    template <class T, class F> sett_observer* on_replace(F f)
    {
        static_assert(std::is_invocable_v<F&, entity, const T&, T&>,
                      "sett: on_replace calls f(sett::entity, const T& old, T& present)");
        detail::check_value<T>();
        desc_.component = detail::id_for<T>(world_);
        desc_.on_replace = [](sett_world* w, sett_entity e, const void* old, void* now,
                              void* user) noexcept {
            static_cast<detail::closure<F>*>(user)->call(entity(w, e), *static_cast<const T*>(old),
                                                         *static_cast<T*>(now));
        };
        return make(std::move(f), desc_.component != 0);
    }
    template <class F> sett_observer* on_enter(F f)
    {
        return match(&sett_observer_desc::on_enter, std::move(f));
    }
    template <class F> sett_observer* on_exit(F f)
    {
        return match(&sett_observer_desc::on_exit, std::move(f));
    }

  private:
    using value_fn = void (*)(sett_world*, sett_entity, void*, void*);
    using match_fn = void (*)(sett_world*, sett_entity, void*);

    template <class T, class F> sett_observer* value(value_fn sett_observer_desc::*at, F f)
    {
        constexpr bool takes_value = std::is_invocable_v<F&, entity, T&> && !detail::is_tag<T>;
        constexpr bool takes_entity = std::is_invocable_v<F&, entity>;
        static_assert(takes_value || takes_entity,
                      "sett: an observer calls f(sett::entity), or f(sett::entity, T&) with the "
                      "value of the component that it names; a tag has no value");
        detail::check_component<T>();
        desc_.component = detail::id_for<T>(world_);
        desc_.*at = [](sett_world* w, sett_entity e, void* v, void* user) noexcept {
            auto& call = static_cast<detail::closure<F>*>(user)->call;
            if constexpr (takes_value) {
                call(entity(w, e), *static_cast<T*>(v));
            } else {
                (void)v;
                call(entity(w, e));
            }
        };
        return make(std::move(f), desc_.component != 0);
    }
    template <class F> sett_observer* match(match_fn sett_observer_desc::*at, F f)
    {
        static_assert(std::is_invocable_v<F&, entity>,
                      "sett: on_enter and on_exit call f(sett::entity)");
        desc_.*at = [](sett_world* w, sett_entity e, void* user) noexcept {
            static_cast<detail::closure<F>*>(user)->call(entity(w, e));
        };
        return make(std::move(f), true);
    }
    template <class F> sett_observer* make(F f, bool registered)
    {
        using closure = detail::closure<F>;
        closure* user =
            registered && !terms_.failed ? closure::make(world_, std::move(f)) : nullptr;
        if (user == nullptr) {
            return nullptr;
        }
        desc_.user = user;
        desc_.free_user = closure::free;
        sett_observer* made = sett_observer_create(world_, &desc_);
        if (made == nullptr) {
            closure::free(user);
        }
        return made;
    }

    sett_world* world_;
    sett_observer_desc desc_ = {};
    detail::terms terms_ = {desc_.terms};
};

/* ----------------------------------------------------------------------------------------- state */

/* A snapshot (state.h), dropped with this object. */
class snapshot
{
  public:
    snapshot() = default;
    snapshot(sett_world* world, sett_snapshot s) : world_(world), snapshot_(s) {}
    snapshot(snapshot&& other) noexcept
        : world_(std::exchange(other.world_, nullptr)), snapshot_(other.snapshot_)
    {
    }
    snapshot& operator=(snapshot&& other) noexcept
    {
        std::swap(world_, other.world_);
        std::swap(snapshot_, other.snapshot_);
        return *this;
    }
    ~snapshot()
    {
        if (*this) {
            (void)sett_snapshot_drop(world_, snapshot_);
        }
    }
    /* Whether it can be restored. */
    explicit operator bool() const
    {
        return world_ != nullptr && sett_snapshot_status(world_, snapshot_) == SETT_OK;
    }
    sett_snapshot c() const { return snapshot_; }
    result restore() const { return {world_, sett_snapshot_restore(world_, snapshot_)}; }
    /* The hash that the world had; 0 on failure. */
    uint64_t hash() const
    {
        uint64_t hash = 0;
        return sett_snapshot_hash(world_, snapshot_, &hash) == SETT_OK ? hash : 0;
    }
    /* Writes the delta from here to `to` into a std::vector or std::string of bytes. */
    template <class Bytes> result delta(const snapshot& to, Bytes& out) const
    {
        size_t size = 0;
        sett_status status = sett_delta_encode(world_, snapshot_, to.snapshot_, nullptr, 0, &size);
        if (status == SETT_OK) {
            out.resize(size);
            status =
                sett_delta_encode(world_, snapshot_, to.snapshot_, out.data(), out.size(), &size);
        }
        return {world_, status};
    }

  private:
    sett_world* world_ = nullptr;
    sett_snapshot snapshot_ = {0, 0};
};

/* The snapshots of the last `capacity` frames, destroyed with this object. */
class ring : public detail::owner<sett_ring, sett_ring_destroy>
{
  public:
    ring(const world_ref& world, uint32_t capacity);
    bool take() { return sett_ring_take(c_) == SETT_OK; }
    bool restore(uint32_t back) { return sett_ring_restore(c_, back) == SETT_OK; }
    bool take_frame(uint64_t frame) { return sett_ring_take_frame(c_, frame) == SETT_OK; }
    bool restore_frame(uint64_t frame) { return sett_ring_restore_frame(c_, frame) == SETT_OK; }
    uint32_t count() const { return sett_ring_count(c_); }
};

/* ----------------------------------------------------------------------------------------- world */

/* A world that something else owns: what a plugin, a C callback or a module gets. */
class world_ref
{
  public:
    explicit world_ref(sett_world* world) : world_(world) {}
    sett_world* c() const { return world_; }
    const char* message() const { return sett_world_message(world_); }

    /* Registers a type; the first use does it too. Inside systems and loops it is too late. */
    template <class... T> bool component() const { return (... && (id<T>() != 0)); }
    template <class T> sett_component id() const
    {
        detail::check_component<T>();
        return detail::id_for<T>(world_);
    }

    /* An entity with these values: world.create(Position{1, 0}, Frozen{}). */
    template <class... T> entity create(const T&... values) const
    {
        if constexpr (sizeof...(T) == 0) {
            return {world_, sett_entity_create(world_)};
        } else {
            const sett_value list[] = {detail::value_of(world_, values)...};
            return {world_, sett_create_with(world_, list, sizeof...(T))};
        }
    }
    /* A prefab: no query sees it. prefab.instantiate() makes entities like it. */
    template <class... T> entity prefab(const T&... values) const
    {
        const sett_value list[] = {{sett_prefab_tag(world_), nullptr, 0, nullptr},
                                   detail::value_of(world_, values)...};
        return {world_, sett_create_with(world_, list, sizeof...(T) + 1)};
    }
    entity of(sett_entity handle) const { return {world_, handle}; }
    /* The entity at a path of names, "map01/door"; false if there is none. */
    entity lookup(const char* path) const
    {
        return {world_, sett_name_lookup(world_, sett_null(), path)};
    }
    uint32_t count() const { return sett_entity_count(world_); }
    recorder later() const { return recorder(sett_commands_here(world_)); }
    result apply() const { return {world_, sett_commands_apply(sett_commands_here(world_))}; }

    /* Singletons (singleton.h), by the calls of entities. */
    entity singletons() const { return {world_, sett_singletons(world_)}; }
    template <class... T> void set(T&&... values) const
    {
        singletons().set(std::forward<T>(values)...);
    }
    template <class T> const T& get() const
    {
        detail::check_value<T>();
        const void* at = sett_singleton_get(world_, detail::id_in<T>(world_));
        return *static_cast<const T*>(at != nullptr ? at : sett_default_<T>());
    }
    template <class T> const T* find() const
    {
        detail::check_value<T>();
        const sett_component id = detail::id_in<T>(world_);
        return id != 0 ? static_cast<const T*>(sett_singleton_find(world_, id)) : nullptr;
    }
    template <class T> T* get_mut() const
    {
        detail::check_value<T>();
        return static_cast<T*>(sett_singleton_get_mut(world_, detail::id_in<T>(world_)));
    }
    template <class T> T* ensure() const
    {
        detail::check_value<T>();
        return static_cast<T*>(sett_singleton_ensure(world_, detail::id_for<T>(world_)));
    }

    template <class... T> sett::query<T...> query() const { return sett::query<T...>(*this); }
    sett::search search(const char* text) const { return {*this, text}; }
    system_builder system(const char* name) const { return {world_, name}; }
    observer_builder observer(const char* name = nullptr) const { return {world_, name}; }
    template <class T, class F> sett_observer* on_add(F f) const
    {
        return observer().on_add<T>(std::move(f));
    }
    template <class T, class F> sett_observer* on_set(F f) const
    {
        return observer().on_set<T>(std::move(f));
    }
    template <class T, class F> sett_observer* on_remove(F f) const
    {
        return observer().on_remove<T>(std::move(f));
    }
    template <class T, class F> sett_observer* on_event(F f) const
    {
        return observer().on_event<T>(std::move(f));
    }
    /* Runs the systems: one frame. */
    bool progress(float dt) const { return sett_progress(world_, dt) == SETT_OK; }

    uint64_t hash() const { return sett_world_hash(world_); }
    snapshot take() const
    {
        sett_snapshot s = {0, 0};
        return sett_snapshot_take(world_, &s) == SETT_OK ? snapshot(world_, s) : snapshot();
    }
    result apply_delta(const void* bytes, size_t size) const
    {
        return {world_, sett_delta_apply(world_, bytes, size)};
    }
    result clone_into(const world_ref& into) const
    {
        return {into.world_, sett_world_clone(world_, into.world_)};
    }
    result save(const char* path) const { return {world_, sett_world_save(world_, path)}; }
    result load(const char* path) const { return {world_, sett_world_load(world_, path)}; }
    /* All entities as JSON, appended to a std::string. */
    template <class Text> result write_json(Text& out, const sett_json_desc& desc = {}) const
    {
        auto add = [](void* user, const char* text, size_t size) noexcept {
            static_cast<Text*>(user)->append(text, size);
            return true;
        };
        return {world_, sett_json_write(world_, &desc, add, &out)};
    }
    result read_json(const char* text, size_t size, const sett_json_read_desc& desc = {}) const
    {
        return {world_, sett_json_read(world_, text, size, &desc, nullptr)};
    }

  protected:
    sett_world* world_;
};

/* A world of its own, destroyed with this object. It is false if it could not be created. */
class world : public world_ref
{
  public:
    world() : world_ref(sett_world_create(nullptr)) {}
    explicit world(const sett_world_desc& desc) : world_ref(sett_world_create(&desc)) {}
    world(world&& other) noexcept : world_ref(std::exchange(other.world_, nullptr)) {}
    world& operator=(world&& other) noexcept
    {
        std::swap(world_, other.world_);
        return *this;
    }
    ~world() { (void)sett_world_destroy(world_); }
    explicit operator bool() const { return world_ != nullptr; }
};

/* ------------------------------------------------------------------------------ what needs worlds */

inline world_ref entity::world() const { return world_ref(world_); }
inline world_ref frame::world() const { return world_ref(context_->world); }
template <class F> void recorder::call(F f) const
{
    static_assert(std::is_invocable_v<F&, world_ref>,
                  "sett: a recorded call is f(sett::world_ref)");
    detail::record_call(commands_, [f](sett_world* world) { f(world_ref(world)); });
}
template <class... T> query<T...>::query(const world_ref& world) : owner(world.c(), nullptr)
{
    sett_query_desc desc = {};
    detail::terms terms = {desc.terms};
    detail::add_fields(world_, terms, args());
    (detail::query_type<T>::add(world_, terms), ...);
    elsewhere_ = terms.count;
    detail::add_elsewhere(world_, terms, args());
    c_ = terms.failed ? nullptr : sett_query_create(world_, &desc);
}
inline search::search(const world_ref& world, const char* text)
    : owner(world.c(), sett_search_create(world.c(), text))
{
}
inline ring::ring(const world_ref& world, uint32_t capacity)
    : owner(world.c(), sett_ring_create(world.c(), capacity))
{
}

/* ------------------------------------------------------------------------------ describing types */

template <class Members>
template <class C, class M>
constexpr type<detail::members_and<Members, C, M>> type<Members>::member(const char* name,
                                                                         M C::*at) const
{
    using element = typename detail::item_of<M>::type;
    static_assert(!std::is_same_v<element, entity>,
                  "sett: a member that refers to an entity is a sett_entity: sett::entity has the "
                  "address of its world, which is different after loading");
    static_assert(!std::is_pointer_v<element>,
                  "sett: a pointer means nothing in a file or on another machine: list it by "
                  ".opaque(\"name\", &T::name).local(), or store a sett_entity");
    constexpr sett_member_kind kind = sett_kind_of_<element>::value();
    static_assert(kind != SETT_MEMBER_UNKNOWN || detail::is_written<M>(),
                  "sett: the type of this member is not known: numbers, enums, sett_entity, "
                  "std::string, structs that list their own members, and arrays, std::vector and "
                  "std::unique_ptr of these (a list of entities is a relationship with many). Use "
                  ".opaque() for bytes that only the program reads");
    sett_member options = {};
    options.name = name;
    options.kind = kind;
    return {options_, {members_, at, options, false}};
}
template <class Members>
template <class C, class M>
constexpr type<detail::members_and<Members, C, M>> type<Members>::opaque(const char* name,
                                                                         M C::*at) const
{
    sett_member options = {};
    options.name = name;
    options.element = SETT_MEMBER_OPAQUE;
    return {options_, {members_, at, options, true}};
}
template <class Members> template <class... T> constexpr type<Members> type<Members>::needs() const
{
    static_assert(sizeof...(T) <= 32, "sett: a type needs at most 32 others");
    type t = *this;
    t.options_.needs = [](sett_world* world, sett_component* out) -> uint32_t {
        uint32_t n = 0;
        ((out[n++] = detail::id_for<T>(world)), ...);
        return n;
    };
    return t;
}
} // namespace sett

/* The parts of a row: for (auto [e, p, v] : query). */
template <class... A>
struct std::tuple_size<sett::detail::row<A...>> : std::integral_constant<size_t, sizeof...(A)> {
};
template <size_t K, class... A> struct std::tuple_element<K, sett::detail::row<A...>> {
    using type = typename sett::detail::arg_of<typename sett::detail::nth<K, A...>::type>::value;
};
template <> struct std::hash<sett::entity> {
    size_t operator()(const sett::entity& e) const noexcept { return std::hash<sett_entity>()(e); }
};

#endif
