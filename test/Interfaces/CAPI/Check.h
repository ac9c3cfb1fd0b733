/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks that go on after a failure, and groups of them: a line each.
 */

#ifndef QBACKEND_TEST_CAPI_CHECK_H
#define QBACKEND_TEST_CAPI_CHECK_H

#include <stdio.h>

static int failures = 0;
static int failuresOfGroup = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);           \
      ++failures;                                                              \
      ++failuresOfGroup;                                                       \
    }                                                                          \
  } while (0)

static void endGroup(const char *name) {
  printf("%s: %s\n", failuresOfGroup ? "failed" : "ok", name);
  failuresOfGroup = 0;
}

#endif /* QBACKEND_TEST_CAPI_CHECK_H */
