// SPDX-License-Identifier: BSD-2-Clause

/*
 * Lookup of code whose mapping is not in the tables: the BPF program searches the kernel's own
 * trees of mappings, which a fake kernel provides. Nodes are encoded here by the rules of
 * lib/maple_tree.c, and read by bpf/files.h.
 */

#include "world.h"

#define MAX_MADE 700
#define SLOTS 16 /* slots of a leaf node; inner nodes have ten */
#define ARANGE_SLOTS 10
#define AREA 0x10000ull
#define STEP 0x3000ull /* distance between mappings: each has two pages and a hole of one */

struct node {
	u64 words[32];
} __attribute__((aligned(256)));

static struct node nodes[MAX_MADE / 2];
static u32 n_nodes;
static struct vm_area_struct vmas[MAX_MADE];
static struct mm_struct mm;
static struct super_block super;
static struct inode inode;
static struct backing_file mapped; /* the file is on overlayfs if user_path is set */
static struct inode___6_7 inode_6_7;
static struct inode___5_10 inode_5_10;

/* Makes @n mappings of one file, each at a different file offset. */
static void make_vmas(u32 n)
{
	super.s_dev = 8 << 20 | 1;
	inode = (struct inode){ .i_ino = 4711,
				.i_sb = &super,
				.i_size = 123456,
				.i_mtime_sec = 1700000000,
				.i_mtime_nsec = 999999999 };
	mapped = (struct backing_file){ .file.f_inode = &inode };
	memset(vmas, 0, sizeof(vmas));
	for (u32 i = 0; i < n; i++)
		vmas[i] = (struct vm_area_struct){ .vm_start = AREA + i * STEP,
						   .vm_end = AREA + i * STEP + 0x2000,
						   .vm_mm = &mm,
						   .vm_flags = VM_EXEC,
						   .vm_pgoff = 5 * i,
						   .vm_file = &mapped.file };
	n_nodes = 0;
	memset(nodes, 0, sizeof(nodes));
	memset(&mm, 0, sizeof(mm));
	leader->mm = thread->mm = &mm;
}

/*
 * Makes a leaf node with the @n mappings from @first on, and the holes between them. The node ends
 * after the hole that follows the last mapping.
 */
static u64 make_leaf(u32 first, u32 n, bool is_last)
{
	struct node *node = &nodes[n_nodes++];
	u64 *pivots = &node->words[1], *slots = &node->words[1 + MAPLE_PIVOTS];
	u32 at = 0;

	for (u32 i = first; i < first + n; i++) {
		if (!i) {
			pivots[at++] = vmas[i].vm_start - 1;
		}
		slots[at] = (u64)&vmas[i];
		pivots[at++] = vmas[i].vm_end - 1;
		if (at < MAPLE_PIVOTS)
			pivots[at] = is_last && i == first + n - 1 ? 0 : vmas[i].vm_end + 0xfff;
		at++;
	}
	return (u64)node | 1 << MAPLE_TYPE_SHIFT | 4;
}

static u64 make_parent(const u64 *children, const u64 *ends, u32 n, u32 type)
{
	struct node *node = &nodes[n_nodes++];
	u64 *pivots = &node->words[1];
	u64 *slots = &node->words[type == MAPLE_ARANGE_64 ? 10 : 1 + MAPLE_PIVOTS];

	for (u32 i = 0; i < n; i++) {
		slots[i] = children[i];
		if (i + 1 < n)
			pivots[i] = ends[i];
	}
	return (u64)node | type << MAPLE_TYPE_SHIFT | 4;
}

/* Adds levels of inner nodes of type @type until there is one root. */
static void make_maple(u32 n, u32 type)
{
	u32 per = type == MAPLE_ARANGE_64 ? ARANGE_SLOTS : SLOTS, n_level = 0;
	u64 level[MAX_MADE], ends[MAX_MADE];

	make_vmas(n);
	for (u32 i = 0; i < n; n_level++) {
		u32 take = i ? SLOTS / 2 : SLOTS / 2 - 1;

		take = take > n - i ? n - i : take;
		level[n_level] = make_leaf(i, take, i + take == n);
		i += take;
		ends[n_level] = vmas[i - 1].vm_end + 0xfff;
	}
	while (n_level > 1) {
		u32 up = 0;

		for (u32 i = 0; i < n_level; i += per, up++) {
			u32 take = n_level - i < per ? n_level - i : per;

			level[up] = make_parent(level + i, ends + i, take, type);
			ends[up] = ends[i + take - 1];
		}
		n_level = up;
	}
	mm.mm_mt.ma_root = (void *)(level[0] | 2);
}

