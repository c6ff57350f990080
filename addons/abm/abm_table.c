/* abm_table.c: data of a run: a row of numbers each n steps.
 *
 * The workload: some ten columns over up to a million agents, a thousand rows. A row costs a loop
 * over the agents for each column, and is a double a column in memory until it is written.
 *
 * Invariant:  `values` has `rows` times one more than `count` numbers: the step comes first
 */
#include "../argument.h"
#include "abm.h"

#include "sett/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct abm_column {
    sett_abm_column desc;
    sett_query* query;
    abm_member member;
    uint32_t stride; /* bytes of a value */
    uint32_t term;   /* of the member in the query */
} abm_column;

struct sett_abm_table {
    sett_world* world;
    void* data;
    abm_column column[SETT_ABM_COLUMNS];
    uint32_t count;
    uint32_t rows;
    uint32_t capacity; /* rows */
    double* values;
};

static const char abm_table_call[] = "sett_abm_table_create";

static bool abm_table_take(sett_abm_table* t, const sett_abm_column* desc)
{
    abm_column* column = &t->column[t->count];
    column->desc = *desc;
    if (desc->value != NULL) {
        t->count++;
        return true;
    }
    bool counts = desc->reduce == SETT_ABM_COUNT;
    if (desc->query == NULL || counts != (desc->member == NULL)) {
        (void)setti_abm_fail(t->world, SETT_STATUS_ARGUMENT,
                             desc->query == NULL
                                 ? "%s: column \"%.200s\" has no query - set `query` or `value`"
                             : counts ? "%s: column \"%.200s\" counts entities, and has a member - "
                                        "leave out `member`, or set another `reduce`"
                                      : "%s: column \"%.200s\" has no member - set `member`",
                             abm_table_call, desc->name);
        return false;
    }
    if (!counts) {
        sett_component_desc type;
        if (!setti_abm_member_find(t->world, desc->member, abm_table_call, &column->member) ||
            sett_component_describe(t->world, column->member.component, &type) != SETT_OK) {
            return false;
        }
        column->stride = (uint32_t)type.size;
    }
    column->query = setti_abm_query(t->world, desc->query, column->member.component, &column->term);
    t->count += column->query != NULL;
    return column->query != NULL;
}

sett_abm_table* sett_abm_table_create(sett_world* world, const sett_abm_column* columns, void* data)
{
    if (ARGUMENT_IS_NULL(world) || ARGUMENT_IS_NULL(columns)) {
        return NULL;
    }
    sett_abm_table* t = sett_world_alloc(world, sizeof(*t), 16);
    if (t == NULL) {
        return NULL;
    }
    memset(t, 0, sizeof(*t));
    t->world = world;
    t->data = data;
    for (uint32_t k = 0; k < SETT_ABM_COLUMNS && columns[k].name != NULL; k++) {
        if (!abm_table_take(t, &columns[k])) {
            sett_abm_table_destroy(t);
            return NULL;
        }
    }
    return t;
}

void sett_abm_table_destroy(sett_abm_table* t)
{
    if (t == NULL) {
        return;
    }
    for (uint32_t k = 0; k < t->count; k++) {
        (void)sett_query_destroy(t->column[k].query);
    }
    size_t size = (size_t)t->capacity * (t->count + 1) * sizeof(double);
    (void)sett_world_release(t->world, t->values, size, 16);
    (void)sett_world_release(t->world, t, sizeof(*t), 16);
}

static double abm_column_reduce(const abm_column* c)
{
    if (c->desc.reduce == SETT_ABM_COUNT) {
        return sett_query_count(c->query);
    }
    double sum = 0;
    double least = 0;
    double most = 0;
    uint32_t count = 0;
    SETT_FOR(c->query, b, i) {
        const unsigned char* values = sett_batch_field(b, c->term);
        double x = setti_abm_member_read(&c->member, values + (size_t)i * c->stride);
        least = count == 0 || x < least ? x : least;
        most = count == 0 || x > most ? x : most;
        sum += x;
        count++;
    }
    const double none = (double)NAN;
    switch (c->desc.reduce) {
    case SETT_ABM_SUM:
        return sum;
    case SETT_ABM_MEAN:
        return count != 0 ? sum / count : none;
    case SETT_ABM_MIN:
        return count != 0 ? least : none;
    default:
        return count != 0 ? most : none;
    }
}

static bool abm_table_reserve(sett_abm_table* t)
{
    if (t->rows < t->capacity) {
        return true;
    }
    size_t row = (t->count + 1) * sizeof(double);
    uint32_t capacity = t->capacity != 0 ? t->capacity * 2 : 64;
    double* values = sett_world_alloc(t->world, capacity * row, 16);
    if (values == NULL) {
        return false;
    }
    if (t->rows != 0) {
        memcpy(values, t->values, t->rows * row);
    }
    (void)sett_world_release(t->world, t->values, t->capacity * row, 16);
    t->values = values;
    t->capacity = capacity;
    return true;
}

