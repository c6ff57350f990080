/* delta_short.c: short deltas and parts, for two peers that share a table of types.
 *
 * The workload: packets of some hundred bytes, twenty times a second. A third of the bytes were the
 * head and the records of types. The peers exchange the table once; then a number stands for a
 * type. A delta is shortened after encoding, and expanded before applying.
 *
 *     table    magic, version, number of records, records of types without counts (delta.h); a type
 *              with rounded values has two records
 *     short    1 byte of flags: part, kinds of runs, packed body; 4 bytes of the seal; 4 bytes of
 *              each hash, unless a part; number of types; number of runs of each kind in the flags
 *     types    for each type 1 byte of flags: record, counts; the record, or its number in the
 *              table; the counts in the flags
 *     body     all bytes between the head and the types. If packing makes them shorter: the size of
 *              the body, and the packed bytes (delta_pack.c)
 *
 * Numbers, except for the seal and the hashes, are those of setti_delta_short_number.
 *
 * Invariant:  expand(shorten(bytes)) = bytes, with zeroes as the upper halves of hashes
 */
#include "state/delta_reader.h"
#include "state/delta_writer.h"

#define SHORT_TABLE 0x4e544553u                  /* "SETN" */
#define SHORT_LAYOUT 21                          /* bytes of a record after the name */
#define SHORT_KINDS 3                            /* kinds of runs: ended, begun, slots */
#define SHORT_NUMBERS (SETTI_DELTA_SECTIONS + 1) /* after a record: counts of sections, extent */

/* The first byte: bits that are always set, and flags. */
#define SHORT_BEGIN 0xb0u
#define SHORT_PART 1u      /* the bytes are a part */
#define SHORT_RUNS 2u      /* SHORT_RUNS << k: kind k has runs */
#define SHORT_PACKED 0x40u /* the body is packed */
/* The flags of a type: SHORT_RECORD; and bit k says that number k of SHORT_NUMBERS is stored. */
#define SHORT_RECORD 32u /* the record is stored, not its number in the table */

typedef struct short_head {
    uint32_t magic;
    uint64_t hash[2]; /* before and after */
    uint64_t seal;
    uint32_t types;             /* number of types */
    uint32_t runs[SHORT_KINDS]; /* number of runs, by kind */
} short_head;

typedef struct short_record {
    const unsigned char* bytes;
    size_t size;
} short_record;

/* Writes a number, 7 bits a byte. */
static void short_write(setti_delta_writer* writer, uint32_t number)
{
    for (; number > 127; number >>= 7) {
        setti_delta_write_number(writer, (number & 127) | 128, 1); /* 128: a byte follows */
    }
    setti_delta_write_number(writer, number, 1);
}

/* Reads a number. A number that is too large counts as a read beyond the end. */
static uint32_t short_read(setti_delta_reader* reader)
{
    uint64_t number = setti_delta_short_number(reader);
    if (number > UINT32_MAX) {
        reader->short_of = true;
    }
    return (uint32_t)number;
}

/* Returns the number of bytes that short_write writes. */
static size_t short_length(size_t number)
{
    size_t size = 1;
    for (; number > 127; number >>= 7) {
        size++;
    }
    return size;
}

/* Reads the next record. Returns false if the bytes are incomplete. */
static bool short_next_record(setti_delta_reader* reader, short_record* record)
{
    record->bytes = reader->at;
    size_t length = (size_t)setti_delta_number(reader, 2);
    (void)setti_delta_read(reader, length + SHORT_LAYOUT);
    record->size = (size_t)(reader->at - record->bytes);
    return !reader->short_of;
}

/* Returns the position of a record in the table, or SETTI_NONE. */
static uint32_t short_find_number(setti_delta_reader table, uint32_t count,
                                  const short_record* record)
{
    short_record next;
    for (uint32_t k = 0; k < count && short_next_record(&table, &next); k++) {
        if (next.size == record->size && memcmp(next.bytes, record->bytes, next.size) == 0) {
            return k;
        }
    }
    return SETTI_NONE;
}

/* Finds record `number` of the table. Returns false if the table has no such record. */
static bool short_find_record(setti_delta_reader table, uint32_t count, uint32_t number,
                              short_record* record)
{
    if (number >= count) {
        return false;
    }
    for (uint32_t k = 0; k <= number; k++) {
        if (!short_next_record(&table, record)) {
            return false;
        }
    }
    return true;
}

/* The input and output of a call. */
typedef struct short_job {
    sett_world* world;
    const char* call;
    setti_delta_reader table;  /* at the first record of the table */
    uint32_t count;            /* number of records in the table */
    setti_delta_reader input;  /* the bytes to shorten or to expand */
    setti_delta_writer output; /* the result */
} short_job;

