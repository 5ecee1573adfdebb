// SPDX-License-Identifier: GPL-2.0
/* Reads 64-bit Arm instructions as the plugin does: each argument is one, in hexadecimal. For each it prints what it does. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugin/record.h"

#define STACK 0

struct block {
	uint64_t address;
	uint8_t clock_register;
};

struct instruction {
	uint8_t last, clock_register;
	bool reads_clock, turns_interrupts_off, may_switch_interrupts;
	uint32_t vector;
	uint64_t own;
};

struct processor {
	const char *name;
	bool leaves_blocks, has_one_return;
	const char *const *registers;
	struct instruction (*read)(const uint8_t *code, const uint8_t *end, uint64_t next);
	bool (*interrupts_are_on)(void);
	uint64_t (*counter)(const struct block *read);
	uint64_t (*next_task)(void);
	bool (*is_fault)(const struct block *left, const struct block *block, uint64_t *at);
	bool (*may_write_count)(const struct instruction *is);
	bool (*wrote_count)(uint64_t address, uint32_t written, uint32_t *count);
	bool (*read_count)(uint32_t *count);
};

static struct { uint64_t vectors; } asked;
static struct { uint64_t task; long count_at; uint32_t count, needs_none; } now;

static uint64_t value(unsigned int number)
{
	return number;
}

static const uint8_t *memory(uint64_t address, size_t length)
{
	(void)address;
	(void)length;
	return NULL;
}

#include "../../plugin/aarch64.h"

int main(int count, char **words)
{
	static const char *const kinds[] = {
		"other", "call", "return", "jump", "branch", "system-call", "system-return", "interrupt-return", "halt",
	};
	int number;

	(void)asked;
	for (number = 1; number < count; number++) {
		uint32_t word = strtoul(words[number], NULL, 16);
		struct instruction is = aarch64.read((uint8_t *)&word, (uint8_t *)&word + sizeof(word), 0);

		printf("%s%s%s%s%s\n", kinds[is.last], is.reads_clock ? " clock" : "", is.turns_interrupts_off ? " off" : "",
		       is.may_switch_interrupts ? " switches" : "", aarch64.may_write_count(&is) ? " count" : "");
	}
	return 0;
}
