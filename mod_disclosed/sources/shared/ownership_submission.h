/* Finds the ownershipDocument in a file: alone, or in a full submission. */
#ifndef DSC_OWNERSHIP_SUBMISSION_H
#define DSC_OWNERSHIP_SUBMISSION_H

#include <apr_pools.h>
#include <apr_tables.h>

/* The document's bytes, and what the submission's header says; NULL if there is none. */
typedef struct {
    const char *xml;
    size_t length;
    long first_line;             /* of the document in the file, from 1 */
    const char *accession;       /* with dashes */
    const char *form;            /* "4/A" */
    const char *period;          /* YYYY-MM-DD */
    const char *filed_on;        /* YYYY-MM-DD */
    const char *accepted_at;     /* UTC, ISO with Z */
    apr_array_header_t *owners;  /* const char *: CIKs of the reporting owners, without leading
                                    zeros; NULL: no header */
    apr_array_header_t *issuers; /* and of the issuer */
} dsc_ownership_submission_t;

/* Finds the document in a file: XML as it is, or an EDGAR submission (.txt with
 * <SEC-HEADER>, .nc with <SUBMISSION>, any line ends), whose header gives accession number, form,
 * period, date of filing, time of acceptance, issuer and reporting owners. `bytes` stay in use. 0
 * and *reason when there is none, or the submission is not whole (sgml_submission.h). */
int dsc_ownership_find(apr_pool_t *pool, const char *bytes, size_t length,
                       dsc_ownership_submission_t *submission, const char **reason);

/* The CIKs (const char *, without leading zeros) of the subject companies that a submission's
 * header names. */
apr_array_header_t *dsc_header_subjects(apr_pool_t *pool, const char *header);

/* The accession number that a file's name is, or that of the folder or archive it is in:
 * ".../0001209191-23-001946.xml", ".../000120919123001946/doc4.xml". NULL if there is none. */
const char *dsc_accession_of_name(apr_pool_t *pool, const char *name);

#endif
