// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a Python module. Knows the C interface only: pybind11 needs
// RTTI and exceptions, which MLIR is built without.

#include "_native.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

std::vector<std::string> builtinBackends() {
  std::vector<std::string> names;
  for (size_t i = 0; i < qbackendGetNumBuiltinBackends(); ++i)
    names.push_back(qbackendGetBuiltinBackend(i));
  return names;
}

void restrictProcess(const std::vector<Text> &readable) {
  std::vector<QBackendText> texts;
  for (const Text &text : readable)
    texts.push_back(toText(text));
  Diagnostics diagnostics;
  if (qbackendRestrictProcess(texts.data(), texts.size(), &Diagnostics::add,
                              &diagnostics) != QBACKEND_SUCCESS)
    diagnostics.fail();
}

std::string backendToJSON(const Text &spec) {
  return run([&](auto... rest) {
    return qbackendBackendToJSON(toText(spec), rest...);
  });
}

std::string backendFromJSON(const Text &json) {
  return run([&](auto... rest) {
    return qbackendBackendFromJSON(toText(json), rest...);
  });
}

std::string mappingToJSON(const Text &spec, const Text &name) {
  return run([&](auto... rest) {
    return qbackendMappingToJSON(toText(spec), toText(name), rest...);
  });
}

std::string mappingFromJSON(const Text &json, const Text &name) {
  return run([&](auto... rest) {
    return qbackendMappingFromJSON(toText(json), toText(name), rest...);
  });
}

py::tuple applyBackend(const py::bytes &module, const Text &configuration,
                       const Text &options) {
  struct Texts {
    std::string module, configuration, options;
    char *output = nullptr;
    ~Texts() { qbackendFree(output); }
  };
  auto texts = std::make_shared<Texts>();
  texts->module = module;
  texts->configuration = configuration;
  texts->options = options;
  auto call = std::make_shared<Call>();
  call->run([texts](Call &call) {
    return qbackendApplyBackend(toText(texts->module),
                                toText(texts->configuration),
                                toText(texts->options), &texts->output,
                                &Diagnostics::add, &call.diagnostics);
  });
  return py::make_tuple(py::str(texts->output), call->diagnostics.toPython());
}

/// What takes bytecode, and what it raised.
struct Writer {
  const py::function &write;
  std::optional<py::error_already_set> error;

  static int take(const char *bytes, size_t length, void *user) {
    auto *writer = static_cast<Writer *>(user);
    py::gil_scoped_acquire acquire;
    try {
      writer->write(py::memoryview::from_memory(bytes, length));
      return 0;
    } catch (py::error_already_set &error) {
      writer->error.emplace(error);
      return 1;
    }
  }
};

/// Bytecode of a text and of the bytes of its resources, which are read where
/// they are.
void writeBytecode(
    const py::bytes &module,
    const std::vector<std::pair<std::string, py::buffer>> &resources,
    const py::function &write) {
  std::string source = module;
  std::vector<py::buffer_info> buffers;
  std::vector<QBackendResource> given;
  for (const auto &[name, buffer] : resources) {
    const py::buffer_info &info = buffers.emplace_back(buffer.request());
    if (info.itemsize != 1 || info.ndim != 1 ||
        (info.size > 1 && info.strides[0] != 1))
      throw py::value_error("resource '" + name + "' is no row of bytes");
    given.push_back({toText(name),
                     {static_cast<const char *>(info.ptr),
                      static_cast<size_t>(info.size)}});
  }
  Diagnostics diagnostics;
  Writer writer{write, std::nullopt};
  QBackendStatus status;
  {
    py::gil_scoped_release release;
    status = qbackendWriteBytecode(toText(source), given.data(), given.size(),
                                   &Writer::take, &writer, &Diagnostics::add,
                                   &diagnostics);
  }
  if (writer.error)
    throw *writer.error;
  check(status, diagnostics);
}

/// A module as an ONNX file, and what there is to say.
py::tuple toONNX(const py::bytes &module, const Text &entry) {
  std::string source = module;
  Diagnostics diagnostics;
  char *output = nullptr;
  size_t length = 0;
  QBackendStatus status;
  {
    py::gil_scoped_release release;
    status = qbackendToONNX(toText(source), toText(entry), &output, &length,
                            &Diagnostics::add, &diagnostics);
  }
  if (status != QBACKEND_SUCCESS)
    diagnostics.fail();
  py::bytes result(output, length);
  qbackendFree(output);
  return py::make_tuple(result, diagnostics.toPython());
}

/// A tensor of f32 in row-major order, by the buffer protocol.
class Tensor {
public:
  Tensor(const py::buffer &buffer, bool writable)
      : info(buffer.request(writable)),
        shape(info.shape.begin(), info.shape.end()) {
    if (info.format != py::format_descriptor<float>::format())
      throw py::type_error("expected an array of float32, found format '" +
                           info.format + "'");
    checkContiguous(info);
  }

  float *data() const { return static_cast<float *>(info.ptr); }
  const int64_t *extents() const { return shape.data(); }
  size_t rank() const { return shape.size(); }
  bool hasShapeOf(const Tensor &other) const { return shape == other.shape; }

private:
  py::buffer_info info;
  std::vector<int64_t> shape;
};

