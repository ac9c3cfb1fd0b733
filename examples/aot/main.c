/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Classifies an image with a network that compile-to-object.py has compiled:
 *
 *   main IMAGE.pgm
 *
 * The image is a binary PGM of as many pixels as the network takes. Prints the
 * class, and the logits as hexadecimal floats, which are exact.
 */

#include "network.h"

#include <stdio.h>

static float input[NETWORK_INPUT_SIZE];
static float output[NETWORK_OUTPUT_SIZE];
static _Alignas(64) unsigned char arena[NETWORK_ARENA_SIZE + 1];

/* Reads pixels as numbers in [0, 1], as the networks want them. */
static int read_image(const char *path) {
  FILE *file = fopen(path, "rb");
  int width, height, largest;
  if (!file) {
    perror(path);
    return 1;
  }
  if (fscanf(file, "P5 %d %d %d", &width, &height, &largest) != 3 ||
      getc(file) == EOF || largest != 255 ||
      (long)width * height != NETWORK_INPUT_SIZE) {
    fprintf(stderr, "%s: expected a binary PGM of %d pixels and 255 greys\n",
            path, NETWORK_INPUT_SIZE);
    fclose(file);
    return 1;
  }
  for (int i = 0; i < NETWORK_INPUT_SIZE; ++i) {
    int pixel = getc(file);
    if (pixel == EOF) {
      fprintf(stderr, "%s: %d pixels, expected %d\n", path, i,
              NETWORK_INPUT_SIZE);
      fclose(file);
      return 1;
    }
    input[i] = (float)pixel / 255.0f;
  }
  fclose(file);
  return 0;
}

int main(int argc, char **argv) {
  int best = 0;
  if (argc != 2) {
    fprintf(stderr, "usage: %s IMAGE.pgm\n", argv[0]);
    return 2;
  }
  if (read_image(argv[1]))
    return 1;
  network(input, output, arena);
  for (int i = 1; i < NETWORK_OUTPUT_SIZE; ++i)
    if (output[i] > output[best])
      best = i;
  printf("class %d\n", best);
  for (int i = 0; i < NETWORK_OUTPUT_SIZE; ++i)
    printf("%a\n", (double)output[i]);
  return 0;
}