sett_status sett_abm_table_collect(sett_abm_table* t, uint64_t step)
{
    if (argument_is_null(t, __func__, "table")) {
        return SETT_STATUS_ARGUMENT;
    }
    if (!abm_table_reserve(t)) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    double* row = &t->values[(size_t)t->rows * (t->count + 1)];
    row[0] = (double)step;
    for (uint32_t k = 0; k < t->count; k++) {
        const abm_column* c = &t->column[k];
        double x = c->desc.value != NULL ? c->desc.value(t->world, t->data) : abm_column_reduce(c);
        row[k + 1] = isnan(x) ? (double)NAN : x; /* without a sign, as it is read again */
    }
    t->rows++;
    return SETT_OK;
}

uint32_t sett_abm_table_rows(const sett_abm_table* t)
{
    return !argument_is_null(t, __func__, "table") ? t->rows : 0;
}

double sett_abm_table_value(const sett_abm_table* t, uint32_t row, uint32_t column)
{
    bool is = !argument_is_null(t, __func__, "table") && row < t->rows && column < t->count;
    return is ? t->values[(size_t)row * (t->count + 1) + column + 1] : (double)NAN;
}

/* ---------------------------------------------------------------------------------------- files */

static void abm_table_csv(const sett_abm_table* t, FILE* file, const char* head)
{
    fprintf(file, "# %s\nstep", head);
    for (uint32_t k = 0; k < t->count; k++) {
        fprintf(file, ",%s", t->column[k].desc.name);
    }
    fprintf(file, "\n");
    for (uint32_t r = 0; r < t->rows; r++) {
        const double* row = &t->values[(size_t)r * (t->count + 1)];
        for (uint32_t k = 0; k <= t->count; k++) {
            fprintf(file, k == 0 ? "%.17g" : ",%.17g", row[k]);
        }
        fprintf(file, "\n");
    }
}

/* Little-endian bytes of a double. */
static void abm_put_double(FILE* file, double value)
{
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &value, sizeof(bits));
    for (uint32_t k = 0; k < 8; k++) {
        bytes[k] = (unsigned char)(bits >> (8 * k));
    }
    fwrite(bytes, 1, sizeof(bytes), file);
}

/* Format 1.0 of numpy: the head is a literal of Python, in which a comment is allowed; its length
 * with what comes before it is a multiple of 64. */
static void abm_table_npy(const sett_abm_table* t, FILE* file, const char* head)
{
    char text[8192];
    size_t room = sizeof(text) - 64;
    int at = snprintf(text, room, "{'descr': [('step', '<f8')");
    for (uint32_t k = 0; k < t->count && at > 0 && (size_t)at < room; k++) {
        at += snprintf(text + at, room - (size_t)at, ", ('%s', '<f8')", t->column[k].desc.name);
    }
    if (at > 0 && (size_t)at < room) {
        at +=
            snprintf(text + at, room - (size_t)at,
                     "], 'fortran_order': False, 'shape': (%u,), } # %s", (unsigned)t->rows, head);
    }
    size_t length = at > 0 && (size_t)at < room ? (size_t)at : room - 1;
    while ((10 + length + 1) % 64 != 0) {
        text[length++] = ' ';
    }
    text[length++] = '\n';
    const unsigned char begin[] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)length, (unsigned char)(length >> 8)};
    fwrite(begin, 1, sizeof(begin), file);
    fwrite(text, 1, length, file);
    for (size_t k = 0; k < (size_t)t->rows * (t->count + 1); k++) {
        abm_put_double(file, t->values[k]);
    }
}

/* A head in one line of ASCII, so that it ends no comment. */
static void abm_table_head(const char* head, char* out, size_t size)
{
    snprintf(out, size, "%s%sSett %d.%d.%d", head != NULL ? head : "", head != NULL ? ", " : "",
             SETT_VERSION_MAJOR, SETT_VERSION_MINOR, SETT_VERSION_PATCH);
    for (char* c = out; *c != '\0'; c++) {
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    }
}

sett_status sett_abm_table_write(sett_abm_table* t, const char* path, const char* head)
{
    static const char call[] = "sett_abm_table_write";
    if (argument_is_null(t, __func__, "table") || ARGUMENT_IS_NULL(path)) {
        return SETT_STATUS_ARGUMENT;
    }
    char line[2048];
    abm_table_head(head, line, sizeof(line));
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return setti_abm_fail_write(t->world, call, path);
    }
    size_t length = strlen(path);
    if (length >= 4 && strcmp(path + length - 4, ".npy") == 0) {
        abm_table_npy(t, file, line);
    } else {
        abm_table_csv(t, file, line);
    }
    bool bad = ferror(file) != 0;
    bad |= fclose(file) != 0;
    return bad ? setti_abm_fail_write(t->world, call, path) : SETT_OK;
}
