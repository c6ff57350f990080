/* exchange.c: messages. All that this add-on asks of MPI is here.
 *
 * An exchange is sparse: a rank sends to the few that it has something for, and no rank knows from
 * whom something comes. So (Hoefler and others, "Scalable communication protocols for dynamic
 * sparse data exchange"): synchronous sends; who has had all of its own received enters a barrier
 * that does not block; when it is complete, all messages have been received.
 *
 * Every wait yields: with more ranks than cores one that spins would stop those that it waits for.
 */
#include "ranks.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXCHANGE_GHOSTS = 1,
    EXCHANGE_ROUND = 2
}; /* tags; and the one after */

static void exchange_wait(MPI_Request* request)
{
    for (int done = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done;) {
        sched_yield();
    }
}

static bool exchange_fits(sett_ranks* r, const ranks_bytes* bytes, uint32_t to)
{
    if (bytes->failed) {
        setti_ranks_fail(r, SETT_STATUS_OUT_OF_MEMORY,
                         "%s: no memory for a message to rank %u - use more ranks, or fewer "
                         "entities",
                         r->call, (unsigned)to);
    } else if (bytes->size > INT_MAX) {
        setti_ranks_fail(r, SETT_STATUS_LIMIT,
                         "%s: a message to rank %u has %lu bytes, and MPI sends up to 2 GB - use "
                         "more ranks, or call sett_ranks_balance more often",
                         r->call, (unsigned)to, (unsigned long)bytes->size);
    }
    return !bytes->failed && bytes->size <= INT_MAX;
}

/* Receives a message that was found. */
static bool exchange_take(MPI_Message* message, const MPI_Status* status, ranks_bytes* bytes)
{
    int size = 0;
    MPI_Request request;
    MPI_Get_count(status, MPI_BYTE, &size);
    bytes->size = 0;
    unsigned char* room = setti_ranks_room(bytes, (size_t)size);
    if (room == NULL) {
        return false;
    }
    MPI_Imrecv(room, size, MPI_BYTE, message, &request);
    exchange_wait(&request);
    return true;
}

void setti_ranks_post(sett_ranks* r, ranks_peer* peer)
{
    if (exchange_fits(r, &peer->out, peer->rank)) {
        MPI_Isend(peer->out.at, (int)peer->out.size, MPI_BYTE, (int)peer->rank, EXCHANGE_GHOSTS,
                  r->comm, &peer->request);
    }
}

void setti_ranks_posted(ranks_peer* peer)
{
    exchange_wait(&peer->request);
}

bool setti_ranks_receive(sett_ranks* r, uint32_t from, ranks_bytes* bytes)
{
    MPI_Message message;
    MPI_Status status;
    for (int found = 0; !found;) {
        MPI_Improbe((int)from, EXCHANGE_GHOSTS, r->comm, &found, &message, &status);
        if (!found) {
            sched_yield();
        }
    }
    return exchange_take(&message, &status, bytes);
}

/* --------------------------------------------------------------------------------------- sparse */

static bool exchange_receive_one(sett_ranks* r, int tag, bool* found)
{
    MPI_Message message;
    MPI_Status status;
    int is = 0;
    MPI_Improbe(MPI_ANY_SOURCE, tag, r->comm, &is, &message, &status);
    *found = is != 0;
    if (!*found) {
        return true;
    }
    if (r->in_count == r->in_capacity) {
        uint32_t capacity = r->in_capacity * 2 + 8;
        ranks_message* in = realloc(r->in, capacity * sizeof(*in));
        if (in == NULL) {
            return false;
        }
        memset(in + r->in_capacity, 0, (capacity - r->in_capacity) * sizeof(*in));
        r->in = in;
        r->in_capacity = capacity;
    }
    ranks_message* to = &r->in[r->in_count++];
    to->rank = (uint32_t)status.MPI_SOURCE;
    return exchange_take(&message, &status, &to->bytes);
}

static bool exchange_is_sent(sett_ranks* r)
{
    bool sent = true;
    for (uint32_t k = 0; k < r->count && sent; k++) {
        int done = 1;
        if (r->out[k].request != MPI_REQUEST_NULL) {
            MPI_Test(&r->out[k].request, &done, MPI_STATUS_IGNORE);
        }
        sent = done != 0;
    }
    return sent;
}

static int exchange_compare(const void* a, const void* b)
{
    uint32_t x = ((const ranks_message*)a)->rank;
    uint32_t y = ((const ranks_message*)b)->rank;
    return (x > y) - (x < y);
}

/* Two rounds in a row have two tags: one rank can be a round ahead of another. */
sett_status setti_ranks_exchange(sett_ranks* r)
{
    int tag = EXCHANGE_ROUND + (r->round++ & 1);
    for (uint32_t k = 0; k < r->count; k++) {
        ranks_message* out = &r->out[k];
        out->request = MPI_REQUEST_NULL;
        if (out->bytes.failed || out->bytes.size != 0) {
            if (!exchange_fits(r, &out->bytes, k)) {
                return SETT_STATUS_LIMIT;
            }
            MPI_Issend(out->bytes.at, (int)out->bytes.size, MPI_BYTE, (int)k, tag, r->comm,
                       &out->request);
        }
    }
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool entered = false;
    r->in_count = 0;
    for (int done = 0; !done;) {
        bool found = false;
        if (!exchange_receive_one(r, tag, &found)) {
            return setti_ranks_fail(r, SETT_STATUS_OUT_OF_MEMORY,
                                    "%s: no memory for a received message - use more ranks, or "
                                    "fewer entities",
                                    r->call);
        }
        if (entered) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else if (exchange_is_sent(r)) {
            MPI_Ibarrier(r->comm, &barrier);
            entered = true;
        }
        if (!done && !found) {
            sched_yield();
        }
    }
    for (uint32_t k = 0; k < r->count; k++) {
        r->out[k].bytes.size = 0;
    }
    if (r->in_count > 1) {
        qsort(r->in, r->in_count, sizeof(*r->in), exchange_compare);
    }
    return SETT_OK;
}

/* ----------------------------------------------------------------------------------- reductions */

void setti_ranks_reduce(const sett_ranks* r, uint64_t* values, int count, MPI_Op op)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, op, r->comm, &request);
    exchange_wait(&request);
}

bool setti_ranks_all(const sett_ranks* r, bool mine)
{
    uint64_t value = mine;
    setti_ranks_reduce(r, &value, 1, MPI_MIN);
    return value != 0;
}
