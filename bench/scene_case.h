/* scene_case.h: what else is measured, of Sett alone: programs by which others measured their own
 * storages, rebuilt from their descriptions. Each case says what there is to compare with. */
#ifndef BENCH_SCENE_CASE_H
#define BENCH_SCENE_CASE_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scene_case {
    const char* suite;
    const char* name;
    uint32_t count;   /* what run.count is */
    uint32_t variant; /* what run.variant is */
    bool full;        /* takes long: only part of the full measurement */
    scene_fn run;
    /* The source's fastest version, measured on a machine like the one docs/bench describes; 0:
     * none. */
    double reference;             /* seconds */
    size_t reference_peak;        /* bytes */
    size_t reference_allocations; /* calls */
} scene_case;

/* Lists that end with a case without a name. */
extern const scene_case scene_six[];     /* scene_six.c */
extern const scene_case scene_profile[]; /* scene_profile.c */
extern const scene_case scene_removal[]; /* scene_removal.c */
extern const scene_case scene_tags[];    /* scene_tags.c */
extern const scene_case scene_tree[];    /* scene_tree.c */
extern const scene_case scene_frames[];  /* scene_sett_run.c */

/* How much memory one type takes. Every entity of `count`, or a share of them, has a value. */
typedef struct scene_density {
    uint32_t count;
    uint32_t size;   /* of a value, in bytes */
    double share;    /* of the entities that have one */
    bool spread;     /* at random; otherwise the first ones */
    bool sparse_set; /* storage */
    size_t linear;   /* out: an array by entity and one bit each */
    size_t sparse;   /* out: two arrays of 4 bytes by entity, and the values alone */
    size_t measured; /* out: bytes in the pages of the type */
} scene_density;

void scene_density_measure(scene_density* density);

#ifdef __cplusplus
}
#endif

#endif
