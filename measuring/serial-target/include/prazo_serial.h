/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The target's side of prazo's serial line: any kernel that can print sends its
 * stamps. The protocol is docs/serial-line.md. Define how one byte is sent and
 * include this file once:
 *
 *	static void prazo_put(unsigned char byte) { uart_write(byte); }
 *	#include "prazo_serial.h"
 *
 * Send outside of what is measured: a stamp is a read of the counter, and its
 * line can wait. Texts hold no comma, asterisk, blank or control character.
 */
#ifndef PRAZO_SERIAL_H
#define PRAZO_SERIAL_H

#include <stdint.h>

#define PRAZO_NONE UINT64_MAX	/* there is no such stamp */

static struct {
	uint16_t sequence;
	uint64_t samples;
	uint32_t crc;
} prazo_line;

static void prazo_byte(unsigned char byte)
{
	int bit;

	prazo_line.crc ^= byte;
	for (bit = 0; bit < 8; bit++)
		prazo_line.crc = (prazo_line.crc >> 1) ^
				 (prazo_line.crc & 1 ? 0xEDB88320u : 0);
	prazo_put(byte);
}

static void prazo_hex(uint64_t value, int digits)
{
	while (digits-- > 0)
		prazo_byte("0123456789abcdef"[(value >> (4 * digits)) & 15]);
}

static void prazo_text(const char *text)
{
	prazo_byte(',');
	while (*text)
		prazo_byte((unsigned char)*text++);
}

static void prazo_decimal(uint64_t number)
{
	uint64_t unit = 1;

	prazo_byte(',');
	while (number / unit >= 10)
		unit *= 10;
	for (; unit > 0; unit /= 10)
		prazo_byte('0' + number / unit % 10);
}

static void prazo_stamp(uint64_t stamp)
{
	int digits = 1;

	prazo_byte(',');
	if (stamp == PRAZO_NONE) {
		prazo_byte('-');
		return;
	}
	while (digits < 16 && stamp >> (4 * digits))
		digits++;
	prazo_hex(stamp, digits);
}

static void prazo_begin(char kind)
{
	const char *prefix = "$PZ2,";

	prazo_line.crc = 0xFFFFFFFFu;
	while (*prefix)
		prazo_byte((unsigned char)*prefix++);
	prazo_hex(prazo_line.sequence++, 4);
	prazo_byte(',');
	prazo_byte((unsigned char)kind);
}

static void prazo_finish(void)
{
	uint32_t crc = ~prazo_line.crc;

	prazo_put('*');
	prazo_hex(crc, 8);
	prazo_put('\r');
	prazo_put('\n');
}

/*
 * Once before all samples. hz: increments of the counter in a second; bits: its
 * width; period: distance of two due instants in increments, 0 without a grid;
 * policy: "fixed", "edf" or "other"; load: "-" for none; tasks: how many share the
 * ready queue, which a table of overheads needs, 0 if it is not known.
 */
static inline void prazo_header(const char *kernel, const char *board,
				uint64_t hz, unsigned int bits, uint64_t period,
				const char *policy, const char *load,
				unsigned int tasks)
{
	prazo_begin('H');
	prazo_text(kernel);
	prazo_text(board);
	prazo_decimal(hz);
	prazo_decimal(bits);
	prazo_decimal(period);
	prazo_text(policy);
	prazo_text(load);
	if (tasks)
		prazo_decimal(tasks);
	else
		prazo_text("-");
	prazo_finish();
}

/* One activation: its number, then the counter when due, in handler and task. */
static inline void prazo_sample(uint64_t activation, uint64_t due,
				uint64_t handler, uint64_t task)
{
	prazo_begin('S');
	prazo_decimal(activation);
	prazo_stamp(due);
	prazo_stamp(handler);
	prazo_stamp(task);
	prazo_finish();
	prazo_line.samples++;
}

/* One overhead, such as "context-switch-overhead", between two stamps. */
static inline void prazo_overhead(const char *kind, uint64_t begin, uint64_t end)
{
	prazo_begin('O');
	prazo_text(kind);
	prazo_stamp(begin);
	prazo_stamp(end);
	prazo_finish();
	prazo_line.samples++;
}

/* The end; lost counts activations whose stamps could not be kept. */
static inline void prazo_end(uint64_t lost)
{
	prazo_begin('E');
	prazo_decimal(prazo_line.samples);
	prazo_decimal(lost);
	prazo_finish();
}

#endif
