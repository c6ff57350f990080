/* test_search_random.c: random queries as text, over a random world that changes between them,
 * against a naive evaluator: every choice of entities is tried, and each term is asked by the calls
 * of the public interface. What a variable means (docs/queries.md) is worked out here from the top
 * down, from the definition, and not as the library does it.
 *
 *     SETT_SEED=7 SETT_SEARCHES=1000000 build/dev/test/test_search_random
 */
#include "chance.h"
#include "worlds.h"

#define ENTITIES 9
#define TYPES 4
#define RELATIONS 3
#define VARIABLES 8
#define NODES 64
#define ROWS 400000

typedef enum node_kind {
    HAS,
    LINK,
    SAME,
    NAME,
    MEMBER,
    NOT,
    OR,
    SCOPE
} node_kind;

/* A variable, or `SOME + 0`, or CONSTANT + index of an entity. */
enum {
    SOME = 100,
    CONSTANT = 200
};

typedef struct node {
    node_kind kind;
    bool optional;
    int type; /* of HAS: a type; of LINK: a relationship */
    int a, b;
    int steps; /* 0 one, 1 +, 2 *, 3 ? */
    int walk;  /* 0 none, 1 parent, 2 up, 3 self|up, 4 target R, 5 up R, 6 self|up R, 7 singleton */
    int compare;
    bool drives;
    int value; /* of MEMBER, whose `type` is 0 n, 1 f: a whole number, or `b` is an entity's */
    char text[4];
    int child[8];
    int count;
} node;

typedef struct query {
    node node[NODES];
    int nodes;
    int variables; /* the last ones are wildcards */
    uint32_t terms;
    int wildcard; /* bit v */
    bool optional[VARIABLES];
    bool drives;
    int group, cascade, by; /* see draw_order; 0: none */
    int group_of, cascade_of, by_of;
    bool reverse;
    bool source[VARIABLES], shows_prefab[VARIABLES], shows_disabled[VARIABLES];
    char out[4000];
    size_t length;
} query;

typedef struct B {
    int32_t n;
    float f;
} B;

static sett_world* world;
static sett_component types[TYPES], relations[RELATIONS];
static sett_component prefab, disabled;
static uint64_t state;
static sett_entity alive[64];
static int living;
static struct {
    uint64_t searches, terms, joined, found, rejected, kinds[8], walks[8], steps[4], optional, some,
        constants, wildcards, ors, nots, drives, ordered, groups[4], cascades[3], bys[4], combined;
} seen;

static uint32_t below(uint32_t limit)
{
    return chance_below(&state, limit);
}

/* ----------------------------------------------------------------------------------- the world */

static sett_entity someone(void)
{
    return entity_from(world, below(ENTITIES + 3));
}

static void begin_world(void)
{
    world = quiet_world();
    static const char* const names[] = {"A", "B", "C", "D e"};
    for (uint32_t k = 0; k < TYPES; k++) {
        types[k] = sett_component_register(
            world, &(sett_component_desc){.name = names[k],
                                          .size = k % 2 * 8,
                                          .storage = k == 1 ? SETT_STORAGE_SPARSE_SET : 0,
                                          .can_disable = k != 2,
                                          .dont_fragment = k == 2});
        CHECK(types[k] != 0);
    }
    sett_component B_id = types[1];
    CHECK_EQ(SETT_MEMBERS(world, B, n, f), SETT_OK);
    relations[0] = sett_relationship_register(world, &(sett_relationship_desc){.name = "One"});
    relations[1] =
        sett_relationship_register(world, &(sett_relationship_desc){.name = "Many", .many = true});
    relations[2] = sett_hierarchy_register(world, NULL);
    prefab = sett_prefab_tag(world);
    disabled = sett_disabled_tag(world);
    for (uint32_t k = 0; k < ENTITIES; k++) {
        sett_entity_create(world);
    }
}

static void change_tags(sett_entity e)
{
    sett_component tag = below(2) != 0 ? prefab : disabled;
    if (sett_has(world, e, tag)) {
        sett_remove(world, e, tag);
    } else if (below(12) == 0) {
        sett_add(world, e, tag);
    }
}

static bool change_switch(sett_entity e)
{
    sett_component type = types[below(TYPES)];
    return sett_has(world, e, type) && type != types[2] &&
           sett_enable(world, e, type, below(3) != 0) == SETT_OK;
}

static void change_singleton(void)
{
    sett_component type = types[below(TYPES)];
    if (sett_singleton_find(world, type) != NULL) {
        if (below(2) != 0 || !change_switch(sett_singletons(world))) {
            sett_singleton_remove(world, type);
        }
    } else if (below(3) == 0) {
        sett_singleton_ensure(world, type);
    }
}

