/* Which datasets a piece of SQL reads, through functions and views too. */
#ifndef DSC_RELATIONS_H
#define DSC_RELATIONS_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <stdint.h>

/* What is read by a text of SQL: bit i is dsc_datasets[i]. Names of tables that no dataset keeps
 * are appended to `unknown` (of const char *, in `pool`) unless that is NULL. */
uint64_t dsc_datasets_read(apr_pool_t *pool, const char *sql, apr_array_header_t *unknown);

/* The tables that clients read and loads change, of const char *: those of datasets, other tables
 * that their loads maintain, and those that all share. Each once; some need not exist. */
apr_array_header_t *dsc_tables_of_datasets(apr_pool_t *pool);

/* The functions and tables of datasets that lists of a table's rows join to each row, or look up
 * for it, of const char *: "table.joined". */
apr_array_header_t *dsc_relations_joined(apr_pool_t *pool);

/* The columns in which lists of a table's rows look for a company, of const char *:
 * "table.column". */
apr_array_header_t *dsc_columns_of_companies(apr_pool_t *pool);

#endif
