/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Networks through the C interface: loaded, calibrated, quantized, run,
 * explained; and every way for that to fail.
 *
 * usage: ModelTests linear.mlir
 */

#include "Check.h"

#include "qbackend-c/QBackend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first error of a call. */
static char error[512];

static void hear(const QBackendDiagnostic *diagnostic, void *user) {
  (void)user;
  if (diagnostic->severity == QBACKEND_ERROR && !error[0])
    strncpy(error, diagnostic->message, sizeof(error) - 1);
}

/* That a call failed and said `expected`. */
static void checkFailure(int line, QBackendStatus status,
                         const char *expected) {
  if (status != QBACKEND_FAILURE || !strstr(error, expected)) {
    printf("line %d: status %d, error '%s', expected '%s'\n", line, (int)status,
           error, expected);
    ++failures;
    ++failuresOfGroup;
  }
  memset(error, 0, sizeof(error));
}
#define FAILS(call, expected) checkFailure(__LINE__, call, expected)

static const QBackendText nothing = {NULL, 0};
/* Eight samples from -1 to 1. */
static float samples[8][4];
static const int64_t samplesShape[] = {8, 4};

static QBackendArray getSamples(int64_t first, int64_t count, int64_t *shape) {
  QBackendArray array = {QBACKEND_F32, shape, 2, samples[first]};
  shape[0] = count;
  shape[1] = 4;
  return array;
}

/* x times the matrix of Inputs/linear.mlir. */
static void multiply(const float *x, double *y) {
  static const double w[4][2] = {
      {0.5, -1.0}, {0.25, 1.0}, {-0.5, 0.125}, {1.0, 0.0}};
  int i, j;
  for (j = 0; j < 2; ++j)
    for (y[j] = 0, i = 0; i < 4; ++i)
      y[j] += x[i] * w[i][j];
}

/* Whether results are the products of the samples, up to `tolerance`. */
static void checkResults(const QBackendResults *results, int64_t first,
                         int64_t count, double tolerance) {
  QBackendArray y = qbackendResultsGet(results, 0);
  int64_t i, j;
  CHECK(qbackendResultsGetNum(results) == 1);
  CHECK(y.type == QBACKEND_F32 && y.rank == 2);
  CHECK(y.shape[0] == count && y.shape[1] == 2);
  for (i = 0; i < count; ++i) {
    double expected[2];
    multiply(samples[first + i], expected);
    for (j = 0; j < 2; ++j)
      CHECK(fabs(((const float *)y.data)[2 * i + j] - expected[j]) <=
            tolerance);
  }
}

static int stopNow(void *user) {
  ++*(int *)user;
  return 1;
}

static int goOn(void *user) {
  ++*(int *)user;
  return 0;
}