static void change_value(sett_entity e)
{
    float nan = strtof("nan", NULL);
    B value = {(int32_t)below(5) - 2, below(6) == 0 ? nan : (float)below(5) / 2 - 1};
    if (sett_entity_valid(world, e) && sett_has(world, e, types[1])) {
        sett_set(world, e, types[1], &value);
    }
}

static void change_world(void)
{
    sett_entity e = someone();
    sett_entity other = someone();
    char name[2] = {(char)('a' + below(4)), '\0'};
    if (below(16) == 0) {
        change_singleton();
    }
    change_value(other);
    change_switch(e);
    switch (below(12)) {
    case 0:
        if (below(3) == 0 && sett_entity_count(world) > ENTITIES - 3) {
            sett_entity_destroy(world, e); /* and its children */
        }
        while (sett_entity_count(world) < ENTITIES - 3) {
            sett_entity_create(world);
        }
        break;
    case 1:
        if (sett_entity_count(world) < ENTITIES + 2) {
            sett_entity_create(world);
        }
        break;
    case 2:
    case 3:
        sett_ensure(world, e, types[below(TYPES)]);
        break;
    case 4:
        if (below(3) == 0) {
            sett_remove(world, e, types[below(TYPES)]);
        }
        break;
    case 5:
    case 6:
    case 7:
        sett_relate(world, e, relations[below(2)], other);
        break;
    case 8:
        if (below(3) == 0) {
            sett_unrelate(world, e, relations[below(2)], other);
        }
        break;
    case 9:
        sett_hierarchy_attach(world, e, other);
        break;
    case 10:
        sett_name_set(world, e, name);
        break;
    default:
        if (below(8) == 0) {
            sett_component_convert(world, types[1 + 2 * below(2)],
                                   below(2) != 0 ? SETT_STORAGE_ARRAY : SETT_STORAGE_SPARSE_SET);
        }
        change_tags(e);
        break;
    }
}

/* ------------------------------------------------------------------------------------- the text */

static void put(query* q, const char* text)
{
    size_t length = strlen(text);
    CHECK(q->length + length + 1 < sizeof(q->out));
    memcpy(q->out + q->length, text, length + 1);
    q->length += length;
}

static void put_ref(query* q, int ref)
{
    char text[40];
    if (ref == SOME) {
        put(q, "_");
    } else if (ref >= CONSTANT) {
        sett_entity e = sett_entity_at(world, (uint32_t)(ref - CONSTANT));
        snprintf(text, sizeof(text), "#%u:%u", e.index, e.generation);
        put(q, text);
    } else if (q->wildcard >> ref & 1) {
        put(q, "*");
    } else {
        snprintf(text, sizeof(text), ref == 0 ? "$this" : "$v%d", ref);
        put(q, text);
    }
}

static const char* const type_names[] = {"A", "B", "C", "\"D e\"", "Prefab", "Disabled"};
static const char* const relation_names[] = {"One", "Many", "ChildOf"};
static const char* const step_marks[] = {"", "+", "*", "?"};
static const char* const walk_texts[] = {"",           "parent", "up",          "self|up",
                                         "target One", "up One", "self|up One", "singleton"};
static const char* const member_names[] = {"B.n", "B.f"};
static const char* const marks[] = {"==", "!=", "<", "<=", ">", ">=", "~=", "!~"};

static void put_scope(query* q, const node* scope, bool braces);

static void put_member(query* q, int ref, int member)
{
    put_ref(q, ref);
    put(q, ".");
    put(q, member_names[member]);
}

static void put_has(query* q, const node* n)
{
    put(q, n->drives ? "[drive] " : "");
    put(q, type_names[n->type]);
    if (n->a != 0 || n->walk != 0) {
        put(q, "(");
        if (n->a != 0) {
            put_ref(q, n->a);
        }
        put(q, n->a != 0 && n->walk != 0 ? "|" : "");
        put(q, walk_texts[n->walk]);
        put(q, ")");
    }
}

static bool needs_braces(const query* q, int scope)
{
    node_kind kind = q->node[q->node[scope].child[0]].kind;
    return q->node[scope].count > 1 || kind == NOT || kind == OR;
}

