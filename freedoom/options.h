/* options.h - what the command line asks for. */
#ifndef FREEDOOM_OPTIONS_H
#define FREEDOOM_OPTIONS_H

#include "fault.h"

#include <stdint.h>

#define OPTIONS_LIST_MAX 32u

typedef struct Options {
    const char* wads[OPTIONS_LIST_MAX];
    uint32_t wad_count;
    const char* maps[OPTIONS_LIST_MAX]; /* none: all */
    uint32_t map_count;
    const char* pictures[OPTIONS_LIST_MAX]; /* names of maps */
    uint32_t picture_count;
    bool pictures_given; /* the user named them: they must exist */
    bool all_pictures;
    uint32_t ticks;
    uint32_t workers; /* 0: as many as the machine has */
    uint64_t seed;
    const char* folder;   /* of pictures */
    const char* save;     /* files, or NULL: the final state goes to one, */
    const char* load;     /* the first comes from one, */
    const char* record;   /* all go to one, */
    const char* replay;   /* the last of a recording is the first, */
    const char* flight;   /* and the last ones go to one when the program crashes */
    const char* explorer; /* folder of the flecs explorer, or NULL */
    bool no_rewind, trace, inspect, sync_test, help, version;
} Options;

/* Fills in what is not asked for with what is usual. Returns false for what makes no sense. */
bool options_parse(Options* options, int count, char** arguments, Fault* fault);

extern const char options_help[];

#endif
