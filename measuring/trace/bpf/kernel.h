/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs need of the kernel, declared by hand: a field's place is found when the program is loaded (CO-RE), so
 * that only names matter here. And of the helpers, by their stable numbers.
 */
#ifndef PRAZO_KERNEL_H
#define PRAZO_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;

#define KERNEL_STRUCT __attribute__((preserve_access_index))
#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))

struct timerqueue_node {
	__s64 expires;
} KERNEL_STRUCT;

struct hrtimer {
	struct timerqueue_node node;
	__s64 _softexpires;
	void *function;
} KERNEL_STRUCT;

struct sched_dl_entity {
	__u64 dl_deadline;	/* relative */
	__u64 dl_period;
	long long runtime;	/* what is left of the budget */
	__u64 deadline;		/* absolute, on the run queue's clock */
	struct hrtimer dl_timer;	/* the next budget */
} KERNEL_STRUCT;

struct task_struct {
	int pid;
	int tgid;
	int prio;
	int wake_cpu;
	char comm[16];
	struct sched_dl_entity dl;
	unsigned int __state;
	unsigned long min_flt;	/* page faults that read nothing */
	unsigned long maj_flt;	/* page faults that read a file or swap */
} KERNEL_STRUCT;

typedef __u64 __attribute__((may_alias)) name_half;

/* A thread's name. It lies behind pointers, so that two loads read it; a helper would take a hundred instructions. */
INLINE void copy_name(char to[16], struct task_struct *task)
{
	const name_half *from = (const name_half *)task->comm;

	((name_half *)to)[0] = from[0];
	((name_half *)to)[1] = from[1];
}

/* Maps, as the loader reads them from the types of these members. */
#define MAP_INT(name, value) int (*name)[value]
#define MAP_TYPE(name, type) type *name

enum { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_ARRAY = 2, BPF_MAP_TYPE_PERCPU_ARRAY = 6, BPF_MAP_TYPE_RINGBUF = 27 };
enum { BPF_F_MMAPABLE = 1 << 10 };
enum { BPF_RB_NO_WAKEUP = 1 };

static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value, __u64 flags) = (void *)2;
static long (*bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static __u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static __u32 (*bpf_get_smp_processor_id)(void) = (void *)8;
static __u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*bpf_probe_read_user)(void *to, __u32 bytes, const void *from) = (void *)112;
static void *(*bpf_ringbuf_reserve)(void *ring, __u64 bytes, __u64 flags) = (void *)131;
static void (*bpf_ringbuf_submit)(void *record, __u64 flags) = (void *)132;
static struct task_struct *(*bpf_get_current_task_btf)(void) = (void *)158;
static __u64 (*bpf_get_attach_cookie)(void *context) = (void *)174;

#endif
