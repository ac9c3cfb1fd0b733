// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selectors of mappings, and patterns that no mapping is for.

#include "Describe.h"
#include "Findings.h"

#include "qbackend/Transforms/Analysis/QConfigTable.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::inspection;

/// Kinds that nobody has heard of.
static void checkSelectors(BackendConfigOp backend, Findings &findings) {
  SmallVector<StringRef> known = getKnownKinds(backend);
  for (QConfigMappingOp mapping : getMappings(backend)) {
    for (QConfigOp entry : getEntries(mapping)) {
      std::optional<StringRef> kind;
      if (entry.getLevel() == QConfigLevel::ObjectType)
        kind = entry.getSelector();
      else if (entry.getLevel() == QConfigLevel::ModuleNameObjectTypeOrder)
        kind = entry.getObjectType();
      if (kind && !llvm::is_contained(known, *kind))
        findings.error(entry,
                       "mapping @" + mapping.getSymName() +
                           " selects the kind \"" + *kind +
                           "\", which does not exist",
                       "the nearest are " + listNearest(*kind, known));
    }
  }
}

namespace {
/// What the mappings of a backend have for one pattern.
struct Verdicts {
  /// Why the default mapping doesn't fit; empty if it does or has no qconfig.
  std::string reason, otherReason;
  /// The first mapping that fits, and the first one that doesn't.
  QConfigMappingOp fitting, other;
};
} // namespace

static Verdicts judge(BackendConfigOp backend, PatternConfigOp pattern,
                      PatternAttr config) {
  Verdicts verdicts;
  bool weighted = hasWeight(pattern);
  for (QConfigMappingOp mapping : getMappings(backend)) {
    QConfigOp entry = lookupKind(mapping, getQConfigKind(pattern));
    if (!entry || !entry.getConfig())
      continue;
    std::string reason =
        whyUnsupported(config, getChosenQConfig(pattern, *entry.getConfig()),
                       weighted, weighted);
    if (reason.empty()) {
      if (!verdicts.fitting)
        verdicts.fitting = mapping;
      continue;
    }
    if (!verdicts.other) {
      verdicts.other = mapping;
      verdicts.otherReason = reason;
    }
    if (mapping.getSymName() == backend.getDefaultQconfig())
      verdicts.reason = reason;
  }
  return verdicts;
}

/// Patterns that the default mapping, or all mappings, leave float. Equal
/// verdicts of several patterns are one finding.
static void checkPatternsFit(BackendConfigOp backend, Findings &findings) {
  struct Group {
    SmallVector<std::string> texts;
    PatternConfigOp first;
    Verdicts verdicts;
  };
  llvm::MapVector<std::pair<Attribute, Attribute>, Group> groups;
  for (PatternConfigOp pattern : getPatterns(backend)) {
    if (!llvm::all_of(pattern.getKinds(), isProduced))
      continue;
    Verdicts verdicts = judge(backend, pattern, pattern.getConfig());
    StringRef reason =
        verdicts.fitting ? verdicts.reason : verdicts.otherReason;
    if (reason.empty())
      continue;
    MLIRContext *context = backend.getContext();
    StringRef fitting =
        verdicts.fitting ? verdicts.fitting.getSymName() : StringRef();
    Group &group = groups[{StringAttr::get(context, reason),
                           StringAttr::get(context, fitting)}];
    if (group.texts.empty())
      group.first = pattern;
    std::string text = stringifyPattern(pattern.getPattern());
    if (!llvm::is_contained(group.texts, text))
      group.texts.push_back(text);
    group.verdicts = verdicts;
  }
  for (auto &[key, group] : groups) {
    std::string text = (group.texts.size() == 1 ? "pattern " : "patterns ") +
                       llvm::join(group.texts, ", ");
    if (group.verdicts.fitting)
      findings.note(group.first,
                    "the default mapping @" + *backend.getDefaultQconfig() +
                        " does not fit " + text + ": " + group.verdicts.reason,
                    "nothing to change, if the qconfig is meant for others; "
                    "mapping @" +
                        group.verdicts.fitting.getSymName() + " fits");
    else
      findings.warn(group.first,
                    "no mapping fits " + text + "; of @" +
                        group.verdicts.other.getSymName() + ": " +
                        group.verdicts.otherReason,
                    "add a dtype config that the qconfig meets, or a mapping");
  }
}

/// Dtype configs that no mapping meets, each one once.
static void checkConstraintsMet(BackendConfigOp backend, Findings &findings) {
  struct State {
    PatternConfigOp first;
    unsigned index;
    Verdicts verdicts;
    bool met = false, supported = false;
  };
  llvm::MapVector<DTypeConfigAttr, State> configs;
  for (PatternConfigOp pattern : getPatterns(backend)) {
    if (!llvm::all_of(pattern.getKinds(), isProduced))
      continue;
    bool supported = bool(judge(backend, pattern, pattern.getConfig()).fitting);
    for (auto [i, config] : llvm::enumerate(
             pattern.getConfig().getDtypes().getAsRange<DTypeConfigAttr>())) {
      State &state = configs[config];
      Verdicts verdicts = judge(backend, pattern, getOnly(config));
      state.met |= bool(verdicts.fitting);
      // Patterns that fit nothing are a finding of their own.
      if (!verdicts.other || !supported || state.supported)
        continue;
      state.supported = true;
      state.first = pattern;
      state.index = i;
      state.verdicts = verdicts;
    }
  }
  for (auto &[config, state] : configs) {
    if (state.met || !state.supported)
      continue;
    // The reason starts with the index that the config has alone.
    StringRef reason = StringRef(state.verdicts.otherReason).split(": ").second;
    findings.note(state.first,
                  "dtypes[" + Twine(state.index) + "] of pattern " +
                      stringifyPattern(state.first.getPattern()) +
                      " is met by no mapping; of @" +
                      state.verdicts.other.getSymName() + ": " + reason,
                  "nothing to change, if users bring their own qconfig; else "
                  "add a mapping");
  }
}

void inspection::checkMappings(BackendConfigOp backend, Findings &findings) {
  checkSelectors(backend, findings);
  checkPatternsFit(backend, findings);
  checkConstraintsMet(backend, findings);
}
