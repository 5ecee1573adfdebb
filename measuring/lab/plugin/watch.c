// SPDX-License-Identifier: GPL-2.0
/*
 * Watches a guest from outside: writes which blocks it executes, in windows given as counts of instructions.
 *
 *   -plugin watch.so,out=FILE,clocks=1                      every reading of the time-stamp counter of the whole boot
 *   -plugin watch.so,out=FILE,windows=FILE                  what is executed in these windows, a line FROM-TO each
 *   -plugin watch.so,out=FILE,windows=FILE,counts=1         and which preempt counts are written in them
 *   -plugin watch.so,out=FILE,windows=FILE,steps=1          when interrupts and preemption go off and on in them, and
 *                                                           which kernel code they execute
 *
 * Further words: processor=NAME (x86_64 or aarch64); entry=FROM-TO (addresses of the kernel's entry code),
 * switch=ADDRESS (of the function that switches threads) and idle=ADDRESS (of init_task), which tell faults and threads;
 * vectors=ADDRESS (of the table of exceptions, on 64-bit Arm), which tells them too;
 * schedule=ADDRESS (of __schedule) and timer=ADDRESS (of hrtimer_interrupt), which steps need; count=ADDRESS (of the
 * preempt count, as an offset in a processor's own memory, where it is there), which steps and counts need.
 *
 * Nothing here changes the guest: the plugin reads registers and memory and counts. For guests with one processor.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processor.h"
#include "qemu.h"
#include "record.h"

#define KEPT (1 << 15)
#define NAME 16
#define TASK_BYTES (16 << 10)
#define TASK_ALIGNMENT 64
#define IS_KERNEL(address) ((address) >> 63)

EXPORT int qemu_plugin_version = INTERFACE;

struct window {
	uint64_t from;
	uint64_t to;
};

/* An instruction that writes the preempt count. */
struct writer {
	uint64_t address;
	uint16_t left; /* Instructions of its block behind it. */
};

struct block {
	uint64_t address;
	uint32_t number;
	uint32_t vector;
	uint32_t bytes;
	uint16_t insns;
	uint16_t behind_cli;
	uint8_t last;
	uint8_t clock_register;
	bool reads_clock;
	bool is_entry;
	bool is_switch;
	bool is_schedule;
	bool is_timer;
	bool may_switch_interrupts;
	bool is_written;
	uint16_t ends[]; /* Behind each instruction, from the block's address. */
};

static struct {
	bool clocks, steps, counts;
	uint64_t entry_from, entry_to, switch_at, idle_task, count_at, schedule_at, timer_at, vectors;
	struct window *windows;
	size_t windows_count;
} asked;

#define REGISTERS_MAX 40

static struct {
	const struct processor *processor;
	struct qemu_plugin_register *registers[REGISTERS_MAX]; /* In the order of the processor's names. */
	struct bytes *bytes;
	struct counters executed;
} guest;

static struct {
	uint64_t insns, blocks, task;
	uint64_t executed; /* Instructions that had begun when the last block began. */
	uint32_t count, needs_none; /* The preempt count; needs_none where threads have their own counts. */
	bool has_count; /* The count of all threads was written. */
	long count_at; /* Where a thread has its own; 0 before it was found. */
	uint64_t edge; /* The count at which the next window opens or closes. */
	size_t window;
	bool recording, interrupts_on;
	struct block *previous;
	uint32_t numbers;
	long name_at;
} now = { .edge = UINT64_MAX, .name_at = -1 };

static struct {
	int file;
	int error;
	size_t count;
	uint64_t written;
} out = { .file = -1 };

static struct record records[KEPT];

/* prazo reads this record in place of the recording; the message is all there is where not even it can be written. */
static void put_failure(void)
{
	struct record failed = { FAILED, out.error, out.written, 0, 0 };

	if (pwrite(out.file, &failed, sizeof(failed), 0) != sizeof(failed))
		fprintf(stderr, "prazo-watch: cannot write: %s\n", strerror(out.error));
}

static void write_out(void)
{
	const char *from = (const char *)records;
	size_t left = out.count * sizeof(records[0]);

	out.count = 0;
	while (left && !out.error) {
		ssize_t done = write(out.file, from, left);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			out.error = done ? errno : ENOSPC;
			put_failure();
			break;
		}
		from += done;
		left -= done;
		out.written += done;
	}
}

static void put(uint32_t kind, uint32_t a, uint64_t b, uint64_t c, uint64_t d)
{
	records[out.count++] = (struct record){ kind, a, b, c, d };
	if (out.count == KEPT)
		write_out();
}

static uint64_t value(unsigned int number)
{
	struct qemu_plugin_register *handle = guest.registers[number];
	uint64_t read = 0;

	if (!handle)
		return 0;
	g_byte_array_set_size(guest.bytes, 0);
	if (qemu_plugin_read_register(handle, guest.bytes) > 0)
		memcpy(&read, guest.bytes->data, guest.bytes->len < 8 ? guest.bytes->len : 8);
	return read;
}

