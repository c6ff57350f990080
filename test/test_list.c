/* test_list.c: NULL where a call or a descriptor wants a list, with a count that is not 0: the call
 * is rejected, a debug build says so, and the world is as it was. A buffer of NULL has no room. The
 * headers are read, so that no function and no field is left out. */
#include "prototypes.h"
#include "sett/sett.h"
#include "worlds.h"

typedef struct Mass {
    uint32_t value;
} Mass;

#define KINDS(COMPONENT, TAG) COMPONENT(Mass, .members = SETT_STRUCT(Mass, value))
SETT_COMPONENTS(KINDS)

typedef struct scene {
    sett_world* world;
    sett_entity entity;
    sett_commands* own;
    sett_query* query;
    uint32_t lines; /* reports of NULL */
    sett_world* other;
    sett_search* search;
    sett_lookup* lookup;
    sett_lookup* ordered;
    sett_queue* queue;
    sett_snapshot before, after;
} scene;

static void hear(void* user, sett_log_level level, const char* message)
{
    scene* s = user;
    s->lines += level == SETT_LOG_ERROR && strstr(message, "is NULL") != NULL;
}

static void do_nothing(sett_world* world, void* data)
{
    (void)world, (void)data;
}

static bool write_nothing(void* user, const char* text, size_t size)
{
    (void)user, (void)text, (void)size;
    return true;
}

static const char path[] = "test_list.sett";

static sett_status flight_write(const scene* s)
{
    sett_flight* flight = sett_flight_create(s->world, NULL);
    CHECK(flight != NULL);
    sett_status status = sett_flight_write(flight, SETT_RECORD_INPUT, 0, NULL, 8);
    sett_flight_destroy(flight);
    return status;
}

static sett_status journal_write(scene* s)
{
    sett_journal* journal = sett_journal_create(s->world, path, NULL);
    CHECK(journal != NULL);
    sett_status status = sett_journal_write(journal, SETT_RECORD_PROGRAM, 0, NULL, 8);
    CHECK_EQ(sett_journal_destroy(journal), SETT_OK);
    return status;
}

#define ARGUMENT(call) ((call) == SETT_STATUS_ARGUMENT)