static sett_status short_reject(const short_job* job, const char* why)
{
    return setti_world_fail_input(job->world, SETT_STATUS_INVALID, "%s: %s", job->call, why);
}

static sett_status short_start(short_job* job, const void* types, size_t types_size,
                               const void* bytes, size_t size)
{
    if (setti_world_lacks_list(job->world, types, types_size, job->call, "types") ||
        setti_world_lacks_list(job->world, bytes, size, job->call, "bytes")) {
        return SETT_STATUS_ARGUMENT;
    }
    job->input = setti_delta_reader_of(bytes, size);
    job->table = setti_delta_reader_of(types, types_size);
    uint32_t magic = setti_delta_u32(&job->table);
    uint32_t version = setti_delta_u32(&job->table);
    job->count = setti_delta_u32(&job->table);
    if (!job->table.short_of && magic == SHORT_TABLE && version == SETTI_DELTA_VERSION) {
        return SETT_OK;
    }
    return short_reject(job, "`types` is not a table of types - pass what sett_delta_types of this "
                             "version of the library wrote");
}

/* Sets *size to the size of the result. Fails if the caller's buffer `out` is too small. */
static sett_status short_end(const short_job* job, const void* out, size_t* size)
{
    *size = job->output.size;
    return setti_delta_check_capacity(job->world, job->call, out, job->output.capacity,
                                      job->output.size);
}

/* Writes the records of a type to the job's output. */
static void short_write_records(short_job* job, const setti_type* type)
{
    setti_delta_write_record(&job->output, type, SETTI_EXACT);
    job->count++;
    if (setti_delta_sends(type)) {
        setti_delta_write_record(&job->output, type, SETTI_ROUNDED);
        job->count++;
    }
}

sett_status sett_delta_types(sett_world* world, const sett_component* types, uint32_t type_count,
                             void* out, size_t capacity, size_t* size)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    short_job job = {.world = world,
                     .call = __func__,
                     .output = {.out = out, .capacity = out != NULL ? capacity : 0}};
    *size = 0;
    if (setti_world_lacks_list(world, types, type_count, job.call, "types")) {
        return world->error;
    }
    setti_delta_write_number(&job.output, SHORT_TABLE, 4);
    setti_delta_write_number(&job.output, SETTI_DELTA_VERSION, 4);
    setti_delta_write_number(&job.output, 0, 4); /* the count, set below */
    for (uint32_t k = 0; k < type_count; k++) {
        const setti_type* type = setti_world_type(world, types[k]);
        if (type == NULL) {
            return setti_world_fail(world, SETT_STATUS_UNREGISTERED, job.call, sett_null(),
                                    types[k]);
        }
        short_write_records(&job, type);
    }
    if (types == NULL) { /* all types */
        for (uint32_t k = 0; k < world->registered.count; k++) {
            short_write_records(&job, world->registered.item[k]);
        }
    }
    setti_delta_write_at(&job.output, 8 /* behind the version */, job.count, 4);
    return short_end(&job, out, size);
}

/* Reads the head of a whole delta. Afterwards `reader` has the bytes of the body, and `types` has
 * the records of types. Returns false if the bytes are neither a delta nor a part. */
static bool short_read_whole_head(setti_delta_reader* reader, short_head* head,
                                  setti_delta_reader* types)
{
    size_t size = (size_t)(reader->end - reader->at);
    head->magic = setti_delta_u32(reader);
    uint32_t version = setti_delta_u32(reader);
    head->hash[0] = setti_delta_number(reader, 8);
    head->hash[1] = setti_delta_number(reader, 8);
    uint64_t total = setti_delta_number(reader, 8);
    head->seal = setti_delta_number(reader, 8);
    head->types = setti_delta_u32(reader);
    uint32_t bytes = setti_delta_u32(reader);
    for (uint32_t k = 0; k < SHORT_KINDS; k++) {
        head->runs[k] = setti_delta_u32(reader);
    }
    bool is_known = head->magic == SETTI_DELTA_MAGIC || head->magic == SETTI_DELTA_PART;
    if (reader->short_of || !is_known || version != SETTI_DELTA_VERSION) {
        return false;
    }
    if (total != size || bytes > (size_t)(reader->end - reader->at)) {
        return false;
    }
    *types = (setti_delta_reader){reader->end - bytes, reader->end, false};
    reader->end = types->at;
    return true;
}

/* Reads a type of a whole delta, and writes it in the short form. Returns false if the bytes are
 * incomplete. */
