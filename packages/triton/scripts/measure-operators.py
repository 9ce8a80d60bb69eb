"""Writes src/generated/onnx-operators.ts: the operators that the ONNX Runtime of each release knows.

  python3 packages/triton/scripts/measure-operators.py <folder> 1.16.3 1.17.3 …

Each version of PyPI's onnxruntime is installed into a subfolder of the folder. An operator is known if ONNX Runtime does
not refuse a model that consists of one such node because it lacks the operator. The candidates are all words in the
library.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

DOMAINS = ["", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview", "ai.onnx.preview.training", "com.microsoft", "com.microsoft.nchwc", "com.microsoft.experimental", "com.ms.internal.nhwc", "org.pytorch.aten"]
TARGET = Path(__file__).parent.parent / "src/generated/onnx-operators.ts"


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value % 128 + 128)
        value //= 128
    return bytes(out) + bytes([value])


def field(number, content):
    return varint(number * 8 + 2) + varint(len(content)) + content


def model(domain, name, version):
    node = field(1, b"x") + field(2, b"y") + field(4, name.encode()) + field(7, domain.encode())
    tensor = field(2, field(1, b"\x08\x01" + field(2, b"")))
    graph = field(1, node) + field(2, b"g") + field(11, field(1, b"x") + tensor) + field(12, field(1, b"y") + tensor)
    opsets = field(8, field(1, domain.encode()) + b"\x10" + varint(version))
    if domain != "":
        opsets += field(8, b"\x10" + varint(17))
    return b"\x08\x08" + field(7, graph) + opsets


UNKNOWN = re.compile(r"is not a registered function/op|No Op registered for|is deprecated in domain_version|No opset import for domain|domain_version|No schema registered")


def measure(folder):
    """Prints the operators of the ONNX Runtime in a folder: domain → name → versions."""
    sys.path.insert(0, folder)
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL

    def refusal(domain, name, version):
        try:
            onnxruntime.InferenceSession(model(domain, name, version), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            return str(error)
        return ""

    def newest(domain):
        top = 0
        for version in range(1, 40):
            if "guarantees" not in refusal(domain, "NoSuchOperator", version):
                top = version
        return top

    words = set()
    for library in Path(folder).glob("onnxruntime/capi/*.so*"):
        words |= set(re.findall(rb"(?<![\w.])[A-Z][A-Za-z0-9_]{1,59}(?![\w.])", library.read_bytes()))
    words = sorted(word.decode() for word in words)
    found = {}
    for domain in DOMAINS:
        last = newest(domain) if domain in ("", "ai.onnx.ml") else 1
        probes = sorted({1, 7, 9, last} & set(range(1, last + 1)))
        for name in words:
            if all(UNKNOWN.search(refusal(domain, name, version)) for version in probes):
                continue
            versions = [v for v in range(1, last + 1) if not UNKNOWN.search(refusal(domain, name, v))]
            found.setdefault(domain, {})[name] = versions
    json.dump(found, sys.stdout)


def main(folder, versions):
    measured = {}
    for version in versions:
        minor = int(version.split(".")[1])
        path = Path(folder) / version
        if not path.exists():
            subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", path, f"onnxruntime=={version}", "numpy<2" if minor < 19 else "numpy"], check=True)
        run = subprocess.run([sys.executable, __file__, "--measure", path], check=True, capture_output=True, text=True)
        measured[minor] = json.loads(run.stdout.splitlines()[-1])
        print(version, {domain: len(names) for domain, names in measured[minor].items()}, file=sys.stderr)
    TARGET.write_text(printed(measured))


def printed(measured):
    minors = sorted(measured)
    groups = {}
    for domain in DOMAINS:
        for name in sorted({name for found in measured.values() for name in found.get(domain, {})}):
            ranges = {}
            for minor in minors:
                versions = measured[minor].get(domain, {}).get(name)
                if versions:
                    top = max(v for all in measured[minor].get(domain, {}).values() for v in all)
                    until = None if versions[-1] == top else versions[-1]
                    ranges.setdefault((versions[0], until), []).append(minor)
            # A later ONNX Runtime also has the operators of later versions of the domain.
            for (since, until), having in ranges.items():
                first = None if having[0] == minors[0] or is_new(measured, domain, since, minors, having[0]) else having[0]
                last_one = None if having[-1] == minors[-1] else having[-1]
                groups.setdefault((domain, since, until, first, last_one), []).append(name)
    lines = []
    for (domain, since, until, first, last_one), names in groups.items():
        parts = [f'domain: "{domain}"', f"since: {since}"]
        parts += [f"until: {until}"] if until is not None else []
        parts += [f"firstRuntime: {first}"] if first is not None else []
        parts += [f"lastRuntime: {last_one}"] if last_one is not None else []
        lines.append(f"  {{ {', '.join(parts)}, names: {json.dumps(' '.join(names))} }},")
    return (
        f"// Generated by packages/triton/scripts/measure-operators.py from PyPI onnxruntime 1.{minors[0]} to 1.{minors[-1]}.\n"
        'import type { OperatorGroup } from "../onnx-operators.ts";\n\n'
        "export const onnxOperators: readonly OperatorGroup[] = [\n" + "\n".join(lines) + "\n];\n"
    )


def is_new(measured, domain, since, minors, first):
    """Whether the earlier runtimes lack the operator only because they do not read this version of the domain."""
    before = measured[minors[minors.index(first) - 1]].get(domain, {})
    return since > max((v for all in before.values() for v in all), default=0)


if __name__ == "__main__":
    measure(sys.argv[2]) if sys.argv[1] == "--measure" else main(sys.argv[1], sys.argv[2:])
