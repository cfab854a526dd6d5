/* Names of members of Congress as reports spell them, and when two spellings are one person. */
#include "sources/congress/politician_name.h"

#include "engine/buffer.h"
#include "engine/shape.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <strings.h>

/* Words of a name that are no part of it, without their dots. */
static const char *const titles[] = {"hon",         "honorable",
                                     "mr",          "mrs",
                                     "ms",          "miss",
                                     "dr",          "rep",
                                     "sen",         "senator",
                                     "jr",          "sr",
                                     "ii",          "iii",
                                     "iv",          "2nd",
                                     "3rd",         "4th",
                                     "the",         "former",
                                     "congressman", "congresswoman",
                                     "resident",    "commissioner",
                                     "delegate",    "representative",
                                     NULL};

/* These are none either, and follow each other behind commas: "MD, FACS". */
static const char *const degrees[] = {"md", "dds", "dvm", "dmd", "phd", "facs", "esq", NULL};

/* Words that belong to the surname behind them. */
static const char *const particles[] = {"van",   "von", "der", "den", "de", "del",
                                        "della", "di",  "da",  "du",  "la", "le",
                                        "los",   "las", "san", "st",  NULL};

/* Surnames of two words without a particle, of members since 2012: a name alone does not tell them
 * from given names. */
static const char *const double_surnames[][2] = {
    {"Wasserman", "Schultz"}, {"McMorris", "Rodgers"},    {"Jackson", "Lee"},
    {"Watson", "Coleman"},    {"Blunt", "Rochester"},     {"Herrera", "Beutler"},
    {"Leger", "Fernandez"},   {"McClain", "Delaney"},     {"Cortez", "Masto"},
    {"Gluesenkamp", "Perez"}, {"Bono", "Mack"},           {"Ros", "Lehtinen"},
    {"Hyde", "Smith"},        {"Cherfilus", "McCormick"}, {"Kelly", "Morrison"}};

/* Short forms that stand for one full name alone. */
static const struct {
    const char *form, *full;
} short_forms[] = {
    {"abe", "abraham"},    {"andy", "andrew"},     {"ben", "benjamin"},      {"bernie", "bernard"},
    {"bill", "william"},   {"billy", "william"},   {"bob", "robert"},        {"bobby", "robert"},
    {"brad", "bradley"},   {"charlie", "charles"}, {"chris", "christopher"}, {"chuck", "charles"},
    {"cliff", "clifford"}, {"dan", "daniel"},      {"danny", "daniel"},      {"dave", "david"},
    {"debbie", "deborah"}, {"dick", "richard"},    {"don", "donald"},        {"doug", "douglas"},
    {"ed", "edward"},      {"eddie", "edward"},    {"fred", "frederick"},    {"greg", "gregory"},
    {"jack", "john"},      {"jacky", "jacklyn"},   {"jake", "jacob"},        {"jeff", "jeffrey"},
    {"jim", "james"},      {"jimmy", "james"},     {"joe", "joseph"},        {"josh", "joshua"},
    {"ken", "kenneth"},    {"larry", "lawrence"},  {"liz", "elizabeth"},     {"lou", "louis"},
    {"marty", "martin"},   {"matt", "matthew"},    {"mike", "michael"},      {"mitch", "mitchell"},
    {"nick", "nicholas"},  {"pete", "peter"},      {"phillip", "philip"},    {"phil", "philip"},
    {"ray", "raymond"},    {"rich", "richard"},    {"rick", "richard"},      {"rob", "robert"},
    {"ron", "ronald"},     {"ronny", "ronald"},    {"russ", "russell"},      {"stephen", "steven"},
    {"steve", "steven"},   {"thom", "thomas"},     {"tim", "timothy"},       {"tom", "thomas"},
    {"tommy", "thomas"},   {"tony", "anthony"},    {"vicky", "victoria"},    {"walt", "walter"},
    {"zach", "zachary"},
};

/* Who files under either of two given names: the one that goes, the surname, the one that stays. */
static const struct {
    const char *given, *family, *stays;
} also_filed_as[] = {{"ladda", "duckworth", "tammy"}, {"ted", "cruz", "rafael"}};

/* ------------------------------------------------------------------------- words */

