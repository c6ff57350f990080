/* ranks.h: what the files of this add-on share.
 *
 * The cells are numbered, and each rank has a run of numbers: `bounds` is all that anybody needs to
 * know who has what, on 10,000 ranks 40 KB. Every index belongs to a cell too, its home: the owner
 * of the home knows which of its indices live, wherever that is, and which generation comes next.
 *
 *     cell            0 1 2 | 3 4 | 5 6 7          bounds = 0, 3, 5, 8
 *     index           cell * indices + k           handles of one cell, whichever rank has it
 *     owned           entities of this rank, ascending by index, and the cell of each
 *     views           for each rank beside: what we have sent of ours, what we have got of theirs
 *
 * Invariants, between calls:
 *     an entity with an index below cells * indices is in `owned` of exactly one rank
 *     any other such entity in a world is a ghost and has the tag
 *     the world of the home's owner has the dead slots of the home; no other world has
 *     what one rank has sent = what the other has got, for each pair
 */
#ifndef SETT_RANKS_PRIVATE_H
#define SETT_RANKS_PRIVATE_H

#include "sett_mpi.h"

#define RANKS_TYPES (SETT_RANKS_GHOSTS + 1)
#define RANKS_GENERATION_MAX 0x7FFFFFFFu /* of a handle; entities with it have no successor */
#define RANKS_DEAD 0x80000000u

/* Bytes that are written, and bytes that are read. `failed`: memory ran out. */
typedef struct ranks_bytes {
    unsigned char* at;
    size_t size, capacity;
    bool failed;
} ranks_bytes;

/* `bad`: there was less than was wanted. */
typedef struct ranks_reader {
    const unsigned char* at;
    const unsigned char* end;
    bool bad;
} ranks_reader;

typedef struct ranks_list {
    sett_entity* item;
    uint32_t count, capacity;
} ranks_list;

/* The indices of a cell that has been home of an entity. */
typedef struct ranks_home {
    uint32_t* next;  /* of each index the generation that lives, or comes next; NULL: none ever */
    uint64_t* taken; /* a bit for each that lives, or has used all generations */
    bool moved;      /* it had another owner before */
} ranks_home;

/* Ghosts that one rank sends another, as both remember them: columns of values. */
typedef struct ranks_view {
    ranks_list list;                    /* ascending */
    unsigned char* column[RANKS_TYPES]; /* [0]: a bit for each type that is absent */
    uint32_t capacity;                  /* of the columns, in rows */
} ranks_view;

typedef struct ranks_peer {
    uint32_t rank;
    ranks_view sent, got;
    ranks_bytes out;
    MPI_Request request;
} ranks_peer;

/* What one rank sends another in an exchange. */
typedef struct ranks_message {
    uint32_t rank;
    ranks_bytes bytes;
    MPI_Request request;
} ranks_message;

struct sett_ranks {
    sett_world* world;
    const char* call; /* that the program is in, for messages */
    bool failed;      /* the call has reported its failure */
    sett_ranks_desc desc;
    MPI_Comm comm;
    uint32_t rank, count;
    uint64_t tick;
    sett_component tag;
    /* ghosts */
    sett_component ghost[RANKS_TYPES]; /* [0] is none */
    uint32_t size[RANKS_TYPES];        /* bytes of a value; of [0]: of the bits */
    uint32_t types;                    /* ghost types and one */
    ranks_peer* peer;                  /* ascending */
    uint32_t peer_count;
    ranks_view view; /* the next one */
    ranks_bytes scratch;
    bool begun;
    /* cells */
    uint32_t* bounds;      /* count + 1 */
    ranks_home* home;      /* of all cells; only those of this rank have indices */
    uint32_t* reach_begin; /* of each of this rank's cells, and one more, */
    uint32_t* reach;       /* the peers that see it */
    uint64_t full;         /* how often a home had no free index */
    uint64_t dead_sum;     /* of the hash: slots of this rank's homes that are dead */
    /* entities */
    ranks_list owned, born, linked;
    uint32_t* cell; /* of each that is owned */
    uint32_t cell_capacity;
    sett_component* relation;
    uint32_t relation_count;
    /* exchanges */
    ranks_message* out; /* one a rank, while a step collects; most are empty */
    ranks_message* in;  /* ascending by rank */
    uint32_t in_count, in_capacity;
    int round;
    /* files */
    char* checkpoint; /* the last one that is complete, or NULL */
    uint64_t checkpoint_tick;
    uint32_t checkpoint_parts;
    sett_ranks_stats stats;
};