static struct rb_node *make_subtree(u32 first, u32 n)
{
	u32 middle = first + n / 2;

	if (!n)
		return NULL;
	vmas[middle].vm_rb.rb_left = make_subtree(first, n / 2);
	vmas[middle].vm_rb.rb_right = make_subtree(middle + 1, n - n / 2 - 1);
	return &vmas[middle].vm_rb;
}

static void make_rb(u32 n)
{
	make_vmas(n);
	mm.mm_rb.rb_node = make_subtree(0, n);
	fake_lacks = "mm_mt";
}

static struct uw_file known_file(void)
{
	return (struct uw_file){ .inode = 4711,
				 .size = 123456,
				 .changed_ns = 1700000000999999999ull,
				 .dev = 8 << 20 | 1,
				 .module = 66 };
}

static void enter_file(const struct uw_file *f, u32 probe)
{
	u32 at = uw_file_hash(f->dev, f->inode) + probe;

	memset(uw_files, 0, sizeof(uw_files));
	uw_files[at & (UW_MAX_FILES - 1)] = *f;
}

static void enter_known(void)
{
	const struct uw_file f = known_file();

	enter_file(&f, 0);
}

/* Computes the expected result by counting mappings, without a tree. */
static bool should_be_found(u64 pc, u32 n, u32 *i)
{
	*i = (u32)((pc - AREA) / STEP);
	return pc >= AREA && *i < n && (pc - AREA) % STEP < 0x2000;
}

static void assert_found(u64 pc, u32 n)
{
	struct uw_mapping m = { .module = 1 };
	bool is_found = uw_find_file(pc, &m), should;
	u32 i;

	should = should_be_found(pc, n, &i);
	if (is_found != should)
		fail_msg("address %#llx, %u mappings: the address was %sfound", pc, n,
			 is_found ? "" : "not ");
	if (!is_found)
		assert_int_equal(m.module, 1);
	else if (m.start_addr != AREA + i * STEP || m.end_addr != m.start_addr + 0x2000 ||
		 m.file_off != 5ull * i << 12 || m.module != 66 || m.kind != UW_MAP_NATIVE)
		fail_msg("address %#llx, %u mappings: the search returned another mapping", pc, n);
}

static void assert_all_found(u32 n)
{
	enter_known();
	for (u32 i = 0; i < n; i++)
		for (u64 off = 0; off < 3; off++) {
			assert_found(AREA + i * STEP + off - 1, n);
			assert_found(AREA + i * STEP + 0x2000 + off - 1, n);
		}
	assert_found(1, n);
	assert_found(0, n);
	assert_found(AREA + n * STEP + 0x100000, n);
	assert_found((1ull << 47) - 1, n);
	assert_found(~0ull, n);
}

static void every_mapping_of_a_maple_tree_is_found(void **state)
{
	static const u32 sizes[] = { 1, 2, 6, 7, 8, 14, 15, 16, 70, 71, 150, 700 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		make_maple(sizes[i], MAPLE_ARANGE_64);
		assert_all_found(sizes[i]);
		make_maple(sizes[i], MAPLE_RANGE_64);
		assert_all_found(sizes[i]);
	}
}

static void every_mapping_of_a_red_black_tree_is_found(void **state)
{
	static const u32 sizes[] = { 1, 2, 3, 7, 8, 100, 700 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		make_rb(sizes[i]);
		assert_all_found(sizes[i]);
	}
}

