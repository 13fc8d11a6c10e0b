/* SPDX-License-Identifier: BSD-2-Clause */

#include "vdso.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../process/maps.h"

struct own_vdso {
	u64 start_addr, len;
};

static int find_own(const struct maps_entry *e, void *data)
{
	struct own_vdso *own = data;

	if (e->start_addr != own->start_addr)
		return 0;
	own->len = e->end_addr - e->start_addr;
	return 1;
}

int vdso_open(u64 len, int *out)
{
	struct own_vdso own = { .start_addr = getauxval(AT_SYSINFO_EHDR) };
	_cleanup_close_ int fd = -1;

	if (!own.start_addr || maps_each_exec(getpid(), find_own, &own) != 1 || own.len != len)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, (const void *)own.start_addr, own.len) != (ssize_t)own.len)
		return -EIO;
	*out = TAKE_FD(fd);
	return 0;
}