/* A function, and whether its call is rejected. */
#define CALLS(X)                                                                                   \
    X(sett_create_with, sett_is_null(sett_create_with(s->world, NULL, 2)))                         \
    X(sett_entity_create_many,                                                                     \
      ARGUMENT(sett_entity_create_many(s->world, 2, NULL, 2, NULL, NULL)))                         \
    X(sett_entity_destroy_many, ARGUMENT(sett_entity_destroy_many(s->world, NULL, 2)))             \
    X(sett_cmd_instantiate_tree,                                                                   \
      sett_cmd_instantiate_tree(sett_commands_here(s->world), s->entity, NULL, 2) == 0)            \
    X(sett_find_many, sett_find_many(s->world, NULL, 2, Mass_id, found) == 0)                      \
    X(sett_find_many, sett_find_many(s->world, &s->entity, 1, Mass_id, NULL) == 0)                 \
    X(sett_find_many_mut, sett_find_many_mut(s->world, NULL, 2, Mass_id, found_mut) == 0)          \
    X(sett_find_many_mut, sett_find_many_mut(s->world, &s->entity, 1, Mass_id, NULL) == 0)         \
    X(sett_add_many, ARGUMENT(sett_add_many(s->world, NULL, 2, Mass_id)))                          \
    X(sett_set_many, ARGUMENT(sett_set_many(s->world, NULL, 2, Mass_id, &mass)))                   \
    X(sett_remove_many, ARGUMENT(sett_remove_many(s->world, NULL, 2, Mass_id)))                    \
    X(sett_cmd_call, ARGUMENT(sett_cmd_call(s->own, do_nothing, NULL, 8)))                         \
    X(sett_cmd_create_many, ARGUMENT(sett_cmd_create_many(s->own, 2, NULL, 2, NULL, NULL)))        \
    X(sett_query_write, sett_query_write(s->query, 0, NULL, 1) == 0)                               \
    X(sett_state_apply, ARGUMENT(sett_state_apply(s->world, NULL, 8, 1000)))                       \
    X(sett_journal_write, ARGUMENT(journal_write(s)))                                              \
    X(sett_flight_write, ARGUMENT(flight_write(s)))                                                \
    X(sett_hierarchy_order, ARGUMENT(sett_hierarchy_order(s->world, s->entity, NULL, 2)))          \
    X(sett_json_read_sized, ARGUMENT(sett_json_read(s->world, NULL, 8, NULL, NULL)))               \
    X(sett_json_set, ARGUMENT(sett_json_set(s->world, s->entity, Mass_id, NULL, 8)))               \
    X(sett_delta_apply, ARGUMENT(sett_delta_apply(s->world, NULL, 8)))                             \
    X(sett_selection_apply, ARGUMENT(sett_selection_apply(s->world, NULL, 8, NULL)))               \
    X(sett_delta_types, ARGUMENT(sett_delta_types(s->world, NULL, 2, NULL, 0, &measured)))         \
    X(sett_delta_shorten,                                                                          \
      ARGUMENT(sett_delta_shorten(s->world, NULL, 8, NULL, 0, NULL, 0, &measured)))                \
    X(sett_delta_shorten,                                                                          \
      ARGUMENT(sett_delta_shorten(s->world, NULL, 0, NULL, 8, NULL, 0, &measured)))                \
    X(sett_delta_expand,                                                                           \
      ARGUMENT(sett_delta_expand(s->world, NULL, 8, NULL, 0, NULL, 0, &measured)))                 \
    X(sett_delta_expand,                                                                           \
      ARGUMENT(sett_delta_expand(s->world, NULL, 0, NULL, 8, NULL, 0, &measured)))                 \
    X(sett_json_write_sized,                                                                       \
      ARGUMENT(sett_json_write(s->world, &(sett_json_desc){.component_count = 2}, write_nothing,   \
                               NULL)))                                                             \
    X(sett_instantiate_with_sized,                                                                 \
      sett_is_null(sett_instantiate_with(                                                          \
          s->world, &(sett_instantiate_desc){.prefab = s->entity, .value_count = 2})))             \
    X(sett_instantiate_with_sized,                                                                 \
      sett_is_null(sett_instantiate_with(                                                          \
          s->world, &(sett_instantiate_desc){.prefab = s->entity, .base_count = 1})))              \
    X(sett_component_register_sized,                                                               \
      sett_component_register(s->world,                                                            \
                              &(sett_component_desc){.name = "A", .required_count = 2}) == 0)      \
    X(sett_component_register_sized,                                                               \
      sett_component_register(                                                                     \
          s->world, &(sett_component_desc){.name = "A", .size = 8, .entity_offset_count = 1}) ==   \
          0)                                                                                       \
    X(sett_component_register_sized,                                                               \
      sett_component_register(                                                                     \
          s->world, &(sett_component_desc){.name = "A", .size = 8, .byte_count = 1}) == 0)         \
    X(sett_component_register_sized,                                                               \
      sett_component_register(s->world,                                                            \
                              &(sett_component_desc){.name = "A", .old_name_count = 1}) == 0)      \
    X(sett_relationship_register_sized,                                                            \
      sett_relationship_register(                                                                  \
          s->world,                                                                                \
          &(sett_relationship_desc){.name = "A", .size = 8, .entity_offset_count = 1}) == 0)       \
    X(sett_search_create_sized,                                                                    \
      sett_search_create_desc(s->world, &(sett_search_desc){.term_count = 2}) == NULL)             \
    X(sett_world_save_with,                                                                        \
      ARGUMENT(sett_world_save_with(s->world, path, &(sett_file_desc){.user_size = 8})))           \
    X(sett_world_merge_sized,                                                                      \
      ARGUMENT(sett_world_merge(s->world, path, &(sett_merge_desc){.type_count = 2}, NULL)))       \
    X(sett_world_merge_sized,                                                                      \
      ARGUMENT(sett_world_merge(s->world, path, &(sett_merge_desc){.raw_count = 1}, NULL)))        \
    X(sett_selection_hash,                                                                         \
      ARGUMENT(sett_selection_hash(s->world, &(sett_selection){.entity_count = 2}, true, &sum)))   \
    X(sett_selection_hash,                                                                         \
      ARGUMENT(sett_selection_hash(s->world, &(sett_selection){.type_count = 2}, true, &sum)))     \
    X(sett_selection_hash,                                                                         \
      ARGUMENT(sett_selection_hash(s->world, &(sett_selection){.before_count = 2}, true, &sum)))

