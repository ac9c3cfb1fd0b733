/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C interface of qbackend: text and bytecode in, text out; arrays where
 * values are observed. No type of MLIR, no exception and no C++ crosses it, so
 * that it suits any language and any compiler settings.
 *
 * Every function that can fail returns QBACKEND_FAILURE after at least one
 * diagnostic of severity QBACKEND_ERROR, and then leaves `*output` null. Calls
 * share nothing: they may come from several threads at once.
 */

#ifndef QBACKEND_C_QBACKEND_H
#define QBACKEND_C_QBACKEND_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define QBACKEND_EXPORT
#else
#define QBACKEND_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { QBACKEND_SUCCESS = 0, QBACKEND_FAILURE = 1 } QBackendStatus;

typedef enum {
  QBACKEND_ERROR = 0,
  QBACKEND_WARNING = 1,
  QBACKEND_REMARK = 2,
  /* Belongs to the error, warning or remark before it. */
  QBACKEND_NOTE = 3
} QBackendSeverity;

/* What the compiler has to say. The strings live until the callback returns. */
typedef struct {
  QBackendSeverity severity;
  /* Where, or null; a location that is no file gives the name of what it is
   * about. Line and column count from 1; 0: unknown. */
  const char *file;
  unsigned line, column;
  /* Null-terminated, without a newline at the end. */
  const char *message;
} QBackendDiagnostic;

/* `user` is what was given along with the callback. It is called on the thread
 * that made the call, one diagnostic after the other. */
typedef void (*QBackendDiagnosticCallback)(const QBackendDiagnostic *diagnostic,
                                           void *user);

/* Bytes that need not end in a null and can hold some, as bytecode does. Null
 * data with length 0 is empty. */
typedef struct {
  const char *data;
  size_t length;
} QBackendText;

/* "major.minor.patch" of the library. */
QBACKEND_EXPORT const char *qbackendGetVersion(void);

/* Ends the calls of all threads as soon as they can, between two samples or two
 * passes: each fails with the error "interrupted". A signal handler may call it. */
QBACKEND_EXPORT void qbackendInterrupt(void);

/* The text of a null-terminated string; of a null pointer, empty. */
QBACKEND_EXPORT QBackendText qbackendText(const char *string);

/* Frees an output. Null is allowed. */
QBACKEND_EXPORT void qbackendFree(char *output);

/* Number and names of the backends that are built in. The names are sorted and
 * need not be freed; null if `index` is too large. */
QBACKEND_EXPORT size_t qbackendGetNumBuiltinBackends(void);
QBACKEND_EXPORT const char *qbackendGetBuiltinBackend(size_t index);

/* The kinds of observers as JSON: their names in MLIR, their classes, and the
 * arguments with their defaults. Need not be freed. */
QBACKEND_EXPORT const char *qbackendGetObserverKinds(void);

/* In all of the following `*output` becomes a null-terminated string to be
 * freed with qbackendFree. `callback` may be null: then nobody is told.
 *
 * A `spec` is the name of a built-in backend, the path of a file, or, if it has
 * a newline or a brace in it, a module as text. */

/* The backend_config of `spec` as the JSON document of docs/Python.md. */
QBACKEND_EXPORT QBackendStatus
qbackendBackendToJSON(QBackendText spec, char **output,
                      QBackendDiagnosticCallback callback, void *user);

/* The JSON document as a module with one backend_config, verified. */
QBACKEND_EXPORT QBackendStatus
qbackendBackendFromJSON(QBackendText json, char **output,
                        QBackendDiagnosticCallback callback, void *user);

/* The qconfig_mapping `name` of `spec`, of the module or of its backend_config,
 * as JSON; with an empty name the backend's default. */
QBACKEND_EXPORT QBackendStatus
qbackendMappingToJSON(QBackendText spec, QBackendText name, char **output,
                      QBackendDiagnosticCallback callback, void *user);

/* The JSON as a module with one qconfig_mapping of that name, verified. */
QBACKEND_EXPORT QBackendStatus
qbackendMappingFromJSON(QBackendText json, QBackendText name, char **output,
                        QBackendDiagnosticCallback callback, void *user);

/* Quantizes `module`, text or bytecode, as `qbackend-opt --apply-backend` does.
 *
 * `options` are the pass's, "backend=qnnpack data=x.npz"; a value with spaces
 * is in quotes. `configuration` is a module as text, or empty: its
 * backend_config and qconfig_mapping ops are moved into `module`, where options
 * call them by their symbols, "backend=@mine qconfig=@theirs". Operators that
 * stay real-valued are remarks. */
