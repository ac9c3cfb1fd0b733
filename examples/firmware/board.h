/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What main.c asks of a board: text, a count of instructions, and an end.
 */

#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

void board_write(const char *text);

/* Instructions since some time, modulo 2^32. */
uint32_t board_count(void);

/* Ends the emulator; 0 is success. */
void board_exit(int code);

int main(void);

#endif /* BOARD_H */