static void put_node(query* q, const node* n)
{
    put(q, n->optional ? "?" : "");
    switch (n->kind) {
    case HAS:
        put_has(q, n);
        break;
    case MEMBER:
        put_member(q, n->a, n->type);
        put(q, " ");
        put(q, marks[n->compare]);
        put(q, " ");
        if (n->b == SOME) {
            char number[16];
            snprintf(number, sizeof(number), "%d", n->value);
            put(q, number);
        } else {
            put_member(q, n->b, n->value & 1);
        }
        break;
    case LINK:
        put(q, n->drives ? "[drive] " : "");
        put(q, relation_names[n->type]);
        put(q, step_marks[n->steps]);
        put(q, "(");
        put_ref(q, n->a);
        put(q, ", ");
        put_ref(q, n->b);
        put(q, ")");
        break;
    case SAME:
        put_ref(q, n->a);
        put(q, n->compare != 0 ? " != " : " == ");
        put_ref(q, n->b);
        break;
    case NAME:
        if (n->a != 0) {
            put_ref(q, n->a);
        }
        put(q, ".name ");
        put(q, marks[n->compare]);
        put(q, " \"");
        put(q, n->text);
        put(q, "\"");
        break;
    case NOT:
        put(q, "!");
        put_scope(q, &q->node[n->child[0]], needs_braces(q, n->child[0]));
        break;
    default:
        for (int k = 0; k < n->count; k++) {
            put(q, k != 0 ? " || " : "");
            put_scope(q, &q->node[n->child[k]], needs_braces(q, n->child[k]));
        }
        break;
    }
}

static void put_scope(query* q, const node* scope, bool braces)
{
    put(q, braces ? "{" : "");
    for (int k = 0; k < scope->count; k++) {
        put(q, k != 0 ? ", " : "");
        put_node(q, &q->node[scope->child[k]]);
    }
    put(q, braces ? "}" : "");
}

/* " group_by $v1.One cascade $this order_by $v2.B.n desc" */
static void put_order(query* q)
{
    if (q->group != 0) {
        put(q, " group_by ");
        put_ref(q, q->group_of);
        put(q, q->group == 1 ? ".One" : q->group == 2 ? ".ChildOf" : "");
    }
    if (q->cascade != 0) {
        put(q, " cascade ");
        put_ref(q, q->cascade_of);
        put(q, q->cascade == 2 ? ".One" : "");
    }
    if (q->by != 0) {
        put(q, " order_by ");
        put_ref(q, q->by_of);
        put(q, q->by == 1 ? ".name" : q->by == 2 ? ".B.n" : ".B.f");
        put(q, q->reverse ? " desc" : "");
    }
}

/* ------------------------------------------------------------------------------------ the query */

static int new_node(query* q, node_kind kind)
{
    CHECK(q->nodes < NODES);
    memset(&q->node[q->nodes], 0, sizeof(node));
    q->node[q->nodes].kind = kind;
    return q->nodes++;
}

static int draw_ref(query* q, bool target)
{
    uint32_t draw = below(28);
    if (draw == 0 && target) {
        seen.some++;
        return SOME;
    }
    if (draw == 1 && q->variables < 5) {
        seen.wildcards++;
        q->wildcard |= 1 << q->variables;
        return q->variables++;
    }
    if (draw == 2) {
        sett_entity e = someone();
        seen.constants++;
        return CONSTANT + (int)e.index;
    }
    return (int)below(3);
}

static int draw_leaf(query* q)
{
    uint32_t draw = below(18);
    int n = new_node(q, draw < 6    ? HAS
                        : draw < 14 ? LINK
                        : draw < 15 ? SAME
                        : draw < 16 ? NAME
                                    : MEMBER);
    node* at = &q->node[n];
    at->a = draw_ref(q, at->kind == LINK || at->kind == HAS);
    at->type = (int)below(at->kind == HAS ? TYPES : RELATIONS);
    if (at->kind == HAS) {
        at->type = below(40) == 0 ? TYPES + (int)below(2) : at->type;
        at->walk = at->a != SOME && below(4) == 0 ? (int)below(8) : 0;
        at->a = at->walk == 7 ? 0 : at->a;
        at->type = at->walk == 7 ? at->type % TYPES : at->type;
        seen.walks[at->walk]++;
    } else if (at->kind == LINK) {
        at->b = draw_ref(q, true);
        at->steps = below(3) == 0 ? (int)below(4) : 0;
        seen.steps[at->steps]++;
    } else if (at->kind == MEMBER) {
        at->type = (int)below(2);
        at->compare = (int)below(6);
        at->value = (int)below(4) - 1;
        at->b = below(2) != 0 ? SOME : draw_ref(q, false);
    } else {
        at->compare = (int)below(at->kind == SAME ? 2 : 8);
        at->compare = at->kind == SAME && below(3) != 0 ? 1 : at->compare;
        at->b = at->kind == SAME ? draw_ref(q, false) : SOME;
        at->text[0] = (char)('a' + below(4));
    }
    seen.kinds[at->kind]++;
    seen.terms++;
    q->terms++;
    return n;
}

static int draw_scope(query* q, int depth, int most);

