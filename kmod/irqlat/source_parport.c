// SPDX-License-Identifier: GPL-2.0
// A parallel port's interrupt line: QEMU's raises it from the control register, a real one through a wire.
//
// Nothing is locked: the ports are this module's alone, and one write raises.

#include <linux/io.h>
#include <linux/ioport.h>
#include "session.h"

#define PORTS 3
#define DATA 0
#define STATUS 1
#define CONTROL 2

#define INIT 0x04
#define SELECT 0x08
#define INTERRUPT 0x10
/* Written again with the strobe off, QEMU's port raises its line at once. */
#define QEMU_RAISES (INIT | SELECT | INTERRUPT)

/* Pin 9 is the data's highest bit; wired to pin 10 it is nACK, whose rise interrupts. */
#define PIN_9 0x80

static bool is_there(u32 port)
{
	u8 before = inb(port + DATA);
	bool answers;

	outb(0x55, port + DATA);
	answers = inb(port + DATA) == 0x55;
	outb(0x2a, port + DATA);
	answers &= inb(port + DATA) == 0x2a;
	outb(before, port + DATA);
	return answers;
}

static int open_port(struct session *session, u8 control)
{
	u32 port = session->plan.port;

	if (!request_region(port, PORTS, "irqlat"))
		return -EBUSY;
	if (!is_there(port)) {
		release_region(port, PORTS);
		return -ENODEV;
	}
	outb(control, port + CONTROL);
	/* Reading the status lowers a line that the write raised; nobody listens yet. */
	inb(port + STATUS);
	session->irq = session->plan.irq;
	return 0;
}

static void close_port(struct session *session)
{
	outb(INIT | SELECT, session->plan.port + CONTROL);
	outb(0, session->plan.port + DATA);
	release_region(session->plan.port, PORTS);
}

static int open_qemu(struct session *session)
{
	return open_port(session, QEMU_RAISES);
}

static void raise_qemu(struct session *session)
{
	outb(QEMU_RAISES, session->plan.port + CONTROL);
}

static bool lower_qemu(struct session *session)
{
	inb(session->plan.port + STATUS);
	return true;
}

static int open_wire(struct session *session)
{
	int error = open_port(session, INIT | SELECT | INTERRUPT);

	if (!error)
		outb(0, session->plan.port + DATA);
	return error;
}

static void raise_wire(struct session *session)
{
	outb(PIN_9, session->plan.port + DATA);
}

static bool lower_wire(struct session *session)
{
	outb(0, session->plan.port + DATA);
	return true;
}

const struct source source_parport = {
	.open = open_qemu, .raise = raise_qemu, .lower = lower_qemu, .close = close_port,
};

const struct source source_loopback = {
	.open = open_wire, .raise = raise_wire, .lower = lower_wire, .close = close_port,
};
