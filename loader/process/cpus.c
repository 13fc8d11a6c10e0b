// SPDX-License-Identifier: BSD-2-Clause

#include "cpus.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>

#include "../../inspect/util/cleanup.h"

/* the multicast group of NETLINK_KOBJECT_UEVENT to which the kernel sends; udev sends to group 2 */
#define KERNELS_GROUP 1

int cpus_listen(void)
{
	struct sockaddr_nl own = { .nl_family = AF_NETLINK, .nl_groups = KERNELS_GROUP };
	_cleanup_close_ int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || bind(fd, (struct sockaddr *)&own, sizeof(own)))
		return -errno;
	return TAKE_FD(fd);
}

/* Parses "online@/devices/system/cpu/cpu7". */
static bool is_online_cpu(const char *text, u32 *cpu)
{
	u32 value;
	int len = 0;

	if (sscanf(text, "online@/devices/system/cpu/cpu%u%n", &value, &len) != 1 || text[len])
		return false;
	*cpu = value;
	return true;
}

int cpus_next(int fd, u32 *cpu)
{
	struct sockaddr_nl from;
	socklen_t from_len;
	char text[4096];
	ssize_t len;

	if (fd < 0)
		return 0;
	for (;;) {
		from = (struct sockaddr_nl){ 0 };
		from_len = sizeof(from);
		len = recvfrom(fd, text, sizeof(text) - 1, 0, (struct sockaddr *)&from, &from_len);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return errno == ENOBUFS ? -ENOBUFS : 0;
		text[len] = '\0';
		if (!from.nl_pid && is_online_cpu(text, cpu))
			return 1;
	}
}
