/* macros.c: every macro of the public headers as a user's file has them. tools/check_headers.sh
 * compiles it as C11, C++17 and C++20 with every warning an error; nothing runs it. */
#include <sett/sett.h>
#include <sett/singleton.h>
#include <sett/system.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

enum {
    Position_id = 1,
    Velocity_id,
    Frozen_id
};

/* ---- Loops ----------------------------------------------------------------------------------- */

uint32_t nested(sett_query* query);
uint32_t nested(sett_query* query)
{
    uint32_t pairs = 0;
    /* two on one line */
    /* clang-format off */
    SETT_FOR(query, a, i) { pairs += a->base + i; } SETT_FOR(query, a, i) { pairs += i; }
    /* clang-format on */
    SETT_FOR(query, a, i) {
        SETT_FOR(query, b, j) {
            pairs += sett_batch_index(a, i) == sett_batch_index(b, j);
        }
        if (pairs > 100) {
            return pairs;
        }
    }
    SETT_QUERY_EACH(query, a) {
        SETT_EACH(a, i) {
            SETT_QUERY_EACH(query, b) {
                SETT_EACH_RUN(b, j) {
                    pairs += i == j;
                }
            }
        }
    }
    return pairs;
}

void move(sett_context* context);
void move(sett_context* context)
{
    SETT_SYSTEM_FOR(context, b, i) {
        SETT_FIELD_MUT(b, 0, Position)[i].x += SETT_FIELD(b, 1, Velocity)[i].x * context->dt;
    }
    SETT_SYSTEM_EACH(context, b) {
        Position* p = SETT_FIELD_MUT(b, 0, Position);
        SETT_EACH(b, i) {
            p[i].x += context->dt;
        }
    }
}
