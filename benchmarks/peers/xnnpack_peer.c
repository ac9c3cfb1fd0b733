/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Runs networks in XNNPACK on one thread: xnnpack_peer NETWORK...
 *
 * Each is a file of xnnpack_models.py, a line for each value and layer, beside
 * a file of its constants. Bytes are signed here, and weights have a scale for
 * each channel: the form that XNNPACK's kernels for VNNI compute. What is
 * compared is the unsigned byte. */

#include <math.h>
#include <string.h>

#include <xnnpack.h>

#include "serving.h"

enum { max_values = 1024 };

struct network {
  xnn_subgraph_t graph;
  xnn_runtime_t runtime;
  const uint8_t *constants;
  uint32_t ids[max_values];    /* of each value */
  size_t channels[max_values]; /* its last extent */
  int8_t *input, *output;
  uint8_t *bytes; /* the output, unsigned */
  size_t size;
};

static void check(enum xnn_status status, const char *what) {
  serving_check(status != xnn_status_success, what);
}

static uint32_t get_number(FILE *file) {
  unsigned number = 0;
  serving_check(fscanf(file, "%u", &number) != 1, "expected a number");
  return number;
}

static float get_float(FILE *file) {
  float number = 0;
  serving_check(fscanf(file, "%f", &number) != 1, "expected a number");
  return number;
}

/* A buffer that XNNPACK may read behind the end of. */
static void *allocate(size_t size) {
  void *data = calloc(1, size + XNN_EXTRA_BYTES);
  serving_check(!data, "no memory");
  return data;
}

/* value INDEX SCALE ZERO RANK EXTENTS... 0|1|2: the last is input or result. */
static void add_value(struct network *net, FILE *file) {
  uint32_t index = get_number(file);
  float scale = get_float(file);
  int32_t zero = (int32_t)get_number(file) - 128;
  size_t rank = get_number(file), dims[XNN_MAX_TENSOR_DIMS], size = 1;
  for (size_t i = 0; i < rank; ++i)
    size *= dims[i] = get_number(file);
  uint32_t role = get_number(file);
  uint32_t flags = role == 1   ? XNN_VALUE_FLAG_EXTERNAL_INPUT
                   : role == 2 ? XNN_VALUE_FLAG_EXTERNAL_OUTPUT
                               : 0;
  serving_check(index >= max_values, "too many values");
  net->channels[index] = dims[rank - 1];
  check(xnn_define_quantized_tensor_value(
            net->graph, xnn_datatype_qint8, zero, scale, rank, dims, NULL,
            role ? role - 1 : XNN_INVALID_VALUE_ID, flags, &net->ids[index]),
        "a value");
  if (role == 1) {
    net->input = allocate(size);
    for (size_t i = 0; i < size; ++i)
      net->input[i] = (int8_t)(serving_byte(i) ^ 0x80);
  } else if (role == 2) {
    net->output = allocate(size);
    net->bytes = allocate(size);
    net->size = size;
  }
}

/* Constants at an offset, with the same scale for each channel of dimension
 * `dim`. */
static uint32_t add_constant(struct network *net, enum xnn_datatype type,
                             float scale, size_t rank, const size_t *dims,
                             size_t dim, size_t offset) {
  float *scales = allocate(dims[dim] * sizeof(float));
  for (size_t i = 0; i < dims[dim]; ++i)
    scales[i] = scale;
  uint32_t id = 0;
  check(xnn_define_channelwise_quantized_tensor_value(
            net->graph, type, scales, rank, dim, dims, net->constants + offset,
            XNN_INVALID_VALUE_ID, 0, &id),
        "a constant");
  return id;
}

/* conv|deconv|linear IN OUT KERNEL-HEIGHT KERNEL-WIDTH STRIDE PADDING-Y
 * PADDING-X DILATION GROUPS SCALE OF-BIAS WEIGHT BIAS MIN; of groups, there are
 * depthwise ones. */
