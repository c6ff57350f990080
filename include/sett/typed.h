/* typed.h: short forms that take a C type. A part of core.h.
 *
 * The macros name a component by its C type T, which is one word, and expect its id under the
 * name T_id: an enumerator, a static or a local variable, as you like.
 *
 *     Position_id = SETT_REGISTER(world, Position);                     a number that is free
 *     SETT_REGISTER_WITH(world, Velocity, .id = Velocity_id);           an enumerator's
 *     SETT_SET(world, e, Position, .x = 1, .y = 2);
 *     sett_set(world, e, Position_id, &start);                          a value that is there
 *     const Position* p = SETT_GET(world, e, Position);
 *     sett_query* moving = SETT_QUERY_CREATE(world, SETT_INOUT(Position), SETT_IN(Velocity));
 *
 * In C++17, which has no names for fields (C++20 has them, in the order of the struct):
 *
 *     sett_component_desc desc = SETT_TYPE_DESC(Array);
 *     desc.storage = SETT_STORAGE_SPARSE_SET;
 *     Array_id = sett_component_register(world, &desc);
 *
 * In C++ values begin with the default member initialisers of their type, such as `int timer = 40`,
 * by whichever call they are added: what registers T sets the hook `init` for that.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_TYPED_H
#define SETT_TYPED_H

#include "sett/core.h"

static inline sett_component_desc sett_component_desc_make_(const char* name, const char* type_name,
                                                            size_t size, size_t align)
{
#ifdef __cplusplus
    sett_component_desc desc = {};
#else
    sett_component_desc desc = {0};
#endif
    desc.name = name;
    desc.type_name = type_name;
    desc.size = size;
    desc.align = align;
    return desc;
}

/* What SETT_TYPE_DESC and SETT_REGISTER add to it. */
static inline sett_component_desc sett_component_desc_masked_(sett_component_desc desc,
                                                              const void* mask)
{
    desc.mask = mask;
    return desc;
}

/* The function behind SETT_REGISTER and SETT_REGISTER_TAG. Use its result: the number is one that
 * was free, and not what an enumerator T_id says. For that there is SETT_REGISTER_WITH. */
SETT_NODISCARD static inline sett_component sett_component_register_type_(sett_world* world,
                                                                          const char* name,
                                                                          const char* type_name,
                                                                          size_t size, size_t align)
{
    sett_component_desc desc = sett_component_desc_make_(name, type_name, size, align);
    return sett_component_register(world, &desc);
}

/* Registers a type for SETT_REGISTER, from its descriptor. */
SETT_NODISCARD static inline sett_component sett_component_register_desc_(sett_world* world,
                                                                          sett_component_desc desc)
{
    return sett_component_register(world, &desc);
}

/* 1 where the compiler finds a type's padding: gcc from 11 on. Define it as 0 to do without. */
#if !defined(SETT_PADDING_KNOWN)
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define SETT_PADDING_KNOWN 1
#else
#define SETT_PADDING_KNOWN 0
#endif
#endif

/* SETT_MASK(T): what sett_component_desc.mask is for T, found by the compiler: what lies between
 * members and behind the last; of a union what is padding in all of its members. NULL where
 * SETT_PADDING_KNOWN is 0, for types of more than 16 KB, and in C++ for those that are not
 * trivially copyable. A type that ends in a flexible array has none: sett_component_register takes
 * it. */
#if !SETT_PADDING_KNOWN
#define SETT_MASK(T) NULL
#else
#define SETT_MASK_MAX_ ((size_t)16 << 10)

static inline void* sett_mask_begin_(unsigned char* bytes, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        bytes[k] = 255;
    }
    return bytes;
}
#if defined(__cplusplus)
extern "C++" {
template <typename T> struct sett_mask_of_ {
    alignas(T) unsigned char bytes[sizeof(T)];
    sett_mask_of_()
    {
        __builtin_clear_padding(static_cast<T*>(sett_mask_begin_(bytes, sizeof(T))));
    }
};
template <typename T> inline const void* sett_mask_()
{
    if constexpr (__is_trivially_copyable(T) && sizeof(T) <= SETT_MASK_MAX_) {
        static const sett_mask_of_<T> mask;
        return mask.bytes;
    }
    return nullptr;
}
}
#define SETT_MASK(T) sett_mask_<T>()
#else
#define SETT_MASK(T)                                                                               \
    (__extension__({                                                                               \
        static _Thread_local _Alignas(                                                             \
            T) unsigned char sett_mask_[sizeof(T) <= SETT_MASK_MAX_ ? sizeof(T) : 1];              \
        if (sizeof(T) <= SETT_MASK_MAX_) {                                                         \
            __builtin_clear_padding((T*)sett_mask_begin_(sett_mask_, sizeof(sett_mask_)));         \
        }                                                                                          \
        sizeof(T) <= SETT_MASK_MAX_ ? (const void*)sett_mask_ : NULL;                              \
    }))