/* ---- bytes.c */
void setti_ranks_write(ranks_bytes* to, const void* bytes, size_t size);
void setti_ranks_write_u32(ranks_bytes* to, uint32_t value);
void setti_ranks_write_u64(ranks_bytes* to, uint64_t value);
void setti_ranks_write_varint(ranks_bytes* to, uint64_t value);
unsigned char* setti_ranks_room(ranks_bytes* to, size_t size); /* NULL: no memory */
void setti_ranks_write_list(ranks_bytes* to, const ranks_list* list);
const unsigned char* setti_ranks_read(ranks_reader* from, size_t size);
uint32_t setti_ranks_read_u32(ranks_reader* from);
uint64_t setti_ranks_read_u64(ranks_reader* from);
uint64_t setti_ranks_read_varint(ranks_reader* from);
/* Handles of the simulation, ascending by index, each once. */
bool setti_ranks_read_list(const sett_ranks* r, ranks_reader* from, ranks_list* list);
bool setti_ranks_push(ranks_list* list, sett_entity entity);
bool setti_ranks_find(const ranks_list* list, sett_entity entity, uint32_t* at);
void setti_ranks_sort(ranks_list* list);
uint64_t setti_ranks_sum(const void* bytes, size_t size);

/* ---- ranks.c */
/* Begins a call of the program. */
void setti_ranks_enter(sett_ranks* r, const char* call);
/* Reports a failure of the call, once, and ends the run, unless the program's callback returns. */
sett_status setti_ranks_fail(sett_ranks* r, sett_status status, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* Logs, and returns `status`. */
sett_status setti_ranks_report(const sett_ranks* r, sett_status status, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

sett_status setti_ranks_hash(sett_ranks* r, uint64_t* hash);
/* Fails with the reason that a status has: memory, another rank's data, or the world's message. */
sett_status setti_ranks_fail_status(sett_ranks* r, sett_status status);

/* For messages of MPI: names the last checkpoint. */
void setti_ranks_name(const sett_ranks* r);

/* ---- exchange.c */
/* Sends r->out[k] to rank k where it is not empty, and receives into r->in. */
sett_status setti_ranks_exchange(sett_ranks* r);
/* Begins to send, waits for it, and receives from one rank; what is received replaces `bytes`. */
void setti_ranks_post(sett_ranks* r, ranks_peer* peer);
void setti_ranks_posted(ranks_peer* peer);
bool setti_ranks_receive(sett_ranks* r, uint32_t from, ranks_bytes* bytes);
/* Over all ranks; without using a core that another rank needs. */
void setti_ranks_reduce(const sett_ranks* r, uint64_t* values, int count, MPI_Op op);
bool setti_ranks_all(const sett_ranks* r, bool mine);

/* ---- cells.c */
sett_status setti_ranks_init_cells(sett_ranks* r);
sett_status setti_ranks_balance(sett_ranks* r);
void setti_ranks_deinit_cells(sett_ranks* r);
uint32_t setti_ranks_owner(const sett_ranks* r, uint32_t cell);
/* The peers of these bounds, with empty views. */
bool setti_ranks_find_peers(sett_ranks* r);
void setti_ranks_free_peers(sett_ranks* r);
uint32_t setti_ranks_around(const sett_ranks* r, uint32_t cell, uint32_t* out);
bool setti_ranks_dies(sett_ranks* r, sett_entity entity);
/* A dead slot, whose next generation is given, appears in the world, or leaves it. */
sett_status setti_ranks_bury(sett_ranks* r, sett_entity last);
sett_status setti_ranks_unbury(sett_ranks* r, sett_entity last);
uint64_t setti_ranks_slot(sett_entity slot);
void setti_ranks_write_home(sett_ranks* r, ranks_bytes* to, uint32_t cell);
sett_status setti_ranks_read_home(sett_ranks* r, ranks_reader* from);
sett_status setti_ranks_drop_home(sett_ranks* r, uint32_t cell);

/* ---- ghosts.c */
bool setti_ranks_encode_view(sett_ranks* r, const ranks_view* old, const ranks_view* now,
                             ranks_bytes* out);
sett_status setti_ranks_decode_view(sett_ranks* r, const ranks_view* old, ranks_view* now,
                                    ranks_list* gone, ranks_list* come, ranks_reader* from,
                                    uint32_t* changed);
void setti_ranks_free_view(ranks_view* view);
/* A ghost is not to be seen any more: forgotten, unless a link leads to it. */
sett_status setti_ranks_drop_ghost(sett_ranks* r, sett_entity entity);
sett_status setti_ranks_drop_ghosts(sett_ranks* r);

/* ---- move.c */
/* Hands entities over to the owners by new bounds, which replace the present ones if not NULL. */
sett_status setti_ranks_settle(sett_ranks* r, uint32_t* bounds, bool ends);
/* Writes entities with all they have; reads them, as this rank's own. */
sett_status setti_ranks_pack(sett_ranks* r, const ranks_list* list, ranks_bytes* to);
sett_status setti_ranks_unpack(sett_ranks* r, ranks_reader* from);
/* Whether links lead from here to an entity. */
bool setti_ranks_is_linked(const sett_ranks* r, sett_entity entity);

#endif
