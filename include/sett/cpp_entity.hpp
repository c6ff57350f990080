/* cpp_entity.hpp: results, entities, and changes that are recorded. A part of sett.hpp, which
 * programs include.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_CPP_ENTITY_HPP
#define SETT_CPP_ENTITY_HPP

#include "sett/cpp_type.hpp"

namespace sett
{

/* -------------------------------------------------------------------------------------- results */

/* Whether a call succeeded, and if not, why. */
class [[nodiscard]] result
{
  public:
    result(const sett_world* world, sett_status code) : world_(world), code_(code)
    {
    }
    explicit operator bool() const
    {
        return code_ == SETT_OK;
    }
    sett_status code() const
    {
        return code_;
    }
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

/* ------------------------------------------------------------------------------------- entities */

namespace detail
{
template <class Step> class entity_range;
struct child_step;
template <class R> struct target_step;
template <class R> struct source_step;
} // namespace detail

namespace detail
{
template <class F> void record_call(sett_commands* commands, const F& f)
{
    static_assert(std::is_trivially_copy_constructible_v<F> &&
                      std::is_trivially_destructible_v<F> && alignof(F) <= 16,
                  "sett: the lambda of a recorded call is copied as bytes: capture numbers, "
                  "handles and pointers, by value");
    auto run = [](sett_world* world, void* data) noexcept { (*static_cast<F*>(data))(world); };
    (void)sett_cmd_call(commands, run, &f, sizeof(f));
}

/* The changes that entities make at once, and `later` records. Each names the functions of C for
 * both. Self has call(now, recorded, arguments), id<T>() and defer(f).
 *
 * A type that is used for the first time inside a loop can be registered only after it: then id()
 * is 0, and the change is deferred: it is made when commands are applied, by `now`. */
template <class Self> class change_verbs
{
  public:
    /* Adds an absent component: T{}, or a tag. */
    template <class T> Self add() const
    {
        check_plain<T>();
        if (const sett_component id = self().template id<T>()) {
            return act(sett_add, sett_cmd_add, id);
        }
        return deferred<T>(sett_ensure);
    }
    /* Removes components; absent ones are skipped. */
    template <class... T> Self remove() const
    {
        (check_plain<T>(), ...);
        return (change<T>(sett_remove, sett_cmd_remove), ...), self();
    }
    /* Switches a component off or on; its type is described with can_disable. */
    template <class T> Self enable(bool on = true) const
    {
        return change<T>(sett_enable, sett_cmd_enable, on);
    }
    Self clear() const
    {
        return act(sett_entity_clear, sett_cmd_clear);
    }
    void destroy() const
    {
        (void)act(sett_entity_destroy, sett_cmd_destroy);
    }

    Self child_of(sett_entity parent) const
    {
        return act(sett_hierarchy_attach, sett_cmd_attach, parent);
    }
    Self name(const char* text) const
    {
        return act(sett_name_set, sett_cmd_name_set, text);
    }

    /* Links to a target: bob.relate<Likes>(alice), or with data bob.relate(Owes{5}, alice). */
    template <class R> Self relate(sett_entity target) const
    {
        return link<R>(target, nullptr);
    }
    template <class R> Self relate(const R& data, sett_entity target) const
    {
        return link<R>(target, is_tag<R> ? nullptr : &data);
    }
    template <class R> Self unrelate(sett_entity target) const
    {
        check_relationship<R>();
        return change<R>(sett_unrelate, sett_cmd_unrelate, target);
    }
    /* Sends an event (event.h): orc.send(Damage{3}). */
    template <class T> Self send(const T& event, sett_route route = SETT_ROUTE_ENTITY) const
    {
        check_plain<T>();
        if constexpr (std::is_trivially_copyable_v<T>) {
            if (self().template id<T>() == 0) {
                return deferred<T>([event, route](sett_world* w, sett_entity e, sett_component id) {
                    return sett_event_send(w, e, route, id, is_tag<T> ? nullptr : &event);
                });
            }
        }
        const sett_component id = id_for<T>(self().c_world());
        const void* value = is_tag<T> ? nullptr : &event;
        return act(sett_event_send, sett_cmd_event, route, id, value);
    }

  private:
    const Self& self() const
    {
        return static_cast<const Self&>(*this);
    }
    template <class Now, class Recorded, class... X>
    Self act(Now now, Recorded recorded, X... arguments) const
    {
        return (void)self().call(now, recorded, arguments...), self();
    }
    template <class T, class Now, class Recorded, class... X>
    Self change(Now now, Recorded recorded, X... arguments) const
    {
        if (const sett_component id = self().template id<T>()) {
            return act(now, recorded, id, arguments...);
        }
        return deferred<T>(now, arguments...);
    }
    template <class T, class Now, class... X> Self deferred(Now now, X... arguments) const
    {
        self().defer([=](sett_world* world, sett_entity entity) {
            (void)now(world, entity, id_for<T>(world), arguments...);
        });
        return self();
    }
    template <class R> Self link(sett_entity target, const R* data) const
    {
        check_relationship<R>();
        const void* from = data;
        if (const sett_component id = self().template id<R>()) {
            return act(sett_relate_set, sett_cmd_relate, id, target, from);
        }
        return deferred<R>([target, has_data = data != nullptr,
                            copy = data != nullptr ? *data : R()](sett_world* w, sett_entity e,
                                                                  sett_component id) {
            const bool alive = sett_entity_valid(w, target); /* else as sett_cmd_relate */
            return alive ? sett_relate_set(w, e, id, target, has_data ? &copy : nullptr) : nullptr;
        });
    }
};
} // namespace detail

namespace detail
{
/* Reading and writing values: of an entity, and of a world's singletons. Self has c_world(), at_get
 * and at_find by type, and the calls of C by id: at_get_mut, at_find_mut, at_ensure. */
template <class Self> class value_verbs
{
  public:
    /* Reads a component. If it is absent: a misuse, and a value T{}. */
    template <class T> const T& get() const
    {
        check_value<T>();
        return *self().template at_get<T>();
    }
    /* Reads a component; nullptr if it is absent. */
    template <class T> const T* find() const
    {
        check_value<T>();
        return self().template at_find<T>();
    }
    /* To write; nullptr if it is absent, which get_mut reports. */
    template <class T> T* get_mut() const
    {
        check_value<T>();
        const sett_component id = id_in<T>(self().c_world());
        return SETT_LIKELY_(id != 0) || note_type<T>(self().c_world())
                   ? static_cast<T*>(self().at_get_mut(id))
                   : nullptr;
    }
    template <class T> T* find_mut() const
    {
        check_value<T>();
        const sett_component id = id_in<T>(self().c_world());
        return id != 0 ? static_cast<T*>(self().at_find_mut(id)) : nullptr;
    }
    /* To write; adds T{} if it is absent. nullptr where structure is locked, in loops, systems and
     * callbacks: record e.later().add<T>() there. */
    template <class T> T* ensure() const
    {
        check_value<T>();
        const sett_component id = id_for<T>(self().c_world());
        return SETT_LIKELY_(id != 0) ? static_cast<T*>(self().at_ensure(id)) : nullptr;
    }

  private:
    const Self& self() const
    {
        return static_cast<const Self&>(*this);
    }
};
} // namespace detail

/* An entity of a world: its handle, and where it lives. Small, to be passed by value. Components
 * store a sett_entity, which this converts to. */
class entity : public detail::change_verbs<entity>,
               public detail::value_verbs<entity>,
               detail::not_stored
{
  public:
    using change_verbs::name;
    entity() = default;
    entity(sett_world* world, sett_entity handle) : world_(world), handle_(handle)
    {
    }
    operator sett_entity() const
    {
        return handle_;
    }
    sett_world* c_world() const
    {
        return world_;
    }
    world_ref world() const;
    /* Whether it is alive. */
    explicit operator bool() const
    {
        return world_ != nullptr && sett_entity_valid(world_, handle_);
    }
    friend bool operator==(entity a, entity b)
    {
        return sett_equals(a.handle_, b.handle_);
    }
    friend bool operator!=(entity a, entity b)
    {
        return !sett_equals(a.handle_, b.handle_);
    }

    template <class T> bool has() const
    {
        detail::check_component<T>();
        return detail::read_has<T>(world_, handle_);
    }
    /* Sets values, and adds what is absent: e.set(Position{1, 2}, Burning{}). A type that cannot be
     * copied is moved into its place, without on_set. */
    template <class... T> entity set(T&&... values) const
    {
        return (set_one(std::forward<T>(values)), ...), *this;
    }
    /* Records changes, where structure is locked: e.later().destroy(). */
    sett::later later() const;

    entity parent() const
    {
        return {world_, sett_hierarchy_parent(world_, handle_)};
    }
    /* for (sett::entity child : e.children()): the body can destroy or move `child`. */
    detail::entity_range<detail::child_step> children() const;

    /* nullptr: it has none. */
    const char* name() const
    {
        return sett_name_get(world_, handle_);
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

  private:
    friend class detail::change_verbs<entity>;
    friend class detail::value_verbs<entity>;
    template <class T> const T* at_get() const
    {
        return detail::read_get<T>(world_, handle_);
    }
    template <class T> const T* at_find() const
    {
        return detail::read_find<T>(world_, handle_);
    }
    void* at_get_mut(sett_component id) const
    {
        return sett_get_mut(world_, handle_, id);
    }
    void* at_find_mut(sett_component id) const
    {
        return sett_find_mut(world_, handle_, id);
    }
    void* at_ensure(sett_component id) const
    {
        return sett_ensure(world_, handle_, id);
    }
    template <class Now, class Recorded, class... X>
    auto call(Now now, Recorded, X... arguments) const
    {
        using made = decltype(now(world_, handle_, arguments...));
        if (world_ == nullptr) {
            (void)sett_component_check_type_(nullptr, 0, 0, "",
                                             "sett.hpp: an empty sett::entity, of no world");
            return made();
        }
        return now(world_, handle_, arguments...);
    }
    template <class T> sett_component id() const
    {
        return detail::id_for<T>(world_);
    }
    template <class F> void defer(F) const
    {
    } /* the type could not be registered: the log says so */

    template <class T> void set_one(T&& value) const
    {
        using V = detail::bare<T>;
        detail::check_plain<V>();
        const sett_component id = detail::id_for<V>(world_);
        if (id == 0) {
            return; /* reported */
        }
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
    entity_range(sett_world* world, sett_entity of) : world_(world), of_(of)
    {
    }
    struct iterator {
        sett_world* world;
        Step step;
        sett_entity at;
        entity operator*() const
        {
            return {world, at};
        }
        iterator& operator++()
        {
            at = step.next();
            return *this;
        }
        bool operator!=(const iterator& end) const
        {
            return !sett_equals(at, end.at);
        }
    };
    iterator begin() const
    {
        iterator it = {world_, Step(), sett_null()};
        it.at = it.step.first(world_, of_);
        return it;
    }
    iterator end() const
    {
        return {world_, Step(), sett_null()};
    }

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
    sett_entity next()
    {
        return sett_target_next(world, of, id, &cursor);
    }
};
template <class R> struct source_step : target_step<R> {
    sett_entity first(sett_world* in, sett_entity target)
    {
        check_relationship<R>();
        this->world = in, this->of = target, this->id = id_for<R>(in);
        return next();
    }
    sett_entity next()
    {
        return sett_source_next(this->world, this->id, this->of, &this->cursor);
    }
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

/* ------------------------------------------------------------------------------------- commands */

/* Records changes of an entity (core.h: commands). */
class later : public detail::change_verbs<later>, detail::not_stored
{
  public:
    later(sett_commands* commands, sett_entity entity) : commands_(commands), entity_(entity)
    {
    }
    /* The handle, also of an entity that is not created yet. */
    operator sett_entity() const
    {
        return entity_;
    }
    sett_world* c_world() const
    {
        return sett_commands_world(commands_);
    }
    template <class... T> later set(const T&... values) const
    {
        return (set_one(values), ...), *this;
    }

  private:
    friend class detail::change_verbs<later>;
    template <class Now, class Recorded, class... X>
    auto call(Now, Recorded recorded, X... arguments) const
    {
        return recorded(commands_, entity_, arguments...);
    }
    template <class T> sett_component id() const
    {
        return detail::id_in<T>(c_world());
    }
    template <class F> void defer(F f) const
    {
        detail::record_call(commands_, [f, handle = entity_](sett_world* world) {
            if (sett_entity_valid(world, handle)) {
                f(world, handle);
            }
        });
    }
    template <class T> void set_one(const T& value) const
    {
        detail::check_plain<T>();
        static_assert(detail::is_copied<T>,
                      "sett: a command copies its value, and this type cannot be copied");
        const sett_component known = id<T>();
        if constexpr (std::is_trivially_copyable_v<T>) {
            if (known == 0) {
                return defer([value](sett_world* w, sett_entity e) { entity(w, e).set(value); });
            }
        }
        const sett_component id = known != 0 ? known : detail::id_for<T>(c_world());
        if constexpr (detail::is_tag<T>) {
            (void)sett_cmd_add(commands_, entity_, id);
        } else {
            (void)sett_cmd_set(commands_, entity_, id, &value);
        }
    }

    sett_commands* commands_;
    sett_entity entity_;
};

inline sett::later entity::later() const
{
    return {sett_commands_here(world_), handle_};
}

/* Records changes of a world: world.later(), frame.later(). */
class recorder : detail::not_stored
{
  public:
    explicit recorder(sett_commands* commands) : commands_(commands)
    {
    }
    sett_commands* c() const
    {
        return commands_;
    }
    template <class... T> sett::later create(const T&... values) const
    {
        return sett::later(commands_, sett_cmd_create(commands_)).set(values...);
    }
    sett::later instantiate(sett_entity prefab) const
    {
        return {commands_, sett_cmd_instantiate(commands_, prefab)};
    }
    sett::later of(sett_entity entity) const
    {
        return {commands_, entity};
    }
    /* Calls f(sett::world_ref) when commands are applied. */
    template <class F> void call(F f) const;

  private:
    sett_commands* commands_;
};
} // namespace sett
template <> struct std::hash<sett::entity> {
    size_t operator()(const sett::entity& e) const noexcept
    {
        return std::hash<sett_entity>()(e);
    }
};

#endif
