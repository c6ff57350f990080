/* past.c: the states of the last minutes, and what can be found out with them.
 *
 * The workload: a snapshot each second, and what was edited; frames between are run again by the
 * program. Without `run_frame` a snapshot each frame, as far as memory goes.
 *
 *     branch 1    0 ---- 35 ---- 70 ---- 105          abandoned at 70
 *     branch 2                     \---- 105 ---- 140
 *
 * A node is the state behind its frame. If it was edited there, a second node of the same frame has
 * the state after that: the next frame begins with it.
 *
 * A frame that was run again is compared with the hash that the stream had of it; without a stream,
 * the next node is, when the frames up to it were run again too.
 *
 * Invariant:  nodes of a branch ascend by frame; frames between two of them can be run again from
 *             the first, because no request has edited anything between
 */
#include "past.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool past_fail(past* of, const char* why)
{
    of->why = why;
    return false;
}

/* ---------------------------------------------------------------------------------------- nodes */

static past_branch* past_branch_of(const past* of, uint32_t id)
{
    return &of->branches[id];
}

/* The last node of a branch, or of those it came from, that is not behind a frame. `plain`: not one
 * that was edited. */
static past_node* past_find(const past* of, uint32_t branch, uint64_t frame, bool plain)
{
    for (;;) {
        for (size_t k = of->count; k-- != 0;) {
            past_node* node = &of->nodes[k];
            if (node->branch == branch && node->frame <= frame && !(plain && node->edited)) {
                return node;
            }
        }
        if (branch == 0) {
            return NULL;
        }
        const past_branch* from = past_branch_of(of, branch);
        frame = frame < from->from ? frame : from->from;
        branch = from->parent;
    }
}

/* The first node of a branch that is not before a frame. */
static past_node* past_find_after(const past* of, uint32_t branch, uint64_t frame)
{
    for (size_t k = 0; k < of->count; k++) {
        past_node* node = &of->nodes[k];
        if (node->branch == branch && node->frame >= frame) {
            return node;
        }
    }
    return NULL;
}

static void past_drop(past* of, size_t k)
{
    (void)sett_snapshot_drop(of->world, of->nodes[k].snapshot);
    memmove(&of->nodes[k], &of->nodes[k + 1], (of->count - k - 1) * sizeof(*of->nodes));
    of->count--;
}

/* Whether a node between two others can go: its frame can be run again. */
static bool past_is_spare(const past* of, size_t k)
{
    const past_node* node = &of->nodes[k];
    const past_node* next = &of->nodes[k + 1];
    return of->desc->run_frame != NULL && !node->edited && !next->edited &&
           node->branch == next->branch && node->frame % of->rate != 0 && k != 0 &&
           of->nodes[k - 1].branch == node->branch;
}

static void past_limit(past* of)
{
    sett_snapshot_stats stats;
    uint64_t newest = of->nodes[of->count - 1].frame;
    if (of->count > 2 && past_is_spare(of, of->count - 2)) {
        past_drop(of, of->count - 2);
    }
    sett_snapshot_stats_get(of->world, &stats);
    while (of->count > 1 &&
           (stats.page_size > of->memory || of->nodes[0].frame + of->rate * of->seconds < newest)) {
        past_drop(of, 0);
        sett_snapshot_stats_get(of->world, &stats);
    }
}

bool setti_past_take(past* of, uint64_t frame, bool edited)
{
    past_node node = {frame, {0, 0}, of->branch, edited};
    if (of->count == of->capacity) {
        size_t capacity = of->capacity * 2 + 64;
        past_node* nodes = realloc(of->nodes, capacity * sizeof(*nodes));
        if (nodes == NULL) {
            return past_fail(of, "memory ran out");
        }
        of->nodes = nodes;
        of->capacity = capacity;
    }
    if (sett_snapshot_take(of->world, &node.snapshot) != SETT_OK) {
        return past_fail(of, sett_world_message(of->world));
    }
    of->nodes[of->count++] = node;
    past_branch* branch = past_branch_of(of, of->branch);
    branch->to = frame > branch->to ? frame : branch->to;
    past_limit(of);
    return true;
}