static const uint8_t *memory(uint64_t address, size_t length)
{
	g_byte_array_set_size(guest.bytes, 0);
	return qemu_plugin_read_memory_vaddr(address, guest.bytes, length) ? guest.bytes->data : NULL;
}

/* Where a task structure has its thread's name: the first one is called swapper/0. */
static void find_name(void)
{
	const uint8_t *task = memory(asked.idle_task, TASK_BYTES);
	const uint8_t *found = task ? memmem(task, TASK_BYTES, "swapper/0", sizeof("swapper/0")) : NULL;

	if (found)
		now.name_at = found - task;
}

static void put_thread(void)
{
	uint64_t name[2] = { 0, 0 };
	const uint8_t *read;

	if (asked.idle_task && now.name_at < 0)
		find_name();
	read = now.task && now.name_at >= 0 ? memory(now.task + now.name_at, NAME) : NULL;
	if (read)
		memcpy(name, read, NAME);
	put(THREAD, 0, now.task, name[0], name[1]);
}

static void leave_early(const struct block *left, uint16_t done)
{
	now.insns -= left->insns - done;
	if (now.recording)
		put(PARTIAL, done, 0, 0, 0);
}

/*
 * How much of the last block was executed before the fault that the kernel's entry was reached by. True where that is
 * less than all, so that its last instruction did nothing.
 */
static bool put_partial(const struct block *left, const struct block *block)
{
	uint64_t at;
	uint16_t done = 0;

	if (!guest.processor->is_fault(left, block, &at))
		return false;
	if (at < left->address || at >= left->address + left->bytes)
		return false;
	while (done < left->insns && left->address + left->ends[done] <= at)
		done++;
	leave_early(left, done);
	return true;
}

/*
 * The same after an access to a device: QEMU leaves the block and executes the access again without callbacks, so every
 * instruction that began was executed. A fault within the kernel's entry code comes here too, and counts one too many.
 */
static bool put_left(const struct block *left, uint64_t begun)
{
	if (begun >= left->insns)
		return false;
	leave_early(left, begun);
	return true;
}

/* The present count, where it is known. A processor learns outside of windows, too, where its threads have their counts. */
static void put_count(uint64_t address)
{
	uint32_t count;

	if ((now.recording || !now.count_at) && guest.processor->read_count(&count) && now.recording)
		put(PREEMPTION, count, now.insns, address, 0);
}

static void pass_edge(void)
{
	const struct window *window = &asked.windows[now.window];

	if (!now.recording) {
		put(OPEN, now.window, now.insns, 0, 0);
		put_thread();
		if (asked.steps) {
			now.interrupts_on = guest.processor->interrupts_are_on();
			put(INTERRUPTS, now.interrupts_on, now.insns, 0, 0);
		}
		now.recording = true;
		if (asked.counts || (asked.steps && guest.processor->has_counts_of_threads))
			put_count(0);
		now.edge = window->to;
		return;
	}
	put(CLOSE, now.window, now.insns, 0, 0);
	now.recording = false;
	now.window++;
	now.edge = now.window < asked.windows_count ? asked.windows[now.window].from : UINT64_MAX;
}

static void put_run(struct block *block)
{
	if (!block->is_written) {
		uint64_t shape = block->insns | (uint64_t)block->last << 16 | (uint64_t)block->behind_cli << 32;

		block->is_written = true;
		block->number = ++now.numbers;
		put(BLOCK, block->number, block->address, shape, block->bytes);
	}
	put(RUN, block->number, now.insns, guest.processor->interrupts_are_on() ? INTERRUPTS_ON : 0, value(STACK));
}

/*
 * Interrupts go off behind the first cli of a block, and on at the end of one, because the emulator ends blocks there. A
 * block that was left by a fault is not looked at for a cli: the entry of the fault says what follows.
 */
static void put_interrupts(const struct block *left, const struct block *block, bool is_whole)
{
	bool were_on = now.interrupts_on;
	bool has_cli = left && is_whole && left->behind_cli < left->insns;
	uint64_t behind_cli = has_cli ? now.insns - left->insns + left->behind_cli : now.insns;

	now.interrupts_on = guest.processor->interrupts_are_on();
	if (were_on && has_cli)
		put(INTERRUPTS, 0, behind_cli, left->address, 0);
	if (were_on != now.interrupts_on && !(were_on && has_cli))
		put(INTERRUPTS, now.interrupts_on, now.insns, block->address, 0);
	else if (were_on && has_cli && now.interrupts_on)
		put(INTERRUPTS, 1, now.insns, block->address, 0);
}

