/* What an importer is: a source format and the function that reads one file of it. */
#ifndef DSC_IMPORTER_H
#define DSC_IMPORTER_H

#include "formats/import_file.h"
#include "loader/loader.h"

/* What load() returns for a file that is read when its companion file is: *reason says which. */
#define DSC_IMPORT_AS_COMPANION (APR_OS_START_USERERR + 2)

typedef struct {
    const char *name;        /* "sec-ownership" */
    const char *description; /* one line for --help */
    /* Whether a file of a folder or archive is of this kind, by its name; a file that the user
     * named on the command line is read whatever its name. */
    int (*accepts)(const char *name);
    /* Reads one file: adds its records and rejects. APR_SUCCESS: commit, and a file without a row
     * is refused unless the importer has called dsc_loader_may_be_empty(); APR_EGENERAL: the file
     * has another format, *reason says what is wrong and where; DSC_IMPORT_AS_COMPANION: it is
     * read with another file; other: the database failed. */
    apr_status_t (*load)(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason);
    /* The file is not the source of its rows, which state their content hashes themselves. */
    int rows_state_hash;
    /* Whether files of that name may be loaded together, in one transaction: they are many and
     * small, and the words by which one looks up rows of others are passed to
     * dsc_loader_meets(). */
    int (*joins)(const char *name);
    /* Each file is of one company, and of datasets with DSC_BY_COMPANY only: processes load them
     * side by side. */
    int by_company;
} dsc_importer_t;

#endif
