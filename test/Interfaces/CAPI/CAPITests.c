/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Uses the C interface as another compiler would: every function, every way for
 * it to fail.
 *
 * usage: CAPITests linear.mlir linear.mlirbc mine.mlir bad.mlir findings.mlir
 */

#include "Check.h"

#include "qbackend-c/QBackend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an output is before a call that fails, which sets it to null. */
static char unchanged[] = "unchanged";

/* What was said during a call: counts, and the first error. */
typedef struct {
  int counts[4];
  char file[512];
  unsigned line, column;
  char message[512];
} Said;

static void copy(char *to, size_t size, const char *from) {
  strncpy(to, from ? from : "", size - 1);
  to[size - 1] = '\0';
}

static void hear(const QBackendDiagnostic *diagnostic, void *user) {
  Said *said = user;
  if (diagnostic->severity == QBACKEND_ERROR &&
      said->counts[QBACKEND_ERROR] == 0) {
    copy(said->file, sizeof(said->file), diagnostic->file);
    copy(said->message, sizeof(said->message), diagnostic->message);
    said->line = diagnostic->line;
    said->column = diagnostic->column;
  }
  ++said->counts[diagnostic->severity];
}

static Said silence(void) {
  Said said;
  memset(&said, 0, sizeof(said));
  return said;
}