void setti_past_clear(past* of)
{
    while (of->count != 0) {
        past_drop(of, of->count - 1);
    }
    while (of->input_count != 0) {
        free(of->inputs[--of->input_count].bytes);
    }
    of->hash_count = 0;
}

bool setti_past_init(past* of, sett_world* world, const sett_inspector_desc* desc)
{
    of->world = world;
    of->desc = desc;
    of->rate = desc->frame_rate != 0 ? desc->frame_rate : 60;
    of->seconds = desc->seconds != 0 ? desc->seconds : 300;
    of->memory = desc->memory_limit != 0 ? desc->memory_limit : (size_t)256 << 20;
    of->branches = calloc(PAST_BRANCHES, sizeof(*of->branches));
    of->branch_count = 1;
    return of->branches != NULL;
}

void setti_past_deinit(past* of)
{
    setti_past_clear(of);
    free(of->inputs);
    free(of->hashes);
    free(of->nodes);
    free(of->branches);
}

uint64_t setti_past_oldest(const past* of, uint64_t frame)
{
    return of->count != 0 && of->nodes[0].frame < frame ? of->nodes[0].frame : frame;
}

uint64_t setti_past_newest(const past* of, uint64_t frame)
{
    uint64_t to = past_branch_of(of, of->branch)->to;
    return to > frame ? to : frame;
}

bool setti_past_wants(const past* of, uint64_t frame)
{
    return of->desc->run_frame == NULL || of->count == 0 || frame % of->rate == 0;
}

/* Something is about to change a state that has a future already: that future is abandoned. */
bool setti_past_fork(past* of, uint64_t frame)
{
    if (past_branch_of(of, of->branch)->to <= frame) {
        return true;
    }
    if (of->branch_count == PAST_BRANCHES) {
        return past_fail(of, "there are too many branches - go on in one of them");
    }
    uint32_t id = of->branch_count++;
    of->branches[id] = (past_branch){of->branch, frame, frame};
    of->branch = id;
    return true;
}

void setti_past_unfork(past* of, uint32_t branch)
{
    if (of->branch == branch) {
        return;
    }
    while (of->count != 0 && of->nodes[of->count - 1].branch == of->branch) {
        past_drop(of, of->count - 1);
    }
    of->branch_count--;
    of->branch = branch;
}

/* --------------------------------------------------------------------------------------- inputs */

void setti_past_note_input(past* of, uint64_t frame)
{
    unsigned char bytes[4096];
    if (of->desc->input_get == NULL) {
        return;
    }
    const past_input* last = of->input_count != 0 ? &of->inputs[of->input_count - 1] : NULL;
    if (last != NULL && last->frame == frame && last->branch == of->branch) {
        free(of->inputs[--of->input_count].bytes); /* the program has not run the frame yet */
    }
    size_t size = of->desc->input_get(of->desc->user, frame, bytes, sizeof(bytes));
    if (of->input_count == of->input_capacity) {
        size_t capacity = of->input_capacity * 2 + 256;
        past_input* inputs = realloc(of->inputs, capacity * sizeof(*inputs));
        if (inputs == NULL) {
            return;
        }
        of->inputs = inputs;
        of->input_capacity = capacity;
    }
    past_input input = {frame, of->branch, size < sizeof(bytes) ? size : sizeof(bytes), NULL};
    input.bytes = malloc(input.size + 1);
    if (input.bytes != NULL) {
        memcpy(input.bytes, bytes, input.size);
        of->inputs[of->input_count++] = input;
    }
}

/* The frame behind `frame` gets what it got then. */
static void past_feed_input(const past* of, uint32_t branch, uint64_t frame)
{
    if (of->desc->input_set == NULL) {
        return;
    }
    for (; branch != 0 && frame < past_branch_of(of, branch)->from;) {
        branch = past_branch_of(of, branch)->parent;
    }
    for (size_t k = of->input_count; k-- != 0;) {
        const past_input* input = &of->inputs[k];
        if (input->frame == frame && input->branch == branch) {
            of->desc->input_set(of->desc->user, frame, input->bytes, input->size);
            return;
        }
    }
}

