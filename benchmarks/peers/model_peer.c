/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Runs networks with our own JIT, by the C interface: model_peer exact|contract
 * MODULE u8|f32 EXTENTS..., as many of these as there are networks.
 *
 * Extents are four; floats are bytes over 256. `contract`: products of floats
 * aren't rounded before they are added, as other engines do it. */

#include <string.h>

#include <qbackend-c/QBackend.h>

#include "serving.h"

enum { max_models = 64, rank = 4, arguments_each = 2 + rank };

struct model {
  QBackendModel *model;
  QBackendArray input;
  QBackendRunOptions options;
  QBackendResults *results;
  struct serving_network *served;
};

static void report(const QBackendDiagnostic *diagnostic, void *user) {
  (void)user;
  fprintf(stderr, "%s\n", diagnostic->message);
}

static QBackendText read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  serving_check(!file || fseek(file, 0, SEEK_END), path);
  QBackendText text = {NULL, (size_t)ftell(file)};
  rewind(file);
  char *data = malloc(text.length);
  serving_check(!data || fread(data, 1, text.length, file) != text.length,
                path);
  fclose(file);
  text.data = data;
  return text;
}

static void load(struct model *model, char **arguments) {
  QBackendText none = {NULL, 0};
  serving_check(qbackendModelLoad(read_file(arguments[0]), none, none,
                                  &model->model, report,
                                  NULL) != QBACKEND_SUCCESS,
                arguments[0]);
  int is_float = !strcmp(arguments[1], "f32");
  int64_t *shape = malloc(rank * sizeof(*shape));
  serving_check(!shape, "no memory");
  size_t size = 1;
  for (int i = 0; i < rank; ++i)
    size *= (size_t)(shape[i] = atoll(arguments[2 + i]));
  uint8_t *data = malloc(is_float ? size * sizeof(float) : size);
  serving_check(!data, "no memory");
  for (size_t i = 0; i < size; ++i)
    if (is_float)
      ((float *)data)[i] = (float)serving_byte(i) / 256;
    else
      data[i] = serving_byte(i);
  model->input =
      (QBackendArray){is_float ? QBACKEND_F32 : QBACKEND_U8, shape, rank, data};
}

static void run(void *state) {
  struct model *model = state;
  if (model->results)
    qbackendResultsDestroy(model->results);
  serving_check(qbackendModelRun(model->model, &model->input, 1,
                                 &model->options, &model->results, report,
                                 NULL) != QBACKEND_SUCCESS,
                "a run");
  QBackendArray result = qbackendResultsGet(model->results, 0);
  model->served->result = result.data;
  model->served->size = 1;
  for (size_t i = 0; i < result.rank; ++i)
    model->served->size *= (size_t)result.shape[i];
}

int main(int count, char **arguments) {
  static struct model models[max_models];
  static struct serving_network served[max_models];
  int number = (count - 2) / arguments_each;
  serving_check(count < 2 || number > max_models,
                "expected at most 64 networks");
  for (int i = 0; i < number; ++i) {
    load(&models[i], arguments + 2 + i * arguments_each);
    models[i].options.threads = serving_threads();
    models[i].options.contract = !strcmp(arguments[1], "contract");
    models[i].served = &served[i];
    served[i].run = run;
    served[i].state = &models[i];
  }
  return serving_serve(served, number);
}
