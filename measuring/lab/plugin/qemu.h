/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few functions of QEMU's plugin interface, version 4, that watch.c calls, declared from QEMU's documentation.
 * The program that loads the plugin has all of them, those of its C library's arrays included.
 */
#ifndef PRAZO_LAB_QEMU_H
#define PRAZO_LAB_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define INTERFACE 4
#define READS_NOTHING 0
#define READS_REGISTERS 1
#define ON_WRITES 2
#define ADD 0

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_register;
struct qemu_plugin_scoreboard;

/* GLib's growing arrays, of which only the public beginning is known. */
struct bytes {
	uint8_t *data;
	unsigned int len;
};

struct list {
	char *data;
	unsigned int len;
};

struct register_name {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
};

/* A value in memory, by its size: 8, 16, 32, 64 or 128 bits. */
struct memory_value {
	int size;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		struct {
			uint64_t low, high;
		} u128;
	} is;
};

typedef uint64_t plugin_id;
typedef uint32_t memory_access;
typedef void (*on_memory)(unsigned int cpu, memory_access access, uint64_t address, void *data);
typedef void (*on_cpu)(plugin_id id, unsigned int cpu);
typedef void (*on_translation)(plugin_id id, struct qemu_plugin_tb *block);
typedef void (*on_execution)(unsigned int cpu, void *data);
typedef void (*on_end)(plugin_id id, void *data);

void qemu_plugin_register_vcpu_init_cb(plugin_id id, on_cpu call);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, on_translation call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, on_execution call, int flags, void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, on_end call, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, on_memory call, int flags, int on, void *data);
struct memory_value qemu_plugin_mem_get_value(memory_access access);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t number);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t length);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
struct list *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, struct bytes *to);
bool qemu_plugin_read_memory_vaddr(uint64_t address, struct bytes *to, size_t length);

/* A counter of each processor, which the emulator's own code adds to: the first eight bytes of its part of a board. */
struct counters {
	struct qemu_plugin_scoreboard *board;
	size_t offset;
};

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t bytes);
uint64_t qemu_plugin_u64_get(struct counters counters, unsigned int cpu);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn, int operation,
							 struct counters counters, uint64_t value);

struct bytes *g_byte_array_new(void);
struct bytes *g_byte_array_set_size(struct bytes *array, unsigned int length);
char *g_array_free(struct list *array, int with_data);

#endif
