/* singleton.h: components that exist once in a world.
 *
 *     Clock* clock = sett_singleton_ensure(world, Clock_id);
 *     const Clock* now = sett_singleton_get(world, Clock_id);
 *
 * Singletons are components of one entity, which has the tag "Singletons". Queries, observers and
 * snapshots see them as all components, and so addresses are as valid as those of components
 * (core.h). One entity at most has the tag: a call that would give it to a second one, such as
 * sett_add, sett_duplicate or sett_instantiate, fails (ARGUMENT). A system lists singletons that it
 * reads in access_any_in, and singletons that it writes in access_any_inout (system.h). Callbacks
 * and systems can write singletons, but not add any (LOCKED): call sett_singleton_ensure once
 * before.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_SINGLETON_H
#define SETT_SINGLETON_H

#include "sett/core.h"

/* Returns the entity that has the singletons; null on failure. If it does not exist, creates it.
 * sett_world_clear and sett_world_destroy destroy it last: on_remove callbacks of other entities
 * can read singletons.
 * Fails: LOCKED (if it has to be created), LIMIT, OUT_OF_MEMORY.
 * Cost: O(1). Threads: writer; in systems too, once the entity exists. Since: 0.1 */
SETT_API sett_entity sett_singletons(sett_world* world);

/* Like sett_ensure, sett_set, sett_get, sett_get_mut, sett_find, sett_find_mut and sett_remove, for
 * this entity. If it does not exist, find and find_mut return NULL, get and get_mut report that in
 * debug builds, and ensure and set create it.
 * Threads: writer; get and find: reader; ensure, set, get_mut and find_mut: system, once the
 * singleton exists. Since: 0.1; get and get_mut: 0.2 */
SETT_API void* sett_singleton_ensure(sett_world* world, sett_component component);
SETT_API void* sett_singleton_set(sett_world* world, sett_component component, const void* value);
SETT_API const void* sett_singleton_get(const sett_world* world, sett_component component);
SETT_API void* sett_singleton_get_mut(sett_world* world, sett_component component);
SETT_API const void* sett_singleton_find(const sett_world* world, sett_component component);
SETT_API void* sett_singleton_find_mut(sett_world* world, sett_component component);
SETT_API sett_status sett_singleton_remove(sett_world* world, sett_component component);

/* Singletons by C type, as the macros of typed.h: Clock_id is the id of Clock.
 *
 *     SETT_SINGLETON_ENSURE(world, Clock)->now += dt; */
#define SETT_SINGLETON_ENSURE(world, T)                                                            \
    ((T*)SETT_SINGLETON_CALL_(ensure, world, T##_id, sizeof(T), #T))
#define SETT_SINGLETON_GET(world, T)                                                               \
    ((const T*)SETT_SINGLETON_CALL_(get, world, T##_id, sizeof(T), #T))
#define SETT_SINGLETON_GET_MUT(world, T)                                                           \
    ((T*)SETT_SINGLETON_CALL_(get_mut, world, T##_id, sizeof(T), #T))
#define SETT_SINGLETON_FIND(world, T)                                                              \
    ((const T*)SETT_SINGLETON_CALL_(find, world, T##_id, sizeof(T), #T))
#define SETT_SINGLETON_FIND_MUT(world, T)                                                          \
    ((T*)SETT_SINGLETON_CALL_(find_mut, world, T##_id, sizeof(T), #T))
#if defined(NDEBUG)
#define SETT_SINGLETON_CALL_(call, world, id, size, type) sett_singleton_##call((world), (id))
#else
#define SETT_SINGLETON_CALL_(call, world, id, size, type)                                          \
    sett_singleton_##call##_typed_((world), (id), (size), (type))
#endif

static inline void* sett_singleton_ensure_typed_(sett_world* world, sett_component id, size_t size,
                                                 const char* type)
{
    bool right = sett_component_check_change_(world, id, size, type, "SETT_SINGLETON_ENSURE");
    return right ? sett_singleton_ensure(world, id) : NULL;
}

static inline const void* sett_singleton_get_typed_(const sett_world* world, sett_component id,
                                                    size_t size, const char* type)
{
    bool right = sett_component_check_type_(world, id, size, type, "SETT_SINGLETON_GET");
    return right ? sett_singleton_get(world, id) : NULL;
}

static inline void* sett_singleton_get_mut_typed_(sett_world* world, sett_component id, size_t size,
                                                  const char* type)
{
    bool right = sett_component_check_type_(world, id, size, type, "SETT_SINGLETON_GET_MUT");
    return right ? sett_singleton_get_mut(world, id) : NULL;
}

static inline const void* sett_singleton_find_typed_(const sett_world* world, sett_component id,
                                                     size_t size, const char* type)
{
    bool right = sett_component_check_type_(world, id, size, type, "SETT_SINGLETON_FIND");
    return right ? sett_singleton_find(world, id) : NULL;
}

static inline void* sett_singleton_find_mut_typed_(sett_world* world, sett_component id,
                                                   size_t size, const char* type)
{
    bool right = sett_component_check_type_(world, id, size, type, "SETT_SINGLETON_FIND_MUT");
    return right ? sett_singleton_find_mut(world, id) : NULL;
}

static inline void* sett_singleton_set_typed_(sett_world* world, sett_component id, size_t size,
                                              const char* type, const void* value)
{
    bool right = sett_component_check_change_(world, id, size, type, "SETT_SINGLETON_SET");
    return right ? sett_singleton_set(world, id, value) : NULL;
}

#if defined(__cplusplus)
extern "C++" {
template <typename T>
static inline T* sett_singleton_set_value_(sett_world* world, sett_component id, const char* type,
                                           const T& value)
{
#if defined(NDEBUG)
    (void)type;
    return static_cast<T*>(sett_singleton_set(world, id, &value));
#else
    return static_cast<T*>(sett_singleton_set_typed_(world, id, sizeof(T), type, &value));
#endif
}
}
#define SETT_SINGLETON_SET(world, T, ...)                                                          \
    sett_singleton_set_value_<T>((world), T##_id, #T, T{__VA_ARGS__})
#elif defined(NDEBUG)
#define SETT_SINGLETON_SET(world, T, ...)                                                          \
    ((T*)sett_singleton_set((world), T##_id, &(T){__VA_ARGS__}))
#else
#define SETT_SINGLETON_SET(world, T, ...)                                                          \
    ((T*)sett_singleton_set_typed_((world), T##_id, sizeof(T), #T, &(T){__VA_ARGS__}))
#endif

#endif
