/* json_value.h: values of components as JSON. */
#ifndef SETTI_JSON_VALUE_H
#define SETTI_JSON_VALUE_H

#include "file/json_text.h"
#include "world/world.h"

/* Room for a reference to an entity. Longer references are neither written nor read. */
#define SETTI_JSON_REFERENCE 4096

/* Characters of a member's path in messages. */
#define SETTI_JSON_PATH 200

/* Names of sett_children_policy. */
extern const char* const setti_json_policies[4];

/* Writes the path of an entity, or the handle if the entity has no path. */
void setti_json_add_reference(setti_json_out* out, sett_world* world, sett_entity entity);

#define SETTI_JSON_HANDLE 24
/* Writes "#index:generation" with quotes, and no zero at the end. Returns the length. */
size_t setti_json_handle(sett_entity entity, char out[SETTI_JSON_HANDLE]);

/* Writes the path of an entity, such as "/hall/door". Returns the length. Returns 0 if the entity
 * or an ancestor has no name, or if the path is too long. */
size_t setti_json_path(sett_world* world, sett_entity entity, char text[SETTI_JSON_REFERENCE]);

/* Writes a value of a component. */
void setti_json_add_value(setti_json_out* out, sett_world* world, const setti_type* type,
                          const void* value);

/* A reader of values. */
typedef struct setti_json_reader {
    setti_json json;
    sett_world* world;
    bool allow_unknown; /* unknown names are skipped, not rejected */
    uint32_t skipped;   /* number of unknown names */
    /* Finds the entity of the reference `text`. `offset` is for messages. Returns false after an
     * error. */
    bool (*find)(struct setti_json_reader* reader, const char* text, size_t offset,
                 sett_entity* out);
    setti_writer path; /* the path of the member being read, for messages */
    char path_text[SETTI_JSON_PATH];
    /* The end of the error message, such as " - did you mean ...". */
    char message_end[SETTI_GUESS_LENGTH + 32];
} setti_json_reader;

void setti_json_reader_init(setti_json_reader* reader, sett_world* world, const char* text,
                            size_t size);

/* Adds a separator and a name to the path in messages. Returns the former length of the path, for
 * setti_json_leave. */
size_t setti_json_enter(setti_json_reader* reader, const char* separator, const char* name);
void setti_json_leave(setti_json_reader* reader, size_t before);

/* Reads a value over an initialised value. Returns false after an error, or if memory runs out. If
 * memory runs out, reader->json has no error. */
bool setti_json_read_value(setti_json_reader* reader, const setti_type* type, void* value);

/* Reads the object {"base64": "..."}. The parameters are those of setti_json_base64. */
bool setti_json_read_base64(setti_json* json, unsigned char* out, size_t capacity, size_t* length);

/* Reads a handle, like "#7:2". Returns false for other texts. */
bool setti_json_parse_handle(const char* text, sett_entity* out);

/* Skips the value of an unknown name if the reader allows unknown names. Otherwise fails.
 *   remedy  the end of the message if no known name is similar
 *   guess   the search for a similar name; can be NULL */
bool setti_json_unknown(setti_json_reader* reader, size_t offset, const char* wrong,
                        const char* remedy, setti_guess* guess);

/* Reports the error with line, column and path, or that memory ran out. Returns the status. */
sett_status setti_json_report(setti_json_reader* reader, sett_status status, const char* call);

#endif
