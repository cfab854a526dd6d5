#include "follow/notice.h"

#ifdef __linux__

#include <sys/inotify.h>
#include <unistd.h>

struct dsc_notice_t {
    int descriptor;
};

static apr_status_t close_descriptor(void *data)
{
    const dsc_notice_t *notice = data;

    close(notice->descriptor);
    return APR_SUCCESS;
}

dsc_notice_t *dsc_notice_create(apr_pool_t *pool)
{
    dsc_notice_t *notice = apr_palloc(pool, sizeof(*notice));

    notice->descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (notice->descriptor < 0) {
        return NULL;
    }
    apr_pool_cleanup_register(pool, notice, close_descriptor, apr_pool_cleanup_null);
    return notice;
}

int dsc_notice_descriptor(const dsc_notice_t *notice)
{
    return notice != NULL ? notice->descriptor : -1;
}

int dsc_notice_add(dsc_notice_t *notice, const char *path)
{
    return notice == NULL ? -1
                          : inotify_add_watch(notice->descriptor, path,
                                              IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVE_SELF |
                                                  IN_DELETE_SELF | IN_ONLYDIR);
}

void dsc_notice_remove(dsc_notice_t *notice, int folder)
{
    (void)inotify_rm_watch(notice->descriptor, folder);
}

void dsc_notice_read(dsc_notice_t *notice,
                     void (*arrived)(void *baton, int folder, const char *name), void *baton)
{
    char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t got;

    while (notice != NULL && (got = read(notice->descriptor, buffer, sizeof(buffer))) > 0) {
        const char *at = buffer;

        while (at < buffer + got) {
            const struct inotify_event *event = (const struct inotify_event *)(const void *)at;
            int is_file = (event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0 && event->len > 0;

            arrived(baton, (event->mask & IN_Q_OVERFLOW) != 0 ? -1 : event->wd,
                    is_file ? event->name : NULL);
            at += sizeof(*event) + event->len;
        }
    }
}

#else

dsc_notice_t *dsc_notice_create(apr_pool_t *pool)
{
    (void)pool;
    return NULL;
}

int dsc_notice_descriptor(const dsc_notice_t *notice)
{
    (void)notice;
    return -1;
}

int dsc_notice_add(dsc_notice_t *notice, const char *path)
{
    (void)notice;
    (void)path;
    return -1;
}

void dsc_notice_remove(dsc_notice_t *notice, int folder)
{
    (void)notice;
    (void)folder;
}

void dsc_notice_read(dsc_notice_t *notice,
                     void (*arrived)(void *baton, int folder, const char *name), void *baton)
{
    (void)notice;
    (void)arrived;
    (void)baton;
}

#endif
