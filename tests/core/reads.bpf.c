// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

/*
 * Programs with bpf_probe_read_user() alone: one read for the result, and a loop of reads for the
 * cost. These programs are not a part of the core.
 */

#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_helpers.h>

#define N_READS 200 /* reads per run of the loop */

unsigned char read_bytes[1024];
long long read_result;

struct read_args {
	unsigned long long addr;
	unsigned long long len;
};

SEC("raw_tp")
int read_once(struct read_args *ctx)
{
	unsigned long long len = ctx->len;

	if (len < 1 || len > sizeof(read_bytes))
		return 0;
	read_result = bpf_probe_read_user(read_bytes, len, (const void *)ctx->addr);
	return 0;
}

SEC("tc")
int read_loop(struct __sk_buff *skb)
{
	unsigned long long addr, word;

	if (bpf_skb_load_bytes(skb, 16, &addr, sizeof(addr)))
		return -1;
	for (int i = 0; i < N_READS; i++)
		bpf_probe_read_user(&word, sizeof(word), (const void *)addr);
	return 0;
}

/* The same loop without the read. */
SEC("tc")
int empty_loop(struct __sk_buff *skb)
{
	unsigned long long addr;

	if (bpf_skb_load_bytes(skb, 16, &addr, sizeof(addr)))
		return -1;
	for (int i = 0; i < N_READS; i++)
		asm volatile("" ::"r"(addr));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
