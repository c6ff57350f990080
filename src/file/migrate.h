/* migrate.h: converts values from one layout to another. */
#ifndef SETTI_MIGRATE_H
#define SETTI_MIGRATE_H

#include "sett/file.h"
#include "state/delta.h"

/* Converts the values of a type from the layout of a file to the layout of the program. */
typedef struct setti_migration {
    setti_delta_rule rule;           /* first member: migrate_value casts to setti_migration */
    const sett_struct* file_struct;  /* members in the file; NULL: unknown */
    const sett_struct* local_struct; /* members in the program; NULL: unknown */
    size_t size;                     /* bytes to copy, if members are unknown */
    const struct setti_migrator* migrator; /* the program's function, or NULL */
    const char* wrong;                     /* why a value was not converted, or NULL */
    bool no_memory;                        /* memory ran out for a string or list */
    /* A buffer for a value of the file, aligned, in this machine's byte order. NULL: not needed. */
    void* buffer;
    size_t buffer_size;
    /* The members in the file if the byte order differs, or NULL. */
    const struct setti_members* turned_members;
    /* The members in the file if some are strings or lists, or NULL. */
    const struct setti_members* owned_members;
    const sett_allocator* allocator; /* for strings and lists */
    /* The program's type if hooks write and read `local_struct`, or NULL. */
    const setti_type* hooked_type;
    /* The program's type if hooks read the values of the file, or NULL. */
    const setti_type* reading_type;
} setti_migration;

/* Lists the conversions of types. Returns NULL after an error, or if no type needs a conversion.
 *   count       becomes the number of conversions
 *   to_world    the program's world
 *   file_world  the contents of the file; gets the message of an error, unless memory runs out
 *   dropped     is increased by the number of members that the program lacks */
setti_migration* setti_migrations_create(sett_world* to_world, sett_world* file_world,
                                         const char* call, uint32_t* count, uint32_t* dropped,
                                         sett_status* status);

/* Frees a list, or nothing if `list` is NULL. `types` is the number of types of the file. */
void setti_migrations_free(sett_world* to_world, setti_migration* list, uint32_t types);

#endif
