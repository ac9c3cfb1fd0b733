// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a sum that rise or fall with it. Two of them are equal for all
// sums if they are equal at both ends of each range of sums with one result, of
// which there are at most 256 of a byte.
//
// That a term rises is read from its nodes, operands first, over a range of
// sums: what it is at both ends says whether it wraps, and is its range.
// Where a condition changes, the range is cut. What no rule is for, such as
// ties to even, is asked of the solver, as a step of one of an integer.

#include "Laws/Laws.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace qbackend;
using namespace qbackend::proof;

/// Ranges of sums with one result: of 16 bits.
static constexpr int64_t mostRanges = int64_t(1) << 16;

namespace {
/// How a term goes as the sum rises. Floats are no NaN then.
enum class Course : uint8_t { Unknown, Fixed, Up, Down };

/// The courses of the nodes of terms, over a range of sums.
class Courses {
public:
  /// `rises` says whether the second term rises with the first, a variable.
  Courses(Terms &terms, ArrayRef<Term> roots, Term variable,
          function_ref<bool(Term, Term, bool)> rises)
      : terms(terms), nodes(order(roots)), evaluator(nodes), variable(variable),
        rises(rises) {
    for (auto [i, node] : enumerate(nodes)) {
      index[node] = i;
      if (node == variable || any_of(node->operands, [&](Term operand) {
            return moving.contains(operand);
          }))
        moving.insert(node);
    }
  }

  ArrayRef<Term> variables() const { return evaluator.variables(); }
  /// Values of `variables`; that of the sum is set here.
  std::vector<APInt> inputs;

  /// Looks at sums from `from` to `to`.
  void look(int64_t from, int64_t to) {
    first = valuesAt(from);
    last = valuesAt(to);
    range = {from, to};
    known.assign(nodes.size(), std::nullopt);
    isUnsigned.assign(nodes.size(), false);
    cut = std::nullopt;
  }
  Course find(Term node);
  /// The last sum before a condition changes, if one does: on either side more
  /// may be known.
  std::optional<int64_t> cut;

private:
  Course derive(Term node);
  Course deriveSelect(Term node);
  Course askLaw(Term node);
  Course combine(Course a, Course b) const {
    if (a == Course::Fixed || a == b)
      return b;
    return b == Course::Fixed ? a : Course::Unknown;
  }
  Course flip(Course a) const {
    return a == Course::Up ? Course::Down : a == Course::Down ? Course::Up : a;
  }
  /// In the order of signed integers, or of floats; or in that of unsigned
  /// ones.
  Course findOrdered(Term node, bool asUnsigned = false) {
    Course course = find(node);
    // Both are one where no sign is.
    bool isSame =
        isUnsigned[index.at(node)] == asUnsigned || course == Course::Fixed ||
        atBoth(node, [](const APInt &value) { return !value.isNegative(); });
    return isSame ? course : Course::Unknown;
  }
  Course findUnsigned(Term node) { return findOrdered(node, true); }
  const APInt &at(const std::vector<APInt> &end, Term node) const {
    return end[index.at(node)];
  }
  bool atBoth(Term node, function_ref<bool(const APInt &)> holds) const {
    return holds(at(first, node)) && holds(at(last, node));
  }
  std::vector<APInt> valuesAt(int64_t sum);
  int64_t findCut(Term condition);

  Terms &terms;
  std::vector<Term> nodes;
  Evaluator evaluator;
  Term variable;
  function_ref<bool(Term, Term, bool)> rises;
  DenseMap<Term, unsigned> index;
  DenseSet<Term> moving;
  std::pair<int64_t, int64_t> range;
  std::vector<APInt> first, last;
  std::vector<std::optional<Course>> known;
  std::vector<bool> isUnsigned;
};
} // namespace

std::vector<APInt> Courses::valuesAt(int64_t sum) {
  std::vector<APInt> values;
  for (auto [value, input] : zip_equal(inputs, variables()))
    if (input == variable)
      value = APInt(64, sum, /*isSigned=*/true).trunc(input->sort.width);
  evaluator.run(inputs);
  for (unsigned i = 0; i < nodes.size(); ++i)
    values.push_back(evaluator.result(i));
  return values;
}

/// The last sum before `condition`, which rises or falls, changes.
int64_t Courses::findCut(Term condition) {
  auto [low, high] = range;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (at(valuesAt(middle), condition) == at(first, condition) ? low : high) =
        middle;
  }
  return low;
}

