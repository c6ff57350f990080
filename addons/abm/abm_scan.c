/* abm_scan.c: many runs of a model, and the file of their results.
 *
 * The workload: a thousand runs of a millisecond to some minutes, on all processors, which may be
 * interrupted at any moment. Each run has its place among the results, whichever thread makes it.
 * The file gets a line when a run ends; its head says what it is of, and each line ends with a sum
 * of its bytes, so that a line that was cut off is recognised and made again.
 *
 *     # sett scan 1, sir 1, 100 steps, Sett 0.2.0
 *     # infect 0.1 0.2
 *     seed,infect,hash,ill,check
 *     1,0.1,45ac...,31,9e1b22c7
 *
 * Invariant:  `done` of a run is set when its result is complete;  each of these is in the file
 */
#include "../argument.h"
#include "abm.h"

#include "sett/threads.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ABM_LINE_MOST 1024
#define ABM_HEAD_MOST 16384

typedef struct abm_scan {
    const sett_abm_model* model;
    const sett_abm_scan_desc* desc;
    uint32_t axis_parameter[SETT_ABM_PARAMETERS];
    uint32_t axes;
    uint32_t seeds;
    uint32_t count; /* runs */
    uint32_t parameters;
    uint32_t columns;
    sett_abm_result* results;
    bool* done;
    char* head;
    FILE* file; /* NULL: none */
    abm_progress progress;
    uint32_t finished;
    atomic_flag lock; /* of the file, the progress, `finished` and `status` */
    atomic_bool stopped;
    sett_status status;
} abm_scan;

static void abm_scan_lock(abm_scan* s)
{
    while (atomic_flag_test_and_set_explicit(&s->lock, memory_order_acquire)) {
    }
}

static void abm_scan_unlock(abm_scan* s)
{
    atomic_flag_clear_explicit(&s->lock, memory_order_release);
}

/* --------------------------------------------------------------------------------- descriptors */

static sett_status abm_scan_fail(const abm_scan* s, sett_status status, const char* name,
                                 const char* what)
{
    fprintf(stderr, "sett::abm: scan of %s: %s%s%s%s\n", s->model->name, name != NULL ? "\"" : "",
            name != NULL ? name : "", name != NULL ? "\" " : "", what);
    return status;
}

static sett_status abm_scan_fail_write(const abm_scan* s)
{
    return abm_scan_fail(s, SETT_STATUS_FILE, s->desc->path,
                         "cannot be written - check that its folder exists, and that the disk has "
                         "room");
}

static sett_status abm_scan_take(abm_scan* s)
{
    uint64_t count = s->seeds;
    s->parameters = setti_abm_parameters(s->model);
    s->columns = setti_abm_columns(s->model);
    for (; s->axes < SETT_ABM_PARAMETERS && s->desc->axes[s->axes].parameter != NULL; s->axes++) {
        const sett_abm_axis* axis = &s->desc->axes[s->axes];
        uint32_t k = 0;
        while (k < s->parameters && strcmp(s->model->parameters[k].name, axis->parameter) != 0) {
            k++;
        }
        if (k == s->parameters) {
            return abm_scan_fail(s, SETT_STATUS_ARGUMENT, axis->parameter,
                                 "is no parameter of the model - name a parameter in the axis");
        }
        if (axis->values == NULL || axis->count == 0) {
            return abm_scan_fail(s, SETT_STATUS_ARGUMENT, axis->parameter,
                                 "has no values in its axis - set `values` and `count`");
        }
        s->axis_parameter[s->axes] = k;
        count *= axis->count;
        if (count > UINT32_MAX / 2) {
            return abm_scan_fail(s, SETT_STATUS_ARGUMENT, NULL,
                                 "it has 2^31 runs or more - set fewer seeds or values");
        }
    }
    s->count = (uint32_t)count;
    return SETT_OK;
}

/* Seed and parameters of a run, by its number. */
static void abm_scan_describe(const abm_scan* s, uint32_t number, sett_abm_result* out)
{
    *out = (sett_abm_result){.seed = s->desc->first_seed + number % s->seeds};
    for (uint32_t k = 0; k < s->parameters; k++) {
        out->parameters[k] = s->model->parameters[k].value;
    }
    uint32_t set = number / s->seeds;
    for (uint32_t k = s->axes; k-- > 0;) {
        const sett_abm_axis* axis = &s->desc->axes[k];
        out->parameters[s->axis_parameter[k]] = axis->values[set % axis->count];
        set /= axis->count;
    }
}

