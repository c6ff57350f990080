/* 03_queries.c: which entities a loop visits, and how it finds them.
 *
 * A shop: goods have a price, some are on sale, some are hidden. */
#include "sett/sett.h"

#include <stdio.h>

typedef struct Price {
    int cents;
} Price;

typedef struct Sale {
    int percent;
} Sale;

/* Few goods are on sale: a sparse set finds them without looking at the others. */
#define SHOP(COMPONENT, TAG)                                                                       \
    COMPONENT(Price, .track_rows = true)                                                           \
    COMPONENT(Sale, .storage = SETT_STORAGE_SPARSE_SET)                                            \
    TAG(Hidden)
SETT_COMPONENTS(SHOP)

static void explain(sett_query* query)
{
    char text[512];
    sett_query_explain(query, text, sizeof text);
    printf("  %s\n", text);
}

int main(void)
{
    sett_world* world = sett_world_create(NULL);
    SETT_REGISTER_ALL(world, SHOP);

    for (int k = 0; k < 10000; k++) {
        sett_entity good = sett_entity_create(world);
        SETT_SET(world, good, Price, .cents = 100 + k);
        if (k % 100 == 0) {
            SETT_SET(world, good, Sale, .percent = 20);
        }
        if (k % 3 == 0) {
            SETT_ADD_TAG(world, good, Hidden);
        }
    }

    /* `with` is the default; a field that may be missing is NULL for the whole batch. */
    sett_query* shown = sett_query_create(
        world,
        &(sett_query_desc){.name = "shown",
                           .terms = {SETT_IN(Price), SETT_OPTIONAL(Sale), SETT_WITHOUT(Hidden)}});
    long total = 0;
    SETT_QUERY_EACH(shown, b) {
        const Price* price = SETT_FIELD(b, 0, Price);
        const Sale* sale = SETT_FIELD(b, 1, Sale);
        SETT_EACH(b, i) {
            total += sale != NULL ? price[i].cents * (100 - sale[i].percent) / 100 : price[i].cents;
        }
    }
    printf("%u goods are shown, for %ld cents\n", (unsigned)sett_query_count(shown), total);
    explain(shown);

    sett_query* bargains = sett_query_create(
        world, &(sett_query_desc){.name = "bargains", .terms = {SETT_IN(Sale), SETT_INOUT(Price)}});
    uint64_t before = sett_world_tick(world);
    sett_world_advance_tick(world); /* what is written from here on is newer than `before` */
    SETT_FOR(bargains, b, i) {
        SETT_FIELD_MUT(b, 1, Price)[i].cents -= 10;
    }
    explain(bargains);

    sett_query* changed = SETT_QUERY_CREATE(world, SETT_CHANGED(Price));
    sett_query_set_since(changed, before);
    printf("%u prices have changed\n", (unsigned)sett_query_count(changed));
    sett_world_destroy(world);
    return 0;
}
