/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Times compiled networks: each in turn, so that what else the machine does
 * hits them alike, in time of the processor. NETWORKS is a list of
 * ENTRY(function, input, isFloat, output, arena) with the sizes in bytes, and
 * whether the input is of floats. They compute the same, unless OTHER_INTEGERS
 * is defined. Prints a line for each round: seconds for one
 * call, for each network, then products of bytes per second that the processor
 * reaches.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __AVX512VNNI__
#include <immintrin.h>
#endif
#ifdef __AMX_TILE__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#define ENTRY(function, input, isFloat, output, arena)                         \
  void function(const void *, void *, void *);
NETWORKS
#undef ENTRY

typedef struct {
  void (*run)(const void *, void *, void *);
  size_t input;
  int isFloat;
  size_t output, arena;
} Network;

static const Network networks[] = {
#define ENTRY(function, input, isFloat, output, arena)                         \
  {function, input, isFloat, output, arena},
    NETWORKS
#undef ENTRY
};
enum { count = sizeof(networks) / sizeof(networks[0]) };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void *allocate(size_t bytes) {
  void *data = aligned_alloc(64, (bytes / 64 + 1) * 64);
  if (!data) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return data;
}

/* Products of bytes per second, from instructions that don't wait for each
   other or for memory; 0: there is no measure for this processor. The loop is
   written out: compilers move sums through memory, which is slower than the
   products. */
static double measurePeak(void) {
#ifdef __AVX512VNNI__
  enum { sums = 12, steps = 100000 };
  __m512i s[sums], x = _mm512_set1_epi8(3), w = _mm512_set1_epi8(5);
  for (int i = 0; i < sums; ++i)
    s[i] = _mm512_set1_epi32(i);
  long step = steps;
  double start = now();
#define ADD(sum) "vpdpbusd %[w], %[x], %[" #sum "]\n\t"
  __asm__ volatile(
      "1:\n\t" ADD(s0) ADD(s1) ADD(s2) ADD(s3) ADD(s4) ADD(s5) ADD(s6) ADD(s7)
          ADD(s8) ADD(s9) ADD(s10) ADD(s11) "dec %[step]\n\tjnz 1b"
      : [s0] "+v"(s[0]), [s1] "+v"(s[1]), [s2] "+v"(s[2]), [s3] "+v"(s[3]),
        [s4] "+v"(s[4]), [s5] "+v"(s[5]), [s6] "+v"(s[6]), [s7] "+v"(s[7]),
        [s8] "+v"(s[8]), [s9] "+v"(s[9]), [s10] "+v"(s[10]), [s11] "+v"(s[11]),
        [step] "+r"(step)
      : [x] "v"(x), [w] "v"(w)
      : "cc");
#undef ADD
  return 64.0 * sums * steps / (now() - start);
#else
  return 0;
#endif
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 21;
  unsigned char *input[count], *output[count], *arena[count];
  int calls[count];
  uint32_t random = 1;
#ifdef __AMX_TILE__
  /* For networks with AMX; those without don't need it. */
  syscall(SYS_arch_prctl, 0x1023, 18);
#endif
  for (int i = 0; i < count; ++i) {
    input[i] = allocate(networks[i].input);
    output[i] = allocate(networks[i].output);
    arena[i] = allocate(networks[i].arena);
    random = 1;
    size_t width = networks[i].isFloat ? sizeof(float) : 1;
    for (size_t k = 0; k < networks[i].input / width; ++k) {
      random = random * 1664525 + 1013904223;
      if (networks[i].isFloat)
        ((float *)input[i])[k] = (random >> 24) / 64.0f - 2.0f;
      else
        input[i][k] = random >> 24;
    }
    networks[i].run(input[i], output[i], arena[i]);
#ifndef OTHER_INTEGERS
    if (networks[i].output != networks[0].output ||
        memcmp(output[i], output[0], networks[0].output)) {
      fprintf(stderr, "network %d computes other integers than the first\n", i);
      return 1;
    }
#endif
    double start = now();
    networks[i].run(input[i], output[i], arena[i]);
    /* At least 2 ms: the clock is exact enough, and caches are warm. */
    calls[i] = 1 + (int)(2e-3 / (now() - start + 1e-9));
  }
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < count; ++i) {
      double start = now();
      for (int call = 0; call < calls[i]; ++call)
        networks[i].run(input[i], output[i], arena[i]);
      printf("%.9e ", (now() - start) / calls[i]);
    }
    printf("%.6e\n", measurePeak());
  }
  return 0;
}
