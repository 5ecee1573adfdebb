// SPDX-License-Identifier: GPL-2.0
// Two lines of one gpiochip, wired to each other: the output's rise is the input's interrupt.

#include <linux/err.h>
#include <linux/gpio/consumer.h>
#include <linux/gpio/machine.h>
#include <linux/slab.h>
#include "session.h"

#ifdef CONFIG_GPIOLIB

static int add_table(struct session *session)
{
	const struct irqlat_plan *plan = &session->plan;
	struct gpiod_lookup_table *table = kzalloc(struct_size(table, table, 3), GFP_KERNEL);

	if (!table)
		return -ENOMEM;
	table->dev_id = dev_name(session->device);
	table->table[0] = GPIO_LOOKUP(plan->device, plan->gpio_out, "out", GPIO_ACTIVE_HIGH);
	table->table[1] = GPIO_LOOKUP(plan->device, plan->gpio_in, "in", GPIO_ACTIVE_HIGH);
	gpiod_add_lookup_table(table);
	session->gpio_table = table;
	return 0;
}

static void remove_table(struct session *session)
{
	gpiod_remove_lookup_table(session->gpio_table);
	kfree(session->gpio_table);
}

/* The output is written in an interrupt, so it must not lie behind a bus that sleeps. */
static int use_lines(struct session *session)
{
	int irq;

	if (gpiod_cansleep(session->gpio_out))
		return -EOPNOTSUPP;
	irq = gpiod_to_irq(session->gpio_in);
	if (irq < 0)
		return irq;
	session->irq = irq;
	return 0;
}

static int open_lines(struct session *session)
{
	int error;

	session->gpio_out = gpiod_get(session->device, "out", GPIOD_OUT_LOW);
	if (IS_ERR(session->gpio_out))
		return PTR_ERR(session->gpio_out);
	session->gpio_in = gpiod_get(session->device, "in", GPIOD_IN);
	error = IS_ERR(session->gpio_in) ? PTR_ERR(session->gpio_in) : use_lines(session);
	if (!error)
		return 0;
	if (!IS_ERR(session->gpio_in))
		gpiod_put(session->gpio_in);
	gpiod_put(session->gpio_out);
	return error;
}

static int open(struct session *session)
{
	int error = add_table(session);

	if (error)
		return error;
	error = open_lines(session);
	if (error)
		remove_table(session);
	/* A chip that might come later is a chip that is not there. */
	return error == -EPROBE_DEFER ? -ENODEV : error;
}

static void raise(struct session *session)
{
	gpiod_set_value(session->gpio_out, 1);
}

static bool lower(struct session *session)
{
	gpiod_set_value(session->gpio_out, 0);
	return true;
}

static void close(struct session *session)
{
	gpiod_put(session->gpio_in);
	gpiod_put(session->gpio_out);
	remove_table(session);
}

const struct source source_gpio = {
	.irq_flags = IRQF_TRIGGER_RISING, .open = open, .raise = raise, .lower = lower, .close = close,
};

#else

/* This kernel was built without gpiochips. */
static int open(struct session *session)
{
	return -EOPNOTSUPP;
}

const struct source source_gpio = { .open = open };

#endif