/* ---------------------------------------------------------------------------------------- file */

typedef struct abm_text {
    char* bytes;
    size_t size;
    size_t room;
} abm_text;

static void abm_text_add(abm_text* t, const char* form, const char* text, double number)
{
    size_t room = t->room - t->size;
    int length = text != NULL ? snprintf(t->bytes + t->size, room, form, text)
                              : snprintf(t->bytes + t->size, room, form, number);
    t->size += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

/* What a scan is: a file with another head is another scan's. */
static void abm_scan_write_head(abm_scan* s)
{
    const sett_abm_model* m = s->model;
    abm_text t = {s->head, 0, ABM_HEAD_MOST};
    abm_text_add(&t, "# sett scan 1, %s", m->name, 0);
    abm_text_add(&t, " %s", m->version != NULL ? m->version : "", 0);
    abm_text_add(&t, ", %.0f steps", NULL, (double)m->steps);
    abm_text_add(&t, ", seeds from %.0f", NULL, (double)s->desc->first_seed);
    abm_text_add(&t, ": %.0f", NULL, s->seeds);
    char version[64];
    snprintf(version, sizeof(version), "%d.%d.%d", SETT_VERSION_MAJOR, SETT_VERSION_MINOR,
             SETT_VERSION_PATCH);
    abm_text_add(&t, ", Sett %s\n", version, 0);
    for (uint32_t k = 0; k < s->axes; k++) {
        abm_text_add(&t, "# %s", s->desc->axes[k].parameter, 0);
        for (uint32_t n = 0; n < s->desc->axes[k].count; n++) {
            abm_text_add(&t, " %.17g", NULL, s->desc->axes[k].values[n]);
        }
        abm_text_add(&t, "%s", "\n", 0);
    }
    abm_text_add(&t, "%s", "seed", 0);
    for (uint32_t k = 0; k < s->parameters; k++) {
        abm_text_add(&t, ",%s", m->parameters[k].name, 0);
    }
    abm_text_add(&t, "%s", ",hash", 0);
    for (uint32_t k = 0; k < s->columns; k++) {
        abm_text_add(&t, ",%s", m->columns[k].name, 0);
    }
    abm_text_add(&t, "%s", ",check\n", 0);
}

/* FNV-1a */
static uint32_t abm_scan_sum(const char* bytes, size_t size)
{
    uint32_t sum = 0x811C9DC5u;
    for (size_t k = 0; k < size; k++) {
        sum = (sum ^ (unsigned char)bytes[k]) * 0x01000193u;
    }
    return sum;
}

/* The line of a result, with its end. Returns its length. */
static size_t abm_scan_line(const abm_scan* s, const sett_abm_result* r, char out[ABM_LINE_MOST])
{
    abm_text t = {out, 0, ABM_LINE_MOST};
    t.size = (size_t)snprintf(out, ABM_LINE_MOST, "%" PRIu64, r->seed);
    for (uint32_t k = 0; k < s->parameters; k++) {
        abm_text_add(&t, ",%.17g", NULL, r->parameters[k]);
    }
    char hash[32];
    snprintf(hash, sizeof(hash), ",%016" PRIx64, r->hash);
    abm_text_add(&t, "%s", hash, 0);
    for (uint32_t k = 0; k < s->columns; k++) {
        abm_text_add(&t, ",%.17g", NULL, r->values[k]);
    }
    snprintf(hash, sizeof(hash), ",%08" PRIx32 "\n", abm_scan_sum(out, t.size));
    abm_text_add(&t, "%s", hash, 0);
    return t.size;
}

/* The run with this seed and these parameters; `count` if there is none. */
static uint32_t abm_scan_find(const abm_scan* s, const sett_abm_result* result)
{
    uint64_t seed = result->seed - s->desc->first_seed;
    uint64_t set = 0;
    for (uint32_t k = 0; k < s->axes; k++) {
        const sett_abm_axis* axis = &s->desc->axes[k];
        uint32_t n = 0;
        while (n < axis->count && axis->values[n] != result->parameters[s->axis_parameter[k]]) {
            n++;
        }
        set = set * axis->count + n;
    }
    uint64_t number = set * s->seeds + seed;
    if (seed >= s->seeds || number >= s->count) {
        return s->count;
    }
    sett_abm_result run;
    abm_scan_describe(s, (uint32_t)number, &run);
    bool is = memcmp(run.parameters, result->parameters, sizeof(run.parameters)) == 0;
    return is ? (uint32_t)number : s->count;
}

/* The run that a line is of, if it is a whole line of this scan; else `count`. */
static uint32_t abm_scan_read_line(const abm_scan* s, const char* line, size_t size,
                                   sett_abm_result* out)
{
    char copy[ABM_LINE_MOST];
    if (size >= sizeof(copy) || size < 10) {
        return s->count;
    }
    memcpy(copy, line, size);
    copy[size] = '\0';
    char* check = strrchr(copy, ',');
    if (check == NULL ||
        strtoul(check + 1, NULL, 16) != abm_scan_sum(copy, (size_t)(check - copy))) {
        return s->count;
    }
    char* at = copy;
    *out = (sett_abm_result){.seed = strtoull(at, &at, 10)};
    for (uint32_t k = 0; k < s->parameters && *at == ','; k++) {
        out->parameters[k] = strtod(at + 1, &at);
    }
    out->hash = *at == ',' ? strtoull(at + 1, &at, 16) : 0;
    for (uint32_t k = 0; k < s->columns && *at == ','; k++) {
        out->values[k] = strtod(at + 1, &at);
    }
    return at == check ? abm_scan_find(s, out) : s->count;
}

/* Takes the results that are in the file. */
static sett_status abm_scan_read(abm_scan* s)
{
    FILE* file = fopen(s->desc->path, "rb");
    if (file == NULL) {
        return SETT_OK; /* a new one */
    }
    char line[ABM_LINE_MOST];
    size_t head = strlen(s->head);
    char* bytes = malloc(head + 1);
    size_t size = bytes != NULL ? fread(bytes, 1, head, file) : 0;
    bool whole = size == head && memcmp(bytes, s->head, head) == 0;
    bool begun = bytes != NULL && memcmp(bytes, s->head, size) == 0; /* cut off */
    free(bytes);
    while (whole && fgets(line, sizeof(line), file) != NULL) {
        sett_abm_result result;
        size_t length = strlen(line);
        bool ends = length > 0 && line[length - 1] == '\n';
        uint32_t number = ends ? abm_scan_read_line(s, line, length - 1, &result) : s->count;
        if (number < s->count && !s->done[number]) {
            s->results[number] = result;
            s->done[number] = true;
            s->finished++;
        }
    }
    bool bad = ferror(file) != 0;
    fclose(file);
    if (bad) {
        return abm_scan_fail(s, SETT_STATUS_FILE, s->desc->path, "cannot be read - check the disk");
    }
    return whole || begun ? SETT_OK
                          : abm_scan_fail(s, SETT_STATUS_CONFLICT, s->desc->path,
                                          "does not begin as the file of this scan - pass another "
                                          "path, or remove the file");
}

/* Writes what is done, in order, to a new file that takes the place of the old one. */
static sett_status abm_scan_rewrite(abm_scan* s)
{
    char name[1024];
    int length = snprintf(name, sizeof(name), "%s.new", s->desc->path);
    FILE* file = length > 0 && (size_t)length < sizeof(name) ? fopen(name, "wb") : NULL;
    if (file == NULL) {
        return abm_scan_fail_write(s);
    }
    fwrite(s->head, 1, strlen(s->head), file);
    for (uint32_t k = 0; k < s->count; k++) {
        char line[ABM_LINE_MOST];
        if (s->done[k]) {
            fwrite(line, 1, abm_scan_line(s, &s->results[k], line), file);
        }
    }
    bool bad = ferror(file) != 0;
    bad |= fclose(file) != 0;
    bad = bad || rename(name, s->desc->path) != 0;
    return bad ? abm_scan_fail_write(s) : SETT_OK;
}

/* ---------------------------------------------------------------------------------------- runs */

/* A run has ended: the file gets its line. */
static void abm_scan_add(abm_scan* s, uint32_t number, sett_status status)
{
    abm_scan_lock(s);
    bool good = status == SETT_OK;
    if (good && s->file != NULL) {
        char line[ABM_LINE_MOST];
        size_t size = abm_scan_line(s, &s->results[number], line);
        good = fwrite(line, 1, size, s->file) == size && fflush(s->file) == 0;
        status = good ? SETT_OK : abm_scan_fail_write(s);
    }
    s->done[number] = good;
    s->finished += good;
    s->status = s->status == SETT_OK ? status : s->status;
    if (s->desc->progress) {
        setti_abm_progress(&s->progress, s->finished, s->count);
    }
    if (!good || (s->desc->stop != NULL && s->desc->stop(s->desc->user))) {
        atomic_store(&s->stopped, true);
    }
    abm_scan_unlock(s);
}

static void abm_scan_work(uint32_t begin, uint32_t end, void* context)
{
    abm_scan* s = context;
    for (uint32_t number = begin; number < end && !atomic_load(&s->stopped); number++) {
        if (!s->done[number]) {
            sett_abm_result run;
            abm_scan_describe(s, number, &run);
            sett_status status =
                sett_abm_run(s->model, run.seed, run.parameters, NULL, &s->results[number]);
            abm_scan_add(s, number, status);
        }
    }
}

static sett_status abm_scan_run_all(abm_scan* s)
{
    sett_threads* threads = sett_threads_create(s->desc->threads, NULL);
    if (threads == NULL) {
        return abm_scan_fail(s, SETT_STATUS_OUT_OF_MEMORY, NULL,
                             "no memory for threads - set fewer `threads`");
    }
    if (s->desc->progress) {
        setti_abm_progress(&s->progress, s->finished, s->count);
    }
    sett_tasks tasks = sett_threads_tasks(threads);
    void* task = tasks.enqueue(abm_scan_work, s->count, 1, s, tasks.user);
    if (task != NULL) {
        tasks.finish(task, tasks.user);
    }
    (void)sett_threads_destroy(threads);
    if (s->status == SETT_OK && s->finished < s->count) {
        return SETT_STATUS_REJECTED; /* by the program's `stop` */
    }
    return s->status;
}

static sett_status abm_scan_with_file(abm_scan* s)
{
    if (s->desc->path == NULL) {
        return abm_scan_run_all(s);
    }
    sett_status status = abm_scan_read(s);
    status = status == SETT_OK ? abm_scan_rewrite(s) : status;
    if (status != SETT_OK) {
        return status;
    }
    s->file = fopen(s->desc->path, "ab");
    if (s->file == NULL) {
        return abm_scan_fail_write(s);
    }
    status = abm_scan_run_all(s);
    fclose(s->file);
    sett_status written = abm_scan_rewrite(s);
    return status == SETT_OK ? written : status;
}

sett_status sett_abm_scan(const sett_abm_model* model, const sett_abm_scan_desc* desc,
                          sett_abm_result* results)
{
    if (ARGUMENT_IS_NULL(model) || ARGUMENT_IS_NULL(desc) || !setti_abm_check(model)) {
        return SETT_STATUS_ARGUMENT;
    }
    abm_scan s = {.model = model,
                  .desc = desc,
                  .seeds = desc->seeds != 0 ? desc->seeds : 1,
                  .lock = ATOMIC_FLAG_INIT,
                  .progress = {.name = model->name}};
    atomic_init(&s.stopped, false);
    sett_status status = abm_scan_take(&s);
    if (status != SETT_OK) {
        return status;
    }
    sett_abm_result* own = results == NULL ? calloc(s.count, sizeof(*own)) : NULL;
    s.results = results != NULL ? results : own;
    s.done = calloc(s.count, sizeof(bool));
    s.head = malloc(ABM_HEAD_MOST);
    if (s.results != NULL && s.done != NULL && s.head != NULL) {
        abm_scan_write_head(&s);
        status = abm_scan_with_file(&s);
    } else {
        status = abm_scan_fail(&s, SETT_STATUS_OUT_OF_MEMORY, NULL,
                               "no memory for its results - set fewer seeds or values");
    }
    free(own);
    free(s.done);
    free(s.head);
    return status;
}
