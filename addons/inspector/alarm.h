/* alarm.h: conditions that are looked at after each frame; see alarm.c. */
#ifndef INSPECTOR_ALARM_H
#define INSPECTOR_ALARM_H

#include "sett/search.h"
#include "sett/trend.h"

#define ALARM_MOST 32
#define ALARM_TEXT 400  /* bytes of a condition */
#define ALARM_HITS 1024 /* that are stored */

typedef enum alarm_kind {
    ALARM_QUERY,
    ALARM_ENTITIES,
    ALARM_FRAME
} alarm_kind;

typedef enum alarm_action {
    ALARM_MARKS,
    ALARM_LOGS,
    ALARM_PAUSES
} alarm_action;

typedef struct inspector_alarm {
    char text[ALARM_TEXT];
    alarm_kind kind;
    alarm_action action;
    bool below;          /* true while the number is below the limit, not above it */
    bool was_true;       /* in the last frame */
    bool slow;           /* it took too long: it is not asked any more */
    double limit;        /* entities, or milliseconds */
    sett_search* search; /* of a query */
    uint32_t number;     /* of all that were added */
} inspector_alarm;

typedef struct alarm_hit {
    uint64_t frame;
    uint32_t alarm; /* its number */
} alarm_hit;

typedef struct alarms {
    inspector_alarm item[ALARM_MOST];
    uint32_t count, added;
    alarm_hit hit[ALARM_HITS];
    uint64_t hits; /* of all time */
    uint64_t last; /* nanoseconds: when the last frame ended */
    uint64_t span; /* since the one before */
    sett_trend trend;
} alarms;

#endif
