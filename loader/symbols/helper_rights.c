/* SPDX-License-Identifier: BSD-2-Clause */

#include "helper_rights.h"

#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../inspect/util/array.h"
#include "helper.h"

#define NOBODY 65534
/*
 * Users that no account has: other processes of the user `nobody` could kill the helper. See
 * https://systemd.io/UIDS-GIDS.
 */
#define FIRST_USER 0xffe00000u
#define MAX_USERS 0x100000u

static void keep_one_descriptor(int fd)
{
	if (fd > 0)
		syscall(SYS_close_range, 0, fd - 1, 0);
	syscall(SYS_close_range, fd + 1, ~0u, 0);
}

/*
 * Ignores terminal signals, which are meant for the recorder. The helper exits when the recorder
 * closes the socket.
 */
static void ignore_signals(void)
{
	static const int ignored[] = { SIGINT,	SIGTERM, SIGQUIT, SIGHUP,
				       SIGUSR1, SIGUSR2, SIGTSTP, SIGPIPE };
	sigset_t none;

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int become(uid_t user)
{
	return setresgid(user, user, user) || setresuid(user, user, user);
}

/* A user namespace may not have the first user. */
static void become_unprivileged(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = {};

	prctl(PR_SET_KEEPCAPS, 1);
	if (setgroups(0, NULL) ||
	    (become(FIRST_USER + (uid_t)getpid() % MAX_USERS) && become(NOBODY)))
		_exit(1);
	caps[0].effective = caps[0].permitted = 1u << CAP_DAC_READ_SEARCH;
	if (syscall(SYS_capset, &header, caps)) {
		caps[0].effective = caps[0].permitted = 0; /* also drop this capability, because
							    * it is not available */
		if (syscall(SYS_capset, &header, caps))
			_exit(1);
	}
}

void helper_give_up_rights(int fd)
{
	pid_t parent = getppid();

	keep_one_descriptor(fd);
	ignore_signals();
	prctl(PR_SET_NAME, "unspool-helper");
	setrlimit(RLIMIT_DATA, &(struct rlimit){ HELPER_MEMORY, HELPER_MEMORY });
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (!geteuid())
		become_unprivileged();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}
