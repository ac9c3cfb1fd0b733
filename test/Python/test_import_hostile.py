# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Broken and hostile files: one clear error each, and nothing of them runs."""

import copy
import json
import os
import random
import resource
import struct
import threading
import zipfile
import zlib

import numpy as np
import pytest

import qbackend
from exported import Network, archive, meta, pickled, saved

WEIGHT = np.arange(24, dtype=np.float32).reshape(4, 6) / 24


def network():
    net = Network()
    x = net.input("x", [2, 6])
    y = net.node("aten.linear.default", [2, 4], "fc", input=x,
                 weight=net.weight("fc.weight", WEIGHT))
    net.outputs = [net.node("aten.relu.default", [2, 4], self=y)]
    return net


def refused(tmp_path, data, match):
    path = tmp_path / "net.pt2"
    path.write_bytes(data)
    with pytest.raises(qbackend.ImportFailure, match=match) as error:
        qbackend.from_pt2(path)
    assert str(error.value).startswith(str(path) + ": ")
    assert error.value.__cause__ is None or "don't fit" in str(error.value)


def test_the_network_itself_is_fine(tmp_path):
    assert qbackend.from_pt2(network().save(tmp_path / "net.pt2")).text()


def test_numbers_beyond_the_type_are_infinite(tmp_path, recwarn):
    net = Network()
    net.outputs = [net.node("aten.mul.Scalar", [2, 6],
                            self=net.input("x", [2, 6]), other=1e300)]
    assert "0x7F800000" in qbackend.from_pt2(net.save(tmp_path / "net.pt2")).text()
    assert not recwarn.list


# The archive.


@pytest.mark.parametrize("data, match", [
    (b"", "empty"),
    (b"not a zip archive at all", "no zip archive"),
    (archive({}), "none of torch.export"),
    (archive({"a/archive_format": b"zip"}), "not pt2"),
    (archive({"a/archive_format": b"pt2", "a/archive_version": b"7"}),
     "version 7"),
    (archive({"a/archive_format": b"pt2"}), "AOTInductor"),
    (archive({"archive_format": b"pt2", "models/a.json": b"", "models/b.json":
              b""}), "2 programs"),
    (archive({"../out": b""}), "leaves its folder"),
    (archive({"/out": b""}), "leaves its folder"),
    (archive({"a\\..\\out": b""}), "leaves its folder"),
    (archive({"C:/out": b""}), "leaves its folder"),
])
def test_archives(tmp_path, data, match):
    refused(tmp_path, data, match)