/* --------------------------------------------------------------------------------------- hashes */

/* Forgets those of frames before the first node. */
static void past_prune_hashes(past* of)
{
    size_t left = 0;
    for (size_t k = 0; k < of->hash_count; k++) {
        if (of->count != 0 && of->hashes[k].frame >= of->nodes[0].frame) {
            of->hashes[left++] = of->hashes[k];
        }
    }
    of->hash_count = left;
}

void setti_past_note_hash(past* of, uint64_t frame, uint32_t branch, uint64_t hash)
{
    const past_hash* last = of->hash_count != 0 ? &of->hashes[of->hash_count - 1] : NULL;
    if (last != NULL && last->frame == frame && last->branch == branch) {
        of->hash_count--; /* edited meanwhile */
    }
    if (of->hash_count == of->hash_capacity) {
        past_prune_hashes(of);
    }
    if (of->hash_count * 2 >= of->hash_capacity) {
        size_t capacity = of->hash_capacity * 2 + 256;
        past_hash* hashes = realloc(of->hashes, capacity * sizeof(*hashes));
        if (hashes == NULL) {
            return;
        }
        of->hashes = hashes;
        of->hash_capacity = capacity;
    }
    of->hashes[of->hash_count++] = (past_hash){frame, hash, branch};
}

/* The hash of a frame of a branch, or of those it came from; NULL if there was no stream. */
static const past_hash* past_find_hash(const past* of, uint32_t branch, uint64_t frame)
{
    for (;;) {
        for (size_t k = of->hash_count; k-- != 0;) {
            if (of->hashes[k].frame == frame && of->hashes[k].branch == branch) {
                return &of->hashes[k];
            }
        }
        if (branch == 0 || frame > past_branch_of(of, branch)->from) {
            return NULL;
        }
        branch = past_branch_of(of, branch)->parent;
    }
}

/* ------------------------------------------------------------------------------------ restoring */

static bool past_restore_node(past* of, sett_snapshot snapshot)
{
    if (sett_snapshot_restore(of->world, snapshot) != SETT_OK) {
        return past_fail(of, sett_world_message(of->world));
    }
    if (of->desc->restored != NULL) {
        of->desc->restored(of->desc->user);
    }
    return true;
}

/* Runs frames again, from `at` to `frame`. */
static bool past_replay(past* of, uint32_t branch, uint64_t at, uint64_t frame)
{
    if (at < frame && of->desc->run_frame == NULL) {
        return past_fail(
            of, "this frame is not stored - set sett_inspector_desc.run_frame to run it again");
    }
    sett_world_set_replaying(of->world, true);
    for (; at < frame; at++) {
        past_feed_input(of, branch, at);
        of->desc->run_frame(of->desc->user);
    }
    sett_world_set_replaying(of->world, false);
    return true;
}

/* The world becomes that of a frame. */
static bool past_go(past* of, uint32_t branch, uint64_t frame)
{
    const past_node* node = past_find(of, branch, frame, false);
    if (node == NULL) {
        uint64_t oldest = setti_past_oldest(of, past_branch_of(of, branch)->to);
        (void)snprintf(
            of->text, sizeof(of->text),
            "frame %llu is not stored; the oldest that is: %llu. Frames are stored while "
            "/stream is open, and for %u seconds after a request, within `seconds` and "
            "`memory_limit`",
            (unsigned long long)frame, (unsigned long long)oldest, (unsigned)PAST_PATIENCE);
        return past_fail(of, of->text);
    }
    if (node->frame < frame && of->desc->run_frame == NULL) {
        return past_fail(
            of, "this frame is not stored - set sett_inspector_desc.run_frame to run it again");
    }
    return past_restore_node(of, node->snapshot) && past_replay(of, branch, node->frame, frame);
}

/* The branch in which a frame ran. */
static uint32_t past_owner(const past* of, uint32_t branch, uint64_t frame)
{
    while (branch != 0 && frame <= past_branch_of(of, branch)->from) {
        branch = past_branch_of(of, branch)->parent;
    }
    return branch;
}