QBACKEND_EXPORT QBackendStatus qbackendApplyBackend(
    QBackendText module, QBackendText configuration, QBackendText options,
    char **output, QBackendDiagnosticCallback callback, void *user);

/* The bytes of `dense_resource<name>` in a module, little-endian. */
typedef struct {
  QBackendText name, bytes;
} QBackendResource;

/* `module` as bytecode with the bytes of `resources`, which are copied once and
 * parsed never. A name that the module doesn't have is an error. `*output` has
 * `*length` bytes, of which some are null. */
QBACKEND_EXPORT QBackendStatus
qbackendToBytecode(QBackendText module, const QBackendResource *resources,
                   size_t numResources, char **output, size_t *length,
                   QBackendDiagnosticCallback callback, void *user);
/* Records the range of one value over batches, and has its parameters. Calls on
 * one observer must not overlap. */
typedef struct QBackendObserver QBackendObserver;

/* An observer of one of the kinds that record something, as JSON describes it
 * in a qconfig: {"observer": "MinMaxObserver", "dtype": "qint8"}. To be freed
 * with qbackendObserverDestroy, which takes null too. */
QBACKEND_EXPORT QBackendStatus
qbackendObserverCreate(QBackendText json, QBackendObserver **observer,
                       QBackendDiagnosticCallback callback, void *user);
QBACKEND_EXPORT void qbackendObserverDestroy(QBackendObserver *observer);

/* Records a batch, a row-major tensor of `rank` extents; an empty one is
 * ignored. NaN and infinities are counted and left out. */
QBACKEND_EXPORT QBackendStatus qbackendObserverRecord(
    QBackendObserver *observer, const float *data, const int64_t *shape,
    size_t rank, QBackendDiagnosticCallback callback, void *user);

/* Forgets what was recorded. */
QBACKEND_EXPORT void qbackendObserverReset(QBackendObserver *observer);

/* What was recorded as a calibration table of docs/Calibration.md, whose one
 * entry is `name`. */
QBACKEND_EXPORT QBackendStatus qbackendObserverToTable(
    QBackendObserver *observer, QBackendText name, char **output,
    QBackendDiagnosticCallback callback, void *user);

/* Replaces what was recorded by the entry `name` of a calibration table. */
QBACKEND_EXPORT QBackendStatus qbackendObserverFromTable(
    QBackendObserver *observer, QBackendText table, QBackendText name,
    QBackendDiagnosticCallback callback, void *user);

/* The parameters of what was recorded, one pair or one for each channel, as
 * JSON: {"scale": [0.5], "zero_point": [3]}. A zero point of the scheme
 * per_channel_affine_float_qparams is a real number. */
QBACKEND_EXPORT QBackendStatus
qbackendObserverGetParams(QBackendObserver *observer, char **output,
                          QBackendDiagnosticCallback callback, void *user);

/* The integers of a type, and the scales and zero points of a tensor's channels
 * along `axis`; of the whole tensor if `count` is 1. `hasRealZeroPoints`: they
 * are no integers. */
typedef struct {
  const double *scales, *zeroPoints;
  size_t count;
  int64_t axis;
  int64_t quantMin, quantMax;
  int hasRealZeroPoints;
} QBackendQuantization;

/* Writes to `output` the real numbers that a row-major tensor of `rank` extents
 * becomes: (clamp(round(x / scale) + zero point) - zero point) * scale in f32,
 * x / scale as a product with the inverse, ties to even. `output` may be
 * `input`. */
QBACKEND_EXPORT QBackendStatus
qbackendFakeQuantize(const float *input, float *output, const int64_t *shape,
                     size_t rank, const QBackendQuantization *quantization,
                     QBackendDiagnosticCallback callback, void *user);

/* The parameters that a fused fake quantizer of PyTorch has for a range
 * min <= max, which are not those of an observer: numerics::chooseQParams. */
QBACKEND_EXPORT void qbackendChooseParams(float min, float max,
                                          int64_t quantMin, int64_t quantMax,
                                          int symmetric, double *scale,
                                          int64_t *zeroPoint);

#ifdef __cplusplus
}
#endif

#endif /* QBACKEND_C_QBACKEND_H */
