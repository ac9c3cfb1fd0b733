/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C interface of qbackend: text and bytecode in, text out; arrays where
 * networks run and values are observed. No type of MLIR, no exception and no
 * C++ crosses it, so that it suits any language and any compiler settings.
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
 * passes: each fails with the error "interrupted". A signal handler may call
 * it. */
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

/* From now on this process, of one thread, reads the files and folders of
 * `readable` and those of the system, writes none, starts no program, and has
 * no network: before it loads a module of strangers (docs/Security.md). Needs
 * Linux with Landlock. */
QBACKEND_EXPORT QBackendStatus
qbackendRestrictProcess(const QBackendText *readable, size_t count,
                        QBackendDiagnosticCallback callback, void *user);

/* In all of the following `*output` becomes a null-terminated string to be
 * freed with qbackendFree. `callback` may be null: then nobody is told.
 *
 * A `spec` is the name of a built-in backend, the path of a file, or, if it has
 * a newline or a brace in it, a module as text. */

/* The backend_config of `spec` as the JSON document of docs/Python.md. */
QBACKEND_EXPORT QBackendStatus
qbackendBackendToJSON(QBackendText spec, char **output,
                      QBackendDiagnosticCallback callback, void *user);

/* Tells `callback` what is wrong or pointless in the backend_config of `spec`,
 * as `qbackend-config validate` does: each finding is an error, a warning or a
 * remark at its place, "what is there; what to write instead". Fails if there
 * is an error. */
QBACKEND_EXPORT QBackendStatus qbackendBackendValidate(
    QBackendText spec, QBackendDiagnosticCallback callback, void *user);

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
 * stay float are remarks. */
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

/* Takes the next bytes of what is written. Anything but 0 ends it, as a failure
 * without a word: whoever takes them knows why. */
typedef int (*QBackendWriteCallback)(const char *bytes, size_t length,
                                     void *user);

/* The same to a callback, piece by piece: the bytes of `resources`, which are
 * not copied, may be those of a mapped file. */
QBACKEND_EXPORT QBackendStatus qbackendWriteBytecode(
    QBackendText module, const QBackendResource *resources, size_t numResources,
    QBackendWriteCallback write, void *writeUser,
    QBackendDiagnosticCallback callback, void *user);

/* `module`, of qnnpack ops or float, as an ONNX model whose integers are
 * between QuantizeLinear and DequantizeLinear. `entry` is the function that is
 * the network; empty: main, forward, or the only public one. `*output` has
 * `*length` bytes, of which some are null. A remark, QB131, says what its
 * results can be off by. */
QBACKEND_EXPORT QBackendStatus
qbackendToONNX(QBackendText module, QBackendText entry, char **output,
               size_t *length, QBackendDiagnosticCallback callback, void *user);

/* The elements of an array. Bool is a byte, 0 or 1. */
typedef enum {
  QBACKEND_F32 = 0,
  QBACKEND_F64 = 1,
  QBACKEND_I8 = 2,
  QBACKEND_U8 = 3,
  QBACKEND_I16 = 4,
  QBACKEND_U16 = 5,
  QBACKEND_I32 = 6,
  QBACKEND_U32 = 7,
  QBACKEND_I64 = 8,
  QBACKEND_U64 = 9,
  QBACKEND_BOOL = 10,
  QBACKEND_F16 = 11
} QBackendElementType;

/* A dense row-major tensor, in the machine's byte order. */
typedef struct {
  QBackendElementType type;
  const int64_t *shape;
  size_t rank;
  const void *data;
} QBackendArray;

/* A network: a module, text or bytecode of any stage, in a context of its own.
 * Calls on one model may come from several threads at once. Those that look at
 * the module take turns; runs don't. */
typedef struct QBackendModel QBackendModel;

/* Parses `module`, which diagnostics call `name`; empty: "module". `entry` is
 * the function that is the network; empty: main, forward, or the only public
 * one. To be freed with qbackendModelDestroy, which takes null too, after all
 * calls on it have returned. */
QBACKEND_EXPORT QBackendStatus qbackendModelLoad(
    QBackendText module, QBackendText name, QBackendText entry,
    QBackendModel **model, QBackendDiagnosticCallback callback, void *user);
QBACKEND_EXPORT void qbackendModelDestroy(QBackendModel *model);

/* Gives the network the weights that it only names: arguments, extern globals
 * and resources without data become constants with the tensors of the file
 * `path`, a .safetensors or .npz. On failure the network is as it was. */
QBACKEND_EXPORT QBackendStatus
qbackendModelBindWeights(QBackendModel *model, QBackendText path,
                         QBackendDiagnosticCallback callback, void *user);