static int is_listed(const char *const *list, const char *word)
{
    for (; *list != NULL; list++) {
        if (strcasecmp(*list, word) == 0) {
            return 1;
        }
    }
    return 0;
}

static const char *without_dots(apr_pool_t *pool, const char *word)
{
    char *copy = apr_palloc(pool, strlen(word) + 1), *to = copy;

    for (; *word != '\0'; word++) {
        if (*word != '.') {
            *to++ = *word;
        }
    }
    *to = '\0';
    return copy;
}

/* "A.", "J", "C.A.": nothing but initials. */
static int is_initials(const char *word)
{
    size_t length = strlen(word), i;

    if (length == 1) {
        return 1;
    }
    for (i = 0; i < length; i++) {
        if (i % 2 == 1 ? word[i] != '.' : !apr_isalpha(word[i])) {
            return 0;
        }
    }
    return length > 0;
}

/* Words of the text, each comma being one; what is in parentheses at the end is an office. */
static apr_array_header_t *split(apr_pool_t *pool, const char *text)
{
    apr_array_header_t *words = apr_array_make(pool, 8, sizeof(const char *));

    while (*text != '\0') {
        size_t length = strcspn(text, " \t\r\n,");
        if (length > 0) {
            APR_ARRAY_PUSH(words, const char *) = apr_pstrmemdup(pool, text, length);
        }
        text += length;
        if (*text == ',') {
            APR_ARRAY_PUSH(words, const char *) = ",";
        }
        text += *text != '\0';
    }
    return words;
}

static const char *word_at(const apr_array_header_t *words, int i)
{
    return i < 0 || i >= words->nelts ? "" : APR_ARRAY_IDX(words, i, const char *);
}

/* The word without its dots, and without parentheses around it. */
static const char *bare_word(apr_pool_t *pool, const char *word)
{
    const char *bare = without_dots(pool, word);
    size_t length = strlen(bare);

    return length > 2 && bare[0] == '(' && bare[length - 1] == ')'
               ? apr_pstrmemdup(pool, bare + 1, length - 2)
               : bare;
}

/* A comma between two degrees parts nothing else. */
static int is_between_degrees(apr_pool_t *pool, const apr_array_header_t *words, int comma)
{
    return is_listed(degrees, bare_word(pool, word_at(words, comma - 1))) &&
           is_listed(degrees, bare_word(pool, word_at(words, comma + 1)));
}

/* The words without titles, degrees and suffixes; of the commas those stay that part what is left:
 * one behind the surname, if that comes first, whatever is between them. */
static apr_array_header_t *without_titles(apr_pool_t *pool, const apr_array_header_t *words)
{
    apr_array_header_t *left = apr_array_make(pool, words->nelts + 1, sizeof(const char *));
    int parted = 0, i;

    for (i = 0; i < words->nelts; i++) {
        const char *word = word_at(words, i), *bare = bare_word(pool, word);
        if (*word == ',') {
            parted |= !is_between_degrees(pool, words, i);
        } else if (*bare != '\0' && !is_listed(titles, bare) && !is_listed(degrees, bare)) {
            if (parted && left->nelts > 0) {
                APR_ARRAY_PUSH(left, const char *) = ",";
            }
            APR_ARRAY_PUSH(left, const char *) = word;
            parted = 0;
        }
    }
    return left;
}

/* The fifth of a name: a V that stands where a surname ends is no initial. */
static void remove_fifth(apr_array_header_t *words, int end)
{
    const char **all = (const char **)words->elts;

    if (end > 1 && strcasecmp(all[end - 1], "V") == 0 && *all[end - 2] != ',') {
        memmove(&all[end - 1], &all[end], sizeof(*all) * (size_t)(words->nelts - end));
        words->nelts--;
    }
}

/* The place of the first comma; all of the words if there is none. */
static int first_comma(const apr_array_header_t *words)
{
    int at = 0;

    while (at < words->nelts && *word_at(words, at) != ',') {
        at++;
    }
    return at;
}

/* The place of the surname's first word among words[0..count). */
static int surname_at(apr_pool_t *pool, const apr_array_header_t *words, int first, int count)
{
    int at = count - 1;

    while (at > first + 1 && is_listed(particles, without_dots(pool, word_at(words, at - 1)))) {
        at--;
    }
    return at;
}

/* ----------------------------------------------------------------- how it is shown */

