/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Runs ONNX models in ONNX Runtime on OMP_NUM_THREADS threads: onnxruntime_peer
 * LIBRARY MODEL...
 *
 * By its C interface, since a call from node costs a third of the time of a
 * tiny network. Inputs are N, C, H, W of bytes, or of floats that are bytes
 * over 256. */

#include <dlfcn.h>
#include <string.h>

#include <onnxruntime_c_api.h>

#include "serving.h"

/* What there is since 1.17, so that newer libraries have it, too. */
enum { api_version = 17, max_rank = 8, max_models = 64 };

static const OrtApi *api;

struct model {
  OrtSession *session;
  OrtValue *values[2]; /* input and output */
  char *names[2];
};

static void check(OrtStatus *status) {
  if (status)
    serving_check(1, api->GetErrorMessage(status));
}

/* The tensor that is the only input (or output), with what is in it. */
static uint8_t *add_tensor(struct model *model, int is_output, size_t *bytes) {
  OrtAllocator *allocator = NULL;
  check(api->GetAllocatorWithDefaultOptions(&allocator));
  OrtTypeInfo *type = NULL;
  if (is_output) {
    check(api->SessionGetOutputTypeInfo(model->session, 0, &type));
    check(api->SessionGetOutputName(model->session, 0, allocator,
                                    &model->names[1]));
  } else {
    check(api->SessionGetInputTypeInfo(model->session, 0, &type));
    check(api->SessionGetInputName(model->session, 0, allocator,
                                   &model->names[0]));
  }
  const OrtTensorTypeAndShapeInfo *shape = NULL;
  check(api->CastTypeInfoToTensorInfo(type, &shape));
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  check(api->GetTensorElementType(shape, &element));
  size_t rank = 0, size = 1;
  int64_t dims[max_rank];
  check(api->GetDimensionsCount(shape, &rank));
  serving_check(rank > max_rank, "too many dimensions");
  check(api->GetDimensions(shape, dims, rank));
  for (size_t i = 0; i < rank; ++i)
    size *= (size_t)dims[i];
  int is_float = element == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  *bytes = is_float ? size * sizeof(float) : size;
  uint8_t *data = calloc(1, *bytes);
  serving_check(!data, "no memory");
  if (!is_output && rank == 4) {
    size_t channels = (size_t)dims[1], plane = (size_t)(dims[2] * dims[3]);
    for (size_t i = 0; i < size; ++i) {
      /* Where element i is in the order N, H, W, C. */
      size_t image = i / (channels * plane), channel = i / plane % channels;
      uint8_t byte =
          serving_byte((image * plane + i % plane) * channels + channel);
      if (is_float)
        ((float *)data)[i] = (float)byte / 256;
      else
        data[i] = byte;
    }
  }
  OrtMemoryInfo *memory = NULL;
  check(
      api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  check(api->CreateTensorWithDataAsOrtValue(
      memory, data, *bytes, dims, rank, element, &model->values[is_output]));
  return data;
}

static void run(void *state) {
  struct model *model = state;
  const OrtValue *input = model->values[0];
  const char *input_name = model->names[0], *output_name = model->names[1];
  check(api->Run(model->session, NULL, &input_name, &input, 1, &output_name, 1,
                 &model->values[1]));
}

int main(int count, char **arguments) {
  void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  serving_check(!library, count > 1 ? dlerror() : "expected a library");
  const OrtApiBase *(*get_base)(void) =
      (const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase");
  serving_check(!get_base || !(api = get_base()->GetApi(api_version)),
                "no ONNX Runtime of 1.17 or later");
  OrtEnv *environment = NULL;
  check(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "peer", &environment));
  OrtSessionOptions *options = NULL;
  check(api->CreateSessionOptions(&options));
  check(api->SetIntraOpNumThreads(options, serving_threads()));
  check(api->SetInterOpNumThreads(options, 1));
  check(api->SetSessionExecutionMode(options, ORT_SEQUENTIAL));
  check(api->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
  static struct model models[max_models];
  static struct serving_network served[max_models];
  int number = count - 2;
  serving_check(number > max_models, "too many models");
  for (int i = 0; i < number; ++i) {
    check(api->CreateSession(environment, arguments[i + 2], options,
                             &models[i].session));
    size_t size = 0;
    add_tensor(&models[i], 0, &size);
    served[i].result = add_tensor(&models[i], 1, &size);
    served[i].size = size;
    served[i].run = run;
    served[i].state = &models[i];
  }
  return serving_serve(served, number);
}
