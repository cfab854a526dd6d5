/* Notifications for systemd, if it wants them (sd_notify(3), without its library). */
#ifndef DSC_FOLLOW_SERVICE_H
#define DSC_FOLLOW_SERVICE_H

/* Sends a state, "READY=1" or "WATCHDOG=1", to the socket that NOTIFY_SOCKET
 * names. */
void dsc_service_notify(const char *state);

#endif