static void put_steps(const struct block *left, const struct block *block, bool is_whole)
{
	/* An interrupt that waited for the end of entry code comes right behind it. */
	bool left_entry = left && is_whole && (left->last == INTERRUPT_RETURN || left->last == SYSTEM_RETURN);
	bool enters = block->is_entry && (!left || !left->is_entry || left_entry);

	if (left && is_whole && left->last == INTERRUPT_RETURN)
		put(LEFT, 0, now.insns, 0, 0);
	if (enters && (guest.processor->has_one_return || !(left && is_whole && left->last == SYSTEM_CALL)))
		put(ENTERED, block->vector, now.insns, block->address, 0);
	if (!left || left->may_switch_interrupts || enters)
		put_interrupts(left, block, is_whole);
	if (block->is_schedule)
		put(SCHEDULER, 0, now.insns, 0, 0);
	if (block->is_timer)
		put(TIMER, 0, now.insns, 0, 0);
}

static void wrote_count(unsigned int cpu, memory_access access, uint64_t address, void *data)
{
	const struct writer *writer = data;
	uint32_t count;

	(void)cpu;
	if (guest.processor->wrote_count(address, qemu_plugin_mem_get_value(access).is.u32, &count) && now.recording)
		put(PREEMPTION, count, now.insns - writer->left, writer->address, 0);
}

static void put_executed(struct block *block)
{
	if (block->is_written || !IS_KERNEL(block->address))
		return;
	block->is_written = true;
	put(EXECUTED, block->bytes, now.insns, block->address, 0);
}

static void put_clock(const struct block *read)
{
	uint32_t thread = now.task / TASK_ALIGNMENT << 1;

	put(CLOCK, thread | !IS_KERNEL(read->address), now.insns, guest.processor->counter(read), read->address);
}

static void executed(unsigned int cpu, void *data)
{
	struct block *block = data, *left = now.previous;
	uint64_t executed = 0;
	bool is_whole = true;

	if (guest.processor->leaves_blocks)
		executed = qemu_plugin_u64_get(guest.executed, cpu);
	if (left && block->is_entry && !left->is_entry)
		is_whole = !put_partial(left, block);
	if (left && is_whole && guest.processor->leaves_blocks)
		is_whole = !put_left(left, executed - now.executed);
	now.executed = executed;
	if (left && is_whole && left->reads_clock && (asked.clocks || now.recording) &&
	    !(asked.steps && IS_KERNEL(left->address)))
		put_clock(left);
	if (left && is_whole && left->last == HALT && now.recording)
		put(IDLE, 0, now.insns, 0, 0);
	if (now.recording && asked.steps)
		put_steps(left, block, is_whole);
	while (now.insns >= now.edge)
		pass_edge();
	if (block->is_switch) {
		now.task = guest.processor->next_task();
		if (now.recording && asked.steps)
			put(SWITCHED, 0, now.insns, now.task, 0);
		if ((asked.steps || asked.counts) && guest.processor->has_counts_of_threads)
			put_count(block->address);
		if (now.recording)
			put_thread();
	}
	if (now.recording && asked.steps)
		put_executed(block);
	else if (now.recording)
		put_run(block);
	now.insns += block->insns;
	now.blocks++;
	now.previous = block;
}

#include "x86_64.h"
#include "aarch64.h"

static void watch_count(struct qemu_plugin_insn *insn, uint16_t left)
{
	struct writer *writer = malloc(sizeof(*writer));

	if (!writer)
		abort();
	writer->address = qemu_plugin_insn_vaddr(insn);
	writer->left = left;
	qemu_plugin_register_vcpu_mem_cb(insn, wrote_count, READS_NOTHING, ON_WRITES, writer);
}

static void translated(plugin_id id, struct qemu_plugin_tb *from)
{
	size_t number, count = qemu_plugin_tb_n_insns(from);
	struct block *block = calloc(1, sizeof(*block) + count * sizeof(block->ends[0]));

	(void)id;
	if (!block)
		abort();
	block->address = qemu_plugin_tb_vaddr(from);
	block->insns = block->behind_cli = count;
	block->is_entry = block->address >= asked.entry_from && block->address < asked.entry_to;
	block->is_switch = asked.switch_at && block->address == asked.switch_at;
	block->is_schedule = asked.schedule_at && block->address == asked.schedule_at;
	block->is_timer = asked.timer_at && block->address == asked.timer_at;
	block->vector = NO_VECTOR;
	for (number = 0; number < count; number++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(from, number);
		uint8_t code[16] = { 0 };
		size_t length = qemu_plugin_insn_data(insn, code, sizeof(code));
		struct instruction is;

		block->bytes = qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn) - block->address;
		block->ends[number] = block->bytes;
		is = guest.processor->read(code, code + length, block->address + block->bytes);
		block->last = is.last;
		block->reads_clock = is.reads_clock;
		block->clock_register = is.clock_register;
		if (is.turns_interrupts_off && block->behind_cli == count)
			block->behind_cli = number + 1;
		block->may_switch_interrupts |= is.may_switch_interrupts;
		if (number < 2 && block->vector == NO_VECTOR)
			block->vector = is.vector;
		if ((asked.steps || asked.counts) && IS_KERNEL(block->address) && is.own && guest.processor->may_write_count(&is))
			watch_count(insn, count - number - 1);
		if (guest.processor->leaves_blocks)
			qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, ADD, guest.executed, 1);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(from, executed, READS_REGISTERS, block);
}