static int has_small_letters(const char *text)
{
    for (; *text != '\0'; text++) {
        if (apr_islower(*text)) {
            return 1;
        }
    }
    return 0;
}

/* CASEY and casey become Casey, O'ROURKE O'Rourke, Mcconnell McConnell. */
static const char *fix_case(apr_pool_t *pool, const char *word, int all_capitals)
{
    char *copy = apr_pstrdup(pool, word);
    size_t i, length = strlen(copy);

    for (i = 0; all_capitals && i < length; i++) {
        int begins = i == 0 || copy[i - 1] == '-' || copy[i - 1] == '\'' || copy[i - 1] == '.' ||
                     copy[i - 1] == '(';
        copy[i] = (char)(begins ? apr_toupper(copy[i]) : apr_tolower(copy[i]));
    }
    if (length > 3 && strncmp(copy, "Mc", 2) == 0) {
        copy[2] = (char)apr_toupper(copy[2]);
    }
    return copy;
}

static const char *join(apr_pool_t *pool, const apr_array_header_t *words, int from, int to,
                        int all_capitals)
{
    dsc_buffer_t *text = dsc_buffer_create(pool, 64);
    int i;

    for (i = from; i < to; i++) {
        if (text->length > 0) {
            dsc_buffer_append_char(text, ' ');
        }
        dsc_buffer_append_text(text, fix_case(pool, word_at(words, i), all_capitals));
    }
    return apr_pstrdup(pool, dsc_buffer_text(text));
}

/* ----------------------------------------------------------------- how it is known */

/* Letters of U+00C0 to U+017F without their marks, two bytes each of UTF-8: C3 80.. to C5 BF. */
static const char plain_letters[] = "aaaaaaaceeeeiiiidnooooo ouuuuyts" /* C0..DF */
                                    "aaaaaaaceeeeiiiidnooooo ouuuuyty" /* E0..FF */
                                    "aaaaaaccccccccddddeeeeeeeeeegggg" /* 100.. */
                                    "gggghhhhiiiiiiiiiiiijjkkklllllll" /* 120.. */
                                    "lllnnnnnnnnnoooooooorrrrrrssssss" /* 140.. */
                                    "ssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/* Appends a word's letters, digits and inner hyphens in lower case, without marks. */
static void append_plain(dsc_buffer_t *out, const char *word)
{
    size_t start = out->length;

    for (; *word != '\0'; word++) {
        unsigned char byte = (unsigned char)*word, next = (unsigned char)word[1];
        if (byte < 0x80 && apr_isalnum(byte)) {
            dsc_buffer_append_char(out, (char)apr_tolower(byte));
        } else if (byte == '-' && out->length > start && out->data[out->length - 1] != '-') {
            dsc_buffer_append_char(out, '-');
        } else if (byte >= 0xC3 && byte <= 0xC5 && next >= 0x80 && next <= 0xBF) {
            char letter = plain_letters[(byte - 0xC3) * 64 + (next - 0x80)];
            if (letter != ' ') {
                dsc_buffer_append_char(out, letter);
            }
            word++;
        }
    }
    while (out->length > start && out->data[out->length - 1] == '-') {
        out->length--;
    }
}

static const char *plain(apr_pool_t *pool, const apr_array_header_t *words, int from, int to)
{
    dsc_buffer_t *out = dsc_buffer_create(pool, 64);
    int i;

    for (i = from; i < to; i++) {
        size_t before = out->length;
        if (before > 0) {
            dsc_buffer_append_char(out, '-');
        }
        append_plain(out, word_at(words, i));
        out->length = out->length == before + 1 && before > 0 ? before : out->length;
    }
    return apr_pstrdup(pool, dsc_buffer_text(out));
}

/* The first given name that is more than an initial, in full; else the initials. */
static const char *given_name(apr_pool_t *pool, const apr_array_header_t *words, int from, int to)
{
    const char *name = NULL;
    int i;

    for (i = from; i < to && name == NULL; i++) {
        const char *word = word_at(words, i);
        if (!is_initials(word) && *word != '(' && *word != '"') {
            name = plain(pool, words, i, i + 1);
        }
    }
    if (name == NULL || *name == '\0') {
        name = from < to ? plain(pool, words, from, from + 1) : "";
    }
    for (i = 0; i < (int)(sizeof(short_forms) / sizeof(short_forms[0])); i++) {
        if (strcmp(short_forms[i].form, name) == 0) {
            return short_forms[i].full;
        }
    }
    return name;
}

