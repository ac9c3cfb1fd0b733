# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Archives as torch.export.save writes them, made without PyTorch."""

import io
import json
import struct
import zipfile

import numpy as np

_CODES = {"uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "float16": 6,
          "float32": 7, "float64": 8, "bool": 12}
_STORAGES = {"float32": "FloatStorage", "float64": "DoubleStorage",
             "int8": "CharStorage", "uint8": "ByteStorage", "int64": "LongStorage",
             "bool": "BoolStorage", "float16": "HalfStorage"}


class Ref(str):
    """The name of a tensor in the graph."""


class DType(str):
    """A type as an argument."""


class Symbol(str):
    """A dynamic extent, by its SymPy text."""


def _size(extent):
    if isinstance(extent, Symbol):
        return {"as_expr": {"expr_str": str(extent), "hint": {"as_int": 4}}}
    return {"as_int": extent}


def meta(shape, dtype="float32"):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= 4 if isinstance(extent, Symbol) else extent
    return {"dtype": _CODES[dtype], "sizes": [_size(e) for e in shape],
            "requires_grad": False, "device": {"type": "cpu", "index": None},
            "strides": [{"as_int": s} for s in strides],
            "storage_offset": {"as_int": 0}, "layout": 7}


def argument(value):
    if isinstance(value, dict):
        return value
    if isinstance(value, Ref):
        return {"as_tensor": {"name": str(value)}}
    if isinstance(value, DType):
        return {"as_scalar_type": _CODES[value]}
    if value is None:
        return {"as_none": True}
    for kind, name in ((bool, "as_bool"), (int, "as_int"), (float, "as_float"),
                       (str, "as_string")):
        if isinstance(value, kind):
            return {name: value}
    if value and isinstance(value[0], Ref):
        return {"as_tensors": [{"name": str(v)} for v in value]}
    if any(isinstance(v, float) for v in value):
        return {"as_floats": list(value)}
    return {"as_ints": list(value)}


class Network:
    """A program that is written node by node."""

    def __init__(self, training=True):
        self.weights, self.user = [], []
        self.nodes, self.metas, self.outputs = [], {}, []
        self.training = training
        self.storages = {}

    def weight(self, fqn, array, kind="parameter", storage=None):
        """`storage` is another weight of whose memory this is a view."""
        name = Ref(kind[0] + "_" + fqn.replace(".", "_"))
        array = np.asarray(array)
        self.weights.append((name, fqn, kind, array, storage))
        self.metas[name] = meta(array.shape, array.dtype.name)
        return name

    def input(self, name, shape, dtype="float32"):
        self.user.append(Ref(name))
        self.metas[name] = meta(shape, dtype)
        return Ref(name)

    def node(network, target, shapes, /, path="", kind="", line=0, names=None,
             **arguments):
        """Appends an operator of `torch.ops.`; `shapes` is the shape of its
        result, (shape, dtype), or a list of these for several results. `self` is
        an argument of many operators."""
        several = isinstance(shapes, list) and shapes and isinstance(
            shapes[0], tuple)
        results = []
        for i, given in enumerate(shapes if several else [shapes]):
            shape, dtype = given if isinstance(given, tuple) else (given,
                                                                   "float32")
            count = len(network.nodes)
            name = names[i] if names else (
                target.split(".")[-2] + (f"_{count}" if count else "")
                + (f"_{i}" if i else ""))
            network.metas[name] = meta(shape, dtype)
            results.append(Ref(name))
        stack = "L__self__,,net.Net"
        if path:
            stack += f";L__self___{path},{path},{kind or 'net.Block'}"
        trace = f'  File "net.py", line {line}, in forward\n    x\n' if line else ""
        network.nodes.append({
            "target": "torch.ops." + target,
            "inputs": [{"name": k, "arg": argument(v)}
                       for k, v in arguments.items()],
            "outputs": [argument(r) for r in results],
            "metadata": {"nn_module_stack": stack, "stack_trace": trace}})
        return results if several else results[0]

    def program(self):
        specs = []
        for name, fqn, kind, _, _ in self.weights:
            held = {"arg": {"name": name}, f"{kind}_name": fqn}
            if kind == "buffer":
                held["persistent"] = True
            specs.append({kind: held})
        specs += [{"user_input": {"arg": argument(u)}} for u in self.user]
        inputs = [argument(w[0]) for w in self.weights] + [
            argument(u) for u in self.user]
        outputs = [argument(o) for o in self.outputs]
        return {
            "graph_module": {
                "graph": {"inputs": inputs, "outputs": outputs,
                          "nodes": self.nodes, "tensor_values": self.metas,
                          "sym_int_values": {}, "sym_bool_values": {},
                          "is_single_tensor_return": False,
                          "custom_obj_values": {}},
                "signature": {"input_specs": specs, "output_specs": [
                    {"user_output": {"arg": o}} for o in outputs]},
                "module_call_graph": []},
            "opset_version": {"aten": 10}, "range_constraints": {},
            "schema_version": {"major": 8, "minor": 2},
            "verifiers": ["TRAINING"] if self.training else ["ATEN"],
            "torch_version": "2.6.0"}

    def state(self):
        """The file of weights."""
        return saved([(fqn, array, storage)
                      for _, fqn, kind, array, storage in self.weights])

    def entries(self):
        return {"version": b"8.2",
                "serialized_exported_program.json":
                    json.dumps(self.program()).encode(),
                "serialized_state_dict.pt": self.state(),
                "serialized_constants.pt": b"",
                "serialized_example_inputs.pt": b""}

    def newer_entries(self):
        """The layout since PyTorch 2.9, with raw weights."""
        files, config = {}, {}
        for i, (_, fqn, _, array, _) in enumerate(self.weights):
            files[f"net/data/weights/weight_{i}"] = array.tobytes()
            config[fqn] = {"path_name": f"weight_{i}", "is_param": True,
                           "use_pickle": False,
                           "tensor_meta": meta(array.shape, array.dtype.name)}
        return {"net/archive_format": b"pt2", "net/archive_version": b"0",
                "net/byteorder": b"little",
                "net/models/net.json": json.dumps(self.program()).encode(),
                "net/data/weights/net_weights_config.json":
                    json.dumps({"config": config}).encode(), **files}

    def save(self, path, newer=False):
        with open(path, "wb") as file:
            file.write(archive(self.newer_entries() if newer else self.entries()))
        return path


