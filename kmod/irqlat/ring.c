// SPDX-License-Identifier: GPL-2.0
// Samples on their way out: one task writes, one reader reads, neither waits for the other.

#include <linux/log2.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "session.h"

/* More would be 64 MiB. */
#define RECORDS_MAX (1u << 20)

int ring_open(struct ring *ring, u32 records)
{
	if (!is_power_of_2(records) || records > RECORDS_MAX)
		return -EINVAL;
	/* Zeroed, so that every page is there before the first sample. */
	ring->records = vzalloc(array_size(records, sizeof(*ring->records)));
	ring->mask = records - 1;
	return ring->records ? 0 : -ENOMEM;
}

void ring_close(struct ring *ring)
{
	vfree(ring->records);
	ring->records = NULL;
}

/* False where the ring is full: the sample is dropped, and the caller counts it. */
bool ring_push(struct ring *ring, const struct irqlat_sample *sample)
{
	u32 head = ring->head;

	if (head - smp_load_acquire(&ring->tail) > ring->mask)
		return false;
	ring->records[head & ring->mask] = *sample;
	smp_store_release(&ring->head, head + 1);
	return true;
}

/* Whole records, as many as fit; -EAGAIN where there is none. */
ssize_t ring_read(struct ring *ring, char __user *to, size_t size)
{
	u32 ready = smp_load_acquire(&ring->head) - ring->tail;
	u32 from = ring->tail & ring->mask;
	/* Up to the ring's end; the rest comes with the next read. */
	u32 count = min3(ready, ring->mask + 1 - from, (u32)min_t(size_t, size / sizeof(*ring->records), U32_MAX));

	if (!ready)
		return -EAGAIN;
	if (!count)
		return -EINVAL;
	if (copy_to_user(to, &ring->records[from], count * sizeof(*ring->records)))
		return -EFAULT;
	smp_store_release(&ring->tail, ring->tail + count);
	return count * sizeof(*ring->records);
}