#endif
#endif

/* Adds a tag. As sett_add, but returns whether the tag was added. Threads: writer. Since: 0.2 */
static inline bool sett_add_tag(sett_world* world, sett_entity entity, sett_component tag)
{
    return sett_add(world, entity, tag) != NULL;
}

#if defined(__cplusplus)
extern "C++" {
/* A value as C++ makes it: with the default member initialisers, and zeroes as padding. */
template <typename T> inline const unsigned char* sett_default_()
{
    static const T made{};
    return reinterpret_cast<const unsigned char*>(&made);
}

struct sett_place_ {
    void* at;
};
}
inline void* operator new(size_t, sett_place_ place) noexcept
{
    return place.at;
}
inline void operator delete(void*, sett_place_) noexcept
{
}
extern "C++" {
/* The hook `init` of T. */
template <typename T> inline void sett_init_(void* values, uint32_t count, void*)
{
    unsigned char* at = static_cast<unsigned char*>(values);
    for (uint32_t k = 0; k < count; k++, at += sizeof(T)) {
        if constexpr (__is_trivially_copyable(T)) {
            for (size_t byte = 0; byte < sizeof(T); byte++) {
                at[byte] = sett_default_<T>()[byte];
            }
        } else {
            ::new (sett_place_{at}) T{};
        }
    }
}

/* Whether zeroes are not what C++ makes of T. */
template <typename T> inline bool sett_needs_init_()
{
    if constexpr (!__is_trivially_copyable(T)) {
        return true;
    } else {
        bool zero = true;
        for (size_t byte = 0; byte < sizeof(T); byte++) {
            zero = zero && sett_default_<T>()[byte] == 0;
        }
        return !zero;
    }
}

template <typename T> inline sett_component_desc sett_with_init_(sett_component_desc desc)
{
    if constexpr (!__is_trivially_constructible(T) && __is_constructible(T)) {
        desc.init = desc.init == nullptr && sett_needs_init_<T>() ? sett_init_<T> : desc.init;
    }
    return desc;
}

/* Registers values of type T. Without hooks they are copied and dropped as bytes, which has to be
 * right for T. Data of links is never initialised. */
template <typename T, bool hooks, bool links = false>
SETT_NODISCARD static inline sett_component sett_register_value_(sett_world* world,
                                                                 const sett_component_desc& desc)
{
    static_assert(hooks || __is_trivially_copyable(T),
                  "a component type that is not trivially copyable needs the hooks init, deinit, "
                  "copy and move (sett_component_desc)");
    if constexpr (links) {
        (void)sett_size_from_zero_<T>();
    }
    const sett_component_desc full = sett_with_init_<T>(desc);
    return sett_component_register(world, &full);
}

/* Whether fields of a descriptor, as text, give values hooks of their own. */
constexpr bool sett_text_has_(const char* text, const char* part)
{
    for (; *text != '\0'; text++) {
        const char* at = text;
        const char* with = part;
        while (*with != '\0' && *at == *with) {
            at++;
            with++;
        }
        if (*with == '\0') {
            return true;
        }
    }
    return false;
}
constexpr bool sett_text_has_hooks_(const char* text)
{
    return sett_text_has_(text, ".deinit") && sett_text_has_(text, ".copy") &&
           sett_text_has_(text, ".move");
}
}
#define SETT_REGISTER(world, T) sett_register_value_<T, false>((world), SETT_TYPE_DESC(T))
#else
#define SETT_REGISTER(world, T) sett_component_register_desc_((world), SETT_TYPE_DESC(T))
#endif
#define SETT_REGISTER_TAG(world, T) sett_component_register_type_((world), #T, #T, 0, 1)
#if defined(__cplusplus)
#define SETT_TYPE_DESC(T) sett_with_init_<T>(SETT_TYPE_DESC_(T))
#else
#define SETT_TYPE_DESC(T) SETT_TYPE_DESC_(T)
#endif
#define SETT_TYPE_DESC_(T)                                                                         \
    sett_component_desc_masked_(sett_component_desc_make_(#T, #T, sizeof(T), SETT_ALIGNOF(T)),     \
                                SETT_MASK(T))

/* The functions behind SETT_GET and SETT_FIND: of a size that is known, the address of a value is a
 * shift and a multiplication by constants. */
static inline const void* sett_get_of_size_(const sett_world* world, sett_entity entity,
                                            sett_component component, size_t size)
{
#if SETT_READS_IN_LINE_
    const sett_world_header_* header = sett_read_header_(world);
    const sett_type_header_* type = sett_read_type_(header, component);
    sett_read_ read = sett_read_make_(header, type);
    return SETT_LIKELY_(type->size == size) && sett_read_is_here_(read, entity)
               ? sett_read_row_(read, entity.index, sett_read_shift_(size), (uint32_t)size)
               : sett_get_slow_(world, entity.index, entity.generation, component);
#else
    (void)size;
    return sett_get(world, entity, component);
#endif
}

static inline const void* sett_find_of_size_(const sett_world* world, sett_entity entity,
                                             sett_component component, size_t size)
{
#if SETT_READS_IN_LINE_
    const sett_world_header_* header = sett_read_header_(world);
    const sett_type_header_* type = sett_read_type_(header, component);
    sett_read_ read = sett_read_make_(header, type);
    if (SETT_LIKELY_(type->size == size) && sett_read_is_here_(read, entity)) {
        return sett_read_row_(read, entity.index, sett_read_shift_(size), (uint32_t)size);
    }
    return SETT_LIKELY_(type->kind == SETT_KIND_ARRAY_ && type->size == size)
               ? NULL
               : sett_find_slow_(world, entity.index, entity.generation, component);
#else
    (void)size;
    return sett_find(world, entity, component);
#endif
}

/* Without NDEBUG the macros below first compare T with the type_name and the size of T_id's
 * component. On a mismatch they report it and return what a failed call returns; those that change
 * the world set sett_world_error (ARGUMENT). */
#if defined(NDEBUG)
#define SETT_CALL_(call, object, entity, id, size, type) sett_##call((object), (entity), (id))
#define SETT_READ_(call, object, entity, id, size, type)                                           \
    sett_##call##_of_size_((object), (entity), (id), (size))
#else
#define SETT_READ_(call, object, entity, id, size, type)                                           \
    sett_##call##_typed_((object), (entity), (id), (size), (type))
#define SETT_CALL_(call, object, entity, id, size, type)                                           \
    sett_##call##_typed_((object), (entity), (id), (size), (type))
#endif
#define SETT_ADD(world, entity, T) ((T*)SETT_CALL_(add, world, entity, T##_id, sizeof(T), #T))
#define SETT_ADD_TAG(world, entity, T) SETT_CALL_(add_tag, world, entity, T##_id, SIZE_MAX, #T)
/* A value that is in a variable, for sett_create_with and the like: `pointer` is a const T* or T*.
 *
 *     SETT_CREATE(world, SETT_VALUE_OF(Walk, &variant->walk), SETT_VALUE(Position, .x = 8)) */
#define SETT_VALUE_OF(T, pointer)                                                                  \
    {                                                                                              \
        T##_id, SETT_POINTER_OF_(T, pointer), SETT_VALUE_TYPE_(sizeof(T), #T)                      \
    }
#if defined(__cplusplus)
#define SETT_POINTER_OF_(T, pointer) sett_pointer_of_<T>(pointer)
#else
#define SETT_POINTER_OF_(T, pointer) (0 ? (const T*)NULL : (pointer)) /* warns of other types */
#endif
/* A tag, for sett_create_with and the like. */
#define SETT_VALUE_TAG(T)                                                                          \
    {                                                                                              \
        T##_id, NULL, SETT_VALUE_TYPE_(0, #T)                                                      \
    }
#if defined(NDEBUG)
#define SETT_VALUE_TYPE_(size, type) 0, NULL
#else
#define SETT_VALUE_TYPE_(size, type) size, type
#endif
#define SETT_ENSURE(world, entity, T) ((T*)SETT_CALL_(ensure, world, entity, T##_id, sizeof(T), #T))
#define SETT_GET(world, entity, T) ((const T*)SETT_READ_(get, world, entity, T##_id, sizeof(T), #T))
#define SETT_GET_MUT(world, entity, T)                                                             \
    ((T*)SETT_CALL_(get_mut, world, entity, T##_id, sizeof(T), #T))
#define SETT_FIND(world, entity, T)                                                                \
    ((const T*)SETT_READ_(find, world, entity, T##_id, sizeof(T), #T))
#define SETT_FIND_MUT(world, entity, T)                                                            \
    ((T*)SETT_CALL_(find_mut, world, entity, T##_id, sizeof(T), #T))
#define SETT_HAS(world, entity, T) SETT_CALL_(has, world, entity, T##_id, 0, #T)
#define SETT_REMOVE(world, entity, T) SETT_CALL_(remove, world, entity, T##_id, 0, #T)
#define SETT_CMD_ADD(commands, entity, T) SETT_CALL_(cmd_add, commands, entity, T##_id, 0, #T)
#define SETT_CMD_REMOVE(commands, entity, T) SETT_CALL_(cmd_remove, commands, entity, T##_id, 0, #T)

/* sett_add_typed_ and so on: the call, if the component has this C type. */
#define SETT_TYPED_(result, call, macro, check, object_type, world, fail)                          \
    static inline result sett_##call##_typed_(object_type object, sett_entity entity,              \
                                              sett_component id, size_t size, const char* type)    \
    {                                                                                              \
        bool right = sett_component_check_##check##_(world, id, size, type, macro);                \
        return right ? sett_##call(object, entity, id) : (fail);                                   \
    }
SETT_TYPED_(void*, add, "SETT_ADD", change, sett_world*, object, NULL)
SETT_TYPED_(bool, add_tag, "SETT_ADD_TAG", change, sett_world*, object, false)
SETT_TYPED_(void*, ensure, "SETT_ENSURE", change, sett_world*, object, NULL)
SETT_TYPED_(const void*, get, "SETT_GET", type, const sett_world*, object, NULL)
SETT_TYPED_(void*, get_mut, "SETT_GET_MUT", type, sett_world*, object, NULL)
SETT_TYPED_(const void*, find, "SETT_FIND", type, const sett_world*, object, NULL)
SETT_TYPED_(void*, find_mut, "SETT_FIND_MUT", type, sett_world*, object, NULL)
SETT_TYPED_(bool, has, "SETT_HAS", type, const sett_world*, object, false)
SETT_TYPED_(sett_status, remove, "SETT_REMOVE", change, sett_world*, object, SETT_STATUS_ARGUMENT)
SETT_TYPED_(sett_status, cmd_add, "SETT_CMD_ADD", type, sett_commands*, sett_commands_world(object),
            SETT_STATUS_ARGUMENT)
SETT_TYPED_(sett_status, cmd_remove, "SETT_CMD_REMOVE", type, sett_commands*,
            sett_commands_world(object), SETT_STATUS_ARGUMENT)
#undef SETT_TYPED_

static inline void* sett_set_typed_(sett_world* world, sett_entity entity, sett_component id,
                                    size_t size, const char* type, const void* value)
{
    bool right = sett_component_check_change_(world, id, size, type, "SETT_SET");
    return right ? sett_set(world, entity, id, value) : NULL;
}

static inline sett_status sett_cmd_set_typed_(sett_commands* commands, sett_entity entity,
                                              sett_component id, size_t size, const char* type,
                                              const void* value)
{
    const sett_world* world = sett_commands_world(commands);
    bool right = sett_component_check_type_(world, id, size, type, "SETT_CMD_SET");
    return right ? sett_cmd_set(commands, entity, id, value) : SETT_STATUS_ARGUMENT;
}

/* Terms of a query, by type: .terms = {SETT_INOUT(Position), SETT_IN(Velocity)}; outside of a
 * list in C (sett_term)SETT_IN(Velocity). An id that is still 0, because the type was never
 * registered, becomes one that no type has: the query is rejected. */
#define SETT_TERM_ID(T) (T##_id != 0 ? (sett_component)T##_id : UINT32_MAX)
#define SETT_TERM_(T, access, kind, changed, walk, along, singleton)                               \
    {                                                                                              \
        SETT_TERM_ID(T), access, kind, changed, walk, along, {0, 0}, singleton, false              \
    }
/* clang-format off */
/* has it; read */
#define SETT_IN(T)      SETT_TERM_(T, SETT_IN, SETT_WITH, false, SETT_WALK_NONE, 0, false)
/* has it; read and written */
#define SETT_INOUT(T)     SETT_TERM_(T, SETT_INOUT, SETT_WITH, false, SETT_WALK_NONE, 0, false)
/* has it; every value is written, and none read before */
#define SETT_OUT(T) SETT_TERM_(T, SETT_OUT, SETT_WITH, false, SETT_WALK_NONE, 0, false)
/* has it; no field */
#define SETT_WITH(T)     SETT_TERM_(T, SETT_NONE, SETT_WITH, false, SETT_WALK_NONE, 0, false)
/* has it, written since sett_query_set_since; read */
#define SETT_CHANGED(T)    SETT_TERM_(T, SETT_IN, SETT_WITH, true, SETT_WALK_NONE, 0, false)
/* has it; read. Loops have the order of its storage (sett_term.drives): in a sparse set that of the
 * last sett_sort, with later additions at the end, or, if it was never sorted, mostly that of
 * additions; in an array that of entity indices. Beside SETT_OPTIONAL and SETT_ANY a batch ends
 * where the next entity has other ones of their types */
#define SETT_IN_ORDER(T) \
    {SETT_TERM_ID(T), SETT_IN, SETT_WITH, false, SETT_WALK_NONE, 0, {0, 0}, false, true}
/* does not have it */
#define SETT_WITHOUT(T)      SETT_TERM_(T, SETT_NONE, SETT_WITHOUT, false, SETT_WALK_NONE, 0, false)
/* may have it; read, or read and written, where it is there */
#define SETT_OPTIONAL(T)   SETT_TERM_(T, SETT_IN, SETT_OPTIONAL, false, SETT_WALK_NONE, 0, false)
#define SETT_OPTIONAL_INOUT(T) \
    SETT_TERM_(T, SETT_INOUT, SETT_OPTIONAL, false, SETT_WALK_NONE, 0, false)
/* has at least one of the types so named */
#define SETT_ANY(T)     SETT_TERM_(T, SETT_IN, SETT_ANY, false, SETT_WALK_NONE, 0, false)
/* the parent has it; an ancestor; the entity or an ancestor: read by SETT_FIELD_FROM. The hierarchy
 * need not be registered */
#define SETT_PARENT(T)  SETT_TERM_(T, SETT_IN, SETT_WITH, false, SETT_WALK_ONE, 0, false)
#define SETT_UP(T)      SETT_TERM_(T, SETT_IN, SETT_WITH, false, SETT_WALK_UP, 0, false)
#define SETT_SELF_UP(T) SETT_TERM_(T, SETT_IN, SETT_WITH, false, SETT_WALK_SELF_UP, 0, false)
/* the entity has it, or its prefab, or the prefab's prefab (prefab.h) */
#define SETT_SHARED(T) \
    SETT_TERM_(T, SETT_IN, SETT_WITH, false, SETT_WALK_SELF_UP, SETT_ID_INSTANCE_OF, false)
/* its target of a relationship with one target has it (relationship.h) */
#define SETT_TARGET(T, relationship) \
    SETT_TERM_(T, SETT_IN, SETT_WITH, false, SETT_WALK_ONE, SETT_TERM_ID(relationship), false)
/* there is such a singleton (singleton.h) */
#define SETT_SINGLETON(T) SETT_TERM_(T, SETT_IN, SETT_WITH, false, SETT_WALK_NONE, 0, true)
/* clang-format on */

/* The value of the k-th term, which is elsewhere, for the row i: a const T*, a T*; NULL if there is
 * none. Compiled without NDEBUG they report a term with values of another type, and are NULL. */
#if defined(NDEBUG)
#define SETT_FIELD_FROM(b, k, i, T) ((const T*)sett_batch_from((b), (k), (i)))
#define SETT_FIELD_FROM_MUT(b, k, i, T) ((T*)sett_batch_from_mut((b), (k), (i)))
#else
#define SETT_FIELD_FROM(b, k, i, T)                                                                \
    ((const T*)sett_batch_from_checked_((b), (k), (i), false, sizeof(T), #T))
#define SETT_FIELD_FROM_MUT(b, k, i, T)                                                            \
    ((T*)sett_batch_from_checked_((b), (k), (i), true, sizeof(T), #T))
#endif

/* The field of the k-th term, as an array of T to read, or to write. Compiled without NDEBUG they
 * check once a loop that the term has a field and that its values are of type T; if not, they
 * report it and are NULL. They also report access that the term does not declare. */
#if defined(NDEBUG)
#define SETT_FIELD(b, k, T) ((const T*)sett_batch_field((b), (k)))
#define SETT_FIELD_MUT(b, k, T) ((T*)sett_batch_field((b), (k)))
#else
#define SETT_FIELD(b, k, T) ((const T*)sett_batch_field_typed_((b), (k), false, sizeof(T), #T))
#define SETT_FIELD_MUT(b, k, T) ((T*)sett_batch_field_typed_((b), (k), true, sizeof(T), #T))
#endif

/* A field as SETT_FIELD returns it, found by its type: for a loop far from the terms of its query
 * or system. It is the field of the first term of T. A call finds it, so take it once a batch, in
 * SETT_QUERY_EACH or SETT_SYSTEM_EACH:
 *
 *     SETT_SYSTEM_EACH(context, b) {
 *         const Home* home = SETT_FIELD_OF(b, Home);
 *         Position* p = SETT_FIELD_OF_MUT(b, Position);
 *         SETT_EACH(b, i) { ... p[i] ... home[i] ... }
 *     }
 *
 * A query without such a term is reported in every build, and the field is NULL. */
#define SETT_FIELD_OF(b, T) ((const T*)sett_batch_field_of_((b), T##_id, false, sizeof(T), #T))
#define SETT_FIELD_OF_MUT(b, T) ((T*)sett_batch_field_of_((b), T##_id, true, sizeof(T), #T))

static inline void* sett_batch_field_typed_(const sett_batch* b, uint32_t k, bool mut, size_t size,
                                            const char* type)
{
    return k < SETT_QUERY_TERMS && (b->checked_.terms[mut] >> k & 1) != 0 &&
                   b->checked_.types[mut][k] == type
               ? b->fields[k]
               : sett_batch_field_checked_(b, k, mut, size, type);
}

#if defined(__cplusplus)
extern "C++" {
template <typename T>
static inline T* sett_set_value_(sett_world* world, sett_entity entity, sett_component id,
                                 const char* type, const T& value)
{
#if defined(NDEBUG)
    (void)type;
    return static_cast<T*>(sett_set(world, entity, id, &value));
#else
    return static_cast<T*>(sett_set_typed_(world, entity, id, sizeof(T), type, &value));
#endif
}
template <typename T> static inline const void* sett_pointer_of_(const T* value)
{
    return value;
}
template <typename T> static inline const void* sett_value_address_(const T& value)
{
    return &value;
}
template <unsigned count>
static inline sett_entity sett_create_with_values_(sett_world* world,
                                                   const sett_value (&values)[count])
{
    return sett_create_with(world, values, count);
}
static inline sett_query* sett_query_create_value_(sett_world* world, const sett_query_desc& desc)
{
    return sett_query_create(world, &desc);
}
template <typename T>
static inline sett_status sett_cmd_set_value_(sett_commands* commands, sett_entity entity,
                                              sett_component id, const char* type, const T& value)
{
#if defined(NDEBUG)
    (void)type;
    return sett_cmd_set(commands, entity, id, &value);
#else
    return sett_cmd_set_typed_(commands, entity, id, sizeof(T), type, &value);
#endif
}
}
#define SETT_SET(world, entity, T, ...)                                                            \
    sett_set_value_<T>((world), (entity), T##_id, #T, T{__VA_ARGS__})
#define SETT_VALUE(T, ...)                                                                         \
    sett_value                                                                                     \
    {                                                                                              \
        T##_id, sett_value_address_<T>(T{__VA_ARGS__}), SETT_VALUE_TYPE_(sizeof(T), #T)            \
    }
#define SETT_CREATE(world, ...) sett_create_with_values_((world), {__VA_ARGS__})
#define SETT_CMD_SET(commands, entity, T, ...)                                                     \
    sett_cmd_set_value_<T>((commands), (entity), T##_id, #T, T{__VA_ARGS__})
#define SETT_QUERY_CREATE(world, ...)                                                              \
    sett_query_create_value_((world), sett_query_desc{nullptr, {__VA_ARGS__}})

#if __cplusplus >= 202002L
/* A variable of some fields. g++ warns of the others under -Wextra, where C does not. */
#if defined(__GNUC__)
#define SETT_DESIGNATED_(type, name, ...)                                                          \
    _Pragma("GCC diagnostic push")                                                                 \
        _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")                         \
            const type name = {__VA_ARGS__};                                                       \
    _Pragma("GCC diagnostic pop")
#else
#define SETT_DESIGNATED_(type, name, ...) const type name = {__VA_ARGS__};
#endif
#define SETT_REGISTER_WITH(world, T, ...)                                                          \
    [&](sett_world* sett_world_) {                                                                 \
        SETT_DESIGNATED_(sett_component_desc, sett_desc_, .name = #T, .type_name = #T,             \
                         .size = sizeof(T), .align = SETT_ALIGNOF(T), .mask = SETT_MASK(T),        \
                         __VA_ARGS__)                                                              \
        return sett_register_value_<T, sett_text_has_hooks_(#__VA_ARGS__),                         \
                                    sett_text_has_(#__VA_ARGS__, ".relationship")>(sett_world_,    \
                                                                                   sett_desc_);    \
    }(world)
#define SETT_REGISTER_TAG_WITH(world, T, ...)                                                      \
    [&](sett_world* sett_world_) {                                                                 \
        SETT_DESIGNATED_(sett_component_desc, sett_desc_, .name = #T, .type_name = #T,             \
                         __VA_ARGS__)                                                              \
        return sett_component_register(sett_world_, &sett_desc_);                                  \
    }(world)
#endif
#else
#if defined(NDEBUG)
#define SETT_SET(world, entity, T, ...) ((T*)sett_set((world), (entity), T##_id, &(T){__VA_ARGS__}))
#define SETT_CMD_SET(commands, entity, T, ...)                                                     \
    sett_cmd_set((commands), (entity), T##_id, &(T){__VA_ARGS__})
#else
#define SETT_SET(world, entity, T, ...)                                                            \
    ((T*)sett_set_typed_((world), (entity), T##_id, sizeof(T), #T, &(T){__VA_ARGS__}))
#define SETT_CMD_SET(commands, entity, T, ...)                                                     \
    sett_cmd_set_typed_((commands), (entity), T##_id, sizeof(T), #T, &(T){__VA_ARGS__})
#endif

/* A component and its value, for sett_create_with and the like, for as long as the block lasts in
 * which it stands. */
#define SETT_VALUE(T, ...)                                                                         \
    {                                                                                              \
        T##_id, &(const T){__VA_ARGS__}, SETT_VALUE_TYPE_(sizeof(T), #T)                           \
    }

/* Such values in a descriptor. */
#define SETT_VALUES(...)                                                                           \
    .values = (const sett_value[]){__VA_ARGS__},                                                   \
    .value_count = (uint32_t)(sizeof((const sett_value[]){__VA_ARGS__}) / sizeof(sett_value))

/* An entity with these values, at least one. */
#define SETT_CREATE(world, ...)                                                                    \
    sett_create_with((world), (const sett_value[]){__VA_ARGS__},                                   \
                     (uint32_t)(sizeof((const sett_value[]){__VA_ARGS__}) / sizeof(sett_value)))

/* A query of these terms, at least one. With a name: sett_query_create. */
#define SETT_QUERY_CREATE(world, ...)                                                              \
    sett_query_create((world), &(sett_query_desc){.terms = {__VA_ARGS__}})

/* Like SETT_REGISTER and SETT_REGISTER_TAG, with what else the descriptor says: at least one field
 * has to follow. Also in C++20, with the fields in the order of the descriptor; in C++17 fill in
 * SETT_TYPE_DESC(T). */
#define SETT_REGISTER_WITH(world, T, ...)                                                          \
    sett_component_register(                                                                       \
        (world), &(sett_component_desc){SETT_TYPE(T), .mask = SETT_MASK(T), __VA_ARGS__})
#define SETT_REGISTER_TAG_WITH(world, T, ...)                                                      \
    sett_component_register((world),                                                               \
                            &(sett_component_desc){.name = #T, .type_name = #T, __VA_ARGS__})
#endif

/* clang-format off */
/* A component list: each component named once, for its id, its registration and its checks.
 *
 *     #define GAME(COMPONENT, TAG)                                                                \
 *         COMPONENT(Position)                                                                     \
 *         COMPONENT(Burning, .storage = SETT_STORAGE_SPARSE_SET)                                  \
 *         TAG(Player)                                                                             \
 *         TAG(Owns, .relationship = SETT_RELATIONSHIP(.many = true))
 *
 *     SETT_COMPONENTS(GAME)                     in a header: the enumerators Position_id, ...
 *     SETT_REGISTER_ALL(world, GAME);           in each world: returns a sett_status
 *
 * The first id is 1. A second list of the same program begins behind the first:
 * SETT_COMPONENTS_FROM(LEVEL, 200), or any other number below 1,024. Options are fields of
 * sett_component_desc; in C++17 lines take no options: register such a type by itself.
 * SETT_REGISTER_ALL stops at the first type that cannot be registered. */
#define SETT_COMPONENTS(LIST) SETT_COMPONENTS_FROM(LIST, 1)
#define SETT_COMPONENTS_FROM(LIST, first)                                                          \
    enum {                                                                                         \
        LIST##_before_first_ = (first) - 1,                                                        \
        LIST(SETT_LIST_ID_, SETT_LIST_ID_) LIST##_end_                                             \
    };
#if defined(__cplusplus)
#define SETT_REGISTER_ALL(world, LIST)                                                             \
    [](sett_world* sett_world_) {                                                                  \
        sett_component sett_last_ = 1;                                                             \
        LIST(SETT_LIST_CALL_, SETT_LIST_TAG_CALL_)                                                 \
        return sett_last_ != 0 ? SETT_OK : sett_world_error(sett_world_);                          \
    }(world)
#if __cplusplus >= 202002L
#define SETT_LIST_CALL_(...)     SETT_LIST_CALL_FIRST_(__VA_ARGS__, )
#define SETT_LIST_TAG_CALL_(...) SETT_LIST_TAG_CALL_FIRST_(__VA_ARGS__, )
#define SETT_LIST_CALL_FIRST_(T, ...)                                                              \
    if (sett_last_ != 0) {                                                                         \
        SETT_DESIGNATED_(sett_component_desc, sett_desc_, .name = #T, .type_name = #T,             \
                         .size = sizeof(T), .align = SETT_ALIGNOF(T), .mask = SETT_MASK(T),        \
                         .id = T##_id, __VA_ARGS__)                                                \
        sett_last_ = sett_register_value_<T, sett_text_has_hooks_(#__VA_ARGS__),                   \
                                          sett_text_has_(#__VA_ARGS__, ".relationship")>(          \
            sett_world_, sett_desc_);                                                              \
    }
#define SETT_LIST_TAG_CALL_FIRST_(T, ...)                                                          \
    if (sett_last_ != 0) {                                                                         \
        SETT_DESIGNATED_(sett_component_desc, sett_desc_, .name = #T, .type_name = #T,             \
                         .id = T##_id, __VA_ARGS__)                                                \
        sett_last_ = sett_component_register(sett_world_, &sett_desc_);                            \
    }
#else
/* One argument only: options do not compile. */
#define SETT_LIST_CALL_(T)                                                                         \
    if (sett_last_ != 0) {                                                                         \
        sett_component_desc sett_desc_ = SETT_TYPE_DESC(T);                                        \
        sett_desc_.id = T##_id;                                                                    \
        sett_last_ = sett_register_value_<T, false>(sett_world_, sett_desc_);                      \
    }
#define SETT_LIST_TAG_CALL_(T)                                                                     \
    if (sett_last_ != 0) {                                                                         \
        sett_component_desc sett_desc_ = sett_component_desc_make_(#T, #T, 0, 1);                  \
        sett_desc_.id = T##_id;                                                                    \
        sett_last_ = sett_component_register(sett_world_, &sett_desc_);                            \
    }
#endif
#else
#define SETT_REGISTER_ALL(world, LIST)                                                             \
    sett_component_register_list_(                                                                 \
        (world), (const sett_component_desc[]){LIST(SETT_LIST_DESC_, SETT_LIST_TAG_){.name = NULL}})
#define SETT_LIST_DESC_(...)          SETT_LIST_DESC_FIRST_(__VA_ARGS__, )
#define SETT_LIST_DESC_FIRST_(T, ...)                                                              \
    {SETT_TYPE(T), .mask = SETT_MASK(T), .id = T##_id, __VA_ARGS__},
#define SETT_LIST_TAG_(...)           SETT_LIST_TAG_FIRST_(__VA_ARGS__, )
#define SETT_LIST_TAG_FIRST_(T, ...)  {.name = #T, .type_name = #T, .id = T##_id, __VA_ARGS__},
#endif

/* The empty last argument: a variadic macro needs one at least. */
#define SETT_LIST_ID_(...)          SETT_LIST_ID_FIRST_(__VA_ARGS__, )
#define SETT_LIST_ID_FIRST_(T, ...) T##_id,
/* clang-format on */

#endif
