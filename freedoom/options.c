/* options.c - see options.h. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifndef FREEDOOM_WAD_FOLDER
#define FREEDOOM_WAD_FOLDER "/usr/share/games/doom" /* where Debian's package puts them */
#endif

#define OPTIONS_WORKERS_MAX 64u

const char options_help[] =
    "Simulates monsters and players of all Freedoom levels at once, without a window.\n"
    "\n"
    "usage: freedoom [options]\n"
    "  --wad FILE    read levels from FILE; may be repeated, a later file's map replaces an\n"
    "                earlier one of the same name (default: freedoom1.wad and freedoom2.wad in\n"
    "                " FREEDOOM_WAD_FOLDER ")\n"
    "  --map NAME    only this map; may be repeated (default: all)\n"
    "  --ticks N     how long: 35 ticks are one second (default: 2100)\n"
    "  --seed N      of all chance (default: 1)\n"
    "  --workers N   threads, which change nothing but the time it takes (default: 0, as many\n"
    "                as the machine has)\n"
    "  --png WHAT    pictures to WHAT.png: the name of a map, may be repeated; all; none\n"
    "                (default: those named with --map, else a few good ones)\n"
    "  --out FOLDER  where pictures go (default: out)\n"
    "  --save FILE   write the final state to FILE\n"
    "  --load FILE   begin with the state in FILE, of the same maps; --ticks counts from there\n"
    "  --record FILE write every tick to FILE\n"
    "  --replay FILE begin with the last tick of a recording\n"
    "  --flight FILE write the last five seconds, or up to ten, to FILE if the program crashes\n"
    "  --no-rewind   keep nothing of the last ten seconds, and do not play them again\n"
    "  --sync-test   play each tick again from 8 ticks before, and name the first difference;\n"
    "                needs Sett's add-on for networks (addons/net)\n"
    "  --inspect     look into it with a browser: prints the address, plays 35 ticks a second;\n"
    "                needs Sett's inspector (addons/inspector)\n"
    "  --explorer FOLDER  with --inspect: a copy of the flecs explorer's etc/, at /explorer/\n"
    "  --trace       list every shot, hit, door ... on standard output, one line each:\n"
    "                tick, map, event, who, whom, damage, with tabs between\n"
    "  --help        this text\n"
    "  --version     which version of Sett this is built on\n"
    "\n"
    "Exit status: 0 done; 1 out of memory or a picture could not be written; 2 wrong usage or\n"
    "a WAD that cannot be read.\n";

/* A text option's place in Options; the others are few enough to be named in options_take. */
static bool options_append(const char** list, uint32_t* count, const char* name, const char* value,
                           Fault* fault)
{
    if (*count == OPTIONS_LIST_MAX) {
        return fault_set(fault, "%s: %u are the most", name, OPTIONS_LIST_MAX);
    }
    list[(*count)++] = value;
    return true;
}

static bool options_number(const char* name, const char* text, uint64_t limit, uint64_t* number,
                           Fault* fault)
{
    char* end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *number > limit) {
        return fault_set(fault, "%s %s: not a number from 0 to %llu", name, text,
                         (unsigned long long)limit);
    }
    return true;
}

/* Flags stand alone. Returns whether it was one. */
static bool options_take_flag(Options* options, const char* name)
{
    bool* flag = strcmp(name, "--trace") == 0       ? &options->trace
                 : strcmp(name, "--no-rewind") == 0 ? &options->no_rewind
                 : strcmp(name, "--inspect") == 0   ? &options->inspect
                 : strcmp(name, "--sync-test") == 0 ? &options->sync_test
                 : strcmp(name, "--help") == 0      ? &options->help
                 : strcmp(name, "--version") == 0   ? &options->version
                                                    : NULL;
    if (flag != NULL) {
        *flag = true;
    }
    return flag != NULL;
}

static bool options_take_picture(Options* options, const char* value, Fault* fault)
{
    options->pictures_given = true;
    if (strcmp(value, "all") == 0) {
        options->all_pictures = true;
        return true;
    }
    return strcmp(value, "none") == 0 ||
           options_append(options->pictures, &options->picture_count, "--png", value, fault);
}

static bool options_take_value(Options* options, const char* name, const char* value, Fault* fault)
{
    uint64_t number = 0;
    if (strcmp(name, "--wad") == 0) {
        return options_append(options->wads, &options->wad_count, name, value, fault);
    }
    if (strcmp(name, "--map") == 0) {
        return options_append(options->maps, &options->map_count, name, value, fault);
    }
    if (strcmp(name, "--png") == 0) {
        return options_take_picture(options, value, fault);
    }
    const char** file = strcmp(name, "--save") == 0       ? &options->save
                        : strcmp(name, "--out") == 0      ? &options->folder
                        : strcmp(name, "--load") == 0     ? &options->load
                        : strcmp(name, "--record") == 0   ? &options->record
                        : strcmp(name, "--replay") == 0   ? &options->replay
                        : strcmp(name, "--flight") == 0   ? &options->flight
                        : strcmp(name, "--explorer") == 0 ? &options->explorer
                                                          : NULL;
    if (file != NULL) {
        *file = value;
        return true;
    }
    if (strcmp(name, "--ticks") == 0) {
        bool good = options_number(name, value, UINT32_MAX - 1, &number, fault);
        options->ticks = (uint32_t)number;
        return good;
    }
    if (strcmp(name, "--workers") == 0) {
        bool good = options_number(name, value, OPTIONS_WORKERS_MAX, &number, fault);
        options->workers = (uint32_t)number;
        return good;
    }
    return options_number(name, value, UINT64_MAX, &options->seed, fault);
}

static bool options_takes_value(const char* name)
{
    static const char* const names[] = {
        "--wad",  "--map",    "--png",    "--ticks", "--seed",     "--workers", "--save",
        "--load", "--record", "--replay", "--out",   "--explorer", "--flight"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void options_fill_in(Options* options)
{
    static const char* const wads[] = {FREEDOOM_WAD_FOLDER "/freedoom1.wad",
                                       FREEDOOM_WAD_FOLDER "/freedoom2.wad"};
    static const char* const pictures[] = {"E1M1", "E2M5", "MAP12", "MAP28"};
    if (options->wad_count == 0) {
        memcpy(options->wads, wads, sizeof wads);
        options->wad_count = sizeof wads / sizeof wads[0];
    }
    if (!options->pictures_given && options->map_count != 0) {
        memcpy(options->pictures, options->maps, sizeof options->maps);
        options->picture_count = options->map_count;
    } else if (!options->pictures_given) {
        memcpy(options->pictures, pictures, sizeof pictures);
        options->picture_count = sizeof pictures / sizeof pictures[0];
    }
}

bool options_parse(Options* options, int count, char** arguments, Fault* fault)
{
    *options = (Options){.ticks = 2100, .seed = 1, .folder = "out"};
    for (int i = 1; i < count; ++i) {
        const char* name = arguments[i];
        if (options_take_flag(options, name)) {
            continue;
        }
        if (!options_takes_value(name)) {
            return fault_set(fault, "%s: no such option; --help lists them", name);
        }
        if (i + 1 == count) {
            return fault_set(fault, "%s: needs a value; --help says which", name);
        }
        ++i;
        if (!options_take_value(options, name, arguments[i], fault)) {
            return false;
        }
    }
    if (options->load != NULL && options->replay != NULL) {
        return fault_set(fault, "--load and --replay: a game begins with one of them");
    }
    options_fill_in(options);
    return true;
}
