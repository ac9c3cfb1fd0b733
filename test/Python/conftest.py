# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports cases to lit, and reads PyTorch's own data for the tests."""

import json
import os
import pathlib
import signal

import pytest

#: PyTorch's data of its backends, one file each.
BACKENDS = pathlib.Path(__file__).parent.parent / "Backends"
NAMES = sorted(path.stem for path in BACKENDS.glob("*.json"))


def document_of(name):
    """PyTorch's data of a backend, test/Backends/NAME.json, as the interchange
    document: tables resolved, keys as in BackendPatternConfig.to_dict."""
    data = json.loads((BACKENDS / f"{name}.json").read_text())
    configs = []
    for entry in data["patterns"]:
        config = {}
        if entry["pattern"] is None:
            config["pattern_complex_format"] = entry["pattern_complex"]
        else:
            config["pattern"] = entry["pattern"]
        config["observation_type"] = entry["observation_type"]
        config["dtype_configs"] = [
            dtype_config_of(data["dtype_configs"][table])
            for table in entry["dtype_configs"]
        ]
        renamed = {
            "root_module": "root_module",
            "qat_module": "qat_module",
            "reference_quantized_module": "reference_quantized_module_for_root",
            "fused_module": "fused_module",
            "fuser_method": "fuser_method",
            "num_tensor_args_to_observation_type": "num_tensor_args_to_observation_type",
            "input_type_to_index": "input_type_to_index",
        }
        for old, new in renamed.items():
            if old in entry:
                config[new] = entry[old]
        configs.append(config)
    return {"name": data["name"], "configs": configs}


def dtype_config_of(entry):
    config = {
        f"{role}_dtype": entry[role]
        for role in ("input", "output", "weight")
        if role in entry
    }
    if "bias" in entry:
        config["bias_dtype"] = entry["bias"]["dtype"]
    if entry["is_dynamic"]:
        config["is_dynamic"] = True
    return config


#: Seconds that a case may take; the longest takes a minute.
LIMIT = 1200 if "ASAN_OPTIONS" in os.environ else 600


@pytest.fixture(autouse=True)
def limit():
    """A case that waits for what doesn't come fails where it waits."""

    def end(number, frame):
        raise TimeoutError(f"no end after {LIMIT} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(LIMIT)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=NAMES)
def backend_name(request):
    return request.param


@pytest.fixture
def document(backend_name):
    return document_of(backend_name)


class Results:
    """What lit reads: the JSON of GoogleTest."""

    def __init__(self, path):
        self.path = path
        self.cases = {}

    def add(self, name, result, seconds, failure=None):
        case = self.cases.setdefault(
            name, {"name": name, "result": result, "time": 0.0, "failures": []}
        )
        case["time"] += seconds
        if result != "COMPLETED":
            case["result"] = result
        if failure:
            case["failures"].append({"failure": failure})

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("::", 1)[-1].replace("/", "_")
        result = "SKIPPED" if report.skipped else "COMPLETED"
        failure = report.longreprtext if report.failed else None
        self.add(name, result, report.duration, failure)

    def pytest_collectreport(self, report):
        if report.failed:
            self.add("import", "COMPLETED", 0.0, report.longreprtext)
        elif report.skipped:
            self.add("import", "SKIPPED", 0.0)

    def pytest_sessionfinish(self):
        cases = []
        for case in self.cases.values():
            case = {**case, "time": f"{case['time']:.3f}s"}
            if not case["failures"]:
                del case["failures"]
            cases.append(case)
        suite = {"name": "", "testsuite": cases}
        with open(self.path, "w") as file:
            json.dump({"testsuites": [suite]}, file)


def pytest_configure(config):
    path = os.environ.get("QBACKEND_TEST_RESULTS")
    if path:
        config.pluginmanager.register(Results(path))
