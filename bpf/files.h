/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * If a process has just executed a program or mapped a library, the tables do not have the mapping
 * yet. For a pc in such a mapping, uw_find_file() finds the file that the process has mapped.
 *
 *	task -> mm -> the mapping around pc -> file -> inode
 *	                                                  |
 *	    device, number, size, time of change    <-----+
 *	                  |
 *	                  v
 *	    uw_files: the module, if user space knows the file from another process
 *
 * The kernel keeps the mappings in a maple tree (since v6.1) or in a red-black tree. The search
 * can't lock the tree, so a concurrent change may lead it to any address. The search therefore
 * accepts a mapping only if the mapping belongs to this address space and contains the pc.
 */

#include "bpf.h"
#include "task.h"

#define UW_VMA_DEPTH 32 /* depth limit of a red-black tree of 65,530 mappings */
#define UW_MAPLE_DEPTH 8 /* depth limit of a maple tree; its nodes have five or more children */

/* Source: include/linux/maple_tree.h, lib/maple_tree.c, v6.1 to v7.2. */
#define MAPLE_PIVOTS 15 /* MAPLE_RANGE64_SLOTS - 1; an arange_64 node has fewer pivots */
#define MAPLE_HALF 8
_Static_assert(2 * MAPLE_HALF - 1 == MAPLE_PIVOTS, "two halves");
#define MAPLE_NODE_MASK 255ull
#define MAPLE_TYPE_SHIFT 3
#define MAPLE_TYPE_MASK 15
#define MAPLE_RANGE_64 2 /* a node with a smaller type number is a leaf */
#define MAPLE_ARANGE_64 3

#define VM_EXEC 4 /* include/linux/mm.h */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct super_block {
	u32 s_dev;
};
struct timespec64 {
	s64 tv_sec;
	long tv_nsec;
};
struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
	s64 i_size;
	s64 i_mtime_sec; /* since v6.11 */
	u32 i_mtime_nsec;
};
struct inode___6_7 {
	struct timespec64 __i_mtime;
};
struct inode___5_10 {
	struct timespec64 i_mtime;
};
struct file {
	struct inode *f_inode;
};
struct dentry {
	struct inode *d_inode;
};
struct path {
	struct dentry *dentry;
};
struct backing_file { /* fs/file_table.c */
	struct file file;
	struct path user_path; /* since v6.8 */
};
struct vm_area_struct {
	unsigned long vm_start, vm_end;
	struct rb_node vm_rb;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
};
struct maple_range_64 {
	void *parent;
	unsigned long pivot[MAPLE_PIVOTS];
	void *slot[MAPLE_PIVOTS + 1];
};
struct maple_arange_64 {
	void *parent;
	unsigned long pivot[9];
	void *slot[10];
};
#pragma clang attribute pop

struct uw_file uw_files[UW_MAX_FILES];
const volatile u32 uw_page_shift = 12; /* log2 of the kernel's page size; the loader sets this */

/* Returns the address of the VMA that contains pc, from a red-black tree, or 0 if there is none. */
UW_INLINE u64 uw_vma_by_rb(const struct mm_struct *mm, u64 pc)
{
	const struct rb_node *node = BPF_CORE_READ(mm, mm_rb.rb_node);

	for (int i = 0; i < UW_VMA_DEPTH && node; i++) {
		const struct vm_area_struct *vma =
			(const void *)node - bpf_core_field_offset(struct vm_area_struct, vm_rb);

		if (pc < BPF_CORE_READ(vma, vm_start))
			node = BPF_CORE_READ(node, rb_left);
		else if (pc >= BPF_CORE_READ(vma, vm_end))
			node = BPF_CORE_READ(node, rb_right);
		else
			return (u64)vma;
	}
	return 0;
}

/*
 * Returns the number of a node's children that end before pc. @pivots are the last addresses of the
 * children; any words after the pivot of the last child are zeros or pointers into the kernel's
 * half of the address space. Like uw_mapping_search(), this function has no branches.
 */
