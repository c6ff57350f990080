/* session_data.c: the datagrams of a running session; see net_session.h.
 *
 * Each is complete by itself: what was lost is in the next one, what comes late or twice changes
 * nothing. Nothing in them is believed: frames are bounded by what this side has sent. */
#include "net_session.h"

#define SESSION_INPUTS 64u   /* the most in a datagram */
#define SESSION_DECISIONS 8u /* the same */
#define SESSION_LAST 512u    /* bytes of inputs of one who is gone */
#define SESSION_BURST 2000u  /* datagrams received in one call: the rest waits */

packet* setti_session_packet(sett_session* s, uint32_t peer, uint32_t kind)
{
    packet* p = packet_begin(&s->packet);
    packet_write(p, kind, 1);
    if (kind >= SESSION_DATA) {
        packet_write(p, s->peer[peer].theirs, 4);
    }
    return p;
}

void setti_session_send(sett_session* s, uint32_t peer, const packet* p)
{
    s->stats.datagrams++;
    s->stats.bytes += p->at;
    s->desc.transport.send(s->desc.transport.user, peer, p->bytes, p->at);
}

/* -------------------------------------------------------------------------------------- inputs */

/* Rows of bytes, one a frame: a bit for each says whether it is that of the frame before. */
static void data_write_rows(packet* p, const unsigned char* const* rows, uint32_t count,
                            uint32_t size)
{
    unsigned char same[SESSION_INPUTS / 8] = {0};
    for (uint32_t k = 1; k < count; k++) {
        same[k / 8] |= (unsigned char)((memcmp(rows[k], rows[k - 1], size) == 0) << k % 8);
    }
    packet_write_bytes(p, same, (count + 7) / 8);
    for (uint32_t k = 0; k < count; k++) {
        if ((same[k / 8] >> k % 8 & 1) == 0) {
            packet_write_bytes(p, rows[k], size);
        }
    }
}

/* Returns the number of rows; 0 if they are not all there. */
static uint32_t data_read_rows(packet* p, const unsigned char** rows, uint32_t size)
{
    const uint32_t count = (uint32_t)packet_read(p, 1);
    if (count == 0 || count > SESSION_INPUTS) {
        return 0;
    }
    const unsigned char* same = packet_bytes(p, (count + 7) / 8);
    for (uint32_t k = 0; k < count && !p->bad; k++) {
        bool repeats = k > 0 && (same[k / 8] >> k % 8 & 1) != 0;
        rows[k] = repeats ? rows[k - 1] : packet_bytes(p, size);
    }
    return p->bad ? 0 : count;
}

/* The inputs of this player that the peer does not have. */
static void data_write_inputs(sett_session* s, const session_peer* to, packet* p)
{
    const unsigned char* rows[SESSION_INPUTS];
    const uint32_t self = s->desc.local;
    const int64_t from = to->acked + 1;
    const int64_t last = setti_session_is_present(s, self) ? s->last[self] : -1;
    uint32_t room = (SETT_NET_DATAGRAM - p->at - 16) / s->desc.input_size;
    room = room < SESSION_INPUTS ? room : SESSION_INPUTS;
    uint32_t count = 0;
    while (to->synced && from >= 0 && from > last - (int64_t)SESSION_HISTORY / 2 &&
           from + count <= last && count < room) {
        rows[count] = setti_session_input(s, from + count, self);
        count++;
    }
    packet_write_frame(p, from);
    packet_write(p, count, 1);
    data_write_rows(p, rows, count, s->desc.input_size);
}

/* Of a player; a number that no player has: they are read over. */
static void data_read_inputs(sett_session* s, uint32_t player, packet* p)
{
    const unsigned char* rows[SESSION_INPUTS];
    const int64_t from = packet_frame(p);
    const uint32_t count = data_read_rows(p, rows, s->desc.input_size);
    for (uint32_t k = 0; k < count; k++) {
        if (setti_session_is_present(s, player)) {
            (void)setti_session_receive_input(s, player, from + k, rows[k]);
        }
    }
}

/* --------------------------------------------------------------------------------- spectators */

