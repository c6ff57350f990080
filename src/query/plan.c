/* plan.c: which storage drives a loop.
 *
 * Measured (a million entities, P += V * dt, ns per match, V on a share of them):
 *
 *     share of V                1 %    5 %    10 %   25 %   50 %
 *     AND of the occupancy      15     6.5    4.9    2.2    1.2
 *     packed V drives           2.1    4.0    3.0    1.7    1.4      in the order of ids; about 4
 *     when shuffled
 *
 * so a packed set drives while it has less than a fifth of the entities, and always when there is
 * no matrix to intersect.
 */
#include "query/query.h"

uint32_t setti_plan_driver(const sett_query* query)
{
    uint32_t driver = SETT_QUERY_TERMS;
    bool matrix = false;
    for (uint32_t k = 0; k < query->term_count; k++) {
        const setti_term* term = &query->term[k];
        if (term->kind != SETT_WITH) {
            continue;
        }
        if (term->type->storage.kind != SETTI_PACKED) {
            matrix = true;
        } else if (driver == SETT_QUERY_TERMS ||
                   term->type->storage.count < query->term[driver].type->storage.count) {
            driver = k;
        }
    }
    if (driver != SETT_QUERY_TERMS && matrix &&
        (uint64_t)query->term[driver].type->storage.count * 5 >=
            setti_entity_count(&query->world->entities)) {
        driver = SETT_QUERY_TERMS;
    }
    return driver;
}
