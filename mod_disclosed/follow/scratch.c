#include "follow/scratch.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "disclosed-follow-"

enum {
    MOST_ATTEMPTS = 3
};

typedef enum {
    IS_LOCKED,
    IS_TAKEN,
    CANNOT_LOCK
} lock_state_t;

void dsc_scratch_remove(apr_pool_t *pool, const char *path)
{
    apr_dir_t *dir;
    apr_finfo_t info;

    if (apr_dir_open(&dir, path, pool) != APR_SUCCESS) {
        return;
    }
    while (apr_dir_read(&info, APR_FINFO_NAME | APR_FINFO_TYPE, dir) == APR_SUCCESS) {
        const char *inside = apr_pstrcat(pool, path, "/", info.name, NULL);

        if (info.filetype == APR_DIR && strcmp(info.name, ".") != 0 &&
            strcmp(info.name, "..") != 0) {
            dsc_scratch_remove(pool, inside);
        } else if (info.filetype != APR_DIR) {
            (void)apr_file_remove(inside, pool);
        }
    }
    apr_dir_close(dir);
    (void)apr_dir_remove(path, pool);
}

typedef struct {
    const char *path;
} scratch_t;

/* A pool of the cleanup's own: the one that goes may not be used any more. */
static apr_status_t remove_scratch(void *data)
{
    const scratch_t *scratch = data;
    apr_pool_t *pool;

    if (apr_pool_create(&pool, NULL) == APR_SUCCESS) {
        dsc_scratch_remove(pool, scratch->path);
        apr_pool_destroy(pool);
    }
    return APR_SUCCESS;
}

static apr_status_t close_lock(void *data)
{
    const int *fd = data;

    (void)close(*fd);
    return APR_SUCCESS;
}

/* Locks a folder until the pool goes. The lock is the folder's own, so that nobody can be killed
 * between making the one and the other, nor between removing them. IS_TAKEN: somebody uses it, or
 * it is gone; CANNOT_LOCK: its file system locks no folders, as NFS. */
static lock_state_t lock_folder(apr_pool_t *pool, const char *path)
{
    int *fd = apr_palloc(pool, sizeof(*fd));
    struct stat locked, named;

    *fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*fd < 0) {
        return IS_TAKEN;
    }
    apr_pool_cleanup_register(pool, fd, close_lock, apr_pool_cleanup_null);
    if (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK ? IS_TAKEN : CANNOT_LOCK;
    }
    /* The name may be gone by now, or be another folder's. */
    return fstat(*fd, &locked) == 0 && lstat(path, &named) == 0 && locked.st_dev == named.st_dev &&
                   locked.st_ino == named.st_ino
               ? IS_LOCKED
               : IS_TAKEN;
}

/* Whether it is a folder of ours: others may put into the parent what they like, links as well. */
static int is_own_folder(apr_pool_t *pool, const char *path)
{
    apr_finfo_t info;

    return apr_stat(&info, path, APR_FINFO_TYPE | APR_FINFO_USER | APR_FINFO_LINK, pool) ==
               APR_SUCCESS &&
           info.filetype == APR_DIR && info.user == geteuid();
}

/* Removes the folders of those that were killed. */
static void sweep(apr_pool_t *parent_pool, const char *parent)
{
    apr_pool_t *pool;
    apr_dir_t *dir;
    apr_finfo_t info;

    apr_pool_create(&pool, parent_pool);
    if (apr_dir_open(&dir, parent, pool) == APR_SUCCESS) {
        while (apr_dir_read(&info, APR_FINFO_NAME, dir) == APR_SUCCESS) {
            const char *path = apr_pstrcat(pool, parent, "/", info.name, NULL);

            if (strncmp(info.name, PREFIX, strlen(PREFIX)) == 0 && is_own_folder(pool, path) &&
                lock_folder(pool, path) == IS_LOCKED) {
                dsc_scratch_remove(pool, path);
            }
        }
    }
    apr_pool_destroy(pool);
}

/* Makes a folder and locks it, if that can be done: if not, nobody sweeps. NULL: none can be made,
 * or somebody who swept has been between the two. */
static char *make_folder(apr_pool_t *pool, const char *parent)
{
    char *path = apr_pstrcat(pool, parent, "/" PREFIX "XXXXXX", NULL);

    return mkdtemp(path) != NULL && lock_folder(pool, path) != IS_TAKEN ? path : NULL;
}

const char *dsc_scratch_make(apr_pool_t *pool, const char **reason)
{
    scratch_t *scratch = apr_palloc(pool, sizeof(*scratch));
    const char *named = getenv("TMPDIR"), *parent = named && *named ? named : "/var/tmp";
    char *path = NULL;
    int attempt;

    sweep(pool, parent);
    for (attempt = 0; attempt < MOST_ATTEMPTS && path == NULL; attempt++) {
        path = make_folder(pool, parent);
    }
    if (path == NULL) {
        *reason = apr_pstrcat(pool, "no folder for what is fetched can be made in ", parent, NULL);
        return NULL;
    }
    scratch->path = path;
    apr_pool_cleanup_register(pool, scratch, remove_scratch, apr_pool_cleanup_null);
    return path;
}
