/* abm.h: a model and its run from the inside.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_ABM_INSIDE_H
#define SETT_ABM_INSIDE_H

#include "sett_abm.h"

#include <stdio.h>

/* Where a number lies in the values of a component. */
typedef struct abm_member {
    sett_component component;
    uint32_t offset;
    int kind; /* sett_member_kind */
} abm_member;

/* abm_member.c */

/* Finds "Component.member"; false, with a message, if it is not a number. */
bool setti_abm_member_find(sett_world* world, const char* path, const char* call, abm_member* out);
double setti_abm_member_read(const abm_member* member, const void* value);

/* A query of text, whose terms are not written, and which also requires `required` (0: none), by
 * its term `term`. NULL, with the world's message, on failure. */
sett_query* setti_abm_query(sett_world* world, const char* text, sett_component required,
                            uint32_t* term);

/* Sets the world's failure, logs it in debug builds, and returns `status`. */
sett_status setti_abm_fail(sett_world* world, sett_status status, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
sett_status setti_abm_fail_write(sett_world* world, const char* call, const char* path);

/* abm_run.c */

/* How many parameters or columns a model has. */
uint32_t setti_abm_parameters(const sett_abm_model* model);
uint32_t setti_abm_columns(const sett_abm_model* model);

/* Whether a model can be run; stderr says why not. */
bool setti_abm_check(const sett_abm_model* model);

/* A line on the progress of something, at most one a second, with the time left. */
typedef struct abm_progress {
    const char* name;
    double begin;    /* seconds */
    double printed;  /* the last line */
    uint64_t before; /* done at the beginning */
} abm_progress;

double setti_abm_seconds(void);
void setti_abm_progress(abm_progress* progress, uint64_t done, uint64_t all);

#endif
