/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between the processors whose guests are watched. */
#ifndef PRAZO_LAB_PROCESSOR_H
#define PRAZO_LAB_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

#define STACK 0 /* The stack pointer's place among the registers of every processor. */

struct block;

/* What the plugin needs to know about an instruction. */
struct instruction {
	uint8_t last; /* What it does where it ends its block. */
	uint8_t clock_register;
	bool reads_clock;
	bool turns_interrupts_off;
	bool may_switch_interrupts;
	uint32_t vector; /* That it pushes, at the beginning of an entry. */
	uint64_t own; /* The offset of its operand, where that may be the preempt count; 0 for others. */
};

/* What differs between processors. */
struct processor {
	const char *name;
	/* Blocks may be left before their end without a fault, after an access to a device. */
	bool leaves_blocks;
	const char *const *registers;
	/* Code, its end, and the address behind it. */
	struct instruction (*read)(const uint8_t *code, const uint8_t *end, uint64_t next);
	bool (*interrupts_are_on)(void);
	/* The time-stamp counter that was read, in its own unit or, where that is known, in nanoseconds. */
	uint64_t (*counter)(const struct block *read);
	/* The task structure of the thread that is switched to. */
	uint64_t (*next_task)(void);
	/* True where the entry `block` was reached by a fault of `left`; `at` is the instruction that faulted. */
	bool (*is_fault)(const struct block *left, const struct block *block, uint64_t *at);
	/* System calls are entered and left as faults are. */
	bool has_one_return;
	/* True where an instruction may write the preempt count. */
	bool (*may_write_count)(const struct instruction *is);
	/* True where one that may have wrote it: to this address. `count` is then what x86-64 would have. */
	bool (*wrote_count)(uint64_t address, uint32_t written, uint32_t *count);
	/* Each thread has a count of its own, so that another one applies after a switch. */
	bool has_counts_of_threads;
	/* The present count; false where it is not known. */
	bool (*read_count)(uint32_t *count);
};

#endif