static int draw_item(query* q, int depth)
{
    uint32_t draw = below(12);
    if (draw < (depth == 0 ? 9u : 7u) || depth == 3 || q->nodes > 30) {
        return draw_leaf(q);
    }
    int n = new_node(q, draw < 10 ? NOT : OR);
    seen.nots += q->node[n].kind == NOT;
    seen.ors += q->node[n].kind == OR;
    int count = q->node[n].kind == NOT ? 1 : 2 + (int)below(2);
    for (int k = 0; k < count; k++) {
        int side = draw_scope(q, depth + 1, below(3) == 0 ? 2 : 1);
        q->node[n].child[k] = side;
    }
    q->node[n].count = count;
    return n;
}

static int draw_scope(query* q, int depth, int most)
{
    int n = new_node(q, SCOPE);
    int count = depth == 0 ? 2 + (int)below((uint32_t)most) : 1 + (int)below((uint32_t)most);
    for (int k = 0; k < count; k++) {
        int item = draw_item(q, depth);
        q->node[n].child[k] = item;
    }
    q->node[n].count = count;
    return n;
}

/* An optional link to a variable that is nowhere else. */
static void draw_optional(query* q, int scope)
{
    int n = new_node(q, LINK);
    node* at = &q->node[n];
    at->optional = true;
    at->type = (int)below(RELATIONS);
    bool down = below(2) != 0;
    at->a = down ? q->variables : (int)below(3);
    at->b = down ? (int)below(3) : q->variables;
    q->optional[q->variables++] = true;
    q->node[scope].child[q->node[scope].count++] = n;
    seen.optional++;
    seen.terms++;
    q->terms++;
}

/* Lists of which each is all that finds its variable: more than there are branches. */
static void draw_combined(query* q, int scope)
{
    node* top = &q->node[scope];
    for (int v = 0; v < 3; v++) {
        int list = new_node(q, OR);
        for (int k = 0; k < 3; k++) {
            int side = new_node(q, SCOPE);
            int leaf = new_node(q, HAS);
            q->node[leaf].a = v;
            q->node[leaf].type = (int)below(TYPES);
            q->node[side].child[0] = leaf;
            q->node[side].count = 1;
            q->node[list].child[k] = side;
        }
        q->node[list].count = 3;
        top->child[top->count++] = list;
        q->terms += 3;
        seen.terms += 3;
    }
    seen.combined++;
}

/* The first term of the top scope that can drive does. */
static void draw_driver(query* q, int scope)
{
    for (int k = 0; k < q->node[scope].count && !q->drives; k++) {
        node* at = &q->node[q->node[scope].child[k]];
        bool link = at->kind == LINK && at->steps < 2;
        if (at->a < VARIABLES && !at->optional && (link || (at->kind == HAS && at->walk == 0))) {
            at->drives = q->drives = true;
            seen.drives++;
        }
    }
}

static bool mentions(const query* q, const node* n, int v);
static bool owns(const query* q, const node* scope, int v);

/* A variable that results have; -1: this time none. */
static int draw_result(const query* q)
{
    int v = (int)below((uint32_t)q->variables);
    bool result =
        (q->wildcard >> v & 1) == 0 && mentions(q, &q->node[0], v) && owns(q, &q->node[0], v);
    return result ? v : -1;
}

static void draw_order(query* q)
{
    q->group_of = draw_result(q);
    q->cascade_of = draw_result(q);
    q->by_of = draw_result(q);
    q->group = q->group_of >= 0 ? (int)below(4) : 0;     /* One, ChildOf, the variable */
    q->cascade = q->cascade_of >= 0 ? (int)below(3) : 0; /* the hierarchy, One */
    q->by = q->by_of >= 0 ? (int)below(4) : 0;           /* name, n, f */
    q->reverse = below(2) != 0;
    seen.groups[q->group]++;
    seen.cascades[q->cascade]++;
    seen.bys[q->by]++;
    seen.ordered++;
}

static void note_sources(query* q)
{
    for (int k = 0; k < q->nodes; k++) {
        const node* n = &q->node[k];
        if (n->kind == MEMBER && n->b < VARIABLES) {
            q->source[n->b] = true;
        }
        if ((n->kind == HAS || n->kind == LINK || n->kind == MEMBER) && n->walk != 7 &&
            n->a < VARIABLES) {
            q->source[n->a] = true;
            if (n->kind == HAS && n->walk == 0) {
                q->shows_prefab[n->a] |= n->type == TYPES;
                q->shows_disabled[n->a] |= n->type == TYPES + 1;
            }
        }
    }
}

/* -------------------------------------------------------------------------------- what it means */

typedef struct env {
    sett_entity value[VARIABLES];
    bool bound[VARIABLES];
} env;

static bool mentions(const query* q, const node* n, int v)
{
    if (n->kind == NOT || n->kind == OR || n->kind == SCOPE) {
        for (int k = 0; k < n->count; k++) {
            if (mentions(q, &q->node[n->child[k]], v)) {
                return true;
            }
        }
        return false;
    }
    bool binary = n->kind == LINK || n->kind == SAME || n->kind == MEMBER;
    return (n->a == v && n->walk != 7) || (binary && n->b == v);
}

