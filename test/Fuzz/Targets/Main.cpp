// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What gives inputs to a fuzz target where there is no libFuzzer, which is
// clang's: seeds, and random changes of them. It takes libFuzzer's arguments
// and leaves, as that does, the input that ended it.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv)
    __attribute__((weak));
// Of the sanitizers, if there are any.
extern "C" void __sanitizer_set_death_callback(void (*callback)())
    __attribute__((weak));

static std::string current, artifact = "crash-input";

/// Nothing here allocates: the heap may be what is broken.
static void saveInput() {
  int file = open(artifact.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  (void)!write(file, current.data(), current.size());
  close(file);
  const char said[] = "error: the target ended on the input in ";
  (void)!write(STDERR_FILENO, said, sizeof(said) - 1);
  (void)!write(STDERR_FILENO, artifact.data(), artifact.size());
  (void)!write(STDERR_FILENO, "\n", 1);
}

static void endBySignal(int number) {
  std::signal(number, SIG_DFL);
  saveInput();
  raise(number);
}

static void runInput(unsigned seconds) {
  alarm(seconds);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(current.data()),
                         current.size());
  alarm(0);
}

static std::string readFile(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The words of a dictionary: name="text", with \xAB, \\ and \" in the text.
static std::vector<std::string> readDictionary(const std::string &path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    size_t begin = line.find('"'), end = line.rfind('"');
    if (line.empty() || line[0] == '#' || begin == end)
      continue;
    std::string word;
    for (size_t i = begin + 1; i < end; ++i) {
      if (line[i] == '\\' && line[i + 1] == 'x') {
        word += char(std::stoi(line.substr(i + 2, 2), nullptr, 16));
        i += 3;
      } else {
        i += line[i] == '\\';
        word += line[i];
      }
    }
    words.push_back(word);
  }
  return words;
}

namespace {
class Mutator {
public:
  Mutator(uint64_t seed, const std::vector<std::string> &seeds,
          const std::vector<std::string> &words)
      : random(seed), seeds(seeds), words(words) {}

  std::string next() {
    std::string data = pick(seeds);
    for (size_t changes = 1 + below(4); changes; --changes)
      change(data);
    return data;
  }

private:
  size_t below(size_t end) { return end ? random() % end : 0; }
  const std::string &pick(const std::vector<std::string> &from) {
    return from[below(from.size())];
  }

  void change(std::string &data) {
    size_t at = below(data.size() + 1), count = below(data.size() - at + 1);
    switch (below(9)) {
    case 0: // A bit.
      if (at < data.size())
        data[at] ^= char(1 << below(8));
      break;
    case 1: { // A number in binary.
      static const uint64_t numbers[] = {
          0, 1, 0x7f, 0xff, 1ull << 31, 1ull << 32, 1ull << 62, ~0ull};
      uint64_t number = numbers[below(std::size(numbers))];
      size_t size = std::min<size_t>(size_t(1) << below(4), data.size() - at);
      std::memcpy(&data[at], &number, size);
      break;
    }
    case 2: // Less.
      data.erase(at, 1 + below(std::min<size_t>(count, 64)));
      break;
    case 3: // Twice.
      data.insert(at, data.substr(at, below(64)));
      break;
    case 4: // Of another seed.
    case 5: {
      const std::string &other = pick(seeds);
      data.replace(at, below(std::min<size_t>(count, 64) + 1),
                   other.substr(below(other.size() + 1), below(128)));
      break;
    }
    case 6: { // A number in digits.
      size_t digit = data.find_first_of("0123456789", at);
      static const char *const numbers[] = {
          "0",     "-1",  "1", "255", "4294967296", "9223372036854775807",
          "1e400", "nan", "?"};
      if (digit != std::string::npos)
        data.replace(digit, 1, numbers[below(std::size(numbers))]);
      break;
    }
    case 7: // A word.
    case 8:
      if (!words.empty())
        data.replace(at, below(2) * below(std::min<size_t>(count, 16) + 1),
                     pick(words));
      break;
    }
  }

  std::mt19937_64 random;
  const std::vector<std::string> &seeds, &words;
};
} // namespace

int main(int argc, char **argv) {
  uint64_t seed = 1;
  double seconds = 1e9;
  int64_t runs = -1;
  unsigned timeout = 60;
  std::vector<std::string> seeds, words;
  std::vector<std::filesystem::path> files;
  if (LLVMFuzzerInitialize)
    LLVMFuzzerInitialize(&argc, &argv);
  bool isReplay = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    std::string value = argument.substr(argument.find('=') + 1);
    if (argument.rfind("-max_total_time=", 0) == 0)
      seconds = std::stod(value);
    else if (argument.rfind("-runs=", 0) == 0)
      runs = std::stoll(value);
    else if (argument.rfind("-seed=", 0) == 0)
      seed = std::stoull(value);
    else if (argument.rfind("-timeout=", 0) == 0)
      timeout = std::stoul(value);
    else if (argument.rfind("-artifact_prefix=", 0) == 0)
      artifact = value + artifact;
    else if (argument.rfind("-dict=", 0) == 0)
      words = readDictionary(value);
    else if (argument[0] == '-')
      std::fprintf(stderr, "%s has no effect without libFuzzer\n", argv[i]);
    else if (std::filesystem::is_directory(argument))
      for (const auto &entry : std::filesystem::directory_iterator(argument))
        files.push_back(entry.path());
    else {
      files.push_back(argument);
      isReplay = true;
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path &file : files)
    seeds.push_back(readFile(file));
  for (int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM})
    std::signal(number, endBySignal);
  if (__sanitizer_set_death_callback)
    __sanitizer_set_death_callback(saveInput);
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  int64_t done = 0;
  auto isOver = [&] { return done == runs || Clock::now() >= end; };
  for (size_t i = 0; isReplay && i < seeds.size(); ++i, ++done) {
    current = seeds[i];
    runInput(timeout);
  }
  if (seeds.empty())
    seeds.push_back("");
  Mutator mutator(seed, seeds, words);
  while (!isReplay && !isOver()) {
    current = mutator.next();
    runInput(timeout);
    ++done;
  }
  std::printf("Done %lld runs of %zu seeds\n", (long long)done, seeds.size());
  return 0;
}