def archive(entries):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as target:
        for name, data in entries.items():
            target.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


# Pickles, opcode by opcode.


def _text(value):
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def _number(value):
    if 0 <= value < 256:
        return b"K" + bytes([value])
    if value < 1 << 31:
        return b"J" + struct.pack("<i", value)
    data = value.to_bytes(8, "little")
    return b"\x8a\x08" + data


def _tuple(items):
    return b"(" + b"".join(items) + b"t"


def pickled(tensors):
    """A dictionary of name: (storage key, class, elements, offset, sizes,
    strides)."""
    body = b""
    for name, (key, kind, count, offset, sizes, strides) in tensors.items():
        storage = _tuple([_text("storage"), b"ctorch\n" + kind.encode() + b"\n",
                          _text(key), _text("cpu"), _number(count)]) + b"Q"
        made = _tuple([storage, _number(offset),
                       _tuple([_number(n) for n in sizes]),
                       _tuple([_number(n) for n in strides]), b"\x89",
                       b"ccollections\nOrderedDict\n)R"])
        body += _text(name) + b"ctorch._utils\n_rebuild_tensor_v2\n" + made + b"R"
    return b"\x80\x02}(" + body + b"u."


def saved(weights, order=b"little"):
    """A file of torch.save."""
    entries, tensors, keys = {}, {}, {}
    for name, array, storage in weights:
        if storage is None:
            key = str(len(keys))
            data = np.ascontiguousarray(array)
            keys[name] = key, data.size, data
            entries[f"archive/data/{key}"] = data.tobytes()
            offset, strides = 0, [s // data.itemsize for s in data.strides]
        else:
            key, _, whole = keys[storage]
            # Where the view starts in the whole.
            offset = (array.__array_interface__["data"][0]
                      - whole.__array_interface__["data"][0]) // whole.itemsize
            strides = [s // whole.itemsize for s in array.strides]
            name_of = storage
        count = keys[name][1] if storage is None else keys[storage][1]
        tensors[name] = (key, _STORAGES[array.dtype.name], count, offset,
                         array.shape, strides)
    return archive({"archive/data.pkl": pickled(tensors),
                    "archive/byteorder": order, "archive/version": b"3",
                    **entries})
