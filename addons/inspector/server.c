/* server.c: the inspector on the net, by civetweb.
 *
 * The workload: a page on the same machine, with a request now and then, and a stream of some
 * megabytes a second. The danger: every other page in that browser can send requests to this port
 * too, and every program on the machine. So a request counts only with a token that is in the
 * address of the page alone, and only if Host, Origin and Sec-Fetch-Site say that our page sent it.
 *
 *     thread of civetweb        thread of the program
 *     request -> queue          setti_server_poll: answers it
 *     waits   <- answer
 *                               setti_server_send: message -> queue of each listener
 *     listener's own thread: queue -> compressor -> socket
 *
 * Invariant:  no thread of the program ever waits for a socket; `lock` is held for moments only
 */
#include "compressor.h"
#include "inspector.h"

#include <civetweb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "page.inc"

#define SERVER_BODY ((long long)1 << 20) /* bytes at most */
#define SERVER_THREADS "64"   /* connections at a time; the others wait for one of them to end */
#define SERVER_TIMEOUT "1000" /* milliseconds in which a request has to arrive */
#define SERVER_PATIENCE 5000000000u     /* nanoseconds in which its body has to */
#define SERVER_LISTENERS 2              /* each takes one of the threads */
#define SERVER_QUEUE ((size_t)64 << 20) /* bytes that wait for a listener, before it is skipped */
#define SERVER_WAIT 10                  /* seconds that a request waits for the program */

typedef struct server_message {
    size_t size;
    uint32_t holders;
    bool is_text;
    char bytes[];
} server_message;

typedef struct server_link {
    struct server_link* next;
    server_message* message;
} server_link;

typedef struct server_listener {
    struct mg_connection* connection; /* NULL: this place is free */
    struct server* server;
    pthread_t thread;
    pthread_cond_t woken;
    server_link* first;
    server_link* last;
    size_t waiting;        /* bytes */
    compressor compressor; /* of its thread */
    bool follows;          /* it has got a beginning */
    bool ends;
} server_listener;

typedef struct server_waiting {
    server_request request;
    struct server_waiting* next;
    bool taken; /* the program answers it */
    bool done;
} server_waiting;

struct server {
    struct mg_context* context;
    const char* protocol; /* that a listener must ask for, beside the token */
    struct mg_websocket_subprotocols protocols;
    char token[33];
    char cookie[33];
    char address[128];
    char hosts[3][64]; /* what Host may be */
    bool allow_remote;
    char* folder; /* of static files, or NULL */
    uint16_t port;
    pthread_mutex_t lock;
    pthread_cond_t answered;
    server_waiting* first;
    server_waiting* last;
    server_listener listeners[SERVER_LISTENERS];
    bool ends;
};

/* -------------------------------------------------------------------------------------- secrets */

static bool server_make_token(char out[33])
{
    unsigned char bytes[16];
    FILE* random = fopen("/dev/urandom", "rb");
    bool good = random != NULL && fread(bytes, 1, sizeof(bytes), random) == sizeof(bytes);
    if (random != NULL) {
        (void)fclose(random);
    }
    for (size_t k = 0; good && k < sizeof(bytes); k++) {
        (void)snprintf(out + 2 * k, 3, "%02x", bytes[k]);
    }
    return good;
}

bool setti_server_is_token(const char* token, const char* given)
{
    unsigned char differs = 0;
    if (given == NULL || strlen(given) != 32) {
        return false;
    }
    for (size_t k = 0; k < 32; k++) {
        differs |= (unsigned char)(token[k] ^ given[k]);
    }
    return differs == 0;
}

/* -------------------------------------------------------------------------------------- answers */

static const char server_policy[] =
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'" PAGE_SCRIPT
    "; style-src 'self'" PAGE_STYLE
    "; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

/* For the files of static_folder, which were written for no policy. */
static const char server_file_policy[] =
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; object-src 'none'; "
    "base-uri 'none'; frame-ancestors 'none'";

static void server_head(struct mg_connection* to, int status, const char* type, const char* more,
                        size_t size, const char* policy)
{
    (void)mg_printf(to,
                    "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %llu\r\n%s"
                    "Content-Security-Policy: %s\r\nX-Content-Type-Options: nosniff\r\n"
                    "Referrer-Policy: no-referrer\r\nCache-Control: no-store\r\n"
                    "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
                    status, mg_get_response_code_text(to, status), type, (unsigned long long)size,
                    more, policy);
}

