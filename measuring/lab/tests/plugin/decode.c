// SPDX-License-Identifier: GPL-2.0
/* Reads 64-bit Arm instructions as the plugin does: each argument is one, in hexadecimal. For each it prints what it does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugin/processor.h"
#include "../../plugin/record.h"

struct block {
	uint64_t address;
	uint8_t clock_register;
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
