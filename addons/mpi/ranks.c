/* ranks.c: a world divided among the ranks of a communicator: its beginning and end, its hash, and
 * what happens when a rank cannot go on.
 *
 * A simulation that misses a rank cannot go on, and waiting for it would be for ever. So a rank
 * that fails ends all, with the name of the last checkpoint; MPI does so itself for one that is
 * killed.
 */
#include "ranks.h"
#include "../argument.h"

#include "sett/relationship.h"
#include "sett/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- failures */

static void ranks_format(char* out, size_t size, const char* format, va_list arguments)
{
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
    vsnprintf(out, size, format, arguments);
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
}

sett_status setti_ranks_report(const sett_ranks* r, sett_status status, const char* format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    ranks_format(text, sizeof(text), format, arguments);
    va_end(arguments);
    sett_world_log(r->world, SETT_LOG_ERROR, text);
    return status;
}

/* "rank 2: ...; the last checkpoint is runs/a, of tick 120". */
static void ranks_last_words(const sett_ranks* r, const char* why, char* out, size_t size)
{
    if (r->checkpoint != NULL) {
        snprintf(out, size, "rank %u: %s; the last checkpoint is %s, of tick %llu",
                 (unsigned)r->rank, why, r->checkpoint, (unsigned long long)r->checkpoint_tick);
    } else {
        snprintf(out, size, "rank %u: %s; there is no checkpoint", (unsigned)r->rank, why);
    }
}

void setti_ranks_enter(sett_ranks* r, const char* call)
{
    r->call = call;
    r->failed = false;
}

sett_status setti_ranks_fail(sett_ranks* r, sett_status status, const char* format, ...)
{
    char why[400];
    char text[900];
    va_list arguments;
    if (r->failed) {
        return status;
    }
    r->failed = true;
    va_start(arguments, format);
    ranks_format(why, sizeof(why), format, arguments);
    va_end(arguments);
    ranks_last_words(r, why, text, sizeof(text));
    if (r->desc.failed != NULL) {
        r->desc.failed(status, text, r->desc.user);
        return status;
    }
    sett_world_log(r->world, SETT_LOG_ERROR, text);
    MPI_Abort(r->comm, 1);
    return status;
}

sett_status setti_ranks_fail_status(sett_ranks* r, sett_status status)
{
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        return setti_ranks_fail(r, status, "%s: memory ran out - use more ranks, or fewer entities",
                                r->call);
    }
    if (status == SETT_STATUS_INVALID) {
        return setti_ranks_fail(r, status,
                                "%s: another rank has sent data that do not fit - run the same "
                                "program, with the same library, on all ranks",
                                r->call);
    }
    return setti_ranks_fail(r, status, "%s: %s", r->call, sett_world_message(r->world));
}

/* MPI reports that it cannot reach a rank. The name of the communicator has the checkpoint. */
static void ranks_lost(MPI_Comm* comm, int* code, ...)
{
    char why[MPI_MAX_ERROR_STRING] = "";
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    MPI_Error_string(*code, why, &length);
    MPI_Comm_get_name(*comm, name, &length);
    fprintf(stderr, "sett_ranks: %s; %s\n", why, name);
    MPI_Abort(*comm, 1);
}

void setti_ranks_name(const sett_ranks* r)
{
    char name[MPI_MAX_OBJECT_NAME];
    if (r->checkpoint != NULL) {
        snprintf(name, sizeof(name), "the last checkpoint is of tick %llu, %s",
                 (unsigned long long)r->checkpoint_tick, r->checkpoint);
    } else {
        snprintf(name, sizeof(name), "there is no checkpoint");
    }
    MPI_Comm_set_name(r->comm, name);
}

/* ------------------------------------------------------------------------------------ beginning */

