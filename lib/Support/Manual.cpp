// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Manual pages and shell completion of a program, from the tables that its
// options are in.

#include "qbackend/Support/Manual.h"

#include "qbackend/Support/Arguments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

namespace {
/// An option as it is written.
struct OptionText {
  /// "--input" or "-o".
  std::string flag;
  /// "FILE[:ARRAY]"; empty if it takes no value.
  std::string value;
  std::string help;
  /// The values that there are; empty: files, or what nobody can list.
  SmallVector<StringRef> choices;
};

struct CommandText {
  /// Empty for the program itself.
  std::string name, help;
  std::vector<OptionText> options;
};
} // namespace

static std::vector<OptionText> listOptions(cl::SubCommand &command,
                                           const Program &program) {
  std::vector<OptionText> options;
  for (const auto &[name, option] : cl::getRegisteredOptions(command)) {
    if (program.isListed ? !program.isListed(name)
                         : option->getOptionHiddenFlag() != cl::NotHidden)
      continue;
    OptionText text;
    text.flag = ((name.size() > 1 ? "--" : "-") + name).str();
    bool isLiteral = name != option->ArgStr;
    if (isLiteral && program.describe)
      text.help = program.describe(name);
    if (!isLiteral) {
      text.help = option->HelpStr.str();
      if (option->getValueExpectedFlag() == cl::ValueRequired)
        text.value =
            option->ValueStr.empty() ? "VALUE" : option->ValueStr.str();
    }
    options.push_back(std::move(text));
  }
  llvm::sort(options, [](const OptionText &a, const OptionText &b) {
    return a.flag < b.flag;
  });
  for (OptionText &option : options)
    if (StringRef(option.value).contains('|'))
      StringRef(option.value).split(option.choices, '|');
  return options;
}

static std::vector<CommandText> listCommands(const Program &program) {
  std::vector<CommandText> commands;
  commands.push_back(
      {"", "", listOptions(cl::SubCommand::getTopLevel(), program)});
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (command != &cl::SubCommand::getTopLevel() &&
        command != &cl::SubCommand::getAll() && !command->getName().empty())
      commands.push_back({command->getName().str(),
                          command->getDescription().str(),
                          listOptions(*command, program)});
  llvm::sort(commands, [](const CommandText &a, const CommandText &b) {
    return a.name < b.name;
  });
  return commands;
}

/// "a, b or c".
static std::string listChoices(const Key &key) {
  return key.choices.empty() ? "" : " (" + join(key.choices, ", ") + ")";
}

//===----------------------------------------------------------------------===//
// For a terminal
//===----------------------------------------------------------------------===//

/// Prints `text` in lines of 80 columns; the first one goes on at `column`.
static void printWrapped(StringRef text, size_t column, size_t indent,
                         raw_ostream &os) {
  if (indent > 0 && column + 1 > indent) {
    os << "\n";
    column = 0;
  }
  os.indent(indent - column);
  column = indent;
  SmallVector<StringRef> words;
  SplitString(text, words);
  for (StringRef word : words) {
    if (column > indent && column + word.size() + 1 > 79) {
      os << "\n";
      os.indent(indent);
      column = indent;
    }
    if (column > indent) {
      os << " ";
      ++column;
    }
    os << word;
    column += word.size();
  }
  os << "\n";
}

static void printOptions(ArrayRef<OptionText> options, raw_ostream &os) {
  for (const OptionText &option : options) {
    std::string left = "  " + option.flag;
    if (!option.value.empty())
      left += (option.flag.size() > 2 ? "=" : " ") + option.value;
    os << left;
    if (option.help.empty())
      os << "\n";
    else
      printWrapped(option.help, left.size(), 28, os);
  }
}

void qbackend::printHelp(const Program &program, raw_ostream &os) {
  os << "usage: " << program.name << " " << program.synopsis << "\n\n";
  printWrapped(program.summary, 0, 0, os);
  std::vector<CommandText> commands = listCommands(program);
  if (commands.size() > 1)
    os << "\nCommands:\n";
  for (const CommandText &command : ArrayRef(commands).drop_front()) {
    os << "  " << command.name;
    printWrapped(command.help, 2 + command.name.size(), 28, os);
  }
  os << "\nOptions:\n";
  printOptions(commands.front().options, os);
  if (program.keys.empty())
    return;
  os << "\nKeys of --apply-backend=BACKEND, anywhere on the line as key=value "
        "or --key=value:\n";
  for (const Key &key : program.keys) {
    os << "  " << key.name << "=";
    printWrapped(key.help + listChoices(key), key.name.size() + 3, 28, os);
  }
  os << "\nBuilt-in backends: " << join(program.backends, ", ") << "\n";
}

