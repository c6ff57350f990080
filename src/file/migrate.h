/* migrate.h: values of one layout as values of another. */
#ifndef SETTI_MIGRATE_H
#define SETTI_MIGRATE_H

#include "sett/file.h"
#include "state/delta.h"

/* How values of a type of a file become values of the program's. */
typedef struct setti_migration {
    setti_delta_rule rule;   /* first */
    const sett_struct* from; /* NULL: not known */
    const sett_struct* to;
    size_t size;                           /* without members: bytes that are copied */
    const struct setti_migrator* migrator; /* the program's function, or NULL */
    bool failed;                           /* it rejected a value */
    bool no_memory;                        /* for a string or a list */
    /* of one value: those of a file are not aligned, and little endian */
    void* room;
    size_t room_size;
    const struct setti_members* turned; /* the file's, where `room` is needed to turn numbers */
    const struct setti_members* varied; /* the file's, where values have strings or lists */
    const sett_allocator* allocator;    /* for these */
    const setti_type*
        shown; /* the program's, whose hooks write and read the struct `to`; or NULL */
    const setti_type* written; /* the program's, whose hooks read the file's values */
} setti_migration;

/* Finds out how the types of a world that was read become those of another. Returns a list of
 * *count, from the pool of `into`; NULL if there is nothing to do, or on failure. Members that are
 * dropped are logged, and counted in *dropped. Fails: CONFLICT, OUT_OF_MEMORY; the message is
 * `into`'s. */
setti_migration* setti_migrations_create(sett_world* into, const sett_world* read, uint32_t* count,
                                         uint32_t* dropped, sett_status* status);

/* Frees the list; `read` had so many types. */
void setti_migrations_free(sett_world* into, setti_migration* list, uint32_t types);

#endif
