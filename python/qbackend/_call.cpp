// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics as exceptions, and calls that Ctrl-C ends.

#include "_native.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <unistd.h>

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

void Diagnostics::add(const QBackendDiagnostic *diagnostic, void *user) {
  auto &entries = static_cast<Diagnostics *>(user)->entries;
  Entry entry{diagnostic->severity,
              diagnostic->message,
              diagnostic->file ? diagnostic->file : "",
              diagnostic->line,
              diagnostic->column,
              {}};
  if (diagnostic->severity == QBACKEND_NOTE && !entries.empty())
    entries.back().notes.push_back(std::move(entry));
  else
    entries.push_back(std::move(entry));
}

/// Text of the compiler, which may have any bytes of the user's in it.
static py::object toStr(const std::string &text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), text.size(), "replace"));
}

static py::list toList(const std::vector<Diagnostics::Entry> &entries) {
  const char *const names[] = {"error", "warning", "remark", "note"};
  py::list result;
  for (const Diagnostics::Entry &entry : entries)
    result.append(py::make_tuple(
        names[entry.severity], toStr(entry.message),
        entry.file.empty() ? py::object(py::none()) : toStr(entry.file),
        entry.line, entry.column, toList(entry.notes)));
  return result;
}

py::list Diagnostics::toPython() const { return toList(entries); }

void Diagnostics::fail() const {
  py::object error =
      py::module_::import("qbackend.diagnostics").attr("failure")(toPython());
  PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
  throw py::error_already_set();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// How often signals are looked for, and how long work may take to stop.
static constexpr std::chrono::milliseconds kPoll(50), kPatience(400);

/// Calls that were left to themselves and have not ended.
static std::atomic<int> numAbandoned{0};

/// At the end of the process, what such calls use must not be destroyed.
static void leaveAbandoned(int status, void *) {
  if (numAbandoned == 0)
    return;
  std::fflush(nullptr);
  _exit(status);
}

static bool isMainThread() {
  py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

bool Call::runOnThread(Work work, py::object kept) {
  // The call must not end while the work does.
  std::shared_ptr<Call> self = shared_from_this();
  auto isAbandoned = std::make_shared<std::atomic<bool>>(false);
  auto job = std::make_shared<Work>(std::move(work));
  auto runJob = [self, isAbandoned, job] {
    QBackendStatus found = (*job)(*self);
    *job = nullptr;
    std::lock_guard<std::mutex> lock(self->mutex);
    self->status = found;
    self->isDone = true;
    self->changed.notify_all();
    if (*isAbandoned)
      --numAbandoned;
  };
  py::gil_scoped_release release;
  try {
    std::thread(runJob).detach();
  } catch (const std::system_error &) {
    // The system gives no thread more (`ulimit -u`): the call is done here, and
    // can't be stopped.
    runJob();
  }
  std::unique_lock<std::mutex> lock(mutex);
  auto done = [this] { return isDone; };
  while (!changed.wait_for(lock, kPoll, done)) {
    lock.unlock();
    bool isRaised;
    {
      py::gil_scoped_acquire acquire;
      isRaised = PyErr_CheckSignals() != 0;
    }
    lock.lock();
    if (!isRaised)
      continue;
    stop = true;
    if (interruptsRuns)
      qbackendInterrupt();
    if (!changed.wait_for(lock, kPatience, done)) {
      static std::once_flag once;
      std::call_once(once, [] { on_exit(leaveAbandoned, nullptr); });
      *isAbandoned = true;
      ++numAbandoned;
      // The work still reads them, and has no lock to release them with.
      kept.release();
    }
    return false;
  }
  return true;
}

void Call::run(Work work, py::object kept, bool isShort) {
  if (!isShort && isMainThread()) {
    if (!runOnThread(std::move(work), std::move(kept)))
      throw py::error_already_set();
  } else {
    py::gil_scoped_release release;
    status = work(*this);
  }
  check(status, diagnostics);
}
