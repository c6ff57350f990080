/* abm_main.c: a program that is a model, by its command line.
 *
 * The workload: a person, who tries parameters, and a script that runs a scan again where it was
 * interrupted.
 */
#include "../argument.h"
#include "abm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ABM_VALUES_MOST 64

typedef struct abm_command {
    const sett_abm_model* model;
    uint64_t seed;
    uint32_t seeds;
    uint32_t threads;
    const char* file;
    sett_abm_options options;
    double values[SETT_ABM_PARAMETERS][ABM_VALUES_MOST];
    uint32_t counts[SETT_ABM_PARAMETERS];
    bool wrong;
} abm_command;

static void abm_command_usage(const abm_command* c)
{
    fprintf(
        stderr,
        "options: --seed N, --seeds N, --threads N, --set parameter=value[,value], --file CSV,\n"
        "    --table CSV or NPY, --pictures p%%06u.png, --every N, --quiet\nparameters:");
    for (uint32_t k = 0; k < setti_abm_parameters(c->model); k++) {
        fprintf(stderr, " %s=%g", c->model->parameters[k].name, c->model->parameters[k].value);
    }
    fprintf(stderr, "\n");
}

/* A list of numbers behind "name=". */
static void abm_command_set(abm_command* c, const char* text)
{
    const char* equals = strchr(text, '=');
    uint32_t count = setti_abm_parameters(c->model);
    uint32_t k = 0;
    size_t length = equals != NULL ? (size_t)(equals - text) : 0;
    while (k < count && (strncmp(c->model->parameters[k].name, text, length) != 0 ||
                         c->model->parameters[k].name[length] != '\0')) {
        k++;
    }
    c->wrong = equals == NULL || k == count;
    if (c->wrong) {
        return;
    }
    char* at = NULL;
    c->counts[k] = 0;
    for (const char* from = equals + 1; c->counts[k] < ABM_VALUES_MOST; from = at + 1) {
        c->values[k][c->counts[k]++] = strtod(from, &at);
        c->wrong |= at == from || (*at != ',' && *at != '\0');
        if (*at != ',') {
            return;
        }
    }
    c->wrong = true;
}

static void abm_command_take(abm_command* c, const char* option, const char* value)
{
    char* end = NULL;
    uint64_t number = strtoull(value, &end, 10);
    bool is_number = end != value && *end == '\0';
    c->wrong = !is_number;
    if (strcmp(option, "--seed") == 0) {
        c->seed = number;
    } else if (strcmp(option, "--seeds") == 0) {
        c->seeds = (uint32_t)number;
        c->wrong |= number > UINT32_MAX;
    } else if (strcmp(option, "--threads") == 0) {
        c->threads = (uint32_t)number;
    } else if (strcmp(option, "--every") == 0) {
        c->options.collect_every = c->options.picture_every = number;
    } else if (strcmp(option, "--set") == 0) {
        abm_command_set(c, value);
    } else {
        const char** text = strcmp(option, "--file") == 0       ? &c->file
                            : strcmp(option, "--table") == 0    ? &c->options.table
                            : strcmp(option, "--pictures") == 0 ? &c->options.pictures
                                                                : NULL;
        c->wrong = text == NULL;
        if (text != NULL) {
            *text = value;
        }
    }
}

static void abm_command_parse(abm_command* c, int argc, char** argv)
{
    for (int k = 1; k < argc && !c->wrong; k++) {
        if (strcmp(argv[k], "--quiet") == 0) {
            c->options.progress = false;
        } else if (k + 1 < argc) {
            abm_command_take(c, argv[k], argv[k + 1]);
            k++;
        } else {
            c->wrong = true;
        }
    }
}

static sett_status abm_command_run(const abm_command* c)
{
    sett_abm_result result;
    double parameters[SETT_ABM_PARAMETERS];
    for (uint32_t k = 0; k < SETT_ABM_PARAMETERS; k++) {
        parameters[k] = c->values[k][0];
    }
    sett_status status = sett_abm_run(c->model, c->seed, parameters, &c->options, &result);
    for (uint32_t k = 0; status == SETT_OK && k < setti_abm_columns(c->model); k++) {
        printf("%s %.6g, ", c->model->columns[k].name, result.values[k]);
    }
    if (status == SETT_OK) {
        printf("hash %016" PRIx64 "\n", result.hash);
    }
    return status;
}

static sett_status abm_command_scan(const abm_command* c)
{
    sett_abm_scan_desc desc = {.first_seed = c->seed,
                               .seeds = c->seeds,
                               .threads = c->threads,
                               .path = c->file,
                               .progress = c->options.progress};
    size_t runs = c->seeds;
    for (uint32_t k = 0; k < setti_abm_parameters(c->model); k++) {
        desc.axes[k] = (sett_abm_axis){c->model->parameters[k].name, c->values[k], c->counts[k]};
        runs *= c->counts[k];
    }
    sett_abm_result* results = calloc(runs, sizeof(*results));
    sett_status status =
        results != NULL ? sett_abm_scan(c->model, &desc, results) : SETT_STATUS_OUT_OF_MEMORY;
    uint64_t hashes = 0;
    for (uint32_t k = 0; status == SETT_OK && k < setti_abm_columns(c->model); k++) {
        double sum = 0;
        for (size_t run = 0; run < runs; run++) {
            sum += results[run].values[k];
        }
        printf("%s %.6g, ", c->model->columns[k].name, sum / (double)runs);
    }
    for (size_t run = 0; status == SETT_OK && run < runs; run++) {
        hashes = (hashes ^ results[run].hash) * 0x100000001B3u;
    }
    if (status == SETT_OK) {
        printf("means of %zu runs, hash of their hashes %016" PRIx64 "\n", runs, hashes);
    }
    free(results);
    return status;
}

int sett_abm_main(const sett_abm_model* model, int argc, char** argv)
{
    abm_command c = {.model = model, .seed = 1, .options = {.progress = true}};
    if (ARGUMENT_IS_NULL(model) || !setti_abm_check(model)) {
        return 1;
    }
    for (uint32_t k = 0; k < setti_abm_parameters(model); k++) {
        c.values[k][0] = model->parameters[k].value;
        c.counts[k] = 1;
    }
    abm_command_parse(&c, argc, argv);
    bool several = false;
    for (uint32_t k = 0; k < SETT_ABM_PARAMETERS; k++) {
        several |= c.counts[k] > 1;
    }
    c.seeds = several && c.seeds == 0 ? 1 : c.seeds;
    if (c.wrong) {
        abm_command_usage(&c);
        return 2;
    }
    return (c.seeds != 0 ? abm_command_scan(&c) : abm_command_run(&c)) == SETT_OK ? 0 : 1;
}
