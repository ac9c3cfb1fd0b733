// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of system calls: seccomp(2), as programs for the kernel's packet
// filter; and landlock(7) for what they can't tell: which file is meant.

#include "qbackend/Support/SystemCalls.h"
#include "qbackend/Support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <cstddef>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
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
    returnIf(BPF_JEQ, machine, SECCOMP_RET_KILL_PROCESS, /*unless=*/true);
    loadNumber();
    returnIf(BPF_JGE, firstForeignCall, refusal);
  }

  void allow(uint32_t number) { returnIf(BPF_JEQ, number, SECCOMP_RET_ALLOW); }

  void refuse(uint32_t number, int error = EPERM) {
    returnIf(BPF_JEQ, number, getRefusal(error));
  }

  /// Refuses calls from `number` on, as a kernel does that is older than they.
  void refuseFrom(uint32_t number) {
    returnIf(BPF_JGE, number, getRefusal(ENOSYS));
  }

  /// Allows a call if the low half of an argument is `value`.
  void allowEqual(uint32_t number, unsigned argument, uint32_t value) {
    test(number, argument, BPF_JEQ, value, SECCOMP_RET_ALLOW);
  }

  /// Refuses a call if the low half of an argument is `value`.
  void refuseEqual(uint32_t number, unsigned argument, uint32_t value) {
    test(number, argument, BPF_JEQ, value, refusal);
  }

  /// Refuses a call if an argument has one of the bits.
  void refuseBits(uint32_t number, unsigned argument, uint32_t bits) {
    test(number, argument, BPF_JSET, bits, refusal);
  }

  /// Refuses a call unless an argument has one of the bits.
  void requireBits(uint32_t number, unsigned argument, uint32_t bits) {
    test(number, argument, BPF_JSET, bits, refusal, /*unless=*/true);
  }

  /// From now on the filter holds. Calls that it doesn't name are refused, or
  /// allowed.
  bool install(bool isRestAllowed) {
    add(BPF_RET | BPF_K, isRestAllowed ? SECCOMP_RET_ALLOW : refusal);
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
  /// The call ends with `result` if, or `unless`, the condition holds.
  void returnIf(uint16_t condition, uint32_t value, uint32_t result,
                bool unless = false) {
    add(BPF_JMP | condition | BPF_K, value, unless, !unless);
    add(BPF_RET | BPF_K, result);
  }
  /// The same for the call `number` and one of its arguments.
  void test(uint32_t number, unsigned argument, uint16_t condition,
            uint32_t value, uint32_t result, bool unless = false) {
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3);
    loadArgument(argument);
    returnIf(condition, value, result, unless);
    loadNumber();
  }

  /// Not a signal: the C library asks for more than it needs, such as the
  /// number of processors, and does without.
  static constexpr uint32_t getRefusal(int error) {
    return SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA);
  }
  static constexpr uint32_t refusal =
      SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);
  std::vector<sock_filter> steps;
};
} // namespace

llvm::Error qbackend::restrictSystemCalls(int file) {
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
  if (filter.install(/*isRestAllowed=*/false))
    return llvm::Error::success();
  return makeError("cannot filter system calls: {0}",
                   llvm::sys::StrError(errno));
}

//===----------------------------------------------------------------------===//
// Processes that read and write some files
//===----------------------------------------------------------------------===//

/// What older headers don't have.
static constexpr uint64_t accessTruncate = 1 << 14, accessIoctl = 1 << 15;
/// Of Linux 6.12 and later: signals, and sockets with abstract names.
static constexpr uint64_t scopes = 1 << 0 | 1 << 1;

namespace {
/// As the kernel has it; the headers may be older.
struct Ruleset {
  uint64_t files, network, scoped;
};
} // namespace

static constexpr uint64_t readFolder =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static constexpr uint64_t writeFolder =
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | accessTruncate;

/// Allows `rights`, as far as they are, for `path` and what is in it. What
/// isn't there needs no right.
static void allowPath(int ruleset, llvm::StringRef path, uint64_t rights) {
  int file = open(path.str().c_str(), O_PATH | O_CLOEXEC);
  if (file < 0)
    return;
  struct stat found;
  constexpr uint64_t ofFiles =
      LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE |
      LANDLOCK_ACCESS_FS_WRITE_FILE | accessTruncate | accessIoctl;
  if (fstat(file, &found) == 0 && !S_ISDIR(found.st_mode))
    rights &= ofFiles;
  landlock_path_beneath_attr rule = {rights, file};
  syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(file);
}

/// Where an error or a call of the C library looks, or its loader.
static constexpr llvm::StringLiteral systemFolders[] = {
    "/usr",      "/lib",        "/lib64",      "/etc/ld.so.cache",
    "/proc",     "/sys",        "/dev/null",   "/dev/zero",
    "/dev/full", "/dev/random", "/dev/urandom"};

