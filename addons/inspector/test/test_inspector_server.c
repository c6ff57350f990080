/* The inspector's server, by raw bytes over loopback: what it answers, and what it does not. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"
#include "inspector.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

typedef struct scene {
    sett_world* world;
    sett_inspector* inspector;
    char token[33];
    char host[32]; /* 127.0.0.1:port */
    uint16_t port;
    char got[1 << 20];
    size_t size;
} scene;

static scene s; /* one at a time */

static void scene_open_with(const sett_inspector_desc* desc)
{
    memset(&s, 0, sizeof(s));
    s.world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    CHECK_EQ(sett_name_set(s.world, sett_entity_create(s.world), "<img src=x onerror=alert(1)>"),
             SETT_OK);
    s.inspector = sett_inspector_open(s.world, desc);
    CHECK(s.inspector != NULL);
    unsigned port = 0;
    CHECK_EQ(sscanf(sett_inspector_address(s.inspector), "http://127.0.0.1:%u/#token=%32s", &port,
                    s.token),
             2);
    s.port = (uint16_t)port;
    (void)snprintf(s.host, sizeof(s.host), "127.0.0.1:%u", port);
}

static void scene_open(void)
{
    scene_open_with(&(sett_inspector_desc){.quiet = true});
}

static void scene_close(void)
{
    sett_inspector_close(s.inspector);
    CHECK_EQ(sett_world_destroy(s.world), SETT_OK);
}

static int dial(void)
{
    struct sockaddr_in to;
    memset(&to, 0, sizeof(to));
    int net = socket(AF_INET, SOCK_STREAM, 0);
    to.sin_family = AF_INET;
    to.sin_port = htons(s.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK_EQ(connect(net, (struct sockaddr*)&to, sizeof(to)), 0);
    return net;
}

static void say(int net, const char* bytes, size_t size)
{
    while (size != 0) {
        ssize_t done = send(net, bytes, size, MSG_NOSIGNAL);
        if (done <= 0) {
            return; /* the other side has had enough */
        }
        bytes += done;
        size -= (size_t)done;
    }
}

/* Plays frames until the connection ends, or `enough` bytes are there, or seconds are over. */
static bool hear(int net, size_t enough, double seconds)
{
    struct pollfd poller = {net, POLLIN, 0};
    s.size = 0;
    for (double waited = 0; waited < seconds && s.size < enough; waited += 0.005) {
        (void)sett_inspector_frame(s.inspector);
        if (poll(&poller, 1, 5) > 0) {
            ssize_t more = recv(net, s.got + s.size, sizeof(s.got) - 1 - s.size, 0);
            if (more <= 0) {
                break;
            }
            s.size += (size_t)more;
            waited = 0;
        }
    }
    s.got[s.size] = '\0';
    return s.size >= enough;
}

/* Whether something arrives, without a frame. */
static bool arrives(int net, int milliseconds)
{
    struct pollfd poller = {net, POLLIN, 0};
    return poll(&poller, 1, milliseconds) > 0;
}

/* Sends a request; returns the status. `headers` have line ends. */
static int ask(const char* line, const char* host, const char* headers, const char* body)
{
    char head[4096];
    int status = 0;
    int net = dial();
    int size = snprintf(head, sizeof(head), "%s HTTP/1.1\r\nHost: %s\r\n%s", line, host, headers);
    if (body != NULL) {
        size += snprintf(head + size, sizeof(head) - (size_t)size, "Content-Length: %u\r\n",
                         (unsigned)strlen(body));
    }
    size += snprintf(head + size, sizeof(head) - (size_t)size, "\r\n%s", body != NULL ? body : "");
    say(net, head, (size_t)size);
    (void)hear(net, SIZE_MAX, 8);
    (void)close(net);
    (void)sscanf(s.got, "HTTP/1.1 %d", &status);
    return status;
}

static const char* token_header(void)
{
    static char header[80];
    (void)snprintf(header, sizeof(header), "X-Sett-Token: %s\r\n", s.token);
    return header;
}

static const char status_body[] = "{\"do\":\"status\"}";

/* The policy, exactly: each hash is the same text, whatever it is. */
static void check_policy(void)
{
    static const char head[] = "Content-Security-Policy: ";
    char policy[1024] = "";
    const char* at = strstr(s.got, head);
    CHECK(at != NULL && strstr(at + 1, head) == NULL);
    at += sizeof(head) - 1;
    for (size_t k = 0; *at != '\r' && k + 1 < sizeof(policy); policy[k++] = *at++) {
        if (k >= 8 && memcmp(policy + k - 8, "'sha256-", 8) == 0) {
            size_t hash = strcspn(at, "'");
            CHECK_EQ(hash, 44);
            at += hash;
        }
    }
    CHECK_MSG(
        strcmp(policy,
               "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'sha256-' 'sha256-'; "
               "style-src 'self' 'sha256-'; img-src 'self' data:; connect-src "
               "'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
               "frame-ancestors 'none'") == 0,
        "%s", policy);
}

/* What each answer has, whether it gives something or not. */
static void check_headers(void)
{
    check_policy();
    CHECK(strstr(s.got, "\r\nX-Content-Type-Options: nosniff\r\n") != NULL);
    CHECK(strstr(s.got, "\r\nReferrer-Policy: no-referrer\r\n") != NULL);
    CHECK(strstr(s.got, "\r\nCache-Control: no-store\r\n") != NULL);
    CHECK(strstr(s.got, "\r\nCross-Origin-Resource-Policy: same-origin\r\n") != NULL);
    CHECK(strstr(s.got, "Access-Control-Allow-Origin") == NULL);
    CHECK(strstr(s.got, s.token) == NULL);
}

static void answers_the_page(void)
{
    scene_open();
    CHECK_EQ(ask("GET /", s.host, "", NULL), 200);
    CHECK(strstr(s.got, "Content-Encoding: gzip") != NULL);
    CHECK(strstr(s.got, "Set-Cookie") == NULL);
    check_headers();
    CHECK_EQ(ask("GET /replica.wasm", s.host, "", NULL), 200);
    CHECK(strstr(s.got, "\r\nContent-Type: application/wasm\r\n") != NULL);
    CHECK(strstr(s.got, "Set-Cookie") == NULL);
    check_headers();
    CHECK_EQ(ask("GET /replica.wasm", "evil.example", "", NULL), 403);
    CHECK_EQ(ask("POST /replica.wasm", s.host, token_header(), status_body), 404);
    CHECK_EQ(ask("GET /nothing", s.host, "", NULL), 404);
    check_headers();
    CHECK_EQ(ask("GET /", "evil.example", "", NULL), 403);
    check_headers();
    CHECK_EQ(ask("POST /request", s.host, token_header(), status_body), 200);
    CHECK(strstr(s.got, "{\"ok\":true,\"frame\":") != NULL);
    CHECK(strstr(s.got, "\r\nContent-Type: application/json\r\n") != NULL);
    check_headers();
    CHECK_EQ(ask("GET /request", s.host, token_header(), NULL), 404);
    CHECK_EQ(ask("GET /../../etc/passwd", s.host, token_header(), NULL) / 100, 4);
    CHECK_EQ(ask("POST /", s.host, token_header(), status_body), 404);
    scene_close();
}

/* The address that our port is listened on at, as the system knows it; 0 if it is not known. */
static uint32_t listened_address(void)
{
    char line[256];
    uint32_t found = 0;
    FILE* table = fopen("/proc/net/tcp", "r");
    while (table != NULL && fgets(line, sizeof(line), table) != NULL) {
        unsigned address;
        unsigned port;
        unsigned state;
        if (sscanf(line, " %*u: %x:%x %*x:%*x %x", &address, &port, &state) == 3 &&
            port == s.port && state == 10) { /* LISTEN */
            CHECK_EQ(found, 0);
            found = address + 1;
        }
    }
    if (table != NULL) {
        (void)fclose(table);
    }
    return found;
}

static void listens_on_loopback(void)
{
    scene_open();
    uint32_t at = listened_address();
    CHECK(at == 0 || at == htonl(INADDR_LOOPBACK) + 1);
    int known = at != 0;
    scene_close();
    scene_open_with(&(sett_inspector_desc){.quiet = true, .allow_remote = true});
    at = listened_address();
    CHECK(at == 0 ? !known : at == INADDR_ANY + 1);
    scene_close();
}

/* Asked for by another name, the token, the origin and the site still count. */
static void remote_names_are_for_those_that_are_allowed(void)
{
    char name[64];
    char other[512];
    scene_open_with(&(sett_inspector_desc){.quiet = true, .allow_remote = true});
    (void)snprintf(name, sizeof(name), "game.example:%u", (unsigned)s.port);
    CHECK_EQ(ask("GET /", name, "", NULL), 200);
    CHECK_EQ(ask("POST /request", name, token_header(), status_body), 200);
    CHECK_EQ(ask("POST /request", name, "", status_body), 403);
    (void)snprintf(other, sizeof(other), "%sOrigin: http://evil.example\r\n", token_header());
    CHECK_EQ(ask("POST /request", name, other, status_body), 403);
    (void)snprintf(other, sizeof(other), "%sSec-Fetch-Site: cross-site\r\n", token_header());
    CHECK_EQ(ask("POST /request", name, other, status_body), 403);
    scene_close();
}

/* ---------------------------------------------------------------------------------------- token */

/* 32 digits, others each time; without the system's generator there is no server. */
static void tokens_are_random(void)
{
    char first[33];
    scene_open();
    CHECK_EQ(strspn(s.token, "0123456789abcdef"), 32);
    memcpy(first, s.token, sizeof(first));
    scene_close();
    scene_open();
    uint32_t same = 0;
    for (size_t k = 0; k < 32; k++) {
        same += s.token[k] == first[k];
    }
    CHECK(same < 16); /* 2 of 32 are likely, 16 have a chance of 1 in 10 billion */
    scene_close();

    struct rlimit limit;
    char said[256] = "";
    sett_world* world = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int saved = dup(2);
    FILE* file = tmpfile();
    CHECK(saved >= 0 && file != NULL && dup2(fileno(file), 2) == 2);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, limit.rlim_max}), 0);
    sett_inspector* none = sett_inspector_open(world, &(sett_inspector_desc){.quiet = true});
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK(dup2(saved, 2) == 2 && close(saved) == 0);
    CHECK(none == NULL);
    rewind(file);
    CHECK(fgets(said, sizeof(said), file) != NULL);
    CHECK_MSG(strstr(said, "no source of random numbers") != NULL, "%s", said);
    (void)fclose(file);
    CHECK_EQ(sett_world_destroy(world), SETT_OK);
}

