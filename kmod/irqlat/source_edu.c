// SPDX-License-Identifier: GPL-2.0
// QEMU's PCI device `edu`, whose register raises its interrupt: a line through MSI, as modern cards have.

#include <linux/io.h>
#include <linux/pci.h>
#include "session.h"

#define EDU_VENDOR 0x1234
#define EDU_DEVICE 0x11e8
#define EDU_STATUS 0x24
#define EDU_RAISE 0x60
#define EDU_ACKNOWLEDGE 0x64

static int open_device(struct session *session, struct pci_dev *device)
{
	int vectors;

	session->edu = pci_iomap(device, 0, 0);
	if (!session->edu)
		return -ENOMEM;
	pci_set_master(device);
	vectors = pci_alloc_irq_vectors(device, 1, 1, PCI_IRQ_MSI);
	if (vectors < 0) {
		pci_iounmap(device, session->edu);
		return vectors;
	}
	session->irq = pci_irq_vector(device, 0);
	return 0;
}

static int open(struct session *session)
{
	struct pci_dev *device = pci_get_device(EDU_VENDOR, EDU_DEVICE, NULL);
	int error;

	if (!device)
		return -ENODEV;
	error = pci_enable_device(device);
	if (error)
		goto put;
	error = pci_request_regions(device, "irqlat");
	if (error)
		goto disable;
	error = open_device(session, device);
	if (error)
		goto release;
	session->edu_device = device;
	return 0;

release:
	pci_release_regions(device);
disable:
	pci_disable_device(device);
put:
	pci_dev_put(device);
	return error;
}

static void raise(struct session *session)
{
	writel(1, session->edu + EDU_RAISE);
}

static bool lower(struct session *session)
{
	u32 status = readl(session->edu + EDU_STATUS);

	writel(status, session->edu + EDU_ACKNOWLEDGE);
	return status != 0;
}

static void close(struct session *session)
{
	struct pci_dev *device = session->edu_device;

	pci_free_irq_vectors(device);
	pci_iounmap(device, session->edu);
	pci_release_regions(device);
	pci_disable_device(device);
	pci_dev_put(device);
}

const struct source source_edu = { .open = open, .raise = raise, .lower = lower, .close = close };