Course Courses::find(Term node) {
  unsigned i = index.at(node);
  if (!known[i]) {
    Course course = moving.contains(node) ? derive(node) : Course::Fixed;
    if (course == Course::Unknown && moving.contains(node) && !cut)
      course = askLaw(node);
    // All that is between equal ends.
    if (course != Course::Unknown && first[i] == last[i])
      course = Course::Fixed;
    known[i] = course;
  }
  return *known[i];
}

Course Courses::deriveSelect(Term node) {
  Term condition = node->operands[0], x = node->operands[1],
       y = node->operands[2];
  Course changes = find(condition);
  if (changes == Course::Fixed) {
    Term taken = at(first, condition).isZero() ? y : x;
    Course course = find(taken);
    isUnsigned[index.at(node)] = isUnsigned[index.at(taken)];
    return course;
  }
  // A minimum or maximum.
  ArrayRef<Term> compared(condition->operands);
  bool isOrdered =
           is_contained({Fn::LessS, Fn::LessEqualS, Fn::LessF, Fn::LessEqualF},
                        condition->op),
       isPlain = is_contained({Fn::LessU, Fn::LessEqualU}, condition->op);
  if ((isOrdered || isPlain) && is_contained(compared, x) &&
      is_contained(compared, y)) {
    Course course = isPlain ? combine(findUnsigned(x), findUnsigned(y))
                            : combine(findOrdered(x), findOrdered(y));
    isUnsigned[index.at(node)] = isPlain;
    if (course != Course::Unknown)
      return course;
  }
  if (changes != Course::Unknown)
    cut = findCut(condition);
  return Course::Unknown;
}

Course Courses::derive(Term node) {
  if (node == variable)
    return Course::Up;
  ArrayRef<Term> operands(node->operands);
  Term a = operands[0], b = operands.size() > 1 ? operands[1] : nullptr;
  unsigned width = node->sort.width;
  auto isFinite = [&] {
    return atBoth(node, [&](const APInt &value) {
      return toFloat(node->sort, value).isFinite();
    });
  };
  // Of `a` and `b` at either end.
  auto fits = [&](APInt (APInt::*compute)(const APInt &, bool &) const) {
    return all_of(std::array{&first, &last}, [&](auto *end) {
      bool overflows;
      (void)(at(*end, a).*compute)(at(*end, b), overflows);
      return !overflows;
    });
  };
  // x times what is fixed.
  auto scale = [&](Term x, Term factor) {
    if (find(factor) != Course::Fixed)
      std::swap(x, factor);
    if (find(factor) != Course::Fixed)
      return Course::Unknown;
    Course course = findOrdered(x);
    return at(first, factor).isNegative() ? flip(course) : course;
  };
  switch (node->op) {
  case Fn::ExtS:
    return a->sort.width == 1 ? Course::Unknown : findOrdered(a);
  case Fn::ExtU:
    return a->sort.width == 1 ? find(a) : findUnsigned(a);
  case Fn::Add:
    return width > 1 && fits(&APInt::sadd_ov)
               ? combine(findOrdered(a), findOrdered(b))
               : Course::Unknown;
  case Fn::Sub:
    return width > 1 && fits(&APInt::ssub_ov)
               ? combine(findOrdered(a), flip(findOrdered(b)))
               : Course::Unknown;
  case Fn::Mul:
    return width > 1 && fits(&APInt::smul_ov) ? scale(a, b) : Course::Unknown;
  case Fn::Shl: {
    uint64_t places = at(first, b).getLimitedValue(width);
    bool isExact = find(b) == Course::Fixed && places < width &&
                   atBoth(a, [&](const APInt &value) {
                     return value.shl(places).ashr(places) == value;
                   });
    return isExact ? findOrdered(a) : Course::Unknown;
  }
  case Fn::ShrS:
    return find(b) == Course::Fixed ? findOrdered(a) : Course::Unknown;
  case Fn::ShrU:
    return find(b) == Course::Fixed &&
                   atBoth(a, [](const APInt &v) { return !v.isNegative(); })
               ? findOrdered(a)
               : Course::Unknown;
  case Fn::Trunc: {
    // Where the bits that go are the same ones at both ends, and so between.
    auto isOne = [&](int64_t moved) {
      auto getRest = [&](const std::vector<APInt> &end) {
        return (at(end, a).sext(a->sort.width + 1) + moved).ashr(width);
      };
      return getRest(first) == getRest(last);
    };
    bool asSigned = width > 1 && isOne(int64_t(1) << (width - 1));
    isUnsigned[index.at(node)] = !asSigned;
    return width > 1 && (asSigned || isOne(0)) ? findOrdered(a)
                                               : Course::Unknown;
  }
  case Fn::Xor:
    if (width != 1 || find(b) != Course::Fixed)
      return Course::Unknown;
    return at(first, b).isZero() ? find(a) : flip(find(a));
  case Fn::And:
  case Fn::Or: {
    if (width != 1)
      return Course::Unknown;
    Course x = find(a), y = find(b);
    // What decides alone.
    for (auto [course, term] : {std::pair(x, a), std::pair(y, b)})
      if (course == Course::Fixed &&
          at(first, term).isZero() == (node->op == Fn::And))
        return Course::Fixed;
    return combine(x, y);
  }
  case Fn::LessS:
  case Fn::LessEqualS:
  case Fn::LessF:
  case Fn::LessEqualF:
    return combine(flip(findOrdered(a)), findOrdered(b));
  case Fn::LessU:
  case Fn::LessEqualU:
    return combine(flip(findUnsigned(a)), findUnsigned(b));
  case Fn::IsNaN:
    return find(a);
  case Fn::Select:
    return deriveSelect(node);
  case Fn::SToF:
  case Fn::ConvertF:
  case Fn::RoundEven:
  case Fn::RoundAway:
  case Fn::RoundUp:
  case Fn::RoundDown:
  case Fn::RoundZero:
    return isFinite() ? findOrdered(a) : Course::Unknown;
  case Fn::NegF:
    return flip(find(a));
  case Fn::AddF:
    return isFinite() ? combine(find(a), find(b)) : Course::Unknown;
  case Fn::SubF:
    return isFinite() ? combine(find(a), flip(find(b))) : Course::Unknown;
  case Fn::MulF:
    return isFinite() ? scale(a, b) : Course::Unknown;
  case Fn::Fma:
    return isFinite() ? combine(scale(a, b), find(operands[2]))
                      : Course::Unknown;
  case Fn::FToS:
    return atBoth(a,
                  [&](const APInt &value) {
                    APSInt integer(width, /*isUnsigned=*/false);
                    bool isExact;
                    return toFloat(a->sort, value)
                               .convertToInteger(integer, APFloat::rmTowardZero,
                                                 &isExact) !=
                           APFloat::opInvalidOp;
                  })
               ? find(a)
               : Course::Unknown;
  case Fn::Bits:
    // Of floats that are not negative.
    return atBoth(node, [](const APInt &value) { return !value.isNegative(); })
               ? find(a)
               : Course::Unknown;
  default:
    return Course::Unknown;
  }
}

