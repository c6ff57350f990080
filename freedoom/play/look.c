/* look.c - see look.h. */
#include "look.h"

#include "thing_table.h"

#include <stddef.h>

#define FIGHTER(number_, sprite_, walk_, attack_, pain_, death_)                                   \
    {                                                                                              \
        .number = number_, .sprite = sprite_, .idle = "AB", .walk = walk_, .attack = attack_,      \
        .pain = pain_, .death = death_                                                             \
    }
#define MISSILE(row_, sprite_, frames_)                                                            \
    {                                                                                              \
        .row = row_, .sprite = sprite_, .idle = frames_, .bright = true                            \
    }
#define THING(number_, sprite_, frames_)                                                           \
    {                                                                                              \
        .number = number_, .sprite = sprite_, .idle = frames_                                      \
    }
#define SHINING(number_, sprite_, frames_)                                                         \
    {                                                                                              \
        .number = number_, .sprite = sprite_, .idle = frames_, .bright = true                      \
    }
#define HANGING(number_, sprite_, frames_, height_)                                                \
    {                                                                                              \
        .number = number_, .sprite = sprite_, .idle = frames_, .hangs = height_                    \
    }

static const Look look_table[] = {
    {.row = THING_PLAYER_ROW,
     .sprite = "PLAY",
     .idle = "A",
     .walk = "ABCD",
     .attack = "EF",
     .pain = 'G',
     .death = "HIJKLMN"},
    FIGHTER(3004, "POSS", "ABCD", "EF", 'G', "HIJKL"),
    FIGHTER(9, "SPOS", "ABCD", "EF", 'G', "HIJKL"),
    FIGHTER(65, "CPOS", "ABCD", "EF", 'G', "HIJKLMN"),
    FIGHTER(84, "SSWV", "ABCD", "FG", 'H', "IJKLM"),
    FIGHTER(3001, "TROO", "ABCD", "EFG", 'H', "IJKLM"),
    FIGHTER(3002, "SARG", "ABCD", "EFG", 'H', "IJKLMN"),
    FIGHTER(58, "SARG", "ABCD", "EFG", 'H', "IJKLMN"),
    FIGHTER(3005, "HEAD", "A", "BCD", 'E', "GHIJKL"),
    FIGHTER(69, "BOS2", "ABCD", "EFG", 'H', "IJKLMNO"),
    FIGHTER(3003, "BOSS", "ABCD", "EFG", 'H', "IJKLMNO"),
    FIGHTER(66, "SKEL", "ABCDEF", "JK", 'L', "LMNOPQ"),
    FIGHTER(67, "FATT", "ABCDEF", "GHI", 'J', "KLMNOPQRST"),
    FIGHTER(68, "BSPI", "ABCDEF", "GH", 'I', "JKLMNOP"),
    FIGHTER(71, "PAIN", "ABC", "DEF", 'G', "HIJKLM"),
    FIGHTER(64, "VILE", "ABCDEF", "GHIJKLMNOP", 'Q', "QRSTUVWXYZ"),
    FIGHTER(16, "CYBR", "ABCD", "EF", 'G', "HIJKLMNOP"),
    FIGHTER(7, "SPID", "ABCDEF", "GH", 'I', "JKLMNOPQRS"),
    FIGHTER(3006, "SKUL", "AB", "CD", 'E', "FGHIJK"),
    {.number = 72,
     .sprite = "KEEN",
     .idle = "A",
     .pain = 'M',
     .death = "ABCDEFGHIJKL",
     .hangs = 72},
    {.number = 88, .sprite = "BBRN", .idle = "A", .pain = 'B', .death = "A"},

    MISSILE(THING_FIREBALL, "BAL1", "AB"),
    MISSILE(THING_CACO_BALL, "BAL2", "AB"),
    MISSILE(THING_BARON_BALL, "BAL7", "AB"),
    MISSILE(THING_FAT_BALL, "MANF", "AB"),
    MISSILE(THING_TRACER, "FATB", "AB"),
    MISSILE(THING_PLASMA, "PLSS", "AB"),
    MISSILE(THING_ROCKET, "MISL", "A"),
    MISSILE(THING_BFG_BALL, "BFS1", "AB"),

    THING(2035, "BAR1", "AB"),
    THING(2001, "SHOT", "A"),
    THING(2002, "MGUN", "A"),
    THING(2003, "LAUN", "A"),
    THING(2004, "PLAS", "A"),
    THING(2005, "CSAW", "A"),
    THING(2006, "BFUG", "A"),
    THING(82, "SGN2", "A"),
    THING(2007, "CLIP", "A"),
    THING(2008, "SHEL", "A"),
    THING(2010, "ROCK", "A"),
    THING(2046, "BROK", "A"),
    THING(2047, "CELL", "A"),
    THING(17, "CELP", "A"),
    THING(2048, "AMMO", "A"),
    THING(2049, "SBOX", "A"),
    THING(8, "BPAK", "A"),
    THING(2011, "STIM", "A"),
    THING(2012, "MEDI", "A"),
    THING(2014, "BON1", "ABCDCB"),
    SHINING(2013, "SOUL", "ABCDCB"),
    SHINING(83, "MEGA", "ABCD"),
    THING(2015, "BON2", "ABCDCB"),
    THING(2018, "ARM1", "AB"),
    THING(2019, "ARM2", "AB"),
    SHINING(2022, "PINV", "ABCD"),
    SHINING(2023, "PSTR", "A"),
    SHINING(2024, "PINS", "ABCD"),
    SHINING(2025, "SUIT", "A"),
    SHINING(2026, "PMAP", "ABCDCB"),
    SHINING(2045, "PVIS", "AB"),
    THING(5, "BKEY", "AB"),
    THING(6, "YKEY", "AB"),
    THING(13, "RKEY", "AB"),
    THING(38, "RSKU", "AB"),
    THING(39, "YSKU", "AB"),
    THING(40, "BSKU", "AB"),

    THING(25, "POL1", "A"),
    THING(26, "POL6", "AB"),
    THING(27, "POL4", "A"),
    THING(28, "POL2", "A"),
    SHINING(29, "POL3", "AB"),
    THING(30, "COL1", "A"),
    THING(31, "COL2", "A"),
    THING(32, "COL3", "A"),
    THING(33, "COL4", "A"),
    SHINING(34, "CAND", "A"),
    SHINING(35, "CBRA", "A"),
    THING(36, "COL5", "AB"),
    THING(37, "COL6", "A"),
    SHINING(41, "CEYE", "ABCB"),
    SHINING(42, "FSKU", "ABC"),
    THING(43, "TRE1", "A"),
    SHINING(44, "TBLU", "ABCD"),
    SHINING(45, "TGRN", "ABCD"),
    SHINING(46, "TRED", "ABCD"),
    THING(47, "SMIT", "A"),
    THING(48, "ELEC", "A"),
    THING(54, "TRE2", "A"),
    SHINING(55, "SMBT", "ABCD"),
    SHINING(56, "SMGT", "ABCD"),
    SHINING(57, "SMRT", "ABCD"),
    SHINING(70, "FCAN", "ABC"),
    SHINING(85, "TLMP", "ABCD"),
    SHINING(86, "TLP2", "ABCD"),
    SHINING(2028, "COLU", "A"),
    HANGING(49, "GOR1", "ABCB", 68),
    HANGING(50, "GOR2", "A", 84),
    HANGING(51, "GOR3", "A", 84),
    HANGING(52, "GOR4", "A", 68),
    HANGING(53, "GOR5", "A", 52),
    HANGING(59, "GOR2", "A", 84),
    HANGING(60, "GOR4", "A", 68),
    HANGING(61, "GOR3", "A", 52),
    HANGING(62, "GOR5", "A", 52),
    HANGING(63, "GOR1", "ABCB", 68),
    HANGING(73, "HDB1", "A", 88),
    HANGING(74, "HDB2", "A", 88),
    HANGING(75, "HDB3", "A", 64),
    HANGING(76, "HDB4", "A", 64),
    HANGING(77, "HDB5", "A", 64),
    HANGING(78, "HDB6", "A", 64),
    THING(10, "PLAY", "W"),
    THING(12, "PLAY", "W"),
    THING(15, "PLAY", "N"),
    THING(18, "POSS", "L"),
    THING(19, "SPOS", "L"),
    THING(20, "TROO", "M"),
    THING(21, "SARG", "N"),
    THING(22, "HEAD", "L"),
    THING(23, "SKUL", "K"),
    THING(24, "POL5", "A"),
    THING(79, "POB1", "A"),
    THING(80, "POB2", "A"),
    THING(81, "BRS1", "A"),
};

const Look look_puff = {.sprite = "PUFF", .idle = "ABCD", .bright = true};

/* In the order of WEAPON_*. */
const LookWeapon look_weapons[] = {
    {"PUNG", "ABCDCB", NULL},     {"SAWG", "AB", NULL},         {"PUNG", "ABCDCB", NULL},
    {"PISG", "ABCB", "PISF"},     {"SHTG", "AABCDCBA", "SHTF"}, {"CHGG", "AB", "CHGF"},
    {"SHT2", "AABCDEFGHA", NULL}, {"MISG", "AB", "MISF"},       {"PLSG", "AB", "PLSF"},
    {"BFGG", "ABB", "BFGF"},
};

const Look* look_find(uint16_t row)
{
    uint16_t number = thing_table[row].number;
    for (uint32_t i = 0; i < sizeof look_table / sizeof look_table[0]; ++i) {
        const Look* look = &look_table[i];
        if (number != 0 ? look->number == number : look->number == 0 && look->row == row) {
            return look;
        }
    }
    return NULL;
}
