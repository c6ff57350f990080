/* misuse_table.h: what the parts of test_misuse_table.c share: the world in which each misuse is
 * done, and how a part lists its misuses.
 */
#ifndef SETT_TEST_MISUSE_TABLE_H
#define SETT_TEST_MISUSE_TABLE_H

#include "sett/sett.h"
#include "worlds.h"

#include "base/platform.h"

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

typedef struct Matrix {
    float m[16];
} Matrix;

typedef struct Sprite {
    uint32_t layer;
} Sprite;

#define KINDS(COMPONENT, TAG)                                                                      \
    COMPONENT(Position)                                                                            \
    COMPONENT(Velocity)                                                                            \
    COMPONENT(Matrix)                                                                              \
    COMPONENT(Sprite, .storage = SETT_STORAGE_SPARSE_SET, .members = SETT_STRUCT(Sprite, layer))   \
    TAG(Frozen)                                                                                    \
    TAG(Mark, .dont_fragment = true)
SETT_COMPONENTS(KINDS)

typedef struct scene {
    sett_world* world;
    sett_entity e;    /* "ship", with a Position */
    sett_entity f;    /* with Position and Sprite */
    sett_entity dead; /* destroyed */
    sett_component owes;
    sett_query* query; /* of Position, written */
    sett_search* search;
    sett_world* other; /* with the same types; NULL until it is needed */
    sett_commands* own;
    uint32_t lines;
    uint32_t notes; /* lines of SETT_LOG_INFO */
    char log[640];  /* the first report */
} scene;

/* A query of Position in another world, which has one. */
sett_query* misuse_query_elsewhere(scene* s);

#define FAILS(call, expected) CHECK_EQ((call), SETT_STATUS_##expected)
#define IS_NULL(call) CHECK((call) == NULL)
#define NO_ENTITY(call) CHECK(sett_is_null(call))
#define NO_ID(call) CHECK_EQ((call), 0)

typedef enum build {
    EVERY,   /* the call fails in every build */
    CHECKED, /* found only in programs compiled without NDEBUG; else the caller's contract */
    LOGGED   /* the call goes on; debug builds report it */
} build;

typedef struct misuse {
    const char* what;
    const char* returns;
    void (*run)(scene* s);
    build build;
} misuse;

/* The misuses of one subject: a table of docs/misuse.md. */
typedef struct misuse_section {
    const char* title;
    const misuse* rows;
    size_t count;
} misuse_section;

#define MISUSE_SECTION(title, rows)                                                                \
    {                                                                                              \
        title, rows, sizeof(rows) / sizeof((rows)[0])                                              \
    }

extern const misuse_section misuse_values, misuse_structure, misuse_types, misuse_queries,
    misuse_groups, misuse_commands, misuse_systems, misuse_relations, misuse_states, misuse_json,
    misuse_threads;

/* A system that follows links without declaring the relationship: that is no misuse. */
void misuse_follow_links(scene* s);

#endif