/* What the network takes and gives, as JSON:
 * {"entry": "main",
 *  "inputs": [{"name": "x", "type": "float32", "shape": [-1, 3, 8, 8],
 *              "holds_samples": true}],
 *  "outputs": [{"type": "float32", "shape": [-1, 10]}],
 *  "constant_bytes": 4096}
 * -1 is an extent that calls choose. Inputs that hold no samples are the same
 * in each call: weights, a single number. `constant_bytes` counts each constant
 * tensor once, and of one whose elements are equal one element. */
QBACKEND_EXPORT QBackendStatus
qbackendModelDescribe(QBackendModel *model, char **output,
                      QBackendDiagnosticCallback callback, void *user);

/* The module as text. */
QBACKEND_EXPORT QBackendStatus
qbackendModelPrint(QBackendModel *model, char **output,
                   QBackendDiagnosticCallback callback, void *user);

/* The module as bytecode: `*length` bytes, of which some are null. */
QBACKEND_EXPORT QBackendStatus
qbackendModelToBytecode(QBackendModel *model, char **output, size_t *length,
                        QBackendDiagnosticCallback callback, void *user);

/* How a network is run. All zero is the default. */
typedef struct {
  /* What integers for a float input are multiplied by: a number or a
   * quotient, "1/255". Empty: such data is an error. */
  QBackendText inputScale;
  /* Numbers of the inputs that hold samples, "0,2"; empty: see
   * qbackendModelDescribe. */
  QBackendText sampleArguments;
  /* How many threads to use; 0: one for each core. Each runs a batch; of one
   * batch, they share the large layers. Results don't depend on it. */
  unsigned threads;
  /* Asked before each call of the network, maybe on other threads; what is not
   * 0 ends the run with the error "interrupted". May be null. */
  int (*isStopped)(void *stopUser);
  void *stopUser;
  /* Not 0: sums of float products are rounded once for each addition
   * where the processor can. Faster; the last bits depend on it then. Integers
   * don't. */
  int contract;
} QBackendRunOptions;

/* The results of a run, which has memory of its own for them. */
typedef struct QBackendResults QBackendResults;

/* Number of results, and one of them; the view lives as long as `results`. */
QBACKEND_EXPORT size_t qbackendResultsGetNum(const QBackendResults *results);
QBACKEND_EXPORT QBackendArray qbackendResultsGet(const QBackendResults *results,
                                                 size_t index);
QBACKEND_EXPORT void qbackendResultsDestroy(QBackendResults *results);

/* Runs the network on `arguments`, one array for each input in order, which are
 * read only during the call. The leading extent of those that hold samples is
 * their number: samples are cut into the batches that the function takes, and
 * results have as many rows. One batch of the input's type, aligned as memory
 * of malloc is, is read where it is, and its results are those of the code
 * without a copy. Numbers of other types are converted by value to float
 * inputs; NaN and infinity are errors. The first run compiles; `options` may be
 * null. */
QBACKEND_EXPORT QBackendStatus qbackendModelRun(
    QBackendModel *model, const QBackendArray *arguments, size_t numArguments,
    const QBackendRunOptions *options, QBackendResults **results,
    QBackendDiagnosticCallback callback, void *user);

/* How results of one run differ from those of another, as JSON, one object for
 * each pair of arrays of the same shape:
 * [{"name": "output0", "sqnr": 32.1, "cosine": 0.9997, "max_difference": 0.5,
 *   "different": 90, "elements": 100, "top1_agreement": 0.98}]
 * `sqnr`, in dB, is null if nothing differs; `top1_agreement` is there for rows
 * of scores. */
QBACKEND_EXPORT QBackendStatus qbackendCompare(
    const QBackendArray *base, const QBackendArray *other, size_t count,
    char **output, QBackendDiagnosticCallback callback, void *user);