/* A spectator gets the rows of all players: who is present, and their inputs. Only final frames. */
static void data_send_feed(sett_session* s, uint32_t peer)
{
    unsigned char bytes[SESSION_INPUTS][1 + SETT_SESSION_PLAYERS * 64];
    const unsigned char* rows[SESSION_INPUTS];
    const uint32_t size = s->desc.players * s->desc.input_size;
    const int64_t from = s->peer[peer].acked + 1;
    int64_t end = s->stats.final_frame < s->frame - 1 ? s->stats.final_frame : s->frame - 1;
    uint32_t room = (SETT_NET_DATAGRAM - 32) / (1 + size);
    room = room < SESSION_INPUTS ? room : SESSION_INPUTS;
    uint32_t count = 0;
    while (from > s->frame - (int64_t)SESSION_HISTORY / 2 && from + count <= end && count < room) {
        int64_t frame = from + count;
        bytes[count][0] = setti_session_mask(s, frame);
        memcpy(bytes[count] + 1, s->used + (size_t)(frame % SESSION_HISTORY) * size, size);
        rows[count] = bytes[count];
        count++;
    }
    if (count != 0) {
        packet* p = setti_session_packet(s, peer, SESSION_FEED);
        packet_write_frame(p, from);
        packet_write(p, count, 1);
        data_write_rows(p, rows, count, 1 + size);
        setti_session_send(s, peer, p);
    }
}

static void data_read_feed(sett_session* s, uint32_t peer, packet* p)
{
    const unsigned char* rows[SESSION_INPUTS];
    const uint32_t size = s->desc.players * s->desc.input_size;
    const int64_t from = packet_frame(p);
    const uint32_t count = data_read_rows(p, rows, 1 + size);
    for (uint32_t k = 0; k < count && setti_session_spectates(s) && peer == s->source; k++) {
        const int64_t frame = from + k;
        if (s->mode == SESSION_RUNS && frame == s->fed + 1 &&
            frame < s->frame + (int64_t)SESSION_FUTURE) {
            const uint32_t before = s->present;
            s->fed = frame;
            s->present = rows[k][0];
            s->mask_end = frame;
            (void)setti_session_mask(s, frame);
            memcpy(setti_session_input(s, frame, 0), rows[k] + 1, size);
            setti_session_tell_presence(s, before, frame);
        }
    }
}

/* ----------------------------------------------------------------------------------- decisions */

/* The last inputs of a player, whose absence the peer has not acknowledged: it may not have them,
 * and plays these frames with them before it takes the decision. It has those up to `known`; a part
 * of the others is in each datagram, in turn. */
static void data_write_last_inputs(sett_session* s, session_peer* to, const session_change* gone,
                                   packet* p)
{
    const unsigned char* rows[SESSION_INPUTS];
    const uint32_t size = s->desc.input_size;
    const uint32_t room =
        SESSION_LAST / size < SESSION_INPUTS ? SESSION_LAST / size : SESSION_INPUTS;
    const int64_t oldest = gone->frame - (int64_t)SESSION_HISTORY / 2;
    int64_t from = to->known + 1 > oldest ? to->known + 1 : oldest;
    from = from > 0 ? from : 0;
    if (from < gone->frame) {
        const uint32_t parts = (uint32_t)(gone->frame - from + room - 1) / room;
        from += to->turn++ % parts * room;
    }
    uint32_t count = 0;
    while (from + count < gone->frame && count < room) {
        rows[count] = setti_session_input(s, from + count, gone->player);
        count++;
    }
    packet_write_frame(p, from);
    packet_write(p, count, 1);
    data_write_rows(p, rows, count, size);
}

static void data_write_decisions(sett_session* s, session_peer* to, packet* p)
{
    uint32_t from = to->serial < s->serial ? to->serial : s->serial;
    uint32_t count = s->serial - from < SESSION_DECISIONS ? s->serial - from : SESSION_DECISIONS;
    packet_write(p, from, 4);
    packet_write(p, count, 1);
    for (uint32_t k = from; k < from + count; k++) {
        const session_change* change = &s->change[k % SESSION_CHANGES];
        packet_write(p, change->player | (uint32_t)change->present << 7, 1);
        packet_write_frame(p, change->frame);
    }
    const session_change* first = &s->change[from % SESSION_CHANGES];
    if (count != 0 && !first->present) {
        data_write_last_inputs(s, to, first, p);
    }
}

/* Two groups that did not hear each other have decided differently: the one with fewer players
 * gives in, or else the one without the lowest player. */
static bool data_gives_in(const sett_session* s, uint32_t theirs)
{
    uint32_t ours = s->present, a = 0, b = 0;
    for (uint32_t p = 0; p < s->desc.players; p++) {
        a += ours >> p & 1;
        b += theirs >> p & 1;
    }
    return b != a ? b > a : (theirs & (0u - theirs)) < (ours & (0u - ours));
}

/* Returns whether the peer's decisions are not ours: neither continue the other. */
static bool data_differs(const sett_session* s, uint32_t serial, uint32_t lineage)
{
    return serial <= s->serial && serial >= s->lineage_from &&
           s->serial - serial < SESSION_CHANGES && s->lineage[serial % SESSION_CHANGES] != lineage;
}

/* Takes a decision, unless it needs inputs that are not here. Returns whether the rest of the
 * datagram is of use. */