static llvm::Error restrictFiles(llvm::ArrayRef<std::string> read,
                                 llvm::ArrayRef<std::string> written,
                                 bool startsPrograms) {
  long version = syscall(SYS_landlock_create_ruleset, nullptr, 0,
                         LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1)
    return makeError("this system can't keep a process from files (landlock), "
                     "which a sandbox needs; it takes Linux 5.13 or later with "
                     "it switched on");
  // All rights that this kernel knows.
  uint64_t rights = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1;
  if (version >= 2)
    rights |= LANDLOCK_ACCESS_FS_MAKE_SYM << 1;
  if (version >= 3)
    rights |= accessTruncate;
  if (version >= 5)
    rights |= accessIoctl;
  Ruleset wanted = {rights, 0, version >= 6 ? scopes : 0};
  int ruleset = syscall(SYS_landlock_create_ruleset, &wanted,
                        version >= 6 ? sizeof(Ruleset) : sizeof(uint64_t), 0);
  if (ruleset < 0)
    return makeError("cannot make a sandbox: {0}", llvm::sys::StrError(errno));
  uint64_t ofRead = readFolder & rights;
  if (startsPrograms)
    ofRead |= LANDLOCK_ACCESS_FS_EXECUTE;
  for (llvm::StringRef folder : systemFolders)
    allowPath(ruleset, folder, ofRead);
  allowPath(ruleset, "/dev/null",
            LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
  for (const std::string &path : read)
    allowPath(ruleset, path, ofRead);
  for (const std::string &path : written) {
    // A file is written beside its place; what is none, in it.
    llvm::StringRef place = path;
    if (!llvm::sys::fs::exists(path) || llvm::sys::fs::is_regular_file(path))
      place = llvm::sys::path::parent_path(path);
    allowPath(ruleset, place.empty() ? "." : place,
              (readFolder | writeFolder) & rights);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      syscall(SYS_landlock_restrict_self, ruleset, 0))
    return makeError("cannot enter a sandbox: {0}", llvm::sys::StrError(errno));
  close(ruleset);
  return llvm::Error::success();
}

llvm::Error qbackend::restrictProcess(llvm::ArrayRef<std::string> read,
                                      llvm::ArrayRef<std::string> written,
                                      bool startsPrograms) {
  std::error_code error;
  llvm::sys::fs::directory_iterator thread("/proc/self/task", error), end;
  if (!error && thread != end && thread.increment(error) != end)
    return makeError("a process of several threads can't enter a sandbox: what "
                     "it gives up, the others would have");
  if (llvm::Error error = restrictFiles(read, written, startsPrograms))
    return error;
  Filter filter;
  // Those that came later than this list.
  filter.refuseFrom(440);
  // The arguments of clone3 can't be seen; the C library does with clone.
  filter.refuse(SYS_clone3, ENOSYS);
  filter.refuseBits(SYS_clone, 0,
                    CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET |
                        CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER |
                        CLONE_NEWUTS);
  // What types, or pastes, into the terminal of the caller (TIOCLINUX).
  filter.refuseEqual(SYS_ioctl, 1, TIOCSTI);
  filter.refuseEqual(SYS_ioctl, 1, 0x541C);
  // An output keeps the permissions that it had, and gets no more.
  filter.refuseBits(SYS_fchmod, 1, 07000);
  // Other machines and programs, what belongs to another process, the clock,
  // and what of a file is not its contents.
  for (int number : {
         SYS_accept, SYS_accept4, SYS_acct, SYS_add_key, SYS_adjtimex, SYS_bind,
             SYS_bpf, SYS_chroot, SYS_clock_adjtime, SYS_clock_settime,
             SYS_connect, SYS_delete_module, SYS_execve, SYS_execveat,
             SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_finit_module,
             SYS_fremovexattr, SYS_fsconfig, SYS_fsetxattr, SYS_fsmount,
             SYS_fsopen, SYS_fspick, SYS_init_module, SYS_io_uring_enter,
             SYS_io_uring_register, SYS_io_uring_setup, SYS_kcmp,
             SYS_kexec_load, SYS_kexec_file_load, SYS_keyctl, SYS_linkat,
             SYS_listen, SYS_lremovexattr, SYS_lsetxattr, SYS_mount,
             SYS_move_mount, SYS_mq_open, SYS_msgctl, SYS_msgget, SYS_msgrcv,
             SYS_msgsnd, SYS_name_to_handle_at, SYS_open_by_handle_at,
             SYS_open_tree, SYS_perf_event_open, SYS_personality,
             SYS_pidfd_getfd, SYS_pidfd_open, SYS_pidfd_send_signal,
             SYS_pivot_root, SYS_process_vm_readv, SYS_process_vm_writev,
             SYS_ptrace, SYS_quotactl, SYS_reboot, SYS_removexattr,
             SYS_request_key, SYS_semctl, SYS_semget, SYS_semop, SYS_semtimedop,
             SYS_shmat, SYS_shmctl, SYS_setdomainname, SYS_sethostname,
             SYS_setns, SYS_settimeofday, SYS_setxattr, SYS_shmget, SYS_socket,
             SYS_swapoff, SYS_swapon, SYS_syslog, SYS_umount2, SYS_unshare,
             SYS_userfaultfd, SYS_utimensat, SYS_vhangup,
#if defined(__x86_64__)
             SYS_chmod, SYS_chown, SYS_create_module, SYS_fork, SYS_futimesat,
             SYS_ioperm, SYS_iopl, SYS_lchown, SYS_link, SYS_modify_ldt,
             SYS_uselib, SYS_utime, SYS_utimes, SYS_vfork,
#endif
       })
    if (!startsPrograms || (number != SYS_execve && number != SYS_execveat))
      filter.refuse(number);
  if (filter.install(/*isRestAllowed=*/true))
    return llvm::Error::success();
  return makeError("cannot filter system calls: {0}",
                   llvm::sys::StrError(errno));
}
#else
static llvm::Error failWithoutFilters() {
  return makeError("cannot filter system calls: that needs Linux on x86-64 or "
                   "AArch64");
}

llvm::Error qbackend::restrictSystemCalls(int) { return failWithoutFilters(); }

llvm::Error qbackend::restrictProcess(llvm::ArrayRef<std::string>,
                                      llvm::ArrayRef<std::string>, bool) {
  return failWithoutFilters();
}
#endif
