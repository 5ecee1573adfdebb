// SPDX-License-Identifier: GPL-2.0
/*
 * The handler's answer: in the softirq that receives a trigger, before any task is woken, sends it back as an answer. The trigger
 * itself goes on to its task. Regnier 2008's second set-up, on a network card's receive path instead of a parallel port's.
 *
 * The frame is made the answer, cloned to its way back, and made the trigger again: a clone shares its bytes with the original
 * only until one of them is written, which is when the kernel copies them.
 */
#include "kernel.h"

enum { ETHERNET_BYTES = 14, IP_BYTES = 20, UDP_BYTES = 8 };
enum { TYPE_RAW = 0x88B5, TYPE_IP = 0x0800, PROTOCOL_UDP = 17 };
enum { KIND_TRIGGER = 3, KIND_ANSWER = 4, VERSION = 1 };
enum { PASS_ON = -1 };

struct __sk_buff {
	__u32 len, pkt_type, mark, queue_mapping, protocol, vlan_present, vlan_tci, vlan_proto, priority, ingress_ifindex,
		ifindex, tc_index, cb[5], hash, tc_classid, data, data_end;
};

static long (*const clone_redirect)(struct __sk_buff *frame, __u32 interface, __u64 flags) = (void *)13;

/* The head of our frames; see event/frame.rs. */
struct head {
	__u8 magic[4];
	__u8 version, kind, flag, zero;
};

/* Triggers answered, not answered since the kernel refused, and passed on since they are none. */
struct {
	MAP_INT(type, BPF_MAP_TYPE_ARRAY);
	MAP_INT(max_entries, 3);
	MAP_TYPE(key, __u32);
	MAP_TYPE(value, __u64);
} counts SEC(".maps");
enum { ANSWERED, REFUSED, FOREIGN };

INLINE void count(__u32 what)
{
	__u64 *number = bpf_map_lookup_elem(&counts, &what);

	if (number)
		__sync_fetch_and_add(number, 1);
}

INLINE void swap(__u8 *one, __u8 *other, int bytes)
{
	for (int at = 0; at < bytes; at++) {
		__u8 kept = one[at];

		one[at] = other[at];
		other[at] = kept;
	}
}

/* Turns a trigger into its answer, or an answer back into its trigger; 0 where the frame is no `from`. */
INLINE int turn(struct __sk_buff *frame, __u8 from, __u8 to, __u16 *checksum)
{
	__u8 *at = (void *)(long)frame->data, *end = (void *)(long)frame->data_end;
	int raw = ETHERNET_BYTES, udp = ETHERNET_BYTES + IP_BYTES + UDP_BYTES;
	struct head *head;
	__u16 type;

	if (at + ETHERNET_BYTES + sizeof(*head) > end)
		return 0;
	type = at[12] << 8 | at[13];
	if (type == TYPE_RAW) {
		head = (void *)(at + raw);
	} else {
		if (type != TYPE_IP || at + udp + sizeof(*head) > end || at[14] != 0x45 || at[23] != PROTOCOL_UDP)
			return 0;
		head = (void *)(at + udp);
	}
	if (head->magic[0] != 'P' || head->magic[1] != 'R' || head->magic[2] != 'Z' || head->magic[3] != 'O')
		return 0;
	if (head->version != VERSION || head->kind != from)
		return 0;
	head->kind = to;
	swap(at, at + 6, 6);
	if (type == TYPE_IP) {
		__u16 *sum = (void *)(at + 40);
		__u16 kept = *sum;

		swap(at + 26, at + 30, 4);
		swap(at + 34, at + 36, 2);
		/* An answer goes without a checksum, which IPv4 allows; the trigger has its own back. */
		*sum = *checksum;
		*checksum = kept;
	}
	return 1;
}

SEC("classifier")
int answer(struct __sk_buff *frame)
{
	__u16 checksum = 0;

	if (!turn(frame, KIND_TRIGGER, KIND_ANSWER, &checksum)) {
		count(FOREIGN);
		return PASS_ON;
	}
	count(clone_redirect(frame, frame->ifindex, 0) ? REFUSED : ANSWERED);
	turn(frame, KIND_ANSWER, KIND_TRIGGER, &checksum);
	return PASS_ON;
}

char LICENSE[] SEC("license") = "GPL";
