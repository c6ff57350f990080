/* migrate.h: converts values from one layout to another. */
#ifndef SETTI_MIGRATE_H
#define SETTI_MIGRATE_H

#include "sett/file.h"
#include "state/delta.h"

/* The conversion of a type's values from the layout of a file to the layout of the program. */
typedef struct setti_migration {
    setti_delta_rule rule;   /* first member: migrate_value casts to setti_migration */
    const sett_struct* from; /* members in the file; NULL: unknown */
    const sett_struct* to;   /* members in the program; NULL: unknown */
    size_t size;             /* bytes to copy, if members are unknown */
    const struct setti_migrator* migrator; /* the program's function, or NULL */
    const char* wrong;                     /* why a value was not converted, or NULL */
    bool no_memory;                        /* memory ran out for a string or list */
    /* a buffer for a value of the file, aligned, in this machine's byte order */
    void* room;
    size_t room_size;
    const struct setti_members* turned; /* members in the file if the byte order differs, or NULL */
    const struct setti_members* varied; /* members in the file with strings or lists, or NULL */
    const sett_allocator* allocator;    /* for strings and lists */
    const setti_type* shown;   /* the program's type if hooks write and read the struct `to` */
    const setti_type* written; /* the program's type if hooks read the values of the file */
} setti_migration;

/* Lists the conversions of types. Returns NULL after an error, or if no type needs a conversion.
 *   to_world  the program's world
 *   read  the contents of the file; gets the error's message, except if memory runs out */
setti_migration* setti_migrations_create(sett_world* to_world, sett_world* read, const char* call,
                                         uint32_t* count, uint32_t* dropped, sett_status* status);

/* Frees a list. `types` is the number of types of the file. */
void setti_migrations_free(sett_world* to_world, setti_migration* list, uint32_t types);

#endif
