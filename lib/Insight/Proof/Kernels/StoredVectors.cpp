// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels store, lane by lane: forms of sums, and what is made of them.

#include "Kernels/KernelJudge.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;

/// The bytes of a window are those of the input, or of one copy, which is
/// written before it is read.
KernelJudge::Result KernelJudge::sortStores() {
  std::set<unsigned> images;
  for (const KernelAccess &load : walk.loads) {
    const KernelBuffer &buffer = walk.buffers[load.buffer];
    if (buffer.kind == KernelBuffer::Scratch)
      images.insert(load.buffer);
    if (buffer.kind == KernelBuffer::Argument &&
        buffer.argument == resultArgument)
      return open("the result is read");
  }
  isCopied = !images.empty();
  if (images.size() > 1)
    return open("there are several copies");
  if (isCopied)
    image = *images.begin();
  std::vector<const KernelAccess *> stored;
  for (auto [i, store] : llvm::enumerate(walk.stores)) {
    const KernelBuffer &buffer = walk.buffers[store.buffer];
    if (buffer.kind == KernelBuffer::Argument &&
        buffer.argument == resultArgument) {
      stored.push_back(&store);
      continue;
    }
    if (!isCopied || store.buffer != image)
      return open("something else is written");
    copies.push_back(&store);
    for (const KernelAccess &load :
         ArrayRef(walk.loads).take_front(walk.loadsBefore[i]))
      if (load.buffer == image)
        return open("a copy is written after it is read");
  }
  // A loop around a part of the copy and some result is over images, and around
  // all of both.
  for (const KernelAccess *copy : copies)
    for (const KernelAccess *store : stored)
      for (unsigned loop : copy->loops) {
        if (!llvm::is_contained(store->loops, loop))
          continue;
        if (imageLoop && *imageLoop != loop)
          return open("several loops are around a copy");
        imageLoop = loop;
      }
  if (imageLoop)
    for (const KernelAccess &access : walk.stores)
      if (access.loops.empty() || access.loops.front() != *imageLoop)
        return open("a loop is around a part of what reads a copy");
  for (const KernelAccess *store : stored)
    if (auto finding = makeVector(*store))
      return finding;
  row =
      (isCopied ? width + op.getPadding()[2] + op.getPadding()[3] : width) * in;
  if (!isCopied && op.getPadding()[0] + op.getPadding()[1] != 0)
    return open("there are rows of padding without a copy of the image");
  return std::nullopt;
}

KernelJudge::Result KernelJudge::makeVector(const KernelAccess &store) {
  StoredVector vector{&store, {}, {}};
  vector.lanes.resize(store.count);
  for (unsigned i = 0; i < store.count; ++i)
    if (auto finding = makeLane(vector, i))
      return finding;
  std::set<unsigned> around(store.loops.begin(), store.loops.end()), used;
  auto add = [&](const Linear &at) {
    for (unsigned loop : walk.places.getLoops(at))
      if (around.count(loop))
        used.insert(loop);
  };
  for (const StoredVector::Lane &lane : vector.lanes) {
    for (const KernelProduct &product : lane.form->products) {
      add(product.at);
      if (product.weight)
        add(product.weight->at);
      for (unsigned loop : product.loops) {
        add(walk.places.getSymbols()[loop].a);
        add(walk.places.getSymbols()[loop].b);
      }
    }
    if (lane.multiplier)
      add(lane.multiplier->at);
    for (auto &[name, element] : lane.numbers)
      add(element.at);
  }
  vector.blockLoops.assign(used.begin(), used.end());
  vectors.push_back(std::move(vector));
  return std::nullopt;
}

