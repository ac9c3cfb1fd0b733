// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's parser, behind what keeps a damaged source away from it.

#include "qbackend/Support/ParseModule.h"

#include "Rehearse.h"
#include "qbackend/Support/InputFile.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace qbackend;

/// As deep as clang nests brackets.
static constexpr unsigned maxDepth = 256;

/// How many terms an expression, how many characters a word and how many
/// aliases a text may have before somebody else has to read it first: the
/// parser calls itself for each term, needs the square of the length of a
/// number or shape, and an alias can nest what the one before it stands for.
static constexpr unsigned maxInRow = 1000;

/// A text of so many bytes is always read by somebody else first, which takes
/// milliseconds: the parsers of some ops crash on what they have found wrong.
static constexpr size_t maxShortText = 1 << 20;

namespace {
struct Nesting {
  /// Where there are too many levels.
  std::optional<size_t> tooDeep;
  /// There is more than `maxInRow` of something.
  bool isSuspicious = false;
};
} // namespace

static Nesting findNesting(StringRef text) {
  Nesting result;
  unsigned depth = 0, aliases = 0, terms = 0, characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (llvm::isAlnum(c) || c == '_' || c == '.' || c == '$') {
      result.isSuspicious |= ++characters > maxInRow;
      continue;
    }
    characters = 0;
    switch (c) {
    case '"':
      // Up to the quote that no backslash precedes.
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
      break;
    case '/':
      if (text.substr(i).starts_with("//"))
        i = std::min(text.find('\n', i), text.size()) - 1;
      break;
    case '#':
    case '!':
      if (i == 0 || text[i - 1] == '\n')
        result.isSuspicious |= ++aliases > maxInRow;
      break;
    case '[':
    case '{':
    case '<':
      terms = 0;
      [[fallthrough]];
    case '(':
      if (++depth > maxDepth) {
        result.tooDeep = i;
        return result;
      }
      break;
    case '>':
      // An arrow, or a comparison in an integer set.
      if ((i > 0 && text[i - 1] == '-') ||
          (i + 1 < text.size() && text[i + 1] == '='))
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth > 0;
      break;
    case ',':
    case '=':
      terms = 0;
      break;
    default:
      // Signs, and what is around words such as floordiv.
      result.isSuspicious |= ++terms > maxInRow;
      break;
    }
  }
  return result;
}

std::optional<SourceError>
qbackend::checkSource(llvm::MemoryBufferRef source,
                      const DialectRegistry &registry) {
  bool isBinary = isBytecode(source), isSuspicious = false;
  if (!isBinary) {
    StringRef text = source.getBuffer();
    Nesting nesting = findNesting(text);
    if (nesting.tooDeep) {
      StringRef before = text.take_front(*nesting.tooDeep);
      return SourceError{unsigned(before.count('\n') + 1),
                         unsigned(before.size() - (before.rfind('\n') + 1) + 1),
                         "brackets are nested too deeply, expected at most " +
                             std::to_string(maxDepth) + " levels"};
    }
    isSuspicious = nesting.isSuspicious;
    if (!isSuspicious && text.size() > maxShortText)
      return std::nullopt;
  }
  std::optional<ParsingFailure> failure = rehearseParsing(source, registry);
  if (!failure)
    return std::nullopt;
  // Of plain text the parser crashes only behind an error.
  if (!failure->isStarted && !isBinary && !isSuspicious)
    return std::nullopt;
  if (!failure->isOfSource)
    return SourceError{0, 0, failure->message};
  if (!failure->error.empty() && !isBinary)
    return SourceError{failure->line, failure->column,
                       failure->error + "; behind that, " + failure->message};
  return SourceError{
      0, 0,
      failure->message +
          (isBinary       ? "; the file is damaged, write or copy it again"
           : isSuspicious ? "; expected fewer terms of one expression, digits "
                            "of one number or aliases of aliases"
                          : "; it is not what MLIR prints, write it again")};
}

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
qbackend::readSource(StringRef path) {
  bool isPipe = path != "-" && llvm::sys::fs::exists(path) &&
                !llvm::sys::fs::is_regular_file(path);
  auto text = readFile(path);
  if (!text || !isPipe)
    return text;
  auto renamed = llvm::MemoryBuffer::getMemBufferCopy((*text)->getBuffer(),
                                                      "<" + path + ">");
  if (!renamed)
    return std::make_error_code(std::errc::not_enough_memory);
  return renamed;
}

OwningOpRef<ModuleOp>
qbackend::parseModule(const std::shared_ptr<llvm::SourceMgr> &sources,
                      MLIRContext *context) {
  llvm::MemoryBufferRef source =
      *sources->getMemoryBuffer(sources->getMainFileID());
  if (std::optional<SourceError> error =
          checkSource(source, context->getDialectRegistry())) {
    emitError(FileLineColLoc::get(context, source.getBufferIdentifier(),
                                  error->line, error->column))
        << error->message;
    return {};
  }
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}
