#include "sources/sec_ownership/ownership_people.h"

#include "engine/shape.h"

#include <apr_strings.h>
#include <ctype.h>
#include <string.h>

enum {
    LONGEST_TITLE = 120 /* bytes of one that remarks state */
};

static const char *add_part(apr_pool_t *pool, const char *text, const char *part,
                            const char *detail)
{
    return apr_pstrcat(pool, text, *text ? ", " : "", part, detail ? ": " : "",
                       detail ? detail : "", NULL);
}

const char *dsc_relationship_text(apr_pool_t *pool, const dsc_reporting_owner_t *owner)
{
    const char *text = "";

    if (owner->is_director) {
        text = add_part(pool, text, "Director", NULL);
    }
    if (owner->is_officer) {
        text = add_part(pool, text, "Officer", owner->officer_title);
    }
    if (owner->is_ten_percent_owner) {
        text = add_part(pool, text, "10% Owner", NULL);
    }
    if (owner->is_other) {
        text = add_part(pool, text, "Other", owner->other_text);
    }
    return *text ? text : "Not stated";
}

const char *dsc_owner_role(apr_pool_t *pool, const dsc_reporting_owner_t *owner)
{
    if (owner->is_officer) {
        return owner->officer_title ? owner->officer_title : "Officer";
    }
    return owner->is_director ? "Director" : dsc_relationship_text(pool, owner);
}

const char *dsc_officer_title(apr_pool_t *pool, const char *title, const char *remarks)
{
    static const char pointer[] = "see remark", label[] = "title:";
    const char *from = remarks ? remarks + strspn(remarks, " \t\n") : "";
    char *stated;
    size_t length;

    if (!title || strncasecmp(title, pointer, strlen(pointer)) != 0 ||
        strncasecmp(from, label, strlen(label)) != 0) {
        return title;
    }
    from += strlen(label);
    from += strspn(from, " \t\n");
    length = strcspn(from, "\n");
    while (length > 0 && strchr(" \t.", from[length - 1])) {
        length--;
    }
    stated = apr_pstrmemdup(pool, from, length);
    /* where more than a title follows, nobody knows where it ends */
    return length == 0 || length > LONGEST_TITLE || strpbrk(stated, ".;") ? title : stated;
}

/* Titles as officers write them; each is looked for as whole words, in any case. The rules speak
 * of the "principal" officers (Rule 16a-1(f)). */
static const struct {
    const char *words;
    int rank;
} title_ranks[] = {
    {"chief executive", DSC_RANK_CHIEF_EXECUTIVE},
    {"principal executive officer", DSC_RANK_CHIEF_EXECUTIVE},
    {"ceo", DSC_RANK_CHIEF_EXECUTIVE},
    {"chief financial", DSC_RANK_CHIEF_FINANCIAL},
    {"principal financial officer", DSC_RANK_CHIEF_FINANCIAL},
    {"cfo", DSC_RANK_CHIEF_FINANCIAL},
};

static int has_words(const char *title, const char *words)
{
    size_t length = strlen(words);

    for (const char *at = title; *at; at++) {
        int begins = at == title || !isalpha((unsigned char)at[-1]);

        if (begins && strncasecmp(at, words, length) == 0 && !isalpha((unsigned char)at[length])) {
            return 1;
        }
    }
    return 0;
}

/* A president with no other title is the chief executive of a company that names none. */
static int rank_of_title(const char *title)
{
    for (int i = 0; i < DSC_COUNT(title_ranks); i++) {
        if (has_words(title, title_ranks[i].words)) {
            return title_ranks[i].rank;
        }
    }
    return strcasecmp(title, "President") == 0 ? DSC_RANK_CHIEF_EXECUTIVE : DSC_RANK_OFFICER;
}

int dsc_owner_rank(const dsc_reporting_owner_t *owner)
{
    if (owner->is_officer) {
        return owner->officer_title ? rank_of_title(owner->officer_title) : DSC_RANK_OFFICER;
    }
    return owner->is_director ? DSC_RANK_DIRECTOR : DSC_RANK_OTHER;
}