class Observer {
public:
  explicit Observer(const Text &json) {
    Diagnostics diagnostics;
    check(qbackendObserverCreate(toText(json), &observer, &Diagnostics::add,
                                 &diagnostics),
          diagnostics);
  }
  ~Observer() { qbackendObserverDestroy(observer); }
  Observer(const Observer &) = delete;

  void record(const py::buffer &data) {
    Tensor tensor(data, /*writable=*/false);
    Diagnostics diagnostics;
    check(qbackendObserverRecord(observer, tensor.data(), tensor.extents(),
                                 tensor.rank(), &Diagnostics::add,
                                 &diagnostics),
          diagnostics);
  }

  void reset() { qbackendObserverReset(observer); }

  std::string toTable(const Text &name) {
    return run([&](auto... rest) {
      return qbackendObserverToTable(observer, toText(name), rest...);
    });
  }

  void fromTable(const Text &table, const Text &name) {
    Diagnostics diagnostics;
    check(qbackendObserverFromTable(observer, toText(table), toText(name),
                                    &Diagnostics::add, &diagnostics),
          diagnostics);
  }

  std::string params() {
    return run([&](auto... rest) {
      return qbackendObserverGetParams(observer, rest...);
    });
  }

private:
  QBackendObserver *observer = nullptr;
};

void fakeQuantize(const py::buffer &input, const py::buffer &output,
                  const std::vector<double> &scales,
                  const std::vector<double> &zeroPoints, int64_t axis,
                  int64_t quantMin, int64_t quantMax, bool realZeroPoints) {
  Tensor from(input, /*writable=*/false), to(output, /*writable=*/true);
  if (!to.hasShapeOf(from) || scales.size() != zeroPoints.size())
    throw py::value_error("expected arrays of one shape, and as many scales as "
                          "zero points");
  QBackendQuantization quantization = {
      scales.data(), zeroPoints.data(), scales.size(), axis,
      quantMin,      quantMax,          realZeroPoints};
  Diagnostics diagnostics;
  check(qbackendFakeQuantize(from.data(), to.data(), from.extents(),
                             from.rank(), &quantization, &Diagnostics::add,
                             &diagnostics),
        diagnostics);
}

std::pair<double, int64_t> chooseParams(float min, float max, int64_t quantMin,
                                        int64_t quantMax, bool symmetric) {
  std::pair<double, int64_t> result;
  qbackendChooseParams(min, max, quantMin, quantMax, symmetric, &result.first,
                       &result.second);
  return result;
}

} // namespace

PYBIND11_MODULE(_native, m) {
  m.doc() = "The qbackend compiler. A failure is a "
            "qbackend.diagnostics.CompilerError, a ValueError.";
  m.attr("__version__") = qbackendGetVersion();
  m.def("builtin_backends", &builtinBackends,
        "Names of the built-in backends, sorted.");
  m.def("observer_kinds", &qbackendGetObserverKinds,
        "The compiler's table of observers and their arguments, as JSON.");
  m.def("backend_to_json", &backendToJSON, py::arg("name_path_or_mlir_text"),
        "A backend_config as the JSON document of docs/Python.md.");
  m.def("backend_from_json", &backendFromJSON, py::arg("json"),
        "The JSON document as a verified module.");
  m.def("mapping_to_json", &mappingToJSON, py::arg("name_path_or_mlir_text"),
        py::arg("name"),
        "A qconfig_mapping as JSON; with no name the backend's default.");
  m.def("mapping_from_json", &mappingFromJSON, py::arg("json"), py::arg("name"),
        "The JSON as a verified module.");
  m.def("restrict_process", &restrictProcess, py::arg("readable"),
        "From now on this process reads these files and folders, and the "
        "system's, and can do nothing else but compute.");
  m.def("apply_backend", &applyBackend, py::arg("module"),
        py::arg("configuration"), py::arg("options"),
        "Quantizes a module. Returns it and what there is to say: severity, "
        "message, file, line, column and notes of each.");
  addModels(m);
  m.def(
      "write_bytecode", &writeBytecode, py::arg("module"), py::arg("resources"),
      py::arg("write"),
      "Gives a module as bytecode, with the bytes of its resources by name, to "
      "write, piece by piece.");
  m.def("to_onnx", &toONNX, py::arg("module"), py::arg("entry"),
        "A module as an ONNX file.");
  py::class_<Observer>(
      m, "Observer", "An observer by its JSON. Arrays are contiguous float32.")
      .def(py::init<const Text &>(), py::arg("json"))
      .def("record", &Observer::record, py::arg("array"), "Records a batch.")
      .def("reset", &Observer::reset, "Forgets what was recorded.")
      .def("to_table", &Observer::toTable, py::arg("name"),
           "What was recorded as a calibration table.")
      .def("from_table", &Observer::fromTable, py::arg("table"),
           py::arg("name"), "Goes on from an entry of a calibration table.")
      .def("params", &Observer::params,
           "Scales and zero points as JSON, one or one for each channel.");
  m.def("fake_quantize", &fakeQuantize, py::arg("input"), py::arg("output"),
        py::arg("scales"), py::arg("zero_points"), py::arg("axis"),
        py::arg("quant_min"), py::arg("quant_max"), py::arg("real_zero_points"),
        "Writes to output what input becomes when it is quantized.");
  m.def("choose_params", &chooseParams, py::arg("min"), py::arg("max"),
        py::arg("quant_min"), py::arg("quant_max"), py::arg("symmetric"),
        "Scale and zero point of a fused fake quantizer.");
}
