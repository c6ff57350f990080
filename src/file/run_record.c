/* run_record.c: see run_record.h.
 *
 * The workload: a loaded game continues. A system that runs once does not run again. A system with
 * an interval waits until its interval has passed. A disabled system stays disabled.
 *
 *     frames u64, seconds f64, count of systems u32, for each system: name, seconds f64, runs u64,
 *     enabled u8; count of loops of fixed steps u32, for each loop: step f32, start f64, now f64,
 *     steps u64
 *
 * Invariant:  seconds are finite and not negative, because frames divide by intervals
 */
#include "file/run_record.h"

#include "file/member_record.h"
#include "run/run.h"
#include "sett/system.h"

#define RUN_SECONDS 1e15 /* the most seconds in a valid record */

/* Writes the record. Only counts bytes if `out` is NULL. Returns the number of bytes. */
static size_t run_write(const setti_run* run, unsigned char* out)
{
    setti_record_writer writer = {out, 0};
    setti_record_put(&writer, run->state.frames, 8);
    setti_record_put_double(&writer, run->state.time);
    setti_record_put(&writer, run->count, 4);
    for (const sett_system* system = run->systems; system != NULL; system = system->next) {
        setti_record_put_text(&writer, system->name);
        setti_record_put_double(&writer, system->state.time);
        setti_record_put(&writer, system->state.runs, 8);
        setti_record_put(&writer, system->state.enabled, 1);
    }
    uint32_t loops = 0;
    for (const setti_fixed* fixed = run->fixed; fixed != NULL; fixed = fixed->next) {
        loops++;
    }
    setti_record_put(&writer, loops, 4);
    for (const setti_fixed* fixed = run->fixed; fixed != NULL; fixed = fixed->next) {
        uint32_t step_bits;
        memcpy(&step_bits, &fixed->step, sizeof(step_bits));
        setti_record_put(&writer, step_bits, 4);
        setti_record_put_double(&writer, fixed->state.start);
        setti_record_put_double(&writer, fixed->state.now);
        setti_record_put(&writer, fixed->state.steps, 8);
    }
    return writer.size;
}

bool setti_run_encode(sett_world* world, setti_bytes* out)
{
    const setti_bytes* original = world->module[SETTI_SLOT_MIRRORED];
    if (original != NULL) { /* `world` is a mirror's copy */
        return setti_bytes_copy(&world->pool, out, original->data, original->size);
    }
    if (setti_run_of(world) == NULL) {
        return true;
    }
    size_t size = run_write(setti_run_of(world), NULL);
    if (!setti_bytes_reserve(&world->pool, out, size)) {
        return false;
    }
    out->size = run_write(setti_run_of(world), out->data);
    return true;
}

typedef struct run_entry {
    const unsigned char* name;
    size_t length;
    setti_system_state state;
} run_entry;

/* Reads seconds. If the seconds are invalid, returns 0 and sets reader->short_of. */
static double run_seconds(setti_delta_reader* reader)
{
    double seconds = setti_record_get_double(reader);
    bool valid = seconds >= 0 && seconds <= RUN_SECONDS; /* false for NaN */
    if (!valid) {
        reader->short_of = true;
        return 0;
    }
    return seconds;
}

/* Reads the entry of a system. If the entry is invalid, sets reader->short_of. */
static run_entry run_next(setti_delta_reader* reader)
{
    run_entry entry = {.length = (size_t)setti_delta_number(reader, 2)};
    entry.name = setti_delta_read(reader, entry.length);
    entry.state.time = run_seconds(reader);
    entry.state.runs = setti_delta_number(reader, 8);
    entry.state.enabled = (uint32_t)setti_delta_number(reader, 1);
    if (entry.state.enabled > 1) {
        reader->short_of = true;
    }
    return entry;
}

typedef struct run_loop {
    float step;
    setti_fixed_state state;
} run_loop;

/* Reads a loop of fixed steps. If the times are invalid, sets reader->short_of. */
static run_loop run_next_loop(setti_delta_reader* reader)
{
    run_loop loop;
    uint32_t step_bits = setti_delta_u32(reader);
    memcpy(&loop.step, &step_bits, sizeof(loop.step));
    loop.state.start = run_seconds(reader);
    loop.state.now = run_seconds(reader);
    loop.state.steps = setti_delta_number(reader, 8);
    /* less than a step, apart from rounding */
    double since_step = loop.state.now - (double)loop.state.steps * (double)loop.step;
    bool valid = loop.step > 0 && since_step >= 0 && since_step <= (double)loop.step;
    if (!valid) {
        reader->short_of = true;
    }
    return loop;
}

/* Reads the beginning of a record. *count becomes the number of systems. */
static setti_frame_state run_head(setti_delta_reader* reader, uint32_t* count)
{
    setti_frame_state state;
    state.frames = setti_delta_number(reader, 8);
    state.time = run_seconds(reader);
    *count = setti_delta_u32(reader);
    return state;
}

bool setti_run_check(const setti_bytes* record)
{
    setti_delta_reader reader = {record->data, setti_bytes_end(record), false};
    uint32_t system_count;
    (void)run_head(&reader, &system_count);
    for (uint32_t k = 0; k < system_count && !reader.short_of; k++) {
        (void)run_next(&reader);
    }
    if (reader.short_of) {
        return false;
    }
    uint32_t loop_count = setti_delta_u32(&reader);
    for (uint32_t k = 0; k < loop_count && !reader.short_of; k++) {
        (void)run_next_loop(&reader);
    }
    return !reader.short_of && reader.at == reader.end;
}

/* Returns the system with the name of an entry, or NULL if there is none. */
static sett_system* run_find_system(const setti_run* run, const run_entry* entry)
{
    sett_system* system = run->systems;
    while (system != NULL) {
        if (strlen(system->name) == entry->length &&
            memcmp(system->name, entry->name, entry->length) == 0) {
            return system;
        }
        system = system->next;
    }
    return NULL;
}

void setti_run_apply(sett_world* world, const setti_bytes* record)
{
    SETTI_ASSERT(record->size == 0 || setti_run_check(record));
    setti_run* run = setti_run_of(world);
    setti_delta_reader reader = {record->data, setti_bytes_end(record), false};
    uint32_t system_count;
    if (run == NULL || record->size == 0) {
        return;
    }
    run->state = run_head(&reader, &system_count);
    for (uint32_t k = 0; k < system_count; k++) {
        run_entry entry = run_next(&reader);
        sett_system* system = run_find_system(run, &entry);
        if (system != NULL) {
            entry.state.seen = system->state.seen; /* so that loaded values count as changed */
            system->state = entry.state;
        }
    }
    uint32_t loop_count = setti_delta_u32(&reader);
    for (uint32_t k = 0; k < loop_count; k++) {
        run_loop loop = run_next_loop(&reader);
        setti_fixed* fixed = run->fixed;
        /* "!=" without the warning about floats; both steps are positive */
        while (fixed != NULL && (fixed->step < loop.step || fixed->step > loop.step)) {
            fixed = fixed->next;
        }
        if (fixed != NULL) {
            fixed->state = loop.state;
        }
    }
    SETTI_ASSERT(!reader.short_of);
}
