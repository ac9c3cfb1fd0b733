# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Talks to qbackend-lsp-server as an editor does, and prints what it answers."""

import json
import subprocess

START = """#types = #qbackend.dtype_config<input = <ui8>, output = <ui8>>
qbackend.backend_config @npu version 2 default_qconfig @m {
  qbackend.pattern_config [linear] <dtypes = [#types]>
  qbackend.qconfig_mapping @m {
    qbackend.qconfig global <activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
  }
}
"""


class Server:
    def __init__(self):
        self.process = subprocess.Popen(["qbackend-lsp-server"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count = 0
        self.notes = []
        self.ask("initialize", processId=None, rootUri=None, capabilities={})

    def send(self, method, **message):
        text = json.dumps({"jsonrpc": "2.0", "method": method, **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the server has ended"
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, **parameters):
        self.count += 1
        self.send(method, id=self.count, params=parameters)
        while (answer := self.receive()).get("id") != self.count:
            self.notes.append(answer)
        return answer["result"]

    def open(self, name, text):
        uri = f"file:///tmp/{name}.mlir"
        self.notes.clear()
        self.send("textDocument/didOpen", params={"textDocument": {
            "uri": uri, "languageId": "mlir", "version": 1, "text": text}})
        return uri

    def close(self):
        self.ask("shutdown")
        self.send("exit", params={})
        self.process.wait(timeout=60)


def position(text, before):
    """Where an editor's cursor is behind `before`."""
    head = text[: text.index(before) + len(before)]
    return {"line": head.count("\n"), "character": len(head.rpartition("\n")[2])}


def complete(server, name, text, before):
    uri = server.open(name, text)
    found = server.ask("textDocument/completion", textDocument={"uri": uri},
                       position=position(text, before))
    return sorted(item["label"] for item in found["items"])


server = Server()
wrong = START.replace("histogram", "histogramm")
uri = server.open("wrong", wrong)
# Anything that is answered is answered after what is said about the text.
server.ask("textDocument/hover", textDocument={"uri": uri},
           position={"line": 0, "character": 0})
for note in server.notes:
    for said in note.get("params", {}).get("diagnostics", []):
        print("error:", said["message"])
print("observers:", *complete(server, "observer", START, "activation = <"))
print("schemes:", *complete(server, "scheme", START, "si8, "))
print("kinds:", *complete(server, "kind", START, "pattern_config ["))
uri = server.open("sound", START)
found = server.ask("textDocument/hover", textDocument={"uri": uri},
                   position=position(START, "qbackend.qconfig_map"))
print("hover:", json.dumps(found["contents"]["value"]))
server.close()
