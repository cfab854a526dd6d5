/* Notices of files that arrive in folders, if the system has inotify: closed after writing, or
 * moved in. */
#ifndef DSC_FOLLOW_NOTICE_H
#define DSC_FOLLOW_NOTICE_H

#include <apr_pools.h>

typedef struct dsc_notice_t dsc_notice_t;

/* NULL: the system cannot, or gives out no more of them. It ends with the pool. */
dsc_notice_t *dsc_notice_create(apr_pool_t *pool);

/* Readable when there is a notice; -1 for NULL. */
int dsc_notice_descriptor(const dsc_notice_t *notice);

/* Watches the folder at that path; its number, the same for the same folder, or -1. */
int dsc_notice_add(dsc_notice_t *notice, const char *path);
void dsc_notice_remove(dsc_notice_t *notice, int folder);

/* Takes all notices: a file of a folder; without a name, that all of the folder must be listed;
 * with -1, that all folders must be, because notices were lost. */
void dsc_notice_read(dsc_notice_t *notice,
                     void (*arrived)(void *baton, int folder, const char *name), void *baton);

#endif