def test_truncated(tmp_path):
    data = archive(network().entries())
    for length in (10, len(data) // 3, len(data) * 2 // 3, len(data) - 30):
        refused(tmp_path, data[:length], "zip archive|damaged|header|none of")


def test_two_entries_of_one_name(tmp_path):
    entries = network().entries()
    path = tmp_path / "twice.zip"
    with pytest.warns(UserWarning), zipfile.ZipFile(path, "w") as target:
        for name, data in [*entries.items(), ("version", b"8.2")]:
            target.writestr(name, data)
    refused(tmp_path, path.read_bytes(), "two entries 'version'")


def test_a_changed_bit(tmp_path):
    data = bytearray(archive(network().entries()))
    at = data.index(b'"aten.relu') if b'"aten.relu' in data else data.index(
        b"aten.relu")
    data[at + 6] ^= 1
    refused(tmp_path, bytes(data), "damaged: its checksum")


def test_bombs(tmp_path):
    size = 300 << 20
    # Deflated, of which nothing is taken on trust.
    entries = network().entries()
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w") as target:
        for name, data in entries.items():
            if name == "serialized_exported_program.json":
                with target.open(zipfile.ZipInfo(name), "w") as file:
                    file.write(data)
            else:
                target.writestr(name, data)
        info = zipfile.ZipInfo("serialized_constants.pt")
        info.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("serialized_exported_program.json", b" " * size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused(tmp_path, path.read_bytes(), "no weight and no program")
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 64 << 10  # kilobytes


def test_a_lying_size(tmp_path):
    # A stored entry that says it is larger than the file.
    data = bytearray(archive(network().entries()))
    at = data.rindex(b"serialized_state_dict.pt") - 46
    assert data[at:at + 4] == b"PK\1\2"
    data[at + 20:at + 28] = struct.pack("<II", 1 << 30, 1 << 30)
    refused(tmp_path, bytes(data), "reaches beyond|no zip archive|damaged")


# The program.


def changed(path, value):
    """The network with one place of its program changed."""
    net = network()
    program = copy.deepcopy(net.program())
    place = program
    for key in path[:-1]:
        place = place[key]
    if value is KeyError:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    net.program = lambda: program
    return archive(net.entries())


GRAPH = ("graph_module", "graph")
NODE = (*GRAPH, "nodes", 0)
TENSORS = (*GRAPH, "tensor_values")


@pytest.mark.parametrize("path, value, match", [
    (("schema_version",), KeyError, "no 'schema_version'"),
    (("schema_version", "major"), 9, "schema version 9, expected 8"),
    (("schema_version", "major"), True, "'major'"),
    (("graph_module",), [], "'graph_module'"),
    ((*GRAPH, "nodes"), {}, "'nodes'"),
    ((*NODE, "target"), "aten.linear", "not supported"),
    ((*NODE, "target"), 3, "'target'"),
    ((*NODE, "inputs", 0, "name"), "gain", "no argument 'gain'"),
    ((*NODE, "inputs", 0, "arg"), {"as_quaternion": 1}, "kind 'as_quaternion'"),
    ((*NODE, "inputs", 0, "arg"), {}, "one key"),
    ((*NODE, "inputs", 0, "arg"), {"as_int": 1}, "expected a tensor"),
    ((*NODE, "inputs", 0, "arg"), {"as_int": 1 << 70}, "beyond 64 bits"),
    ((*NODE, "inputs", 0, "arg"), {"as_tensor": {"name": "relu_1"}},
     "used before it is defined"),
    ((*NODE, "inputs", 1, "arg"), {"as_none": True}, "expected a tensor"),
    ((*GRAPH, "nodes", 1, "outputs"), [{"as_tensor": {"name": "linear"}}],
     "'linear' is defined twice"),
    ((*GRAPH, "outputs", 0), {"as_tensor": {"name": "nowhere"}}, "'nowhere'"),
    ((*TENSORS, "x"), KeyError, "which type the tensor 'x' has"),
    ((*TENSORS, "x", "dtype"), 99, "type 99"),
    ((*TENSORS, "x", "sizes"), [{"as_int": -1}, {"as_int": 6}], r"\[-1, 6\]"),
    ((*TENSORS, "x", "sizes"), [{"as_int": 1 << 40}, {"as_int": 1 << 40}],
     "more than 2147483648 elements"),
    ((*TENSORS, "x", "sizes"), [{"as_int": 1 << 70}], "beyond 64 bits"),
    ((*TENSORS, "x", "strides"), 7, "'x' is 7, expected list"),
    ((*NODE, "inputs", 0, "arg"), {"as_float": 10**400}, "beyond all floats"),
    ((*TENSORS, "x", "sizes"), [{"as_int": 7}, {"as_int": 3}],
     "aten.linear.default at 'fc'"),
    ((*TENSORS, "p_fc_weight"), meta([4, 6], "int64"), "the program says i64"),
    ((*TENSORS, "p_fc_weight"), meta([6, 4]), r"the program says f32\[6, 4\]"),
    ((*TENSORS, "linear"), meta([2, 5]), r"f32\[2, 4\], the program says"),
    (("graph_module", "signature", "input_specs"), [], "0 inputs"),
    (("graph_module", "signature", "input_specs", 0),
     {"parameter": {"arg": {"name": "p"}, "parameter_name": "lost.weight"}},
     "no weight 'lost.weight'"),
    (("graph_module", "signature", "input_specs", 0),
     {"custom_obj": {"arg": {"name": "p"}}}, "kind 'custom_obj'"),
])
def test_programs(tmp_path, path, value, match):
    refused(tmp_path, changed(path, value), match)


@pytest.mark.parametrize("text, match", [
    (b"[1, 2]", "no 'schema_version'"),
    (b'{"schema_version": {"major"', "no JSON"),
    (b"\xff\xfe", "not UTF-8"),
    (b"[" * 100000 + b"]" * 100000, "nested too deep"),
    (b'{"a": ' * 100000 + b"1" + b"}" * 100000, "nested too deep"),
    (b"9" * 10000, "no JSON|no 'schema_version'"),
])
def test_json(tmp_path, text, match):
    entries = network().entries()
    entries["serialized_exported_program.json"] = text
    refused(tmp_path, archive(entries), match)


@pytest.mark.parametrize("target, shape, arguments, match", [
    ("aten.full.default", [1 << 31, 1 << 31],
     {"size": [1 << 31, 1 << 31], "fill_value": 1.0}, "more than 2147483648"),
    ("aten.arange.default", [4], {"end": 1 << 60}, "a range of"),
    ("aten.arange.start_step", [4], {"start": 0, "end": 4, "step": 0}, "by 0"),
    ("aten.eye.default", [4, 4], {"n": 1 << 31}, "eye of"),
    ("aten.linspace.default", [4], {"start": 0, "end": 1, "steps": 1 << 40},
     "linspace"),
])
def test_big_constants_are_not_made(tmp_path, target, shape, arguments, match):
    net = network()
    net.node(target, shape, **arguments)
    refused(tmp_path, archive(net.entries()), match)


@pytest.mark.parametrize("target, arguments, match", [
    ("aten.select.int", {"dim": 0, "index": 9}, "index 9 is outside"),
    ("aten.select.int", {"dim": 5, "index": 0}, "axis 5"),
    ("aten.view.default", {"size": [7, -1]}, "can't have the sizes"),
    ("aten.view.default", {"size": [-1, -1]}, "-1 twice"),
    ("aten.permute.default", {"dims": [0, 0]}, "no permutation"),
    ("aten.slice.Tensor", {"step": 0}, "step of a slice"),
    ("aten.repeat.default", {"repeats": [1 << 40, 1]}, "more than 2147483648"),
    ("aten.cat.default", {"dim": 0, "tensors": []}, "no list of tensors|nothing"),
    ("aten.dropout.default", {"p": 0.5, "train": True}, "export the model after"),
    ("aten.chunk.default", {"chunks": 0}, "0 chunks"),
])
def test_arguments(tmp_path, target, arguments, match):
    net = network()
    first = {} if "tensors" in arguments else (
        {"input": net.outputs[0]} if "dropout" in target else
        {"self": net.outputs[0]})
    net.node(target, [1], **first, **arguments)
    refused(tmp_path, archive(net.entries()), match)


# The weights.


def with_weights(state):
    entries = network().entries()
    if state is None:
        del entries["serialized_state_dict.pt"]
    else:
        entries["serialized_state_dict.pt"] = state
    return archive(entries)


def state(program, data=WEIGHT.tobytes(), **other):
    return archive({"archive/data.pkl": program, "archive/byteorder": b"little",
                    "archive/data/0": data, **other})


FINE = {"fc.weight": ("0", "FloatStorage", 24, 0, (4, 6), (6, 1))}


def tensor(**changes):
    key, kind, count, offset, sizes, strides = FINE["fc.weight"]
    values = dict(key=key, kind=kind, count=count, offset=offset, sizes=sizes,
                  strides=strides)
    values.update(changes)
    return pickled({"fc.weight": tuple(values.values())})


def test_weights_made_by_hand_are_fine(tmp_path):
    (tmp_path / "net.pt2").write_bytes(with_weights(state(tensor())))
    assert qbackend.from_pt2(tmp_path / "net.pt2").text()


def with_attributes(kind=b"torch\nTensor"):
    """As `nn.Buffer` is pickled: a tensor and its attributes."""
    function = b"ctorch._utils\n_rebuild_tensor_v2\n"
    before, made = tensor().split(function)
    return (before + b"ctorch._tensor\n_rebuild_from_type_v2\n(" + function + b"c"
            + kind + b"\n" + made[:-len(b"Ru.")]
            + b"}X\x0a\0\0\0_is_buffer\x88stRu.")


def test_a_tensor_with_attributes(tmp_path):
    for name, program in ("plain.pt2", tensor()), ("buffer.pt2", with_attributes()):
        (tmp_path / name).write_bytes(with_weights(state(program)))
    plain, buffer = (qbackend.from_pt2(tmp_path / name)
                     for name in ("plain.pt2", "buffer.pt2"))
    assert plain.text() == buffer.text()


@pytest.mark.parametrize("data, match", [
    (state(with_attributes(b"torch\nFloatStorage")), "other arguments"),
    (state(with_attributes(b"posix\nsystem")), "names 'posix system'"),
    (None, "no weight 'fc.weight'"),
    (b"", "no weight 'fc.weight'"),
    (b"PK nothing", "no zip archive"),
    (archive({"archive/byteorder": b"little"}), "0 entries data.pkl"),
    (saved([("fc.weight", WEIGHT, None)], b"big"), "byte order 'big'"),
    (state(tensor(), WEIGHT.tobytes()[:-8]), "88 bytes, expected 96"),
    (state(tensor(key="1")), "no entry 'archive/data/1'"),
    (state(tensor(key="../0")), "expected digits"),
    (state(tensor(count=1 << 40)), "96 bytes, expected"),
    (state(tensor(strides=(1 << 20, 1 << 20))), "leave its storage"),
    (state(tensor(offset=1)), "leave its storage"),
    (state(tensor(sizes=(1 << 30, 1 << 30), strides=(0, 0))),
     "the program says|more than"),
    (state(tensor(kind="LongStorage")), "96 bytes, expected 192"),
    (state(tensor(kind="QuantStorage")), "names 'torch QuantStorage'"),
    (state(tensor()[:-20]), "stops in the middle|broken"),
    (state(b"\x80\x02}."), "no weight 'fc.weight'"),
    (state(b"\x80\x02)."), "doesn't hold a dictionary"),
    (state(b"\x80\x02]q\0h\0a."), "opcode b'a'"),
    (state(b"\x80\x02\x85."), "broken"),
    (state(b"\x80\x02}K\1K\1su."), "no mark|broken"),
    (state(b"\x80\x02cposix\nsystem\nX\x05\0\0\0true\n\x85R."),
     "names 'posix system'.*nothing of it was run"),
    (state(b"\x80\x02cbuiltins\neval\n."), "names 'builtins eval'"),
    (state(b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n)R."),
     "other arguments than a tensor has"),
    (state(b"\x80\x02ccollections\nOrderedDict\nK\1\x85R."), "other arguments"),
    (state(b"\x80\x02}(ccollections\nOrderedDict\n)RK\1u."),
     "broken|no string"),
    (state(b"\x80\x02" + b"}0" * 10), "opcode b'0'"),
])
def test_weights(tmp_path, data, match):
    refused(tmp_path, with_weights(data), match)


def test_a_command_in_a_pickle_is_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = b"\x80\x02cposix\nsystem\nX\x0c\0\0\0touch marker\x85R."
    refused(tmp_path, with_weights(state(program)), "posix system")
    # What isn't needed isn't read.
    entries = network().entries()
    entries["serialized_example_inputs.pt"] = state(program)
    entries["extra_files/run.py"] = b"boom"
    (tmp_path / "net.pt2").write_bytes(archive(entries))
    assert qbackend.from_pt2(tmp_path / "net.pt2").text()
    assert not os.path.exists("marker")


@pytest.mark.parametrize("entry, match", [
    ({"use_pickle": True}, "pickled object"),
    ({"path_name": 3}, "no path_name"),
    ({"path_name": "weight_9"}, "no entry"),
    ({"path_name": "../../net/byteorder"}, "no entry"),
    ({"tensor_meta": None}, "no 'dtype'"),
    ({"tensor_meta": {**meta([4, 6]), "strides": [{"as_int": 60}] * 2}},
     "leave its storage"),
    ({"tensor_meta": {**meta([4, 6]), "storage_offset": {"as_int": 1}}},
     "leave its storage"),
    ({"tensor_meta": meta([1] * 33)}, "33 dimensions, expected at most 32"),
    ({"tensor_meta": meta([1 << 60, 0, 8])}, "expected at most .* bytes"),
])
def test_raw_weights(tmp_path, entry, match):
    entries = network().newer_entries()
    name = "net/data/weights/net_weights_config.json"
    table = json.loads(entries[name])
    table["config"]["fc.weight"].update(entry)
    entries[name] = json.dumps(table).encode()
    refused(tmp_path, archive(entries), match)


def test_mutations(tmp_path):
    """Bytes changed anywhere: an error of ours or a module, never another
    exception. Checksums are made to fit, so that what is behind them is met."""
    plain = network().entries()
    choices = random.Random(5)
    path = tmp_path / "net.pt2"
    outcomes = set()
    for name in ("serialized_exported_program.json", "serialized_state_dict.pt"):
        for _ in range(150):
            entries = dict(plain)
            data = bytearray(entries[name])
            if name.endswith(".pt"):
                # Inside of the pickle.
                start = data.index(b"\x80\x02}")
                end = start + len(tensor())
            else:
                start, end = 0, len(data)
            for _ in range(choices.choice((1, 1, 2, 8))):
                data[choices.randrange(start, end)] = choices.randrange(256)
            if name.endswith(".pt"):
                data = bytearray(state(bytes(data[start:end])))
            entries[name] = bytes(data)
            path.write_bytes(archive(entries))
            try:
                qbackend.from_pt2(path).text()
                outcomes.add("module")
            except qbackend.ImportFailure:
                outcomes.add("error")
    assert outcomes == {"module", "error"}


# Pipes.


@pytest.mark.parametrize("read", [qbackend.from_pt2, qbackend.load])
def test_a_pipe_is_read_once(tmp_path, read):
    data = network().save(tmp_path / "net.pt2").read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(data,), daemon=True)
    writer.start()
    text = read(pipe).text()
    writer.join(60)
    assert text.replace("pipe", "net.pt2") == read(tmp_path / "net.pt2").text()
