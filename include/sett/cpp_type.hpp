/* cpp_type.hpp: C++ types as components: options, members, names, hooks, registration. A part of
 * sett.hpp, which programs include.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_CPP_TYPE_HPP
#define SETT_CPP_TYPE_HPP

#include "sett/cpp_name.hpp"

#include <initializer_list>
#include <new>
#include <type_traits>
#include <typeindex>
#include <utility>

inline bool operator==(sett_entity a, sett_entity b) noexcept
{
    return sett_equals(a, b);
}
inline bool operator!=(sett_entity a, sett_entity b) noexcept
{
    return !sett_equals(a, b);
}
template <> struct std::hash<sett_entity> {
    size_t operator()(sett_entity e) const noexcept
    {
        const uint64_t mixed = sett_entity_to_u64(e) * 0x9E3779B97F4A7C15u;
        return static_cast<size_t>(mixed ^ mixed >> 32);
    }
};

/* What is written on the slow paths of reading, as SETT_READ_SLOW_. */
#if defined(NDEBUG)
#define SETT_CPP_SLOW_ gnu::pure, gnu::cold
#else
#define SETT_CPP_SLOW_ gnu::cold
#endif

namespace sett
{

class entity;
class later;
class recorder;
class world_ref;
struct frame;

/* -------------------------------------------------------------------------- options and members */

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

/* Not constexpr: a second .needs() does not compile. */
inline void list_all_types_in_one_call_of_needs()
{
}

struct no_members {
    static constexpr uint32_t count = 0;
    template <class F> constexpr void each(const F&) const
    {
    }
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
    constexpr type(const detail::options& o, const Members& m) : options_(o), members_(m)
    {
    }

    /* A member. The options unit, range, scale, step, local, constants and element, behind it, are
     * those of the last member; see sett_member. */
    template <class C, class M>
    constexpr type<detail::members_and<Members, C, M>> member(const char* name, M C::*at) const;
    /* A member that only the program reads: bytes, which other machines may have otherwise. One
     * that owns memory is also local(): only snapshots and copies contain it, by its operator=. */
    template <class C, class M>
    constexpr type<detail::members_and<Members, C, M>> opaque(const char* name, M C::*at) const;
    constexpr type unit(const char* text) const
    {
        return of_member(&sett_member::unit, text);
    }
    constexpr type range(double minimum, double maximum) const
    {
        return of_member(&sett_member::minimum, minimum).of_member(&sett_member::maximum, maximum);
    }
    constexpr type scale(double one) const
    {
        return of_member(&sett_member::scale, one);
    }
    constexpr type step(double step) const
    {
        return of_member(&sett_member::step, step);
    }
    constexpr type local() const
    {
        return of_member(&sett_member::local, true);
    }
    /* `list` ends with {nullptr, 0} and is static. */
    constexpr type constants(const sett_constant* list, bool bits = false) const
    {
        return of_member(&sett_member::constants, list).of_member(&sett_member::bits, bits);
    }
    constexpr type element(sett_member_kind kind) const
    {
        return of_member(&sett_member::element, kind);
    }

