/* abm_run.c: one run of a model.
 *
 * The workload: a run of a millisecond to some hours; a scan makes a thousand of them on several
 * threads. A run has its world, its memory and its table, and nothing of it is shared.
 */
#include "../argument.h"
#include "abm.h"

#include "sett/state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

uint32_t setti_abm_parameters(const sett_abm_model* model)
{
    uint32_t count = 0;
    while (count < SETT_ABM_PARAMETERS && model->parameters[count].name != NULL) {
        count++;
    }
    return count;
}

uint32_t setti_abm_columns(const sett_abm_model* model)
{
    uint32_t count = 0;
    while (count < SETT_ABM_COLUMNS && model->columns[count].name != NULL) {
        count++;
    }
    return count;
}

bool setti_abm_check(const sett_abm_model* model)
{
    bool good = model != NULL && model->name != NULL && model->begin != NULL && model->step != NULL;
    if (!good) {
        fprintf(stderr,
                "sett::abm: `name`, `begin` or `step` of a model is NULL - set all three\n");
    }
    return good;
}

double setti_abm_seconds(void)
{
    struct timespec now;
    return timespec_get(&now, TIME_UTC) != 0 ? (double)now.tv_sec + (double)now.tv_nsec * 1e-9 : 0;
}

void setti_abm_progress(abm_progress* p, uint64_t done, uint64_t all)
{
    double now = setti_abm_seconds();
    if (p->begin == 0) {
        p->begin = p->printed = now;
        p->before = done;
    }
    if (now - p->printed < 1 && done < all) {
        return;
    }
    p->printed = now;
    double left =
        done > p->before ? (now - p->begin) * (double)(all - done) / (double)(done - p->before) : 0;
    fprintf(stderr, "%s: %llu of %llu, %.0f s left%s", p->name, (unsigned long long)done,
            (unsigned long long)all, left, done < all ? "   \r" : "   \n");
    fflush(stderr);
}

/* What a run consists of, besides the program's part of it. */
typedef struct abm_state {
    const sett_abm_model* model;
    const sett_abm_options* options;
    sett_abm run;
    sett_abm_table* table;
} abm_state;

/* Prints what failed, and why (""). */
static sett_status abm_state_fail(const abm_state* s, sett_status status, const char* what,
                                  const char* why)
{
    fprintf(stderr, "sett::abm: %s, seed %llu: %s%s%s\n", s->model->name,
            (unsigned long long)s->run.seed, what, *why != '\0' ? ": " : "", why);
    return status;
}

static sett_status abm_state_picture(abm_state* s)
{
    char path[1024];
    const char* form = s->options->pictures;
    const char* place = strchr(form, '%');
    if (s->model->picture == NULL) {
        return abm_state_fail(s, SETT_STATUS_ARGUMENT,
                              "`pictures` is set, but not `picture` of the model - set both", "");
    }
    if (place == NULL || strchr(place + 1, '%') != NULL ||
        (strncmp(place, "%u", 2) != 0 && strncmp(place, "%06u", 4) != 0)) {
        return abm_state_fail(s, SETT_STATUS_ARGUMENT,
                              "`pictures` does not have one %u or %06u, for the step", form);
    }
    int length = (int)(place - form);
    const char* after = place + (place[1] == 'u' ? 2 : 4);
    snprintf(path, sizeof(path), place[1] == 'u' ? "%.*s%llu%s" : "%.*s%06llu%s", length, form,
             (unsigned long long)s->run.step, after);
    sett_status status = sett_abm_picture_write(s->run.world, s->model->picture, path);
    return status == SETT_OK
               ? SETT_OK
               : abm_state_fail(s, status, "a picture", sett_world_message(s->run.world));
}

/* What is due after so many steps. */
static sett_status abm_state_observe(abm_state* s)
{
    const sett_abm_options* o = s->options;
    uint64_t rows = o->collect_every != 0 ? o->collect_every : 1;
    uint64_t pictures = o->picture_every != 0 ? o->picture_every : 1;
    bool last = s->run.step == s->model->steps;
    sett_status status = SETT_OK;
    if (last || (o->table != NULL && s->run.step % rows == 0)) {
        status = sett_abm_table_collect(s->table, s->run.step);
    }
    if (status == SETT_OK && o->pictures != NULL && (last || s->run.step % pictures == 0)) {
        status = abm_state_picture(s);
    }
    return status;
}

