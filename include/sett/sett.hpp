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
 *     world.system("move").without<Frozen>().each(
 *         [](sett::frame f, Position& p, const Velocity& v) { p.x += v.x * f.dt; });
 *     world.on_set<Velocity>([&](sett::entity e, const Velocity& v) { ... });
 *     world.progress(1.0f / 60);
 *
 *     for (auto [e, p, v] : world.query<Position, const Velocity>()) { ... }
 *     printf("%g\n", ship.get<Position>().x);
 *
 * Types. A component is a C++ type. It is registered by its first use, under its name with
 * namespaces ("game::Position"); what C has registered under this name is used. Before load(), call
 * world.component<Position>(). Two types of one name in a program are rejected. Values begin as
 * T{}, so default member initialisers hold. Options and members stand beside the type, in a
 * function that sett.hpp finds:
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
 * list theirs, and arrays, std::vector and std::unique_ptr of these. Then snapshots, hashes,
 * deltas, files and JSON contain them. Otherwise it does not compile, or is described with .skip().
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
 * A query, snapshot, ring, search or look-up must end before its world: declare it after the world.
 * One that is used after its world reads memory that is freed, also in debug builds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_HPP
#define SETT_HPP

#include "sett/cpp_loop.hpp"

namespace sett
{

/* A query over several entities, as text (search.h), destroyed with this object. */
class search : public detail::owner<sett_search, sett_search_destroy>
{
  public:
    search(const world_ref& world, const char* text);
    result bind(const char* variable, sett_entity entity)
    {
        return {world_, sett_search_bind(c_, sett_search_variable(c_, variable), entity)};
    }
    uint64_t count()
    {
        return c_ != nullptr ? sett_search_count(c_) : 0;
    }
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
        SETT_SEARCH(c_, rows, i)
        {
            call(f, rows, i, variables, std::make_index_sequence<n>());
        }
    }

  private:
    template <class F, size_t... K>
    void call(F& f, const sett_rows* rows, uint32_t i, const uint32_t* variables,
              std::index_sequence<K...>)
    {
        f(entity(world_, sett_rows_entity(rows, variables[K], i))...);
    }
};

/* --------------------------------------------------------------------------- systems, observers */

namespace detail
{
/* The filters that systems and observers have beside what their lambdas name. */
template <class Self> class filters
{
  public:
    template <class... T> [[nodiscard]] Self& with()
    {
        return add<sett::with<T...>>();
    }
    template <class... T> [[nodiscard]] Self& without()
    {
        return add<sett::without<T...>>();
    }
    template <class... T> [[nodiscard]] Self& any()
    {
        return add<sett::any<T...>>();
    }
    template <class T> [[nodiscard]] Self& changed()
    {
        return add<sett::changed<T>>();
    }

  private:
    template <class Filter> Self& add()
    {
        static_cast<Self*>(this)->template add_filter<Filter>();
        return static_cast<Self&>(*this);
    }
};
} // namespace detail

/* Makes a system: world.system("name"), options, then each(lambda) or run(lambda). The options are
 * those of sett_system_desc. */