/* What a calibration observes. All zero is the default. */
typedef struct {
  /* For which backend and which of its qconfigs, as `backend=` and `qconfig=`
   * of `qbackend-opt --apply-backend`; empty: qnnpack, and the backend's
   * default. The table serves others too, as far as they ask for the same
   * statistics. */
  QBackendText backend, qconfig;
  /* See qbackendApplyBackend. */
  QBackendText configuration;
  /* See QBackendRunOptions. */
  QBackendText inputScale, sampleArguments;
  /* What the table calls the samples. */
  QBackendText source;
  /* How many samples an observer sees as one batch; 0: 20, negative: those of
   * each call of qbackendCalibrationAdd. */
  int64_t batchSize;
  /* Count values that are NaN or infinite and leave them out, instead of an
   * error. */
  int ignoreNonFinite;
  unsigned threads;
  /* Which values have one observer, as `sharing=`; empty: groups. Moving
   * averages are of this sharing. */
  QBackendText sharing;
  /* What is recorded: `ordered` or `mergeable`, see docs/Calibration.md; empty:
   * ordered. */
  QBackendText statistics;
  /* Of a part of the samples, whose tables qbackendMergeTables joins: how many
   * there are in all, and the number of the first one here. 0 in all: no part,
   * -1: as many as it turns out. */
  int64_t totalSamples, firstSample;
  /* Record what layers read, so that the corrections `bias-correction` and
   * `adaptive-rounding` need no samples. */
  int forCorrections;
} QBackendCalibrationOptions;

/* A float network under observation. Calls on one must not overlap. */
typedef struct QBackendCalibration QBackendCalibration;

/* Prepares and compiles a copy of `model`, which may be destroyed afterwards.
 * `options` may be null. */
QBACKEND_EXPORT QBackendStatus qbackendCalibrationCreate(
    QBackendModel *model, const QBackendCalibrationOptions *options,
    QBackendCalibration **calibration, QBackendDiagnosticCallback callback,
    void *user);
QBACKEND_EXPORT void
qbackendCalibrationDestroy(QBackendCalibration *calibration);

/* Runs on the samples of `arguments`, see qbackendModelRun, which go on where
 * the last ones ended: how samples are cut into calls makes no difference.
 * `isStopped` as in QBackendRunOptions; it may be null. After a failure the
 * calibration can only be destroyed. */
QBACKEND_EXPORT QBackendStatus qbackendCalibrationAdd(
    QBackendCalibration *calibration, const QBackendArray *arguments,
    size_t numArguments, int (*isStopped)(void *stopUser), void *stopUser,
    QBackendDiagnosticCallback callback, void *user);

/* What was seen so far as a calibration table, see docs/Calibration.md. */
QBACKEND_EXPORT QBackendStatus
qbackendCalibrationToTable(QBackendCalibration *calibration, char **output,
                           QBackendDiagnosticCallback callback, void *user);

/* One table of those of parts of the samples, whose names are for messages: the
 * bytes are those of one run on all of them. It is an error if a sample is in
 * two tables or in none, or if they don't belong together. Also all that the
 * parts of another run have found, see QBackendReportOptions, as one. */
QBACKEND_EXPORT QBackendStatus qbackendMergeTables(
    const QBackendText *tables, const QBackendText *names, size_t count,
    char **output, QBackendDiagnosticCallback callback, void *user);

/* Quantizes a copy of `model`. `configuration` and `options` are those of
 * qbackendApplyBackend, `table` is the text of a calibration table or empty.
 * Errors and warnings go to `callback`, remarks to qbackendModelExplain. */
QBACKEND_EXPORT QBackendStatus qbackendModelQuantize(
    QBackendModel *model, QBackendText configuration, QBackendText options,
    QBackendText table, QBackendModel **quantized,
    QBackendDiagnosticCallback callback, void *user);

/* What became of each operator of a network that qbackendModelQuantize made, in
 * the order of the code, as JSON:
 * [{"operator": "conv2d+relu", "name": "layer1.0", "verdict": "float",
 *   "code": "QB101", "reason": "...", "remedy": "...", "file": "net.mlir",
 *   "line": 3, "column": 8, "where": "", "macs": 4096}]
 * An operator with more than one remark has an object for each, in all but the
 * first of which `verdict` is "remark" and `macs` is 0. Strings may be empty;
 * lines count from 1, 0: unknown. Of other models: []. */
QBACKEND_EXPORT QBackendStatus
qbackendModelExplain(QBackendModel *model, char **output,
                     QBackendDiagnosticCallback callback, void *user);

/* On what networks are judged, and how they are quantized for it. All zero is
 * the default; what is needed is said below. */
typedef struct {
  /* See QBackendCalibrationOptions. */
  QBackendText backend, qconfig, configuration;
  /* Paths: samples, as `--input` of `qbackend-run` has them, and their right
   * classes; without, there is no accuracy. */
  QBackendText samples, labels;
  /* Where ranges come from: the text of a calibration table, or the path of
   * samples, which some corrections need; both empty: `samples`. */
  QBackendText table, calibrationSamples;
  /* See QBackendRunOptions. */
  QBackendText inputScale, sampleArguments;
  unsigned threads;
  /* What a page calls the network. */
  QBackendText title;
  /* Whether qbackendModelFindSensitivity has `changes`. */
  int measureChanges;
  /* Of qbackendModelCompareOperators, qbackendModelFindSensitivity and
   * qbackendModelTune: what parts have found, as one text of
   * qbackendMergeTables, which is not measured again; and with `shards` above
   * 0, which part is measured now: they give the text of that part then. */
  QBackendText parts;
  int64_t shard, shards;
} QBackendReportOptions;