/* The search must end even in a tree deeper than any kernel's, and in a cyclic tree. */
static void search_in_a_broken_tree_ends_without_a_mapping(void **state)
{
	struct uw_mapping m;

	(void)state;
	make_maple(150, MAPLE_ARANGE_64);
	enter_known();
	mm.mm_mt.ma_root = NULL;
	assert_false(uw_find_file(AREA, &m));
	mm.mm_mt.ma_root = &vmas[0];
	assert_false(uw_find_file(AREA, &m));
	nodes[0].words[10] = (u64)&nodes[0] | MAPLE_ARANGE_64 << MAPLE_TYPE_SHIFT | 4;
	mm.mm_mt.ma_root = (void *)(nodes[0].words[10] | 2);
	assert_false(uw_find_file(AREA - 1, &m));
	make_rb(3);
	vmas[1].vm_rb.rb_left = &vmas[1].vm_rb;
	assert_false(uw_find_file(AREA, &m));
	assert_true(uw_find_file(AREA + 2 * STEP, &m));
	mm.mm_rb.rb_node = NULL;
	assert_false(uw_find_file(AREA, &m));
	fake_has_fields = false;
	assert_false(uw_find_file(AREA, &m));
	leader->mm = thread->mm = NULL;
	fake_has_fields = true;
	assert_false(uw_find_file(AREA, &m));
}

/*
 * A freed mapping can belong to another process by now, and only executable mappings contain code.
 */
static void mapping_is_ignored_if_it_has_no_code_or_belongs_to_another_process(void **state)
{
	struct mm_struct other = { 0 };
	struct uw_mapping m;

	(void)state;
	make_maple(3, MAPLE_ARANGE_64);
	enter_known();
	vmas[0].vm_mm = &other;
	vmas[1].vm_flags = 3;
	assert_false(uw_find_file(AREA, &m));
	assert_false(uw_find_file(AREA + STEP, &m));
	assert_true(uw_find_file(AREA + 2 * STEP, &m));
	vmas[2].vm_file = NULL;
	assert_false(uw_find_file(AREA + 2 * STEP, &m));
}

static void file_is_not_found_if_one_field_of_its_identity_differs(void **state)
{
	struct uw_file like = known_file(), rows[5] = { like, like, like, like, like };
	struct uw_mapping m;

	(void)state;
	make_maple(3, MAPLE_ARANGE_64);
	rows[0].inode++;
	rows[1].size++;
	rows[2].changed_ns++;
	rows[3].dev++;
	rows[4].module = 0;
	for (u32 i = 0; i < 5; i++) {
		enter_file(&like, 0);
		assert_true(uw_find_file(AREA, &m));
		uw_files[uw_file_hash(like.dev, like.inode)] = rows[i];
		if (uw_find_file(AREA, &m))
			fail_msg("row %u", i);
	}
	for (u32 probe = 0; probe <= UW_FILE_PROBES; probe++) {
		enter_file(&like, probe);
		assert_int_equal(uw_find_file(AREA, &m), probe < UW_FILE_PROBES);
	}
}

/* The mapping has the lower inode of overlayfs; user space knows the file by the upper inode. */
static void overlayfs_file_is_found_by_its_upper_inode(void **state)
{
	struct super_block upper_super = { .s_dev = 40 };
	struct inode upper;
	struct dentry dentry = { &upper };
	struct uw_file known = known_file();
	struct uw_mapping m;

	(void)state;
	make_maple(3, MAPLE_ARANGE_64);
	upper = inode;
	upper.i_ino = 815;
	upper.i_sb = &upper_super;
	known.inode = 815;
	known.dev = 40;
	enter_file(&known, 0);
	assert_false(uw_find_file(AREA, &m));
	mapped.user_path.dentry = &dentry;
	assert_true(uw_find_file(AREA, &m));
	fake_lacks = "user_path";
	assert_false(uw_find_file(AREA, &m));
	fake_lacks = NULL;
	inode.i_size++; /* lower and upper inode differ */
	assert_false(uw_find_file(AREA, &m));
	inode.i_size--;
	inode.i_mtime_nsec--;
	assert_false(uw_find_file(AREA, &m));
}

/* The modification time in struct inode has three names, depending on the kernel's version. */
static void modification_time_is_read_on_old_and_new_kernels(void **state)
{
	(void)state;
	make_vmas(1);
	assert_int_equal(uw_changed_ns(&inode), 1700000000999999999ull);
	fake_lacks = "i_mtime_sec";
	inode_6_7.__i_mtime = (struct timespec64){ 17, 5 };
	assert_int_equal(uw_changed_ns((void *)&inode_6_7), 17000000005ull);
	fake_lacks = "i_mtime_sec __i_mtime";
	inode_5_10.i_mtime = (struct timespec64){ 18, 6 };
	assert_int_equal(uw_changed_ns((void *)&inode_5_10), 18000000006ull);
}

