/* plan_main.c: what each plan of a query costs, against the share of the entities that match, and
 * how far the planner's choice is from the best.
 *
 *     sett_plans [--check] [--quick] [entities]
 *
 * All entities have the first components of a query; the last one, V, is on a share of them, added
 * in the order of their indices or shuffled. Each layout of these types allows some plans; each is
 * forced in turn, interleaved with the others, and its cheapest round counts: a round takes about
 * 200 us, so that one without a disturbance is found soon. One line of CSV for each:
 *
 *     components,order,layout,plan,share,ns a match,chosen
 *
 * It goes to the standard output, the worst choice to the standard error. With --check the program
 * fails if a choice costs more than 15 % above the best plan of its layout. With --quick it
 * measures next to nothing: for a test. */
#include "scene_sett.h"

#include "query/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_TERMS 5
#define PLAN_ROUND 200e-6 /* seconds */
#define PLAN_MATCHES 25   /* fewer measure nothing */
#define PLAN_ALLOWED 1.15

static uint32_t plan_repetitions = 15;

static const double plan_shares[] = {0.001, 0.003, 0.01, 0.03, 0.06, 0.1, 0.15,
                                     0.2,   0.27,  0.35, 0.5,  0.65, 0.8, 1.0};

enum {
    PLAN_SHARES = sizeof(plan_shares) / sizeof(plan_shares[0])
};

typedef enum plan_layout {
    LAYOUT_ARRAY,    /* all arrays: their words are intersected */
    LAYOUT_TRACKED,  /* the same under a tracked set of the whole query */
    LAYOUT_SPARSE_1, /* V sparse-set, the others arrays: V drives, or pages */
    LAYOUT_SPARSE_2, /* V and one of the others sparse-set, both on a share of their own */
    LAYOUT_SPARSE,   /* all sparse-set: the smallest drives */
    LAYOUT_BESIDE,   /* all sparse-set, a group owns all but V: the group, or V drives */
    LAYOUT_GROUP,    /* all sparse-set, and owned by a group */
    LAYOUTS
} plan_layout;

static const char* const layout_names[LAYOUTS] = {
    "array",          "tracked",        "V sparse-set", "two sparse-set",
    "all sparse-set", "group beside V", "group"};

static const char* const way_names[] = {"chosen", "group", "sparse-set drives", "pages"};

typedef struct plan_case {
    uint32_t count;      /* entities */
    uint32_t components; /* of the query, V included */
    bool shuffled;
    plan_layout layout;
    double share;
} plan_case;

typedef struct plan_world {
    sett_world* world;
    sett_query* query;
    uint32_t matches;
} plan_world;

/* Gives a component to a share of the entities. */
static void plan_spread(sett_world* world, const sett_entity* entities, const plan_case* at,
                        sett_component id, uint64_t seed)
{
    uint32_t* chosen = scene_alloc(at->count, sizeof(uint32_t));
    uint32_t count = 0;
    for (uint32_t k = 0; k < at->count; k++) {
        double drawn = (double)(scene_random(&seed) >> 11) / 9007199254740992.0;
        if (drawn < at->share) {
            chosen[count++] = k;
        }
    }
    for (uint32_t k = at->shuffled ? count : 0; k > 1; k--) {
        uint32_t other = (uint32_t)(scene_random(&seed) % k);
        uint32_t kept = chosen[k - 1];
        chosen[k - 1] = chosen[other];
        chosen[other] = kept;
    }
    for (uint32_t k = 0; k < count; k++) {
        *(Pair*)sett_add(world, entities[chosen[k]], id) = scene_pair(chosen[k], 1);
    }
    scene_free(chosen);
}

static bool plan_is_sparse(const plan_case* at, uint32_t k)
{
    uint32_t sparse_set = at->layout <= LAYOUT_TRACKED    ? 0
                          : at->layout == LAYOUT_SPARSE_1 ? 1
                          : at->layout == LAYOUT_SPARSE_2 ? 2
                                                          : at->components;
    return k >= at->components - sparse_set;
}

