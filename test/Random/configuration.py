# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A backend's patterns, read from its text, and torch.ao's rules about them.

This is on purpose no use of the project's own code: it says what that has to
decide.
"""

import dataclasses
import re


def expand_aliases(text):
    """`text` without its attribute aliases."""
    aliases = {}

    def expand(part):
        return re.sub(r"#[A-Za-z_][\w$]*(?![\w.<$])",
                      lambda m: aliases.get(m[0], m[0]), part)

    body = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    for name, value in re.findall(
            r"^(#[A-Za-z_][\w$]*) =\s*(.*?)(?=^#|^module|^qbackend|^func|\Z)", body,
            re.M | re.S):
        aliases[name] = expand(" ".join(value.split()))
    rest = re.sub(r"^#[A-Za-z_][\w$]* =.*?(?=^#|^module|^qbackend|^func|\Z)", "",
                  body, flags=re.M | re.S)
    return expand(rest)


def balanced(text, start):
    """What is between the bracket at `start` and the one that closes it."""
    depth = 0
    pairs = {"<": ">", "(": ")", "[": "]", "{": "}"}
    for i in range(start, len(text)):
        if text[i] in pairs:
            depth += 1
        elif text[i] in pairs.values() and text[i - 1] != "-":
            depth -= 1
            if depth == 0:
                return text[start + 1:i]
    raise ValueError(text[start:start + 80])


def fields(text):
    """`a, k = v, ...` as a list of the bare ones and a dict of the others."""
    parts, depth, current = [], 0, ""
    for i, c in enumerate(text):
        if c in "<([{":
            depth += 1
        elif c in ">)]}" and text[i - 1] != "-":
            depth -= 1
        if c == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += c
    parts.append(current)
    bare, named = [], {}
    for part in (p.strip() for p in parts):
        key, equals, value = part.partition(" = ")
        if equals and re.fullmatch(r"\w+", key):
            named[key] = value.strip()
        elif part:
            bare.append(part)
    return bare, named


@dataclasses.dataclass
class DType:
    """`<ui8, quant_min = 0, ...>` of a dtype config."""

    dtype: str
    limits: dict

    @staticmethod
    def of(text):
        bare, named = fields(balanced(text, text.index("<")))
        return DType(bare[0], named)


@dataclasses.dataclass
class Observer:
    """`<min_max, ui8, per_tensor_symmetric, eps = ...>` of a qconfig."""

    kind: str
    dtype: str
    scheme: str
    options: dict

    @staticmethod
    def of(text):
        bare, named = fields(balanced(text, text.index("<")))
        scheme = bare[2] if len(bare) > 2 else "per_tensor_affine"
        return Observer(bare[0], bare[1], scheme, named)

    @property
    def is_dynamic(self):
        return self.options.get("is_dynamic") == "true"

    def range(self):
        signed, width = self.dtype[0] == "s", int(self.dtype[2:])
        low, high = ((-(1 << width - 1), (1 << width - 1) - 1) if signed else
                     (0, (1 << width) - 1))
        if "quant_min" in self.options:
            low, high = int(self.options["quant_min"]), int(self.options["quant_max"])
        if self.options.get("reduce_range") == "true":
            low, high = low // 2, high // 2
        return low, high


@dataclasses.dataclass
class QConfig:
    activation: Observer
    weight: Observer

    @staticmethod
    def of(text):
        _, named = fields(text)
        return QConfig(Observer.of(named["activation"]),
                       Observer.of(named["weight"]))

    @property
    def is_static(self):
        return (re.fullmatch(r"[us]i\d+", self.activation.dtype) is not None and
                not self.activation.is_dynamic and
                self.activation.kind != "placeholder")


@dataclasses.dataclass
class Pattern:
    kinds: list
    fused: list
    dtypes: list
    observation: str
    by_count: dict
    #: What `qbackend.edges` says; None without it.
    edges: dict = None

    def observes_input(self, number):
        """Whether an input of the operator has an observer."""
        if self.edges is None:
            return True
        specs = fields(balanced(self.edges.get("inputs", "[none]"), 0))[0]
        return specs[min(number, len(specs) - 1)] != "none"

    @property
    def observes_result(self):
        return self.edges is None or self.edges.get("output", "none") != "none"

    def observation_for(self, tensors):
        if self.by_count:
            return self.by_count.get(str(tensors))
        return self.observation


def violates(limit, observer):
    """Whether `observer` is not what a dtype config wants, all of it."""
    if limit.dtype != observer.dtype:
        return True
    if not re.fullmatch(r"[us]i\d+", observer.dtype) or \
            observer.kind == "placeholder":
        return False
    wanted = limit.limits
    if "qschemes" in wanted and f'"{observer.scheme}"' not in wanted["qschemes"]:
        return True
    low, high = observer.range()
    if "quant_min" in wanted and "quant_max" in wanted and (
            low < int(wanted["quant_min"]) or high > int(wanted["quant_max"])):
        return True
    fixed = observer.kind == "fixed_qparams"
    if "scale_min" in wanted and not fixed and \
            float(observer.options.get("eps", 2**-23)) < float(wanted["scale_min"]):
        return True
    if "scale_exact_match" in wanted and "zero_point_exact_match" in wanted:
        return not fixed or (
            float(observer.options["scale"]) != float(wanted["scale_exact_match"]) or
            int(observer.options["zero_point"]) != int(wanted["zero_point_exact_match"]))
    return False


def accepts(config, qconfig, has_weight, has_bias):
    """Whether a dtype config of a pattern fits a qconfig."""
    activation = qconfig.activation
    if "input" in config:
        if (config.get("is_dynamic") == "true") != activation.is_dynamic:
            return False
        if violates(DType.of(config["input"]), activation):
            return False
    if has_weight and "weight" in config and \
            violates(DType.of(config["weight"]), qconfig.weight):
        return False
    if has_bias and config.get("bias", "f32") not in ("f32",) and not (
            config["bias"] == "f16" and activation.dtype == "f16"):
        return False
    if "output" in config and not activation.is_dynamic:
        return not violates(DType.of(config["output"]), activation)
    return True


def global_activation(mapping):
    """The activation's observer of the global entry of a mapping; None."""
    start = mapping.find("qbackend.qconfig global <")
    if start < 0:
        return None
    return QConfig.of(balanced(mapping, mapping.index("<", start))).activation


