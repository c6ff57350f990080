/* fuzz_search.c: texts of searches that may be anything. What is parsed is printed, parsed again,
 * printed again, run and explained; both texts have to be the same, and both searches have as many
 * results. */
#include "sett/sett.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_CHECK(condition, text)                                                                \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, (text));            \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

typedef struct Cargo {
    int32_t n;
    float f;
    bool on;
    char text[8];
    sett_entity of;
    uint64_t large;
} Cargo;

static sett_world* fuzz_world(void)
{
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    FUZZ_CHECK(world != NULL, "");
    sett_component A = sett_component_register(world, &(sett_component_desc){.name = "A"});
    sett_component Cargo_id = SETT_REGISTER(world, Cargo);
    FUZZ_CHECK(SETT_MEMBERS(world, Cargo, n, f, on, text, of, large) == SETT_OK, "");
    sett_component one =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "One"});
    sett_component many =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Many", .many = true});
    sett_entity e[5];
    for (uint32_t k = 0; k < 5; k++) {
        e[k] = sett_entity_create(world);
        (void)sett_name_set(world, e[k], (const char[2]){(char)('a' + k), '\0'});
    }
    for (uint32_t k = 0; k < 4; k++) {
        (void)sett_relate(world, e[k], k % 2 != 0 ? one : many, e[(k + 1) % 3]);
        (void)sett_add(world, e[k], A);
    }
    (void)sett_set(world, e[1], Cargo_id, &(Cargo){.n = 3, .of = e[2]});
    (void)sett_hierarchy_attach(world, e[3], e[0]);
    (void)sett_hierarchy_attach(world, e[4], e[3]);
    return world;
}

/* At most some blocks: five entities in 32 variables are more results than there is time for. */
static uint64_t fuzz_count(sett_search* search)
{
    uint64_t count = 0;
    sett_rows rows;
    FUZZ_CHECK(sett_search_begin(search, &rows) != NULL, "");
    for (uint32_t block = 0; block < 4 && sett_rows_next(&rows); block++) {
        count += rows.count;
    }
    sett_search_end(&rows);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static char once[20000], twice[20000], plan[2000];
    char* text = malloc(size + 1);
    FUZZ_CHECK(text != NULL, "");
    memcpy(text, data, size);
    text[size] = '\0';
    sett_world* world = fuzz_world();
    sett_query_desc desc;
    if (sett_query_parse(world, text, &desc) == SETT_OK) {
        desc.name = "fuzzed";
        (void)sett_query_create(world, &desc);
    }
    sett_search* search = sett_search_create(world, text);
    if (search == NULL) {
        FUZZ_CHECK(strstr(sett_world_message(world), "column ") != NULL, text);
    } else if (sett_search_print(search, once, sizeof(once)) < sizeof(once)) {
        sett_search* again = sett_search_create(world, once);
        FUZZ_CHECK(again != NULL, once);
        sett_search_print(again, twice, sizeof(twice));
        FUZZ_CHECK(strcmp(once, twice) == 0, once);
        uint32_t variables = sett_search_variable_count(search);
        FUZZ_CHECK(variables == sett_search_variable_count(again), once);
        if (variables <= 4) {
            FUZZ_CHECK(fuzz_count(search) == fuzz_count(again), once);
        }
        (void)sett_search_explain(again, plan, sizeof(plan));
    }
    sett_world_destroy(world);
    free(text);
    return 0;
}