static bool short_write_type(short_job* job, setti_delta_reader* types)
{
    short_record record;
    uint32_t number[SHORT_NUMBERS];
    uint32_t flags = 0; /* bit k: number[k] is not 0 */
    if (!short_next_record(types, &record)) {
        return false;
    }
    for (uint32_t k = 0; k < SHORT_NUMBERS; k++) {
        number[k] = setti_delta_u32(types);
        if (number[k] != 0) {
            flags |= 1u << k;
        }
    }
    uint32_t place = short_find_number(job->table, job->count, &record);
    if (place == SETTI_NONE) {
        setti_delta_write_number(&job->output, flags | SHORT_RECORD, 1);
        setti_delta_write(&job->output, record.bytes, record.size);
    } else {
        setti_delta_write_number(&job->output, flags, 1);
        short_write(&job->output, place);
    }
    for (uint32_t k = 0; k < SHORT_NUMBERS; k++) {
        if (number[k] != 0) {
            short_write(&job->output, number[k]);
        }
    }
    return !types->short_of;
}

/* Writes the head of a short delta. */
static void short_write_head(setti_delta_writer* writer, const short_head* head, bool packed)
{
    bool part = head->magic == SETTI_DELTA_PART;
    uint32_t first = SHORT_BEGIN;
    if (part) {
        first |= SHORT_PART;
    }
    if (packed) {
        first |= SHORT_PACKED;
    }
    for (uint32_t k = 0; k < SHORT_KINDS; k++) {
        if (head->runs[k] != 0) {
            first |= SHORT_RUNS << k;
        }
    }
    setti_delta_write_number(writer, first, 1);
    setti_delta_write_number(writer, head->seal, 4);
    for (uint32_t k = 0; k < 2 && !part; k++) {
        setti_delta_write_number(writer, head->hash[k], 4);
    }
    short_write(writer, head->types);
    for (uint32_t k = 0; k < SHORT_KINDS; k++) {
        if (head->runs[k] != 0) {
            short_write(writer, head->runs[k]);
        }
    }
}

sett_status sett_delta_shorten(sett_world* world, const void* types, size_t types_size,
                               const void* bytes, size_t size, void* out, size_t capacity,
                               size_t* short_size)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    short_job job = {.world = world,
                     .call = __func__,
                     .output = {.out = out, .capacity = out != NULL ? capacity : 0}};
    *short_size = 0;
    sett_status status = short_start(&job, types, types_size, bytes, size);
    if (status != SETT_OK) {
        return status;
    }
    short_head head;
    setti_delta_reader records;
    if (!short_read_whole_head(&job.input, &head, &records)) {
        return short_reject(&job,
                            "these bytes are not a whole delta or selection of this version - "
                            "pass all bytes that sett_delta_encode or sett_selection_encode wrote");
    }
    const unsigned char* body = job.input.at;
    size_t body_size = (size_t)(job.input.end - body);
    bool packs = body_size <= UINT32_MAX &&
                 short_length(body_size) + setti_delta_packed(body, body_size) < body_size;
    short_write_head(&job.output, &head, packs);
    for (uint32_t k = 0; k < head.types; k++) {
        if (!short_write_type(&job, &records)) {
            return short_reject(&job, "the bytes are damaged: the types are incomplete - encode "
                                      "them again");
        }
    }
    if (packs) {
        short_write(&job.output, (uint32_t)body_size);
        setti_delta_pack(&job.output, body, body_size);
    } else {
        setti_delta_write(&job.output, body, body_size);
    }
    return short_end(&job, out, short_size);
}

/* Reads the head of a short delta. Returns false if the head is invalid. */
static bool short_read_head(setti_delta_reader* reader, short_head* head, bool* packed)
{
    uint32_t first = (uint32_t)setti_delta_number(reader, 1);
    bool part = (first & SHORT_PART) != 0;
    *head = (short_head){.magic = part ? SETTI_DELTA_PART : SETTI_DELTA_MAGIC};
    head->seal = setti_delta_number(reader, 4);
    if (!part) {
        head->hash[0] = setti_delta_number(reader, 4);
        head->hash[1] = setti_delta_number(reader, 4);
    }
    head->types = short_read(reader);
    for (uint32_t k = 0; k < SHORT_KINDS; k++) {
        if ((first & (SHORT_RUNS << k)) != 0) {
            head->runs[k] = short_read(reader);
        }
    }
    *packed = (first & SHORT_PACKED) != 0;
    return !reader->short_of && (first & SHORT_BEGIN) == SHORT_BEGIN;
}