static void plan_group(const plan_case* at, sett_world* world, const sett_component* id)
{
    sett_group_desc desc = {0};
    uint32_t members = at->layout == LAYOUT_BESIDE ? at->components - 1 : at->components;
    if (at->layout == LAYOUT_TRACKED) {
        memcpy(desc.with, id, members * sizeof(*id));
    } else {
        memcpy(desc.owned, id, members * sizeof(*id));
    }
    scene_check(sett_group_create(world, &desc) != NULL, "sett_group_create");
}

static plan_world plan_world_create(const plan_case* at)
{
    plan_world made;
    scene_run run = {0};
    sett_component id[PLAN_TERMS];
    sett_query_desc desc = {0};
    made.world = scene_world(&run, false);
    for (uint32_t k = 0; k < at->components; k++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "%c", k + 1 == at->components ? 'V' : (char)('A' + k));
        id[k] = scene_type(made.world, name, sizeof(Pair), SETT_ALIGNOF(Pair),
                           plan_is_sparse(at, k) ? SETT_STORAGE_SPARSE_SET : SETT_STORAGE_ARRAY);
        desc.terms[k].component = id[k];
        desc.terms[k].access = k == 0 ? SETT_INOUT : SETT_IN;
    }
    sett_entity* entities = scene_entities(made.world, at->count);
    for (uint32_t k = 0; k < at->components; k++) {
        bool rare =
            k + 1 == at->components || (at->layout == LAYOUT_SPARSE_2 && k + 2 == at->components);
        for (uint32_t e = 0; !rare && e < at->count; e++) {
            *(Pair*)sett_add(made.world, entities[e], id[k]) = scene_pair(e, 1);
        }
        if (rare) {
            plan_spread(made.world, entities, at, id[k], SCENE_SEED + k);
        }
    }
    if (at->layout == LAYOUT_TRACKED || at->layout >= LAYOUT_BESIDE) {
        plan_group(at, made.world, id);
    }
    made.query = sett_query_create(made.world, &desc);
    scene_check(made.query != NULL, "sett_query_create");
    made.matches = sett_query_count(made.query);
    scene_free(entities);
    return made;
}

static void plan_body(const plan_case* at, sett_query* query)
{
    SETT_QUERY_EACH(query, b) {
        Pair* a = sett_batch_field(b, 0);
        const Pair* f[PLAN_TERMS] = {0};
        for (uint32_t k = 1; k < at->components; k++) {
            f[k] = sett_batch_field(b, k);
        }
        switch (at->components) {
        case 1:
            SETT_EACH(b, i) {
                a[i].x += 1;
            }
            break;
        case 2:
            SETT_EACH(b, i) {
                a[i].x += f[1][i].x;
            }
            break;
        case 3:
            SETT_EACH(b, i) {
                a[i].x += f[1][i].x + f[2][i].x;
            }
            break;
        case 4:
            SETT_EACH(b, i) {
                a[i].x += f[1][i].x + f[2][i].x + f[3][i].x;
            }
            break;
        default:
            SETT_EACH(b, i) {
                a[i].x += f[1][i].x + f[2][i].x + f[3][i].x + f[4][i].x;
            }
            break;
        }
    }
}

/* Seconds of a loop under a plan, over `loops` of them. */
static double plan_round(const plan_case* at, const plan_world* made, setti_way way, uint32_t loops)
{
    scene_run run = {0};
    made->query->forced = way;
    scene_start(&run);
    for (uint32_t k = 0; k < loops; k++) {
        plan_body(at, made->query);
    }
    scene_stop(&run);
    made->query->forced = SETTI_WAY_CHOSEN;
    return run.seconds / loops;
}

/* The plan that is taken if none is forced. */
static setti_way plan_chosen(const plan_world* made)
{
    setti_plan plan;
    setti_plan_update(made->query);
    setti_plan_make(made->query, &plan);
    return plan.driver == SETT_QUERY_TERMS ? SETTI_WAY_PAGES
           : made->query->arranged != 0 && plan.in_place == made->query->arranged
               ? SETTI_WAY_ARRANGED
               : SETTI_WAY_SPARSE;
}

