// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks of the C interface as Python's objects: arrays in and out by the
// buffer protocol, where possible without a copy.

#include "_native.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace {

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// NumPy's names, by QBackendElementType.
const char *const typeNames[] = {"float32", "float64", "int8",  "uint8",
                                 "int16",   "uint16",  "int32", "uint32",
                                 "int64",   "uint64",  "bool",  "float16"};

QBackendElementType toElementType(const py::buffer_info &info) {
  if (info.format.size() == 1) {
    auto integer = [&](QBackendElementType signedType) {
      int offset = 0;
      for (py::ssize_t size = 1; size < info.itemsize; size *= 2)
        offset += 2;
      return QBackendElementType(signedType + offset);
    };
    switch (info.format[0]) {
    case 'e':
      return QBACKEND_F16;
    case 'f':
      return QBACKEND_F32;
    case 'd':
      return QBACKEND_F64;
    case '?':
      return QBACKEND_BOOL;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
      return integer(QBACKEND_I8);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
      return integer(QBACKEND_U8);
    }
  }
  throw py::type_error("expected an array of numbers or bool, found format '" +
                       info.format + "'");
}

/// Views of Python's arrays, which have to be contiguous.
struct Arrays {
  explicit Arrays(const std::vector<py::buffer> &buffers) {
    infos.reserve(buffers.size());
    shapes.reserve(buffers.size());
    for (const py::buffer &buffer : buffers) {
      const py::buffer_info &info = infos.emplace_back(buffer.request());
      checkContiguous(info);
      shapes.emplace_back(info.shape.begin(), info.shape.end());
      views.push_back({toElementType(info), shapes.back().data(),
                       shapes.back().size(), info.ptr});
      bytes += info.size * info.itemsize;
    }
  }

  std::vector<py::buffer_info> infos;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<QBackendArray> views;
  int64_t bytes = 0;
};

/// Python's objects are kept by the call; nothing here has to be released with
/// the interpreter's lock.
struct Views {
  std::vector<std::vector<int64_t>> shapes;
  std::vector<QBackendArray> views;
};

/// The same without what belongs to Python.
Views getViews(Arrays &arrays) {
  return {std::move(arrays.shapes), std::move(arrays.views)};
}