static void started(plugin_id id, unsigned int cpu)
{
	struct list *all = qemu_plugin_get_registers();
	struct register_name *names = (struct register_name *)all->data;
	unsigned int number;

	(void)id;
	(void)cpu;
	guest.bytes = g_byte_array_new();
	for (number = 0; number < all->len; number++) {
		const char *const *wanted = guest.processor->registers;
		size_t one;

		for (one = 0; wanted[one]; one++)
			if (!strcmp(names[number].name, wanted[one]))
				guest.registers[one] = names[number].handle;
	}
	for (number = 0; guest.processor->registers[number]; number++) {
		if (guest.registers[number])
			continue;
		fprintf(stderr, "prazo-watch: this QEMU has no register %s\n", guest.processor->registers[number]);
		exit(1);
	}
	g_array_free(all, 1);
}

static void ended(plugin_id id, void *data)
{
	(void)id;
	(void)data;
	/* What the last block read is lost, and so is nothing that anybody asked for. */
	if (now.recording)
		pass_edge();
	put(END, 0, now.insns, now.blocks, 0);
	write_out();
	if (out.file >= 0)
		close(out.file);
}

/* Lines FROM-TO in decimal, in order. */
static int take_windows(const char *name)
{
	FILE *file = fopen(name, "r");
	struct window one;
	uint64_t last = 0;
	int read = 0;

	if (!file)
		return -1;
	while ((read = fscanf(file, "%" SCNu64 "-%" SCNu64, &one.from, &one.to)) == 2) {
		if (one.from >= one.to || one.from < last)
			break;
		last = one.to;
		asked.windows = realloc(asked.windows, (asked.windows_count + 1) * sizeof(one));
		if (!asked.windows)
			abort();
		asked.windows[asked.windows_count++] = one;
	}
	if (ferror(file))
		read = 0;
	fclose(file);
	if (asked.windows_count)
		now.edge = asked.windows[0].from;
	return read == EOF ? 0 : -1;
}

static int take(const char *word)
{
	const struct { const char *name; uint64_t *address; } addresses[] = {
		{ "count=", &asked.count_at }, { "schedule=", &asked.schedule_at }, { "vectors=", &asked.vectors },
		{ "timer=", &asked.timer_at }, { "switch=", &asked.switch_at }, { "idle=", &asked.idle_task },
	};
	const char *is = strchr(word, '=');
	size_t one;
	char *end;

	if (!is++)
		return -1;
	for (one = 0; one < sizeof(addresses) / sizeof(addresses[0]); one++) {
		if (!strncmp(word, addresses[one].name, is - word)) {
			*addresses[one].address = strtoull(is, NULL, 0);
			return 0;
		}
	}
	if (!strncmp(word, "out=", 4)) {
		out.file = open(is, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		return out.file < 0 ? -1 : 0;
	}
	if (!strncmp(word, "clocks=", 7)) {
		asked.clocks = *is == '1';
		return 0;
	}
	if (!strncmp(word, "steps=", 6)) {
		asked.steps = *is == '1';
		return 0;
	}
	if (!strncmp(word, "counts=", 7)) {
		asked.counts = *is == '1';
		return 0;
	}
	if (!strncmp(word, "processor=", 10)) {
		guest.processor = !strcmp(is, x86_64.name) ? &x86_64 : !strcmp(is, aarch64.name) ? &aarch64 : NULL;
		return guest.processor ? 0 : -1;
	}
	if (!strncmp(word, "windows=", 8))
		return take_windows(is);
	if (!strncmp(word, "entry=", 6)) {
		asked.entry_from = strtoull(is, &end, 0);
		asked.entry_to = *end == '-' ? strtoull(end + 1, NULL, 0) : 0;
		return 0;
	}
	return -1;
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int count, char **words)
{
	int number;

	(void)info;
	for (number = 0; number < count; number++) {
		if (take(words[number])) {
			fprintf(stderr, "prazo-watch: cannot take '%s'\n", words[number]);
			return -1;
		}
	}
	if (out.file < 0 || !guest.processor)
		return -1;
	if (guest.processor->leaves_blocks)
		guest.executed.board = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_init_cb(id, started);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