/* Whether a variable that occurs in a scope, and not outside of it, belongs to it: it occurs in two
 * items, or in two sides of one, or in a term of the scope itself. */
static bool owns(const query* q, const node* scope, int v)
{
    int items = 0;
    const node* last = NULL;
    for (int k = 0; k < scope->count; k++) {
        if (mentions(q, &q->node[scope->child[k]], v)) {
            last = &q->node[scope->child[k]];
            items++;
        }
    }
    if (items != 1) {
        return items > 1;
    }
    int sides = 0;
    for (int k = 0; k < last->count; k++) {
        sides += mentions(q, &q->node[last->child[k]], v);
    }
    return (last->kind != NOT && last->kind != OR) || sides > 1;
}

static sett_entity value_of(const env* e, int ref)
{
    return ref >= CONSTANT ? sett_entity_at(world, (uint32_t)(ref - CONSTANT)) : e->value[ref];
}

static bool direct(int relation, sett_entity a, sett_entity b)
{
    return relation == 2 ? !sett_is_null(b) && sett_equals(sett_hierarchy_parent(world, a), b)
                         : sett_related(world, a, relations[relation], b) != NULL;
}

/* Whether b is reached from a by one link or more: as long as anything is added. */
static bool reaches(int relation, sett_entity a, sett_entity b)
{
    bool reached[64] = {false};
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < living; k++) {
            bool now = direct(relation, a, alive[k]);
            for (int j = 0; j < living && !now; j++) {
                now = reached[j] && direct(relation, alive[j], alive[k]);
            }
            more = more || (now && !reached[k]);
            reached[k] = reached[k] || now;
        }
    }
    for (int k = 0; k < living; k++) {
        if (sett_equals(alive[k], b)) {
            return reached[k];
        }
    }
    return false;
}

static bool linked_ends(const node* n, sett_entity a, sett_entity b)
{
    bool same = sett_equals(a, b);
    switch (n->steps) {
    case 0:
        return direct(n->type, a, b);
    case 1:
        return reaches(n->type, a, b);
    case 2:
        return same || reaches(n->type, a, b);
    default:
        return same || direct(n->type, a, b);
    }
}

/* Whether a source can be this entity: hidden ones are, if they are asked for. */
static bool is_shown(sett_entity at, bool prefabs, bool disabled_ones)
{
    return (prefabs || !sett_has(world, at, prefab)) &&
           (disabled_ones || !sett_has(world, at, disabled));
}

static bool linked(const env* e, const node* n)
{
    bool found = false;
    for (int j = 0; j < living && !found; j++) {
        for (int k = 0; k < living && !found; k++) {
            sett_entity a = n->a == SOME ? alive[j] : value_of(e, n->a);
            sett_entity b = n->b == SOME ? alive[k] : value_of(e, n->b);
            found = (n->a != SOME || is_shown(a, false, false)) && linked_ends(n, a, b);
            if (n->b != SOME) {
                break;
            }
        }
        if (n->a != SOME) {
            break;
        }
    }
    return found;
}

static bool has_walked(const node* n, sett_entity at)
{
    sett_component type = n->type < TYPES ? types[n->type] : n->type == TYPES ? prefab : disabled;
    if (n->walk == 7) {
        return sett_singleton_find(world, type) != NULL && /* or sett_singletons makes it */
               sett_is_enabled(world, sett_singletons(world), type);
    }
    bool up = n->walk == 2 || n->walk == 3 || n->walk >= 5;
    bool self = n->walk == 0 || n->walk == 3 || n->walk == 6;
    bool found = self && sett_is_enabled(world, at, type);
    for (int steps = 0; n->walk != 0 && !found && (steps == 0 || up) && steps < 40; steps++) {
        at = n->walk >= 4 ? sett_target(world, at, relations[0]) : sett_hierarchy_parent(world, at);
        found = sett_is_enabled(world, at, type);
    }
    return found;
}

static bool has(const env* e, const node* n)
{
    bool found = n->a != SOME && has_walked(n, value_of(e, n->a));
    for (int k = 0; n->a == SOME && k < living && !found; k++) {
        found =
            has_walked(n, alive[k]) && is_shown(alive[k], n->type == TYPES, n->type == TYPES + 1);
    }
    return found;
}

static bool named(const node* n, sett_entity at)
{
    const char* name = sett_name_get(world, at);
    if (name == NULL) {
        return false;
    }
    int order = strcmp(name, n->text);
    bool contains = strstr(name, n->text) != NULL;
    bool is[] = {order == 0, order != 0, order<0, order <= 0, order> 0,
                 order >= 0, contains,   !contains};
    return is[n->compare];
}

