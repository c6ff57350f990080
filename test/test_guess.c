/* test_guess.c: which name a wrong one may have meant. */
#include "check.h"

#include "base/guess.h"

static const struct {
    const char* wrong;
    const char* names[3];
    const char* found; /* "": none */
} table[] = {
    {"Positoin", {"Velocity", "Position"}, "Position"},  /* exchanged */
    {"Poition", {"Position"}, "Position"},               /* left out */
    {"Posittion", {"Position"}, "Position"},             /* added */
    {"Pasition", {"Position"}, "Position"},              /* replaced */
    {"POSITION", {"Position"}, "Position"},              /* case */
    {"x", {"X"}, "X"},                                   /* alone */
    {"x", {"y", "xy"}, ""},                              /* one letter says nothing */
    {"Shp", {"Ship"}, "Ship"},                           /* one in four */
    {"Shp", {"Sheep", "Hop", "Sh"}, "Sh"},               /* and not two */
    {"Helth", {"Wealth", "Health"}, "Health"},           /* the nearest */
    {"Form", {"From", "Farm"}, "From"},                  /* of equals, the first */
    {"Velocitie", {"Velocity", "Position"}, "Velocity"}, /* two in nine */
    {"Direction", {"Collection"}, ""},                   /* four are too many */
    {"Ship", {"Ship"}, ""},                              /* the same is no help */
    {"", {"A", ""}, ""},                                 /* nothing */
    {"abcdefghijklmnopqrstuvwxyz0123456", {"abcdefghijklmnopqrstuvwxyz012345"}, ""},
    {"abcdefghijklmnopqrstuvwxyz01234",
     {"abcdefghijklmnopqrstuvwxyz012345"},
     "abcdefghijklmnopqrstuvwxyz012345"},
};

static void finds_what_is_alike(void)
{
    for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
        setti_guess guess = setti_guess_begin(table[k].wrong, strlen(table[k].wrong));
        for (size_t n = 0; n < 3 && table[k].names[n] != NULL; n++) {
            setti_guess_try(&guess, table[k].names[n]);
        }
        const char* found = guess.found != NULL ? guess.found : "";
        CHECK_MSG(strcmp(found, table[k].found) == 0, "\"%s\" gives \"%s\"", table[k].wrong, found);
        char text[80] = "";
        if (found[0] != '\0') {
            snprintf(text, sizeof(text), " - did you mean \"%s\"?", found);
        }
        CHECK_STR_EQ(setti_guess_text(&guess), text);
    }
}

TEST_MAIN(TEST(finds_what_is_alike))