SHUFFLES = (["channel_shuffle"], ["pixel_shuffle"], ["pixel_unshuffle"])


class Backend:
    def __init__(self, name, text):
        self.name, self.patterns, self.mappings = name, [], {}
        text = " ".join(expand_aliases(text).split())
        for match in re.finditer(r"qbackend\.pattern_config ([^<]*?) <", text):
            body = balanced(text, match.end() - 1)
            _, named = fields(body)
            attributes = text[match.end() + len(body) + 1:].lstrip()
            edges = re.match(r"\{[^{}]*#qbackend\.edges(?=<)", attributes)
            edges = edges and fields(balanced(attributes, edges.end()))[1]
            kinds = re.findall(r"[\w.]+", match[1].replace('"', ""))
            if "(" in match[1]:
                # The tree's names from the inside out, wildcards left out.
                kinds = self._post_order(match[1])
            fused = re.findall(r'"(\w+)"', named.get("fused_operator", ""))
            by_count = dict(re.findall(r'"(\d+)" = "(\w+)"', named.get(
                "num_tensor_args_to_observation_type", "")))
            dtypes = [fields(balanced(named["dtypes"], m.end() - 1))[1]
                      for m in re.finditer(r"#qbackend\.dtype_config<",
                                           named.get("dtypes", ""))]
            self.patterns.append(Pattern(
                kinds, fused or self._folded(kinds, named), dtypes,
                named.get("observation", "output_use_different_observer_as_input"),
                by_count, edges))
        for match in re.finditer(r"qbackend\.qconfig_mapping @(\w+) {", text):
            self.mappings[match[1]] = balanced(text, match.end() - 1)

    @staticmethod
    def _post_order(text):
        kinds, pending = [], []
        for token in re.findall(r"[\w.]+\(?|\)", text):
            if token.endswith("("):
                pending.append(token[:-1])
            elif token == ")":
                kinds.append(pending.pop())
            elif re.match(r"[a-z]", token):
                kinds.append(token)
        return kinds

    @staticmethod
    def _folded(kinds, named):
        """The kinds without the batch norm that a fuser method folds."""
        method = named.get("fuser_method", "")
        if "bn" in method:
            return [k for k in kinds if not k.startswith("batch_norm")]
        return kinds

    def candidates(self, kinds):
        found = ([p for p in self.patterns if p.kinds == kinds] or
                 [p for p in self.patterns if p.fused == kinds])
        # A shuffle is the movements that it is made of.
        if not found and kinds in SHUFFLES and self.candidates(["transpose"]):
            return self.candidates(["reshape"])
        return found

    def supporting(self, kinds, qconfig, has_weight, has_bias):
        """The first pattern with a dtype config that fits; None."""
        for pattern in self.candidates(kinds):
            for config in pattern.dtypes:
                if accepts(config, qconfig, has_weight, has_bias):
                    return pattern, config
        return None