typedef enum short_pass {
    SHORT_CHECK,
    SHORT_WRITE
} short_pass;

/* Reads a short type. In the pass SHORT_WRITE, writes it in the whole form. Returns false if the
 * type is invalid. */
static bool short_expand_type(short_job* job, setti_delta_reader* reader, short_pass pass)
{
    short_record record;
    uint32_t flags = (uint32_t)setti_delta_number(reader, 1);
    bool found;
    if ((flags & SHORT_RECORD) != 0) {
        found = short_next_record(reader, &record);
    } else {
        found = short_find_record(job->table, job->count, short_read(reader), &record);
    }
    if (found && pass == SHORT_WRITE) {
        setti_delta_write(&job->output, record.bytes, record.size);
    }
    for (uint32_t k = 0; k < SHORT_NUMBERS; k++) {
        uint32_t number = 0;
        if (((flags >> k) & 1) != 0) {
            number = short_read(reader);
        }
        if (pass == SHORT_WRITE) {
            setti_delta_write_number(&job->output, number, 4);
        }
    }
    return found && flags < 2 * SHORT_RECORD && !reader->short_of; /* no unknown flag */
}

/* Writes the head of a whole delta. The seal, the size and the counts follow later. */
static void short_write_whole_head(setti_delta_writer* writer, const short_head* head)
{
    setti_delta_write_head(writer, head->magic);
    for (uint32_t k = 0; k < 2; k++) {
        setti_delta_write_at(writer, SETTI_DELTA_HASH_BEFORE + 8 * k, head->hash[k], 8);
    }
    if (head->magic == SETTI_DELTA_MAGIC) { /* 4: the offset of the version */
        setti_delta_write_at(writer, 4, SETTI_DELTA_VERSION | SETTI_DELTA_SHORT, 4);
    }
}

/* Writes the body of a whole delta. Returns false if the packed body has a wrong size. */
static bool short_expand_body(short_job* job, bool packed)
{
    setti_delta_reader* reader = &job->input;
    if (!packed) {
        setti_delta_write(&job->output, reader->at, (size_t)(reader->end - reader->at));
        return true;
    }
    setti_delta_unpack(reader, short_read(reader), &job->output);
    return !reader->short_of && reader->at == reader->end;
}

sett_status sett_delta_expand(sett_world* world, const void* types, size_t types_size,
                              const void* bytes, size_t size, void* out, size_t capacity,
                              size_t* whole_size)
{
    if (SETTI_IS_NULL(world)) {
        return SETT_STATUS_ARGUMENT;
    }
    short_job job = {.world = world,
                     .call = __func__,
                     .output = {.out = out, .capacity = out != NULL ? capacity : 0}};
    *whole_size = 0;
    sett_status status = short_start(&job, types, types_size, bytes, size);
    if (status != SETT_OK) {
        return status;
    }
    short_head head;
    setti_delta_writer* writer = &job.output;
    bool packed = false;
    bool types_fit = short_read_head(&job.input, &head, &packed);
    setti_delta_reader records = job.input; /* to read the types again, after the body */
    for (uint32_t k = 0; k < head.types && types_fit; k++) {
        types_fit = short_expand_type(&job, &job.input, SHORT_CHECK);
    }
    if (!types_fit) {
        return short_reject(
            &job, "the bytes do not fit `types`, or are damaged - pass the sender's table, or get "
                  "the bytes again");
    }
    short_write_whole_head(writer, &head);
    if (!short_expand_body(&job, packed)) {
        return short_reject(&job, "the bytes are damaged: the values have a wrong size - get them "
                                  "from the sender again");
    }
    size_t begin = writer->size;
    for (uint32_t k = 0; k < head.types; k++) {
        (void)short_expand_type(&job, &records, SHORT_WRITE);
    }
    setti_delta_write_at(writer, SETTI_DELTA_COUNT_TYPES, head.types, 4);
    setti_delta_write_at(writer, SETTI_DELTA_TYPES_SIZE, writer->size - begin, 4);
    for (uint32_t k = 0; k < SHORT_KINDS; k++) {
        setti_delta_write_at(writer, SETTI_DELTA_COUNT_ENDED + 4 * k, head.runs[k], 4);
    }
    setti_delta_write_seal(writer);
    status = short_end(&job, out, whole_size);
    if (status == SETT_OK && out != NULL &&
        setti_bytes_get(writer->out + SETTI_DELTA_SEAL, 4) != head.seal) {
        return short_reject(&job, "the bytes are damaged, or were shortened with another table - "
                                  "get them again, or pass the sender's table");
    }
    return status;
}
