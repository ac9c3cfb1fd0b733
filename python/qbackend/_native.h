// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the Python module have in common: diagnostics, and calls
// that Ctrl-C ends.

#ifndef QBACKEND_PYTHON_NATIVE_H
#define QBACKEND_PYTHON_NATIVE_H

#include "qbackend-c/QBackend.h"

#include <pybind11/pybind11.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace py = pybind11;

/// What the compiler said during a call.
struct Diagnostics {
  struct Entry {
    QBackendSeverity severity;
    std::string message, file;
    unsigned line, column;
    /// What belongs to it.
    std::vector<Entry> notes;
  };
  std::vector<Entry> entries;

  /// A QBackendDiagnosticCallback, whose user is the Diagnostics.
  static void add(const QBackendDiagnostic *diagnostic, void *user);

  /// What `qbackend.diagnostics` makes objects of: (severity, message, file or
  /// None, line, column, notes) of each.
  py::list toPython() const;

  /// Throws a `qbackend.diagnostics.CompilerError`.
  [[noreturn]] void fail() const;
};

/// A failure is a CompilerError.
inline void check(QBackendStatus status, const Diagnostics &diagnostics) {
  if (status != QBACKEND_SUCCESS)
    diagnostics.fail();
}

/// Text of Python's, bytes, or a path. Names of files that are no UTF-8 have
/// surrogates, for the bytes that they have on the disk.
struct Text : std::string {};

template <> struct py::detail::type_caster<Text> {
  PYBIND11_TYPE_CASTER(Text, const_name("str"));

  bool load(handle source, bool) {
    auto bytes = reinterpret_steal<object>(PyOS_FSPath(source.ptr()));
    if (!bytes) {
      PyErr_Clear();
      return false;
    }
    if (PyUnicode_Check(bytes.ptr()))
      bytes = reinterpret_steal<object>(
          PyUnicode_AsEncodedString(bytes.ptr(), "utf-8", "surrogateescape"));
    if (!bytes)
      throw error_already_set();
    value.assign(PyBytes_AS_STRING(bytes.ptr()), PyBytes_GET_SIZE(bytes.ptr()));
    return true;
  }
};

/// A ValueError unless the elements lie one behind the other, row-major.
inline void checkContiguous(const py::buffer_info &info) {
  py::ssize_t stride = info.itemsize;
  for (py::ssize_t i = info.ndim - 1; i >= 0; stride *= info.shape[i--])
    if (info.strides[i] != stride && info.shape[i] > 1 && info.size > 0)
      throw py::value_error("expected a contiguous array");
}

inline QBackendText toText(const std::string &string) {
  return {string.data(), string.size()};
}

/// While there is one, SIGINT ends calls of the C interface, too: the
/// interpreter would hear of it at their end. The interpreter's lock is held
/// where one is made or goes away.
class InterruptScope {
public:
  InterruptScope() {
    if (count++ > 0)
      return;
    sigaction(SIGINT, nullptr, &previous);
    // Ends the process, or nothing, as the host wants it.
    installed =
        (previous.sa_flags & SA_SIGINFO) ||
        (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN);
    if (!installed)
      return;
    struct sigaction ours = previous;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = &InterruptScope::handle;
    sigaction(SIGINT, &ours, nullptr);
  }
  ~InterruptScope() {
    if (--count == 0 && installed)
      sigaction(SIGINT, &previous, nullptr);
  }
  InterruptScope(const InterruptScope &) = delete;

private:
  static void handle(int number, siginfo_t *info, void *context) {
    qbackendInterrupt();
    if (previous.sa_flags & SA_SIGINFO)
      previous.sa_sigaction(number, info, context);
    else
      previous.sa_handler(number);
  }

  static inline int count = 0;
  static inline bool installed = false;
  static inline struct sigaction previous = {};
};

/// Runs `function(&output, callback, user)` of the C interface without the
/// interpreter's lock, and returns its output. A failure is a CompilerError.
template <typename Function> std::string run(Function function) {
  Diagnostics diagnostics;
  char *output = nullptr;
  QBackendStatus status;
  {
    InterruptScope interruptible;
    py::gil_scoped_release release;
    status = function(&output, &Diagnostics::add, &diagnostics);
  }
  // What a signal raises comes before what it did to the call.
  if (status != QBACKEND_SUCCESS && PyErr_CheckSignals() != 0)
    throw py::error_already_set();
  check(status, diagnostics);
  std::string result = output;
  qbackendFree(output);
  return result;
}

/// A call of the C interface that may take long. Ctrl-C ends it: the work is
/// told to stop, and if that takes too long it is left to itself, so that it
/// has to own, or share, all that it uses.
class Call : public std::enable_shared_from_this<Call> {
public:
  using Work = std::function<QBackendStatus(Call &)>;

  /// Does `work` without the interpreter's lock, on another thread if this one
  /// gets the signals and `isShort` doesn't say that it takes no time. A
  /// failure is a CompilerError. `kept` are Python's objects that the work
  /// reads.
  void run(Work work, py::object kept = py::none(), bool isShort = false);

  /// For the `isStopped` of the C interface; `user` is the Call.
  static int isStopped(void *user) {
    return static_cast<Call *>(user)->stop.load();
  }

  Diagnostics diagnostics;
  /// Whether Ctrl-C also ends all that runs over samples in the process, for
  /// work that doesn't ask `isStopped` in between.
  bool interruptsRuns = false;

private:
  /// Returns false if a signal raised an exception, which is set.
  bool runOnThread(Work work, py::object kept);

  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  QBackendStatus status = QBACKEND_FAILURE;
};

/// Adds networks and their calibration to the module.
void addModels(py::module_ &m);

#endif // QBACKEND_PYTHON_NATIVE_H