static bool data_take_decision(sett_session* s, session_change change)
{
    const bool waits = !change.present && change.player < s->desc.players &&
                       setti_session_is_present(s, change.player) &&
                       s->last[change.player] < change.frame - 1;
    return waits || (setti_session_decide(s, change) && s->mode == SESSION_RUNS);
}

static bool data_read_decisions(sett_session* s, session_peer* of, packet* p)
{
    session_change change[SESSION_DECISIONS];
    const uint32_t from = packet_u32(p);
    const uint32_t count = (uint32_t)packet_read(p, 1);
    const bool news = from <= s->serial && !setti_session_spectates(s);
    for (uint32_t k = 0; k < count && count <= SESSION_DECISIONS; k++) {
        uint32_t bits = (uint32_t)packet_read(p, 1);
        change[k] = (session_change){packet_frame(p), bits & 127, bits >> 7 != 0};
    }
    if (count > SESSION_DECISIONS || p->bad) {
        return false;
    }
    if (count != 0 && !change[0].present) {
        data_read_inputs(s, news && from == s->serial ? change[0].player : SESSION_PEERS, p);
    }
    for (uint32_t k = 0; news && k < count && !p->bad; k++) {
        if (from + k == s->serial && !data_take_decision(s, change[k])) {
            of->conflicts = true; /* it leads back behind what is final here: it has to give in */
            return false;
        }
    }
    return !p->bad;
}

/* ---------------------------------------------------------------------------------------- data */

static void data_send(sett_session* s, uint32_t peer, uint64_t now)
{
    session_peer* to = &s->peer[peer];
    packet* p = setti_session_packet(s, peer, SESSION_DATA);
    bool synced = s->mode >= SESSION_RUNS;
    int64_t has = setti_session_spectates(s) ? s->fed : peer < s->desc.players ? s->last[peer] : -1;
    packet_write(p, synced | (uint32_t)to->conflicts << 1 | (s->mode == SESSION_LOADS ? 4u : 0u),
                 1);
    packet_write(p, s->present, 1);
    packet_write_frame(p, s->frame);
    packet_write(p, (uint64_t)(s->frame - to->frame), 4);
    packet_write_frame(p, setti_session_known(s));
    packet_write_frame(p, has);
    packet_write(p, s->serial, 4);
    packet_write(p, s->lineage[s->serial % SESSION_CHANGES], 4);
    packet_write_frame(p, s->stats.hash_frame);
    packet_write(p, s->stats.hash, 8);
    packet_write(p, now / 1000, 4);
    packet_write(p, to->stamp, 4);
    packet_write(p, to->stamp_us != 0 ? (now - to->stamp_us) / 1000 : 0, 4);
    data_write_decisions(s, to, p);
    data_write_inputs(s, to, p);
    setti_session_send(s, peer, p);
}

/* Returns whether the datagram is the latest. */
static bool data_read_stamps(session_peer* of, uint64_t now, uint32_t stamp, uint32_t echo,
                             uint32_t held_ms)
{
    uint32_t took = (uint32_t)(now / 1000) - echo - held_ms;
    if (echo != 0 && took < 10000) {
        of->ping_us = of->ping_us != 0 ? (of->ping_us * 7 + took * 1000) / 8 : took * 1000;
    }
    const bool latest = stamp - of->stamp < 1u << 31 || of->stamp_us == 0;
    if (latest) {
        of->stamp = stamp;
        of->stamp_us = now;
    }
    return latest;
}

/* It has played on without this machine, so far that its state is here sooner than its inputs are
 * played. Not if this machine has just fetched a state, which may have taken long: then only if the
 * other one does not keep all inputs that are missing here. */
static bool data_is_far_ahead(sett_session* s, uint32_t peer, int64_t frame)
{
    const bool spectates = setti_session_spectates(s);
    const int64_t here = spectates ? s->fed : s->frame;
    const bool plays = spectates ? peer == s->source : setti_session_is_present(s, peer);
    s->follows = s->follows && !(plays && frame <= here + (int64_t)SESSION_BEHIND / 2);
    const uint32_t most = s->follows ? SESSION_HISTORY / 2 - SESSION_DELAY_MAX : SESSION_BEHIND;
    return frame > here + (int64_t)most;
}