static void add_convolution(struct network *net, const char *kind, FILE *file) {
  uint32_t in = get_number(file), out = get_number(file);
  uint32_t height = get_number(file), width = get_number(file);
  uint32_t stride = get_number(file), y = get_number(file),
           x = get_number(file);
  uint32_t dilation = get_number(file), groups = get_number(file);
  float scale = get_float(file), bias_scale = get_float(file);
  size_t weight_offset = get_number(file), bias_offset = get_number(file);
  float min = get_float(file), max = INFINITY;
  size_t inputs = net->channels[in], outputs = net->channels[out];
  int is_linear = !strcmp(kind, "linear"), is_depthwise = groups > 1;
  size_t dims[] = {outputs, height, width, inputs};
  size_t rows[] = {outputs, inputs}, planes[] = {1, height, width, outputs};
  uint32_t weight =
      add_constant(net, xnn_datatype_qcint8, scale, is_linear ? 2 : 4,
                   is_linear      ? rows
                   : is_depthwise ? planes
                                  : dims,
                   is_depthwise ? 3 : 0, weight_offset);
  uint32_t bias = add_constant(net, xnn_datatype_qcint32, bias_scale, 1,
                               &outputs, 0, bias_offset);
  uint32_t from = net->ids[in], to = net->ids[out];
  if (is_linear)
    check(xnn_define_fully_connected(net->graph, min, max, from, weight, bias,
                                     to, 0),
          "a linear layer");
  else if (!strcmp(kind, "deconv"))
    check(xnn_define_deconvolution_2d(net->graph, y, x, y, x, 0, 0, height,
                                      width, stride, stride, dilation, dilation,
                                      1, inputs, outputs, min, max, from,
                                      weight, bias, to, 0),
          "a transposed convolution");
  else if (is_depthwise)
    check(xnn_define_depthwise_convolution_2d(
              net->graph, y, x, y, x, height, width, stride, stride, dilation,
              dilation, 1, inputs, min, max, from, weight, bias, to, 0),
          "a depthwise convolution");
  else
    check(xnn_define_convolution_2d(net->graph, y, x, y, x, height, width,
                                    stride, stride, dilation, dilation, 1,
                                    inputs, outputs, min, max, from, weight,
                                    bias, to, 0),
          "a convolution");
}

static void add_layer(struct network *net, const char *kind, FILE *file) {
  if (!strcmp(kind, "conv") || !strcmp(kind, "deconv") ||
      !strcmp(kind, "linear")) {
    add_convolution(net, kind, file);
    return;
  }
  uint32_t a = net->ids[get_number(file)];
  if (!strcmp(kind, "add")) {
    uint32_t b = net->ids[get_number(file)], out = net->ids[get_number(file)];
    struct xnn_binary_params limits = {get_float(file), INFINITY};
    check(xnn_define_binary(net->graph, xnn_binary_add, &limits, a, b, out, 0),
          "an addition");
    return;
  }
  if (!strcmp(kind, "cat")) {
    uint32_t b = net->ids[get_number(file)], out = net->ids[get_number(file)];
    check(xnn_define_concatenate2(net->graph, 3, a, b, out, 0),
          "a concatenation");
    return;
  }
  uint32_t out = net->ids[get_number(file)];
  size_t axes[] = {1, 2};
  if (!strcmp(kind, "max_pool")) {
    uint32_t window = get_number(file), pad = get_number(file);
    check(xnn_define_max_pooling_2d(net->graph, pad, pad, pad, pad, window,
                                    window, 2, 2, 1, 1, -INFINITY, INFINITY, a,
                                    out, 0),
          "a maximum");
  } else if (!strcmp(kind, "mean"))
    check(xnn_define_static_reduce(net->graph, xnn_reduce_mean, 2, axes, a, out,
                                   0),
          "a mean");
  else
    serving_check(1, "unknown layer");
}

static uint8_t *read_constants(const char *path) {
  FILE *file = fopen(path, "rb");
  serving_check(!file || fseek(file, 0, SEEK_END), path);
  long size = ftell(file);
  rewind(file);
  uint8_t *data = allocate((size_t)size);
  serving_check(fread(data, 1, (size_t)size, file) != (size_t)size, path);
  fclose(file);
  return data;
}

static void load(const char *path, struct network *net) {
  char name[4096], kind[16];
  snprintf(name, sizeof(name), "%s.bin", path);
  net->constants = read_constants(name);
  check(xnn_create_subgraph(2, 0, &net->graph), "a graph");
  FILE *file = fopen(path, "r");
  serving_check(!file, path);
  while (fscanf(file, "%15s", kind) == 1) {
    if (!strcmp(kind, "value"))
      add_value(net, file);
    else
      add_layer(net, kind, file);
  }
  fclose(file);
  check(xnn_create_runtime_v2(net->graph, NULL, 0, &net->runtime), "a runtime");
  check(xnn_reshape_runtime(net->runtime), "extents");
  struct xnn_external_value values[] = {{0, net->input}, {1, net->output}};
  check(xnn_setup_runtime_v2(net->runtime, 2, values), "buffers");
}

static void run(void *state) {
  struct network *net = state;
  check(xnn_invoke_runtime(net->runtime), "a run");
  for (size_t i = 0; i < net->size; ++i)
    net->bytes[i] = (uint8_t)(net->output[i] ^ 0x80);
}

int main(int count, char **paths) {
  check(xnn_initialize(NULL), "XNNPACK has nothing for this processor");
  struct network *nets = allocate((size_t)count * sizeof(*nets));
  struct serving_network *served = allocate((size_t)count * sizeof(*served));
  for (int i = 1; i < count; ++i) {
    load(paths[i], &nets[i - 1]);
    served[i - 1] = (struct serving_network){
        run, &nets[i - 1], nets[i - 1].bytes, nets[i - 1].size};
  }
  return serving_serve(served, count - 1);
}