UW_INLINE u32 uw_maple_before(const u64 *pivots, u32 n_pivots, u64 pc)
{
	u64 is_before = 1;
	u32 n = 0;

	for (u32 i = 0; i < n_pivots; i++) {
		u64 last = pivots[i] - 1, less = last - (pc - 1);

		asm volatile("" : "+r"(last), "+r"(less));
		is_before &= (less & ~last) >> 63;
		n += (u32)is_before;
	}
	return n;
}

/*
 * Returns the child of a node that contains pc, or 0 if the node is unreadable. @entry: reference
 * to the node. This is a separate function, because clang would otherwise emit a nested loop, which
 * verifiers up to v6.1 reject as infinite. The function reads the node in two halves, because the
 * BPF stack is small.
 */
__attribute__((noinline)) u64 uw_maple_step(u64 entry, u64 pc)
{
	const struct maple_range_64 *range = (void *)(entry & ~MAPLE_NODE_MASK);
	const struct maple_arange_64 *arange = (void *)range;
	const struct mm_struct *mm = NULL;
	u64 half[MAPLE_HALF];
	const void *slots;
	u32 n;

	if (!bpf_core_field_exists(mm->mm_mt))
		return 0;
	if (bpf_probe_read_kernel(half, sizeof(half), range->pivot))
		return 0;
	n = uw_maple_before(half, MAPLE_HALF, pc);
	if (n == MAPLE_HALF) {
		if (bpf_probe_read_kernel(half, sizeof(half) - 8, range->pivot + MAPLE_HALF))
			return 0;
		n += uw_maple_before(half, MAPLE_HALF - 1, pc);
	}
	if ((entry >> MAPLE_TYPE_SHIFT & MAPLE_TYPE_MASK) == MAPLE_ARANGE_64)
		slots = arange->slot;
	else
		slots = range->slot;
	if (bpf_probe_read_kernel(&entry, sizeof(entry), slots + n * 8))
		return 0;
	return entry;
}

/* Like uw_vma_by_rb(), but searches a maple tree. */
UW_INLINE u64 uw_vma_by_maple(const struct mm_struct *mm, u64 pc)
{
	u64 entry = (u64)BPF_CORE_READ(mm, mm_mt.ma_root);

	if ((entry & 3) != 2)
		return 0; /* the root is no node, so the process has no mappings */
	for (int i = 0; i < UW_MAPLE_DEPTH; i++) {
		bool is_leaf = (entry >> MAPLE_TYPE_SHIFT & MAPLE_TYPE_MASK) < MAPLE_RANGE_64;

		entry = uw_maple_step(entry, pc);
		if (is_leaf || !entry)
			return entry;
	}
	return 0;
}

UW_INLINE u64 uw_changed_ns(const struct inode *inode)
{
	const struct inode___6_7 *newer = (const void *)inode;
	const struct inode___5_10 *older = (const void *)inode;
	u64 sec, nsec;

	if (bpf_core_field_exists(inode->i_mtime_sec)) {
		sec = (u64)BPF_CORE_READ(inode, i_mtime_sec);
		nsec = BPF_CORE_READ(inode, i_mtime_nsec);
	} else if (bpf_core_field_exists(newer->__i_mtime)) {
		sec = (u64)BPF_CORE_READ(newer, __i_mtime.tv_sec);
		nsec = (u64)BPF_CORE_READ(newer, __i_mtime.tv_nsec);
	} else {
		sec = (u64)BPF_CORE_READ(older, i_mtime.tv_sec);
		nsec = (u64)BPF_CORE_READ(older, i_mtime.tv_nsec);
	}
	return sec * 1000000000 + nsec;
}

/*
 * Returns the module of a file, or 0 if user space does not know the file. The verifier checks this
 * function once.
 */