static void at_a_fault(int signal)
{
    (void)signal;
    _exit(7);
}

/* Whether comparing a token reads all of it, where the given text differs in this digit: the second
 * half of the token is where nothing can be read. */
static bool reads_all(size_t differs)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char* room = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(room != MAP_FAILED);
    char* token = room + page - 16;
    char given[33];
    memset(token, 'a', 32);
    memset(given, 'a', 32);
    given[32] = '\0';
    given[differs] = 'b';
    CHECK(!setti_server_is_token(token, given));
    CHECK_EQ(mprotect(room + page, page, PROT_NONE), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGSEGV, at_a_fault);
        (void)signal(SIGBUS, at_a_fault);
        _exit(setti_server_is_token(token, given));
    }
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(munmap(room, 2 * page), 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static void tokens_are_compared_as_a_whole(void)
{
    for (size_t k = 0; k < 16; k++) {
        CHECK(reads_all(k));
    }
    CHECK(setti_server_is_token("0123456789abcdef0123456789abcdef",
                                "0123456789abcdef0123456789abcdef"));
    CHECK(!setti_server_is_token("0123456789abcdef0123456789abcdef", "0123456789abcdef"));
    CHECK(!setti_server_is_token("0123456789abcdef0123456789abcdef", NULL));
}

/* ------------------------------------------------------------------------------------- requests */

static void rejects_strangers(void)
{
    char other[512];
    scene_open();
    CHECK_EQ(ask("POST /request", s.host, "", status_body), 403); /* no token */
    CHECK_EQ(ask("POST /request", s.host, "X-Sett-Token: 0\r\n", status_body), 403);
    (void)snprintf(other, sizeof(other), "X-Sett-Token: %.31s%c\r\n", s.token,
                   s.token[31] == '0' ? '1' : '0');
    CHECK_EQ(ask("POST /request", s.host, other, status_body), 403);
    CHECK_EQ(ask("GET /", "evil.example", "", NULL), 403); /* a name that was rebound */
    (void)snprintf(other, sizeof(other), "evil.example:%u", (unsigned)s.port);
    CHECK_EQ(ask("POST /request", other, token_header(), status_body), 403);
    CHECK_EQ(ask("GET /", "127.0.0.1:1", "", NULL), 403); /* another port */
    (void)snprintf(other, sizeof(other), "%sOrigin: http://evil.example\r\n", token_header());
    CHECK_EQ(ask("POST /request", s.host, other, status_body), 403);
    (void)snprintf(other, sizeof(other), "%sOrigin: null\r\n", token_header());
    CHECK_EQ(ask("POST /request", s.host, other, status_body), 403);
    (void)snprintf(other, sizeof(other), "%sSec-Fetch-Site: cross-site\r\n", token_header());
    CHECK_EQ(ask("POST /request", s.host, other, status_body), 403);
    (void)snprintf(other, sizeof(other), "%sSec-Fetch-Site: same-site\r\n", token_header());
    CHECK_EQ(ask("POST /request", s.host, other, status_body), 403);
    CHECK_EQ(ask("GET /", s.host, "Sec-Fetch-Site: cross-site\r\n", NULL), 403);
    (void)snprintf(other, sizeof(other), "%sOrigin: http://%s\r\nSec-Fetch-Site: same-origin\r\n",
                   token_header(), s.host);
    CHECK_EQ(ask("POST /request", s.host, other, status_body), 200);
    CHECK_EQ(ask("GET /", s.host, "Sec-Fetch-Site: none\r\n", NULL), 200);
    (void)snprintf(other, sizeof(other), "POST /request?token=%s", s.token);
    CHECK_EQ(ask(other, s.host, "", status_body), 403); /* it is a header */
    (void)snprintf(other, sizeof(other), "localhost:%u", (unsigned)s.port);
    CHECK_EQ(ask("GET /", other, "", NULL), 200);
    (void)snprintf(other, sizeof(other), "[::1]:%u", (unsigned)s.port);
    CHECK_EQ(ask("GET /", other, "", NULL), 200);
    CHECK_EQ(ask("GET /", "localhost", "", NULL), 403); /* without the port */
    CHECK_EQ(ask("OPTIONS /request", s.host, "Origin: http://evil.example\r\n", NULL), 403);
    scene_close();
}

static void rejects_bad_requests(void)
{
    char head[256];
    scene_open();
    CHECK_EQ(ask("POST /request", s.host, token_header(), NULL), 411);
    int net = dial();
    int size = snprintf(head, sizeof(head),
                        "POST /request HTTP/1.1\r\nHost: %s\r\n%sContent-Length: 1048577\r\n\r\n",
                        s.host, token_header());
    say(net, head, (size_t)size);
    (void)hear(net, SIZE_MAX, 8);
    CHECK(strncmp(s.got, "HTTP/1.1 413", 12) == 0);
    (void)close(net);

    char* long_head = malloc(1 << 17);
    CHECK(long_head != NULL);
    memset(long_head, 'a', 1 << 17);
    memcpy(long_head, "GET /", 5);
    net = dial();
    say(net, long_head, 1 << 17);
    (void)hear(net, 12, 8);
    CHECK(strncmp(s.got, "HTTP/1.1 2", 10) != 0);
    (void)close(net);
    free(long_head);

    net = dial();
    say(net, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15); /* TLS */
    (void)hear(net, 12, 8);
    CHECK(strncmp(s.got, "HTTP/1.1 2", 10) != 0);
    (void)close(net);
    CHECK_EQ(ask("POST /request", s.host, token_header(), "{\"do\":"), 200);
    CHECK(strstr(s.got, "{\"ok\":false") != NULL);
    CHECK_EQ(ask("GET /", s.host, "", NULL), 200);
    scene_close();
}

/* Connections that say nothing, or not all, end; meanwhile others are answered. */
static void survives_slow_ones(void)
{
    char head[256];
    int slow[3];
    scene_open();
    for (int k = 0; k < 3; k++) {
        slow[k] = dial();
        int size = snprintf(head, sizeof(head),
                            "POST /request HTTP/1.1\r\nHost: %s\r\n%sContent-Length: 100\r\n\r\n{",
                            s.host, token_header());
        say(slow[k], head, k == 0 ? 10 : (size_t)size);
    }
    CHECK_EQ(ask("POST /request", s.host, token_header(), status_body), 200);
    (void)hear(slow[1], SIZE_MAX, 15);
    CHECK(strncmp(s.got, "HTTP/1.1 408", 12) == 0 || s.size == 0);
    for (int k = 0; k < 3; k++) {
        (void)close(slow[k]);
    }
    scene_close();
}

/* ---------------------------------------------------------------------------------- WebSockets */

/* `protocols`: what a page's script can set; its last one is the token. */
static int upgrade(const char* protocols, const char* headers)
{
    char head[1024];
    int net = dial();
    int size = snprintf(head, sizeof(head),
                        "GET /stream HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: "
                        "websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                        "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: %s\r\n%s\r\n",
                        s.host, protocols, headers);
    say(net, head, (size_t)size);
    return net;
}

static const char* token_protocols(void)
{
    static char protocols[80];
    (void)snprintf(protocols, sizeof(protocols), "sett, %s", s.token);
    return protocols;
}

static bool holds_stream(void)
{
    for (size_t k = 0; k + 8 <= s.size; k++) {
        if (memcmp(s.got + k, "\x89SETT\r\n\x1A", 8) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a stream comes, with these protocols; or else the socket is not opened at all. */
static bool streams_with(const char* format, const char* token)
{
    char protocols[128];
    (void)snprintf(protocols, sizeof(protocols), format, token);
    int net = upgrade(protocols, "");
    (void)hear(net, 400, 2);
    (void)close(net);
    CHECK_EQ(holds_stream(), strncmp(s.got, "HTTP/1.1 101", 12) == 0);
    CHECK(strstr(s.got, s.token) == NULL);
    return holds_stream();
}

static void streams_to_those_with_a_token(void)
{
    char wrong[33];
    scene_open();
    (void)snprintf(wrong, sizeof(wrong), "%.31s%c", s.token, s.token[31] == '0' ? '1' : '0');
    for (int k = 0; k < 3; k++) { /* none of them takes one of the two places */
        CHECK(!streams_with("sett", s.token));
        CHECK(!streams_with("sett, %s", wrong));
        CHECK(!streams_with("sett, %s0", s.token));
        CHECK(!streams_with("%s, sett", s.token));
    }
    CHECK(streams_with("sett, %s", s.token));
    CHECK(strstr(s.got, "\r\nSec-WebSocket-Protocol: sett\r\n") != NULL);
    scene_close();
}

/* What sett_inspector_stream gave. */
#define SENT 400
static inspector_text sent[SENT];
static size_t sent_count;

static void take_message(void* user, const void* bytes, size_t size, bool text)
{
    (void)user;
    if (!text) {
        CHECK(sent_count < SENT);
        setti_out_add(&sent[sent_count++], bytes, size);
    }
}

static bool begins(const char* bytes, size_t size)
{
    return size >= 8 && memcmp(bytes, "\x89SETT\r\n\x1A", 8) == 0;
}

/* A new listener; returns the number of the message with which it begins. */
static size_t join(int* net)
{
    *net = upgrade(token_protocols(), "");
    s.size = 0;
    do { /* the answer comes in pieces, and messages follow it */
        CHECK(arrives(*net, 5000) && recv(*net, s.got + s.size, 1, 0) == 1);
        s.size++;
    } while (s.size < 4 || memcmp(s.got + s.size - 4, "\r\n\r\n", 4) != 0);
    for (size_t last = sent_count; sent_count == last || !begins(sent[last].at, sent[last].size);) {
        last = sent_count;
        (void)sett_inspector_frame(s.inspector);
        (void)poll(NULL, 0, 5);
    }
    return sent_count - 1;
}

/* The message at `*next` in `s.got`, which goes on behind it; NULL if it is not all there. */
static const char* next_message(size_t* next, bool* text, size_t* size)
{
    const unsigned char* at = (const unsigned char*)s.got + *next;
    size_t left = s.size - *next;
    size_t head = left < 2 || at[1] < 126 ? 2 : at[1] == 126 ? 4 : 10;
    if (left < head) {
        return NULL;
    }
    *text = at[0] != 0x82; /* or a ping */
    *size = head == 2 ? at[1] : 0;
    for (size_t k = 2; k < head; k++) {
        *size = *size << 8 | at[k];
    }
    *next += left - head >= *size ? head + *size : 0;
    return left - head >= *size ? (const char*)at + head : NULL;
}

/* Checks that a listener gets all messages from number `at` on. Returns their bytes, compressed,
 * except for those that begin the stream; *plain is what they were. */
static size_t check_messages(int net, size_t at, size_t* plain)
{
    static char out[1 << 18];
    size_t compressed = 0;
    size_t next = 0;
    size_t size;
    bool text;
    ZSTD_DCtx* zstd = ZSTD_createDCtx();
    s.size = 0;
    *plain = 0;
    while (at < sent_count) {
        const char* bytes = next_message(&next, &text, &size);
        if (bytes == NULL) {
            CHECK(arrives(net, 5000));
            ssize_t more = recv(net, s.got + s.size, sizeof(s.got) - s.size, 0);
            CHECK(more > 0);
            s.size += (size_t)more;
        } else if (!text && begins(bytes, size)) {
            (void)ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
            CHECK(size == sent[at].size && memcmp(bytes, sent[at].at, size) == 0);
            at++;
        } else if (!text) {
            ZSTD_inBuffer from = {bytes, size, 0};
            ZSTD_outBuffer to = {out, sizeof(out), 0};
            CHECK(!ZSTD_isError(ZSTD_decompressStream(zstd, &to, &from)));
            CHECK(from.pos == size && to.pos == sent[at].size);
            CHECK(memcmp(out, sent[at].at, to.pos) == 0);
            compressed += size;
            *plain += to.pos;
            at++;
        }
    }
    (void)ZSTD_freeDCtx(zstd);
    return compressed;
}

#define COUNTED 2000
static sett_entity counted[COUNTED];

static void play_counts(sett_component count, uint32_t frames)
{
    for (uint32_t k = 0; k < frames; k++) {
        for (uint32_t n = 0; n < COUNTED; n++) {
            uint32_t* number = sett_get_mut(s.world, counted[n], count);
            *number += n * 2654435761u >> 24; /* at random, but always the same */
        }
        (void)sett_inspector_frame(s.inspector);
    }
}

/* Two listeners, one later: each gets the messages of sett_inspector_stream, compressed. */
static void messages_are_compressed(void)
{
    int net[2];
    size_t first[2];
    scene_open();
    sett_component count = sett_component_register(
        s.world, &(sett_component_desc){.name = "Count", .size = sizeof(uint32_t)});
    for (uint32_t k = 0; k < COUNTED; k++) {
        counted[k] = sett_entity_create(s.world);
        CHECK(sett_add(s.world, counted[k], count) != NULL);
    }
    sett_inspector_stream(s.inspector, take_message, NULL);
    (void)sett_inspector_frame(s.inspector); /* begins for this one, and again for each other */
    for (uint32_t k = 0; k < 2; k++) {
        first[k] = join(&net[k]);
        play_counts(count, 15);
    }
    CHECK(first[0] > 0 && first[1] > first[0] + 15);
    for (uint32_t k = 0; k < 2; k++) {
        size_t plain;
        size_t compressed = check_messages(net[k], first[k], &plain);
        CHECK_MSG(compressed < plain / 4, "%u of %u bytes", (unsigned)compressed, (unsigned)plain);
        (void)close(net[k]);
    }
    scene_close();
    while (sent_count != 0) {
        setti_out_free(&sent[--sent_count]);
    }
}

/* What a listener has got from the last beginning on, in the file "stream.rec"; how many frames. */
static uint32_t write_stream(void)
{
    static char out[1 << 20];
    uint32_t frames = 0;
    size_t next = 0;
    size_t size;
    bool text;
    FILE* file = NULL;
    ZSTD_DCtx* zstd = ZSTD_createDCtx();
    for (const char* bytes; (bytes = next_message(&next, &text, &size)) != NULL;) {
        if (!text && begins(bytes, size)) {
            (void)ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only);
            CHECK(file == NULL || fclose(file) == 0);
            file = fopen("stream.rec", "wb");
            frames = 0;
            CHECK(file != NULL && fwrite(bytes, 1, size, file) == size);
        } else if (!text) {
            ZSTD_inBuffer from = {bytes, size, 0};
            ZSTD_outBuffer to = {out, sizeof(out), 0};
            CHECK(!ZSTD_isError(ZSTD_decompressStream(zstd, &to, &from)) && from.pos == size);
            CHECK(file != NULL && fwrite(out, 1, to.pos, file) == to.pos);
            frames++;
        }
    }
    CHECK(next == s.size && file != NULL && fclose(file) == 0);
    (void)ZSTD_freeDCtx(zstd);
    return frames;
}

static void end_nothing(void* values, uint32_t count, void* user)
{
    (void)values;
    (void)count;
    (void)user;
}

/* Reads what has arrived, and what does within some milliseconds more. */
static void gather(int net, int milliseconds)
{
    while (arrives(net, milliseconds)) {
        ssize_t more = recv(net, s.got + s.size, sizeof(s.got) - s.size, 0);
        CHECK(more > 0);
        s.size += (size_t)more;
    }
}

/* A new page, whose stream has begun. */
static int watch(void)
{
    int net = upgrade(token_protocols(), "");
    s.size = 0;
    do {
        CHECK(arrives(net, 5000) && recv(net, s.got + s.size, 1, 0) == 1);
        s.size++;
    } while (s.size < 4 || memcmp(s.got + s.size - 4, "\r\n\r\n", 4) != 0);
    s.size = 0;
    for (uint32_t k = 0; k < 1000 && s.size < 400; k++) {
        (void)sett_inspector_frame(s.inspector);
        gather(net, 5);
    }
    return net;
}

/* The world that "stream.rec" ends with is that of the program. */
static void check_stream(void)
{
    sett_world* loaded = sett_world_create(&(sett_world_desc){.log_fn = sett_log_silent});
    const sett_component_desc types[] = {{.name = "Count", .size = sizeof(uint32_t)},
                                         {.name = "Late", .size = 8},
                                         {.name = "Owned", .size = 8, .save = SETT_SAVE_SKIP}};
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(sett_component_register(loaded, &types[k]) != 0);
    }
    CHECK_MSG(sett_world_load(loaded, "stream.rec") == SETT_OK, "%s", sett_world_message(loaded));
    CHECK_EQ(sett_world_hash(loaded), sett_world_hash(s.world));
    CHECK_EQ(sett_world_destroy(loaded), SETT_OK);
}

/* Frames that are written down on another thread: none is left out, and the last one is what the
 * world is. A type that comes later goes along; one with hooks is written down on this thread. */
static void frames_are_written_down_aside(void)
{
    const sett_component_desc late[] = {
        {.name = "Late", .size = 8},
        {.name = "Owned", .size = 8, .deinit = end_nothing, .save = SETT_SAVE_SKIP}};
    scene_open();
    sett_component count = sett_component_register(
        s.world, &(sett_component_desc){.name = "Count", .size = sizeof(uint32_t)});
    for (uint32_t k = 0; k < COUNTED; k++) {
        counted[k] = sett_entity_create(s.world);
        CHECK(sett_add(s.world, counted[k], count) != NULL);
    }
    CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    for (uint32_t round = 0; round < 3; round++) {
        int net = watch();
        CHECK(s.inspector->feed.started);
        for (uint32_t k = 0; k < 60; k++) {
            if (k == 30 && round != 0) {
                sett_component id = sett_component_register(s.world, &late[round - 1]);
                CHECK(id != 0 && sett_add(s.world, counted[0], id) != NULL);
            }
            (void)sett_entity_destroy(s.world, counted[k + 1]);
            counted[k + 1] = sett_entity_create(s.world);
            CHECK(sett_set(s.world, counted[k + 1], count, &k) != NULL);
            CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
            (void)sett_inspector_frame(s.inspector);
            gather(net, 0);
        }
        CHECK_EQ(s.inspector->feed.started, round != 2);
        gather(net, 300);
        CHECK_EQ(write_stream(), round != 2 ? 60 : 29);
        check_stream();
        (void)close(net);
        for (uint32_t k = 0; k < 400 && setti_server_listened(s.inspector->server); k++) {
            (void)sett_inspector_frame(s.inspector);
            (void)poll(NULL, 0, 5);
        }
    }
    scene_close();
}

/* Whether a WebSocket is opened with this header: of a new server, all of whose places are free. */
static bool upgrades(const char* format, const char* host)
{
    char header[128];
    scene_open();
    (void)snprintf(header, sizeof(header), format, host != NULL ? host : s.host);
    int net = upgrade(token_protocols(), header);
    (void)hear(net, 100, 2);
    (void)close(net);
    scene_close();
    return strncmp(s.got, "HTTP/1.1 101", 12) == 0;
}

static void streams_are_for_our_page(void)
{
    CHECK(upgrades("", NULL)); /* no browser */
    CHECK(upgrades("Origin: http://%s\r\n", NULL));
    CHECK(upgrades("Origin: http://%s\r\nSec-Fetch-Site: same-origin\r\n", NULL));
    CHECK(!upgrades("Origin: http://%s\r\n", "evil.example"));
    CHECK(!upgrades("Origin: http://%s\r\nSec-Fetch-Site: cross-site\r\n", NULL));
    CHECK(!upgrades("Sec-Fetch-Site: same-origin\r\n", NULL)); /* a browser says its origin */
}

/* -------------------------------------------------------------------------------------- limits */

/* Milliseconds until the page is answered. */
static double page_takes(void)
{
    struct timespec a, b;
    (void)timespec_get(&a, TIME_UTC);
    CHECK_EQ(ask("GET /", s.host, "", NULL), 200);
    (void)timespec_get(&b, TIME_UTC);
    return (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6;
}

/* Connections that send no request, or only its beginning, keep a page waiting for moments: 60 not
 * at all, 226 until four times 64 of them have ended. */
static void slow_connections_leave_room(void)
{
    static const int counts[] = {60, 226};
    int net[226];
    for (int round = 0; round < 2; round++) {
        scene_open();
        for (int k = 0; k < counts[round]; k++) {
            net[k] = dial();
            say(net[k], "GET / HTTP/1.1\r\n", k % 3 == 0 ? 0 : 10);
        }
        double time = page_takes();
        printf("slow_connections_leave_room: beside %d the page takes %.0f ms\n", counts[round],
               time);
        CHECK_MSG(time < (round == 0 ? 900 : 7500), "%.0f ms", time);
        for (int k = 0; k < counts[round]; k++) {
            (void)close(net[k]);
        }
        scene_close();
    }
}

/* A byte now and then does not keep a connection open. */
static void dripping_connections_end(void)
{
    static const char head[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ";
    char byte;
    scene_open();
    int net = dial();
    int k = 0;
    say(net, head, sizeof(head) - 1);
    for (; k < 60 && !arrives(net, 100); k++) {
        say(net, "x", 1);
    }
    CHECK_MSG(k < 30, "%d", k);
    (void)recv(net, &byte, 1, MSG_DONTWAIT);
    (void)close(net);
    scene_close();
}

/* What a browser asks before it sends a page's request to another origin. */
static void answers_no_preflight(void)
{
    scene_open();
    CHECK(ask("OPTIONS /request", s.host,
              "Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n"
              "Access-Control-Request-Headers: x-sett-token\r\n",
              NULL) >= 400);
    check_headers();
    CHECK(ask("OPTIONS /", s.host, "Access-Control-Request-Method: PUT\r\n", NULL) >= 400);
    CHECK(strstr(s.got, "Access-Control") == NULL);
    scene_close();
}

/* --------------------------------------------------------------------------------------- advice */

typedef struct Spot {
    float x, y;
} Spot;

static int post(const char* body)
{
    return ask("POST /request", s.host, token_header(), body);
}

/* Requests that take longer than a frame may spend on them wait for the next one. */
static void a_frame_answers_for_a_limited_time(void)
{
    static const char body[] = "{\"do\":\"explain\",\"query\":\"Spot.x >= 0, Spot.y >= 0\"}";
    int net[3];
    char head[512];
    scene_open_with(&(sett_inspector_desc){.quiet = true, .answer_limit = 60000});
    sett_component spot = sett_component_register(
        s.world, &(sett_component_desc){SETT_TYPE(Spot), .members = SETT_STRUCT(Spot, x, y)});
    for (uint32_t k = 0; k < 100000; k++) {
        CHECK(sett_add(s.world, sett_entity_create(s.world), spot) != NULL);
    }
    int size = snprintf(head, sizeof(head),
                        "POST /request HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %u\r\n\r\n%s",
                        s.host, token_header(), (unsigned)strlen(body), body);
    for (int k = 0; k < 3; k++) {
        net[k] = dial();
        say(net[k], head, (size_t)size);
    }
    CHECK(!arrives(net[0], 500)); /* all wait */
    for (int frame = 0; frame < 3; frame++) {
        (void)sett_inspector_frame(s.inspector);
        int answered = 0;
        for (int wait = 0; wait < 100 && answered <= frame; wait++) {
            answered = arrives(net[0], 5) + arrives(net[1], 5) + arrives(net[2], 5);
        }
        CHECK_EQ(answered, frame + 1);
    }
    (void)hear(net[0], SIZE_MAX, 1);
    CHECK_MSG(strstr(s.got, "\"count\":100000") != NULL, "%s", s.got);
    for (int k = 0; k < 3; k++) {
        (void)close(net[k]);
    }
    scene_close();
}

/* The past begins with the first request, and the answer about earlier frames says so. */
static void frames_before_the_first_request_are_not_stored(void)
{
    scene_open();
    for (uint32_t k = 0; k < 20; k++) {
        (void)sett_inspector_frame(s.inspector);
        CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    }
    CHECK_EQ(post("{\"do\":\"restore\",\"frame\":7}"), 200);
    CHECK_MSG(strstr(s.got, "frame 7 is not stored; the oldest that is: ") != NULL, "%s", s.got);
    CHECK(strstr(s.got, "while /stream is open, and for 10 seconds after a request") != NULL);
    for (uint32_t k = 0; k < 2; k++) { /* from now on they are */
        (void)sett_inspector_frame(s.inspector);
        CHECK_EQ(sett_progress(s.world, 1), SETT_OK);
    }
    CHECK_EQ(post("{\"do\":\"status\"}"), 200);
    unsigned oldest = 0;
    char body[64];
    CHECK_EQ(sscanf(strstr(s.got, "\"oldest\":"), "\"oldest\":%u", &oldest), 1);
    (void)snprintf(body, sizeof(body), "{\"do\":\"restore\",\"frame\":%u}", oldest);
    CHECK_EQ(post(body), 200);
    CHECK_MSG(strstr(s.got, "{\"ok\":true}") != NULL, "%s", s.got);
    scene_close();
}

/* Loops over one in a hundred of many: a page applies the advice that follows from it. */
static void advice_is_applied(void)
{
    scene_open();
    sett_component all = sett_component_register(s.world, &(sett_component_desc){SETT_TYPE(Spot)});
    sett_component few =
        sett_component_register(s.world, &(sett_component_desc){.name = "Few", .size = 8});
    for (uint32_t k = 0; k < 100000; k++) {
        sett_entity e = sett_entity_create(s.world);
        CHECK(sett_add(s.world, e, all) != NULL);
        CHECK(k * 7919 % 100 != 0 || sett_add(s.world, e, few) != NULL);
    }
    sett_query* query = sett_query_create(
        s.world, &(sett_query_desc){.name = "move",
                                    .terms = {{.component = all, .access = SETT_IN},
                                              {.component = few, .access = SETT_IN}}});
    CHECK(query != NULL);
    volatile float sum = 0;
    for (uint32_t round = 0; round < 2; round++) {
        CHECK_EQ(post("{\"do\":\"advice\"}"), 200);
        CHECK(strstr(s.got, "\"profiling\":true") != NULL);
        for (uint32_t k = 0; k < 100; k++) {
            (void)sett_inspector_frame(s.inspector);
            SETT_FOR(query, b, i) {
                sum = sum + ((const Spot*)sett_batch_at(b, 0, i))->x;
            }
        }
        CHECK_EQ(post("{\"do\":\"advice\"}"), 200);
        CHECK(strstr(s.got, "\"profiling\":false") != NULL);
        if (round == 0) {
            CHECK_MSG(strstr(s.got, "\\\"move\\\" finds 1000 entities") != NULL, "%s", s.got);
            CHECK_EQ(post("{\"do\":\"apply\",\"advice\":0}"), 200);
            CHECK_MSG(strstr(s.got, "{\"ok\":true,\"before_ns\":") != NULL, "%s", s.got);
            CHECK_EQ(post("{\"do\":\"apply\",\"advice\":0}"), 200);
            CHECK(strstr(s.got, "there is no such advice") != NULL);
        } else { /* it was done */
            CHECK_MSG(strstr(s.got, "\"advice\":[]") != NULL, "%s", s.got);
        }
    }
    CHECK_EQ(post("{\"do\":\"status\"}"), 200); /* and the past begins anew */
    scene_close();
}

/* --------------------------------------------------------------------------- the flecs explorer */

typedef struct Hull {
    float armour;
    int32_t plates[2];
    struct {
        float x, y;
    } at;
} Hull;

enum {
    Hull_id = 1,
    Armed_id
};

static char cookie[128];

static int explore(const char* line)
{
    return ask(line, s.host, cookie, NULL);
}

static const char tree[] =
    "GET /query?expr=%0A%20[none]%20?flecs.core.Module,%0A[none]%20?flecs.core.IsA($this,"
    "%20$base|self),%20";

static int explore_tree(const char* level)
{
    char line[512];
    (void)snprintf(line, sizeof(line), "%s%s&rows=true&limit=1000&doc=true", tree, level);
    return explore(line);
}

static void answers_the_flecs_explorer(void)
{
    char folder[] = "/tmp/inspectorXXXXXX";
    char path[64];
    CHECK(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof(path), "%s/index.html", folder);
    FILE* file = fopen(path, "w");
    CHECK(file != NULL && fputs("<title>x</title>", file) >= 0 && fclose(file) == 0);
    scene_open();
    sett_inspector_close(s.inspector);
    CHECK_EQ(SETT_REGISTER(s.world, Hull), Hull_id);
    CHECK_EQ(
        SETT_MEMBERS(
            s.world, Hull, (armour, .unit = "mm"), plates,
            (at, .of =
                     &(sett_struct){
                         .name = "at",
                         .size = 8,
                         .count = 2,
                         .members =
                             (sett_member[]){
                                 {.name = "x", .kind = SETT_MEMBER_F32, .size = 4},
                                 {.name = "y", .kind = SETT_MEMBER_F32, .offset = 4, .size = 4}}})),
        SETT_OK);
    CHECK_EQ(SETT_REGISTER_TAG(s.world, Armed), Armed_id);
    sett_entity tank = sett_name_ensure(s.world, sett_null(), "tank");
    sett_entity turret = sett_name_ensure(s.world, tank, "turret");
    CHECK(SETT_SET(s.world, turret, Hull, .armour = 40) != NULL);
    CHECK(sett_add(s.world, turret, Armed_id) != NULL);
    s.inspector = sett_inspector_open(
        s.world, &(sett_inspector_desc){.quiet = true, .static_folder = folder});
    CHECK(s.inspector != NULL);
    unsigned port = 0;
    CHECK_EQ(sscanf(sett_inspector_address(s.inspector), "http://127.0.0.1:%u/#token=%32s", &port,
                    s.token),
             2);
    s.port = (uint16_t)port;
    (void)snprintf(s.host, sizeof(s.host), "127.0.0.1:%u", port);

    cookie[0] = '\0'; /* nothing without a cookie, which comes for the token only */
    CHECK_EQ(explore("GET /entity/tank"), 403);
    CHECK_EQ(explore("GET /explorer/"), 403);
    CHECK_EQ(ask("POST /request", s.host, "", status_body), 403);
    CHECK(strstr(s.got, "Set-Cookie") == NULL);
    CHECK_EQ(ask("POST /request", s.host, token_header(), status_body), 200);
    const char* given = strstr(s.got, "Set-Cookie: ");
    CHECK(given != NULL && strstr(given, "HttpOnly; SameSite=Strict") != NULL);
    (void)snprintf(cookie, sizeof(cookie), "Cookie: %.*s\r\n", (int)strcspn(given + 12, ";"),
                   given + 12);

    CHECK_EQ(explore("GET /explorer/"), 200);
    CHECK(strstr(s.got, "<title>x</title>") != NULL);
    CHECK_EQ(explore("GET /explorer/../../../../etc/passwd") / 100, 4);
    CHECK_EQ(explore("GET /explorer/%2e%2e/%2e%2e/etc/passwd") / 100, 4);
    CHECK_EQ(explore("GET /entity/flecs/core/World?values=true"), 200);
    CHECK(strstr(s.got, "\"flecs.stats.WorldSummary\":{\"fps\":60") != NULL);
    CHECK_EQ(explore_tree("(flecs.core.ChildOf,%200)"), 200);
    CHECK(strstr(s.got, "{\"name\":\"tank\",\"id\":4294967297,\"fields\":{\"is_set\":[false,false,"
                        "false,false,false,false,false,false,true,false]}}") != NULL);
    CHECK(strstr(s.got, "turret") == NULL);
    CHECK_EQ(explore_tree("(flecs.core.ChildOf,%20tank)"), 200);
    CHECK(strstr(s.got, "{\"name\":\"turret\",\"parent\":\"tank\",\"id\":4294967298") != NULL);
    CHECK_EQ(explore_tree("$this%20~=%20%22urr%22"), 200);
    CHECK(strstr(s.got, "\"name\":\"turret\"") != NULL);
    CHECK_EQ(explore("GET /entity/tank.turret?values=true&type_info=true"), 200);
    CHECK(strstr(s.got, "\"tags\":[\"Armed\"],\"components\":{\"Hull\":{\"armour\": 40") != NULL);
    CHECK(strstr(s.got,
                 "\"type_info\":{\"Hull\":{\"armour\":[\"float\",{\"unit\":\"mm\",\"symbol\":"
                 "\"mm\"}],\"plates\":[\"array\",[\"int\"],2],\"at\":{\"x\":[\"float\"]") != NULL);
    CHECK_EQ(explore("GET /entity/%234294967298"), 200);
    CHECK_EQ(explore("GET /entity/nothing"), 404);
    CHECK_EQ(explore("GET /query?expr=Hull&try=true"), 200);
    CHECK(strstr(s.got, "\"fields\":{\"values\":[{\"armour\": 40") != NULL);
    CHECK(strstr(s.got, "\"query_info\":{\"vars\":[\"this\"]") != NULL);
    CHECK(strstr(s.got, "\"field_info\":[{\"id\":\"Hull\"") != NULL);
    CHECK_EQ(explore("GET /query?expr=Nonsense(&try=true"), 200);
    CHECK(strstr(s.got, "{\"error\":") != NULL);
    CHECK_EQ(explore("PUT /component/tank.turret?component=Hull&value=%7B%22at.y%22:%207.5%7D"),
             200);
    CHECK(SETT_GET(s.world, turret, Hull)->at.y == 7.5f);
    CHECK(SETT_GET(s.world, turret, Hull)->armour == 40);
    CHECK_EQ(explore("PUT /component/tank?component=Armed"), 200);
    CHECK(sett_has(s.world, tank, Armed_id));
    CHECK_EQ(explore("DELETE /component/tank?component=Armed"), 200);
    CHECK(!sett_has(s.world, tank, Armed_id));
    CHECK_EQ(explore("PUT /entity/tank.wheel"), 200);
    CHECK(!sett_is_null(sett_name_find(s.world, tank, "wheel")));
    CHECK_EQ(explore("DELETE /entity/tank.wheel"), 200);
    CHECK(sett_is_null(sett_name_find(s.world, tank, "wheel")));
    CHECK_EQ(explore("GET /component/tank.turret?component=Hull&value=%7B%22armour%22:%201%7D"),
             404); /* what is asked for by GET has no effect */
    CHECK(SETT_GET(s.world, turret, Hull)->armour == 40);
    CHECK_EQ(explore("GET /entity/tank.wheel"), 404);
    CHECK(sett_is_null(sett_name_find(s.world, tank, "wheel")));
    CHECK_EQ(explore("GET /toggle/tank?enable=false"), 404);
    CHECK(!sett_has(s.world, tank, sett_disabled_tag(s.world)));
    CHECK_EQ(explore("GET /components"), 200);
    CHECK(strstr(s.got, "{\"name\":\"Hull\",\"entity_count\":1") != NULL);
    CHECK_EQ(explore("GET /stats/pipeline?name=all"), 200);
    scene_close();
    CHECK_EQ(remove(path), 0);
    CHECK_EQ(rmdir(folder), 0);
}

/* The flecs explorer's questions have limits of time and of results as well. */
static void explorers_wait_for_a_limited_time(void)
{
    static const char* const queries[] = {
        "expr=Armed($a),Armed($b),$a.name~=$b.name,$a!=$b",
        "expr=Armed($a),Armed($b),Armed($c),$a!=$b%20order_by%20$a.name",
        "expr=?flecs.core.Module,(flecs.core.IsA,$this,$base|self),$this%20~=%20%22x%22",
    };
    scene_open();
    CHECK_EQ(SETT_REGISTER(s.world, Hull), Hull_id);
    CHECK_EQ(SETT_REGISTER_TAG(s.world, Armed), Armed_id);
    for (uint32_t k = 0; k < 3000; k++) {
        char name[16];
        sett_entity entity = sett_entity_create(s.world);
        (void)snprintf(name, sizeof(name), "%04u", (unsigned)k);
        CHECK(sett_add(s.world, entity, Armed_id) != NULL);
        CHECK_EQ(sett_name_set(s.world, entity, name), SETT_OK);
    }
    for (uint32_t k = 0; k < sizeof(queries) / sizeof(queries[0]); k++) {
        server_request request = {.method = "GET", .path = "query", .query = queries[k]};
        clock_t begin = clock();
        setti_explorer_answer(s.inspector, &request);
        double time = (double)(clock() - begin) * 1e3 / CLOCKS_PER_SEC;
        printf("explorers_wait_for_a_limited_time: %.1f ms, %u bytes\n", time,
               (unsigned)request.answer.size);
        CHECK(time < 200);
        CHECK_MSG(request.status == 0 && strncmp(request.answer.at, "{\"error", 8) != 0, "%s",
                  request.answer.at);
        CHECK(request.answer.at[request.answer.size - 1] == '}');
        setti_out_free(&request.answer);
    }
    scene_close();
}

TEST_MAIN(TEST(answers_the_flecs_explorer), TEST(answers_the_page), TEST(listens_on_loopback),
          TEST(remote_names_are_for_those_that_are_allowed), TEST(tokens_are_random),
          TEST(tokens_are_compared_as_a_whole), TEST(rejects_strangers), TEST(rejects_bad_requests),
          TEST(survives_slow_ones), TEST(streams_to_those_with_a_token),
          TEST(messages_are_compressed), TEST(frames_are_written_down_aside),
          TEST(streams_are_for_our_page), TEST(slow_connections_leave_room),
          TEST(dripping_connections_end), TEST(answers_no_preflight),
          TEST(a_frame_answers_for_a_limited_time),
          TEST(frames_before_the_first_request_are_not_stored), TEST(advice_is_applied),
          TEST(explorers_wait_for_a_limited_time))