/* Whether the frames behind this one, run from the state now, lead to a node; that is the state
 * afterwards too. */
static bool past_leads_to(past* of, uint32_t branch, uint64_t frame, const past_node* node)
{
    sett_snapshot here;
    if (sett_snapshot_take(of->world, &here) != SETT_OK) {
        return true;
    }
    (void)past_replay(of, branch, frame, node->frame);
    uint64_t hash = sett_world_hash(of->world);
    bool same = !past_restore_node(of, node->snapshot) || sett_world_hash(of->world) == hash;
    (void)past_restore_node(of, here);
    (void)sett_snapshot_drop(of->world, here);
    return same;
}

/* Whether the state now is that of a frame, to which past_go went. */
static bool past_check(past* of, uint32_t branch, uint64_t frame)
{
    const past_node* before = past_find(of, branch, frame, false);
    uint32_t owner = past_owner(of, branch, frame);
    const past_node* after = past_find_after(of, owner, frame);
    const past_hash* known = past_find_hash(of, branch, frame);
    bool same = before->frame == frame;
    if (!same && known != NULL) {
        same = sett_world_hash(of->world) == known->hash;
    } else if (!same) {
        same = after == NULL || past_leads_to(of, owner, frame, after);
    }
    if (same) {
        return true;
    }
    bool nearer = after != NULL && after->frame - frame < frame - before->frame;
    (void)snprintf(
        of->text, sizeof(of->text),
        "frame %llu cannot be reproduced: it depended on something outside of the world, "
        "such as input between frames without input_get; the nearest stored frame is "
        "%llu",
        (unsigned long long)frame, (unsigned long long)(nearer ? after->frame : before->frame));
    return past_fail(of, of->text);
}

bool setti_past_restore(past* of, uint32_t branch, uint64_t frame)
{
    sett_snapshot end;
    if (branch >= of->branch_count || frame > past_branch_of(of, branch)->to) {
        return past_fail(of, "there is no such frame");
    }
    if (sett_snapshot_take(of->world, &end) != SETT_OK) {
        return past_fail(of, sett_world_message(of->world));
    }
    bool done = past_go(of, branch, frame) && past_check(of, branch, frame);
    if (done) {
        of->branch = branch;
    } else {
        const char* why = of->why;
        (void)past_restore_node(of, end);
        of->why = why;
    }
    (void)sett_snapshot_drop(of->world, end);
    return done;
}

/* -------------------------------------------------------------------------------------- writers */

/* What is watched while a frame runs again. */
typedef struct past_watch {
    const past_question* question;
    past_answer* answer;
    unsigned char value[PAST_VALUE];
    bool present;
} past_watch;

/* The bytes of what is asked about. False: it is not there. */
static bool past_read(const sett_world* world, const past_question* of, unsigned char* out)
{
    const void* value = sett_find(world, of->entity, of->component);
    memset(out, 0, PAST_VALUE);
    if (value != NULL && of->size != 0) {
        memcpy(out, (const unsigned char*)value + of->offset, of->size);
    }
    return value != NULL || sett_has(world, of->entity, of->component);
}

/* Whether it has changed since the last look. */
static bool past_look(const sett_world* world, past_watch* watch)
{
    unsigned char value[PAST_VALUE];
    bool present = past_read(world, watch->question, value);
    bool changed = present != watch->present || memcmp(value, watch->value, PAST_VALUE) != 0;
    memcpy(watch->value, value, PAST_VALUE);
    watch->present = present;
    return changed;
}

static void past_step(sett_world* world, sett_system* system, bool commands, void* user)
{
    past_watch* watch = user;
    if (past_look(world, watch)) {
        watch->answer->system = system;
        watch->answer->kind = system == NULL ? PAST_OUTSIDE
                              : commands     ? PAST_COMMANDS
                                             : PAST_SYSTEM;
        watch->answer->changes++;
    }
}

