// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Certificates as text and as JSON.

#include "qbackend/Insight/Proof/Prove.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace qbackend;

static StringRef getVerdictName(Verdict verdict) {
  switch (verdict) {
  case Verdict::Proven:
    return "proven";
  case Verdict::Bounded:
    return "bounded";
  case Verdict::Open:
    return "open";
  case Verdict::Counterexample:
    return "counterexample";
  }
  llvm_unreachable("all verdicts are above");
}

/// Bits of the narrowest signed integer that has both ends.
static unsigned countBits(std::pair<int64_t, int64_t> range) {
  unsigned bits = 1;
  while (bits < 64 && (range.first < -(int64_t(1) << (bits - 1)) ||
                       range.second > (int64_t(1) << (bits - 1)) - 1))
    ++bits;
  return bits;
}

static unsigned count(const Certificate &certificate, Verdict verdict) {
  return count_if(certificate.operators, [&](const OperatorProof &proof) {
    return proof.getVerdict() == verdict;
  });
}

void qbackend::printCertificate(const Certificate &certificate,
                                StringRef version, bool timings,
                                raw_ostream &os) {
  os << "qbackend-prove " << version << "\nmodule " << certificate.hash;
  if (!certificate.loweredHash.empty())
    os << "\ncode " << certificate.loweredHash;
  os << "\nform " << certificate.form << "\n\n";
  for (const OperatorProof &proof : certificate.operators) {
    os << proof.number << ". " << proof.name;
    if (!proof.function.empty())
      os << " in @" << proof.function;
    os << ": " << getVerdictName(proof.getVerdict()) << "\n";
    if (!proof.formula.empty())
      os << "   formula: " << proof.formula << "\n";
    for (const ProofStep &step : proof.steps) {
      os << "   " << step.what << ": " << getVerdictName(step.verdict);
      os << (step.verdict <= Verdict::Bounded ? ", by " : ", ") << step.how;
      if (step.verdict == Verdict::Bounded)
        os << ", at most 1 apart";
      if (step.verdict == Verdict::Bounded && step.counted != 0)
        os << " at " << step.differing << " of " << step.counted;
      if (step.cases != 1)
        os << ", " << step.cases << " cases of constants";
      os << "\n";
      if (!step.run.empty())
        os << "      " << step.run << "\n";
    }
    if (!proof.reason.empty())
      os << "   " << proof.reason << "\n";
    if (proof.sums)
      os << "   sums: " << proof.sums->first << " to " << proof.sums->second
         << ", " << countBits(*proof.sums) << " bits of " << proof.accumulator
         << "\n";
  }
  os << "\n"
     << certificate.operators.size()
     << " operators: " << count(certificate, Verdict::Proven) << " proven, "
     << count(certificate, Verdict::Bounded) << " bounded, "
     << count(certificate, Verdict::Open) << " open, "
     << count(certificate, Verdict::Counterexample) << " counterexamples; "
     << certificate.laws << " laws\n";
  if (timings)
    os << format("the solver took %.2f s\n", certificate.seconds);
  if (!certificate.others.empty()) {
    os << "nothing is said about: ";
    interleaveComma(certificate.others, os, [&](const auto &other) {
      os << other.second << " " << other.first;
    });
    os << "\n";
  }
}

void qbackend::printCertificateJson(const Certificate &certificate,
                                    StringRef version, bool timings,
                                    raw_ostream &os) {
  json::OStream json(os, 2);
  json.object([&] {
    json.attribute("tool", "qbackend-prove " + version.str());
    json.attribute("module", certificate.hash);
    if (!certificate.loweredHash.empty())
      json.attribute("code", certificate.loweredHash);
    json.attribute("form", certificate.form);
    json.attribute("verdict", getVerdictName(certificate.getVerdict()));
    json.attributeArray("operators", [&] {
      for (const OperatorProof &proof : certificate.operators)
        json.object([&] {
          json.attribute("number", proof.number);
          json.attribute("op", proof.name);
          json.attribute("function", proof.function);
          json.attribute("verdict", getVerdictName(proof.getVerdict()));
          json.attribute("formula", proof.formula);
          if (!proof.reason.empty())
            json.attribute("reason", proof.reason);
          json.attributeArray("steps", [&] {
            for (const ProofStep &step : proof.steps)
              json.object([&] {
                json.attribute("what", step.what);
                json.attribute("verdict", getVerdictName(step.verdict));
                json.attribute("how", step.how);
                json.attribute("cases", step.cases);
                if (!step.run.empty())
                  json.attribute("run", step.run);
                if (step.verdict == Verdict::Bounded) {
                  json.attribute("differing", step.differing);
                  json.attribute("counted", step.counted);
                }
              });
          });
          if (proof.sums)
            json.attributeObject("sums", [&] {
              json.attribute("smallest", proof.sums->first);
              json.attribute("largest", proof.sums->second);
              json.attribute("bits", countBits(*proof.sums));
              json.attribute("accumulator", proof.accumulator);
            });
        });
    });
    json.attributeObject("unjudged", [&] {
      for (const auto &[name, number] : certificate.others)
        json.attribute(name, number);
    });
    json.attribute("laws", certificate.laws);
    if (timings)
      json.attribute("seconds", certificate.seconds);
  });
  os << "\n";
}
