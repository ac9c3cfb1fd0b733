// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ending work that takes long.

#include "qbackend/Execution/Runtime/Interrupt.h"

#include <atomic>

using namespace qbackend::runtime;

static std::atomic<unsigned> interrupts{0};
static_assert(std::atomic<unsigned>::is_always_lock_free,
              "a signal handler takes no lock");

void qbackend::runtime::interrupt() { ++interrupts; }

unsigned qbackend::runtime::countInterrupts() { return interrupts; }
