// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ending work that takes long.

#ifndef QBACKEND_EXECUTION_RUNTIME_INTERRUPT_H
#define QBACKEND_EXECUTION_RUNTIME_INTERRUPT_H

namespace qbackend::runtime {

/// Ends the work of all threads: what goes over samples stops before the next
/// one with the error "interrupted". A signal handler may call it.
void interrupt();

/// How often there was an `interrupt` before. Work that began at another number
/// has to end.
unsigned countInterrupts();

} // namespace qbackend::runtime

#endif // QBACKEND_EXECUTION_RUNTIME_INTERRUPT_H
