/* prototypes.h: the functions that the public headers declare, so that a test of "every function
 * that ..." fails when a new one is missing in its list. */
#ifndef PROTOTYPES_H
#define PROTOTYPES_H

#include "check.h"

#include <stdio.h>
#include <string.h>

#ifndef SETT_HEADERS
#define SETT_HEADERS "include/sett" /* the folder */
#endif

typedef struct prototype {
    char name[64];
    char parameters[900]; /* what is between the parentheses, in one line */
} prototype;

/* Reads a header, without its comments. */
static char* prototypes_read(const char* name)
{
    static char text[200000];
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", SETT_HEADERS, name);
    FILE* file = fopen(path, "rb");
    CHECK_MSG(file != NULL, "%s", path);
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    CHECK(size < sizeof(text) - 1);
    fclose(file);
    text[size] = '\0';
    char* to = text;
    for (const char* from = text; *from != '\0';) {
        const char* end = strncmp(from, "/*", 2) == 0 ? strstr(from, "*/") : NULL;
        if (end != NULL) {
            from = end + 2;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return text;
}

/* Calls `read` with the text of each public header: of sett.h, and of all that it includes. */
static void prototypes_headers(void (*read)(const char* text))
{
    static char headers[64][32] = {"sett.h"};
    static const char include[] = "#include \"sett/";
    uint32_t count = 1;
    for (uint32_t k = 0; k < count; k++) {
        const char* text = prototypes_read(headers[k]);
        for (const char* at = strstr(text, include); at != NULL; at = strstr(at + 1, include)) {
            char name[32] = "";
            uint32_t known = 0;
            CHECK(sscanf(at + strlen(include), "%31[^\"]", name) == 1);
            while (known < count && strcmp(headers[known], name) != 0) {
                known++;
            }
            if (known == count) {
                CHECK(count < 64);
                snprintf(headers[count++], 32, "%s", name);
            }
        }
        read(text);
    }
}

/* What one function is declared as: the text from its name on. */
static prototype prototype_read(const char* name, const char* open)
{
    prototype one = {"", ""};
    size_t used = 0;
    const char* end = open + strcspn(open, ";{");
    CHECK(end - open < (int)sizeof(one.parameters) && open - name < (int)sizeof(one.name));
    snprintf(one.name, sizeof(one.name), "%.*s", (int)(open - name), name);
    for (const char* from = open + 1; from < end; from++) {
        bool space = *from == ' ' || *from == '\n';
        if (!space || (used > 0 && one.parameters[used - 1] != ' ')) {
            one.parameters[used++] = space ? ' ' : *from;
        }
    }
    one.parameters[used - 1] = '\0'; /* the last `)` */
    return one;
}

static void (*prototypes_found)(const prototype* of);

static void prototypes_of(const char* text)
{
    for (const char* at = strstr(text, "SETT_API "); at != NULL; at = strstr(at + 1, "SETT_API ")) {
        const char* open = at + strcspn(at, "(;{#");
        const char* name = open;
        while (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z') ||
               (name[-1] >= '0' && name[-1] <= '9')) {
            name--;
        }
        if (*open == '(' && strncmp(name, "sett_", 5) == 0) {
            prototype one = prototype_read(name, open);
            prototypes_found(&one);
        }
    }
}

/* Calls `found` for each function that the public headers declare. */
static inline void prototypes_each(void (*found)(const prototype* of))
{
    prototypes_found = found;
    prototypes_headers(prototypes_of);
}

#endif
