#include "follow/service.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void dsc_service_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = path ? strlen(path) : 0;
    int descriptor;

    if (length < 2 || length >= sizeof(address.sun_path) || (*path != '/' && *path != '@')) {
        return;
    }
    memcpy(address.sun_path, path, length);
    if (*path == '@') {
        address.sun_path[0] = '\0'; /* of the abstract namespace */
    }
    descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0) {
        (void)sendto(descriptor, state, strlen(state), MSG_NOSIGNAL,
                     (const struct sockaddr *)(const void *)&address,
                     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
        close(descriptor);
    }
}