/// Whether `node` rises with an integer that all of it depends on, of which it
/// is no product: that furthest from it.
Course Courses::askLaw(Term node) {
  for (Term by : nodes) {
    if (by == node)
      break;
    if (by->sort.isFloat || by->sort.width == 1 || !moving.contains(by))
      continue;
    // What is between both, and constants there by their values.
    Term any = terms.variable("any", by->sort);
    DenseMap<Term, Term> values = {{by, any}};
    SmallVector<Term> open = {node};
    DenseSet<Term> seen = {node};
    bool isBetween = true;
    while (!open.empty()) {
      Term each = open.pop_back_val();
      isBetween &=
          each != variable &&
          !is_contained({Fn::Mul, Fn::MulF, Fn::Fma, Fn::DivF}, each->op);
      for (Term operand : each->operands) {
        if (operand == by || !seen.insert(operand).second)
          continue;
        if (moving.contains(operand))
          open.push_back(operand);
        else
          values[operand] =
              terms.constantBits(operand->sort, at(first, operand));
      }
    }
    if (!isBetween)
      continue;
    Course course = findOrdered(by);
    bool isWithin =
        atBoth(by, [&](const APInt &value) { return value.isSignedIntN(63); });
    if (course == Course::Unknown ||
        !rises(any, terms.replace(node, values), isWithin))
      return Course::Unknown;
    return course;
  }
  return Course::Unknown;
}

