// SPDX-License-Identifier: GPL-2.0
// A frame from another station raises the line, as in the first set-up of Regnier 2008.
//
// t1 is taken where the network hands the frame on: in the softirq, which is a thread under PREEMPT_RT. A frame begins with
// its number, eight bytes, most significant first; gaps are frames that never came.

#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>
#include "session.h"

static void count_missing(struct session *session, u64 number)
{
	if (number > session->frame_next)
		atomic64_add(number - session->frame_next, &session->frames_missing);
	session->frame_next = number + 1;
}

static int received(struct sk_buff *frame, struct net_device *card, struct packet_type *packets, struct net_device *first)
{
	struct session *session = packets->af_packet_priv;
	__be64 number;

	fire(session, 0);
	if (!skb_copy_bits(frame, 0, &number, sizeof(number)))
		count_missing(session, be64_to_cpu(number));
	kfree_skb(frame);
	return NET_RX_SUCCESS;
}

static int open(struct session *session)
{
	session->card = dev_get_by_name(current->nsproxy->net_ns, session->plan.device);
	if (!session->card)
		return -ENODEV;
	if (netif_running(session->card))
		return 0;
	dev_put(session->card);
	return -ENETDOWN;
}

static int start(struct session *session)
{
	session->packets.type = htons(IRQLAT_ETHERTYPE);
	session->packets.dev = session->card;
	session->packets.func = received;
	session->packets.af_packet_priv = session;
	dev_add_pack(&session->packets);
	return 0;
}

/* Waits until nobody receives any more. */
static void stop(struct session *session)
{
	if (session->packets.func)
		dev_remove_pack(&session->packets);
	session->packets.func = NULL;
}

static void close(struct session *session)
{
	dev_put(session->card);
}

const struct trigger trigger_ethernet = { .open = open, .start = start, .stop = stop, .close = close };
