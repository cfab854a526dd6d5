/* Finds the files of a filing's XBRL: in a folder or an archive, or among the documents of the
 * filing's full submission. */
#ifndef DSC_INSTANCE_PACKAGE_H
#define DSC_INSTANCE_PACKAGE_H

#include "formats/sgml_submission.h"

#include <libxml/tree.h>

typedef struct {
    apr_pool_t *pool;
    dsc_import_file_t *file;
    const apr_array_header_t *names; /* const char *: the files there; empty: the instance alone */
    const char *instance;            /* of `names`; NULL: there is none */
    int is_page;                     /* the file itself is HTML without XBRL */
    dsc_piece_t whole;
    const dsc_sgml_submission_t *submission; /* NULL: no full submission */
    const char *accepted_at;                 /* of the submission, UTC; NULL: not known */
} dsc_instance_package_t;

/* Finds the instance of a file, and its companions: the file itself, or what it is part of. NULL
 * and *reason if the file is damaged, or its companions cannot be determined. Standard input has
 * no companions. */
dsc_instance_package_t *dsc_instance_package(apr_pool_t *pool, dsc_import_file_t *file,
                                             const char **reason);

/* Reads one of the files; its root element. NULL and *reason when it cannot be read or is not what
 * its name says. */
xmlNode *dsc_instance_package_root(const dsc_instance_package_t *package, const char *name,
                                   const char **reason);

#endif
