"""Writes src/generated/onnx-operators.ts: the operators that the ONNX Runtime of each release knows.

  python3 packages/triton/scripts/measure-operators.py <folder> 1.16.3 1.17.3 …

Each version of PyPI's onnxruntime is installed into a subfolder of the folder. An operator is known if ONNX Runtime does
not refuse a model that consists of one such node because it lacks the operator. The candidates are all words in the
oldest and the newest library, and the operators of PyPI's onnx if it is installed.
"""

import json
import re
import sys
from pathlib import Path

from onnx_runtimes import group, installed, run, table

DOMAINS = ["", "ai.onnx.ml", "com.microsoft", "com.microsoft.nchwc", "com.ms.internal.nhwc"]
# Compilers turn short names into instructions, so they are not words of the library. Source: ONNX Runtime's
# docs/ContribOperators.md.
SHORT = """
Attention AttnLSTM BeamSearch BiasAdd BiasDropout BiasGelu BiasSoftmax BiasSplitGelu BitmaskDropout CDist
ComplexMul ComplexMulConj CropAndResize DecoderAttention DequantizeBFP DequantizeLinear EPContext EngramGate
ExpandDims FFT FastGelu FusedConv FusedGemm FusedMatMul GatedAdd GatedDeltaNet GatedRMSNorm GatherND Gelu
GemmFastGelu GemmFloat8 GreedySearch GridSample GroupNorm Inverse Irfft IsAllFinite LinearAttention
MRotaryEmbedding MatMulBnb4 MatMulFpQ4 MatMulInteger16 MatMulNBits MatMulNBitsMlp MatMulNBitsQkv
MaxpoolWithMask MoE MulInteger MurmurHash3 NGramHashMapping NGramRepeatBlock NhwcConv NhwcFusedConv
NhwcMaxPool PackedAttention Pad PagedAttention QAttention QGemm QLinearAdd QLinearConcat QLinearConv
QLinearLeakyRelu QLinearMul QLinearSigmoid QLinearSoftmax QLinearWhere QMoE QOrderedGelu QOrderedMatMul
QuantizeBFP QuantizeLinear QuickGelu Range ReduceSumInteger RemovePadding ReorderInput ReorderOutput
RestorePadding Rfft RotaryEmbedding SampleOp Sampling SkipGroupNorm Snpe SparseAttention Tokenizer
TorchEmbedding TransposeMatMul Trilu UnfoldTensor Unique
""".split()
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


def open_runtime(folder):
    """Returns ONNX Runtime's refusal of a model with one node, and "" if it loads."""
    sys.path.insert(0, folder)
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1

    def refusal(domain, name, version):
        try:
            onnxruntime.InferenceSession(model(domain, name, version), options, providers=["CPUExecutionProvider"])
        except Exception as error:
            return str(error)
        return ""

    return refusal


def newest(refusal, domain):
    if domain not in ("", "ai.onnx.ml"):
        return 1
    return max(v for v in range(1, 40) if "guarantees" not in refusal(domain, "NoSuchOperator", v))


def search(folder):
    """Prints the names that the ONNX Runtime in a folder knows in some version of each domain."""
    refusal = open_runtime(folder)
    words = set(SHORT) | {schema.name for schema in onnx_schemas()}
    for library in Path(folder).glob("onnxruntime/capi/*.so*"):
        found = re.findall(rb"\0([A-Z][A-Za-z0-9_]{1,59})(?=\0)", library.read_bytes())
        # Linkers store a word only once if another one ends with it.
        words |= {word[i:].decode() for word in found for i in range(len(word)) if word[i : i + 1].isupper()}
    known = {}
    for domain in DOMAINS:
        top = newest(refusal, domain)
        probes = sorted({1, min(7, top), min(9, top), top})
        # A node called Constant is an initializer, whatever its domain.
        names = words - {"Constant"} if domain else words
        known[domain] = sorted(
            name
            for name in names
            if any(not UNKNOWN.search(refusal(domain, name, version)) for version in probes)
        )
    json.dump(known, sys.stdout)


def measure(folder, candidates):
    """Prints the versions of each domain in which the ONNX Runtime in a folder knows the candidates."""
    refusal = open_runtime(folder)
    found = {}
    for domain, names in json.loads(Path(candidates).read_text()).items():
        versions = range(1, newest(refusal, domain) + 1)
        for name in names:
            known = [version for version in versions if not UNKNOWN.search(refusal(domain, name, version))]
            if known:
                found.setdefault(domain, {})[name] = known
    json.dump(found, sys.stdout)


def onnx_schemas():
    """PyPI's onnx knows names that are too short to be found in a library."""
    try:
        from onnx.defs import get_all_schemas_with_history
    except ImportError:
        return []
    return get_all_schemas_with_history()


def main(folder, versions):
    folders = installed(folder, versions)
    candidates = {domain: set() for domain in DOMAINS}
    for minor in {min(folders), max(folders)}:
        for domain, names in run(__file__, "--search", folders[minor]).items():
            candidates[domain] |= set(names)
    file = Path(folder) / "candidates.json"
    file.write_text(json.dumps({domain: sorted(names) for domain, names in candidates.items()}))
    measured = {minor: run(__file__, "--measure", path, file) for minor, path in folders.items()}
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
        lines.append(group(f'domain: "{domain}"', since, until, first, last_one, names))
    return table(__file__, minors, ("onnxOperators", "OperatorGroup", "../operator-group.ts"), lines)


def is_new(measured, domain, since, minors, first):
    """Whether the earlier runtimes lack the operator only because they do not read this version of the domain."""
    before = measured[minors[minors.index(first) - 1]].get(domain, {})
    return since > max((v for all in before.values() for v in all), default=0)


if __name__ == "__main__":
    {"--search": search, "--measure": measure}.get(sys.argv[1], lambda *_: main(sys.argv[1], sys.argv[2:]))(*sys.argv[2:])