/* Goes to a step. Each agent draws numbers in it, for which two thirds of the work are here. */
static void abm_state_go_to(abm_state* s, uint64_t step)
{
    s->run.step = step;
    for (uint32_t use = 0; use < SETT_ABM_KEYS_; use++) {
        s->run.key_[use] = sett_random_key(s->run.seed, step, use);
    }
}

static sett_status abm_state_begin(abm_state* s)
{
    s->run.data = calloc(1, s->model->data_size + 1);
    s->run.world = sett_world_create(NULL);
    if (s->run.data == NULL || s->run.world == NULL) {
        return abm_state_fail(s, SETT_STATUS_OUT_OF_MEMORY, "memory ran out - use fewer threads",
                              "");
    }
    if (!s->model->begin(&s->run)) {
        return abm_state_fail(s, SETT_STATUS_INVALID, "`begin` returned false",
                              sett_world_message(s->run.world));
    }
    s->table = sett_abm_table_create(s->run.world, s->model->columns, s->run.data);
    return s->table != NULL ? SETT_OK
                            : abm_state_fail(s, sett_world_error(s->run.world), "its columns",
                                             sett_world_message(s->run.world));
}

static sett_status abm_state_play(abm_state* s)
{
    abm_progress progress = {.name = s->model->name};
    sett_status status = abm_state_observe(s);
    while (status == SETT_OK && s->run.step < s->model->steps) {
        if (s->options->progress) {
            setti_abm_progress(&progress, s->run.step, s->model->steps);
        }
        s->model->step(&s->run);
        abm_state_go_to(s, s->run.step + 1);
        status = abm_state_observe(s);
    }
    if (s->options->progress) {
        setti_abm_progress(&progress, s->run.step, s->model->steps);
    }
    return status;
}

static sett_status abm_state_write(abm_state* s)
{
    char head[1024];
    const char* version = s->model->version != NULL ? s->model->version : "";
    int at = snprintf(head, sizeof(head), "%s%s%s, seed %llu, %llu steps", s->model->name,
                      *version != '\0' ? " " : "", version, (unsigned long long)s->run.seed,
                      (unsigned long long)s->model->steps);
    for (uint32_t k = 0; k < setti_abm_parameters(s->model); k++) {
        if (at > 0 && (size_t)at < sizeof(head)) {
            at += snprintf(head + at, sizeof(head) - (size_t)at, ", %s %.17g",
                           s->model->parameters[k].name, s->run.parameters[k]);
        }
    }
    sett_status status = sett_abm_table_write(s->table, s->options->table, head);
    return status == SETT_OK
               ? SETT_OK
               : abm_state_fail(s, status, "its table", sett_world_message(s->run.world));
}

static sett_status abm_state_result(const abm_state* s, sett_abm_result* result)
{
    *result = (sett_abm_result){.seed = s->run.seed};
    memcpy(result->parameters, s->run.parameters, sizeof(result->parameters));
    uint32_t last = sett_abm_table_rows(s->table) - 1;
    for (uint32_t k = 0; k < setti_abm_columns(s->model); k++) {
        result->values[k] = sett_abm_table_value(s->table, last, k);
    }
    result->hash = sett_world_hash(s->run.world);
    return SETT_OK;
}

sett_status sett_abm_run(const sett_abm_model* model, uint64_t seed, const double* parameters,
                         const sett_abm_options* options, sett_abm_result* result)
{
    static const sett_abm_options none;
    if (ARGUMENT_IS_NULL(model) || !setti_abm_check(model)) {
        return SETT_STATUS_ARGUMENT;
    }
    abm_state s = {.model = model,
                   .options = options != NULL ? options : &none,
                   .run = {.seed = seed, .user = model->user}};
    for (uint32_t k = 0; k < setti_abm_parameters(model); k++) {
        s.run.parameters[k] = parameters != NULL ? parameters[k] : model->parameters[k].value;
    }
    abm_state_go_to(&s, 0);
    sett_status status = abm_state_begin(&s);
    if (status == SETT_OK) {
        status = abm_state_play(&s);
    }
    if (status == SETT_OK && s.options->table != NULL) {
        status = abm_state_write(&s);
    }
    if (status == SETT_OK && result != NULL) {
        status = abm_state_result(&s, result);
    }
    sett_abm_table_destroy(s.table);
    if (s.run.world != NULL && model->end != NULL) {
        model->end(&s.run);
    }
    (void)sett_world_destroy(s.run.world);
    free(s.run.data);
    return status;
}
