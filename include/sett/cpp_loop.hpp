/* cpp_loop.hpp: what lambdas are called with, loops and queries. A part of sett.hpp, which programs
 * include.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_CPP_LOOP_HPP
#define SETT_CPP_LOOP_HPP

#include "sett/cpp_entity.hpp"

namespace sett
{
namespace detail
{

/* -------------------------------------------------------------------------------------- lambdas */

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

/* ----------------------------------------------------------------- what lambdas are called with */

/* A call of a system's function (sett_context). */
struct frame : private detail::not_stored {
    explicit frame(sett_context* context)
        : dt(context->dt), time(context->time), number(context->frame), context_(context)
    {
    }
    float dt;        /* seconds: of the frame, the interval or the fixed step */
    double time;     /* the sum of dt before this one */
    uint64_t number; /* of this frame or fixed step, from 0 */
    sett_context* c() const
    {
        return context_;
    }
    inline world_ref world() const;
    /* Records changes: they are applied at the end of the phase. */
    recorder later() const
    {
        return recorder(context_->commands);
    }
    sett::later later(sett_entity entity) const
    {
        return {context_->commands, entity};
    }

  private:
    sett_context* context_;
};

/* A singleton; nullptr if there is none. const T: only read. */
template <class T> class single
{
  public:
    explicit single(T* at) : at_(at)
    {
    }
    explicit operator bool() const
    {
        return at_ != nullptr;
    }
    T* operator->() const
    {
        return at_;
    }
    T& operator*() const
    {
        return *at_;
    }

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
    bool has(sett_entity entity) const
    {
        return sett_accessor_has(&accessor_, entity);
    }

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
    static void term(sett_world*, sett_term&)
    {
    }
    static bool access(sett_world*, sett_system_desc&)
    {
        return true;
    }
};

/* False, which is reported, if the list is full; or if the type could not be registered. */
inline bool add_access(sett_world* world, const char* system, sett_component* list,
                       sett_component id)
{
    for (uint32_t k = 0; id != 0 && k < SETT_SYSTEM_ACCESS; k++) {
        if (list[k] == 0 || list[k] == id) {
            list[k] = id;
            return true;
        }
    }
    if (id != 0) {
        fail_with(
            world, SETT_STATUS_LIMIT,
            {"sett.hpp: system \"", system,
             "\": more than 16 components (SETT_SYSTEM_ACCESS) of one kind of access, such as "
             "sett::lookup<T> - split the system"});
    }
    return false;
}

template <class T> struct row_ref {
    T* at;
    T& operator()(uint32_t i) const
    {
        return at[i];
    }
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
    T operator()(uint32_t) const
    {
        return value;
    }
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
        if (world == nullptr) {
            __builtin_unreachable(); /* so that e.get<T>() does not look in a loop */
        }
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
    static constexpr bool check()
    {
        return check_plain<std::remove_const_t<T>>(), true;
    }
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
/* What a system reads or writes of any entity, not in its loop. */
template <class T> struct arg_of_any : no_field {
    static bool access(sett_world* world, sett_system_desc& desc)
    {
        check_value<std::remove_const_t<T>>();
        return add_access(world, desc.name,
                          std::is_const_v<T> ? desc.access_any_in : desc.access_any_inout,
                          id_for<std::remove_const_t<T>>(world));
    }
};
template <class T> struct arg<single<T>> : arg_of_any<T> {
    using value = single<T>;
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
template <class T> struct arg<lookup<T>> : arg_of_any<T> {
    using value = lookup<T>;
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
    bool full = false;
    void add(const sett_term& t)
    {
        full = full || count == SETT_QUERY_TERMS;
        failed = failed || t.component == 0 || full;
        if (count < SETT_QUERY_TERMS) {
            at[count++] = t;
        }
    }
    /* Reports too many; of types that are not registered the log has told. */
    bool is_whole(sett_world* world, const char* what, const char* name) const
    {
        if (full) {
            fail_with(world, SETT_STATUS_LIMIT,
                      {"sett.hpp: ", what, " \"", name != nullptr ? name : "",
                       "\": more than 32 terms (SETT_QUERY_TERMS) - put several flags into one "
                       "component"});
        }
        return !failed;
    }
};
struct filter_base {
};
template <sett_term_kind kind, bool is_changed, class... T> struct filter : filter_base {
    static void add(sett_world* world, terms& out)
    {
        (out.add(term<T>(world)), ...);
    }
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
    ~closer()
    {
        sett_batch_end(batch);
    }
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

    row_iterator<A...> begin() const
    {
        return {};
    }
    row_end<A...> end() const
    {
        return {world, query, context, elsewhere};
    }
    template <class F> void each(F&& f) const
    {
        each_of(f, list<A...>());
    }

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

/* -------------------------------------------------------------------------------------- queries */

namespace detail
{
/* A thing of C that ends with this object. */
template <class C, sett_status (*end)(C*)> class owner
{
  public:
    owner() = default;
    owner(sett_world* world, C* c) : world_(world), c_(c)
    {
    }
    owner(owner&& other) noexcept : world_(other.world_), c_(std::exchange(other.c_, nullptr))
    {
    }
    owner& operator=(owner&& other) noexcept
    {
        std::swap(world_, other.world_);
        std::swap(c_, other.c_);
        return *this;
    }
    ~owner()
    {
        (void)end(c_);
    }
    explicit operator bool() const
    {
        return c_ != nullptr;
    }
    C* c() const
    {
        return c_;
    }

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
    template <class F> void each(F&& f) const
    {
        all().each(f);
    }
    /* for (auto [e, p, v] : query): the entity, then references, or pointers for T*. The body can
     * break and return. */
    auto begin() const
    {
        return all().begin();
    }
    auto end() const
    {
        return all().end();
    }
    /* The loops inside a system: query.in(frame).each(...), for (... : query.in(frame)). The system
     * declares what the query accesses (reads_any, writes_any). */
    range in(const frame& f) const
    {
        return {world_, c_, f.c(), elsewhere_};
    }
    uint32_t count() const
    {
        return c_ != nullptr ? sett_query_count(c_) : 0;
    }
    /* The first match; false if there is none. */
    entity first() const
    {
        return {world_, c_ != nullptr ? sett_query_first(c_) : sett_null()};
    }
    bool matches(sett_entity e) const
    {
        return c_ != nullptr && sett_query_matches(c_, e);
    }
    /* For sett::changed: values written after this tick match (sett_query_set_since). */
    void since(uint64_t tick) const
    {
        sett_query_set_since(c_, tick);
    }

  private:
    range all() const
    {
        return {world_, c_, nullptr, elsewhere_};
    }

    uint32_t elsewhere_ = 0;
};
} // namespace sett

/* The parts of a row: for (auto [e, p, v] : query). */
template <class... A>
struct std::tuple_size<sett::detail::row<A...>> : std::integral_constant<size_t, sizeof...(A)> {
};
template <size_t K, class... A> struct std::tuple_element<K, sett::detail::row<A...>> {
    using type = typename sett::detail::arg_of<typename sett::detail::nth<K, A...>::type>::value;
};

#endif