/* The file's bytes, to be freed through `owner`. */
static QBackendText readFile(const char *path, char **owner) {
  QBackendText text = {NULL, 0};
  FILE *file = fopen(path, "rb");
  char *data;
  long size;
  if (!file) {
    printf("cannot read %s\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  size = ftell(file);
  rewind(file);
  data = malloc((size_t)size);
  text.length = fread(data, 1, (size_t)size, file);
  text.data = *owner = data;
  fclose(file);
  return text;
}

/* That the call fails, with one error that says `expected`. */
static void checkFailure(int line, QBackendStatus status, const char *output,
                         const Said *said, const char *expected) {
  if (status == QBACKEND_FAILURE && !output &&
      said->counts[QBACKEND_ERROR] >= 1 && strstr(said->message, expected))
    return;
  printf(
      "line %d: status %d, output %s, %d errors, first '%s', expected '%s'\n",
      line, (int)status, output ? output : "null", said->counts[QBACKEND_ERROR],
      said->message, expected);
  ++failures;
  ++failuresOfGroup;
}

static void applyFails(int line, QBackendText module,
                       QBackendText configuration, const char *options,
                       const char *expected) {
  Said said = silence();
  /* Must be set to null even then. */
  char *output = unchanged;
  QBackendStatus status = qbackendApplyBackend(
      module, configuration, qbackendText(options), &output, hear, &said);
  checkFailure(line, status, output, &said, expected);
}

static const QBackendText nothing = {NULL, 0};

static void testBuiltins(void) {
  size_t i, count = qbackendGetNumBuiltinBackends();
  int found = 0;
  CHECK(strchr(qbackendGetVersion(), '.'));
  CHECK(count >= 1);
  for (i = 0; i < count; ++i) {
    const char *name = qbackendGetBuiltinBackend(i);
    CHECK(name && *name);
    found += strcmp(name, "qnnpack") == 0;
    CHECK(i == 0 || strcmp(qbackendGetBuiltinBackend(i - 1), name) < 0);
  }
  CHECK(found == 1);
  CHECK(qbackendGetBuiltinBackend(count) == NULL);
  CHECK(qbackendGetBuiltinBackend((size_t)-1) == NULL);
  CHECK(strstr(qbackendGetObserverKinds(), "\"PercentileObserver\"") != NULL);
  CHECK(qbackendText(NULL).data == NULL && qbackendText(NULL).length == 0);
  CHECK(qbackendText("abc").length == 3);
  qbackendFree(NULL);
  endGroup("version and built-in backends");
}

static void testApply(QBackendText text, QBackendText bytecode,
                      QBackendText configuration) {
  Said said = silence();
  char *first = NULL, *second = NULL;

  CHECK(qbackendApplyBackend(text, nothing, qbackendText("backend=qnnpack"),
                             &first, hear, &said) == QBACKEND_SUCCESS);
  CHECK(first && strstr(first, "qnnpack.linear"));
  CHECK(said.counts[QBACKEND_ERROR] == 0);
  /* Of ranges that are made up, and how many operators were quantized. */
  CHECK(said.counts[QBACKEND_WARNING] == 1);
  CHECK(said.counts[QBACKEND_REMARK] == 1);
  endGroup("apply to text");

  /* The default backend, and a module with nulls in it. */
  CHECK(memchr(bytecode.data, 0, bytecode.length));
  CHECK(qbackendApplyBackend(bytecode, nothing, nothing, &second, hear,
                             &said) == QBACKEND_SUCCESS);
  CHECK(first && second && strcmp(first, second) == 0);
  qbackendFree(first);
  qbackendFree(second);
  endGroup("apply to bytecode");

  first = NULL;
  CHECK(qbackendApplyBackend(text, configuration,
                             qbackendText("backend=@mine qconfig=@all"), &first,
                             hear, &said) == QBACKEND_FAILURE);
  CHECK(qbackendApplyBackend(text, configuration, qbackendText("backend=@mine"),
                             &first, hear, &said) == QBACKEND_SUCCESS);
  CHECK(first && strstr(first, "qbackend.backend_config @mine"));
  CHECK(first && strstr(first, "qbackend.dequantize"));
  qbackendFree(first);
  endGroup("apply with a configuration");

  first = NULL;
  CHECK(qbackendApplyBackend(text, nothing, nothing, &first, NULL, NULL) ==
        QBACKEND_SUCCESS);
  CHECK(first != NULL);
  qbackendFree(first);
  first = unchanged;
  CHECK(qbackendApplyBackend(nothing, nothing, nothing, &first, NULL, NULL) ==
        QBACKEND_FAILURE);
  CHECK(first == NULL);
  endGroup("without a callback");
}

static void testNull(QBackendText text) {
  Said said = silence();
  QBackendText empty = {"", 0}, nullWithLength = {NULL, 7};
  const char *expected = "the module is empty, expected MLIR";
  applyFails(__LINE__, nothing, nothing, "", expected);
  applyFails(__LINE__, empty, empty, NULL, expected);
  applyFails(__LINE__, nullWithLength, nothing, "", expected);
  applyFails(__LINE__, qbackendText(" \n\t"), nothing, "", expected);
  CHECK(qbackendApplyBackend(text, nothing, nothing, NULL, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(strstr(said.message, "output is null"));
  said = silence();
  CHECK(qbackendBackendToJSON(qbackendText("qnnpack"), NULL, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(strstr(said.message, "output is null"));
  said = silence();
  CHECK(qbackendBackendFromJSON(qbackendText("{}"), NULL, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(said.counts[QBACKEND_ERROR] == 1);
  said = silence();
  CHECK(qbackendMappingToJSON(qbackendText("qnnpack"), nothing, NULL, hear,
                              &said) == QBACKEND_FAILURE);
  CHECK(said.counts[QBACKEND_ERROR] == 1);
  said = silence();
  CHECK(qbackendMappingFromJSON(qbackendText("{}"), qbackendText("m"), NULL,
                                hear, &said) == QBACKEND_FAILURE);
  CHECK(said.counts[QBACKEND_ERROR] == 1);
  endGroup("null and empty input");
}

static void testBadModules(QBackendText text, QBackendText bytecode) {
  Said said = silence();
  char *output = NULL;
  QBackendText half = text, halfBytecode = bytecode;
  half.length /= 2;
  halfBytecode.length /= 2;
  applyFails(__LINE__, half, nothing, "", "");
  applyFails(__LINE__, halfBytecode, nothing, "", "");
  applyFails(__LINE__, qbackendText("no.such_op"), nothing, "", "no");
  CHECK(qbackendApplyBackend(qbackendText("\n\n  bad"), nothing, nothing,
                             &output, hear, &said) == QBACKEND_FAILURE);
  CHECK(strcmp(said.file, "module") == 0);
  CHECK(said.line == 3 && said.column == 3);
  endGroup("bad modules");
}

static void testBadOptions(QBackendText text) {
  applyFails(__LINE__, text, nothing, "speed=high", "has no key 'speed'");
  applyFails(__LINE__, text, nothing, "samples=many", "in the options");
  applyFails(__LINE__, text, nothing, "qconfig=best", "no qconfig 'best'");
  applyFails(__LINE__, text, nothing, "lower-to=gpu", "lower-to is 'gpu'");
  applyFails(__LINE__, text, nothing, "data=/not/there.npz", "/not/there.npz");
  endGroup("bad options");
}

static void testBadConfigurations(QBackendText text, QBackendText mine) {
  char both[8192];
  applyFails(__LINE__, text, qbackendText("{"), "", "");
  applyFails(__LINE__, text, qbackendText("func.func private @f()"), "",
             "expected qbackend.backend_config or qbackend.qconfig_mapping");
  CHECK(text.length + mine.length < sizeof(both));
  sprintf(both, "%.*s%.*s", (int)mine.length, mine.data, (int)text.length,
          text.data);
  applyFails(__LINE__, qbackendText(both), mine, "backend=@mine",
             "has the name 'mine', which the module has already");
  endGroup("bad configurations");
}

static void testBadBackends(QBackendText text, const char *badFile) {
  char options[1024];
  Said said = silence();
  char *output = NULL;
  applyFails(__LINE__, text, nothing, "backend=npu", "no backend 'npu'");
  applyFails(__LINE__, text, nothing, "backend=@npu",
             "no qbackend.backend_config @npu");
  sprintf(options, "backend='%s'", badFile);
  CHECK(qbackendApplyBackend(text, nothing, qbackendText(options), &output,
                             hear, &said) == QBACKEND_FAILURE);
  CHECK(strcmp(said.file, badFile) == 0);
  CHECK(said.line == 2);
  endGroup("bad backends");
}

static void testJSON(void) {
  Said said = silence();
  char *output = unchanged;
  QBackendStatus status =
      qbackendBackendToJSON(qbackendText("npu"), &output, hear, &said);
  checkFailure(__LINE__, status, output, &said, "");
  said = silence();
  output = unchanged;
  status = qbackendBackendToJSON(nothing, &output, hear, &said);
  checkFailure(__LINE__, status, output, &said, "");
  said = silence();
  output = unchanged;
  status = qbackendBackendFromJSON(qbackendText("{"), &output, hear, &said);
  checkFailure(__LINE__, status, output, &said, "");
  said = silence();
  output = unchanged;
  status = qbackendBackendFromJSON(nothing, &output, hear, &said);
  checkFailure(__LINE__, status, output, &said, "");
  said = silence();
  output = unchanged;
  status = qbackendMappingToJSON(qbackendText("qnnpack"),
                                 qbackendText("no such mapping"), &output, hear,
                                 &said);
  checkFailure(__LINE__, status, output, &said, "");
  said = silence();
  output = unchanged;
  status = qbackendMappingFromJSON(qbackendText("[]"), qbackendText("m"),
                                   &output, hear, &said);
  checkFailure(__LINE__, status, output, &said, "");
  said = silence();
  output = unchanged;
  status = qbackendMappingFromJSON(qbackendText("{}"), nothing, &output, hear,
                                   &said);
  checkFailure(__LINE__, status, output, &said, "");
  endGroup("configurations as JSON");
}

typedef struct {
  size_t pieces, length, most;
  const char *largest;
} Written;

static int take(const char *bytes, size_t length, void *user) {
  Written *written = (Written *)user;
  if (written->pieces == 0)
    CHECK(length >= 4 && memcmp(bytes, "ML\xefR", 4) == 0);
  ++written->pieces;
  written->length += length;
  if (length > written->most) {
    written->most = length;
    written->largest = bytes;
  }
  return 0;
}

static int refuse(const char *bytes, size_t length, void *user) {
  (void)bytes;
  (void)length;
  ++*(int *)user;
  return 1;
}

/* Large weights are written from where they are. */
static void testBytecodePieces(void) {
  enum { count = 1 << 16 };
  static float numbers[count];
  const char *text =
      "func.func @f() -> tensor<65536xf32> {\n"
      "  %0 = arith.constant dense_resource<w> : tensor<65536xf32>\n"
      "  return %0 : tensor<65536xf32>\n}\n";
  QBackendResource resource;
  Written written = {0, 0, 0, NULL};
  Said said = silence();
  int refusals = 0;
  resource.name = qbackendText("w");
  resource.bytes.data = (const char *)numbers;
  resource.bytes.length = sizeof(numbers);
  CHECK(qbackendWriteBytecode(qbackendText(text), &resource, 1, take, &written,
                              hear, &said) == QBACKEND_SUCCESS);
  CHECK(written.length > sizeof(numbers));
  CHECK(written.largest >= (const char *)numbers &&
        written.largest + written.most <= (const char *)(numbers + count));
  said = silence();
  CHECK(qbackendWriteBytecode(qbackendText(text), &resource, 1, refuse,
                              &refusals, hear, &said) == QBACKEND_FAILURE);
  CHECK(refusals == 1 && said.counts[QBACKEND_ERROR] == 0);
  CHECK(qbackendWriteBytecode(qbackendText(text), &resource, 1, NULL, NULL,
                              hear, &said) == QBACKEND_FAILURE);
  CHECK(strstr(said.message, "write is null"));
  endGroup("bytecode in pieces");
}

static void testBytecode(void) {
  static const float numbers[2] = {1.5f, -2.0f};
  const char *text = "func.func @f() -> tensor<2xf32> {\n"
                     "  %0 = arith.constant dense_resource<w> : tensor<2xf32>\n"
                     "  return %0 : tensor<2xf32>\n}\n";
  QBackendResource resource, other;
  Said said = silence();
  char *output = unchanged;
  size_t length = 0, i;
  int found = 0;
  resource.name = qbackendText("w");
  resource.bytes.data = (const char *)numbers;
  resource.bytes.length = sizeof(numbers);
  CHECK(qbackendToBytecode(qbackendText(text), &resource, 1, &output, &length,
                           hear, &said) == QBACKEND_SUCCESS);
  CHECK(length > 4 && memcmp(output, "ML\xefR", 4) == 0);
  for (i = 0; i + sizeof(numbers) <= length; ++i)
    found += memcmp(output + i, numbers, sizeof(numbers)) == 0;
  CHECK(found == 1);
  qbackendFree(output);
  other = resource;
  other.name = qbackendText("lost");
  said = silence();
  CHECK(qbackendToBytecode(qbackendText(text), &other, 1, &output, &length,
                           hear, &said) == QBACKEND_FAILURE);
  CHECK(output == NULL && strstr(said.message, "no dense_resource<lost>"));
  said = silence();
  CHECK(qbackendToBytecode(qbackendText(text), NULL, 1, &output, &length, hear,
                           &said) == QBACKEND_FAILURE);
  CHECK(strstr(said.message, "resources are null"));
  said = silence();
  CHECK(qbackendToBytecode(qbackendText(text), NULL, 0, &output, NULL, hear,
                           &said) == QBACKEND_FAILURE);
  CHECK(strstr(said.message, "length is null"));
  said = silence();
  CHECK(qbackendToBytecode(nothing, NULL, 0, &output, &length, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(strstr(said.message, "the module is empty"));
  endGroup("bytecode with resources");
}

static void testONNX(void) {
  static const char text[] =
      "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = qnnpack.quantize %x : tensor<2xf32> ->"
      " tensor<2x!quant.uniform<u8:f32, 0.5:3>>\n"
      "  %1 = qnnpack.dequantize %0 :"
      " tensor<2x!quant.uniform<u8:f32, 0.5:3>> -> tensor<2xf32>\n"
      "  return %1 : tensor<2xf32>\n"
      "}";
  static const char unknown[] =
      "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = tosa.exp %x : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  return %0 : tensor<2xf32>\n"
      "}";
  const QBackendText nothing = {NULL, 0};
  const float scale = 0.5f;
  size_t length = 0, i, found = 0;
  char *output = unchanged;
  Said said = silence();
  CHECK(qbackendToONNX(qbackendText(text), nothing, &output, &length, hear,
                       &said) == QBACKEND_SUCCESS);
  /* The first field: version 8 of the format. */
  CHECK(length > 2 && output[0] == 8 && output[1] == 8);
  for (i = 0; i + sizeof(scale) <= length; ++i)
    found += memcmp(output + i, &scale, sizeof(scale)) == 0;
  CHECK(found == 1);
  qbackendFree(output);
  said = silence();
  CHECK(qbackendToONNX(qbackendText(text), qbackendText("g"), &output, &length,
                       hear, &said) == QBACKEND_FAILURE);
  CHECK(output == NULL && strstr(said.message, "'g'"));
  said = silence();
  CHECK(qbackendToONNX(qbackendText(unknown), nothing, &output, &length, hear,
                       &said) == QBACKEND_FAILURE);
  CHECK(output == NULL && strstr(said.message, "tosa.exp (1)"));
  CHECK(said.line == 2);
  said = silence();
  CHECK(qbackendToONNX(qbackendText(text), nothing, &output, NULL, hear,
                       &said) == QBACKEND_FAILURE);
  CHECK(strstr(said.message, "length is null"));
  said = silence();
  CHECK(qbackendToONNX(nothing, nothing, &output, &length, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(strstr(said.message, "the module is empty"));
  endGroup("ONNX");
}

/* `findings`: a file with two errors, a warning and two notes. */
static void testValidate(const char *findings) {
  Said said = silence();
  CHECK(qbackendBackendValidate(qbackendText("qnnpack"), hear, &said) ==
        QBACKEND_SUCCESS);
  CHECK(said.counts[QBACKEND_ERROR] == 0 && said.counts[QBACKEND_NOTE] == 0);
  CHECK(said.counts[QBACKEND_REMARK] > 0);
  said = silence();
  CHECK(qbackendBackendValidate(qbackendText(findings), hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(said.counts[QBACKEND_ERROR] == 2);
  CHECK(said.counts[QBACKEND_WARNING] == 1);
  CHECK(said.counts[QBACKEND_REMARK] == 2);
  CHECK(strstr(said.file, "validate-mappings.mlir") && said.line == 27);
  CHECK(strstr(said.message, "the nearest are conv2d, conv1d, conv3d"));
  said = silence();
  CHECK(qbackendBackendValidate(qbackendText("none.mlir"), hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(said.counts[QBACKEND_ERROR] == 1);
  CHECK(qbackendBackendValidate(qbackendText("qnnpack"), NULL, NULL) ==
        QBACKEND_SUCCESS);
  endGroup("validate");
}

static QBackendObserver *createObserver(const char *json) {
  QBackendObserver *observer = NULL;
  Said said = silence();
  CHECK(qbackendObserverCreate(qbackendText(json), &observer, hear, &said) ==
        QBACKEND_SUCCESS);
  CHECK(observer != NULL);
  return observer;
}

static void checkParams(QBackendObserver *observer, const char *expected) {
  char *output = NULL;
  Said said = silence();
  CHECK(qbackendObserverGetParams(observer, &output, hear, &said) ==
        QBACKEND_SUCCESS);
  CHECK(output && strcmp(output, expected) == 0);
  qbackendFree(output);
}

static void testObservers(void) {
  static const float batch[] = {-127, 0, 0, 254};
  static const int64_t shape[] = {2, 2};
  static const int64_t negative[] = {2, -1};
  static const int64_t none[] = {0, 2};
  const char *symmetric =
      "{\"observer\": \"MinMaxObserver\", \"dtype\": \"qint8\", "
      "\"qscheme\": \"per_tensor_symmetric\", "
      "\"quant_min\": -127, \"quant_max\": 127}";
  QBackendObserver *observer = createObserver(symmetric);
  QBackendObserver *other;
  Said said = silence();
  char *table = NULL, *output = unchanged;
  checkParams(observer, "{\"scale\":[1],\"zero_point\":[0]}");
  CHECK(qbackendObserverRecord(observer, batch, shape, 2, hear, &said) ==
        QBACKEND_SUCCESS);
  CHECK(qbackendObserverRecord(observer, NULL, none, 2, hear, &said) ==
        QBACKEND_SUCCESS);
  checkParams(observer, "{\"scale\":[2],\"zero_point\":[0]}");
  CHECK(qbackendObserverToTable(observer, qbackendText("x"), &table, hear,
                                &said) == QBACKEND_SUCCESS);
  CHECK(table && strstr(table, "\"name\": \"x\"") != NULL);
  qbackendObserverReset(observer);
  checkParams(observer, "{\"scale\":[1],\"zero_point\":[0]}");
  CHECK(qbackendObserverFromTable(observer, qbackendText(table),
                                  qbackendText("x"), hear,
                                  &said) == QBACKEND_SUCCESS);
  checkParams(observer, "{\"scale\":[2],\"zero_point\":[0]}");
  CHECK(said.counts[QBACKEND_ERROR] == 0);
  /* What fails leaves the observer as it was. */
  CHECK(qbackendObserverFromTable(observer, qbackendText(table),
                                  qbackendText("y"), hear,
                                  &said) == QBACKEND_FAILURE);
  CHECK(strstr(said.message, "no entry 'y'") != NULL);
  said = silence();
  CHECK(qbackendObserverFromTable(observer, qbackendText("{"),
                                  qbackendText("x"), hear,
                                  &said) == QBACKEND_FAILURE);
  CHECK(said.counts[QBACKEND_ERROR] == 1);
  said = silence();
  CHECK(qbackendObserverRecord(observer, batch, negative, 2, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(strstr(said.message, "extent 1 of the tensor is -1") != NULL);
  said = silence();
  CHECK(qbackendObserverRecord(observer, NULL, shape, 2, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(strstr(said.message, "the tensor is null") != NULL);
  said = silence();
  CHECK(qbackendObserverRecord(observer, batch, NULL, 2, NULL, NULL) ==
        QBACKEND_FAILURE);
  CHECK(qbackendObserverGetParams(observer, NULL, hear, &said) ==
        QBACKEND_FAILURE);
  checkParams(observer, "{\"scale\":[2],\"zero_point\":[0]}");
  qbackendObserverDestroy(observer);
  qbackendObserverDestroy(NULL);
  qbackendObserverReset(NULL);
  said = silence();
  CHECK(qbackendObserverRecord(NULL, batch, shape, 2, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(strstr(said.message, "observer is null") != NULL);
  output = unchanged;
  CHECK(qbackendObserverGetParams(NULL, &output, hear, &said) ==
            QBACKEND_FAILURE &&
        output == NULL);
  CHECK(qbackendObserverToTable(NULL, qbackendText("x"), &output, hear,
                                &said) == QBACKEND_FAILURE);
  CHECK(qbackendObserverFromTable(NULL, qbackendText(table), qbackendText("x"),
                                  hear, &said) == QBACKEND_FAILURE);
  qbackendFree(table);

  observer = createObserver("{\"observer\": \"PerChannelMinMaxObserver\", "
                            "\"ch_axis\": 1, \"dtype\": \"quint8\"}");
  CHECK(qbackendObserverRecord(observer, batch, shape, 2, hear, &said) ==
        QBACKEND_SUCCESS);
  said = silence();
  CHECK(qbackendObserverRecord(observer, batch, shape, 1, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(strstr(said.message, "the channels are on axis 1") != NULL);
  qbackendObserverDestroy(observer);

  said = silence();
  other = (QBackendObserver *)unchanged;
  CHECK(qbackendObserverCreate(qbackendText("{\"observer\": \"No\"}"), &other,
                               hear, &said) == QBACKEND_FAILURE);
  CHECK(other == NULL && strstr(said.message, "unknown observer 'No'") != NULL);
  said = silence();
  CHECK(qbackendObserverCreate(qbackendText("{\"observer\": \"NoopObserver\"}"),
                               &other, hear, &said) == QBACKEND_FAILURE);
  CHECK(strstr(said.message, "NoopObserver records nothing") != NULL);
  said = silence();
  CHECK(qbackendObserverCreate(qbackendText(symmetric), NULL, hear, &said) ==
        QBACKEND_FAILURE);
  endGroup("observers");
}

static void testFakeQuantize(void) {
  static const float input[] = {0.5f, 1.5f, -3, 300};
  static const int64_t shape[] = {2, 2};
  static const double scales[] = {1, 100}, zeroPoints[] = {0, 1};
  float output[4];
  double scale;
  int64_t zeroPoint;
  QBackendQuantization whole = {scales, zeroPoints, 1, 0, 0, 255, 0};
  QBackendQuantization rows = {scales, zeroPoints, 2, 0, 0, 255, 0};
  QBackendQuantization bad = {scales, zeroPoints, 2, 2, 0, 255, 0};
  Said said = silence();
  CHECK(qbackendFakeQuantize(input, output, shape, 2, &whole, hear, &said) ==
        QBACKEND_SUCCESS);
  CHECK(output[0] == 0 && output[1] == 2 && output[2] == 0 && output[3] == 255);
  CHECK(qbackendFakeQuantize(input, output, shape, 2, &rows, hear, &said) ==
        QBACKEND_SUCCESS);
  CHECK(output[1] == 2 && output[2] == 0 && output[3] == 300);
  CHECK(said.counts[QBACKEND_ERROR] == 0);
  CHECK(qbackendFakeQuantize(input, output, shape, 2, &bad, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(strstr(said.message, "2 scales for axis 2") != NULL);
  said = silence();
  bad.axis = 0;
  bad.quantMax = -1;
  CHECK(qbackendFakeQuantize(input, output, shape, 2, &bad, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(strstr(said.message, "range of the integers is [0, -1]") != NULL);
  bad.count = 0;
  CHECK(qbackendFakeQuantize(input, output, shape, 2, &bad, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(qbackendFakeQuantize(input, NULL, shape, 2, &rows, hear, &said) ==
        QBACKEND_FAILURE);
  CHECK(qbackendFakeQuantize(input, output, shape, 2, NULL, hear, &said) ==
        QBACKEND_FAILURE);
  {
    double wrongScales[] = {0, -1, NAN, HUGE_VAL, 1e-320, 1e39};
    double wrongZeroPoints[] = {-1, 256, 0.5, NAN, 1e300};
    QBackendQuantization one = {NULL, zeroPoints, 1, 0, 0, 255, 0};
    size_t i;
    for (i = 0; i < sizeof(wrongScales) / sizeof(double); ++i) {
      one.scales = wrongScales + i;
      said = silence();
      CHECK(qbackendFakeQuantize(input, output, shape, 2, &one, hear, &said) ==
            QBACKEND_FAILURE);
      CHECK(strstr(said.message, "scale 0 is not a positive") != NULL);
    }
    one.scales = scales;
    for (i = 0; i < sizeof(wrongZeroPoints) / sizeof(double); ++i) {
      one.zeroPoints = wrongZeroPoints + i;
      said = silence();
      CHECK(qbackendFakeQuantize(input, output, shape, 2, &one, hear, &said) ==
            QBACKEND_FAILURE);
      CHECK(strstr(said.message, "zero point 0 is none of") != NULL);
    }
  }
  qbackendChooseParams(-64, 127, -128, 127, 1, &scale, &zeroPoint);
  CHECK(scale == 1 && zeroPoint == 0);
  scale = 0;
  qbackendChooseParams(-64, 127, -128, 127, 1, &scale, NULL);
  CHECK(scale == 1);
  qbackendChooseParams(-64, 127, -128, 127, 1, NULL, &zeroPoint);
  qbackendChooseParams(-64, 127, -128, 127, 1, NULL, NULL);
  endGroup("fake quantization");
}

int main(int argc, char **argv) {
  QBackendText text, bytecode, mine;
  char *owners[3];
  if (argc != 6) {
    printf("usage: CAPITests linear.mlir linear.mlirbc mine.mlir bad.mlir "
           "findings.mlir\n");
    return 2;
  }
  text = readFile(argv[1], &owners[0]);
  bytecode = readFile(argv[2], &owners[1]);
  mine = readFile(argv[3], &owners[2]);
  testBuiltins();
  testApply(text, bytecode, mine);
  testNull(text);
  testBadModules(text, bytecode);
  testBadOptions(text);
  testBadConfigurations(text, mine);
  testBadBackends(text, argv[4]);
  testValidate(argv[5]);
  testJSON();
  testBytecode();
  testBytecodePieces();
  testONNX();
  testObservers();
  testFakeQuantize();
  free(owners[0]);
  free(owners[1]);
  free(owners[2]);
  printf("%d failures\n", failures);
  return failures != 0;
}
