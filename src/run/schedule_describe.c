/* schedule_describe.c: the schedule in words, with the reason for each stage and number of jobs. */
#include "base/writer.h"
#include "run/run.h"

static const char* schedule_describe_phase_name(int phase)
{
    static const char* const names[] = {"LOAD ",   "INPUT ",       "UPDATE_EARLY ",
                                        "UPDATE ", "UPDATE_LATE ", "OUTPUT "};
    static_assert(SETT_PHASE_LOAD == -300 && SETT_PHASE_OUTPUT == 200, "a name each hundred");
    if (phase == SETT_PHASE_FIXED) {
        return "FIXED ";
    }
    if (phase < SETT_PHASE_LOAD || phase > SETT_PHASE_OUTPUT || phase % 100 != 0) {
        return ""; /* a phase of the program */
    }
    return names[(phase - SETT_PHASE_LOAD) / 100];
}

/* Writes a verb, and the components that have a flag of `included` and no flag of `excluded`.
 * Writes nothing if there are no such components. */
static void schedule_describe_access(setti_writer* text, const sett_system* system,
                                     uint32_t included, uint32_t excluded, const char* verb)
{
    const char* separator = verb; /* comes before the first component */
    for (uint32_t k = 0; k < system->access_count; k++) {
        uint32_t flags = system->access[k].flags;
        if ((flags & included) != 0 && (flags & excluded) == 0) {
            setti_writer_add(text, "%s%s", separator,
                             sett_component_name(system->world, system->access[k].component));
            separator = ", ";
        }
    }
}

/* If a system has a single job, writes the reason, and returns true. Returns false if several jobs
 * are possible. */
static bool schedule_describe_one_job(setti_writer* text, const sett_system* system)
{
    setti_plan plan;
    setti_plan_update(system->query);
    setti_plan_make(system->query, &plan);
    uint32_t scattered = system->query->written & ~plan.in_place;
    if (scattered != 0) {
        const setti_term* term = &system->query->term[setti_bits_lowest(scattered)];
        setti_writer_add(text, "; one job: it writes %s, a gathered field", term->type->desc.name);
        return true;
    }
    const setti_type* sparse = setti_system_sparse(system);
    if (sparse != NULL) {
        setti_writer_add(text, "; one job: it writes %s, in a sparse set, by handle",
                         sparse->desc.name);
        return true;
    }
    return false;
}

static void schedule_describe_jobs(setti_writer* text, const sett_system* system)
{
    if (system->desc.run == NULL) {
        setti_writer_add(text, "; has no function");
        return;
    }
    if (system->query == NULL || setti_elsewhere_is_all(system->query)) {
        setti_writer_add(text, "; called once");
        return;
    }
    if (system->desc.single_job || system->exclusive) {
        setti_writer_add(text, "; one job");
        return;
    }
    if (!setti_system_splits(system)) {
        setti_writer_add(text, "; one job: it reads or writes elsewhere what it or another job "
                               "writes");
        return;
    }
    bool has_one_job = schedule_describe_one_job(text, system);
    if (!has_one_job) {
        setti_writer_add(text, "; up to %u jobs", (unsigned)setti_run_of(system->world)->jobs);
    }
}

/* Writes why a system waits for an earlier system. Writes nothing if the system does not wait. */
static void schedule_describe_reason(setti_writer* text, const sett_system* system)
{
    if (system->waits_for == NULL) {
        return;
    }
    setti_writer_add(text, "; behind %s", system->waits_for->name);
    if (system->waits_on != 0) {
        uint32_t flags = setti_system_access(system->waits_for, system->waits_on);
        const char* verb = "records";
        if ((flags & SETTI_ACCESS_WRITES) != 0) {
            verb = "writes";
        } else if ((flags & SETTI_ACCESS_READS) != 0) {
            verb = "reads";
        }
        setti_writer_add(text, ", which %s %s", verb,
                         sett_component_name(system->world, system->waits_on));
    } else if (system->exclusive || system->waits_for->exclusive) {
        setti_writer_add(text, ", because one of them runs alone");
    } else {
        setti_writer_add(text, ", as was said");
    }
}

static void schedule_describe_system(setti_writer* text, const sett_system* system)
{
    setti_writer_add(text, "    %s:", system->name);
    size_t length_before = text->length;
    schedule_describe_access(text, system, SETTI_ACCESS_WRITE_ANYWHERE, 0, " writes anywhere ");
    schedule_describe_access(text, system, SETTI_ACCESS_WRITE, SETTI_ACCESS_WRITE_ANYWHERE,
                             " writes ");
    schedule_describe_access(text, system, SETTI_ACCESS_READ | SETTI_ACCESS_READ_ANYWHERE,
                             SETTI_ACCESS_WRITES, " reads ");
    if (text->length == length_before && system->access_count == 0) {
        setti_writer_add(text, " declares nothing");
    } else if (text->length == length_before) {
        setti_writer_add(text, " touches no values");
    }
    if (system->exclusive) {
        setti_writer_add(text, "; alone");
    }
    schedule_describe_jobs(text, system);
    schedule_describe_reason(text, system);
    if (system->state.enabled == 0) {
        setti_writer_add(text, "; off");
    }
    setti_writer_add(text, "\n");
    for (const setti_order* order = system->orders; order != NULL; order = order->next) {
        if (order->name->system == NULL) {
            setti_writer_add(text, "      is to run %s %s, which does not exist\n",
                             order->after ? "after" : "before", order->name->text);
        }
    }
}

SETTI_COLD size_t sett_schedule_describe(const sett_world* const_world, char* out, size_t size)
{
    sett_world* world = setti_unconst(const_world); /* caches are brought up to date */
    setti_writer text = setti_writer_begin(out, size);
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    const setti_run* run = setti_run_of(world);
    if (run == NULL || run->count == 0 || !setti_schedule_update(world)) {
        setti_writer_add(&text, "no systems\n");
        return text.length;
    }
    for (uint32_t s = 0; s < run->stage_count; s++) {
        const setti_stage* stage = &run->stages[s];
        const sett_system* first = run->sorted[stage->first];
        int phase = first->desc.phase;
        if (first->stage == 0) { /* a phase begins */
            if (s != 0) {
                setti_writer_add(&text, "  commands are applied\n");
            }
            setti_writer_add(&text, "phase %s%d", schedule_describe_phase_name(phase), phase);
            if (first->fixed != NULL) {
                setti_writer_add(&text, " of fixed steps of %g seconds",
                                 (double)first->fixed->step);
            }
            setti_writer_add(&text, "\n");
        } else if (stage->exclusive) {
            setti_writer_add(&text, "  commands are applied\n");
        }
        setti_writer_add(&text, "  stage %u%s\n", (unsigned)first->stage,
                         stage->count > 1 ? ", side by side" : "");
        for (uint32_t k = 0; k < stage->count; k++) {
            schedule_describe_system(&text, run->sorted[stage->first + k]);
        }
    }
    setti_writer_add(&text, "  commands are applied\n");
    return text.length;
}
