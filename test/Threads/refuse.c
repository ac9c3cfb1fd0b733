// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded, as if the system gave $THREADS threads and then no more, at
// whatever moment.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef int (*Create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                      void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*start)(void *), void *argument) {
  static atomic_int count;
  if (atomic_fetch_add(&count, 1) >= atoi(getenv("THREADS")))
    return EAGAIN;
  Create create = (Create)dlsym(RTLD_NEXT, "pthread_create");
  return create(thread, attributes, start, argument);
}