KernelJudge::Result KernelJudge::makeLane(StoredVector &vector,
                                          unsigned index) {
  const KernelAccess &store = *vector.store;
  StoredVector::Lane &lane = vector.lanes[index];
  Term stored = store.lanes[index], total = nullptr;
  bool isRequantized = static_cast<bool>(op.getRequantizeAttr());
  std::vector<Term> nodes = order(stored);
  if (!isRequantized)
    total = stored;
  // What becomes a float, or 64 bits, which a result may be once more.
  llvm::DenseSet<Term> ofTotal;
  for (Term node : nodes) {
    if (!isRequantized)
      break;
    if (llvm::any_of(node->operands,
                     [&](Term operand) { return ofTotal.contains(operand); }))
      ofTotal.insert(node);
    bool isScaled = node->op == Fn::SToF ||
                    (node->op == Fn::ExtS && node->sort == bits(64));
    if (!isScaled || ofTotal.contains(node->operands[0]))
      continue;
    if (total)
      return open("a result is of several sums");
    total = node->operands[0];
    // A sum that is moved where it is negative; all else has to be of it.
    while (total->op == Fn::Select)
      total = total->operands[2];
    ofTotal.insert(total);
    ofTotal.insert(node);
  }
  if (!total)
    return open("a result is of no sum");
  auto form = forms.make(total);
  if (!form)
    return open(llvm::toString(form.takeError()));

  // Equal forms are one, whatever pixel they are of.
  std::set<unsigned> around(store.loops.begin(), store.loops.end());
  bool isFirst = true;
  std::string key = std::to_string(form->constant);
  auto print = [&](const Linear &at) {
    key += " (" + std::to_string(at.offset);
    for (auto [symbol, factor] : at.coefficients)
      key += " " + std::to_string(symbol) + "*" + std::to_string(factor);
    key += ")";
  };
  for (KernelProduct &product : form->products) {
    key += product.isSignedWeight ? "\n" : "\nu";
    for (unsigned loop : product.loops)
      key += " " + std::to_string(loop);
    key += " " + std::to_string(product.factor);
    if (product.function) {
      const KernelBuffer &buffer = walk.buffers[product.image];
      bool isInput = buffer.kind == KernelBuffer::Argument &&
                     buffer.argument == inputArgument;
      if (isCopied ? product.image != image : !isInput)
        return open("a product is of a byte of another tensor");
      image = product.image;
      auto [outer, rest] = walk.places.split(product.at, around);
      if (isFirst) {
        lane.outer = outer;
        lane.first = rest.offset;
      } else if (!(outer == lane.outer)) {
        return open("bytes of one sum move in different ways");
      }
      isFirst = false;
      rest.offset -= lane.first;
      product.at = rest;
      key += " f" + std::to_string(uintptr_t(product.function));
      print(product.at);
    }
    if (product.weight) {
      key += " w" + std::to_string(product.weight->buffer);
      print(product.weight->at);
    }
  }
  for (auto [begin, end] : form->narrow)
    key += " " + std::to_string(begin) + "-" + std::to_string(end);
  auto [it, isNew] = known.try_emplace(key);
  if (isNew)
    it->second = std::make_unique<LinearForm>(std::move(*form));
  lane.form = it->second.get();

  // The rest, of any sum.
  Terms &terms = scope.terms;
  llvm::DenseMap<Term, Term> by = {{total, sum}}, names;
  unsigned ways = 0;
  for (Term node : order(terms.replace(stored, by))) {
    if (node->op != Fn::Variable || node == sum)
      continue;
    auto element = walk.elements.find(node);
    if (element == walk.elements.end()) {
      // One bit is how it may be compiled.
      if (!(node->sort == bits(1)))
        return open("a result depends on more than its sum");
      names[node] = terms.variable("way " + std::to_string(ways++), bits(1));
      continue;
    }
    const KernelBuffer &buffer = walk.buffers[element->second.buffer];
    if (buffer.kind == KernelBuffer::Constant && m && node->sort == m->sort &&
        !lane.multiplier) {
      lane.multiplier = element->second;
      names[node] = m;
    } else if (buffer.kind == KernelBuffer::Constant && m) {
      Term name = terms.variable(
          "number " + std::to_string(lane.numbers.size()), node->sort);
      lane.numbers.push_back({name, element->second});
      names[node] = name;
    } else if (residualArgument && buffer.kind == KernelBuffer::Argument &&
               buffer.argument == *residualArgument) {
      if (!(element->second.at == store.at + Linear(int64_t(index))))
        return wrong("the other tensor is read at another place than that of "
                     "the result");
      names[node] = residual;
    } else {
      return open("a result depends on another tensor");
    }
  }
  if (lane.multiplier && !lane.numbers.empty())
    return open("a result depends on more than its sum and a multiplier");
  if (!lane.numbers.empty())
    by[total] = terms.binary(Fn::Add, sum, offset);
  auto name = [&](Term term) {
    return terms.replace(terms.replace(term, by), names);
  };
  Term result = name(stored), defined = terms.constant(1, 1);
  for (Term node : nodes)
    if (auto condition = walk.conditions.find(node);
        condition != walk.conditions.end())
      defined = terms.both(defined, name(condition->second));
  lane.law = &results[{defined->id, result->id}];
  lane.law->steps.defined = defined;
  lane.law->steps.emitted = result;
  return std::nullopt;
}
