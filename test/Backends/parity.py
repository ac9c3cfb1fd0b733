# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compare a backend with PyTorch's own data, in both directions.

usage: parity.py REFERENCE.json TO_JSON.json

REFERENCE is a dump of PyTorch's objects: `patterns` in the order of its
registry, dtype configs by name. TO_JSON is what `qbackend-config to-json`
prints. Entry by entry, every field has to be the same, and neither side may
have one that the other lacks; so has the order of the entries.

The reference only knows whether there is a root-node and an extra-inputs getter
(the callables have no form in JSON), so that is what is compared of them.
"""

import json
import sys

ROLES = ["input", "output", "weight"]
SAME = [
    "observation_type",
    "root_module",
    "qat_module",
    "fused_module",
    "fuser_method",
    "num_tensor_args_to_observation_type",
    "input_type_to_index",
]


def expected_entry(entry, table):
    """An entry of the reference as `to_dict` has it."""
    result = {name: entry[name] for name in SAME if name in entry}
    if entry["pattern"] is None:
        result["pattern_complex_format"] = entry["pattern_complex"]
    else:
        result["pattern"] = entry["pattern"]
    result["dtype_configs"] = []
    for name in entry["dtype_configs"]:
        config = table[name]
        fields = {
            f"{role}_dtype": config[role] for role in ROLES if role in config
        }
        if "bias" in config:
            fields["bias_dtype"] = config["bias"]["dtype"]
        if config["is_dynamic"]:
            fields["is_dynamic"] = True
        result["dtype_configs"].append(fields)
    if "reference_quantized_module" in entry:
        result["reference_quantized_module_for_root"] = entry[
            "reference_quantized_module"
        ]
    for getter in ["root_node_getter", "extra_inputs_getter"]:
        if entry.get(f"has_{getter}"):
            result[getter] = True
    return result


def found_entry(entry):
    result = dict(entry)
    for getter in ["root_node_getter", "extra_inputs_getter"]:
        if getter in result:
            assert isinstance(result[getter], list)
            result[getter] = True
    return result


def main():
    with open(sys.argv[1]) as file:
        reference = json.load(file)
    with open(sys.argv[2]) as file:
        document = json.load(file)
    expected = [
        expected_entry(entry, reference["dtype_configs"])
        for entry in reference["patterns"]
    ]
    found = [found_entry(entry) for entry in document["configs"]]
    errors = []
    if document["name"] != reference["name"]:
        errors.append(f"name is {document['name']}")
    equal = 0
    for i in range(max(len(expected), len(found))):
        theirs = expected[i] if i < len(expected) else {}
        ours = found[i] if i < len(found) else {}
        fields = sorted(set(theirs) | set(ours))
        differences = [
            f"entry {i}: {field} is {ours.get(field)}, "
            f"in PyTorch {theirs.get(field)}"
            for field in fields
            if ours.get(field) != theirs.get(field)
        ]
        errors += differences
        equal += not differences
    for error in errors:
        print(error)
    print(f"{document['name']}: {equal} entries equal, {len(errors)} differences")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