static const char *one_given_name(const char *given, const char *family)
{
    size_t i;

    for (i = 0; i < sizeof(also_filed_as) / sizeof(also_filed_as[0]); i++) {
        if (strcmp(also_filed_as[i].given, given) == 0 &&
            strcmp(also_filed_as[i].family, family) == 0) {
            return also_filed_as[i].stays;
        }
    }
    return given;
}

/* Words in the order given names, surname; those from `last` on are the surname as shown. */
static int fill(apr_pool_t *pool, const apr_array_header_t *words, int last,
                dsc_politician_name_t *name)
{
    int all_capitals = !has_small_letters(join(pool, words, 0, words->nelts, 0));
    int family;

    if (words->nelts == 0 || last >= words->nelts) {
        return 0;
    }
    family = surname_at(pool, words, 0, words->nelts);
    name->first = join(pool, words, 0, last, all_capitals);
    name->last = join(pool, words, last, words->nelts, all_capitals);
    name->family = plain(pool, words, family, words->nelts);
    name->given =
        one_given_name(given_name(pool, words, 0, family < last ? family : last), name->family);
    return *name->family != '\0';
}

/* Appends the words of `from`, those behind the first comma first. */
static void append_ordered(apr_array_header_t *to, const apr_array_header_t *from, int comma)
{
    int i;

    for (i = 0; i < from->nelts; i++) {
        const char *word = word_at(from, (comma + i) % from->nelts);
        if (*word != ',') {
            APR_ARRAY_PUSH(to, const char *) = word;
        }
    }
}

/* The place of the surname's first word as it is shown: the slug has the last word of a double
 * surname. */
static int shown_surname_at(apr_pool_t *pool, const apr_array_header_t *words)
{
    int at = surname_at(pool, words, 0, words->nelts);

    for (int i = 0; at > 1 && i < DSC_COUNT(double_surnames); i++) {
        if (strcasecmp(word_at(words, at - 1), double_surnames[i][0]) == 0 &&
            strcasecmp(word_at(words, at), double_surnames[i][1]) == 0) {
            return at - 1;
        }
    }
    return at;
}

int dsc_politician_name(apr_pool_t *pool, const char *text, dsc_politician_name_t *name)
{
    apr_array_header_t *words = without_titles(pool, split(pool, text)), *ordered;
    int comma;

    remove_fifth(words, first_comma(words));
    comma = first_comma(words);
    if (comma == words->nelts) {
        return fill(pool, words, shown_surname_at(pool, words), name);
    }
    ordered = apr_array_make(pool, words->nelts, sizeof(const char *));
    append_ordered(ordered, words, comma);
    return fill(pool, ordered, ordered->nelts - comma, name);
}

int dsc_politician_name_of(apr_pool_t *pool, const char *first, const char *last,
                           dsc_politician_name_t *name)
{
    apr_array_header_t *given = without_titles(pool, split(pool, first));
    apr_array_header_t *surname = without_titles(pool, split(pool, last));
    apr_array_header_t *words =
        apr_array_make(pool, given->nelts + surname->nelts + 1, sizeof(const char *));
    int count;

    remove_fifth(surname, surname->nelts);
    append_ordered(words, given, 0);
    count = words->nelts;
    append_ordered(words, surname, 0);
    return fill(pool, words, count, name);
}

const char *dsc_politician_slug(apr_pool_t *pool, const dsc_politician_name_t *name, int is_house,
                                const char *state_district)
{
    const char *person =
        apr_pstrcat(pool, name->given, *name->given != '\0' ? "-" : "", name->family, NULL);
    char state[3] = "";

    if (!is_house) {
        return person;
    }
    if (state_district == NULL || !apr_isalpha(state_district[0]) ||
        !apr_isalpha(state_district[1])) {
        return apr_pstrcat(pool, person, "-house", NULL);
    }
    state[0] = (char)apr_tolower(state_district[0]);
    state[1] = (char)apr_tolower(state_district[1]);
    return apr_pstrcat(pool, person, "-", state, NULL);
}
