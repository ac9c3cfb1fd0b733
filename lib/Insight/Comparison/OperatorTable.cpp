// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of operators as a table for a terminal.

#include "qbackend/Insight/Comparison/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace qbackend;
using namespace qbackend::evaluation;
using llvm::ArrayRef;
using llvm::StringRef;

std::array<double, 4> evaluation::getParts(const OperatorErrors &op) {
  std::array<double, 4> parts = {op.weight.noise, op.bias.noise, op.clip.noise,
                                 op.round.noise};
  double sum = parts[0] + parts[1] + parts[2] + parts[3];
  for (double &part : parts)
    part = sum > 0 ? 100 * part / sum : 0;
  return parts;
}

std::string evaluation::formatDecibels(double value) {
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f", value);
  return text;
}

static std::string format(const char *pattern, double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(pattern, value);
  return text;
}

/// The end of `text` in `width` columns: names differ there.
static std::string cut(StringRef text, size_t width) {
  if (text.size() <= width)
    return text.str();
  return width < 4 ? text.take_back(width).str()
                   : ".." + text.take_back(width - 2).str();
}

/// `text` in lines of `width` columns, those after the first one indented.
static void wrap(StringRef text, size_t width, StringRef indent,
                 llvm::raw_ostream &os) {
  size_t column = indent.size();
  bool isFirst = true;
  llvm::SmallVector<StringRef> words;
  text.split(words, ' ');
  for (StringRef word : words) {
    if (!isFirst && column + 1 + word.size() > width) {
      os << "\n" << indent;
      column = indent.size();
    } else if (!isFirst) {
      os << " ";
      ++column;
    }
    os << word;
    column += word.size();
    isFirst = false;
  }
  os << "\n";
}

namespace {
struct Column {
  std::string title;
  bool isText;
  /// Left out first if the terminal is narrow; 0: never.
  unsigned priority;
  std::vector<std::string> cells;
  size_t width = 0;
};
} // namespace

static std::vector<Column> getColumns(ArrayRef<OperatorErrors> operators,
                                      ArrayRef<Finding> findings) {
  std::vector<Column> columns = {
      {"#", false, 0, {}, 0},       {"operator", true, 0, {}, 0},
      {"kind", true, 3, {}, 0},     {"type", true, 4, {}, 0},
      {"local", false, 0, {}, 0},   {"cumul", false, 0, {}, 0},
      {"cosine", false, 5, {}, 0},  {"max err", false, 2, {}, 0},
      {"weight%", false, 1, {}, 0}, {"bias%", false, 1, {}, 0},
      {"clip%", false, 1, {}, 0},   {"round%", false, 1, {}, 0},
      {"cause", true, 0, {}, 0}};
  for (auto [rank, finding] : llvm::enumerate(findings)) {
    const OperatorErrors &op = operators[finding.op];
    std::array<double, 4> parts = getParts(op);
    std::string cells[] = {
        std::to_string(rank + 1),
        op.name,
        op.kind,
        op.range ? op.range->dtype : "f32",
        op.local.elements ? formatDecibels(op.local.getSqnr()) : "-",
        formatDecibels(op.cumulative.getSqnr()),
        format("%.5f", op.local.getCosine()),
        format("%.3g", op.local.largest),
        format("%.0f", parts[0]),
        format("%.0f", parts[1]),
        format("%.0f", parts[2]),
        format("%.0f", parts[3]),
        getCauseName(finding.cause).str()};
    for (auto [column, cell] : llvm::zip_equal(columns, cells))
      column.cells.push_back(std::move(cell));
  }
  for (Column &column : columns) {
    column.width = column.title.size();
    for (const std::string &cell : column.cells)
      column.width = std::max(column.width, cell.size());
  }
  return columns;
}

void evaluation::printOperators(ArrayRef<OperatorErrors> operators,
                                ArrayRef<Finding> findings, unsigned width,
                                llvm::raw_ostream &os) {
  std::vector<Column> columns = getColumns(operators, findings);
  auto getWidth = [&] {
    size_t sum = columns.size() - 1;
    for (const Column &column : columns)
      sum += column.width;
    return sum;
  };
  // Names are cut to 16 columns, then columns are left out, then all is cut.
  Column &name = columns[1];
  auto cutNames = [&](size_t least) {
    size_t wanted = getWidth();
    if (wanted > width)
      name.width -=
          std::min(wanted - width, name.width - std::min(name.width, least));
  };
  size_t full = name.width;
  cutNames(16);
  for (unsigned priority = 5; priority > 0 && getWidth() > width; --priority) {
    llvm::erase_if(columns, [&](const Column &column) {
      return column.priority == priority;
    });
    columns[1].width = full;
    size_t wanted = getWidth();
    if (wanted > width)
      columns[1].width -=
          std::min(wanted - width, full - std::min<size_t>(full, 16));
  }
  os << "errors of operators, the worst first (SQNR in dB: local, of the "
        "operator "
        "alone; cumulative, of all up to it)\n";
  auto printRow = [&](llvm::function_ref<std::string(const Column &)> getCell) {
    std::string line;
    for (const Column &column : columns) {
      std::string cell = cut(getCell(column), column.width);
      if (!line.empty())
        line += ' ';
      std::string padding(column.width - cell.size(), ' ');
      line += column.isText ? cell + padding : padding + cell;
    }
    os << StringRef(line).rtrim() << "\n";
  };
  printRow([](const Column &column) { return column.title; });
  for (size_t i = 0; i < findings.size(); ++i)
    printRow([&](const Column &column) { return column.cells[i]; });
  unsigned missing = llvm::count_if(operators, [](const OperatorErrors &op) {
    return op.kernel.empty() && !op.isCompared();
  });
  if (missing) {
    os << missing << " operators were not found in the other module: ";
    unsigned shown = 0;
    for (const OperatorErrors &op : operators)
      if (op.kernel.empty() && !op.isCompared() && ++shown <= 8)
        os << (shown > 1 ? ", " : "") << op.name;
    os << (missing > 8 ? ", ...\n" : "\n");
  }
  os << "\n";
  printFindings(operators, findings.take_front(kExplained), width, os);
}

void evaluation::printFindings(ArrayRef<OperatorErrors> operators,
                               ArrayRef<Finding> findings, unsigned width,
                               llvm::raw_ostream &os) {
  for (auto [rank, finding] : llvm::enumerate(findings)) {
    if (finding.cause == Cause::None)
      continue;
    const OperatorErrors &op = operators[finding.op];
    wrap((llvm::Twine(rank + 1) + ". " + op.name + " (" + op.kind +
          "): " + finding.reason)
             .str(),
         width, "   ", os);
    // Not broken: it is there to be pasted.
    llvm::SmallVector<StringRef> lines;
    StringRef(finding.suggestion).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      os << "   " << line << "\n";
    if (finding.gain && !lines.empty())
      os << "   tried: " << llvm::format("%+.2f dB", *finding.gain)
         << (finding.change.kind == Suggestion::Float
                 ? ", " + std::to_string(op.multiplyAccumulates) +
                       " multiply-accumulates in float\n"
                 : std::string("\n"));
  }
}