__attribute__((noinline)) u32 uw_file_search(u64 inode, u64 size, u64 changed_ns, u32 dev)
{
	u32 hash = uw_file_hash(dev, inode);

	for (u32 i = 0; i < UW_FILE_PROBES; i++) {
		const volatile struct uw_file *f =
			&uw_files[port_index(hash + i, UW_MAX_FILES - 1)];
		u32 module = f->module;

		if (f->inode == inode && f->dev == dev && f->size == size &&
		    f->changed_ns == changed_ns && f->module == module)
			return module;
	}
	return 0;
}

UW_INLINE u32 uw_module_of_inode(const struct inode *inode)
{
	return uw_file_search(BPF_CORE_READ(inode, i_ino), (u64)BPF_CORE_READ(inode, i_size),
			      uw_changed_ns(inode), BPF_CORE_READ(inode, i_sb, s_dev));
}

/*
 * Returns the module of a file, or 0 if user space does not know the file. If the file is on
 * overlayfs, the process maps the lower file, but perf events and /proc report the inode number of
 * the upper file. The kernel stores a reference to the upper file directly after the lower file's
 * struct file. Any other struct file is followed by other data, so the upper file is used only if
 * its size and time are those of @file.
 */
UW_INLINE u32 uw_module_of(const struct file *file)
{
	const struct backing_file *backing = (const void *)file;
	const struct inode *inode = BPF_CORE_READ(file, f_inode), *upper;
	u32 module = uw_module_of_inode(inode);

	if (module || !bpf_core_field_exists(backing->user_path))
		return module;
	upper = BPF_CORE_READ(backing, user_path.dentry, d_inode);
	if (!upper || BPF_CORE_READ(upper, i_size) != BPF_CORE_READ(inode, i_size) ||
	    uw_changed_ns(upper) != uw_changed_ns(inode))
		return 0;
	return uw_module_of_inode(upper);
}

/* Returns the VMA that contains pc, or NULL if there is none that can be trusted. */
UW_INLINE const struct vm_area_struct *uw_vma_around(u64 pc)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	const struct mm_struct *mm = BPF_CORE_READ(task, mm);
	const struct vm_area_struct *vma = NULL;

	if (!mm)
		return NULL;
	if (bpf_core_field_exists(mm->mm_mt))
		vma = (void *)uw_vma_by_maple(mm, pc);
	else if (bpf_core_field_exists(mm->mm_rb))
		vma = (void *)uw_vma_by_rb(mm, pc);
	if (!vma || BPF_CORE_READ(vma, vm_mm) != mm || pc < BPF_CORE_READ(vma, vm_start) ||
	    pc >= BPF_CORE_READ(vma, vm_end))
		return NULL;
	if (bpf_core_field_exists(vma->vm_flags) && !(BPF_CORE_READ(vma, vm_flags) & VM_EXEC))
		return NULL;
	return vma;
}

/**
 * uw_find_file() - find the known file that the running process has mapped at a pc
 * @pc:		user address
 * @map:	set if such a file is found, else unchanged
 * @map:	set only if such a file is found
 *
 * Return: true if such a file is found; false if no file is mapped at @pc, or if user space does
 * not know the file.
 */
UW_INLINE bool uw_find_file(u64 pc, struct uw_mapping *map)
{
	const struct vm_area_struct *vma = uw_vma_around(pc);
	const struct file *file = vma ? BPF_CORE_READ(vma, vm_file) : NULL;
	u32 module = file ? uw_module_of(file) : 0;

	if (!module)
		return false;
	*map = (struct uw_mapping){ .start_addr = BPF_CORE_READ(vma, vm_start),
				    .end_addr = BPF_CORE_READ(vma, vm_end),
				    .file_off = BPF_CORE_READ(vma, vm_pgoff) << uw_page_shift,
				    .module = module,
				    .kind = UW_MAP_NATIVE };
	return true;
}