static void data_read(sett_session* s, uint32_t peer, packet* p)
{
    session_peer* of = &s->peer[peer];
    const uint64_t now = setti_session_now(s);
    const bool spectator = peer >= s->desc.players;
    const bool sends = s->mode != SESSION_LOADS && setti_session_is_present(s, s->desc.local);
    const int64_t most = spectator ? s->frame : sends ? s->last[s->desc.local] : INT64_MAX;
    const uint32_t flags = (uint32_t)packet_read(p, 1);
    const bool synced = (flags & 1) != 0;
    const uint32_t present = (uint32_t)packet_read(p, 1);
    const int64_t frame = packet_frame(p);
    const int64_t advantage = (int32_t)packet_u32(p);
    const int64_t known = packet_frame(p);
    const int64_t acked = packet_frame(p);
    const uint32_t serial = packet_u32(p);
    const uint32_t lineage = packet_u32(p);
    const session_hash hash = {packet_frame(p), packet_read(p, 8)};
    const uint32_t stamp = packet_u32(p);
    const uint32_t echo = packet_u32(p);
    const uint32_t held_ms = packet_u32(p);
    if (p->bad || (synced && of->synced && acked > most)) {
        s->stats.rejected++; /* it says that it has what was not sent */
        return;
    }
    of->heard_us = now;
    if (data_read_stamps(of, now, stamp, echo, held_ms)) {
        of->loads = (flags & 4) != 0;
    }
    if (of->restarted || of->loads || s->mode == SESSION_ENDED) {
        return;
    }
    const bool continues = setti_session_is_present(s, peer) && of->synced;
    of->synced = of->synced || synced;
    if (!synced || !of->synced) {
        return;
    }
    of->serial = serial > of->serial || !continues ? serial : of->serial;
    if (frame > of->frame || !continues) {
        of->frame = frame;
        of->advantage = advantage;
    }
    of->acked = acked > of->acked || !continues ? acked : of->acked;
    if (s->mode != SESSION_RUNS || spectator) {
        return;
    }
    if (data_is_far_ahead(s, peer, frame)) {
        setti_session_load(s, peer);
        return;
    }
    const bool differs = data_differs(s, serial, lineage);
    if (!setti_session_spectates(s) && (differs || (flags & 2) != 0)) {
        of->conflicts = differs;
        if (data_gives_in(s, present)) {
            setti_session_load(s, peer);
        }
        return;
    }
    of->conflicts = false;
    /* Of one that has decided as this side, or of the source. The hashes of spectators are not
     * looked at: they could end the game. */
    if (setti_session_spectates(s) ||
        (serial == s->serial && lineage == s->lineage[serial % SESSION_CHANGES])) {
        /* One that waits for this side's hash of that frame is not replaced. */
        bool done = of->hash.frame <= of->compared || of->hash.frame <= s->hashed;
        of->hash = done && hash.frame > of->hash.frame ? hash : of->hash;
    }
    if (!data_read_decisions(s, of, p) || s->mode != SESSION_RUNS) {
        return;
    }
    int64_t least = known < most ? known : most;
    of->known = least > of->known ? least : of->known;
    data_read_inputs(s, peer, p);
}

static void data_leave(sett_session* s, uint32_t peer)
{
    s->peer[peer].left = true;
    if (s->mode != SESSION_RUNS || !setti_session_is_present(s, peer)) {
        s->peer[peer].connected = false;
    }
}

static void data_receive(sett_session* s, uint32_t peer, uint32_t kind, packet* p)
{
    switch (kind) {
    case SESSION_DATA:
        data_read(s, peer, p);
        break;
    case SESSION_FEED:
        data_read_feed(s, peer, p);
        break;
    case SESSION_ASK:
        setti_session_receive_ask(s, peer, p);
        break;
    case SESSION_PART:
        setti_session_receive_part(s, peer, p);
        break;
    case SESSION_BYE:
        data_leave(s, peer);
        break;
    default:
        s->stats.rejected++;
        break;
    }
}

void setti_session_receive_all(sett_session* s)
{
    packet p;
    uint32_t peer;
    for (uint32_t k = 0; k < SESSION_BURST && packet_receive(&p, &s->desc.transport, &peer); k++) {
        const uint32_t kind = (uint32_t)packet_read(&p, 1);
        if (peer >= SESSION_PEERS || peer == s->desc.local) {
            s->stats.rejected++;
        } else if (kind < SESSION_DATA) {
            setti_session_receive_hello(s, peer, kind, &p);
        } else if (s->peer[peer].connected && packet_u32(&p) == s->peer[peer].mine && !p.bad) {
            data_receive(s, peer, kind, &p);
        } else {
            s->stats.rejected++;
        }
    }
}

void setti_session_send_all(sett_session* s)
{
    const uint64_t now = setti_session_now(s);
    for (uint32_t k = 0; k < SESSION_PEERS; k++) {
        session_peer* peer = &s->peer[k];
        if (k >= s->desc.players && peer->connected &&
            now - peer->heard_us > (uint64_t)s->desc.timeout_ms * 1000) {
            peer->connected = false; /* a spectator; others are gone by decision */
        }
        if (!peer->connected) {
            continue;
        }
        data_send(s, k, now);
        if (k >= s->desc.players && s->mode == SESSION_RUNS && peer->synced) {
            data_send_feed(s, k);
        }
    }
}
