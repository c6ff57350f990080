/* test_websocket.c: messages of pages are datagrams; what is none, and who is too many, is out. */
#include "check.h"
#include "sett/sett.h"
#include "sett_websocket.h"

#include <civetweb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* A page. */
typedef struct page {
    struct mg_connection* connection;
    unsigned char bytes[SETT_NET_DATAGRAM];
    atomic_uint size; /* of the latest message */
    atomic_bool closed;
} page;

static int page_data(struct mg_connection* of, int bits, char* bytes, size_t size, void* user)
{
    page* to = user;
    (void)of;
    if ((bits & 0xF) == MG_WEBSOCKET_OPCODE_BINARY && size <= sizeof(to->bytes)) {
        memcpy(to->bytes, bytes, size);
        atomic_store(&to->size, (unsigned)size);
    }
    return 1;
}

static void page_close(const struct mg_connection* of, void* user)
{
    (void)of;
    atomic_store(&((page*)user)->closed, true);
}

static bool page_open(page* of, uint16_t port)
{
    char error[200];
    memset(of, 0, sizeof(*of));
    of->connection = mg_connect_websocket_client("127.0.0.1", port, 0, error, sizeof(error), "/net",
                                                 NULL, page_data, page_close, of);
    return of->connection != NULL;
}

static void page_send(const page* of, int opcode, const void* bytes, size_t size)
{
    CHECK(mg_websocket_client_write(of->connection, opcode, bytes, size) > 0);
}

/* The other side may close while this is written. */
static void page_send_wrong(const page* of, int opcode, const void* bytes, size_t size)
{
    (void)mg_websocket_client_write(of->connection, opcode, bytes, size);
}

static void wait_a_little(void)
{
    uint64_t clock = 0;
    (void)sett_frame_wait(&clock, 200);
    (void)sett_frame_wait(&clock, 200);
}

/* Waits for the next datagram; 0: none came in two seconds. */
static uint32_t receive(const sett_net_transport* from, uint32_t* peer, unsigned char* out,
                        uint32_t capacity)
{
    uint32_t size = 0;
    for (uint32_t k = 0; k < 400 && size == 0; k++) {
        size = from->receive(from->user, peer, out, capacity);
        if (size == 0) {
            wait_a_little();
        }
    }
    return size;
}

static bool becomes(sett_websocket* net, uint32_t count)
{
    for (uint32_t k = 0; k < 400 && sett_websocket_count(net) != count; k++) {
        wait_a_little();
    }
    return sett_websocket_count(net) == count;
}

static void messages_are_datagrams(void)
{
    unsigned char bytes[SETT_NET_DATAGRAM], long_ones[SETT_NET_DATAGRAM];
    page one, two, three;
    uint32_t peer = 9;
    sett_websocket* net = sett_websocket_create("127.0.0.1:0", NULL, 2);
    CHECK(net != NULL && sett_websocket_port(net) != 0);
    const sett_net_transport transport = sett_websocket_transport(net);
    CHECK(page_open(&one, sett_websocket_port(net)) && becomes(net, 1));
    CHECK(page_open(&two, sett_websocket_port(net)) && becomes(net, 2));
    CHECK(!page_open(&three, sett_websocket_port(net))); /* there are as many as there can be */
    page_send(&two, MG_WEBSOCKET_OPCODE_BINARY, "second", 6);
    CHECK_EQ(receive(&transport, &peer, bytes, sizeof(bytes)), 6);
    CHECK(peer == 1 && memcmp(bytes, "second", 6) == 0);
    page_send(&one, MG_WEBSOCKET_OPCODE_BINARY, "first", 5);
    CHECK_EQ(receive(&transport, &peer, bytes, sizeof(bytes)), 5);
    CHECK(peer == 0 && memcmp(bytes, "first", 5) == 0);
    memset(long_ones, 7, sizeof(long_ones));
    transport.send(transport.user, 1, long_ones, sizeof(long_ones));
    transport.send(transport.user, 2, "nobody", 6);
    for (uint32_t k = 0; k < 400 && atomic_load(&two.size) == 0; k++) {
        wait_a_little();
    }
    CHECK_EQ(atomic_load(&two.size), sizeof(long_ones));
    CHECK(memcmp(two.bytes, long_ones, sizeof(long_ones)) == 0 && atomic_load(&one.size) == 0);
    mg_close_connection(one.connection);
    CHECK(becomes(net, 1));
    CHECK(page_open(&three, sett_websocket_port(net)) && becomes(net, 2)); /* in its place */
    page_send(&three, MG_WEBSOCKET_OPCODE_BINARY, "third", 5);
    CHECK_EQ(receive(&transport, &peer, bytes, 4), 0); /* it has no room for it */
    page_send(&three, MG_WEBSOCKET_OPCODE_BINARY, "3", 1);
    CHECK_EQ(receive(&transport, &peer, bytes, sizeof(bytes)), 1);
    CHECK_EQ(peer, 0);
    mg_close_connection(two.connection);
    mg_close_connection(three.connection);
    sett_websocket_destroy(net);
}

static void what_is_no_datagram_ends_the_connection(void)
{
    static unsigned char large[SETT_NET_DATAGRAM + 1];
    page of;
    uint32_t peer, count = 0;
    unsigned char bytes[SETT_NET_DATAGRAM];
    sett_websocket* net = sett_websocket_create("127.0.0.1:0", NULL, 1);
    CHECK(net != NULL);
    const sett_net_transport transport = sett_websocket_transport(net);
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(page_open(&of, sett_websocket_port(net)) && becomes(net, 1));
        if (k == 0) {
            page_send_wrong(&of, MG_WEBSOCKET_OPCODE_TEXT, "text", 4);
        } else if (k == 1) {
            page_send_wrong(&of, MG_WEBSOCKET_OPCODE_BINARY, large, sizeof(large));
        } else {
            page_send_wrong(&of, MG_WEBSOCKET_OPCODE_BINARY, large, 0);
        }
        CHECK_MSG(becomes(net, 0), "case %u", k);
        mg_close_connection(of.connection);
    }
    CHECK(page_open(&of, sett_websocket_port(net)) && becomes(net, 1));
    for (uint32_t k = 0; k < 500; k++) { /* a flood: the queue has 16 of one page */
        page_send(&of, MG_WEBSOCKET_OPCODE_BINARY, "x", 1);
    }
    for (uint32_t k = 0; k < 50; k++) {
        wait_a_little();
    }
    while (transport.receive(transport.user, &peer, bytes, sizeof(bytes)) != 0) {
        count++;
    }
    CHECK(count == 16);
    mg_close_connection(of.connection);
    sett_websocket_destroy(net);
}

static void wrong_options_are_rejected(void)
{
    char taken[32];
    sett_websocket* net = sett_websocket_create("127.0.0.1:0", NULL, 1);
    CHECK(net != NULL);
    snprintf(taken, sizeof(taken), "127.0.0.1:%u", (unsigned)sett_websocket_port(net));
    CHECK(sett_websocket_create(taken, NULL, 1) == NULL);
    CHECK(sett_websocket_create("127.0.0.1:0", NULL, 0) == NULL);
    CHECK(sett_websocket_create("127.0.0.1:0", NULL, SETT_WEBSOCKET_PEERS + 1) == NULL);
    sett_websocket_destroy(net);
    sett_websocket_destroy(NULL);
}

TEST_MAIN(TEST(messages_are_datagrams), TEST(what_is_no_datagram_ends_the_connection),
          TEST(wrong_options_are_rejected))