/* How `quantized` differs from `model`, float, operator by operator, on
 * `samples`, as JSON:
 * {"outputs": [of qbackendCompare, "accuracy": [both] with labels],
 *  "operators": [{"name": "conv1", "kind": "conv2d",
 *    "kernel": "qnnpack.conv2d", "selector": "module_name \"conv1\"",
 *    "inputs": [0], "shape": [1, 8, 8, 4], "macs": 4096,
 *    "local": {"sqnr": 31.2, "cosine": 0.999, "max_difference": 0.5},
 *    "cumulative": {...}, "own": {...},
 *    "weight_percent": 80.0, "bias_percent": 0.0, "clip_percent": 5.0,
 *    "round_percent": 15.0, "range": {"dtype": "ui8", "scale": 0.5,
 *    "zero_point": 3, "lowest": -1.5, "highest": 126.0}, "score": 0.01,
 *    "cause": "weight", "reason": "...", "suggestion": "..."}],
 *  "ranking": [numbers of operators, the worst first], "missing": [names]}
 * docs/Reports.md says what these are. Errors of an operator that wasn't found
 * are null, as is the range of a float result; `sqnr` is null if nothing
 * differs, "-inf" if what is right is 0. `page` may be null: else a page for a
 * browser. */
QBACKEND_EXPORT QBackendStatus qbackendModelCompareOperators(
    QBackendModel *model, QBackendModel *quantized,
    const QBackendReportOptions *options, char **output, char **page,
    QBackendDiagnosticCallback callback, void *user);

/* Whether anything is wrong with `quantized`, a quantized form of `model`,
 * float, on `samples`, and what mends it; null: with `model` as the options
 * quantize it. As JSON:
 * {"is_wrong": true, "outputs": [of qbackendModelCompareOperators],
 * "sqnr": 3.1, "is_calibration_wrong": false, "calibrated_sqnr": 3.1, "faults":
 * [{"operator": "fc1", "kind": "linear", "score": 0.1, "cause": "weight",
 * "reason": "...", "suggestion": "...", "gain": 20.5, "float_macs": 0}],
 *  "improvements": [the same, of what is no fault],
 *  "mended_sqnr": 31.2, "float_operators": [names], "mapping": "..."}
 * The culprit comes first. `calibrated_sqnr` is what calibration on `samples`
 * gives, `mended_sqnr` with all that helps together, which `mapping` has, the
 * text of a configuration file, or empty. `gain` in dB is there for what was
 * tried; `float_macs` is what that makes float. docs/Reports.md says what is a
 * fault. */
QBACKEND_EXPORT QBackendStatus
qbackendModelDiagnose(QBackendModel *model, QBackendModel *quantized,
                      const QBackendReportOptions *options, char **output,
                      QBackendDiagnosticCallback callback, void *user);

/* What it costs to quantize each operator of `model`, float, on
 * `samples`, as JSON:
 * {"operators": [{"name": "conv1", "kind": "conv2d",
 *    "alone": {"sqnr": 31.2, "accuracy": 0.9}, "without": {...}}],
 *  "curve": [{"sqnr": 28.1, "accuracy": 0.9}],
 *  "changes": [{"name": "none", "score": {"sqnr": 28.1, "accuracy": 0.9}},
 *    {"name": "per-channel weights", "problem": "..."}]}
 * The worst operator comes first; entry k of `curve` has the first k
 * float. Changes are of all operators, which all are quantized; `problem`
 * says why one isn't possible. `sqnr` is null if nothing differs, "-inf" if a
 * result is no number, or what is right is 0. */
QBACKEND_EXPORT QBackendStatus qbackendModelFindSensitivity(
    QBackendModel *model, const QBackendReportOptions *options, char **output,
    QBackendDiagnosticCallback callback, void *user);

/* What is to be held, see docs/Tuning.md. */
typedef struct {
  QBackendReportOptions network;
  /* dB, and points of a hundred; one of both is enough, null: not this one. */
  const double *keepSqnr, *keepAccuracy;
  /* When to stop, and what a call may take; 0: never, any time. */
  double maxSeconds, targetSeconds;
  /* Where the mapping goes, which ends with ".mlir". */
  QBackendText path;
  /* Go on from what an interrupted search left beside `path`. */
  int resume;
  /* Asked before each step, see QBackendRunOptions. */
  int (*isStopped)(void *stopUser);
  void *stopUser;
} QBackendTuneOptions;

