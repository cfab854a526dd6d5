/* Names that nobody bears. */
#include "ctl/demo.h"

#include <apr_lib.h>
#include <apr_strings.h>

static const char *const heads[] = {"Zor", "Quv", "Vex", "Xil", "Jix", "Kwa", "Zyl", "Vyx",
                                    "Qor", "Plu", "Gax", "Wub", "Yaz", "Fyn", "Bex", "Dru",
                                    "Nyx", "Tov", "Hax", "Ruz", "Mox", "Lum", "Skw", "Org",
                                    "Ixo", "Uvo", "Ezz", "Ako", "Pyx", "Zem", "Qua", "Vor",
                                    "Xan", "Joz", "Kyv", "Wex", "Yun", "Fox", "Bru", "Dax",
                                    "Nub", "Tyx", "Hyv", "Ryn", "Myz", "Lyx", "Sny", "Oxo"};
static const char *const tails[] = {"vex", "qor", "zub", "lux", "nix", "dra", "pyx", "bok",
                                    "gly", "tum", "ryl", "zoo", "fyn", "kem", "bim", "nup",
                                    "vad", "lyx", "wox", "jub", "zed", "quo", "dyn", "pip",
                                    "bax", "gom", "tiv", "ruz", "fex", "kul", "myx", "nov",
                                    "var", "lix", "wug", "jax", "zin", "qum", "doz", "pox",
                                    "bru", "guv", "tyx", "rax", "fum", "kiz", "maz", "nyv"};
static const char *const middles[] = {"ba", "ce", "di", "fo", "gu",  "ha",  "je",  "ki",
                                      "lo", "mu", "na", "pe", "ri",  "so",  "tu",  "va",
                                      "we", "xi", "yo", "zu", "bre", "cla", "dro", "fli"};
static const char *const given_names[] = {"Ondra",    "Tavish",  "Brielle",  "Corvin", "Delphia",
                                          "Evander",  "Fenna",   "Gideon",   "Hestia", "Isolde",
                                          "Jorun",    "Kestrel", "Lysander", "Maelis", "Nereus",
                                          "Odalys",   "Perrin",  "Quilla",   "Rowena", "Soren",
                                          "Thessaly", "Ulric",   "Vesper",   "Wystan", "Xanthe",
                                          "Yorick",   "Zelda",   "Anselm",   "Briony", "Caspian",
                                          "Dorian",   "Elowen"};
static const char *const surname_heads[] = {"Mistle",   "Brindle", "Quill",  "Thistle", "Umber",
                                            "Vellum",   "Wren",    "Yarrow", "Zephyr",  "Amber",
                                            "Bramble",  "Cinder",  "Dapple", "Ember",   "Fennel",
                                            "Gossamer", "Hollow",  "Inkle",  "Juniper", "Kindle",
                                            "Lantern",  "Marrow",  "Nettle", "Osier"};
static const char *const surname_tails[] = {"moor",   "wick",   "feather", "croft",   "dale",
                                            "shanks", "worth",  "bottom",  "fold",    "mere",
                                            "hurst",  "latch",  "penny",   "quist",   "ridge",
                                            "stave",  "thorpe", "vane",    "whistle", "yard"};

#define PICK(random, list) ((list)[dsc_demo_number((random), 0, DSC_COUNT(list) - 1)])

/* Six letters for the first companies, eight and more after them: no ticker of an exchange of
 * the USA has more than five. Multiplying by a prime visits every pair once. */
const char *dsc_demo_stem(apr_pool_t *pool, uint64_t seed, int company)
{
    int pairs = DSC_COUNT(heads) * DSC_COUNT(tails);
    int round = company / pairs;
    int pair = (int)(((uint64_t)(company % pairs) * 1103 + seed * 389) % (uint64_t)pairs);
    const char *middle = round == 0 ? "" : middles[(round - 1) % DSC_COUNT(middles)];
    return apr_pstrcat(pool, heads[pair / DSC_COUNT(tails)], middle, tails[pair % DSC_COUNT(tails)],
                       NULL);
}

const char *dsc_demo_person_name(apr_pool_t *pool, dsc_demo_random_t *random, const char **as_filed)
{
    const char *given = PICK(random, given_names);
    const char *surname =
        apr_pstrcat(pool, PICK(random, surname_heads), PICK(random, surname_tails), NULL);
    char initial = (char)('A' + dsc_demo_number(random, 0, 25));
    if (as_filed != NULL) {
        *as_filed = apr_psprintf(pool, "%s %s %c.", surname, given, initial);
    }
    return apr_psprintf(pool, "%s %c. %s", given, initial, surname);
}

const char *dsc_demo_firm_name(apr_pool_t *pool, dsc_demo_random_t *random, const char *kind)
{
    const char *head = PICK(random, surname_heads);
    return apr_pstrcat(pool, head, PICK(random, surname_tails), " & ", PICK(random, heads),
                       PICK(random, tails), " ", kind, NULL);
}

const char *dsc_demo_upper(apr_pool_t *pool, const char *text)
{
    char *copy = apr_pstrdup(pool, text);
    for (char *at = copy; *at != '\0'; at++) {
        *at = (char)apr_toupper(*at);
    }
    return copy;
}

const char *dsc_demo_lower(apr_pool_t *pool, const char *text)
{
    char *copy = apr_pstrdup(pool, text);
    for (char *at = copy; *at != '\0'; at++) {
        *at = (char)apr_tolower(*at);
    }
    return copy;
}
