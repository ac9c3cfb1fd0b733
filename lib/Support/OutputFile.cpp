// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are written completely or not at all.

#include "qbackend/Support/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/Signals.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace qbackend;

/// Whether a process of this number is there, as far as can be seen from here.
static bool isAlive(pid_t process) {
  return kill(process, 0) == 0 || errno != ESRCH;
}

/// Removes `file` unless somebody has it locked: a process of another machine
/// or container, whose number says nothing here.
static void removeUnlocked(StringRef file) {
  // A pipe of this name would be waited for.
  int descriptor =
      open(file.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0)
    return;
  struct stat found;
  if (fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) &&
      flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    sys::fs::remove(file);
  close(descriptor);
}

std::string qbackend::getPathBeside(StringRef path, const Twine &suffix) {
  constexpr size_t longest = 100, kept = 60;
  size_t slash = path.rfind('/') + 1;
  StringRef name = path.drop_front(slash);
  if (name.size() <= longest)
    return (path + "." + suffix).str();
  // Not in the middle of a character.
  size_t end = kept;
  while (end > 0 && (name[end] & 0xc0) == 0x80)
    --end;
  // The Python package has the same names (python/qbackend/files.py).
  std::string digest =
      toHex(SHA256::hash(arrayRefFromStringRef(name)), /*LowerCase=*/true);
  return (path.take_front(slash + end) + "-" +
          StringRef(digest).take_front(16) + "." + suffix)
      .str();
}

/// The file that a name is of: where its links lead, be it there or not. As the
/// kernel does, it refuses links that somebody else put into a folder in which
/// everybody may. Empty for an open file of a process, such as /dev/stdout:
/// what is written has to go there, not in its place.
static ErrorOr<std::string> followLinks(StringRef path) {
  constexpr unsigned mostLinks = 40; // Linux's limit.
  SmallString<128> name(path);
  for (unsigned i = 0; i < mostLinks; ++i) {
    struct stat link, folder;
    if (lstat(name.c_str(), &link) != 0 || !S_ISLNK(link.st_mode))
      return name.str().str();
    SmallString<128> parent = sys::path::parent_path(name);
    if (parent.empty())
      parent = ".";
    SmallString<128> whole;
    if (!sys::fs::real_path(parent, whole) &&
        StringRef(whole).starts_with("/proc/"))
      return std::string();
    constexpr mode_t everybodys = S_ISVTX | S_IWOTH;
    if (stat(parent.c_str(), &folder) == 0 &&
        (folder.st_mode & everybodys) == everybodys &&
        link.st_uid != geteuid() && link.st_uid != folder.st_uid)
      return std::make_error_code(std::errc::permission_denied);
    char text[PATH_MAX];
    ssize_t size = readlink(name.c_str(), text, sizeof(text));
    if (size < 0)
      return errnoAsErrorCode();
    SmallString<128> next(StringRef(text, size));
    if (sys::path::is_relative(next)) {
      sys::path::append(parent, next);
      next = parent;
    }
    name = next;
  }
  return std::make_error_code(std::errc::too_many_symbolic_link_levels);
}

std::string qbackend::getDestination(StringRef path) {
  ErrorOr<std::string> file = followLinks(path);
  return file && !file->empty() ? *file : path.str();
}

/// Gives a new file the owner, group and permissions of the one it replaces.
/// Only root gives files away, and only a member a group: else the bits of the
/// group are no more than everybody's.
static void givePermissions(int descriptor, const struct stat &before) {
  mode_t mode = before.st_mode & 0777;
  struct stat now;
  if (fchown(descriptor, before.st_uid, before.st_gid) != 0 &&
      fchown(descriptor, -1, before.st_gid) != 0 &&
      (fstat(descriptor, &now) != 0 || now.st_gid != before.st_gid))
    mode &= ~070 | (mode & 07) << 3;
  fchmod(descriptor, mode);
  errno = 0;
}

/// Removes what is left of processes that were killed while they wrote `path`.
static void removeLeftovers(StringRef path) {
  StringRef folder = sys::path::parent_path(path);
  std::string whole = getPathBeside(path, "");
  StringRef prefix = sys::path::filename(whole);
  std::error_code error;
  for (sys::fs::directory_iterator file(folder.empty() ? "." : folder, error),
       end;
       !error && file != end; file.increment(error)) {
    StringRef name = sys::path::filename(file->path());
    pid_t process;
    // PID-xxxxxx.tmp, and what libzip appends to that.
    if (name.consume_front(prefix) && !name.consumeInteger(10, process) &&
        name.starts_with("-") && name.substr(7).starts_with(".tmp") &&
        process > 0 && !isAlive(process))
      removeUnlocked(file->path());
  }
}