//===----------------------------------------------------------------------===//
// For man
//===----------------------------------------------------------------------===//

/// `text` for man: dashes that can be copied, and no line that is a request.
static std::string escape(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '-' || c == '\\')
      result += '\\';
    if (result.empty() && (c == '.' || c == '\''))
      result += "\\&";
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

static void printManualOptions(ArrayRef<OptionText> options, raw_ostream &os) {
  for (const OptionText &option : options) {
    os << ".TP\n\\fB" << escape(option.flag) << "\\fR";
    if (!option.value.empty())
      os << (option.flag.size() > 2 ? "=" : " ") << "\\fI"
         << escape(option.value) << "\\fR";
    os << "\n" << escape(option.help) << "\n";
  }
}

void qbackend::printManual(const Program &program, raw_ostream &os) {
  std::vector<CommandText> commands = listCommands(program);
  os << ".TH " << StringRef(program.name).upper() << " 1\n.SH NAME\n"
     << escape(program.name) << " \\- " << escape(program.summary)
     << "\n.SH SYNOPSIS\n.B " << escape(program.name) << "\n"
     << escape(program.synopsis) << "\n";
  if (commands.size() > 1)
    os << ".SH COMMANDS\n";
  for (const CommandText &command : ArrayRef(commands).drop_front())
    os << ".TP\n\\fB" << escape(command.name) << "\\fR\n"
       << escape(command.help) << "\n";
  os << ".SH OPTIONS\n";
  printManualOptions(commands.front().options, os);
  for (const CommandText &command : ArrayRef(commands).drop_front()) {
    os << ".SS Options of " << escape(command.name) << "\n";
    printManualOptions(command.options, os);
  }
  if (!program.keys.empty()) {
    os << ".SH KEYS OF \\-\\-apply\\-backend\nAnywhere on the line, as "
          "key=value.\n";
    for (const Key &key : program.keys)
      os << ".TP\n\\fB" << escape(key.name) << "\\fR=\n"
         << escape(key.help + listChoices(key)) << "\n";
    os << ".SH BACKENDS\nBuilt in are " << escape(join(program.backends, ", "))
       << ".\n";
  }
}

//===----------------------------------------------------------------------===//
// For bash
//===----------------------------------------------------------------------===//

/// The words that complete an option: with "=" where a value follows.
static std::string listFlags(ArrayRef<OptionText> options) {
  return join(map_range(options,
                        [](const OptionText &option) {
                          bool hasValue =
                              !option.value.empty() && option.flag.size() > 2;
                          return option.flag + (hasValue ? "=" : "");
                        }),
              " ");
}

static void printCase(StringRef pattern, const Twine &words, raw_ostream &os) {
  os << "  " << pattern << ")\n    words=\"" << words << "\"\n    ;;\n";
}

