# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The body of a function in the generic form, and other texts that mean the same."""

import importlib.util
import pathlib
import re

_spec = importlib.util.spec_from_file_location("qbackend_reduce", pathlib.Path(
    __file__).resolve().parents[2] / "utils" / "qbackend-reduce.py")
reducer = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reducer)

CONSTANTS = reducer.CONSTANTS


class Variants(reducer.Body):
    def shuffled(self, rng):
        """Ops in another order, each after its operands."""
        known, waiting, order = set(self.arguments), list(self.statements), []
        inside = {name for s in self.statements for name in s.uses
                  if name not in self.types}
        while waiting:
            ready = [s for s in waiting if s.uses <= known | inside]
            chosen = rng.choice(ready)
            waiting.remove(chosen)
            known.add(chosen.result)
            order.append(chosen)
        return self.write(order)

    def split(self, rng):
        """Two private functions, of which the second one is given what it uses of
        the first. Constants are in both."""
        at = rng.randrange(len(self.statements) + 1)
        constants = [s for s in self.statements if s.op in CONSTANTS]
        names = {s.result for s in constants}
        first, second = ([s for s in part if s.op not in CONSTANTS] for part in
                         (self.statements[:at], self.statements[at:]))
        made = {s.result for s in first if s.result}
        used = self.end.uses.union(*(s.uses for s in second)) & set(self.types)
        passed = sorted((made | set(self.arguments)) & used - names)
        given = sorted(made & used)

        def types(values):
            return ", ".join(self.types[v] for v in values)

        def function(name, values, statements, end, results):
            body = "\n".join(s.text for s in [*constants, *statements])
            heads = ", ".join(f"{v}: {self.types[v]}" for v in values)
            return (f'  func.func private @{name}({heads}) -> ({results}) {{\n{body}\n'
                    f"    {end}\n  }}\n")

        results = self.end.text.rpartition(" : (")[2].rpartition(") -> ()")[0]
        values = re.search(r'"func.return"\((.*?)\)', self.end.text)[1]
        calls = []
        if given:
            calls.append(f"    %first:{len(given)} = func.call @first("
                         f"{', '.join(self.arguments)}) : ({types(self.arguments)}) -> "
                         f"({types(given)})")
        operands = [f"%first#{given.index(v)}" if v in given else v for v in passed]
        count = len(values.split(", "))
        calls.append(f"    %second:{count} = func.call @second({', '.join(operands)}) : "
                     f"({types(passed)}) -> ({results})")
        end = ", ".join(f"%second#{i}" for i in range(count))
        main = self.write(calls, f'    "func.return"({end}) : ({results}) -> ()')
        inner = function("second", passed, second, f"return {values} : {results}",
                         results)
        if given:
            inner += function("first", self.arguments, first,
                              f"return {', '.join(given)} : {types(given)}",
                              types(given))
        lines = main.rstrip().split("\n")
        return "\n".join([*lines[:-1], inner.rstrip(), lines[-1], ""])

    def there_and_back(self, rng, write, share=0.3):
        """`write(value, type, fresh)` are ops on some values that end in the same,
        which what follows uses."""
        renamed, order = {}, []

        def place(name, kind):
            if not re.fullmatch(r"tensor<(\d+x)+f32>", kind) or rng.random() > share:
                return
            lines, last = write(name, kind, f"%back{len(order)}_")
            order.extend(f"    {line}" for line in lines)
            renamed[name] = last

        for name, kind in self.arguments.items():
            place(name, kind)
        for statement in self.statements:
            order.append(rename(statement.text, renamed))
            if statement.result and statement.op not in (*CONSTANTS, "linalg.fill"):
                place(statement.result, statement.type)
        return self.write(order, rename(self.end.text, renamed))

    def transposed(self, rng, dialect):
        def write(name, kind, fresh):
            shape = re.findall(r"\d+(?=x)", kind)
            permutation = rng.sample(range(len(shape)), len(shape))
            inverse = [permutation.index(i) for i in range(len(shape))]
            moved = f"tensor<{'x'.join(shape[i] for i in permutation)}xf32>"
            if dialect == "tosa":
                def one(result, value, perms, a, b):
                    return [f"{result} = tosa.transpose {value} {{perms = array<i32: "
                            f"{', '.join(map(str, perms))}>}} : ({a}) -> {b}"]
            else:
                def one(result, value, perms, a, b):
                    return [f"{result}e = tensor.empty() : {b}",
                            f"{result} = linalg.transpose ins({value} : {a}) "
                            f"outs({result}e : {b}) permutation = {perms}"]
            return (one(fresh + "a", name, permutation, kind, moved) +
                    one(fresh + "b", fresh + "a", inverse, moved, kind)), fresh + "b"

        return self.there_and_back(rng, write)

    def casted(self, rng):
        def write(name, kind, fresh):
            shape = re.findall(r"\d+(?=x)", kind)
            dims = "x".join(rng.choice(["?", n]) for n in shape)
            unknown = f"tensor<{dims}xf32>"
            return [f"{fresh}a = tensor.cast {name} : {kind} to {unknown}",
                    f"{fresh}b = tensor.cast {fresh}a : {unknown} to {kind}"], \
                fresh + "b"

        return self.there_and_back(rng, write)


def rename(text, names):
    return re.sub(r"%\w+", lambda m: names.get(m[0], m[0]), text)