/// Results that NumPy's arrays are views of.
py::list toArrays(std::shared_ptr<QBackendResults> results) {
  py::list list;
  for (size_t i = 0; i < qbackendResultsGetNum(results.get()); ++i) {
    QBackendArray array = qbackendResultsGet(results.get(), i);
    auto *owner = new std::shared_ptr<QBackendResults>(results);
    py::capsule capsule(owner, [](void *pointer) {
      delete static_cast<std::shared_ptr<QBackendResults> *>(pointer);
    });
    list.append(py::array(
        py::dtype(typeNames[array.type]),
        std::vector<py::ssize_t>(array.shape, array.shape + array.rank),
        array.data, capsule));
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

/// Options of a call, by the names of Python's arguments.
struct Options {
  std::map<std::string, Text> texts;
  std::map<std::string, std::optional<double>> numbers;

  QBackendText get(const char *name) const {
    asked.insert(name);
    auto it = texts.find(name);
    return it == texts.end() ? QBackendText{} : toText(it->second);
  }

  /// Null if it isn't given.
  const double *find(const char *name) const {
    asked.insert(name);
    auto it = numbers.find(name);
    return it == numbers.end() || !it->second ? nullptr : &*it->second;
  }

  double getNumber(const char *name) const {
    const double *found = find(name);
    return found ? *found : 0;
  }

  /// Fails for each name that was given and that nobody has asked for: the call
  /// would do something else than what was meant.
  QBackendStatus checkAsked(Diagnostics &diagnostics) const {
    QBackendStatus status = QBACKEND_SUCCESS;
    auto check = [&](const auto &given) {
      for (const auto &[name, value] : given) {
        if (asked.count(name))
          continue;
        std::string message = "found an option '" + name + "', expected one of";
        for (const std::string &known : asked)
          message += (known == *asked.begin() ? " '" : ", '") + known + "'";
        diagnostics.entries.push_back({QBACKEND_ERROR, message, "", 0, 0, {}});
        status = QBACKEND_FAILURE;
      }
    };
    check(texts);
    check(numbers);
    return status;
  }

private:
  mutable std::set<std::string> asked;
};

/// A call that gives a report: what it reads, and what it gives.
struct Report : Options {
  std::shared_ptr<QBackendModel> model, other;
  char *output = nullptr, *page = nullptr;

  ~Report() {
    qbackendFree(output);
    qbackendFree(page);
  }

  QBackendReportOptions getOptions() const {
    QBackendReportOptions options = {};
    options.backend = get("backend");
    options.qconfig = get("qconfig");
    options.configuration = get("configuration");
    options.samples = get("samples");
    options.labels = get("labels");
    options.table = get("table");
    options.calibrationSamples = get("calibration_samples");
    options.inputScale = get("input_scale");
    options.sampleArguments = get("sample_arguments");
    options.threads = unsigned(getNumber("threads"));
    options.title = get("title");
    options.measureChanges = getNumber("changes") != 0;
    options.parts = get("parts");
    options.shard = int64_t(getNumber("shard"));
    options.shards = int64_t(getNumber("shards"));
    return options;
  }

  QBackendTuneOptions getTuneOptions(Call &call) const {
    QBackendTuneOptions options = {};
    options.network = getOptions();
    options.keepSqnr = find("keep_sqnr");
    options.keepAccuracy = find("keep_accuracy");
    options.maxSeconds = getNumber("max_seconds");
    options.targetSeconds = getNumber("target_seconds");
    options.path = get("path");
    options.resume = getNumber("resume") != 0;
    options.isStopped = &Call::isStopped;
    options.stopUser = &call;
    return options;
  }

  /// Calls `function` of the C interface: its arguments are the model, those
  /// given, and whom it tells what it has to say.
  template <typename Function, typename... Arguments>
  QBackendStatus ask(Call &call, Function function, Arguments... arguments) {
    if (checkAsked(call.diagnostics) != QBACKEND_SUCCESS)
      return QBACKEND_FAILURE;
    return function(model.get(), arguments..., &Diagnostics::add,
                    &call.diagnostics);
  }
};

using Ask = QBackendStatus (*)(Report &, Call &);

/// The functions that give reports. Those of Python call them by these names.
const std::map<std::string, Ask> asks = {
    {"compare_operators",
     [](Report &report, Call &call) {
       QBackendReportOptions options = report.getOptions();
       return report.ask(call, qbackendModelCompareOperators,
                         report.other.get(), &options, &report.output,
                         &report.page);
     }},
    {"diagnose",
     [](Report &report, Call &call) {
       QBackendReportOptions options = report.getOptions();
       return report.ask(call, qbackendModelDiagnose, report.other.get(),
                         &options, &report.output);
     }},
    {"find_sensitivity",
     [](Report &report, Call &call) {
       QBackendReportOptions options = report.getOptions();
       return report.ask(call, qbackendModelFindSensitivity, &options,
                         &report.output);
     }},
    {"tune",
     [](Report &report, Call &call) {
       QBackendTuneOptions options = report.getTuneOptions(call);
       return report.ask(call, qbackendModelTune, &options, &report.output);
     }},
    {"find_cost",
     [](Report &report, Call &call) {
       QBackendReportOptions options = report.getOptions();
       return report.ask(call, qbackendModelFindCost, &options, &report.output);
     }},
    {"explain_operator",
     [](Report &report, Call &call) {
       return report.ask(call, qbackendModelExplainOperator,
                         report.get("configuration"), report.get("options"),
                         report.get("table"), &report.output);
     }},
    {"record_stages",
     [](Report &report, Call &call) {
       return report.ask(call, qbackendModelRecordStages,
                         report.get("configuration"), report.get("options"),
                         report.get("title"), &report.output, &report.page);
     }},
};

class Model {
public:
  using Handle = std::shared_ptr<QBackendModel>;

  explicit Model(QBackendModel *model) : handle(model, qbackendModelDestroy) {}

  static Model load(const py::bytes &module, const Text &name,
                    const Text &entry) {
    struct State {
      std::string module, name, entry;
      QBackendModel *model = nullptr;
      ~State() { qbackendModelDestroy(model); }
    };
    auto state = std::make_shared<State>();
    state->module = module;
    state->name = name;
    state->entry = entry;
    std::make_shared<Call>()->run([state](Call &call) {
      return qbackendModelLoad(toText(state->module), toText(state->name),
                               toText(state->entry), &state->model,
                               &Diagnostics::add, &call.diagnostics);
    });
    return Model(std::exchange(state->model, nullptr));
  }

  void bindWeights(const Text &path) {
    std::string name = path;
    auto model = handle;
    std::make_shared<Call>()->run([name, model](Call &call) {
      return qbackendModelBindWeights(model.get(), toText(name),
                                      &Diagnostics::add, &call.diagnostics);
    });
  }

  std::string describe() { return read(&qbackendModelDescribe); }
  std::string explain() { return read(&qbackendModelExplain); }
  std::string text() { return read(&qbackendModelPrint); }

  py::bytes bytecode() {
    Diagnostics diagnostics;
    char *output = nullptr;
    size_t length = 0;
    QBackendStatus status;
    {
      py::gil_scoped_release release;
      status = qbackendModelToBytecode(handle.get(), &output, &length,
                                       &Diagnostics::add, &diagnostics);
    }
    check(status, diagnostics);
    py::bytes result(output, length);
    qbackendFree(output);
    return result;
  }

  py::list run(const std::vector<py::buffer> &buffers, const Text &inputScale,
               const Text &sampleArguments, unsigned threads, bool contract) {
    struct State {
      Handle model;
      std::string inputScale, sampleArguments;
      unsigned threads;
      bool contract;
      Views arrays;
      QBackendResults *results = nullptr;
      ~State() { qbackendResultsDestroy(results); }
    };
    // Until the end of the call, unless it is abandoned.
    auto arrays = std::make_unique<Arrays>(buffers);
    int64_t bytes = arrays->bytes;
    auto state = std::make_shared<State>();
    state->model = handle;
    state->inputScale = inputScale;
    state->sampleArguments = sampleArguments;
    state->threads = threads;
    state->contract = contract;
    state->arrays = getViews(*arrays);
    using Clock = std::chrono::steady_clock;
    Clock::time_point start = Clock::now();
    // A thread costs more than a small network.
    bool isShort = secondsPerByte >= 0 && secondsPerByte * bytes < 0.05;
    std::make_shared<Call>()->run(
        [state](Call &call) {
          QBackendRunOptions options = {toText(state->inputScale),
                                        toText(state->sampleArguments),
                                        state->threads,
                                        &Call::isStopped,
                                        &call,
                                        state->contract};
          return qbackendModelRun(
              state->model.get(), state->arrays.views.data(),
              state->arrays.views.size(), &options, &state->results,
              &Diagnostics::add, &call.diagnostics);
        },
        py::cast(buffers), isShort);
    secondsPerByte =
        std::chrono::duration<double>(Clock::now() - start).count() /
        double(std::max<int64_t>(bytes, 1));
    return toArrays(
        {std::exchange(state->results, nullptr), qbackendResultsDestroy});
  }

  py::tuple quantize(const Text &configuration, const Text &options,
                     const Text &table) {
    struct State {
      Handle model;
      std::string configuration, options, table;
      QBackendModel *quantized = nullptr;
      ~State() { qbackendModelDestroy(quantized); }
    };
    auto state = std::make_shared<State>();
    state->model = handle;
    state->configuration = configuration;
    state->options = options;
    state->table = table;
    auto call = std::make_shared<Call>();
    call->run([state](Call &call) {
      return qbackendModelQuantize(
          state->model.get(), toText(state->configuration),
          toText(state->options), toText(state->table), &state->quantized,
          &Diagnostics::add, &call.diagnostics);
    });
    return py::make_tuple(Model(std::exchange(state->quantized, nullptr)),
                          call->diagnostics.toPython());
  }

  /// Ctrl-C ends what runs over samples, too.
  py::tuple
  report(const std::string &kind, const Model *other,
         const std::map<std::string, Text> &texts,
         const std::map<std::string, std::optional<double>> &numbers) {
    auto report = std::make_shared<Report>();
    report->model = handle;
    if (other)
      report->other = other->handle;
    report->texts = texts;
    report->numbers = numbers;
    auto call = std::make_shared<Call>();
    call->interruptsRuns = true;
    call->run([report, ask = asks.at(kind)](Call &call) {
      return ask(*report, call);
    });
    py::object page = py::none();
    if (report->page)
      page = py::str(report->page);
    return py::make_tuple(std::string(report->output), page,
                          call->diagnostics.toPython());
  }

  Handle handle;

private:
  using Reader = QBackendStatus(QBackendModel *, char **,
                                QBackendDiagnosticCallback, void *);
  std::string read(Reader *reader) {
    return ::run([&](auto... rest) { return reader(handle.get(), rest...); });
  }

  /// Of the last run; negative: none.
  double secondsPerByte = -1;
};

//===----------------------------------------------------------------------===//
// Calibration
//===----------------------------------------------------------------------===//

class Calibration {
public:
  using Handle = std::shared_ptr<QBackendCalibration>;

  Calibration(const Model &model, const std::map<std::string, Text> &texts,
              const std::map<std::string, std::optional<double>> &numbers) {
    struct State : Options {
      Model::Handle model;
      QBackendCalibrationOptions options = {};
      QBackendCalibration *calibration = nullptr;
      ~State() { qbackendCalibrationDestroy(calibration); }
    };
    auto state = std::make_shared<State>();
    state->model = model.handle;
    state->texts = texts;
    state->numbers = numbers;
    QBackendCalibrationOptions &options = state->options;
    options.backend = state->get("backend");
    options.qconfig = state->get("qconfig");
    options.configuration = state->get("configuration");
    options.inputScale = state->get("input_scale");
    options.sampleArguments = state->get("sample_arguments");
    options.source = state->get("source");
    options.batchSize = int64_t(state->getNumber("batch_size"));
    options.ignoreNonFinite = state->getNumber("ignore_non_finite") != 0;
    options.threads = unsigned(state->getNumber("threads"));
    options.sharing = state->get("sharing");
    options.statistics = state->get("statistics");
    options.totalSamples = int64_t(state->getNumber("total"));
    options.firstSample = int64_t(state->getNumber("first"));
    options.forCorrections = state->getNumber("for_corrections") != 0;
    std::make_shared<Call>()->run([state](Call &call) {
      if (state->checkAsked(call.diagnostics) != QBACKEND_SUCCESS)
        return QBACKEND_FAILURE;
      return qbackendCalibrationCreate(state->model.get(), &state->options,
                                       &state->calibration, &Diagnostics::add,
                                       &call.diagnostics);
    });
    handle = Handle(std::exchange(state->calibration, nullptr),
                    qbackendCalibrationDestroy);
  }

  void add(const std::vector<py::buffer> &buffers) {
    auto arrays = std::make_unique<Arrays>(buffers);
    auto views = std::make_shared<Views>(getViews(*arrays));
    std::make_shared<Call>()->run(
        [calibration = handle, views](Call &call) {
          return qbackendCalibrationAdd(
              calibration.get(), views->views.data(), views->views.size(),
              &Call::isStopped, &call, &Diagnostics::add, &call.diagnostics);
        },
        py::cast(buffers));
  }

  std::string table() {
    return ::run([&](auto... rest) {
      return qbackendCalibrationToTable(handle.get(), rest...);
    });
  }

private:
  Handle handle;
};

std::string mergeTables(const std::vector<std::string> &tables,
                        const std::vector<std::string> &names) {
  if (tables.size() != names.size())
    throw py::value_error("expected a name for each table");
  std::vector<QBackendText> texts, places;
  for (size_t i = 0; i < tables.size(); ++i) {
    texts.push_back(toText(tables[i]));
    places.push_back(toText(names[i]));
  }
  return ::run([&](auto... rest) {
    return qbackendMergeTables(texts.data(), places.data(), texts.size(),
                               rest...);
  });
}

std::string compare(const std::vector<py::buffer> &base,
                    const std::vector<py::buffer> &other) {
  Arrays first(base), second(other);
  if (base.size() != other.size())
    throw py::value_error("the networks have " + std::to_string(base.size()) +
                          " and " + std::to_string(other.size()) + " results");
  return ::run([&](auto... rest) {
    return qbackendCompare(first.views.data(), second.views.data(),
                           first.views.size(), rest...);
  });
}

} // namespace

void addModels(py::module_ &m) {
  py::class_<Model>(m, "Model", "A network. Arrays are contiguous.")
      .def_static("load", &Model::load, py::arg("module"), py::arg("name"),
                  py::arg("entry"), "A module as text or bytecode.")
      .def("bind_weights", &Model::bindWeights, py::arg("path"),
           "Gives it the weights of a file.")
      .def("describe", &Model::describe, "Inputs, outputs and sizes as JSON.")
      .def("explain", &Model::explain, "What became of operators, as JSON.")
      .def("text", &Model::text, "The module as text.")
      .def("bytecode", &Model::bytecode, "The module as bytecode.")
      .def("run", &Model::run, py::arg("arrays"), py::arg("input_scale"),
           py::arg("sample_arguments"), py::arg("threads"), py::arg("contract"),
           "The results for samples.")
      .def("quantize", &Model::quantize, py::arg("configuration"),
           py::arg("options"), py::arg("table"),
           "Another model, and what there is to say.")
      .def("report", &Model::report, py::arg("kind"),
           py::arg("other").none(true), py::arg("texts"), py::arg("numbers"),
           "JSON or text, a page, and what there is to say; of a part, the "
           "text of that part.");
  py::class_<Calibration>(m, "Calibration", "A network under observation.")
      .def(py::init<const Model &, const std::map<std::string, Text> &,
                    const std::map<std::string, std::optional<double>> &>(),
           py::arg("model"), py::arg("texts"), py::arg("numbers"))
      .def("add", &Calibration::add, py::arg("arrays"), "Runs on samples.")
      .def("table", &Calibration::table,
           "What was seen, as a calibration table.");
  m.def("merge_tables", &mergeTables, py::arg("tables"), py::arg("names"),
        "One calibration table of those of parts of the samples; or what parts "
        "of another run have found, as one text.");
  m.def("compare", &compare, py::arg("base"), py::arg("other"),
        "How results differ, as JSON.");
}