void qbackend::printBashCompletion(const Program &program, raw_ostream &os) {
  std::string function = "_" + program.name;
  llvm::replace(function, '-', '_');
  std::vector<CommandText> commands = listCommands(program);
  os << "# bash completion for " << program.name
     << ", made from the tables of its options\n"
     << function
     << "() {\n"
     // "=" and ":" end a word for bash, but not for us.
     << "  local line=${COMP_LINE:0:COMP_POINT}\n"
     << "  local word=${line##*[[:space:]]} words=\"\" command=\"\" "
        "flags=\"\"\n"
     << "  COMPREPLY=()\n";
  std::string names;
  for (const CommandText &command : ArrayRef(commands).drop_front())
    names += (names.empty() ? "" : " ") + command.name;
  os << "  flags=\"" << listFlags(commands.front().options) << "\"\n";
  if (!names.empty()) {
    os << "  command=${COMP_WORDS[1]}\n  case $command in\n";
    for (const CommandText &command : ArrayRef(commands).drop_front())
      os << "  " << command.name << ") flags=\"" << listFlags(command.options)
         << "\" ;;\n";
    os << "  *) command=\"\" ;;\n  esac\n";
  }
  os << "  case $word in\n";
  SmallVector<std::string> seen;
  for (const CommandText &command : commands)
    for (const OptionText &option : command.options)
      if (!option.choices.empty() && !is_contained(seen, option.flag)) {
        seen.push_back(option.flag);
        printCase(option.flag + "=*", join(option.choices, " "), os);
      }
  for (const Key &key : program.keys)
    if (!key.choices.empty())
      printCase(key.name + "=* | --" + key.name + "=*", join(key.choices, " "),
                os);
  if (!program.backends.empty())
    printCase("--apply-backend=* | backend=*", join(program.backends, " "), os);
  os << "  *=*) ;;\n  -*)\n    words=$flags\n    ;;\n";
  if (!names.empty())
    os << "  *)\n    [ -n \"$command\" ] || words=\"" << names
       << "\"\n    ;;\n";
  if (!program.keys.empty()) {
    std::string keys;
    for (const Key &key : program.keys)
      keys += (keys.empty() ? "" : " ") + key.name + "=";
    os << "  *)\n    [[ $line != *--apply-backend* ]] || words=\"" << keys
       << "\"\n    ;;\n";
  }
  os << "  esac\n"
     << "  word=${word#*=}\n"
     << "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
     << "  if [[ $words != *=* || -n $word && ${#COMPREPLY[@]} -eq 0 ]]; then\n"
     << "    [ -n \"$words\" ] && [ ${#COMPREPLY[@]} -gt 0 ] ||\n"
     << "      mapfile -t COMPREPLY < <(compgen -f -- \"${word##*[:,]}\")\n"
     << "  fi\n"
     << "  [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
     << "}\n"
     << "complete -o filenames -F " << function << " " << program.name << "\n";
}

Error qbackend::checkArguments(ArrayRef<char *> arguments,
                               const Program &program) {
  std::vector<CommandText> commands = listCommands(program);
  cl::SubCommand *parsed = &cl::SubCommand::getTopLevel();
  const CommandText *command = &commands.front();
  if (commands.size() > 1 && !arguments.empty()) {
    StringRef first = arguments.front();
    for (cl::SubCommand *each : cl::getRegisteredSubcommands())
      if (!first.empty() && each->getName() == first)
        parsed = each;
    for (const CommandText &each : commands)
      if (each.name == first)
        command = &each;
    if (command->name.empty() && !first.starts_with("-")) {
      SmallVector<StringRef> names;
      for (const CommandText &each : ArrayRef(commands).drop_front())
        names.push_back(each.name);
      StringRef nearest = findNearest(first, names);
      return createStringError(
          "no command '" + first + "'" +
          (nearest.empty() ? Twine() : "; did you mean '" + nearest + "'?") +
          (nearest.empty() ? "; there are " : " There are ") +
          join(names, ", "));
    }
  }
  const auto &registered = cl::getRegisteredOptions(*parsed);
  SmallVector<StringRef> flags;
  for (const OptionText &option : command->options)
    flags.push_back(option.flag);
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--")
      break;
    bool isOption = argument.starts_with("-") && argument != "-";
    auto [flag, value] = argument.split('=');
    StringRef name = flag.ltrim('-');
    auto option = registered.find(name);
    if (isOption && option != registered.end()) {
      i += !argument.contains('=') &&
           option->second->getValueExpectedFlag() == cl::ValueRequired;
      continue;
    }
    // A key without its dashes is no file, either.
    bool isKey = !isOption && argument.contains('=') &&
                 is_contained(flags, ("--" + flag).str()) &&
                 !sys::fs::exists(argument);
    if (!isOption && !isKey)
      continue;
    StringRef nearest = findNearest(("--" + name).str(), flags);
    return createStringError(
        "no option '" + flag + "'" +
        (nearest.empty() ? "; " : "; did you mean '" + nearest + "'? ") +
        "--help lists them");
  }
  return Error::success();
}

bool qbackend::printDocumentation(int argc, char **argv,
                                  const Program &program) {
  if (argc != 2)
    return false;
  StringRef form = argv[1];
  if (form == "--print-manual")
    printManual(program, outs());
  else if (form == "--print-completion")
    printBashCompletion(program, outs());
  else
    return false;
  return true;
}