/* A function with a buffer, and what it returns or writes to *measured of `size` bytes at NULL. */
#define BUFFERS(X)                                                                                 \
    X(sett_advise, sett_advise(s->world, NULL, (uint32_t)size))                                    \
    X(sett_entity_components, sett_entity_components(s->world, s->entity, NULL, (uint32_t)size))   \
    X(sett_commands_describe, sett_commands_describe(s->own, NULL, size))                          \
    X(sett_query_explain, sett_query_explain(s->query, NULL, size))                                \
    X(sett_lookup_find, sett_lookup_find(s->lookup, &(Mass){5}, NULL, (uint32_t)size))             \
    X(sett_lookup_range, sett_lookup_range(s->ordered, NULL, NULL, 0, NULL, (uint32_t)size))       \
    X(sett_query_read, sett_query_read(s->query, 0, NULL, (uint32_t)size))                         \
    X(sett_entity_describe, sett_entity_describe(s->world, s->entity, NULL, size))                 \
    X(sett_value_describe, sett_value_describe(s->world, s->entity, Mass_id, NULL, size))          \
    X(sett_entity_describe_values, sett_entity_describe_values(s->world, s->entity, NULL, size))   \
    X(sett_state_encode, (sett_state_encode(s->world, NULL, size, &measured), measured))           \
    X(sett_delta_types, (sett_delta_types(s->world, NULL, 0, NULL, size, &measured), measured))    \
    X(sett_file_info_get, (sett_file_info_get(path, NULL, NULL, size, &info), info.user_size))     \
    X(sett_json_format_sized, sett_json_format(s->world, NULL, NULL, size))                        \
    X(sett_json_format_value, sett_json_format_value(s->world, s->entity, Mass_id, NULL, size))    \
    X(sett_layout_describe, sett_layout_describe(s->world, NULL, size))                            \
    X(sett_name_path, sett_name_path(s->world, s->entity, NULL, size))                             \
    X(sett_queue_take, sett_queue_take(s->queue, NULL, (uint32_t)size))                            \
    X(sett_random_shuffle, sett_random_shuffle(s->query, 1, 1, 1, NULL, (uint32_t)size))           \
    X(sett_search_print, sett_search_print(s->search, NULL, size))                                 \
    X(sett_search_explain, sett_search_explain(s->search, NULL, size))                             \
    X(sett_world_difference, sett_world_difference(s->world, s->other, NULL, size))                \
    X(sett_delta_encode,                                                                           \
      (sett_delta_encode(s->world, s->before, s->after, NULL, size, &measured), measured))         \
    X(sett_selection_difference, sett_selection_difference(s->world, s->other, &mass, NULL, size)) \
    X(sett_selection_encode,                                                                       \
      (sett_selection_encode(s->world, &mass, (sett_snapshot){0}, NULL, size, &measured),          \
       measured))                                                                                  \
    X(sett_schedule_describe, sett_schedule_describe(s->world, NULL, size))                        \
    X(sett_schedule_suggest, sett_schedule_suggest(s->world, NULL, size))

#define CALL_NAME(name, call) #name,
#define CALL_TEXT(name, call) #call,
static const char* const names[] = {CALLS(CALL_NAME) BUFFERS(CALL_NAME)};
static const char* const texts[] = {CALLS(CALL_TEXT)};
#define CALL_ROWS (sizeof(texts) / sizeof(texts[0]))
#define ROWS (sizeof(names) / sizeof(names[0]))

