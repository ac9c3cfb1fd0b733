/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The start of a hart of QEMU's virt for RISC-V.
 */

#include "board.h"

extern char bss_begin[], bss_end[];

void board_write(const char *text) {
  volatile uint8_t *uart = (uint8_t *)0x10000000;
  while (*text)
    *uart = (uint8_t)*text++;
}

void board_exit(int code) {
  /* The test device: success, or failure with a code. */
  *(volatile uint32_t *)0x100000 = code ? (uint32_t)code << 16 | 0x3333 : 0x5555;
  for (;;)
    ;
}

uint32_t board_count(void) {
  uint32_t count;
  __asm__ volatile("csrr %0, minstret" : "=r"(count));
  return count;
}

static void fault(void) {
  board_write("FAIL: fault\n");
  board_exit(1);
}

void start(void);
void start(void) {
  __asm__ volatile("csrw mtvec, %0" : : "r"(fault));
  for (char *p = bss_begin; p < bss_end; ++p)
    *(volatile char *)p = 0;
  board_exit(main());
}

/* mstatus.FS and VS: access to the FPU and the vectors, if there are any. */
__asm__(".section .vectors,\"ax\"\n"
        ".globl reset\n"
        "reset:\n"
        "  la sp, stack_top\n"
        "  li t0, 0x6600\n"
        "  csrs mstatus, t0\n"
        "  j start\n");
