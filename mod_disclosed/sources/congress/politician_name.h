/* Names of members of Congress as reports spell them, and when two spellings are one person. */
#ifndef DSC_POLITICIAN_NAME_H
#define DSC_POLITICIAN_NAME_H

#include <apr_pools.h>

/* A name taken apart. */
typedef struct {
    const char *first;  /* given names, "William F"; "" without */
    const char *last;   /* surname without Jr., III and the like, "Hagerty" */
    const char *given;  /* the name that the slug begins with, in full: "william" */
    const char *family; /* the surname as the slug has it: "hagerty", "van-hollen" */
} dsc_politician_name_t;

/* Takes a name apart: "Hagerty, Bill (Senator)", "William F Hagerty, IV", "Hon. Nancy Pelosi",
 * UTF-8. Titles, degrees and suffixes go, names all in capitals are written small. Returns 0 if
 * there is no surname. */
int dsc_politician_name(apr_pool_t *pool, const char *text, dsc_politician_name_t *name);

/* The same from given names and surname, which keeps surnames of several words whole in `last`. */
int dsc_politician_name_of(apr_pool_t *pool, const char *first, const char *last,
                           dsc_politician_name_t *name);

/* The politician's slug, ASCII in lower case: "<given>-<family>" of a senator, with "-<state>" of a
 * representative ("-house" if the state is not known), because there are many more of them. Middle
 * names, initials and suffixes have no part in it, and short forms are those of the full name: Ron
 * Wyden and Ronald L. Wyden are one. `state_district` is "CA11", or NULL. */
const char *dsc_politician_slug(apr_pool_t *pool, const dsc_politician_name_t *name, int is_house,
                                const char *state_district);

#endif