/* A member as a number; false: the entity has none. */
static bool member_of(const env* e, int ref, int member, double* out)
{
    sett_entity at = value_of(e, ref);
    const B* value = sett_is_enabled(world, at, types[1]) ? sett_find(world, at, types[1]) : NULL;
    if (value != NULL) {
        *out = member != 0 ? (double)value->f : value->n;
    }
    return value != NULL;
}

static bool compared(const env* e, const node* n)
{
    double a, b = n->value;
    if (!member_of(e, n->a, n->type, &a) ||
        (n->b != SOME && !member_of(e, n->b, n->value & 1, &b))) {
        return false;
    }
    bool equal = a <= b && a >= b;
    bool is[] = {equal, !equal, a<b, a <= b, a> b, a >= b};
    return is[n->compare];
}

static bool holds_scope(const query* q, const node* scope, env* e);

static bool holds(const query* q, const node* n, env* e)
{
    switch (n->kind) {
    case HAS:
        return has(e, n);
    case LINK:
        return linked(e, n);
    case SAME:
        return sett_equals(value_of(e, n->a), value_of(e, n->b)) != (n->compare != 0);
    case MEMBER:
        return compared(e, n);
    case NAME:
        return named(n, value_of(e, n->a));
    case NOT:
        return !holds_scope(q, &q->node[n->child[0]], e);
    default:
        for (int k = 0; k < n->count; k++) {
            if (holds_scope(q, &q->node[n->child[k]], e)) {
                return true;
            }
        }
        return false;
    }
}

static bool may_be(const query* q, int v, sett_entity at)
{
    return !q->source[v] || is_shown(at, q->shows_prefab[v], q->shows_disabled[v]);
}

/* Whether all variables of a term have a value: then it can be asked already. */
static bool is_ready(const query* q, const node* n, const env* e)
{
    for (int v = 0; v < q->variables; v++) {
        if (!e->bound[v] && mentions(q, n, v)) {
            return false;
        }
    }
    return true;
}

static bool fails_early(const query* q, const node* scope, env* e, int v)
{
    for (int k = 0; k < scope->count; k++) {
        const node* n = &q->node[scope->child[k]];
        if (!n->optional && n->kind != NOT && n->kind != OR && mentions(q, n, v) &&
            is_ready(q, n, e) && !holds(q, n, e)) {
            return true;
        }
    }
    return false;
}

typedef void (*found_fn)(const query* q, const env* e);

/* Tries all values of the variables that belong to the scope; returns whether any is right, and
 * passes each to `found`, if there is one. */
static bool try_values(const query* q, const node* scope, env* e, int v, found_fn found)
{
    while (v < q->variables &&
           (e->bound[v] || q->optional[v] || !mentions(q, scope, v) || !owns(q, scope, v))) {
        v++;
    }
    if (v == q->variables) {
        for (int k = 0; k < scope->count; k++) {
            const node* n = &q->node[scope->child[k]];
            if (!n->optional && !holds(q, n, e)) {
                return false;
            }
        }
        if (found != NULL) {
            found(q, e);
        }
        return true;
    }
    bool any = false;
    e->bound[v] = true;
    for (int k = 0; k < living && (!any || found != NULL); k++) {
        e->value[v] = alive[k];
        if (may_be(q, v, alive[k]) && !fails_early(q, scope, e, v)) {
            any |= try_values(q, scope, e, v + 1, found);
        }
    }
    e->bound[v] = false;
    return any;
}

static bool holds_scope(const query* q, const node* scope, env* e)
{
    return try_values(q, scope, e, 0, NULL);
}

/* -------------------------------------------------------------------------------------- results */

static uint64_t expected[ROWS], got[ROWS];
static uint32_t expected_count;

static uint64_t row_key(const sett_entity* values, const bool* have, int count)
{
    uint64_t key = 0;
    for (int v = 0; v < count; v++) {
        key = key * 64 + (have[v] && !sett_is_null(values[v]) ? values[v].index + 1 : 0);
    }
    return key;
}

static void note_row(const query* q, const env* e)
{
    CHECK(expected_count < ROWS);
    expected[expected_count++] = row_key(e->value, e->bound, q->variables);
}

/* Optional links: a row for each, or one with null. */
static void note_optional(const query* q, const env* given)
{
    env e = *given;
    for (int k = 0; k < q->nodes; k++) {
        const node* n = &q->node[k];
        if (!n->optional) {
            continue;
        }
        int v = n->a < VARIABLES && q->optional[n->a] ? n->a : n->b;
        bool any = false;
        e.bound[v] = true;
        for (int at = 0; at < living; at++) {
            e.value[v] = alive[at];
            if (linked(&e, n)) {
                any = true;
                note_row(q, &e);
            }
        }
        e.bound[v] = any;
        e.value[v] = sett_null();
        if (!any) {
            note_row(q, &e);
        }
        return; /* a query has one at most */
    }
    note_row(q, &e);
}