/*
 * Removes the mapping of the interrupted instruction from the tables, so that only the kernel has
 * this mapping.
 */
static struct uw_mapping move_into_the_kernel(void)
{
	struct uw_file f;
	struct uw_mapping m;
	u32 i = 0;

	while (w.target.regs.pc >= w.target.mappings[i].end_addr)
		i++;
	m = w.target.mappings[i];
	for (; i + 1 < w.target.n_mappings; i++)
		uw_mappings[i] = uw_mappings[i + 1];
	uw_processes[uw_process_hash(PID)].extent--;
	make_rb(1);
	vmas[0].vm_start = m.start_addr;
	vmas[0].vm_end = m.end_addr;
	vmas[0].vm_pgoff = m.file_off >> 12;
	f = known_file();
	f.module = m.module;
	enter_file(&f, 0);
	return m;
}

static void frames_in_known_files_are_found_if_the_process_has_no_tables(void **state)
{
	struct uw_mapping m = move_into_the_kernel();

	(void)state;
	uw_processes[uw_process_hash(PID)].flags = UW_PROC_USED;
	assert_non_null(run());
	assert_int_equal(w.sample.flags, UW_SAMPLE_BY_FILE);
	assert_int_equal(w.sample.proc_gen, 0);
	assert_int_equal(w.sample.frames[0].kind, UW_NATIVE);
	assert_int_equal(w.sample.frames[0].aux, m.module);
	assert_int_equal(w.sample.frames[0].a, w.sample.pc - m.start_addr + m.file_off);
	memset(uw_files, 0, sizeof(uw_files));
	assert_non_null(run());
	assert_int_equal(w.sample.flags, 0);
	assert_int_equal(w.sample.frames[0].kind, UW_UNKNOWN);
	assert_int_equal(w.sample.status, UW_T_UNKNOWN_PROCESS);
}

/* As for a library that is mapped after the tables were written. */
static void pc_that_the_tables_do_not_cover_is_looked_up_in_the_kernels_mappings(void **state)
{
	struct uw_sample before;

	(void)state;
	assert_non_null(run());
	before = w.sample;
	move_into_the_kernel();
	assert_non_null(run());
	assert_int_equal(w.sample.flags, UW_SAMPLE_BY_FILE);
	assert_int_equal(w.sample.status, before.status);
	assert_int_equal(w.sample.n_frames, before.n_frames);
	assert_memory_equal(w.sample.frames, before.frames,
			    before.n_frames * sizeof(*before.frames));
	memset(uw_files, 0, sizeof(uw_files));
	assert_non_null(run());
	assert_int_equal(w.sample.status, UW_T_UNKNOWN_PC);
	assert_int_equal(w.sample.n_frames, 1);
}

static void walk_in_a_file_missing_from_the_tables_ends_at_the_depth_limit(void **state)
{
	const struct stack stack = chain(1025, 0, CHAIN_STRIDE);

	(void)state;
	world_end();
	world_begin_on(&stack);
	move_into_the_kernel();
	assert_non_null(run());
	assert_int_equal(w.sample.flags, UW_SAMPLE_BY_FILE);
	assert_int_equal(w.sample.status, UW_T_DEPTH);
	assert_in_range(w.sample.n_frames, 1023, 1024);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(every_mapping_of_a_maple_tree_is_found),
		T(every_mapping_of_a_red_black_tree_is_found),
		T(search_in_a_broken_tree_ends_without_a_mapping),
		T(mapping_is_ignored_if_it_has_no_code_or_belongs_to_another_process),
		T(file_is_not_found_if_one_field_of_its_identity_differs),
		T(overlayfs_file_is_found_by_its_upper_inode),
		T(modification_time_is_read_on_old_and_new_kernels),
		T(frames_in_known_files_are_found_if_the_process_has_no_tables),
		T(pc_that_the_tables_do_not_cover_is_looked_up_in_the_kernels_mappings),
		T(walk_in_a_file_missing_from_the_tables_ends_at_the_depth_limit),
	};

	return CHECK_RUN(tests);
}