static bool removesOnSignals = false;

void OutputFile::removeOnSignals() { removesOnSignals = true; }

OutputFile::OutputFile(StringRef path) : path(path) {
  if (path == "-") {
    target = &outs();
    return;
  }
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path)) {
    owned = std::make_unique<raw_fd_ostream>(path, openError);
    target = owned.get();
    return;
  }
  ErrorOr<std::string> file = followLinks(path);
  if (!file) {
    openError = file.getError();
    return;
  }
  if (file->empty()) {
    owned =
        std::make_unique<raw_fd_ostream>(path, openError, sys::fs::OF_Append);
    target = owned.get();
    return;
  }
  destination = *file;
  removeLeftovers(destination);
  struct stat before;
  bool isNew = stat(destination.c_str(), &before) != 0;
  int descriptor;
  std::string name;
  // LLVM would take a percent sign of the path for a placeholder.
  do {
    name = getPathBeside(
        destination,
        Twine(sys::Process::getProcessId()) + "-" +
            utohexstr(sys::Process::GetRandomNumber() & 0xffffff, true, 6) +
            ".tmp");
    openError =
        sys::fs::openFileForWrite(name, descriptor, sys::fs::CD_CreateNew,
                                  sys::fs::OF_None, isNew ? 0666 : 0600);
  } while (openError == std::errc::file_exists);
  if (openError)
    return;
  // Before there is anything in it that not everybody may read.
  if (!isNew)
    givePermissions(descriptor, before);
  flock(descriptor, LOCK_EX | LOCK_NB);
  temporary = name;
  if (removesOnSignals)
    sys::RemoveFileOnSignal(temporary);
  owned = std::make_unique<raw_fd_ostream>(descriptor, /*shouldClose=*/true);
  target = owned.get();
}

void OutputFile::discard() {
  if (!isRenamed())
    return;
  sys::fs::remove(temporary);
  if (removesOnSignals)
    sys::DontRemoveFileOnSignal(temporary);
}

/// Writes what is buffered, and closes what is not everybody's. Returns what
/// went wrong in that or before.
static std::error_code finish(raw_fd_ostream &os) {
  if (&os == &outs())
    os.flush();
  else
    os.close();
  std::error_code error = os.error();
  // A stream that has an error left ends the program.
  os.clear_error();
  return error;
}

std::error_code OutputFile::commit() {
  if (openError)
    return openError;
  std::error_code error = finish(*target);
  target = nullptr;
  owned.reset();
  // libzip has put another file in the place of the one that was opened.
  struct stat before;
  if (!error && isRenamed() && stat(destination.c_str(), &before) == 0)
    if (int file = open(temporary.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
        file >= 0) {
      givePermissions(file, before);
      close(file);
    }
  if (!error && isRenamed())
    error = sys::fs::rename(temporary, destination);
  if (error)
    discard();
  else if (isRenamed() && removesOnSignals)
    sys::DontRemoveFileOnSignal(temporary);
  return error;
}

OutputFile::~OutputFile() {
  if (!target)
    return;
  finish(*target);
  owned.reset();
  discard();
}

std::error_code qbackend::writeFile(StringRef path, StringRef text) {
  OutputFile file(path);
  if (!file.error())
    file.os() << text;
  return file.commit();
}

Error qbackend::checkWritable(StringRef path) {
  if (path.empty() || path == "-")
    return Error::success();
  auto fail = [&](const Twine &why) {
    return createStringError("cannot write '" + path + "': " + why);
  };
  if (sys::fs::is_directory(path))
    return fail("it is a directory; name a file in it");
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path))
    return Error::success();
  ErrorOr<std::string> file = followLinks(path);
  if (!file)
    return fail(file.getError().message());
  if (file->empty())
    return Error::success();
  StringRef folder = sys::path::parent_path(*file);
  if (folder.empty())
    folder = ".";
  if (!sys::fs::exists(folder))
    return fail("directory '" + folder + "' does not exist");
  if (!sys::fs::is_directory(folder))
    return fail("'" + folder + "' is not a directory");
  if (std::error_code error =
          sys::fs::access(folder, sys::fs::AccessMode::Write))
    return fail("directory '" + folder + "': " + error.message());
  return Error::success();
}