static int server_reply(struct mg_connection* to, int status, const char* type, const void* bytes,
                        size_t size)
{
    server_head(to, status, type, "", size, server_policy);
    (void)mg_write(to, bytes, size);
    return status;
}

static int server_reject(struct mg_connection* to, int status, const char* why)
{
    char body[256];
    int size = snprintf(body, sizeof(body), "{\"ok\":false,\"error\":\"%s\"}", why);
    return server_reply(to, status, "application/json", body, (size_t)size);
}

/* Errors that civetweb finds itself, in the same form. */
static int server_on_error(struct mg_connection* to, int status, const char* why)
{
    (void)why;
    (void)server_reject(to, status, mg_get_response_code_text(to, status));
    return 0;
}

/* --------------------------------------------------------------------------------------- checks */

static bool server_is_host(const server* from, const char* host)
{
    if (host == NULL) {
        return false;
    }
    for (size_t k = 0; k < 3; k++) {
        if (mg_strcasecmp(host, from->hosts[k]) == 0) {
            return true;
        }
    }
    return from->allow_remote;
}

/* NULL, or why a request is none of our page. `upgrade`: of a WebSocket, which has an origin. */
static const char* server_suspects(const server* from, const struct mg_connection* of, bool upgrade)
{
    const char* host = mg_get_header(of, "Host");
    const char* origin = mg_get_header(of, "Origin");
    const char* site = mg_get_header(of, "Sec-Fetch-Site");
    if (!server_is_host(from, host)) {
        return "Host is not this program";
    }
    if (origin != NULL && (strncmp(origin, "http://", 7) != 0 || strcmp(origin + 7, host) != 0)) {
        return "Origin is another page";
    }
    if (origin == NULL && upgrade && site != NULL) {
        return "Origin is missing";
    }
    if (site != NULL && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0) {
        return "another page sent this";
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------- requests */

/* Waits until the program has answered. */
static void server_wait(server* from, server_waiting* waiting)
{
    struct timespec until;
    (void)timespec_get(&until, TIME_UTC);
    until.tv_sec += SERVER_WAIT;
    (void)pthread_mutex_lock(&from->lock);
    if (from->last != NULL) {
        from->last->next = waiting;
    } else {
        from->first = waiting;
    }
    from->last = waiting;
    while (!waiting->done) {
        int late = pthread_cond_timedwait(&from->answered, &from->lock, &until);
        if (!waiting->taken && (late != 0 || from->ends)) {
            server_waiting** at = &from->first;
            server_waiting* before = NULL;
            while (*at != waiting) {
                before = *at;
                at = &(*at)->next;
            }
            *at = waiting->next;
            from->last = from->last == waiting ? before : from->last;
            waiting->request.status = 503;
            break;
        }
    }
    (void)pthread_mutex_unlock(&from->lock);
}

static int server_forward(server* from, struct mg_connection* of, const char* path,
                          const char* query, char* body, size_t size)
{
    server_waiting waiting;
    memset(&waiting, 0, sizeof(waiting));
    waiting.request.method = mg_get_request_info(of)->request_method;
    waiting.request.path = path;
    waiting.request.query = query != NULL ? query : "";
    waiting.request.body = body;
    waiting.request.size = size;
    server_wait(from, &waiting);
    inspector_text* answer = &waiting.request.answer;
    int status = waiting.request.status != 0 ? waiting.request.status : 200;
    if (status == 503) {
        (void)server_reject(of, 503, "the program does not call sett_inspector_frame");
    } else if (answer->failed) {
        (void)server_reject(of, 500, "memory ran out");
    } else {
        char cookie[128] = "";
        if (from->folder != NULL && strcmp(path, "request") == 0) {
            (void)snprintf(cookie, sizeof(cookie),
                           "Set-Cookie: sett_%u=%s; HttpOnly; SameSite=Strict; Path=/\r\n",
                           (unsigned)from->port, from->cookie);
        }
        server_head(of, status, "application/json", cookie, answer->size, server_policy);
        (void)mg_write(of, answer->at, answer->size);
    }
    setti_out_free(answer);
    return status;
}

/* Reads a body of a known size. */
static int server_post(server* from, struct mg_connection* of, const char* path)
{
    const struct mg_request_info* info = mg_get_request_info(of);
    long long size = info->content_length;
    if (size < 0 || mg_get_header(of, "Transfer-Encoding") != NULL) {
        return server_reject(of, 411, "Content-Length is missing");
    }
    if (size > SERVER_BODY) {
        return server_reject(of, 413, "the body is larger than 1 MB");
    }
    char* body = malloc((size_t)size + 1);
    int got = 0;
    uint64_t end = setti_inspector_now() + SERVER_PATIENCE;
    if (body == NULL) {
        return server_reject(of, 503, "memory ran out");
    }
    while (got < size) {
        int more = mg_read(of, body + got, (size_t)(size - got));
        if (more <= 0 || setti_inspector_now() > end) {
            free(body);
            return server_reject(of, 408, "the body did not arrive");
        }
        got += more;
    }
    body[size] = '\0';
    int status = server_forward(from, of, path, NULL, body, (size_t)size);
    free(body);
    return status;
}

/* A part of the page. */
static int server_show(struct mg_connection* to, const char* type, const void* bytes, size_t size)
{
    server_head(to, 200, type, "Content-Encoding: gzip\r\n", size, server_policy);
    (void)mg_write(to, bytes, size);
    return 200;
}

/* --------------------------------------------------------------------------- the flecs explorer */

static bool server_has_cookie(const server* from, const struct mg_connection* of)
{
    char name[32];
    char value[64] = "";
    const char* cookies = mg_get_header(of, "Cookie");
    (void)snprintf(name, sizeof(name), "sett_%u", (unsigned)from->port);
    return cookies != NULL && mg_get_cookie(cookies, name, value, sizeof(value)) > 0 &&
           setti_server_is_token(from->cookie, value);
}

/* A file below the folder. */
static int server_file(const server* from, struct mg_connection* to, const char* name)
{
    char path[1024];
    static const char names[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./";
    name = name[0] == '\0' ? "index.html" : name;
    if (strstr(name, "..") != NULL || strspn(name, names) != strlen(name) ||
        (size_t)snprintf(path, sizeof(path), "%s/%s", from->folder, name) >= sizeof(path)) {
        return server_reject(to, 404, "there is nothing here");
    }
    FILE* file = fopen(path, "rb");
    long size = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char* bytes = size >= 0 && size < 1 << 28 ? malloc((size_t)size + 1) : NULL;
    bool read = bytes != NULL && fseek(file, 0, SEEK_SET) == 0 &&
                fread(bytes, 1, (size_t)size, file) == (size_t)size;
    if (file != NULL) {
        (void)fclose(file);
    }
    if (read) {
        server_head(to, 200, mg_get_builtin_mime_type(path), "", (size_t)size, server_file_policy);
        (void)mg_write(to, bytes, (size_t)size);
    }
    free(bytes);
    return read ? 200 : server_reject(to, 404, "there is nothing here");
}

/* What the explorer asks: its files, and its requests, which have no token but a cookie. */
static int server_explore(server* from, struct mg_connection* of, const char* uri)
{
    static const char* const kinds[] = {"entity", "query", "component", "components",
                                        "toggle", "stats", "tables",    "queries"};
    const struct mg_request_info* info = mg_get_request_info(of);
    size_t size = strcspn(uri, "/");
    bool get = strcmp(info->request_method, "GET") == 0;
    if (!server_has_cookie(from, of)) {
        return server_reject(of, 403, "open the inspector's page first: the cookie is missing");
    }
    if (get && strncmp(uri, "explorer/", 9) == 0) {
        return server_file(from, of, uri + 9);
    }
    bool known = get || strcmp(info->request_method, "PUT") == 0 ||
                 strcmp(info->request_method, "DELETE") == 0;
    for (size_t k = 0; known && k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        if (strlen(kinds[k]) == size && strncmp(kinds[k], uri, size) == 0) {
            return server_forward(from, of, uri, info->query_string, NULL, 0);
        }
    }
    return server_reject(of, 404, "there is nothing here");
}

/* Everything but WebSockets comes through here. */
static int server_handle(struct mg_connection* of, void* user)
{
    server* from = user;
    const struct mg_request_info* info = mg_get_request_info(of);
    const char* why = server_suspects(from, of, false);
    const char* uri = info->local_uri;
    bool post = strcmp(info->request_method, "POST") == 0;
    if (why != NULL) {
        return server_reject(of, 403, why);
    }
    bool get = strcmp(info->request_method, "GET") == 0;
    if (uri != NULL && strcmp(uri, "/") == 0 && get) {
        return server_show(of, "text/html; charset=utf-8", page_bytes, sizeof(page_bytes));
    }
    if (uri != NULL && strcmp(uri, "/replica.wasm") == 0 && get) {
        return server_show(of, "application/wasm", page_replica, sizeof(page_replica));
    }
    if (uri != NULL && strcmp(uri, "/request") == 0 && post) {
        return setti_server_is_token(from->token, mg_get_header(of, "X-Sett-Token"))
                   ? server_post(from, of, "request")
                   : server_reject(of, 403, "the token is missing or wrong");
    }
    if (uri != NULL && uri[0] == '/' && from->folder != NULL) {
        return server_explore(from, of, uri + 1);
    }
    return server_reject(of, 404, "there is nothing here");
}

/* ------------------------------------------------------------------------------------ listeners */

static void server_drop(server_message* message)
{
    if (message != NULL && --message->holders == 0) {
        free(message);
    }
}

/* Takes the first message of a listener's queue. */
static server_message* server_take(server_listener* listener)
{
    server_link* link = listener->first;
    server_message* message = link != NULL ? link->message : NULL;
    if (link != NULL) {
        listener->first = link->next;
        listener->last = link->next != NULL ? listener->last : NULL;
        listener->waiting -= message->size;
        free(link);
    }
    return message;
}

static void server_forget(server_listener* listener)
{
    while (listener->first != NULL) {
        server_drop(server_take(listener));
    }
}

static void server_append(server_listener* listener, server_message* message)
{
    server_link* link = malloc(sizeof(*link));
    if (link == NULL || listener->waiting + message->size > SERVER_QUEUE + message->size) {
        free(link);
        server_forget(listener);
        listener->follows = false; /* too slow: it goes on at the next beginning */
        return;
    }
    *link = (server_link){NULL, message};
    message->holders++;
    if (listener->last != NULL) {
        listener->last->next = link;
    } else {
        listener->first = link;
    }
    listener->last = link;
    listener->waiting += message->size;
    (void)pthread_cond_signal(&listener->woken);
}

/* Waits up to a second; returns what is to be sent, NULL for nothing. */
static server_message* server_await(server_listener* listener)
{
    struct timespec until;
    (void)timespec_get(&until, TIME_UTC);
    until.tv_sec += 1;
    if (listener->first == NULL && !listener->ends) {
        (void)pthread_cond_timedwait(&listener->woken, &listener->server->lock, &until);
    }
    return listener->ends ? NULL : server_take(listener);
}

/* Writes a message to the socket; false: the listener has to connect again. */
static bool server_pass(server_listener* listener, const server_message* message)
{
    int kind = message->is_text ? MG_WEBSOCKET_OPCODE_TEXT : MG_WEBSOCKET_OPCODE_BINARY;
    size_t size = message->size;
    const char* bytes = message->is_text
                            ? message->bytes
                            : setti_compressor_next(&listener->compressor, message->bytes, &size);
    return bytes != NULL && mg_websocket_write(listener->connection, kind, bytes, size) > 0;
}

/* A listener's own thread: only it compresses, and waits for the socket. */
static void* server_write(void* user)
{
    server_listener* listener = user;
    server* from = listener->server;
    (void)pthread_mutex_lock(&from->lock);
    while (!listener->ends) {
        server_message* message = server_await(listener);
        (void)pthread_mutex_unlock(&from->lock);
        bool leaves = message != NULL && !server_pass(listener, message);
        if (leaves) {
            mg_close_connection(listener->connection);
        }
        (void)pthread_mutex_lock(&from->lock);
        server_drop(message);
        listener->ends = listener->ends || leaves;
    }
    (void)pthread_mutex_unlock(&from->lock);
    return NULL;
}

static server_listener* server_find(server* from, const struct mg_connection* connection)
{
    for (uint32_t k = 0; k < SERVER_LISTENERS; k++) {
        if (from->listeners[k].connection == connection) {
            return &from->listeners[k];
        }
    }
    return NULL;
}

/* The token is the last of the protocols that a page asks for: in a script it can set no other
 * header of a WebSocket. The answer names the first one, "sett". */
static bool server_has_token(const server* from, const struct mg_connection* of)
{
    const char* protocols = mg_get_header(of, "Sec-WebSocket-Protocol");
    const char* last = protocols != NULL ? strrchr(protocols, ',') : NULL;
    return last != NULL && setti_server_is_token(from->token, last + 1 + strspn(last + 1, " "));
}

/* 0: it is accepted. */
static int server_on_connect(const struct mg_connection* connection, void* user)
{
    server* from = user;
    (void)pthread_mutex_lock(&from->lock);
    bool full = server_find(from, NULL) == NULL;
    (void)pthread_mutex_unlock(&from->lock);
    return full || !server_has_token(from, connection) ||
           server_suspects(from, connection, true) != NULL;
}

static void server_on_ready(struct mg_connection* connection, void* user)
{
    server* from = user;
    (void)pthread_mutex_lock(&from->lock);
    server_listener* listener = from->ends ? NULL : server_find(from, NULL);
    if (listener != NULL) {
        memset(listener, 0, sizeof(*listener));
        listener->server = from;
        listener->connection = connection;
        (void)pthread_cond_init(&listener->woken, NULL);
        if (pthread_create(&listener->thread, NULL, server_write, listener) != 0) {
            listener->connection = NULL;
            listener = NULL;
        }
    }
    (void)pthread_mutex_unlock(&from->lock);
    if (listener == NULL) {
        mg_close_connection(connection);
    }
}

/* What a page says is ignored: it asks by requests. */
static int server_on_data(struct mg_connection* connection, int bits, char* bytes, size_t size,
                          void* user)
{
    (void)connection;
    (void)bytes;
    (void)size;
    (void)user;
    return (bits & 15) != MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE;
}

static void server_on_close(const struct mg_connection* connection, void* user)
{
    server* from = user;
    (void)pthread_mutex_lock(&from->lock);
    server_listener* listener = server_find(from, connection);
    if (listener != NULL) {
        listener->ends = true;
        (void)pthread_cond_signal(&listener->woken);
    }
    (void)pthread_mutex_unlock(&from->lock);
    if (listener != NULL) {
        (void)pthread_join(listener->thread, NULL);
        (void)pthread_mutex_lock(&from->lock);
        server_forget(listener);
        setti_compressor_end(&listener->compressor);
        (void)pthread_cond_destroy(&listener->woken);
        listener->connection = NULL;
        (void)pthread_mutex_unlock(&from->lock);
    }
}

/* ---------------------------------------------------------------------------------- the program */

void setti_server_poll(server* from, uint64_t nanoseconds, server_answer_fn answer, void* user)
{
    uint64_t end = setti_inspector_now() + nanoseconds;
    (void)pthread_mutex_lock(&from->lock);
    while (from->first != NULL) {
        server_waiting* waiting = from->first;
        from->first = waiting->next;
        from->last = waiting->next != NULL ? from->last : NULL;
        waiting->taken = true;
        (void)pthread_mutex_unlock(&from->lock);
        answer(user, &waiting->request);
        (void)pthread_mutex_lock(&from->lock);
        waiting->done = true;
        (void)pthread_cond_broadcast(&from->answered);
        if (setti_inspector_now() > end) {
            break;
        }
    }
    (void)pthread_mutex_unlock(&from->lock);
}

static bool server_any(server* from, bool only_new)
{
    bool any = false;
    (void)pthread_mutex_lock(&from->lock);
    for (uint32_t k = 0; k < SERVER_LISTENERS; k++) {
        const server_listener* listener = &from->listeners[k];
        any = any || (listener->connection != NULL && !listener->ends &&
                      !(only_new && listener->follows) && (!only_new || listener->waiting == 0));
    }
    (void)pthread_mutex_unlock(&from->lock);
    return any;
}

bool setti_server_listened(server* from)
{
    return server_any(from, false);
}

bool setti_server_wants_begin(server* from)
{
    return server_any(from, true);
}

void setti_server_send(server* from, const void* bytes, size_t size, bool is_text, bool begins)
{
    server_message* message = malloc(sizeof(*message) + size);
    if (message == NULL) {
        return;
    }
    message->size = size;
    message->holders = 1;
    message->is_text = is_text;
    memcpy(message->bytes, bytes, size);
    (void)pthread_mutex_lock(&from->lock);
    for (uint32_t k = 0; k < SERVER_LISTENERS; k++) {
        server_listener* listener = &from->listeners[k];
        if (listener->connection != NULL && !listener->ends) {
            listener->follows = listener->follows || begins;
            if (listener->follows) {
                server_append(listener, message);
            }
        }
    }
    server_drop(message);
    (void)pthread_mutex_unlock(&from->lock);
}

/* ------------------------------------------------------------------------------- open and close */

static void server_name(server* from)
{
    static const char* const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t k = 0; k < 3; k++) {
        (void)snprintf(from->hosts[k], sizeof(from->hosts[k]), "%s:%u", names[k],
                       (unsigned)from->port);
    }
    (void)snprintf(from->address, sizeof(from->address), "http://%s/#token=%s", from->hosts[0],
                   from->token);
}

static bool server_start(server* from, const server_desc* desc, const char** why)
{
    char port[32];
    struct mg_server_port ports[4];
    const char* options[] = {
        "listening_ports",
        port,
        "num_threads",
        SERVER_THREADS,
        "max_request_size",
        "8192",
        "request_timeout_ms",
        SERVER_TIMEOUT,
        "access_control_allow_origin", /* by default civetweb answers OPTIONS, */
        "",
        "access_control_allow_methods", /* for pages of all origins */
        "",
        "websocket_timeout_ms",
        "1000",
        "enable_websocket_ping_pong",
        "yes",
        "linger_timeout_ms",
        "200",
        NULL};
    struct mg_callbacks callbacks = {.http_error = server_on_error};
    (void)snprintf(port, sizeof(port), "%s%u",
                   desc->allow_remote ? "" : "127.0.0.1:", (unsigned)desc->port);
    from->context = mg_start(&callbacks, from, options);
    if (from->context == NULL) {
        *why = "another program has the port, or it is not allowed - set another `port`";
        return false;
    }
    if (mg_get_server_ports(from->context, 4, ports) < 1) {
        *why = "the system does not say which port it gave - set a `port`";
        return false;
    }
    from->port = (uint16_t)ports[0].port;
    server_name(from);
    from->protocol = "sett";
    from->protocols = (struct mg_websocket_subprotocols){1, &from->protocol};
    mg_set_websocket_handler_with_subprotocols(from->context, "/stream", &from->protocols,
                                               server_on_connect, server_on_ready, server_on_data,
                                               server_on_close, from);
    mg_set_request_handler(from->context, "**", server_handle, from);
    return true;
}

server* setti_server_open(const server_desc* desc, const char** why)
{
    server* from = calloc(1, sizeof(*from));
    if (from == NULL) {
        *why = "memory ran out - free some, and open the inspector again";
        return NULL;
    }
    (void)pthread_mutex_init(&from->lock, NULL);
    (void)pthread_cond_init(&from->answered, NULL);
    from->allow_remote = desc->allow_remote;
    if (desc->static_folder != NULL) {
        from->folder = malloc(strlen(desc->static_folder) + 1);
        if (from->folder != NULL) {
            memcpy(from->folder, desc->static_folder, strlen(desc->static_folder) + 1);
        }
    }
    (void)mg_init_library(MG_FEATURES_WEBSOCKET);
    if (!server_make_token(from->token) || !server_make_token(from->cookie)) {
        *why = "there is no source of random numbers - let the program read /dev/urandom";
    } else if (server_start(from, desc, why)) {
        return from;
    }
    setti_server_close(from);
    return NULL;
}

void setti_server_close(server* from)
{
    if (from == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&from->lock);
    from->ends = true;
    (void)pthread_cond_broadcast(&from->answered);
    for (uint32_t k = 0; k < SERVER_LISTENERS; k++) {
        server_listener* listener = &from->listeners[k];
        if (listener->connection != NULL) {
            mg_close_connection(listener->connection);
            listener->ends = true;
            (void)pthread_cond_signal(&listener->woken);
        }
    }
    (void)pthread_mutex_unlock(&from->lock);
    if (from->context != NULL) {
        mg_stop(from->context);
    }
    (void)mg_exit_library();
    (void)pthread_cond_destroy(&from->answered);
    (void)pthread_mutex_destroy(&from->lock);
    free(from->folder);
    free(from);
}

const char* setti_server_address(const server* from)
{
    return from->address;
}
