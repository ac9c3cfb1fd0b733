/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What a peer in C answers to run.py, see serving.py. */

#ifndef SERVING_H
#define SERVING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A network: `run` computes `result`, of `size` bytes. */
struct serving_network {
  void (*run)(void *state);
  void *state;
  const uint8_t *result;
  size_t size;
};

/* Ends the process where a call of an engine failed. */
static void serving_check(int failed, const char *what) {
  if (!failed)
    return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

/* How many threads a network is run on, as libraries of OpenMP are told. */
static int serving_threads(void) {
  const char *threads = getenv("OMP_NUM_THREADS");
  return threads ? atoi(threads) : 1;
}

/* Seconds of the processor; of the wall with PEER_CLOCK=wall. */
static double serving_now(void) {
  struct timespec time;
  clock_gettime(
      getenv("PEER_CLOCK") ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Bytes of the image that all engines get: element i, in the order N, H, W, C.
 */
static uint8_t serving_byte(size_t i) { return (uint8_t)(i * 37 % 256); }

static int serving_serve(const struct serving_network *networks, int count) {
  for (int i = 0; i < count; ++i)
    networks[i].run(networks[i].state);
  puts("ready");
  fflush(stdout);
  int index = 0, calls = 0;
  while (scanf("%d %d", &index, &calls) == 2 && index >= 0 && index < count) {
    const struct serving_network *network = &networks[index];
    double begin = serving_now();
    for (int i = 0; i < calls; ++i)
      network->run(network->state);
    if (calls) {
      printf("%.9g\n", (serving_now() - begin) / calls);
    } else {
      network->run(network->state);
      for (size_t i = 0; i < network->size; ++i)
        printf("%02x", network->result[i]);
      puts("");
    }
    fflush(stdout);
  }
  return 0;
}

#endif