/* Whether the call of a row is rejected. */
static bool do_call(scene* s, uint32_t row)
{
    const void* found[2];
    void* found_mut[2];
    static const Mass mass[2] = {{1}, {2}};
    uint64_t sum;
    size_t measured;
    uint32_t at = 0;
#define CALL_DO(name, call)                                                                        \
    if (at++ == row) {                                                                             \
        return call;                                                                               \
    }
    CALLS(CALL_DO)
    return false;
}

static void begin(scene* s)
{
    s->world = sett_world_create(&(sett_world_desc){.log_fn = hear, .hook_user = s});
    CHECK_EQ(SETT_REGISTER_ALL(s->world, KINDS), SETT_OK);
    s->entity = SETT_CREATE(s->world, SETT_VALUE(Mass, 3));
    CHECK_EQ(sett_name_set(s->world, s->entity, "rock"), SETT_OK);
    s->own = sett_commands_here(s->world);
    s->query = SETT_QUERY_CREATE(s->world, SETT_INOUT(Mass));
}

static void lists_are_needed(void)
{
    for (uint32_t row = 0; row < CALL_ROWS; row++) {
        scene s = {0};
        begin(&s);
        CHECK_EQ(sett_world_save(s.world, path), SETT_OK);
        uint64_t before = sett_world_hash(s.world);
        CHECK_MSG(do_call(&s, row), "%s, row %u, is not rejected", names[row], row);
#if !defined(NDEBUG)
        CHECK_MSG(s.lines == 1, "%s, row %u: %u reports", names[row], row, s.lines);
#endif
        CHECK(sett_world_hash(s.world) == before);
        CHECK_EQ(sett_commands_count(s.own), 0);
        CHECK_END(s.world);
    }
    remove(path);
}

/* Returns what a row of BUFFERS measures. */
static size_t measure(const scene* s, uint32_t row, size_t size)
{
    const sett_selection mass = {.entities = &s->entity, .entity_count = 1};
    size_t measured = 0;
    sett_file_info info;
    uint32_t at = 0;
#define BUFFER_DO(name, call)                                                                      \
    if (at++ == row) {                                                                             \
        return call;                                                                               \
    }
    BUFFERS(BUFFER_DO)
    return 0;
}

static void buffers_are_measured(void)
{
    static const sett_file_desc user = {.user_block = "mine", .user_size = 4};
    for (uint32_t row = 0; row < ROWS - CALL_ROWS; row++) {
        scene s = {0};
        begin(&s);
        s.other = quiet_world();
        CHECK_EQ(SETT_REGISTER_ALL(s.other, KINDS), SETT_OK);
        s.search = sett_search_create(s.world, "Mass");
        s.lookup = sett_lookup_create(s.world, Mass_id, "value");
        s.ordered = sett_lookup_create_ordered(s.world, Mass_id, "value");
        s.queue = sett_queue_create(s.world, &(sett_observer_desc){.component = Mass_id});
        CHECK_EQ(sett_snapshot_take(s.world, &s.before), SETT_OK);
        CHECK(SETT_SET(s.world, s.entity, Mass, 5) != NULL);
        CHECK_EQ(sett_snapshot_take(s.world, &s.after), SETT_OK);
        CHECK_EQ(sett_world_save_with(s.world, path, &user), SETT_OK);
        CHECK_EQ(sett_cmd_remove(s.own, s.entity, Mass_id), SETT_OK);
        size_t all = measure(&s, row, 0);
        const char* name = names[CALL_ROWS + row];
        CHECK_MSG(all != 0 || strcmp(name, "sett_advise") == 0 ||
                      strcmp(name, "sett_layout_describe") == 0 ||
                      strcmp(name, "sett_schedule_suggest") == 0,
                  "%s measures nothing", name);
        CHECK_MSG(measure(&s, row, 1000) == all, "%s has room in NULL", name);
        CHECK_EQ(s.lines, 0);
        sett_commands_clear(s.own);
        sett_snapshot_drop_all(s.world);
        CHECK_END(s.other);
        CHECK_END(s.world);
    }
    remove(path);
}

