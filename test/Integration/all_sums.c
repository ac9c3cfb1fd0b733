/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Requantizes all sums by objects whose biases and multipliers it overwrites.

     all_sums SIGNED ZERO_POINT SUMS MULTIPLIER...

   Each of VARIANTS is an object of the same layer, with weights of 0: its
   results are its biases, requantized. Biases and multipliers are found in
   memory by their values, FIRST_BIAS + i, and LARGE where bit i % 31 of PATTERN
   is set, otherwise SMALL, of output i; outputs are in the order of a kernel.
   SUMS of all 2^32 sums are tried; of fewer, half at equal distances, half
   where results are within their range. Prints how many differ from the
   formula, for each variant. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define VARIANT(name, arena) void name(const void *, void *, void *);
VARIANTS
#undef VARIANT

struct Variant {
  const char *name;
  void (*run)(const void *, void *, void *);
  size_t arena;
};
static const struct Variant variants[] = {
#define VARIANT(name, arena) {#name, name, arena},
    VARIANTS
#undef VARIANT
};
enum { count = sizeof(variants) / sizeof(variants[0]) };

/* Begin and end of what is loaded of the program. */
extern char __executable_start, _end;

static int32_t *biases[64];
/* The output of each bias. */
static int orders[64][CHANNELS];
static float *multipliers[64];
static int numBiases, numMultipliers;

static float getMultiplier(int i) {
  return PATTERN >> (i % 31) & 1 ? LARGE : SMALL;
}

static void unlock(void *data, size_t bytes) {
  uintptr_t page = sysconf(_SC_PAGESIZE), begin = (uintptr_t)data / page * page;
  if (mprotect((void *)begin, (uintptr_t)data + bytes - begin,
               PROT_READ | PROT_WRITE)) {
    perror("mprotect");
    exit(2);
  }
}

/* Whether the biases of all outputs are at `integers`, and in which order. */
static int readOrder(const int32_t *integers, int *order) {
  static char seen[CHANNELS];
  memset(seen, 0, sizeof(seen));
  for (int i = 0; i < CHANNELS; ++i) {
    uint32_t output = (uint32_t)integers[i] - (uint32_t)FIRST_BIAS;
    if (output >= CHANNELS || seen[output]++)
      return 0;
    order[i] = output;
  }
  return 1;
}

static int hasMultipliers(const float *floats, const int *order) {
  for (int i = 0; i < CHANNELS; ++i)
    if (floats[i] != getMultiplier(order[i]))
      return 0;
  return 1;
}

static void findConstants(void) {
  char *last = &_end - CHANNELS * sizeof(float);
  for (char *at = &__executable_start; at <= last && numBiases < 64;
       at += sizeof(float))
    if (readOrder((int32_t *)at, orders[numBiases]))
      biases[numBiases++] = (int32_t *)at;
  for (char *at = &__executable_start; at <= last && numMultipliers < 64;
       at += sizeof(float)) {
    int k = 0;
    while (k < numBiases && !hasMultipliers((float *)at, orders[k]))
      ++k;
    if (k < numBiases)
      multipliers[numMultipliers++] = (float *)at;
  }
  /* One of each for each variant, unless they share them. */
  if (!numBiases || !numMultipliers) {
    fprintf(stderr, "%d arrays of biases and %d of multipliers were found\n",
            numBiases, numMultipliers);
    exit(2);
  }
  for (int i = 0; i < numBiases; ++i)
    unlock(biases[i], CHANNELS * sizeof(int32_t));
  for (int i = 0; i < numMultipliers; ++i)
    unlock(multipliers[i], CHANNELS * sizeof(float));
}

/* docs/Numerics.md: the product is rounded to f32, and then to an integer. */
static uint8_t requantize(int32_t sum, float multiplier, int isSigned,
                          float zeroPoint) {
  float product = (float)sum * multiplier;
  float low = isSigned ? -128 : 0, high = isSigned ? 127 : 255;
  if (isSigned)
    product = fminf(product, high - zeroPoint);
  float whole = nearbyintf(product);
  /* What has no integer of 32 bits is the lowest one. */
  if (!(fabsf(whole) < 0x1p31f))
    whole = -0x1p31f;
  /* Within 2^24, where sums are exact. */
  whole = fminf(fmaxf(whole, -32768), 32767) + zeroPoint;
  return (uint8_t)(int32_t)fminf(fmaxf(whole, low), high);
}

/* Sum `i` of `sums`. */
static int32_t getSum(uint64_t i, uint64_t sums, float multiplier) {
  uint64_t distance = (UINT64_C(1) << 32) / sums;
  if (distance == 1 || i % 2 == 0)
    return (int32_t)(uint32_t)(i * distance);
  double step = fmin(fmax(1, 512 / ((double)multiplier * sums)), distance);
  return (int32_t)(((double)i - sums / 2) * (int64_t)step);
}

int main(int argc, char **argv) {
  static uint8_t input[64], expected[CHANNELS];
  if (argc < 5)
    return 2;
  int isSigned = atoi(argv[1]), zeroPoint = atoi(argv[2]);
  uint64_t sums = strtoull(argv[3], NULL, 10);
  unsigned long long differ[count] = {0};
  uint8_t *output[count], *arena[count];
  findConstants();
  for (int v = 0; v < count; ++v) {
    output[v] = aligned_alloc(64, CHANNELS);
    arena[v] = aligned_alloc(64, (variants[v].arena / 64 + 1) * 64);
  }
  for (int a = 4; a < argc; ++a) {
    float multiplier = strtof(argv[a], NULL);
    for (int k = 0; k < numMultipliers; ++k)
      for (int i = 0; i < CHANNELS; ++i)
        multipliers[k][i] = multiplier;
    for (uint64_t first = 0; first < sums; first += CHANNELS) {
      for (int k = 0; k < numBiases; ++k)
        for (int i = 0; i < CHANNELS; ++i)
          biases[k][i] = getSum(first + orders[k][i], sums, multiplier);
      for (int i = 0; i < CHANNELS; ++i)
        expected[i] = requantize(getSum(first + i, sums, multiplier),
                                 multiplier, isSigned, zeroPoint);
      for (int v = 0; v < count; ++v) {
        variants[v].run(input, output[v], arena[v]);
        if (memcmp(output[v], expected, CHANNELS))
          for (int i = 0; i < CHANNELS; ++i)
            differ[v] += output[v][i] != expected[i];
      }
    }
  }
  for (int v = 0; v < count; ++v)
    printf("%s %llu\n", variants[v].name, differ[v]);
  return 0;
}