/* Writes a qconfig mapping that keeps what is to be held to `path`, the best so
 * far at any time. What was found is JSON:
 * {"is_held": true, "is_kept": true, "is_complete": true, "is_written": true,
 *  "real": {"sqnr": null, "accuracy": 0.93}, "score": {...}, "real_valued": 1,
 *  "operators": 15, "real_macs": 4096, "macs": 65536, "held_back": 25,
 *  "seconds": null, "integer_seconds": null, "log": "..."}
 * Scores are of `held_back` samples that the search didn't see, if not 0.
 * `real_macs` of `macs` stay float. `is_kept` is without the time, `is_written`
 * false if it was stopped before its first result; `seconds` are there with a
 * target. */
QBACKEND_EXPORT QBackendStatus qbackendModelTune(
    QBackendModel *model, const QBackendTuneOptions *options, char **output,
    QBackendDiagnosticCallback callback, void *user);

/* What the network, of any stage, costs to run, as JSON:
 * {"operators": [{"name": "conv1", "kind": "qnnpack.conv2d",
 *    "integer_macs": 4096, "real_macs": 0, "operations": 256,
 *    "read_bytes": 64, "written_bytes": 256, "parameter_bytes": 100,
 *    "is_conversion": false, "is_real": false, "predicted_seconds": 1e-6,
 *    "measured_seconds": null}],
 *  "islands": [{"operators": [3, 4], "conversions": [2, 5],
 *    "predicted_seconds": 1e-6}],
 *  "live_bytes": 512, "live_at": 3, "parameter_bytes": 100}
 * Operators are measured on `samples`, if `options` are not null and have some.
 */
QBACKEND_EXPORT QBackendStatus qbackendModelFindCost(
    QBackendModel *model, const QBackendReportOptions *options, char **output,
    QBackendDiagnosticCallback callback, void *user);

/* All about one operator of `model`, as text. The arguments are those of
 * qbackendModelQuantize; `options` have the key `explain=NAME`. */
QBACKEND_EXPORT QBackendStatus qbackendModelExplainOperator(
    QBackendModel *model, QBackendText configuration, QBackendText options,
    QBackendText table, char **output, QBackendDiagnosticCallback callback,
    void *user);

/* The network after each pass that changed it, as JSON:
 * [{"pass": "input", "summary": "...",
 *   "ops": [{"text": "...", "kind": "conv2d", "origins": ["conv1"],
 *            "operands": [0], "is_constant": false}]}]
 * `configuration` and `options` are those of qbackendApplyBackend. `page` may
 * be null: else a page for a browser, which calls the network `title`. */
QBACKEND_EXPORT QBackendStatus qbackendModelRecordStages(
    QBackendModel *model, QBackendText configuration, QBackendText options,
    QBackendText title, char **output, char **page,
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
 * per_channel_affine_float_qparams is a float. */
QBACKEND_EXPORT QBackendStatus
qbackendObserverGetParams(QBackendObserver *observer, char **output,
                          QBackendDiagnosticCallback callback, void *user);

/* The integers of a type, and the scales and zero points of a tensor's channels
 * along `axis`; of the whole tensor if `count` is 1. `hasFloatZeroPoints`: they
 * are no integers. */
typedef struct {
  const double *scales, *zeroPoints;
  size_t count;
  int64_t axis;
  int64_t quantMin, quantMax;
  int hasFloatZeroPoints;
} QBackendQuantization;

/* Writes to `output` the floats that a row-major tensor of `rank` extents
 * becomes: (clamp(round(x / scale) + zero point) - zero point) * scale in f32,
 * x / scale as a product with the inverse, ties to even. `output` may be
 * `input`. */
QBACKEND_EXPORT QBackendStatus
qbackendFakeQuantize(const float *input, float *output, const int64_t *shape,
                     size_t rank, const QBackendQuantization *quantization,
                     QBackendDiagnosticCallback callback, void *user);

/* The parameters that a fused fake quantizer of PyTorch has for a range
 * min <= max, which are not those of an observer: numerics::chooseQParams. Each
 * of `scale` and `zeroPoint` may be NULL: it is not written. */
QBACKEND_EXPORT void qbackendChooseParams(float min, float max,
                                          int64_t quantMin, int64_t quantMax,
                                          int symmetric, double *scale,
                                          int64_t *zeroPoint);

#ifdef __cplusplus
}
#endif

#endif /* QBACKEND_C_QBACKEND_H */