class [[nodiscard]] system_builder : public detail::filters<system_builder>
{
  public:
    system_builder(sett_world* world, const char* name) : world_(world)
    {
        desc_.name = name;
    }
    [[nodiscard]] system_builder& phase(int number)
    {
        return desc_.phase = number, *this;
    }
    [[nodiscard]] system_builder& before(const char* system)
    {
        return add_name(desc_.before, system);
    }
    [[nodiscard]] system_builder& after(const char* system)
    {
        return add_name(desc_.after, system);
    }
    /* What the lambda does beside its parameters: components of the visited entity that it writes
     * by handle, components of any entity, and those that its commands add, set or remove. */
    template <class... T> [[nodiscard]] system_builder& writes()
    {
        return add_access<T...>(desc_.access_inout);
    }
    template <class... T> [[nodiscard]] system_builder& reads_any()
    {
        return add_access<T...>(desc_.access_any_in);
    }
    template <class... T> [[nodiscard]] system_builder& writes_any()
    {
        return add_access<T...>(desc_.access_any_inout);
    }
    template <class... T> [[nodiscard]] system_builder& records()
    {
        return add_access<T...>(desc_.records);
    }
    [[nodiscard]] system_builder& single_job()
    {
        return desc_.single_job = true, *this;
    }
    [[nodiscard]] system_builder& exclusive()
    {
        return desc_.exclusive = true, *this;
    }
    [[nodiscard]] system_builder& once()
    {
        return desc_.run_once = true, *this;
    }
    [[nodiscard]] system_builder& disabled()
    {
        return desc_.disabled = true, *this;
    }
    [[nodiscard]] system_builder& interval(float seconds)
    {
        return desc_.interval = seconds, *this;
    }
    [[nodiscard]] system_builder& fixed_step(float seconds)
    {
        return desc_.fixed_step = seconds, *this;
    }
    [[nodiscard]] system_builder& run_if(bool (*condition)(const sett_world*, void*))
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
    friend class detail::filters<system_builder>;
    template <class Filter> void add_filter()
    {
        Filter::add(world_, filters_);
    }
    template <class... T> system_builder& add_access(sett_component* list)
    {
        rejected_ =
            !(... && detail::add_access(world_, desc_.name, list, detail::filter_id<T>(world_))) ||
            rejected_;
        return *this;
    }
    system_builder& add_name(const char** list, const char* name)
    {
        for (int k = 0; k < SETT_SYSTEM_ORDER; k++) {
            if (list[k] == nullptr) {
                list[k] = name;
                return *this;
            }
        }
        rejected_ = true;
        detail::fail_with(
            world_, SETT_STATUS_LIMIT,
            {"sett.hpp: system \"", desc_.name,
             "\": more than 8 names (SETT_SYSTEM_ORDER) in .before() or .after(), such "
             "as \"",
             name, "\" - use phases, or let the systems between name their order"});
        return *this;
    }
    /* The accesses of the lambda's parameters. */
    template <class... A> bool add_accesses(detail::list<A...>)
    {
        return (... && detail::arg_of<A>::access(world_, desc_)) && !rejected_;
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
        if (!filters_.is_whole(world_, "system", desc_.name) ||
            !all.is_whole(world_, "system", desc_.name) || !add_accesses(a)) {
            return nullptr;
        }
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
    template <class F, class... A> sett_system* run_of(F f, detail::list<A...> a)
    {
        using detail::arg_of;
        static_assert(!(... || arg_of<A>::is_row),
                      "sett: run() calls the lambda once a frame, and a parameter of it names a "
                      "component or takes a sett::entity: use each()");
        if (filters_.count != 0) {
            detail::fail_with(
                world_, SETT_STATUS_ARGUMENT,
                {"sett.hpp: system \"", desc_.name,
                 "\": run() visits no entities, so with, without, any and changed mean "
                 "nothing - use each()"});
        }
        if (filters_.count != 0 || !add_accesses(a)) {
            return nullptr;
        }
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
    bool rejected_ = false; /* a list is full, or a type not registered: the log says so */
    sett_term filter_terms_[SETT_QUERY_TERMS];
    detail::terms filters_ = {filter_terms_};
};

/* Makes an observer: world.observer(), filters, then what it observes (observer.h). The lambda is
 * called with the entity, and with the value, if it takes one:
 *     world.observer().with<Health>().on_event<Damage>(
 *         [](sett::entity e, const Damage& d) { ... });
 *     world.observer().with<Light>().without<Broken>().on_enter([](sett::entity e) { ... }); */
class [[nodiscard]] observer_builder : public detail::filters<observer_builder>
{
  public:
    observer_builder(sett_world* world, const char* name) : world_(world)
    {
        desc_.name = name;
    }
    [[nodiscard]] observer_builder& of(sett_entity entity)
    {
        return desc_.entity = entity, *this;
    }
    /* Also calls it for what exists: on_add and on_enter. */
    [[nodiscard]] observer_builder& replay()
    {
        return desc_.replay = true, *this;
    }
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
    friend class detail::filters<observer_builder>;
    template <class Filter> void add_filter()
    {
        Filter::add(world_, terms_);
    }

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
        const bool whole = terms_.is_whole(world_, "observer", desc_.name);
        closure* user = registered && whole ? closure::make(world_, std::move(f)) : nullptr;
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

/* ---------------------------------------------------------------------------------------- state */

/* A snapshot (state.h), dropped with this object. */
class snapshot
{
  public:
    snapshot() = default;
    snapshot(sett_world* world, sett_snapshot s) : world_(world), snapshot_(s)
    {
    }
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
    sett_snapshot c() const
    {
        return snapshot_;
    }
    result restore() const
    {
        return {world_, sett_snapshot_restore(world_, snapshot_)};
    }
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
    bool take()
    {
        return sett_ring_take(c_) == SETT_OK;
    }
    /* 0 is the latest snapshot, count() - 1 the oldest. */
    bool restore(uint32_t back)
    {
        return sett_ring_restore(c_, back) == SETT_OK;
    }
    bool take_frame(uint64_t frame)
    {
        return sett_ring_take_frame(c_, frame) == SETT_OK;
    }
    bool restore_frame(uint64_t frame)
    {
        return sett_ring_restore_frame(c_, frame) == SETT_OK;
    }
    uint32_t count() const
    {
        return sett_ring_count(c_);
    }
};

/* ---------------------------------------------------------------------------------------- world */

/* A world that something else owns: what a plugin, a C callback or a module gets. */
class world_ref : public detail::value_verbs<world_ref>, detail::not_stored
{
  public:
    explicit world_ref(sett_world* world) : world_(world)
    {
    }
    sett_world* c() const
    {
        return world_;
    }
    sett_world* c_world() const
    {
        return world_;
    }
    const char* message() const
    {
        return sett_world_message(world_);
    }

    /* Registers a type; the first use does it too. Inside systems and loops it is too late. */
    template <class... T> bool component() const
    {
        return (... && (id<T>() != 0));
    }
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
    entity of(sett_entity handle) const
    {
        return {world_, handle};
    }
    /* The entity at a path of names, "map01/door"; false if there is none. */
    entity lookup(const char* path) const
    {
        return {world_, sett_name_lookup(world_, sett_null(), path)};
    }
    uint32_t count() const
    {
        return sett_entity_count(world_);
    }
    recorder later() const
    {
        return recorder(sett_commands_here(world_));
    }
    result apply() const
    {
        return {world_, sett_commands_apply(sett_commands_here(world_))};
    }

    /* Singletons (singleton.h): world.get<Clock>() and so on, as of an entity. */
    entity singletons() const
    {
        return {world_, sett_singletons(world_)};
    }
    template <class... T> void set(T&&... values) const
    {
        singletons().set(std::forward<T>(values)...);
    }
    template <class... T> sett::query<T...> query() const
    {
        return sett::query<T...>(*this);
    }
    sett::search search(const char* text) const
    {
        return {*this, text};
    }
    system_builder system(const char* name) const
    {
        return {world_, name};
    }
    observer_builder observer(const char* name = nullptr) const
    {
        return {world_, name};
    }
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
    bool progress(float dt) const
    {
        return sett_progress(world_, dt) == SETT_OK;
    }

    /* The number of completed frames. */
    uint64_t frame() const
    {
        return sett_world_frame(world_);
    }

    /* The tick of writes, for query.since(). It advances with each frame and each new tick. */
    uint64_t tick() const
    {
        return sett_world_tick(world_);
    }

    /* Ends addresses for writing, as do take, save and load (core.h: Addresses). */
    uint64_t hash() const
    {
        return sett_world_hash(world_);
    }
    /* Finds writes to addresses that had ended: call it once a frame while you develop. The first
     * call begins to watch, and finds nothing. */
    result check_writes() const
    {
        return {world_, sett_world_check_writes(world_)};
    }
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
    result save(const char* path) const
    {
        return {world_, sett_world_save(world_, path)};
    }
    result load(const char* path) const
    {
        return {world_, sett_world_load(world_, path)};
    }
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

  private:
    friend class detail::value_verbs<world_ref>;
    template <class T> const T* at_get() const
    {
        const sett_component id = detail::id_in<T>(world_);
        const void* at = nullptr;
        if (id != 0 || detail::note_type<T>(world_)) {
            at = sett_singleton_get(world_, id);
        }
        return static_cast<const T*>(at != nullptr ? at : sett_default_<T>());
    }
    template <class T> const T* at_find() const
    {
        const sett_component id = detail::id_in<T>(world_);
        return id != 0 ? static_cast<const T*>(sett_singleton_find(world_, id)) : nullptr;
    }
    void* at_get_mut(sett_component id) const
    {
        return sett_singleton_get_mut(world_, id);
    }
    void* at_find_mut(sett_component id) const
    {
        return sett_singleton_find_mut(world_, id);
    }
    void* at_ensure(sett_component id) const
    {
        return sett_singleton_ensure(world_, id);
    }
};

/* A world of its own, destroyed with this object. It is false if it could not be created. */
class world : public world_ref
{
  public:
    world() : world_ref(sett_world_create(nullptr))
    {
    }
    explicit world(const sett_world_desc& desc) : world_ref(sett_world_create(&desc))
    {
    }
    world(world&& other) noexcept : world_ref(std::exchange(other.world_, nullptr))
    {
    }
    world& operator=(world&& other) noexcept
    {
        std::swap(world_, other.world_);
        return *this;
    }
    ~world()
    {
        (void)sett_world_destroy(world_);
    }
    explicit operator bool() const
    {
        return world_ != nullptr;
    }
};

/* ---------------------------------------------------------------------------- what needs worlds */

inline world_ref entity::world() const
{
    return world_ref(world_);
}
inline world_ref frame::world() const
{
    return world_ref(context_->world);
}
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
    c_ = terms.is_whole(world_, "query", "") ? sett_query_create(world_, &desc) : nullptr;
}
inline search::search(const world_ref& world, const char* text)
    : owner(world.c(), sett_search_create(world.c(), text))
{
}
inline ring::ring(const world_ref& world, uint32_t capacity)
    : owner(world.c(), sett_ring_create(world.c(), capacity))
{
}

/* ------------------------------------------------------------------------- look-ups by value */

namespace detail
{
template <auto At> struct member_at;
template <class C, class M, M C::*At> struct member_at<At> {
    using of = C;
    using value = M;
    static const char* name()
    {
        static_assert(has_members<C>, "sett: a look-up is by a member that sett_type() lists");
        const char* found = "";
        description<C>.members_.each([&](const auto& m) {
            if constexpr (std::is_same_v<decltype(m.at), M C::*>) {
                found = m.at == At ? m.options.name : found;
            }
        });
        return found;
    }
};
} // namespace detail

/* Finds entities by the value of a member, prefabs and disabled ones too (search.h). With `true` as
 * second argument it finds ranges as well. It must end before its world.
 *     sett::lookup_by<&Item::key> by_key(world);
 *     sett::entity item = by_key.find(4711);
 *     sett::lookup_by<&Health::points, true> by_points(world);
 *     by_points.each(0, 10, [](sett::entity e) { ... });               both included, in order */
template <auto At, bool ordered = false>
class lookup_by : public detail::owner<sett_lookup, sett_lookup_destroy>
{
  public:
    using value = typename detail::member_at<At>::value;
    explicit lookup_by(const world_ref& world)
        : owner(world.c(), (ordered ? sett_lookup_create_ordered : sett_lookup_create)(
                               world.c(), world.id<typename detail::member_at<At>::of>(),
                               detail::member_at<At>::name()))
    {
    }
    uint32_t count(const value& v) const
    {
        return c_ != nullptr ? sett_lookup_find(c_, &v, nullptr, 0) : 0;
    }
    /* The entity with the value; false if there is none, or several. */
    entity find(const value& v) const
    {
        sett_entity e = {};
        return c_ != nullptr && sett_lookup_find(c_, &v, &e, 1) == 1 ? entity(world_, e) : entity();
    }
    /* Calls f(sett::entity) for each one. Returns how many there are. f can change structure. */
    template <class F> uint32_t each(const value& v, F&& f) const
    {
        return visit(
            f, [&](sett_entity* out, uint32_t n) { return sett_lookup_find(c_, &v, out, n); });
    }
    template <class F> uint32_t each(const value& from, const value& to, F&& f) const
    {
        static_assert(ordered, "sett: a range needs an ordered look-up: lookup_by<At, true>");
        return visit(f, [&](sett_entity* out, uint32_t n) {
            return sett_lookup_range(c_, &from, &to, 0, out, n);
        });
    }

  private:
    template <class F, class Find> uint32_t visit(F& f, Find find) const
    {
        const uint32_t n = c_ != nullptr ? find(nullptr, 0) : 0;
        sett_entity* all = new sett_entity[n];
        const uint32_t found = n != 0 ? find(all, n) : 0;
        for (uint32_t k = 0; k < found; k++) {
            f(entity(world_, all[k]));
        }
        delete[] all;
        return found;
    }
};
} // namespace sett

#endif
