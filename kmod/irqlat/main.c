// SPDX-License-Identifier: GPL-2.0
// The character device /dev/irqlat: opened by one process, which is one measurement.

#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "session.h"

static atomic_t is_open = ATOMIC_INIT(0);
static struct miscdevice device;

static int device_open(struct inode *inode, struct file *file)
{
	struct session *session;

	if (atomic_cmpxchg(&is_open, 0, 1))
		return -EBUSY;
	session = kzalloc(sizeof(*session), GFP_KERNEL);
	if (!session) {
		atomic_set(&is_open, 0);
		return -ENOMEM;
	}
	mutex_init(&session->lock);
	init_swait_queue_head(&session->task_waits);
	session->device = device.this_device;
	file->private_data = session;
	return nonseekable_open(inode, file);
}

/* Comes when no call is under way and no copy of the descriptor is left, even after a SIGKILL. */
static int device_release(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;

	session_stop(session);
	session_free(session);
	kfree(session);
	atomic_set(&is_open, 0);
	return 0;
}

static ssize_t device_read(struct file *file, char __user *to, size_t size, loff_t *offset)
{
	struct session *session = file->private_data;
	ssize_t count = -EINVAL;

	mutex_lock(&session->lock);
	if (session->phase != OPENED)
		count = ring_read(&session->ring, to, size);
	mutex_unlock(&session->lock);
	return count;
}

static int prepare(struct session *session, struct irqlat_prepare __user *user)
{
	int error;

	if (session->phase != OPENED)
		return -EBUSY;
	if (copy_from_user(&session->plan, &user->plan, sizeof(user->plan)))
		return -EFAULT;
	session->plan.device[IRQLAT_NAME_MAX - 1] = 0;
	error = session_prepare(session);
	if (copy_to_user(&user->ready, &session->ready, sizeof(user->ready)))
		return -EFAULT;
	return error;
}

static int counts(struct session *session, struct irqlat_counts __user *user)
{
	struct irqlat_counts counts;

	session_counts(session, &counts);
	return copy_to_user(user, &counts, sizeof(counts)) ? -EFAULT : 0;
}

static int wait(struct session *session, const struct irqlat_wait __user *user)
{
	struct irqlat_wait last;

	return copy_from_user(&last, user, sizeof(last)) ? -EFAULT : task_wait(session, &last);
}

static long locked_ioctl(struct session *session, unsigned int command, void __user *user)
{
	switch (command) {
	case IRQLAT_PREPARE:
		return prepare(session, user);
	case IRQLAT_ARM:
		return session_arm(session);
	case IRQLAT_COUNTS:
		return counts(session, user);
	case IRQLAT_STOP:
		session_stop(session);
		return 0;
	default:
		return -ENOTTY;
	}
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct session *session = file->private_data;
	void __user *user = (void __user *)argument;
	long answer;

	/* The measured task takes no lock that the reader holds. */
	if (command == IRQLAT_WAIT)
		return wait(session, user);
	mutex_lock(&session->lock);
	answer = locked_ioctl(session, command, user);
	mutex_unlock(&session->lock);
	return answer;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.read = device_read,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "irqlat",
	.fops = &operations,
	.mode = 0600,
};

module_misc_device(device);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Interrupt and activation latency: who raises a line, who handles it, who waited for it");
MODULE_AUTHOR("The prazo project");
