/* past.h: the states of the last minutes, the branches of time, and who wrote what. */
#ifndef INSPECTOR_PAST_H
#define INSPECTOR_PAST_H

#include "sett_inspector.h"

#define PAST_BRANCHES 256 /* futures, abandoned ones included */
#define PAST_PATIENCE 10  /* seconds without a page or a request, until all is forgotten */
#define PAST_VALUE 256    /* bytes of a member that can be asked about */

/* A state that can be restored. */
typedef struct past_node {
    uint64_t frame;
    sett_snapshot snapshot;
    uint32_t branch;
    bool edited; /* behind edits, which were made behind the frame */
} past_node;

typedef struct past_branch {
    uint32_t parent; /* of branch 0: itself */
    uint64_t from;   /* the frame in which it leaves the parent */
    uint64_t to;     /* its last frame */
} past_branch;

/* What a frame got from outside. */
typedef struct past_input {
    uint64_t frame; /* frames run before it */
    uint32_t branch;
    size_t size;
    unsigned char* bytes;
} past_input;

/* The hash of the state behind a frame, edits included. */
typedef struct past_hash {
    uint64_t frame;
    uint64_t hash;
    uint32_t branch;
} past_hash;

typedef struct past {
    sett_world* world;
    const sett_inspector_desc* desc;
    past_node* nodes; /* in the order of taking */
    size_t count;
    size_t capacity;
    past_branch* branches;
    uint32_t branch_count;
    uint32_t branch; /* the present one */
    uint64_t rate;
    uint64_t seconds;
    size_t memory;
    past_input* inputs;
    size_t input_count;
    size_t input_capacity;
    past_hash* hashes; /* in the order in which the frames ran */
    size_t hash_count;
    size_t hash_capacity;
    const char* why; /* the last call failed */
    char text[256];  /* that `why` can point to */
} past;

bool setti_past_init(past* of, sett_world* world, const sett_inspector_desc* desc);
void setti_past_deinit(past* of);
void setti_past_clear(past* of);

/* Whether a snapshot behind this frame is needed; takes one. */
bool setti_past_wants(const past* of, uint64_t frame);
bool setti_past_take(past* of, uint64_t frame, bool edited);
void setti_past_note_input(past* of, uint64_t frame);
void setti_past_note_hash(past* of, uint64_t frame, uint32_t branch, uint64_t hash);

/* The state of a frame is about to change: if it has a future, that is abandoned. */
bool setti_past_fork(past* of, uint64_t frame);
/* Nothing was changed: the branch that setti_past_fork began, if it did, ends again. */
void setti_past_unfork(past* of, uint32_t branch);

/* Makes the world that of a frame; the branch becomes the present one. If the frame has to be run
 * again and comes out otherwise, the world stays as it is. */
bool setti_past_restore(past* of, uint32_t branch, uint64_t frame);

uint64_t setti_past_oldest(const past* of, uint64_t frame);
uint64_t setti_past_newest(const past* of, uint64_t frame);

/* Who wrote this? `size` bytes of a component of an entity, in a frame. */
typedef struct past_question {
    sett_entity entity;
    sett_component component;
    uint32_t offset;
    uint32_t size; /* 0: only whether it is there */
    uint64_t frame;
} past_question;

typedef enum past_writer {
    PAST_NOBODY,
    PAST_SYSTEM,
    PAST_COMMANDS,
    PAST_OUTSIDE,
    PAST_NOT_REPRODUCIBLE,
} past_writer;

typedef struct past_answer {
    past_writer kind;
    const sett_system* system;
    uint32_t changes; /* how often it changed in the frame: the last one counts */
    char difference[400];
} past_answer;

bool setti_past_ask(past* of, const past_question* question, uint64_t present, past_answer* answer);

#endif
