// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What writes a module as C: names, functions, loops and accesses of buffers.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_C_WRITER_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_C_WRITER_H

#include "Scalars.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace qbackend::codegen {

/// The names of a scope, each of which is there once.
class Names {
public:
  /// A name of C that reads like `text`, and no other one of the scope.
  std::string add(llvm::StringRef text);

private:
  llvm::StringSet<> taken;
};

using Layers = llvm::SetVector<mlir::StringAttr>;

/// Adds the names in `loc`.
void addLayers(mlir::Location loc, Layers &layers);

/// A comment that nothing in the names ends, behind `indent` spaces; empty, if
/// there are none.
std::string spellLayers(const Layers &layers, unsigned indent);

/// Whether `name` is a word of `text`.
bool mentionsWord(llvm::StringRef text, llvm::StringRef name);

/// The type of an element of a buffer whose type in C is `type`: other than
/// bytes, what is in the arena had other types before.
std::string getElementType(llvm::StringRef type);

class Writer {
public:
  explicit Writer(mlir::ModuleOp module) : module(module) {}

  mlir::LogicalResult write(llvm::raw_ostream &output);

private:
  mlir::LogicalResult writeGlobal(mlir::memref::GlobalOp global);
  mlir::LogicalResult writeFunction(mlir::func::FuncOp function);
  mlir::LogicalResult writeBlock(mlir::Block &block);
  mlir::LogicalResult writeOp(mlir::Operation &op);
  mlir::LogicalResult writeFor(mlir::scf::ForOp loop);
  mlir::LogicalResult writeIf(mlir::scf::IfOp branch);
  mlir::LogicalResult writeYield(mlir::Operation *yield,
                                 llvm::ArrayRef<std::string> variables);
  mlir::LogicalResult writeView(mlir::memref::ViewOp view);
  mlir::LogicalResult writeCast(mlir::memref::ReinterpretCastOp cast);
  mlir::LogicalResult writeCopy(mlir::memref::CopyOp copy);
  mlir::LogicalResult writeCall(mlir::func::CallOp call);
  mlir::LogicalResult writeScalar(mlir::Operation &op);

  /// The type of a scalar; fails, and says so at `op`, if there is none.
  mlir::FailureOr<std::string> getType(mlir::Operation *op, mlir::Type type);
  /// The type of a pointer to the elements of `buffer`.
  mlir::FailureOr<std::string> getPointer(mlir::Operation *op,
                                          mlir::Value buffer);
  /// An expression of `value` without parentheses around it, and one that binds
  /// as a name does.
  std::string spell(mlir::Value value);
  std::string spellOperand(mlir::Value value);
  /// The element at `indices` of `buffer`.
  mlir::FailureOr<std::string> spellElement(mlir::Operation *op,
                                            mlir::Value buffer,
                                            mlir::ValueRange indices);
  /// Whether `op` is written where it is used instead of in a statement.
  bool isInlined(mlir::Operation *op);
  std::string addName(mlir::Value value, llvm::StringRef text) {
    return names[value] = locals.add(text);
  }
  /// Writes `items`, with commas between them, behind `head`, in lines of 80
  /// columns.
  void writeList(llvm::StringRef head, llvm::ArrayRef<std::string> items,
                 llvm::StringRef end);
  llvm::raw_ostream &line() { return body.indent(2 * depth); }

  mlir::ModuleOp module;
  mlir::SymbolTableCollection symbols;
  ScalarWriter scalars;
  std::string text;
  llvm::raw_string_ostream body{text};
  unsigned depth = 0, loopDepth = 0;

  Names globals, locals;
  llvm::DenseMap<mlir::StringAttr, std::string> symbolNames;
  llvm::DenseMap<mlir::Operation *, Layers> callers;
  /// Of values of the function: what they are called, and of views where their
  /// buffer begins. An index of C code that is read, once for each op.
  llvm::DenseMap<mlir::Value, std::string> names, bases;
  llvm::DenseMap<mlir::Operation *, std::pair<bool, unsigned>> inlined;
  /// Names of layers that the last comment had.
  std::string lastComment;
};

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_C_WRITER_H
