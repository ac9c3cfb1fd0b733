/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The start of a Cortex-M under QEMU, whose host is reached by semihosting.
 */

#include "board.h"

extern char bss_begin[], bss_end[], stack_top[];

static int semihost(int operation, const void *block) {
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = block;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void board_write(const char *text) { semihost(0x04 /* SYS_WRITE0 */, text); }

void board_exit(int code) {
  /* SYS_EXIT_EXTENDED: the application ended. */
  uint32_t block[2] = {0x20026, (uint32_t)code};
  semihost(0x20, block);
  for (;;)
    ;
}

/* SysTick by the processor's clock. With -icount shift=0 an instruction takes a
   nanosecond, so that a tick is NANOSECONDS_BY_100 / 100 instructions. A turn of its
   24 bits is an interrupt. */
static volatile uint32_t *const systick = (uint32_t *)0xE000E010;
static volatile uint32_t turns;

static void on_systick(void) { ++turns; }

uint32_t board_count(void) {
  static int is_on;
  if (!is_on) {
    is_on = 1;
    systick[1] = 0xFFFFFF;
    systick[2] = 0;
    systick[0] = 7;
    while (!systick[2])
      ;
  }
  uint32_t turn, left;
  do {
    turn = turns;
    left = systick[2];
  } while (turn != turns);
  uint64_t ticks = ((uint64_t)turn << 24) + (0xFFFFFF - left);
  return (uint32_t)(ticks * NANOSECONDS_BY_100 / 100);
}

void reset(void) {
#ifdef __ARM_FP
  /* CPACR: access to FPU and MVE; without it, their first instruction faults. */
  *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20;
  __asm__ volatile("dsb\n isb");
#endif
  for (char *p = bss_begin; p < bss_end; ++p)
    *(volatile char *)p = 0;
  board_exit(main());
}

static void fault(void) {
  board_write("FAIL: fault\n");
  board_exit(1);
}

typedef void Handler(void);
__attribute__((section(".vectors"), used)) static Handler *const vectors[16] = {
    (Handler *)stack_top, reset, fault, fault, fault, fault, fault, 0, 0, 0, 0,
    fault,                fault, 0,     fault, on_systick};
