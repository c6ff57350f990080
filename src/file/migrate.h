/* migrate.h: converts values from one layout to another. */
#ifndef SETTI_MIGRATE_H
#define SETTI_MIGRATE_H

#include "sett/file.h"
#include "state/delta.h"

/* How to convert values of a type of a file to the program's. */
typedef struct setti_migration {
    setti_delta_rule rule;   /* first */
    const sett_struct* from; /* of the file; NULL: unknown */
    const sett_struct* to;
    size_t size;                           /* bytes to copy, if members are unknown */
    const struct setti_migrator* migrator; /* the program's function, or NULL */
    bool failed;                           /* a value was rejected */
    bool no_memory;                        /* memory ran out for a string or list */
    /* Room for one value of the file, where it is aligned and turned. */
    void* room;
    size_t room_size;
    const struct setti_members* turned; /* the file's, if numbers must be turned in `room` */
    const struct setti_members* varied; /* the file's, if values have strings or lists */
    const sett_allocator* allocator;    /* for strings and lists */
    const setti_type*
        shown; /* the program's type, if its hooks write and read the struct `to`; or NULL */
    const setti_type*
        written; /* the program's type, if its hooks read the file's values; or NULL */
} setti_migration;

/* Lists how to convert the types of a world that was read to those of `into`, in the pool of
 * `into`. Returns NULL if nothing must be converted, or after a failure. Members that are dropped
 * are logged, and counted in *dropped. Fails, with `into`'s message: CONFLICT, OUT_OF_MEMORY. */
setti_migration* setti_migrations_create(sett_world* into, const sett_world* read, const char* call,
                                         uint32_t* count, uint32_t* dropped, sett_status* status);

/* Frees a list. `types`: the number of types of `read`. */
void setti_migrations_free(sett_world* into, setti_migration* list, uint32_t types);

#endif