/* Whether a layout allows a plan. */
static bool plan_is_possible(const plan_case* at, setti_way way)
{
    switch (way) {
    case SETTI_WAY_PAGES: /* where there are arrays */
        return at->layout < LAYOUT_SPARSE_1 ||
               (at->layout <= LAYOUT_SPARSE_2 && !plan_is_sparse(at, 0));
    case SETTI_WAY_SPARSE:
        return at->layout >= LAYOUT_SPARSE_1 && at->layout <= LAYOUT_BESIDE;
    case SETTI_WAY_ARRANGED:
        return at->layout >= LAYOUT_BESIDE;
    case SETTI_WAY_CHOSEN:
        break;
    }
    return false;
}

/* Measures all plans of a case. Returns what the chosen one costs as a multiple of the cheapest. */
static double plan_measure(const plan_case* at)
{
    double ns[4] = {0};
    uint32_t loops[4] = {0};
    double least = 0;
    plan_world made = plan_world_create(at);
    setti_way chosen = plan_chosen(&made);
    for (uint32_t k = 0; k <= plan_repetitions && made.matches >= PLAN_MATCHES; k++) {
        for (setti_way way = SETTI_WAY_ARRANGED; way <= SETTI_WAY_PAGES; way++) {
            if (plan_is_possible(at, way)) {
                double seconds = plan_round(at, &made, way, k == 0 ? 1 : loops[way]);
                double taken = seconds * 1e9 / made.matches;
                loops[way] = k == 0 ? 1 + (uint32_t)(PLAN_ROUND / seconds) : loops[way];
                ns[way] = k == 0 || taken < ns[way] ? taken : ns[way];
            }
        }
    }
    for (setti_way way = SETTI_WAY_ARRANGED; way <= SETTI_WAY_PAGES; way++) {
        if (loops[way] != 0) {
            least = least <= 0 || ns[way] < least ? ns[way] : least;
            printf("%u,%s,%s,%s,%g,%.3f,%d\n", at->components,
                   at->shuffled ? "shuffled" : "ordered", layout_names[at->layout], way_names[way],
                   at->share, ns[way], way == chosen);
        }
    }
    fflush(stdout);
    sett_world_destroy(made.world);
    return least > 0 ? ns[chosen] / least : 0;
}

/* Whether there is such a case: groups have at least two types, and V is beside them. */
static bool plan_exists(const plan_case* at)
{
    static const uint32_t least[LAYOUTS] = {
        [LAYOUT_ARRAY] = 1,  [LAYOUT_TRACKED] = 2, [LAYOUT_SPARSE_1] = 2, [LAYOUT_SPARSE_2] = 3,
        [LAYOUT_SPARSE] = 1, [LAYOUT_BESIDE] = 3,  [LAYOUT_GROUP] = 2};
    return at->components >= least[at->layout];
}

int main(int argc, char** argv)
{
    plan_case at = {100000, 0, false, LAYOUT_ARRAY, 0};
    plan_case worst = at;
    double ratio = 0;
    bool check = false;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--check") == 0) {
            check = true;
        } else if (strcmp(argv[k], "--quick") == 0) {
            at.count = 1000;
            plan_repetitions = 1;
        } else {
            at.count = (uint32_t)strtoul(argv[k], NULL, 10);
        }
    }
    printf("components,order,layout,plan,share,ns,chosen\n");
    for (at.components = 1; at.components <= PLAN_TERMS; at.components++) {
        for (uint32_t k = 0; k < 2 * LAYOUTS * PLAN_SHARES; k++) {
            at.shuffled = k % 2 != 0;
            at.layout = (plan_layout)(k / 2 % LAYOUTS);
            at.share = plan_shares[k / 2 / LAYOUTS];
            double above = plan_exists(&at) ? plan_measure(&at) : 0;
            if (above > ratio) {
                ratio = above;
                worst = at;
            }
        }
    }
    fprintf(stderr, "worst choice: %.1f %% above the best (%u components, %s, %s, share %g)\n",
            (ratio - 1) * 100, worst.components, worst.shuffled ? "shuffled" : "ordered",
            layout_names[worst.layout], worst.share);
    return check && ratio > PLAN_ALLOWED ? 1 : 0;
}