static int compare_keys(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a;
    uint64_t y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

/* The number in the text's order, of a variable of ours. */
static uint32_t number_of(const query* q, sett_search* search, int v)
{
    if ((q->wildcard >> v & 1) == 0) {
        char name[16];
        snprintf(name, sizeof(name), v == 0 ? "this" : "v%d", v);
        return sett_search_variable(search, name);
    }
    return UINT32_MAX;
}

static int compare_numbers(double a, double b)
{
    return a < b ? -1 : a > b;
}

/* Below 0: this value goes before that; NaN behind all numbers. */
static int compare_by(const query* q, sett_entity x, sett_entity y)
{
    env e = {.value = {x, y}, .bound = {true, true}};
    double a = 0, b = 0;
    int order = 0;
    bool has_a, has_b;
    if (q->by == 1) {
        const char* m = sett_name_get(world, x);
        const char* n = sett_name_get(world, y);
        has_a = m != NULL;
        has_b = n != NULL;
        order = has_a && has_b ? strcmp(m, n) : 0;
    } else {
        has_a = member_of(&e, 0, q->by - 2, &a);
        has_b = member_of(&e, 1, q->by - 2, &b);
        order = a != a || b != b ? (a != a) - (b != b) : compare_numbers(a, b);
    }
    return has_a != has_b ? has_a - has_b : q->reverse ? -order : order;
}

static double group_of(const query* q, sett_entity e)
{
    sett_entity group = q->group == 1   ? sett_target(world, e, relations[0])
                        : q->group == 2 ? sett_hierarchy_parent(world, e)
                                        : e;
    return sett_is_null(e) || sett_is_null(group) ? 1e9 : group.index;
}

/* Links to the last target; as many as there are entities where they lead in a circle. */
static double depth_of(const query* q, sett_entity e)
{
    uint32_t depth = 0;
    uint32_t most = sett_entity_count(world);
    while (depth < most && !sett_is_null(e)) {
        e = q->cascade == 2 ? sett_target(world, e, relations[0]) : sett_hierarchy_parent(world, e);
        depth += !sett_is_null(e);
    }
    return depth;
}

/* Each row stands behind the one before. */
static void check_order(const query* q, const sett_entity* a, const sett_entity* b)
{
    int order = q->group != 0
                    ? compare_numbers(group_of(q, a[q->group_of]), group_of(q, b[q->group_of]))
                    : 0;
    if (order == 0 && q->cascade != 0) {
        order = compare_numbers(depth_of(q, a[q->cascade_of]), depth_of(q, b[q->cascade_of]));
    }
    if (order == 0 && q->by != 0) {
        order = compare_by(q, a[q->by_of], b[q->by_of]);
    }
    CHECK_MSG(order <= 0, "not in order: %s", q->out);
}

static uint32_t run_search(const query* q, sett_search* search)
{
    uint32_t count = 0;
    uint32_t numbers[VARIABLES];
    bool top[VARIABLES];
    uint32_t wildcard = 0; /* wildcards of the top scope, in the order of the text */
    for (int v = 0; v < q->variables; v++) {
        numbers[v] = number_of(q, search, v);
        top[v] = numbers[v] != UINT32_MAX;
        if ((q->wildcard >> v & 1) != 0 && mentions(q, &q->node[0], v) && owns(q, &q->node[0], v)) {
            while (strcmp(sett_search_variable_name(search, wildcard), "*") != 0) {
                wildcard++;
            }
            numbers[v] = wildcard++;
            top[v] = true;
        }
    }
    sett_entity last[VARIABLES];
    SETT_SEARCH(search, rows, i)
    {
        sett_entity values[VARIABLES];
        for (int v = 0; v < q->variables; v++) {
            values[v] = top[v] ? sett_rows_entity(rows, numbers[v], i) : sett_null();
        }
        CHECK_MSG(count < ROWS, "too many results: %s", q->out);
        if (count != 0) {
            check_order(q, last, values);
        }
        memcpy(last, values, sizeof(last));
        got[count++] = row_key(values, top, q->variables);
    }
    return count;
}

static void check_rows(const query* q, sett_search* search, uint64_t number)
{
    static char plan[20000];
    uint32_t count = run_search(q, search);
    qsort(got, count, sizeof(got[0]), compare_keys);
    bool same = count == expected_count && memcmp(got, expected, count * sizeof(got[0])) == 0;
    if (!same) {
        sett_search_explain(search, plan, sizeof(plan));
        check_failed(__FILE__, __LINE__, "search %llu: \"%s\" has %u results, not %u\n%s",
                     (unsigned long long)number, q->out, count, expected_count, plan);
    }
}

/* Printed and parsed again, it is the same search. */
static sett_search* print_again(sett_search* search)
{
    static char once[8000], twice[8000];
    sett_search_print(search, once, sizeof(once));
    sett_search* again = sett_search_create(world, once);
    CHECK_MSG(again != NULL, "%s: %s", once, sett_world_message(world));
    sett_search_print(again, twice, sizeof(twice));
    CHECK_STR_EQ(once, twice);
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    return again;
}

/* False: the library rejects it, rightly. */
static bool one_search(uint64_t number)
{
    static query q;
    memset(&q, 0, sizeof(q));
    q.variables = 3;
    int top = draw_scope(&q, 0, 2);
    CHECK_EQ(top, 0);
    if (below(40) == 0) {
        q.node[top].count = 0; /* only what follows */
        seen.terms -= q.terms;
        q.terms = 0;
        q.nodes = 1;
        q.variables = 3;
        q.wildcard = 0;
        draw_combined(&q, top);
    }
    if (below(6) == 0) {
        draw_optional(&q, top);
    }
    if (below(8) == 0) {
        draw_driver(&q, top);
    }
    if (below(5) == 0) {
        draw_order(&q);
    }
    note_sources(&q);
    put_scope(&q, &q.node[top], false);
    put_order(&q);
    living = 0;
    uint32_t cursor = 0;
    for (sett_entity e; e = sett_entity_next(world, &cursor), !sett_is_null(e);) {
        alive[living++] = e;
    }
    sett_search* search = sett_search_create(world, q.out);
    seen.searches++;
    if (search == NULL) {
        const char* message = sett_world_message(world);
        CHECK_MSG(strstr(message, "occurs on some sides of \"||\" only - use it on each side, or "
                                  "write \"_\" for any entity") != NULL ||
                      strstr(message, "no other term uses an end of the optional link - use one "
                                      "in another term") != NULL,
                  "\"%s\": %s", q.out, message);
        seen.rejected++;
        seen.searches--;
        seen.terms -= q.terms;
        return false;
    }
    env e;
    memset(&e, 0, sizeof(e));
    expected_count = 0;
    try_values(&q, &q.node[top], &e, 0, note_optional);
    qsort(expected, expected_count, sizeof(expected[0]), compare_keys);
    check_rows(&q, search, number);
    search = number % 4 == 0 ? print_again(search) : search;
    change_world();
    change_world();
    seen.found += expected_count != 0;
    seen.joined += sett_search_variable_count(search) > 1;
    CHECK_EQ(sett_search_destroy(search), SETT_OK);
    return true;
}

static void random_searches(void)
{
    state = check_setting("SETT_SEED", 1);
    uint64_t count = check_setting("SETT_SEARCHES", CHECK_ROUNDS(20000));
    begin_world();
    for (uint32_t k = 0; k < 60; k++) {
        change_world();
    }
    for (uint64_t k = 0; k < count; k++) {
        while (!one_search(k)) {
        }
        check_print(k, count);
        if (k % 1000 == 0) {
            CHECK_VALID(world);
        }
    }
    CHECK_END(world);
    printf("  %llu searches, %.1f terms each, %.0f %% with several variables, %.0f %% found "
           "something, %.0f %% rejected\n",
           (unsigned long long)seen.searches, (double)seen.terms / (double)seen.searches,
           100.0 * (double)seen.joined / (double)seen.searches,
           100.0 * (double)seen.found / (double)seen.searches,
           100.0 * (double)seen.rejected / (double)seen.searches);
    CHECK(seen.terms >= 3 * seen.searches);
    CHECK(seen.joined * 3 >= seen.searches);
    CHECK(seen.found * 2 >= seen.searches);
    CHECK(seen.rejected * 2 <= seen.searches);
    for (uint32_t k = 0; k < 8; k++) {
        CHECK(k >= 5 || seen.kinds[k] * 50 >= seen.searches);
        CHECK(seen.walks[k] * 50 >= seen.searches);
        CHECK(k >= 4 || seen.steps[k] * 50 >= seen.searches);
    }
    for (uint32_t k = 0; k < 4; k++) {
        CHECK(seen.groups[k] * 50 >= seen.searches && seen.bys[k] * 50 >= seen.searches);
        CHECK(k == 3 || seen.cascades[k] * 50 >= seen.searches);
    }
    CHECK(seen.combined * 200 >= seen.searches);
    uint64_t kinds[] = {seen.some, seen.constants, seen.wildcards, seen.optional,
                        seen.ors,  seen.nots,      seen.drives,    seen.ordered};
    for (uint32_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        CHECK(kinds[k] * 50 >= seen.searches);
    }
}

TEST_MAIN(TEST(random_searches))