/* -------------------------------------------------------------------------------- the headers */

/* Whether a parameter is the count of a list, or the size of a buffer. */
static bool is_count(const char* parameter)
{
    char type[80];
    char word[80];
    return sscanf(parameter, " %79s %79s", type, word) == 2 &&
           (strcmp(type, "uint32_t") == 0 || strcmp(type, "size_t") == 0) &&
           (strstr(word, "count") != NULL || strstr(word, "size") != NULL ||
            strcmp(word, "capacity") == 0);
}

/* Whether a parameter is a pointer, but none to an object or to a struct with a size of its own. */
static bool is_list(const char* parameter)
{
    static const char* const others[] = {"sett_world*", "sett_context*", "sett_sparse_set*",
                                         "sett_list*",  "desc*",         "options*",
                                         "stats*",      "void* memory",  "sett_term* term"};
    bool list = strchr(parameter, '*') != NULL;
    for (uint32_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
        list = list && strstr(parameter, others[k]) == NULL;
    }
    return list;
}

static uint32_t lists;

static void check_function(const prototype* of)
{
    char before[160] = "";
    bool wants = false;
    for (const char* from = of->parameters; *from != '\0' && !wants;) {
        char one[160];
        size_t size = strcspn(from, ",");
        snprintf(one, sizeof(one), "%.*s", (int)size, from);
        wants = is_count(one) && is_list(before);
        snprintf(before, sizeof(before), "%s", one);
        from += from[size] == ',' ? size + 1 : size;
    }
    bool listed = false;
    for (uint32_t k = 0; k < ROWS && !listed; k++) {
        listed = strcmp(names[k], of->name) == 0;
    }
    CHECK_MSG(!wants || listed, "%s takes a list: add it to CALLS", of->name);
    lists += wants;
}

static void every_list_is_here(void)
{
    prototypes_each(check_function);
    CHECK_MSG(lists >= 40, "%u functions have a list or a buffer", lists);
}

static uint32_t counts;

/* The counts and sizes in a descriptor or a selection. */
static void check_fields(const char* from, const char* end)
{
    while (from < end) {
        size_t size = strcspn(from, ";");
        char field[80] = "";
        char wanted[100];
        const char* word = from + size;
        while (word > from && word[-1] != ' ') {
            word--;
        }
        snprintf(field, sizeof(field), "%.*s", (int)(from + size - word), word);
        snprintf(wanted, sizeof(wanted), ".%s =", field);
        bool list = strstr(field, "_count") != NULL || strcmp(field, "user_size") == 0;
        bool listed = false;
        for (uint32_t k = 0; k < CALL_ROWS && !listed; k++) {
            listed = strstr(texts[k], wanted) != NULL;
        }
        CHECK_MSG(!list || listed, "%s counts a list: add it to CALLS", field);
        counts += list;
        from += size + 1;
    }
}

static void check_structs(const char* text)
{
    static const char begins[] = "typedef struct sett_";
    for (const char* at = strstr(text, begins); at != NULL; at = strstr(at + 1, begins)) {
        size_t size = strcspn(at, "{;");
        const char* open = at + size;
        char head[80];
        snprintf(head, sizeof(head), "%.*s", (int)size, at);
        if (*open == '{' && (strstr(head, "_desc ") != NULL || strstr(head, "selection") != NULL)) {
            check_fields(open + 1, strchr(open, '}'));
        }
    }
}

static void every_count_in_a_descriptor_is_here(void)
{
    prototypes_headers(check_structs);
    CHECK_MSG(counts >= 12, "%u fields count a list", counts);
}

TEST_MAIN(TEST(lists_are_needed), TEST(buffers_are_measured), TEST(every_list_is_here),
          TEST(every_count_in_a_descriptor_is_here))
