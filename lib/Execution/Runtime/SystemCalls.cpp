// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A filter of system calls: seccomp(2), as a program for the kernel's packet
// filter.

#include "qbackend/Execution/Runtime/Sandbox.h"
#include "qbackend/Support/Error.h"

#include "llvm/Support/Errno.h"

#include <cerrno>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <vector>
#define QBACKEND_HAS_FILTERS 1
#else
#define QBACKEND_HAS_FILTERS 0
#endif

using namespace qbackend;

#if QBACKEND_HAS_FILTERS
#if defined(__x86_64__)
static constexpr uint32_t machine = AUDIT_ARCH_X86_64;
/// Calls of the x32 interface have this bit.
static constexpr uint32_t firstForeignCall = 0x40000000;
#else
static constexpr uint32_t machine = AUDIT_ARCH_AARCH64;
static constexpr uint32_t firstForeignCall = UINT32_MAX;
#endif

namespace {
/// Steps of a filter. Both machines are little-endian: the low half of an
/// argument comes first.
class Filter {
public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    returnUnless(BPF_JEQ, machine, SECCOMP_RET_KILL_PROCESS);
    loadNumber();
    returnIf(BPF_JGE, firstForeignCall, refusal);
  }

  void allow(uint32_t number) { returnIf(BPF_JEQ, number, SECCOMP_RET_ALLOW); }

  /// Allows a call if the low half of an argument is `value`.
  void allowEqual(uint32_t number, unsigned argument, uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3);
    loadArgument(argument);
    returnIf(BPF_JEQ, value, SECCOMP_RET_ALLOW);
    loadNumber();
  }

  /// Refuses a call if an argument has one of the bits.
  void refuseBits(uint32_t number, unsigned argument, uint32_t bits) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3);
    loadArgument(argument);
    returnIf(BPF_JSET, bits, refusal);
    loadNumber();
  }

  /// Refuses a call unless an argument has one of the bits.
  void requireBits(uint32_t number, unsigned argument, uint32_t bits) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3);
    loadArgument(argument);
    returnUnless(BPF_JSET, bits, refusal);
    loadNumber();
  }

  /// From now on the filter holds.
  bool install() {
    add(BPF_RET | BPF_K, refusal);
    sock_fprog program{static_cast<unsigned short>(steps.size()), steps.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

private:
  void add(uint16_t code, uint32_t value, uint8_t ifTrue = 0,
           uint8_t ifFalse = 0) {
    steps.push_back({code, ifTrue, ifFalse, value});
  }
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void loadNumber() { load(offsetof(seccomp_data, nr)); }
  void loadArgument(unsigned argument) {
    load(offsetof(seccomp_data, args) + 8 * argument);
  }
  void returnIf(uint16_t condition, uint32_t value, uint32_t result) {
    add(BPF_JMP | condition | BPF_K, value, 0, 1);
    add(BPF_RET | BPF_K, result);
  }
  void returnUnless(uint16_t condition, uint32_t value, uint32_t result) {
    add(BPF_JMP | condition | BPF_K, value, 1, 0);
    add(BPF_RET | BPF_K, result);
  }

  /// Not a signal: the C library asks for more than it needs, such as the
  /// number of processors, and does without.
  static constexpr uint32_t refusal =
      SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);
  std::vector<sock_filter> steps;
};
} // namespace

llvm::Error runtime::restrictSystemCalls(int file) {
  Filter filter;
  for (int number : {SYS_read, SYS_write})
    filter.allowEqual(number, 0, file);
  filter.refuseBits(SYS_mmap, 2, PROT_EXEC);
  filter.requireBits(SYS_mmap, 3, MAP_ANONYMOUS);
  filter.refuseBits(SYS_mprotect, 2, PROT_EXEC);
  for (int number :
       {SYS_mmap, SYS_mprotect, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise,
        SYS_futex, SYS_sched_yield, SYS_rt_sigreturn, SYS_exit, SYS_exit_group,
        // What sanitizers ask before a function that doesn't come back.
        SYS_sigaltstack})
    filter.allow(number);
  if (filter.install())
    return llvm::Error::success();
  return makeError("cannot filter system calls: {0}",
                   llvm::sys::StrError(errno));
}
#else
llvm::Error runtime::restrictSystemCalls(int) {
  return makeError("cannot filter system calls: that needs Linux on x86-64 or "
                   "AArch64");
}
#endif