/* Runs the frame that is asked about again, step by step. */
static bool past_run_watched(past* of, const past_question* question, past_answer* answer)
{
    past_watch watch = {.question = question, .answer = answer};
    watch.present = past_read(of->world, question, watch.value);
    if (sett_schedule_watch(of->world, past_step, &watch) != SETT_OK) {
        return past_fail(of, sett_world_message(of->world));
    }
    bool done = past_replay(of, of->branch, question->frame - 1, question->frame);
    (void)sett_schedule_watch(of->world, NULL, NULL);
    if (done && past_look(of->world, &watch)) {
        answer->kind = PAST_OUTSIDE;
        answer->changes++;
    }
    return done;
}

/* Whether the state now is that of a snapshot; if not, the first difference. */
static bool past_is_same(past* of, sett_snapshot now, sett_snapshot then, past_answer* answer)
{
    uint64_t hash = sett_world_hash(of->world);
    if (!past_restore_node(of, then) || sett_world_hash(of->world) == hash) {
        return true;
    }
    sett_world* other = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    if (other != NULL && sett_world_clone(of->world, other) == SETT_OK &&
        past_restore_node(of, now)) {
        (void)sett_world_difference(other, of->world, answer->difference,
                                    sizeof(answer->difference));
    }
    (void)sett_world_destroy(other);
    return false;
}

/* Runs on to the next stored state, and compares. */
static bool past_compare(past* of, const past_question* question, uint64_t present,
                         sett_snapshot end, past_answer* answer)
{
    sett_snapshot now;
    const past_node* node = past_find_after(of, of->branch, question->frame);
    if (node == NULL && sett_snapshot_status(of->world, end) != SETT_OK) {
        return true; /* an abandoned future, of which nothing later is stored */
    }
    uint64_t frame = node != NULL ? node->frame : present;
    sett_snapshot then = node != NULL ? node->snapshot : end;
    if (frame < question->frame || !past_replay(of, of->branch, question->frame, frame) ||
        sett_snapshot_take(of->world, &now) != SETT_OK) {
        return true;
    }
    bool same = past_is_same(of, now, then, answer);
    (void)sett_snapshot_drop(of->world, now);
    return same;
}

/* Whether it was changed between frames: by a request, or by the program. */
static bool past_was_edited(past* of, const past_question* question)
{
    past_watch watch = {.question = question};
    const past_node* after = past_find(of, of->branch, question->frame, false);
    const past_node* before = past_find(of, of->branch, question->frame, true);
    if (after == NULL || before == NULL || after == before || after->frame != question->frame ||
        before->frame != question->frame || !past_restore_node(of, before->snapshot)) {
        return false;
    }
    watch.present = past_read(of->world, question, watch.value);
    return past_restore_node(of, after->snapshot) && past_look(of->world, &watch);
}

static bool past_ask_back(past* of, const past_question* question, uint64_t present,
                          sett_snapshot end, past_answer* answer)
{
    if (past_was_edited(of, question)) {
        answer->kind = PAST_OUTSIDE;
        answer->changes = 1;
        return true;
    }
    if (!past_go(of, of->branch, question->frame - 1) || !past_run_watched(of, question, answer)) {
        return false;
    }
    if (!past_compare(of, question, present, end, answer)) {
        answer->kind = PAST_NOT_REPRODUCIBLE;
    }
    return true;
}

bool setti_past_ask(past* of, const past_question* question, uint64_t present, past_answer* answer)
{
    sett_snapshot end;
    memset(answer, 0, sizeof(*answer));
    if (question->frame == 0 || question->frame > present) {
        return past_fail(of, "there is no frame before it");
    }
    if (of->desc->run_frame == NULL) {
        return past_fail(of, "frames cannot be run again - set sett_inspector_desc.run_frame");
    }
    if (sett_snapshot_take(of->world, &end) != SETT_OK) {
        return past_fail(of, sett_world_message(of->world));
    }
    uint32_t branch = of->branch;
    of->branch = past_owner(of, branch, question->frame);
    bool done = past_ask_back(of, question, present,
                              of->branch == branch ? end : (sett_snapshot){0, 0}, answer);
    of->branch = branch;
    const char* why = of->why;
    done = past_restore_node(of, end) && done;
    of->why = why;
    (void)sett_snapshot_drop(of->world, end);
    return done;
}
