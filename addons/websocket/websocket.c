/* websocket.c: see sett_websocket.h.
 *
 * civetweb has a thread for each connection. What these receive goes into one queue, which the
 * game's thread empties; of one page it has at most WEBSOCKET_WAITING datagrams, so a page that
 * floods takes no other's place. A message that is no datagram ends its connection.
 *
 * Invariant:  waiting[k] = datagrams of page k in the queue */
#include "../argument.h"
#include "sett_websocket.h"

#include <civetweb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEBSOCKET_WAITING 16u
#define WEBSOCKET_BINARY (0x80 | MG_WEBSOCKET_OPCODE_BINARY) /* all of a message at once */

typedef struct websocket_datagram {
    uint32_t peer, size;
    unsigned char bytes[SETT_NET_DATAGRAM];
} websocket_datagram;

struct sett_websocket {
    struct mg_context* context;
    pthread_mutex_t lock; /* for all that follows */
    uint32_t peers;
    struct mg_connection* connection[SETT_WEBSOCKET_PEERS]; /* NULL: the number is free */
    uint32_t waiting[SETT_WEBSOCKET_PEERS];
    websocket_datagram* queue; /* a ring of peers x WEBSOCKET_WAITING */
    uint32_t first, count;
};

/* Returns the number of a connection, `peers` if it has none; NULL: the first that is free. */
static uint32_t websocket_number(const sett_websocket* net, const struct mg_connection* of)
{
    uint32_t k = 0;
    while (k < net->peers && net->connection[k] != of) {
        k++;
    }
    return k;
}

static int websocket_connect(const struct mg_connection* from, void* user)
{
    sett_websocket* net = user;
    (void)from;
    pthread_mutex_lock(&net->lock);
    const int full = websocket_number(net, NULL) == net->peers;
    pthread_mutex_unlock(&net->lock);
    return full;
}

static void websocket_ready(struct mg_connection* from, void* user)
{
    sett_websocket* net = user;
    pthread_mutex_lock(&net->lock);
    const uint32_t number = websocket_number(net, NULL);
    if (number < net->peers) { /* else another page was faster: its first message ends it */
        net->connection[number] = from;
    }
    pthread_mutex_unlock(&net->lock);
}

static int websocket_data(struct mg_connection* from, int bits, char* bytes, size_t size,
                          void* user)
{
    sett_websocket* net = user;
    const int opcode = bits & 0xF;
    if (opcode == MG_WEBSOCKET_OPCODE_PING || opcode == MG_WEBSOCKET_OPCODE_PONG) {
        return 1;
    }
    pthread_mutex_lock(&net->lock);
    const uint32_t number = websocket_number(net, from);
    const bool fits = (bits & 0xFF) == WEBSOCKET_BINARY && size > 0 && size <= SETT_NET_DATAGRAM &&
                      number < net->peers;
    if (fits && net->waiting[number] < WEBSOCKET_WAITING) {
        websocket_datagram* to =
            &net->queue[(net->first + net->count++) % (net->peers * WEBSOCKET_WAITING)];
        to->peer = number;
        to->size = (uint32_t)size;
        memcpy(to->bytes, bytes, size);
        net->waiting[number]++;
    }
    pthread_mutex_unlock(&net->lock);
    return fits;
}

static void websocket_close(const struct mg_connection* from, void* user)
{
    sett_websocket* net = user;
    pthread_mutex_lock(&net->lock);
    const uint32_t number = websocket_number(net, from);
    if (number < net->peers) {
        net->connection[number] = NULL; /* what it sent is still received */
    }
    pthread_mutex_unlock(&net->lock);
}

static void websocket_send(void* user, uint32_t peer, const void* bytes, uint32_t size)
{
    sett_websocket* net = user;
    pthread_mutex_lock(&net->lock); /* so it is not closed meanwhile */
    if (peer < net->peers && net->connection[peer] != NULL) {
        (void)mg_websocket_write(net->connection[peer], MG_WEBSOCKET_OPCODE_BINARY, bytes, size);
    }
    pthread_mutex_unlock(&net->lock);
}

static uint32_t websocket_receive(void* user, uint32_t* peer, void* out, uint32_t capacity)
{
    sett_websocket* net = user;
    uint32_t size = 0;
    pthread_mutex_lock(&net->lock);
    while (net->count != 0 && size == 0) {
        const websocket_datagram* from = &net->queue[net->first];
        net->first = (net->first + 1) % (net->peers * WEBSOCKET_WAITING);
        net->count--;
        net->waiting[from->peer]--;
        if (from->size <= capacity) {
            size = from->size;
            *peer = from->peer;
            memcpy(out, from->bytes, size);
        }
    }
    pthread_mutex_unlock(&net->lock);
    return size;
}

static bool websocket_listen(sett_websocket* net, const char* address, const char* folder)
{
    static const struct mg_callbacks none;
    char threads[16];
    snprintf(threads, sizeof(threads), "%u", (unsigned)net->peers + 4);
    const char* options[] = {"listening_ports",
                             address,
                             "num_threads",
                             threads,
                             "websocket_timeout_ms",
                             "30000",
                             "request_timeout_ms",
                             "2000",
                             "enable_directory_listing",
                             "no",
                             "tcp_nodelay",
                             "1",
                             folder != NULL ? "document_root" : NULL,
                             folder,
                             NULL};
    (void)mg_init_library(0);
    net->context = mg_start(&none, net, options);
    if (net->context == NULL) {
        (void)mg_exit_library();
        return false;
    }
    mg_set_websocket_handler(net->context, "/net", websocket_connect, websocket_ready,
                             websocket_data, websocket_close, net);
    return true;
}

sett_websocket* sett_websocket_create(const char* address, const char* folder, uint32_t peers)
{
    sett_websocket* net = !ARGUMENT_IS_NULL(address) && peers != 0 && peers <= SETT_WEBSOCKET_PEERS
                              ? calloc(1, sizeof(*net))
                              : NULL;
    if (net == NULL) {
        return NULL;
    }
    net->peers = peers;
    net->queue = calloc((size_t)peers * WEBSOCKET_WAITING, sizeof(*net->queue));
    if (net->queue == NULL || pthread_mutex_init(&net->lock, NULL) != 0) {
        free(net->queue);
        free(net);
        return NULL;
    }
    if (!websocket_listen(net, address, folder)) {
        sett_websocket_destroy(net);
        return NULL;
    }
    return net;
}

void sett_websocket_destroy(sett_websocket* net)
{
    if (net == NULL) {
        return;
    }
    if (net->context != NULL) {
        mg_stop(net->context);
        (void)mg_exit_library();
    }
    pthread_mutex_destroy(&net->lock);
    free(net->queue);
    free(net);
}

uint16_t sett_websocket_port(const sett_websocket* net)
{
    struct mg_server_port port[1] = {{.port = 0}};
    return !ARGUMENT_IS_NULL(net) && mg_get_server_ports(net->context, 1, port) > 0
               ? (uint16_t)port[0].port
               : 0;
}

uint32_t sett_websocket_count(sett_websocket* net)
{
    uint32_t count = 0;
    if (ARGUMENT_IS_NULL(net)) {
        return 0;
    }
    pthread_mutex_lock(&net->lock);
    for (uint32_t k = 0; k < net->peers; k++) {
        count += net->connection[k] != NULL;
    }
    pthread_mutex_unlock(&net->lock);
    return count;
}

sett_net_transport sett_websocket_transport(sett_websocket* net)
{
    sett_net_transport transport = {net, websocket_send, websocket_receive};
    return !ARGUMENT_IS_NULL(net) ? transport : (sett_net_transport){.user = NULL};
}
