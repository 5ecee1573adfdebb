/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A periodic task under FreeRTOS on QEMU's lm3s6965evb, whose stamps prazo reads:
 * the tick is due, its handler begins, the task returns from vTaskDelayUntil.
 * Stamps stay in memory until all are taken, so that sending is never measured.
 */
#include "FreeRTOS.h"
#include "task.h"

#define COUNT 1000
#define PERIOD (configCPU_CLOCK_HZ / configTICK_RATE_HZ)

#define UART0 (*(volatile uint32_t *)0x4000c000)
#define SYSTICK_VALUE (*(volatile uint32_t *)0xe000e018)

static void prazo_put(unsigned char byte)
{
	UART0 = byte;
}

#include "prazo_serial.h"

static volatile uint32_t ticks, handler;

static struct {
	uint32_t tick;
	uint16_t handler, task;
} stamps[COUNT];

/* SysTick counts down from the period: what it has counted is the time since due. */
static inline uint32_t since_due(void)
{
	return PERIOD - 1 - SYSTICK_VALUE;
}

void xPortSysTickHandler(void);

static void tick_handler(void)
{
	handler = since_due();
	ticks++;
	xPortSysTickHandler();
}

static void send(void)
{
	uint32_t i;

	prazo_header("freertos-" tskKERNEL_VERSION_NUMBER, "lm3s6965evb",
		     configCPU_CLOCK_HZ, 32, PERIOD, "fixed", "-", 1);
	for (i = 0; i < COUNT; i++) {
		uint64_t due = (uint64_t)stamps[i].tick * PERIOD;

		prazo_sample(stamps[i].tick, due, due + stamps[i].handler,
			     due + stamps[i].task);
	}
	prazo_end(0);
}

static void work(void *argument)
{
	TickType_t last = xTaskGetTickCount();
	uint32_t i, first;

	(void)argument;
	vTaskDelayUntil(&last, 1);
	first = ticks;
	for (i = 0; i < COUNT; i++) {
		vTaskDelayUntil(&last, 1);
		stamps[i].task = since_due();
		stamps[i].handler = handler;
		stamps[i].tick = ticks - first;
	}
	send();
	vTaskSuspend(NULL);
}

int main(void)
{
	xTaskCreate(work, "work", configMINIMAL_STACK_SIZE, NULL, configMAX_PRIORITIES - 1, NULL);
	vTaskStartScheduler();
	for (;;)
		;
}

/* The kernel's idle task sleeps until the next interrupt. */
void vApplicationIdleHook(void)
{
	__asm volatile("wfi");
}

extern uint32_t data_source, data_begin, data_end, bss_begin, bss_end, stack_end;

static void reset(void)
{
	uint32_t *from = &data_source, *to;

	for (to = &data_begin; to < &data_end; to++)
		*to = *from++;
	for (to = &bss_begin; to < &bss_end; to++)
		*to = 0;
	main();
}

static void stop(void)
{
	for (;;)
		;
}

void vPortSVCHandler(void);
void xPortPendSVHandler(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
	&stack_end, reset, stop, stop, stop, stop, stop, 0, 0, 0, 0,
	vPortSVCHandler, stop, 0, xPortPendSVHandler, tick_handler,
};