static bool ranks_connect(sett_ranks* r, MPI_Comm comm)
{
    MPI_Errhandler handler;
    int rank = 0;
    int count = 1;
    if (MPI_Comm_dup(comm, &r->comm) != MPI_SUCCESS) {
        return false;
    }
    setti_ranks_name(r);
    MPI_Comm_create_errhandler(ranks_lost, &handler);
    MPI_Comm_set_errhandler(r->comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_rank(r->comm, &rank);
    MPI_Comm_size(r->comm, &count);
    r->rank = (uint32_t)rank;
    r->count = (uint32_t)count;
    return true;
}

static sett_status ranks_check_desc(sett_ranks* r)
{
    sett_ranks_desc* desc = &r->desc;
    desc->indices = desc->indices != 0 ? desc->indices : 64;
    const char* wrong =
        desc->cell_of == NULL || desc->position == 0 ? "`position` or `cell_of` is missing - set "
                                                       "both"
        : desc->cells == 0                           ? "`cells` is 0 - set the number of cells"
        : desc->indices % 64 != 0                    ? "`indices` is not a multiple of 64 - set a "
                                                       "multiple of 64"
        : desc->around == NULL && (desc->width == 0 || desc->cells % desc->width != 0)
            ? "`around` is NULL, and `width` does not divide `cells` - set `around`, or another "
              "`width`"
        : desc->ghost_count > SETT_RANKS_GHOSTS ? "more than 32 types of ghosts are listed - "
                                                  "list fewer"
                                                : NULL;
    if (wrong != NULL) {
        return setti_ranks_report(r, SETT_STATUS_ARGUMENT, "sett_ranks_create: %s", wrong);
    }
    if ((uint64_t)desc->cells * desc->indices > UINT32_MAX - 4096) {
        return setti_ranks_report(r, SETT_STATUS_LIMIT,
                                  "sett_ranks_create: %u cells with %u indices each need more "
                                  "than 2^32 indices - set fewer `cells`, or fewer `indices`",
                                  (unsigned)desc->cells, (unsigned)desc->indices);
    }
    return SETT_OK;
}

/* Values of ghosts travel as bytes between equal machines. */
static sett_status ranks_take_ghosts(sett_ranks* r)
{
    r->types = r->desc.ghost_count + 1;
    r->size[0] = (r->desc.ghost_count + 7) / 8;
    for (uint32_t k = 0; k < r->desc.ghost_count; k++) {
        sett_component_desc desc;
        sett_component id = r->desc.ghosts[k];
        sett_status status = sett_component_describe(r->world, id, &desc);
        if (status != SETT_OK) {
            return setti_ranks_report(r, status,
                                      "sett_ranks_create: component %u in `ghosts` is not "
                                      "registered - register it first",
                                      (unsigned)id);
        }
        bool bytes = desc.save != SETT_SAVE_CLONE && desc.write == NULL && desc.copy == NULL &&
                     desc.deinit == NULL && desc.relationship == NULL &&
                     (id < SETT_ID_HIERARCHY || id >= SETT_ID_RESERVED_END);
        if (!bytes) {
            return setti_ranks_report(r, SETT_STATUS_ARGUMENT,
                                      "sett_ranks_create: \"%.100s\" in `ghosts` has hooks, is a "
                                      "relationship or a type of the library - list only types "
                                      "whose values are bytes",
                                      desc.name);
        }
        r->ghost[k + 1] = id;
        r->size[k + 1] = (uint32_t)desc.size;
    }
    r->desc.ghosts = NULL;
    return SETT_OK;
}

static sett_status ranks_take_relations(sett_ranks* r)
{
    r->relation_count = r->desc.relation_count;
    r->relation = malloc((r->relation_count + 1) * sizeof(*r->relation));
    if (r->relation == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    for (uint32_t k = 0; k < r->relation_count; k++) {
        r->relation[k] = r->desc.relations[k];
        if (sett_relationship_sources(r->world, r->relation[k]) == 0) {
            return setti_ranks_report(r, SETT_STATUS_ARGUMENT,
                                      "sett_ranks_create: component %u in `relations` is not a "
                                      "relationship - list only relationships",
                                      (unsigned)r->relation[k]);
        }
    }
    r->desc.relations = NULL;
    return SETT_OK;
}

static sett_status ranks_prepare_world(sett_ranks* r)
{
    uint64_t first = (uint64_t)r->desc.cells * r->desc.indices;
    uint32_t cursor = 0;
    sett_entity entity = sett_entity_next(r->world, &cursor);
    if (!sett_is_null(entity) && entity.index < first) {
        return setti_ranks_report(r, SETT_STATUS_CONFLICT,
                                  "sett_ranks_create: entity %u:%u exists, and the cells need all "
                                  "indices below %u - create entities after sett_ranks_create",
                                  (unsigned)entity.index, (unsigned)entity.generation,
                                  (unsigned)first);
    }
    sett_status status = sett_entity_set_range(r->world, (uint32_t)first, 0);
    if (status == SETT_STATUS_LOCKED) {
        return setti_ranks_report(r, status,
                                  "sett_ranks_create: a loop is open, or a callback or system runs "
                                  "- create the ranks outside of them");
    }
    if (status != SETT_OK) {
        return setti_ranks_report(r, SETT_STATUS_LIMIT,
                                  "sett_ranks_create: %u cells with %u indices each do not fit "
                                  "into the world - create the world with an entity_limit above %u",
                                  (unsigned)r->desc.cells, (unsigned)r->desc.indices,
                                  (unsigned)first + 64);
    }
    r->tag = sett_component_register(
        r->world, &(sett_component_desc){.name = "Ghost of rank", .id = r->desc.ghost_id});
    return r->tag != 0 ? SETT_OK
                       : setti_ranks_report(r, sett_world_error(r->world), "sett_ranks_create: %s",
                                            sett_world_message(r->world));
}

/* A number that is equal where types and options are. */
static sett_status ranks_digest(sett_ranks* r, uint64_t* digest)
{
    size_t size = 0;
    sett_delta_types(r->world, NULL, 0, NULL, 0, &size);
    unsigned char* table = malloc(size + 1);
    if (table == NULL) {
        return SETT_STATUS_OUT_OF_MEMORY;
    }
    sett_status status = sett_delta_types(r->world, NULL, 0, table, size, &size);
    *digest = status == SETT_OK ? setti_ranks_sum(table, size) : 0;
    free(table);
    const uint32_t options[] = {r->desc.cells, r->desc.indices, r->desc.width,   r->desc.bounded,
                                r->types,      r->tag,          r->desc.position};
    *digest ^= setti_ranks_sum(options, sizeof(options));
    *digest ^= setti_ranks_sum(r->size, sizeof(r->size)) * 3;
    *digest ^= setti_ranks_sum(r->ghost, sizeof(r->ghost)) * 5;
    return status;
}

static const char ranks_no_memory[] =
    "sett_ranks_create: memory ran out - use more ranks, or fewer `cells`";

static sett_status ranks_agree(sett_ranks* r, sett_status status)
{
    uint64_t digest = 0;
    status = status == SETT_OK ? ranks_digest(r, &digest) : status;
    bool all = setti_ranks_all(r, status == SETT_OK);
    uint64_t range[2] = {digest, ~digest};
    setti_ranks_reduce(r, range, 2, MPI_MIN);
    if (all && range[0] != ~range[1]) {
        return setti_ranks_report(r, SETT_STATUS_CONFLICT,
                                  "sett_ranks_create: the ranks have different types or options - "
                                  "register the same types and pass the same options on all ranks");
    }
    return all || status != SETT_OK ? status : SETT_STATUS_ARGUMENT;
}

static void ranks_free(sett_ranks* r)
{
    setti_ranks_deinit_cells(r);
    setti_ranks_free_view(&r->view);
    for (uint32_t k = 0; k < r->count && r->out != NULL; k++) {
        free(r->out[k].bytes.at);
    }
    for (uint32_t k = 0; k < r->in_capacity; k++) {
        free(r->in[k].bytes.at);
    }
    free(r->out);
    free(r->in);
    free(r->scratch.at);
    free(r->owned.item);
    free(r->born.item);
    free(r->linked.item);
    free(r->cell);
    free(r->relation);
    free(r->checkpoint);
    MPI_Comm_free(&r->comm);
    free(r);
}

sett_ranks* sett_ranks_create(sett_world* world, MPI_Comm comm, const sett_ranks_desc* desc)
{
    if (ARGUMENT_IS_NULL(world) || ARGUMENT_IS_NULL(desc)) {
        return NULL;
    }
    sett_ranks* r = calloc(1, sizeof(*r));
    if (r == NULL) {
        sett_world_log(world, SETT_LOG_ERROR, ranks_no_memory);
        return NULL;
    }
    r->call = __func__;
    r->world = world;
    r->desc = *desc;
    if (!ranks_connect(r, comm)) {
        sett_world_log(world, SETT_LOG_ERROR,
                       "sett_ranks_create: MPI_Comm_dup failed - pass a communicator of MPI");
        free(r);
        return NULL;
    }
    r->out = calloc(r->count, sizeof(*r->out));
    sett_status status = r->out != NULL ? ranks_check_desc(r) : SETT_STATUS_OUT_OF_MEMORY;
    status = status == SETT_OK ? ranks_take_ghosts(r) : status;
    status = status == SETT_OK ? ranks_take_relations(r) : status;
    status = status == SETT_OK ? ranks_prepare_world(r) : status;
    status = ranks_agree(r, status);
    status = status == SETT_OK ? setti_ranks_init_cells(r) : status;
    if (status == SETT_STATUS_OUT_OF_MEMORY) {
        sett_world_log(world, SETT_LOG_ERROR, ranks_no_memory);
    }
    if (!setti_ranks_all(r, status == SETT_OK)) {
        ranks_free(r);
        return NULL;
    }
    return r;
}

void sett_ranks_destroy(sett_ranks* r)
{
    if (r != NULL) {
        setti_ranks_drop_ghosts(r);
        ranks_free(r);
    }
}

uint32_t sett_ranks_rank(const sett_ranks* r)
{
    return !argument_is_null(r, __func__, "ranks") ? r->rank : 0;
}

uint32_t sett_ranks_count(const sett_ranks* r)
{
    return !argument_is_null(r, __func__, "ranks") ? r->count : 0;
}

uint64_t sett_ranks_tick(const sett_ranks* r)
{
    return !argument_is_null(r, __func__, "ranks") ? r->tick : 0;
}

sett_component sett_ranks_ghost(const sett_ranks* r)
{
    return !argument_is_null(r, __func__, "ranks") ? r->tag : 0;
}

/* ----------------------------------------------------------------------------------------- hash */

/* Lists of sources: which of them are here depends on ranks. */
static sett_status ranks_sum_sources(sett_ranks* r, uint64_t* sum)
{
    sett_status status = SETT_OK;
    for (uint32_t k = 0; k < r->relation_count && status == SETT_OK; k++) {
        const sett_component sources = sett_relationship_sources(r->world, r->relation[k]);
        const sett_selection part = {.entities = r->owned.item,
                                     .entity_count = r->owned.count,
                                     .types = &sources,
                                     .type_count = 1};
        uint64_t more = 0;
        status = sett_selection_hash(r->world, &part, false, &more);
        *sum += more;
    }
    return status;
}

/* The sum that sett_world_hash makes of a world, and its end. */
sett_status setti_ranks_hash(sett_ranks* r, uint64_t* hash)
{
    uint64_t sum = 0;
    uint64_t sources = 0;
    sett_status status = SETT_OK;
    if (r->owned.count != 0) {
        const sett_selection part = {.entities = r->owned.item, .entity_count = r->owned.count};
        status = sett_selection_hash(r->world, &part, true, &sum);
        status = status == SETT_OK ? ranks_sum_sources(r, &sources) : status;
    }
    if (status != SETT_OK) {
        return setti_ranks_fail_status(r, status);
    }
    sum += r->dead_sum - sources;
    setti_ranks_reduce(r, &sum, 1, MPI_SUM);
    sum = (sum ^ (sum >> 30)) * 0xBF58476D1CE4E5B9u;
    sum = (sum ^ (sum >> 27)) * 0x94D049BB133111EBu;
    *hash = sum ^ (sum >> 31);
    return SETT_OK;
}

sett_status sett_ranks_hash(sett_ranks* r, uint64_t* hash)
{
    if (argument_is_null(r, __func__, "ranks") || ARGUMENT_IS_NULL(hash)) {
        return SETT_STATUS_ARGUMENT;
    }
    setti_ranks_enter(r, __func__);
    return setti_ranks_hash(r, hash);
}

void sett_ranks_stats_get(const sett_ranks* r, sett_ranks_stats* stats)
{
    if (ARGUMENT_IS_NULL(stats)) {
        return;
    }
    *stats = (sett_ranks_stats){0};
    if (argument_is_null(r, __func__, "ranks")) {
        return;
    }
    *stats = r->stats;
    stats->cells = r->bounds[r->rank + 1] - r->bounds[r->rank];
    stats->entities = r->owned.count + r->born.count;
    stats->linked = r->linked.count;
    stats->ghosts = 0;
    for (uint32_t k = 0; k < r->peer_count; k++) {
        stats->ghosts += r->peer[k].got.list.count;
    }
}
