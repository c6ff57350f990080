/* describe.c: entities, and the schedule, in words. */
#include "sett/describe.h"

#include "inspect/describe_internal.h"
#include "run/run.h"

#define DESCRIBE_COMPONENTS 64 /* of an entity, by name; of more, how many */

static const char* describe_phase_name(int phase)
{
    static const char* const names[] = {"LOAD ",   "INPUT ",       "UPDATE_EARLY ",
                                        "UPDATE ", "UPDATE_LATE ", "OUTPUT "};
    static_assert(SETT_PHASE_LOAD == -300 && SETT_PHASE_OUTPUT == 200, "a name each hundred");
    if (phase == SETT_PHASE_FIXED) {
        return "FIXED ";
    }
    bool named = phase >= SETT_PHASE_LOAD && phase <= SETT_PHASE_OUTPUT && phase % 100 == 0;
    return named ? names[(phase - SETT_PHASE_LOAD) / 100] : "";
}

/* The components with one of these flags and none of those. */
static void describe_access(setti_writer* text, const sett_system* system, uint32_t with,
                            uint32_t without, const char* verb)
{
    const char* separator = verb;
    for (uint32_t k = 0; k < system->access_count; k++) {
        uint32_t flags = system->access[k].flags;
        if ((flags & with) != 0 && (flags & without) == 0) {
            setti_writer_add(text, "%s%s", separator,
                             sett_component_name(system->world, system->access[k].component));
            separator = ", ";
        }
    }
}

/* Why a system that can be split has one job now; false: it has more. */
static bool describe_one_job(setti_writer* text, const sett_system* system)
{
    setti_plan plan;
    setti_plan_update(system->query);
    setti_plan_make(system->query, &plan);
    uint32_t scattered = system->query->written & ~plan.in_place;
    const setti_type* sparse = setti_system_sparse(system);
    if (scattered != 0) {
        const setti_term* term = &system->query->term[setti_bits_lowest(scattered)];
        setti_writer_add(text, "; one job: it writes %s, a gathered field", term->type->desc.name);
    } else if (sparse != NULL) {
        setti_writer_add(text, "; one job: it writes %s, in a sparse set, by handle",
                         sparse->desc.name);
    }
    return scattered != 0 || sparse != NULL;
}

static void describe_jobs(setti_writer* text, const sett_system* system)
{
    if (system->desc.run == NULL) {
        setti_writer_add(text, "; has no function");
    } else if (system->query == NULL) {
        setti_writer_add(text, "; called once");
    } else if (setti_system_splits(system)) {
        if (describe_one_job(text, system)) {
            return;
        }
        setti_writer_add(text, "; up to %u jobs", (unsigned)setti_run_of(system->world)->jobs);
    } else {
        setti_writer_add(text, "; one job%s",
                         system->desc.single_job || system->exclusive
                             ? ""
                             : ": it reads or writes elsewhere "
                               "what it or another job writes");
    }
}

static void describe_reason(setti_writer* text, const sett_system* system)
{
    if (system->waits_for == NULL) {
        return;
    }
    setti_writer_add(text, "; behind %s", system->waits_for->name);
    if (system->waits_on != 0) {
        uint32_t flags = setti_system_access(system->waits_for, system->waits_on);
        setti_writer_add(text, ", which %s %s",
                         (flags & SETTI_ACCESS_WRITES) != 0  ? "writes"
                         : (flags & SETTI_ACCESS_READS) != 0 ? "reads"
                                                             : "records",
                         sett_component_name(system->world, system->waits_on));
    } else if (system->exclusive || system->waits_for->exclusive) {
        setti_writer_add(text, ", because one of them runs alone");
    } else {
        setti_writer_add(text, ", as was said");
    }
}

static void describe_system(setti_writer* text, const sett_system* system)
{
    setti_writer_add(text, "    %s:", system->name);
    size_t before = text->length;
    describe_access(text, system, SETTI_ACCESS_WRITE_ANYWHERE, 0, " writes anywhere ");
    describe_access(text, system, SETTI_ACCESS_WRITE, SETTI_ACCESS_WRITE_ANYWHERE, " writes ");
    describe_access(text, system, SETTI_ACCESS_READ | SETTI_ACCESS_READ_ANYWHERE,
                    SETTI_ACCESS_WRITES, " reads ");
    if (text->length == before) {
        setti_writer_add(text,
                         system->access_count == 0 ? " declares nothing" : " touches no values");
    }
    if (system->exclusive) {
        setti_writer_add(text, "; alone");
    }
    describe_jobs(text, system);
    describe_reason(text, system);
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

size_t sett_schedule_describe(const sett_world* of, char* out, size_t size)
{
    sett_world* world = setti_unconst(of); /* caches are brought up to date */
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
        if (first->stage == 0) {
            setti_writer_add(&text, "%sphase %s%d", s != 0 ? "  commands are applied\n" : "",
                             describe_phase_name(phase), phase);
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
            describe_system(&text, run->sorted[stage->first + k]);
        }
    }
    setti_writer_add(&text, "  commands are applied\n");
    return text.length;
}

/* ------------------------------------------------------------------------------------ entities */

void setti_describe_path(setti_writer* text, sett_world* world, sett_entity entity)
{
    if (world->naming == NULL || !world->naming->has(world, entity)) {
        return;
    }
    setti_writer_add(text, " \"");
    size_t room = text->length < text->size ? text->size - text->length : 0;
    text->length +=
        world->naming->path(world, entity, room != 0 ? text->out + text->length : NULL, room);
    setti_writer_add(text, "\"");
}

bool setti_describe_entity(setti_writer* text, sett_world* world, sett_entity entity)
{
    char why[SETTI_MESSAGE_SIZE];
    bool alive = sett_entity_valid(world, entity);
    setti_writer_add(text, "entity %u:%u", (unsigned)entity.index, (unsigned)entity.generation);
    if (!alive) {
        setti_world_describe_stale(world, why, sizeof(why), entity);
        setti_writer_add(text, ": %s", why);
    }
    return alive;
}

size_t sett_entity_describe(const sett_world* of, sett_entity entity, char* out, size_t size)
{
    sett_world* world = setti_unconst(of); /* caches are brought up to date */
    setti_writer text = setti_writer_begin(out, size);
    if (SETTI_IS_NULL(world)) {
        return 0;
    }
    if (!setti_describe_entity(&text, world, entity)) {
        return text.length;
    }
    setti_describe_path(&text, world, entity);
    sett_component first[DESCRIBE_COMPONENTS];
    uint32_t count = sett_entity_components(world, entity, first, DESCRIBE_COMPONENTS);
    for (uint32_t k = 0; k < count && k < DESCRIBE_COMPONENTS; k++) {
        setti_writer_add(&text, "%s%s", k == 0 ? ": " : ", ", sett_component_name(world, first[k]));
    }
    if (count > DESCRIBE_COMPONENTS) {
        setti_writer_add(&text, ", and %u more", (unsigned)count - DESCRIBE_COMPONENTS);
    } else if (count == 0) {
        setti_writer_add(&text, ": no components");
    }
    return text.length;
}
