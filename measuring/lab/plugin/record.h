/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0 */
/*
 * What watch.c writes and prazo reads: records of 32 bytes, little-endian, in the order in which things happened.
 * The file ends with END; without it, it is not whole. Where it could not be written further, its first record is FAILED.
 */
#ifndef PRAZO_LAB_RECORD_H
#define PRAZO_LAB_RECORD_H

#include <stdint.h>

enum kind {
	/* a: number, b: address, c: instructions | kind of the last one << 16 | first one behind cli << 32,
	 * d: length in bytes. Comes before the first RUN of its number. */
	BLOCK = 1,
	/* a: number of the block that begins, b: instructions before it, c: INTERRUPTS_ON or 0, d: stack pointer. */
	RUN = 2,
	/* a: how many instructions of the last block were executed; it was left by a fault. */
	PARTIAL = 3,
	/* a: 1 in user mode | number that tells threads apart << 1, b: instructions before and with it, c: the time-stamp counter
	 * that was read, d: address. */
	CLOCK = 4,
	/* b: task structure of the thread that runs from here on, c and d: its name. */
	THREAD = 5,
	/* b: instructions; the processor halts. */
	IDLE = 6,
	/* a: number of the window, b: instructions. */
	OPEN = 7,
	CLOSE = 8,
	/* b: instructions in all, c: blocks in all. */
	END = 9,
	/* a: errno of the write that failed, b: bytes that were written until then. Written over the first record, because a
	 * full disk has no place for another one. */
	FAILED = 10,

	/* Steps, in place of blocks, where sections are recorded; PREEMPTION also beside blocks. They are not quite in order: each
	 * says how many instructions were executed before it (b). */

	/* a: 1 where interrupts are on from here, c: address of the block. */
	INTERRUPTS = 11,
	/* a: the preempt count that was written, c: address of the instruction. */
	PREEMPTION = 12,
	/* Entry code begins, or goes on after a call of other code. a: vector that the entry pushes, or NO_VECTOR, c: address of
	 * the block; only at the start of a function, or in a table of entries, did an interrupt or a fault enter it. */
	ENTERED = 13,
	/* Behind a return from an interrupt or a fault. */
	LEFT = 14,
	/* The scheduler begins. */
	SCHEDULER = 15,
	/* c: task structure of the thread that runs from here on; THREAD with its name comes next. */
	SWITCHED = 16,
	/* A block of the kernel is executed in a window with steps; each at least once. a: its bytes, b: instructions, c: its
	 * address. */
	EXECUTED = 17,
	/* The handler of the timer that threads wait for begins. */
	TIMER = 18,
};

#define NO_VECTOR 0xffffffffu
#define INTERRUPTS_ON (1 << 9)

/* What the last instruction of a block does. */
enum last {
	OTHER = 0,
	CALL = 1,
	RETURN = 2,
	JUMP = 3,
	BRANCH = 4,
	SYSTEM_CALL = 5,
	SYSTEM_RETURN = 6,
	INTERRUPT_RETURN = 7,
	HALT = 8,
};

struct record {
	uint32_t kind;
	uint32_t a;
	uint64_t b;
	uint64_t c;
	uint64_t d;
};

#endif