    constexpr type name(const char* text) const
    {
        return with(&detail::options::name, text);
    }
    constexpr type sparse() const
    {
        return with(&detail::options::storage, SETT_STORAGE_SPARSE_SET);
    }
    constexpr type array() const
    {
        return with(&detail::options::storage, SETT_STORAGE_ARRAY);
    }
    constexpr type keep_order() const
    {
        return with(&detail::options::keep_order, true);
    }
    constexpr type dont_fragment() const
    {
        return with(&detail::options::dont_fragment, true);
    }
    constexpr type track_rows() const
    {
        return with(&detail::options::track_rows, true);
    }
    constexpr type can_disable() const
    {
        return with(&detail::options::can_disable, true);
    }
    constexpr type layout_version(uint32_t version) const
    {
        return with(&detail::options::layout_version, version);
    }
    /* Entities with this type have these too. */
    template <class... T> constexpr type needs() const;
    /* Snapshots, copies, hashes, deltas and files leave it out. */
    constexpr type skip() const
    {
        return with(&detail::options::skip, true);
    }
    /* It is a relationship (relationship.h): the members of the type are the data of a link. */
    constexpr type relationship() const
    {
        return with(&detail::options::relationship, true);
    }
    constexpr type many() const
    {
        return with(&detail::options::many, true);
    }
    constexpr type acyclic() const
    {
        return with(&detail::options::acyclic, true);
    }
    constexpr type transitive() const
    {
        return with(&detail::options::transitive, true);
    }
    constexpr type reflexive() const
    {
        return with(&detail::options::reflexive, true);
    }
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

/* ----------------------------------------------------------------------- names and ids of types */

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

/* Whether another type of the program can be spelled like T: it is in an unnamed namespace, or in a
 * function. */
template <class T> constexpr bool has_doubles()
{
    constexpr text all = spelled<T>();
    bool found = false;
    for (size_t k = 0; k < all.size; k++) {
        found = found || all.at[k] == ')' || all.at[k] == '{';
    }
    return found;
}
/* Its address is that of T alone, in one program or shared library. */
template <class T> inline constexpr char mark = 0;

/* Its address is that of the program, or of the shared library. */
#if defined(__ELF__) || defined(__APPLE__)
[[gnu::visibility("hidden")]]
#endif
inline constexpr char module_mark = 0;

template <class T>
inline constexpr uint64_t spelled_hash =
    bindable((hash_of(spelled<T>()) ^ sizeof(T)) * 0x100000001B3u ^ alignof(T));

/* The number of T, to which its id is bound (sett_component_bind). */
template <class T> inline uint64_t number_of()
{
    if constexpr (has_doubles<T>()) {
        return bindable(spelled_hash<T> ^ reinterpret_cast<uintptr_t>(&mark<T>));
    } else {
        return spelled_hash<T>;
    }
}
/* The number of the name of T, in this program or shared library: bound where one of its types has
 * the name. */
template <class T> uint64_t number_of_name()
{
    const char* name = name_of<T>();
    return name_bit | hash_of({name, strlen(name)}, reinterpret_cast<uintptr_t>(&module_mark)) >> 2;
}

/* What is about a world, whose address means nothing in a file. It can be copied, and passed in
 * registers, but a component that stores it is not trivially copyable: it does not compile. */
struct not_stored {
    not_stored() = default;
    not_stored(const not_stored&) = default;
    not_stored& operator=(const not_stored&)
    {
        return *this;
    }
};

inline void append(char (&to)[512], const char* text)
{
    const size_t size = strlen(to);
    const size_t more = strlen(text) < 511 - size ? strlen(text) : 511 - size;
    memcpy(to + size, text, more);
    to[size + more] = '\0';
}
/* Fails as a call of C does: the log, and the message of the world. That ends with `why`, which the
 * log has already. */
[[gnu::noinline, gnu::cold]] inline void fail_with(sett_world* world, sett_status status,
                                                   std::initializer_list<const char*> parts,
                                                   const char* why = "")
{
    sett_failure failure = {};
    failure.status = status;
    for (const char* part : parts) {
        append(failure.message, part != nullptr ? part : "");
    }
    if (world != nullptr) {
        sett_world_log(world, SETT_LOG_ERROR, failure.message);
        append(failure.message, *why != '\0' ? ": " : "");
        append(failure.message, why);
        sett_world_swap_failure(world, &failure);
    }
}

template <class T, class... Args> T* construct(void* at, Args&&... args)
{
    return ::new (at) T{std::forward<Args>(args)...};
}

/* ----------------------------------------------------------------------- values that own memory */

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
struct is_list<
    T, std::void_t<decltype(std::declval<T&>().push_back(std::declval<typename T::value_type>()))>>
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

/* What a member is in the struct that the library sees in place of a value that owns memory. */
enum class shape {
    plain,
    text,
    list,
    structure,
    bytes
};

/* Whether it is numbers, or structs of numbers, without memory of its own. */
template <class M> constexpr bool is_flat()
{
    if constexpr (is_array<M>) {
        return is_flat<typename item_of<M>::type>();
    } else if constexpr (is_text<M>::value || is_list<M>::value || is_owner<M>::value) {
        return false;
    } else if constexpr (has_members<M>) {
        bool flat = true;
        description<M>.members_.each([&](const auto& m) {
            using part = typename bare<decltype(m)>::value;
            flat = flat && (m.options.local || !is_written<part>() || is_flat<part>());
        });
        return flat;
    } else {
        return true;
    }
}
/* Whether a list of C can have such items. */
template <class M> constexpr bool is_item()
{
    return !is_array<M> && is_flat<M>();
}
template <class M> constexpr bool is_texts()
{
    if constexpr (is_array<M>) {
        using item = typename item_of<M>::type;
        return std::is_same_v<item, char> || is_texts<item>();
    } else {
        return false;
    }
}
template <class M> constexpr shape shape_of()
{
    if constexpr (is_array<M>) {
        using item = typename item_of<M>::type; /* C has no arrays of texts */
        constexpr bool texts = std::rank_v < M >> 1 ? std::is_same_v<item, char> : is_texts<item>();
        return texts ? shape::bytes : shape_of<item>();
    } else if constexpr (is_text<M>::value) {
        return shape::text;
    } else if constexpr (is_list<M>::value) {
        return is_item<typename M::value_type>() ? shape::list : shape::bytes;
    } else if constexpr (is_owner<M>::value) {
        return is_item<typename M::element_type>() ? shape::list : shape::bytes;
    } else {
        return has_members<M> ? shape::structure : shape::plain;
    }
}
/* Of how a member is written, where it is a list of bytes: names and kinds. */
template <class M> constexpr uint64_t layout_of(uint64_t hash)
{
    auto mix = [](uint64_t h, uint64_t word) { return (h ^ word) * 0x100000001B3u; };
    if constexpr (is_array<M>) {
        return layout_of<typename item_of<M>::type>(
            mix(mix(hash, 1), sizeof(M) / sizeof(typename item_of<M>::type)));
    } else if constexpr (is_text<M>::value) {
        return mix(hash, 2);
    } else if constexpr (is_list<M>::value) {
        return layout_of<typename M::value_type>(mix(hash, 3));
    } else if constexpr (is_owner<M>::value) {
        return layout_of<typename M::element_type>(mix(hash, 4));
    } else if constexpr (has_members<M>) {
        hash = mix(hash, 5);
        description<M>.members_.each([&](const auto& m) {
            if (!m.options.local) {
                hash = hash_of({m.options.name, length_of(m.options.name)}, hash);
                hash = layout_of<typename bare<decltype(m)>::value>(hash);
            }
        });
        return mix(hash, 6);
    } else {
        return mix(mix(hash, 7), sett_kind_of_<M>::value() * 4096u + sizeof(M));
    }
}
template <class M> constexpr uint32_t fingerprint_of()
{
    const uint64_t hash = layout_of<M>(0xCBF29CE484222325u);
    return static_cast<uint32_t>(hash ^ hash >> 32);
}

/* The bytes of a value are those of the struct that `mirror` describes, in its canonical form
 * (members.h): numbers in little endian, one NaN, texts and lists behind their length. */
struct writer {
    sett_sink* to;
    size_t size = 0;
    unsigned char at[256];
    explicit writer(sett_sink* sink) : to(sink)
    {
    }
    ~writer()
    {
        flush();
    }
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
/* Only adds up sizes. */
struct counter {
    sett_sink sink;
    size_t size = 0;
    counter() : sink{add}
    {
    }
    static void add(sett_sink* to, const void*, size_t size)
    {
        reinterpret_cast<counter*>(to)->size += size;
    }
};
template <class M> void put(writer& out, const M& value);
template <class M> void put_bytes(writer& out, const M& value)
{
    counter count;
    {
        writer counts(&count.sink);
        put(counts, value);
    }
    out.number(count.size + 4, 4);
    out.number(fingerprint_of<M>(), 4);
    put(out, value);
}
/* A member: as what it is, or where a struct of C has no such thing, as a list of bytes. */
template <class M> void put_member(writer& out, const M& value)
{
    if constexpr (shape_of<M>() == shape::bytes) {
        put_bytes(out, value);
    } else {
        put(out, value);
    }
}
template <class M> void put(writer& out, const M& value)
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
        out.number(value.size(), 4);
        out.bytes(value.data(), value.size());
    } else if constexpr (is_list<M>::value) {
        out.number(value.size(), 4);
        for (const auto& item : value) {
            put(out, item);
        }
    } else if constexpr (is_owner<M>::value) {
        out.number(value != nullptr, 4);
        if (value != nullptr) {
            put(out, *value);
        }
    } else if constexpr (has_members<M>) {
        description<M>.members_.each([&](const auto& m) {
            using part = typename bare<decltype(m)>::value;
            if (m.options.local) {
                return;
            }
            if constexpr (is_written<part>()) {
                put_member(out, value.*m.at);
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
template <class M> void take(reader& in, M& value);
template <class M> void take_member(reader& in, M& value)
{
    if constexpr (shape_of<M>() == shape::bytes) {
        const size_t size = in.length();
        const size_t after = in.left - size;
        in.bad = in.bad || size < 4 || in.number(4) != fingerprint_of<M>();
        if (!in.bad) {
            take(in, value);
        }
        in.bad = in.bad || in.left != after;
    } else {
        take(in, value);
    }
}
template <class M> void take(reader& in, M& value)
{
    if constexpr (is_array<M>) {
        for (auto& item : value) {
            take(in, item);
        }
    } else if constexpr (is_text<M>::value) {
        const size_t size = in.length();
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
        const size_t count = in.length();
        in.bad = in.bad || count > 1;
        value.reset(count == 1 ? new typename M::element_type() : nullptr);
        if (value != nullptr) {
            take(in, *value);
        }
    } else if constexpr (has_members<M>) {
        description<M>.members_.each([&](const auto& m) {
            using part = typename bare<decltype(m)>::value;
            if (m.options.local) {
                return;
            }
            if constexpr (is_written<part>()) {
                take_member(in, value.*m.at);
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

/* ---------------------------------------------------------------------------------- value hooks */

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
    put(out, *static_cast<const T*>(value));
}
template <class T> sett_status hook_read(void* value, const void* bytes, size_t size, void*)
{
    reader in = {static_cast<const unsigned char*>(bytes), size};
#if defined(__cpp_exceptions)
    try {
        take(in, *static_cast<T*>(value));
    } catch (...) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
#else
    take(in, *static_cast<T*>(value));
#endif
    return !in.bad && in.left == 0 ? SETT_OK : SETT_STATUS_INVALID;
}

/* Whether the library copies values by the hook `copy`. */
template <class T>
inline constexpr bool is_copied = std::is_trivially_copyable_v<T> || !options_of<T>.skip;

/* -------------------------------------------------------------------------------- what T may be */

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
                          "sett: this component owns memory (it is not trivially copyable), or has "
                          "a sett::entity, for which it stores a sett_entity. List what owns "
                          "memory beside the type, for snapshots, hashes, deltas, files and JSON: "
                          "`constexpr auto sett_type(const T*) { return "
                          "sett::type().member(\"text\", &T::text); }`; or leave it out of them by "
                          ".skip()");
            static_assert(options_of<T>.skip || !has_hidden_memory<T>(),
                          "sett: an opaque member that owns memory cannot be written: add "
                          ".local() behind it, and only snapshots and copies contain it");
            static_assert(
                options_of<T>.skip || can_copy<T>(),
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

/* --------------------------------------------------------------------------------- registration */

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

/* The struct in place of a value that owns memory: std::string is a sett_string, std::vector and
 * std::unique_ptr are a sett_list, and local members are left out. */
template <class T> struct mirror {
    sett_member items[described<T>::members::count];
    sett_struct of;

    mirror()
    {
        uint32_t n = 0;
        uint32_t size = 0;
        uint32_t align = 1;
        description<T>.members_.each([&](const auto& m) {
            using part = typename bare<decltype(m)>::value;
            sett_member& out = items[n];
            out = m.options;
            if (m.options.local || !describe<part>(out)) {
                return;
            }
            const uint32_t own = align_of<part>();
            out.offset = (size + own - 1) / own * own;
            size = out.offset + out.size;
            align = own > align ? own : align;
            n++;
        });
        of = {name_of<T>(), (size + align - 1) / align * align, n, items, sett_members_link_};
        alignment = align;
    }
    uint32_t alignment;

    template <class M> static uint32_t align_of()
    {
        if constexpr (!is_written<M>()) {
            return 1;
        } else if constexpr (shape_of<M>() == shape::bytes) {
            return 8;
        } else if constexpr (is_array<M>) {
            return align_of<typename item_of<M>::type>();
        } else if constexpr (shape_of<M>() == shape::structure) {
            return mirror<M>::made().alignment;
        } else if constexpr (std::is_same_v<M, sett_entity>) {
            return 4;
        } else {
            return shape_of<M>() == shape::plain ? static_cast<uint32_t>(sizeof(M)) : 8;
        }
    }
    /* Fills in kind, size and what it consists of; false if it is not written. */
    template <class M> static bool describe(sett_member& out)
    {
        if constexpr (is_array<M> && is_written<M>()) {
            using item = typename item_of<M>::type;
            if constexpr (shape_of<M>() == shape::bytes) {
                describe_list<M>(out);
                return true;
            }
            const bool is = describe<item>(out);
            out.size *= static_cast<uint32_t>(sizeof(M) / sizeof(item));
            return is;
        } else if constexpr (!is_written<M>()) {
            out.size = static_cast<uint32_t>(sizeof(M));
            out.kind = SETT_MEMBER_UNKNOWN;
            out.element = SETT_MEMBER_OPAQUE;
            return std::is_trivially_copyable_v<M>;
        } else if constexpr (shape_of<M>() == shape::structure) {
            out.element = SETT_MEMBER_UNKNOWN;
            out.kind = SETT_MEMBER_UNKNOWN;
            out.of = mirror<M>::get();
            out.size = out.of->size;
            return out.of->count != 0;
        } else if constexpr (shape_of<M>() == shape::text) {
            out.element = SETT_MEMBER_UNKNOWN;
            out.kind = SETT_MEMBER_STRING;
            out.size = static_cast<uint32_t>(sizeof(sett_string));
            return true;
        } else if constexpr (shape_of<M>() == shape::plain) {
            out.kind = sett_kind_of_<M>::value();
            out.element = SETT_MEMBER_UNKNOWN;
            out.size = static_cast<uint32_t>(sizeof(M));
            return true;
        } else {
            describe_list<M>(out);
            return true;
        }
    }
    template <class M> static void describe_list(sett_member& out)
    {
        if constexpr (shape_of<M>() == shape::bytes) {
            const char* const name = out.name;
            out = sett_member();
            out.name = name;
            out.element = SETT_MEMBER_U8;
        } else if constexpr (is_list<M>::value) {
            describe_item<typename M::value_type>(out);
        } else {
            describe_item<typename M::element_type>(out);
        }
        out.kind = SETT_MEMBER_LIST;
        out.size = static_cast<uint32_t>(sizeof(sett_list));
    }
    template <class I> static void describe_item(sett_member& out)
    {
        if constexpr (has_members<I>) {
            out.of = mirror<I>::get();
            out.element = SETT_MEMBER_UNKNOWN;
        } else {
            constexpr sett_member_kind kind = sett_kind_of_<I>::value();
            out.element = kind == SETT_MEMBER_TEXT ? SETT_MEMBER_U8 : kind;
        }
    }
    static const mirror& made()
    {
        static const mirror one;
        return one;
    }
    static const sett_struct* get()
    {
        return &made().of;
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
    bool full = false;
    void add(const sett_struct& of, uint32_t base)
    {
        for (uint32_t k = 0; k < of.count; k++) {
            const sett_member& m = of.members[k];
            const uint32_t step =
                m.of != nullptr ? m.of->size : static_cast<uint32_t>(sizeof(sett_entity));
            for (uint32_t offset = 0; offset < m.size; offset += step) {
                if (m.of != nullptr) {
                    add(*m.of, base + m.offset + offset);
                } else if (m.kind == SETT_MEMBER_ENTITY && count == 64) {
                    full = true;
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
                if constexpr (is_flat<T>()) { /* what it owns is local */
                    desc.members = described<T>::get();
                } else {
                    desc.members = mirror<T>::get();
                    desc.write = hook_write<T>;
                    desc.read = hook_read<T>;
                }
                if (!lists_all_bytes(*described<T>::get(), alignof(T))) {
                    fail_with(
                        world, SETT_STATUS_ARGUMENT,
                        {"sett.hpp: type \"", desc.name,
                         "\": sett_type does not list all members; a base class or a member that "
                         "is not for others: .skip()"});
                    return 0;
                }
                if constexpr (!is_flat<T>()) {
                    handles.add(*described<T>::get(), 0);
                }
                if (handles.full) {
                    fail_with(
                        world, SETT_STATUS_LIMIT,
                        {"sett.hpp: type \"", desc.name,
                         "\": more than 64 handles in a value - keep them in a relationship"});
                    return 0;
                }
                desc.entity_offsets = handles.at;
                desc.entity_offset_count = handles.count;
            }
        }
    }
    return sett_component_register(world, &desc);
}

/* Not those that the library made, of a type with strings and lists. */
template <class T> constexpr bool has_hooks_of(const sett_component_desc& present)
{
    if constexpr (is_copied<T> && !is_flat<T>()) {
        return present.write != nullptr;
    } else {
        return present.members == nullptr || present.write == nullptr;
    }
}

/* Whether a registered type, of C, of a file or of a shared library, is as C++ sees T. */
template <class T> bool is_same_layout(const sett_world* world, sett_component id)
{
    if constexpr (is_relationship<T>) {
        return true;
    } else {
        sett_component_desc present = {};
        return sett_component_describe(world, id, &present) == SETT_OK &&
               (is_tag<T> ? present.size == 0
                          : present.size == sizeof(T) && present.align >= alignof(T)) &&
               (std::is_trivially_copyable_v<T> ||
                (present.deinit != nullptr && has_hooks_of<T>(present)));
    }
}

/* For an entity of no world, which is harmless. */
template <class T> [[gnu::noinline, gnu::cold]] sett_component report_null()
{
    (void)sett_component_check_type_(nullptr, 0, sizeof(T), name_of<T>(),
                                     "sett.hpp: an empty sett::entity, of no world");
    return 0;
}
/* Tells the library which type is not registered, for the message of the call that needs it. */
template <class T> [[gnu::noinline, gnu::cold]] bool note_type(const sett_world* world)
{
    return world != nullptr &&
           sett_component_check_type_(world, 0, sizeof(T), name_of<T>(), "sett.hpp");
}

/* The id of a type that no number is bound to yet: registers it, unless it is registered. */
template <class T> [[gnu::noinline, gnu::cold]] sett_component first_use(sett_world* world)
{
    check_component<T>();
    if (world == nullptr) {
        return report_null<T>();
    }
    sett_component id = sett_component_find(world, name_of<T>());
    if (id != 0 && sett_component_bound(world, number_of_name<T>()) == id) {
        sett_component_refuse_(world, id, sizeof(T), true, true);
        id = 0;
    } else if (id == 0 || !is_same_layout<T>(world, id)) {
        if constexpr (is_relationship<T>) {
            id = register_relationship<T>(world);
        } else {
            id = register_component<T>(world);
        }
    }
    if (id == 0) {
        (void)note_type<T>(world); /* for what is said of component 0 */
        sett_failure why = {};
        sett_world_swap_failure(world, &why);
        fail_with(world, why.status,
                  {"sett.hpp: type \"", name_of<T>(),
                   "\" could not be registered by its first use - call world.component<T>() before "
                   "loops and systems use it"},
                  why.message);
        return 0;
    }
    if (sett_component_bind(world, number_of<T>(), id) == SETT_OK) {
        (void)sett_component_bind(world, number_of_name<T>(), id);
    }
    return id;
}

template <class T>
[[gnu::noinline, gnu::cold, gnu::pure]] sett_component id_by_name(const sett_world* world)
{
    if (world == nullptr) {
        return report_null<T>();
    }
    sett_component id = sett_component_bound(world, number_of<T>());
    if (id != 0) {
        return id;
    }
    id = sett_component_find(world, name_of<T>());
    const bool another = id != 0 && sett_component_bound(world, number_of_name<T>()) == id;
    if (another || (id != 0 && !is_same_layout<T>(world, id))) {
        sett_component_refuse_(world, id, sizeof(T), another, false);
        return 0;
    }
    return id;
}
/* The two slots that are looked at in line: at most one has the number of T. */
template <class T> struct slots {
    const uint64_t number = number_of<T>();
    const sett_bound_& first;
    const sett_bound_& second;
    explicit slots(const sett_world_header_* world)
        : first(world->bound[sett_bound_first_(number)]),
          second(world->bound[sett_bound_other_(number, sett_bound_first_(number))])
    {
    }
};
/* The id in these slots, or 0. */
template <class T> sett_component id_at_front(const sett_world* world)
{
    if (world == nullptr) {
        return 0;
    }
    const slots<T> at(sett_read_header_(world));
    const bool is_first = SETT_LIKELY_(at.first.number == at.number);
    if (is_first || at.second.number == at.number) {
        const sett_component id = is_first ? at.first.component : at.second.component;
        if (id == 0) {
            __builtin_unreachable(); /* no number is bound to it */
        }
        return id;
    }
    return 0;
}
/* The id of a type, to read; 0 if it is not registered. */
template <class T> sett_component id_in(const sett_world* world)
{
    const sett_component id = id_at_front<T>(world);
    return SETT_LIKELY_(id != 0) ? id : id_by_name<T>(world);
}

/* The id of a type, to change the world: registers it if need be. 0 on failure. */
template <class T> sett_component id_for(sett_world* world)
{
    sett_component id = id_at_front<T>(world);
    if (SETT_LIKELY_(id != 0)) {
        return id;
    }
    id = world != nullptr ? sett_component_bound(world, number_of<T>()) : 0;
    return id != 0 ? id : first_use<T>(world);
}

/* ---------------------------------------------------------------------------- reading by handle */

/* Reading a value by handle takes the type's id out of its slot without a branch, and 0 if no slot
 * has it, which leads to the slow path. So compilers look up the type once, before a loop. */
template <class T>
[[gnu::noinline, SETT_CPP_SLOW_]] const T* get_slow(const sett_world* world, uint32_t index,
                                                    uint32_t generation) noexcept
{
    const sett_component id = id_in<T>(world);
    const void* at = nullptr;
    if (id != 0 || note_type<T>(world)) {
        at = sett_get_slow_(world, index, generation, id);
    }
    return static_cast<const T*>(at != nullptr ? at : sett_default_<T>());
}
template <class T>
[[gnu::noinline, SETT_CPP_SLOW_]] const T* find_slow(const sett_world* world, uint32_t index,
                                                     uint32_t generation) noexcept
{
    const sett_component id = id_in<T>(world);
    return static_cast<const T*>(id != 0 ? sett_find_slow_(world, index, generation, id) : nullptr);
}
template <class T>
[[gnu::noinline, SETT_CPP_SLOW_]] bool has_slow(const sett_world* world, uint32_t index,
                                                uint32_t generation) noexcept
{
    const sett_component id = id_in<T>(world);
    return id != 0 && sett_has_slow_(world, index, generation, id);
}

#if SETT_READS_IN_LINE_
/* What reading finds where there is no world: no type. */
inline constexpr sett_type_header_ null_type = {UINT8_MAX, 0, 0, false, 0, {}, {}};
inline constexpr const sett_type_header_* null_types[] = {&null_type};
inline constexpr sett_bound_ null_bound[SETT_BOUND_FRONT_] = {};
inline constexpr sett_world_header_ null_world = {null_types, 0, 0, null_bound, {}};

/* A type as reading in line needs it. */
template <class T> struct type_in_slot {
    const sett_type_header_* type;
    sett_read_ read;

    /* Without a branch, by masks of all bits: gcc would move no load out of a loop otherwise. */
    [[gnu::always_inline]] explicit type_in_slot(const sett_world* world, bool has = false)
    {
        const uintptr_t stand_in = reinterpret_cast<uintptr_t>(&null_world) &
                                   (uintptr_t() - static_cast<uintptr_t>(world == nullptr));
        const sett_world_header_* header = reinterpret_cast<const sett_world_header_*>(
            reinterpret_cast<uintptr_t>(world) | stand_in);
        const slots<T> at(header);
        const auto is = [&at](const sett_bound_& slot) {
            return slot.component & (0u - static_cast<uint32_t>(slot.number == at.number));
        };
        type = header->types[is(at.first) | is(at.second)];
        read = has ? sett_read_make_has_(header, type) : sett_read_make_(header, type);
    }
    bool is_here(sett_entity entity) const
    {
        return SETT_LIKELY_(type->size == sizeof(T)) && sett_read_is_here_(read, entity);
    }
    const T* row(uint32_t index) const
    {
        return static_cast<const T*>(
            sett_read_row_(read, index, sett_read_shift_(sizeof(T)), sizeof(T)));
    }
};
#endif

/* The value; T{} if it is absent, which is reported. */
template <class T>
[[gnu::always_inline]] inline const T* read_get(const sett_world* world, sett_entity entity)
{
#if SETT_READS_IN_LINE_
    const type_in_slot<T> at(world);
    if (at.is_here(entity)) {
        return at.row(entity.index);
    }
#endif
    return get_slow<T>(world, entity.index, entity.generation);
}
/* The value; nullptr if it is absent. */
template <class T>
[[gnu::always_inline]] inline const T* read_find(const sett_world* world, sett_entity entity)
{
#if SETT_READS_IN_LINE_
    const type_in_slot<T> at(world);
    if (at.is_here(entity)) {
        return at.row(entity.index);
    }
    if (SETT_LIKELY_(at.type->kind == SETT_KIND_ARRAY_ && at.type->size == sizeof(T))) {
        return nullptr;
    }
#endif
    return find_slow<T>(world, entity.index, entity.generation);
}
template <class T>
[[gnu::always_inline]] inline bool read_has(const sett_world* world, sett_entity entity)
{
#if SETT_READS_IN_LINE_
    const type_in_slot<T> at(world, true);
    if (sett_read_reaches_(at.read, entity.index)) {
        return sett_read_has_(at.read, entity);
    }
    if (SETT_LIKELY_(at.type->kind <= SETT_KIND_TAG_)) {
        return false;
    }
#endif
    return has_slow<T>(world, entity.index, entity.generation);
}
} // namespace detail

/* ----------------------------------------------------------------------------- describing types */

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
    if (options_.needs != nullptr) {
        detail::list_all_types_in_one_call_of_needs();
    }
    type t = *this;
    t.options_.needs = [](sett_world* world, sett_component* out) -> uint32_t {
        uint32_t n = 0;
        ((out[n++] = detail::id_for<T>(world)), ...);
        return n;
    };
    return t;
}
} // namespace sett

#endif
