// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of a tile: where their elements are, and how vectors of them are
// loaded and stored.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_TILEACCESS_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_TILEACCESS_H

#include "Vectorize.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace qbackend::codegen {

/// An operand, once it is known where its elements are.
struct Access {
  const NestOperand *operand;
  /// A flat view of the buffer.
  mlir::Value view;
  /// The distance of neighbours in a tile, and that of tiles over their size.
  /// They differ if the operand is stored in the order of the tiles.
  llvm::SmallVector<Stride> inner, outer;
  bool isPacked = false;
};

/// Part of a loop that a tile covers.
struct Part {
  mlir::Value begin;
  /// How many iterations, if that is known.
  int64_t size = 1;
  /// Else, of the vector loop.
  mlir::Value dynamicSize;
};

/// Builds loads and stores for the tile that `parts` say.
class TileAccess {
public:
  TileAccess(mlir::OpBuilder &builder, mlir::Location loc, const LoopNest &nest,
             const Schedule &schedule);

protected:
  Access getAccess(const NestOperand &operand, mlir::SymbolTable &symbols,
                   ConstantStore *store);

  mlir::Value index(int64_t number);

  mlir::Value add(mlir::Value value, int64_t number);

  /// Returns `base + position * stride`.
  mlir::Value advance(mlir::Value base, mlir::Value position,
                      const Stride &stride);

  /// A vector of results: which of the tile, and the position of each unrolled
  /// loop.
  struct Point {
    llvm::SmallVector<int64_t> at;
    int64_t vector;
  };

  mlir::VectorType getVectorType(mlir::Type element);

  /// Returns how many lanes of a vector of the tile are inside; nothing if that
  /// is only known at run time.
  std::optional<int64_t> getLanes(int64_t vector);

  /// What lanes outside hold: no function traps on 1.
  mlir::Value getFiller(mlir::Type element);

  /// Returns the element of an operand at a point: a number if it is the same
  /// in all lanes, else a vector.
  mlir::Value load(const Access &access, mlir::Value base, const Point &point);

  void store(const Access &access, mlir::Value base, const Point &point,
             mlir::Value value);

  /// The points of a tile that differ along one loop only, by their numbers.
  using Row = llvm::SmallVector<unsigned>;

  /// The rows of a tile along the loop in which elements of the operand are
  /// neighbours; none if a vector has neighbours itself, or is cut at run time.
  llvm::SmallVector<Row> getRows(const Access &access,
                                 llvm::ArrayRef<Point> points);

  /// Loads the vectors of a row: `loaded` gets each point and its vector.
  void loadRow(const Access &access, mlir::Value base,
               llvm::ArrayRef<Point> points, const Row &row,
               llvm::function_ref<void(unsigned, mlir::Value)> loaded);

  /// Stores the vectors of a row: `getResult` has that of each point.
  void storeRow(const Access &access, mlir::Value base,
                llvm::ArrayRef<Point> points, const Row &row,
                llvm::function_ref<mlir::Value(unsigned)> getResult);

  mlir::Value broadcast(mlir::Value value);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const LoopNest &nest;
  const Schedule &schedule;
  /// The loops inside of a tile, outermost first.
  llvm::SmallVector<unsigned> reductions;
  llvm::SmallVector<Part> parts;

private:
  /// Stores a constant in the order in which the loops walk it: tiles of the
  /// parallel loops, reductions, unrolled loops, lanes. Lanes behind the end
  /// are zeros.
  bool pack(Access &access, mlir::SymbolTable &symbols, ConstantStore *store);

  /// Returns the mask of the first `lanes` of `width` lanes.
  mlir::Value getMask(int64_t lanes, int64_t width);

  mlir::Value getMask(int64_t vector);

  /// The first `count` elements from `at` on, neighbours, as a vector.
  mlir::Value loadFirst(const Access &access, mlir::Value at, int64_t count);

  /// Stores the first `count` elements of a vector.
  void storeFirst(const Access &access, mlir::Value at, mlir::Value vector,
                  int64_t count);

  /// Returns the positions of `lanes`, `stride` apart.
  mlir::Value getOffsets(const Stride &stride);

  /// Returns where a point's first lane is, `base` being that of the tile.
  mlir::Value getAddress(const Access &access, mlir::Value base,
                         const Point &point);

  /// Elements 0, 2, ..., 2 (lanes - 1): the even ones of a vector that begins
  /// with the first, and the odd ones of one that ends with the last.
  mlir::Value loadEverySecond(const Access &access, mlir::Value at,
                              int64_t lanes);

  /// Whether the vectors of a row are one run of elements.
  bool isInterleaved(const Access &access);

  /// The vector that has in each lane the element of which `getPlace` says the
  /// vector and its lane.
  mlir::Value
  gather(llvm::ArrayRef<mlir::Value> vectors,
         llvm::function_ref<std::pair<int64_t, int64_t>(int64_t)> getPlace);

  /// Calls `function` for each vector of the run of an interleaved row, with
  /// its number, its address and how many of its elements are inside.
  template <typename Function>
  void forRun(const Access &access, mlir::Value base,
              llvm::ArrayRef<Point> points, const Row &row, Function function);

  /// Transposes a square of vectors, in which null is anything.
  void transpose(llvm::MutableArrayRef<mlir::Value> vectors);

  /// Calls `function` with the vectors, and where each is, of squares of a row:
  /// the lanes of each vector are then neighbours.
  template <typename Function>
  void forSquares(const Access &access, mlir::Value base,
                  llvm::ArrayRef<Point> points, const Row &row,
                  Function function);
};

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_FLOAT_TILEACCESS_H