Expected<ProofStep> Laws::proveSteps(StringRef what, const Steps &steps,
                                     Term sum) {
  ProofStep step;
  step.what = what.str();
  step.verdict = Verdict::Proven;
  step.how = "each range of sums with one result";
  step.cases = steps.cases.size();
  Error failure = Error::success();
  // A step of one, so that it holds for any.
  auto rises = [&](Term any, Term node, bool isWithin) {
    unsigned width = any->sort.width;
    Term next = terms.binary(Fn::Add, any, terms.constant(width, 1));
    APInt most = APInt::getSignedMaxValue(std::min(width, 63u)).sext(width);
    Term assumption = terms.compare(Fn::LessS, any, terms.constant(most));
    if (isWithin && width > 63)
      assumption =
          terms.both(assumption,
                     terms.compare(Fn::LessEqualS, terms.constant(~most), any));
    else if (width > 63)
      return false;
    DenseMap<Term, Term> by = {{any, next}};
    bool isFloat = node->sort.isFloat;
    auto answer = solver.ask(print(
        assumption, terms.compare(isFloat ? Fn::LessEqualF : Fn::LessEqualS,
                                  node, terms.replace(node, by))));
    if (!answer) {
      failure = joinErrors(std::move(failure), answer.takeError());
      return false;
    }
    return (*answer)->kind == Answer::Holds;
  };
  Case question = {steps.defined, steps.emitted, steps.formula};
  Courses courses(terms, {steps.defined, steps.emitted, steps.formula}, sum,
                  rises);
  Evaluator wanted(steps.formula),
      both({steps.defined, steps.emitted, steps.formula});
  for (const StepCase &each : steps.cases) {
    // Variables that are neither the sum nor a constant say how code may be
    // compiled: each way has to be right.
    std::vector<Term> ways;
    for (Term input : courses.variables())
      if (input != sum && !each.constants.count(input))
        ways.push_back(input);
    if (ways.size() > 4 ||
        any_of(ways, [](Term input) { return input->sort.width != 1; })) {
      consumeError(std::move(failure)); // There is none: it ends a case.
      step.verdict = Verdict::Open;
      step.how = "it depends on more than its sum";
      return step;
    }
    for (unsigned way = 0; way < 1u << ways.size(); ++way) {
      auto fill = [&](ArrayRef<Term> variables) {
        std::vector<APInt> values;
        for (Term input : variables) {
          auto it = each.constants.find(input);
          values.push_back(
              input == sum ? APInt(sum->sort.width, 0)
              : it != each.constants.end()
                  ? it->second
                  : APInt(1, way >> (find(ways, input) - ways.begin()) & 1));
        }
        return values;
      };
      auto run = [&](Evaluator &evaluator, std::vector<APInt> &values,
                     int64_t at) {
        for (auto [value, input] : zip_equal(values, evaluator.variables()))
          if (input == sum)
            value = APInt(64, at, /*isSigned=*/true).trunc(sum->sort.width);
        evaluator.run(values);
      };
      std::vector<APInt> wantedValues = fill(wanted.variables()),
                         bothValues = fill(both.variables());
      auto formula = [&](int64_t at) {
        run(wanted, wantedValues, at);
        return wanted.result(0);
      };
      // False: it is found.
      auto check = [&](int64_t at) {
        run(both, bothValues, at);
        if (!both.result(0).isZero() && both.result(1) == both.result(2))
          return true;
        bool isConfirmed;
        step.verdict = Verdict::Counterexample;
        step.how =
            describe(question, both.variables(), bothValues, isConfirmed) +
            each.place;
        return false;
      };
      courses.inputs = fill(courses.variables());
      std::vector<std::pair<int64_t, int64_t>> open = {{each.first, each.last}};
      while (!open.empty()) {
        auto [from, to] = open.back();
        open.pop_back();
        courses.look(from, to);
        bool isKnown = true;
        for (Term root : {steps.formula, steps.emitted, steps.defined})
          isKnown &= courses.find(root) != Course::Unknown;
        if (failure)
          return std::move(failure);
        if (!isKnown && courses.cut) {
          open.push_back({*courses.cut + 1, to});
          open.push_back({from, *courses.cut});
          continue;
        }
        isKnown &= courses.find(steps.defined) == Course::Fixed;
        // Ends of ranges; their widths are much alike.
        int64_t width = 1, count = 0;
        for (int64_t at = from; at <= to;) {
          if (++count > mostRanges)
            break;
          APInt result = formula(at);
          int64_t low = at, high = to + 1;
          if (formula(to) == result)
            low = to;
          for (int64_t guess :
               {at + width - 1, at + width, at + width + 1, at + width - 2})
            if (low < guess && guess < high)
              (formula(guess) == result ? low : high) = guess;
          while (high - low > 1) {
            int64_t middle = low + (high - low) / 2;
            (formula(middle) == result ? low : high) = middle;
          }
          if (!check(at) || !check(low))
            return step;
          width = high - at;
          at = high;
        }
        if (!isKnown || count > mostRanges) {
          step.verdict = Verdict::Open;
          step.how = "it may fall where its sum rises" + each.place;
          return step;
        }
      }
    }
  }
  return step;
}
