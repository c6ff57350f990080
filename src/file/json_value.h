/* json_value.h: values of components as JSON. */
#ifndef SETTI_JSON_VALUE_H
#define SETTI_JSON_VALUE_H

#include "file/json_text.h"
#include "world/world.h"

/* The longest reference to an entity that is written and read. */
#define SETTI_JSON_REFERENCE 4096

/* Characters of the path of a member in messages. */
#define SETTI_JSON_PATH 200

/* Names of sett_children_policy. */
extern const char* const setti_json_policies[4];

/* Writes a reference to an entity: a path if all on it have names, or "#index:generation". */
void setti_json_add_reference(setti_json_out* out, sett_world* world, sett_entity entity);

/* Writes "#index:generation", quotes included. Returns the length. */
#define SETTI_JSON_HANDLE 24
size_t setti_json_handle(sett_entity entity, char out[SETTI_JSON_HANDLE]);

/* The path in `text`, of SETTI_JSON_REFERENCE bytes, if all on it have names that are UTF-8: its
 * length; 0 if there is none. */
size_t setti_json_path(sett_world* world, sett_entity entity, char* text);

/* Writes the value that an entity has. */
void setti_json_add_value(setti_json_out* out, sett_world* world, const setti_type* type,
                          const void* value);

/* Reads values. */
typedef struct setti_json_reader {
    setti_json json;
    sett_world* world;
    bool allow_unknown;
    uint32_t skipped;
    /* Finds the entity of a reference; false, and json has failed, if there is none. */
    bool (*find)(struct setti_json_reader* reader, const char* text, size_t at, sett_entity* out);
    setti_writer path; /* of what is read, for messages */
    char path_text[SETTI_JSON_PATH];
    /* Behind what is wrong: " - did you mean ...", a list, or how many there are; or "". */
    char meant[SETTI_GUESS_LENGTH + 32];
} setti_json_reader;

void setti_json_reader_init(setti_json_reader* reader, sett_world* world, const char* text,
                            size_t size);

/* Goes down a path, and back up to where it was. */
size_t setti_json_enter(setti_json_reader* reader, const char* separator, const char* name);
void setti_json_leave(setti_json_reader* reader, size_t before);

/* Reads a value into memory that holds one. False without an error of `json`: memory ran out for a
 * string or a list. Bytes of types without members have to be all of them.
 */
bool setti_json_read_value(setti_json_reader* reader, const setti_type* type, void* value);

/* Reads {"base64": "..."}: the first `capacity` bytes; *length is how many there are. */
bool setti_json_read_base64(setti_json* json, unsigned char* out, size_t capacity, size_t* length);

/* Reads "#7:2". */
bool setti_json_parse_handle(const char* text, sett_entity* out);

/* Passes over an unknown name; fails if that is not allowed, and says what `guess` has found. */
bool setti_json_unknown(setti_json_reader* reader, size_t at, const char* wrong,
                        setti_guess* guess);

/* Fails with INVALID, or OUT_OF_MEMORY, and a message with line, column and path. */
sett_status setti_json_report(setti_json_reader* reader, const char* call);

#endif