static void testRun(QBackendModel *model) {
  QBackendResults *results = NULL;
  QBackendRunOptions options;
  int64_t shape[2];
  int asked = 0;
  uint8_t bytes[8] = {0, 51, 102, 153, 204, 255, 0, 255};
  QBackendArray all = {QBACKEND_F32, samplesShape, 2, samples}, one;
  memset(&options, 0, sizeof(options));

  CHECK(qbackendModelRun(model, &all, 1, NULL, &results, hear, NULL) ==
        QBACKEND_SUCCESS);
  checkResults(results, 0, 8, 1e-6);
  CHECK(qbackendResultsGet(results, 1).data == NULL);
  qbackendResultsDestroy(results);

  /* One batch is read where it is; rows that aren't aligned for that too. */
  one = getSamples(3, 1, shape);
  CHECK(qbackendModelRun(model, &one, 1, NULL, &results, hear, NULL) ==
        QBACKEND_SUCCESS);
  checkResults(results, 3, 1, 1e-6);
  qbackendResultsDestroy(results);

  /* Bytes, scaled: 51/255 = 0.2 and so on. */
  one.type = QBACKEND_U8;
  one.data = bytes;
  FAILS(qbackendModelRun(model, &one, 1, NULL, &results, hear, NULL),
        "say what to multiply by");
  CHECK(results == NULL);
  options.inputScale = qbackendText("1/255");
  options.isStopped = goOn;
  options.stopUser = &asked;
  CHECK(qbackendModelRun(model, &one, 1, &options, &results, hear, NULL) ==
        QBACKEND_SUCCESS);
  /* 0 * 0.5 + 0.2 * 0.25 - 0.4 * 0.5 + 0.6 */
  CHECK(fabs(((const float *)qbackendResultsGet(results, 0).data)[0] - 0.45) <
        1e-6);
  qbackendResultsDestroy(results);
  options.contract = 1;
  CHECK(qbackendModelRun(model, &one, 1, &options, &results, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(fabs(((const float *)qbackendResultsGet(results, 0).data)[0] - 0.45) <
        1e-6);
  CHECK(asked > 0);
  qbackendResultsDestroy(results);

  options.isStopped = stopNow;
  FAILS(qbackendModelRun(model, &all, 1, &options, &results, hear, NULL),
        "interrupted");
  one = getSamples(0, 1, shape);
  FAILS(qbackendModelRun(model, &one, 1, &options, &results, hear, NULL),
        "interrupted");

  options.isStopped = NULL;
  options.inputScale = qbackendText("1/0");
  FAILS(qbackendModelRun(model, &all, 1, &options, &results, hear, NULL),
        "expected a number above 0");
  options.inputScale = nothing;
  options.sampleArguments = qbackendText("1");
  FAILS(qbackendModelRun(model, &all, 1, &options, &results, hear, NULL),
        "sample-arguments has '1'");
  FAILS(qbackendModelRun(model, NULL, 0, NULL, &results, hear, NULL),
        "takes 1 arrays (arg0); found 0");
  FAILS(qbackendModelRun(model, NULL, 1, NULL, &results, hear, NULL),
        "arguments is null");
  FAILS(qbackendModelRun(NULL, &all, 1, NULL, &results, hear, NULL),
        "model is null");
  FAILS(qbackendModelRun(model, &all, 1, NULL, NULL, hear, NULL),
        "results is null");
  one = getSamples(0, 0, shape);
  FAILS(qbackendModelRun(model, &one, 1, NULL, &results, hear, NULL),
        "has no samples");
  one = getSamples(0, 2, shape);
  shape[1] = 3;
  FAILS(qbackendModelRun(model, &one, 1, NULL, &results, hear, NULL),
        "expected float32 Nx4");
  shape[1] = -4;
  FAILS(qbackendModelRun(model, &one, 1, NULL, &results, hear, NULL),
        "a shape that no memory holds");
  one = getSamples(0, 1, shape);
  one.data = NULL;
  FAILS(qbackendModelRun(model, &one, 1, NULL, &results, hear, NULL),
        "array 0 has no data");
  one.shape = NULL;
  FAILS(qbackendModelRun(model, &one, 1, NULL, &results, hear, NULL),
        "array 0 has no shape");
  one.rank = (size_t)1 << 62;
  FAILS(qbackendModelRun(model, &one, 1, NULL, &results, hear, NULL),
        "array 0 has 4611686018427387904 dimensions, expected at most 64");
  /* The others aren't there. */
  FAILS(qbackendModelRun(model, &one, (size_t)1 << 58, NULL, &results, hear,
                         NULL),
        "takes 1 arrays (arg0); found 288230376151711744");
  one.type = (QBackendElementType)77;
  FAILS(qbackendModelRun(model, &one, 1, NULL, &results, hear, NULL),
        "has the element type 77");
  samples[0][1] = (float)HUGE_VAL;
  FAILS(qbackendModelRun(model, &all, 1, NULL, &results, hear, NULL),
        "NaN or infinite in float32, first in sample 0");
  one = getSamples(0, 1, shape);
  FAILS(qbackendModelRun(model, &one, 1, NULL, &results, hear, NULL),
        "NaN or infinite in float32, first in sample 0");
  samples[0][1] = -0.5f;
  CHECK(qbackendResultsGetNum(NULL) == 0);
  qbackendResultsDestroy(NULL);
  endGroup("runs");
}

/* The table of `count` samples, given `atOnce` a call. */
static char *calibrate(QBackendModel *model, int64_t count, int64_t atOnce) {
  QBackendCalibration *calibration = NULL;
  char *table = NULL;
  int64_t first, shape[2];
  CHECK(qbackendCalibrationCreate(model, NULL, &calibration, hear, NULL) ==
        QBACKEND_SUCCESS);
  for (first = 0; first < count; first += atOnce) {
    QBackendArray part = getSamples(first, atOnce, shape);
    CHECK(qbackendCalibrationAdd(calibration, &part, 1, NULL, NULL, hear,
                                 NULL) == QBACKEND_SUCCESS);
  }
  CHECK(qbackendCalibrationToTable(calibration, &table, hear, NULL) ==
        QBACKEND_SUCCESS);
  qbackendCalibrationDestroy(calibration);
  return table;
}

static void testCalibration(QBackendModel *model) {
  QBackendCalibration *calibration = NULL;
  QBackendCalibrationOptions options;
  QBackendArray all = {QBACKEND_F32, samplesShape, 2, samples};
  char *whole = calibrate(model, 8, 8), *pieces = calibrate(model, 8, 2);
  char *output = NULL;
  int asked = 0;
  CHECK(whole && pieces && strcmp(whole, pieces) == 0);
  CHECK(strstr(whole, "\"arg0\"") != NULL);
  qbackendFree(pieces);
  qbackendFree(whole);

  memset(&options, 0, sizeof(options));
  options.backend = qbackendText("none");
  FAILS(qbackendCalibrationCreate(model, &options, &calibration, hear, NULL),
        "none");
  CHECK(calibration == NULL);
  options.backend = nothing;
  options.firstSample = 3;
  FAILS(qbackendCalibrationCreate(model, &options, &calibration, hear, NULL),
        "firstSample is 3 of totalSamples 0");
  options.firstSample = -1;
  options.totalSamples = -1;
  FAILS(qbackendCalibrationCreate(model, &options, &calibration, hear, NULL),
        "firstSample is -1 of totalSamples -1");
  options.firstSample = options.totalSamples = 0;
  FAILS(qbackendCalibrationCreate(NULL, NULL, &calibration, hear, NULL),
        "model is null");
  FAILS(qbackendCalibrationCreate(model, NULL, NULL, hear, NULL),
        "calibration is null");
  FAILS(qbackendCalibrationAdd(NULL, &all, 1, NULL, NULL, hear, NULL),
        "calibration is null");
  CHECK(qbackendCalibrationCreate(model, NULL, &calibration, hear, NULL) ==
        QBACKEND_SUCCESS);
  FAILS(
      qbackendCalibrationAdd(calibration, &all, 1, stopNow, &asked, hear, NULL),
      "interrupted");
  FAILS(qbackendCalibrationAdd(calibration, &all, 1, NULL, NULL, hear, NULL),
        "has failed before");
  FAILS(qbackendCalibrationToTable(calibration, &output, hear, NULL),
        "has failed");
  CHECK(output == NULL);
  qbackendCalibrationDestroy(calibration);
  qbackendCalibrationDestroy(NULL);
  endGroup("calibration");
}

/* The table of `count` samples from `first` on, of `total`; 0: no part. */
static char *calibratePart(QBackendModel *model, int64_t first, int64_t count,
                           int64_t total) {
  QBackendCalibration *calibration = NULL;
  QBackendCalibrationOptions options;
  int64_t shape[2];
  QBackendArray part = getSamples(first, count, shape);
  char *table = NULL;
  memset(&options, 0, sizeof(options));
  options.source = qbackendText("memory");
  options.batchSize = 2;
  options.statistics = qbackendText("mergeable");
  options.totalSamples = total;
  options.firstSample = first;
  CHECK(qbackendCalibrationCreate(model, &options, &calibration, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(qbackendCalibrationAdd(calibration, &part, 1, NULL, NULL, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(qbackendCalibrationToTable(calibration, &table, hear, NULL) ==
        QBACKEND_SUCCESS);
  qbackendCalibrationDestroy(calibration);
  return table;
}

static void testParts(QBackendModel *model) {
  char *whole = calibratePart(model, 0, 8, 0), *merged = NULL;
  char *first = calibratePart(model, 0, 6, 8);
  char *last = calibratePart(model, 6, 2, 8);
  QBackendText tables[] = {qbackendText(last), qbackendText(first)};
  QBackendText names[] = {qbackendText("last"), qbackendText("first")};
  QBackendCalibration *calibration = NULL;
  QBackendCalibrationOptions options;
  CHECK(qbackendMergeTables(tables, names, 2, &merged, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(merged && strcmp(merged, whole) == 0);
  qbackendFree(merged);
  FAILS(qbackendMergeTables(tables, names, 1, &merged, hear, NULL),
        "samples 0 to 5 of 'memory' are in none of the tables");
  CHECK(merged == NULL);
  tables[0] = tables[1];
  FAILS(qbackendMergeTables(tables, names, 2, &merged, hear, NULL),
        "is in 'last' and in 'first'");
  tables[0] = qbackendText("{");
  FAILS(qbackendMergeTables(tables, names, 2, &merged, hear, NULL), "last");
  FAILS(qbackendMergeTables(NULL, names, 2, &merged, hear, NULL),
        "tables is null");
  /* PyTorch's histogram has no parts. */
  memset(&options, 0, sizeof(options));
  options.totalSamples = 8;
  FAILS(qbackendCalibrationCreate(model, &options, &calibration, hear, NULL),
        "statistics=mergeable");
  options.statistics = qbackendText("any");
  FAILS(qbackendCalibrationCreate(model, &options, &calibration, hear, NULL),
        "expected ordered or mergeable");
  qbackendFree(whole);
  qbackendFree(first);
  qbackendFree(last);
  endGroup("parts");
}

static void testQuantize(QBackendModel *model) {
  QBackendModel *quantized = NULL;
  QBackendResults *results = NULL;
  QBackendArray all = {QBACKEND_F32, samplesShape, 2, samples}, found;
  char *table = calibrate(model, 8, 8), *output = NULL;
  size_t length = 0;
  CHECK(qbackendModelQuantize(model, nothing, qbackendText("backend=qnnpack"),
                              qbackendText(table), &quantized, hear,
                              NULL) == QBACKEND_SUCCESS);
  CHECK(qbackendModelPrint(quantized, &output, hear, NULL) == QBACKEND_SUCCESS);
  CHECK(strstr(output, "qnnpack.linear") != NULL);
  qbackendFree(output);
  CHECK(qbackendModelExplain(quantized, &output, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(strstr(output, "\"operator\":\"linear\"") != NULL);
  CHECK(strstr(output, "\"verdict\":\"quantized\"") != NULL);
  CHECK(strstr(output, "\"macs\":8") != NULL);
  qbackendFree(output);
  CHECK(qbackendModelExplain(model, &output, hear, NULL) == QBACKEND_SUCCESS);
  CHECK(strcmp(output, "[]") == 0);
  qbackendFree(output);
  CHECK(qbackendModelToBytecode(quantized, &output, &length, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(length > 4 && memcmp(output, "ML\xefR", 4) == 0);
  qbackendFree(output);

  /* |y| <= 2.25, so that a step of 8 bits is below 0.02. */
  CHECK(qbackendModelRun(quantized, &all, 1, NULL, &results, hear, NULL) ==
        QBACKEND_SUCCESS);
  checkResults(results, 0, 8, 0.02);
  found = qbackendResultsGet(results, 0);
  CHECK(qbackendCompare(&found, &found, 1, &output, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(strstr(output, "\"cosine\":1,\"different\":0,\"elements\":16") != NULL);
  CHECK(strstr(output, "\"sqnr\":null") != NULL);
  qbackendFree(output);
  FAILS(qbackendCompare(&found, &all, 1, &output, hear, NULL),
        "output0 is 8x2 in one module, 8x4 in the other");
  FAILS(qbackendCompare(NULL, &all, 1, &output, hear, NULL), "base is null");
  qbackendResultsDestroy(results);
  qbackendModelDestroy(quantized);

  FAILS(qbackendModelQuantize(model, nothing, qbackendText("backnd=x"),
                              qbackendText(table), &quantized, hear, NULL),
        "in the options 'backnd=x'");
  CHECK(quantized == NULL);
  FAILS(qbackendModelQuantize(model, nothing,
                              qbackendText("calibration=other.json"),
                              qbackendText(table), &quantized, hear, NULL),
        "the caller gives a table too");
  FAILS(qbackendModelQuantize(model, nothing, nothing, qbackendText("{"),
                              &quantized, hear, NULL),
        "the calibration table");
  FAILS(qbackendModelQuantize(model, qbackendText("module {"), nothing, nothing,
                              &quantized, hear, NULL),
        "expected");
  FAILS(qbackendModelQuantize(NULL, nothing, nothing, nothing, &quantized, hear,
                              NULL),
        "model is null");
  FAILS(
      qbackendModelQuantize(model, nothing, nothing, nothing, NULL, hear, NULL),
      "quantized is null");
  qbackendFree(table);
  endGroup("quantization");
}

/* Reports, on samples of a file. */
static void testReports(QBackendModel *model, const char *path) {
  QBackendModel *quantized = NULL;
  QBackendReportOptions options;
  QBackendTuneOptions tune;
  double sqnr = 20;
  const double nan = NAN;
  char *table = calibrate(model, 8, 8), *output = NULL, *page = NULL;
  int asked = 0;
  CHECK(qbackendModelQuantize(model, nothing, nothing, qbackendText(table),
                              &quantized, hear, NULL) == QBACKEND_SUCCESS);
  memset(&options, 0, sizeof(options));
  options.samples = qbackendText(path);
  options.title = qbackendText("a <title>");

  CHECK(qbackendModelCompareOperators(model, quantized, &options, &output,
                                      &page, hear, NULL) == QBACKEND_SUCCESS);
  CHECK(strstr(output, "\"kernel\":\"qnnpack.linear") != NULL);
  CHECK(strstr(output, "\"missing\":[]") != NULL);
  CHECK(strstr(page, "a \\u003ctitle>") != NULL);
  qbackendFree(page);
  qbackendFree(output);
  CHECK(qbackendModelCompareOperators(model, quantized, &options, &output, NULL,
                                      hear, NULL) == QBACKEND_SUCCESS);
  qbackendFree(output);
  FAILS(qbackendModelCompareOperators(model, NULL, &options, &output, NULL,
                                      hear, NULL),
        "quantized is null");
  FAILS(qbackendModelCompareOperators(model, quantized, NULL, &output, NULL,
                                      hear, NULL),
        "options is null");

  CHECK(qbackendModelFindSensitivity(model, &options, &output, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(strstr(output, "\"alone\"") != NULL);
  CHECK(strstr(output, "\"curve\"") != NULL);
  qbackendFree(output);
  FAILS(qbackendModelFindSensitivity(model, NULL, &output, hear, NULL),
        "options is null");

  memset(&tune, 0, sizeof(tune));
  tune.network = options;
  tune.path = qbackendText("tuned.mlir");
  FAILS(qbackendModelTune(model, &tune, &output, hear, NULL),
        "an SQNR or an accuracy is to be kept");
  tune.keepSqnr = &nan;
  FAILS(qbackendModelTune(model, &tune, &output, hear, NULL),
        "keepSqnr is not finite, expected a number");
  tune.keepSqnr = &sqnr;
  tune.targetSeconds = -1;
  FAILS(qbackendModelTune(model, &tune, &output, hear, NULL),
        "targetSeconds is negative or not finite");
  tune.targetSeconds = 60;
  tune.isStopped = goOn;
  tune.stopUser = &asked;
  CHECK(qbackendModelTune(model, &tune, &output, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(strstr(output, "\"is_held\":true") != NULL);
  CHECK(strstr(output, "\"seconds\":null") == NULL);
  qbackendFree(output);
  FAILS(qbackendModelTune(model, NULL, &output, hear, NULL), "options is null");

  CHECK(qbackendModelFindCost(quantized, NULL, &output, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(strstr(output, "\"integer_macs\":8") != NULL);
  CHECK(strstr(output, "\"measured_seconds\":null") != NULL);
  qbackendFree(output);
  CHECK(qbackendModelFindCost(quantized, &options, &output, hear, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(strstr(output, "\"measured_seconds\":null") == NULL);
  qbackendFree(output);
  FAILS(qbackendModelFindCost(NULL, NULL, &output, hear, NULL),
        "model is null");

  FAILS(qbackendModelExplainOperator(model, nothing, qbackendText("explain=no"),
                                     nothing, &output, hear, NULL),
        "no");
  CHECK(qbackendModelExplainOperator(
            model, nothing, qbackendText("explain=linear_0"),
            qbackendText(table), &output, hear, NULL) == QBACKEND_SUCCESS);
  CHECK(strstr(output, "qnnpack.linear") != NULL);
  qbackendFree(output);

  CHECK(qbackendModelRecordStages(model, nothing, nothing, nothing, &output,
                                  &page, hear, NULL) == QBACKEND_SUCCESS);
  CHECK(strstr(output, "\"pass\":\"input\"") != NULL);
  CHECK(strstr(page, "<html") != NULL);
  qbackendFree(page);
  qbackendFree(output);
  FAILS(qbackendModelRecordStages(model, nothing, qbackendText("backend=no"),
                                  nothing, &output, NULL, hear, NULL),
        "no");
  qbackendFree(table);
  qbackendModelDestroy(quantized);
  endGroup("reports");
}

static void testLoad(QBackendText text, QBackendModel *model) {
  QBackendModel *other = NULL;
  char *output = NULL;
  size_t length;
  CHECK(qbackendModelDescribe(model, &output, hear, NULL) == QBACKEND_SUCCESS);
  CHECK(strstr(output, "\"entry\":\"main\"") != NULL);
  CHECK(strstr(output,
               "\"name\":\"arg0\",\"shape\":[1,4],\"type\":\"float32\"") !=
        NULL);
  CHECK(strstr(output, "\"outputs\":[{\"shape\":[1,2]") != NULL);
  /* Eight weights; the zero is no tensor. */
  CHECK(strstr(output, "\"constant_bytes\":32") != NULL);
  qbackendFree(output);
  FAILS(qbackendModelLoad(text, nothing, qbackendText("other"), &other, hear,
                          NULL),
        "other");
  CHECK(other == NULL);
  FAILS(qbackendModelLoad(nothing, nothing, nothing, &other, hear, NULL),
        "the module is empty");
  FAILS(qbackendModelLoad(qbackendText("func.func"), qbackendText("net.mlir"),
                          nothing, &other, hear, NULL),
        "expected");
  FAILS(qbackendModelLoad(text, nothing, nothing, NULL, hear, NULL),
        "model is null");
  FAILS(qbackendModelDescribe(NULL, &output, hear, NULL), "model is null");
  FAILS(qbackendModelPrint(model, NULL, hear, NULL), "output is null");
  FAILS(qbackendModelExplain(NULL, &output, hear, NULL), "model is null");
  FAILS(qbackendModelToBytecode(model, &output, NULL, hear, NULL),
        "length is null");
  FAILS(qbackendModelToBytecode(model, NULL, &length, NULL, NULL), "");
  FAILS(qbackendRestrictProcess(NULL, 1, hear, NULL), "readable is null");
  FAILS(qbackendModelBindWeights(NULL, nothing, hear, NULL), "model is null");
  FAILS(qbackendModelBindWeights(model, qbackendText("/nowhere/w.safetensors"),
                                 hear, NULL),
        "cannot read '/nowhere/w.safetensors'");
  qbackendModelDestroy(NULL);
  endGroup("loading");
}

int main(int argc, char **argv) {
  static char text[1 << 16];
  QBackendText source = {text, 0};
  QBackendModel *model = NULL;
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  int i;
  if (!file) {
    printf("usage: ModelTests linear.mlir samples.npy\n");
    return 2;
  }
  source.length = fread(text, 1, sizeof(text), file);
  fclose(file);
  for (i = 0; i < 32; ++i)
    samples[i / 4][i % 4] = (float)((i * 11 + 1) % 32) / 15.5f - 1;
  CHECK(qbackendModelLoad(source, qbackendText(argv[1]), nothing, &model, hear,
                          NULL) == QBACKEND_SUCCESS);
  if (!model) {
    printf("%s\n", error);
    return 1;
  }
  testLoad(source, model);
  testRun(model);
  testCalibration(model);
  testParts(model);
  testQuantize(model);
  testReports(model, argv[2]);
  qbackendModelDestroy(model);
  printf("%d failures\n", failures);
  return failures != 0;
}
