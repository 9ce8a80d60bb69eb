"""Writes src/generated/onnx-kernels.ts: the element types for which the ONNX Runtime of each release lacks CPU kernels.

  python3 packages/triton/scripts/measure-kernels.py <folder> 1.16.3 1.17.3 …

Each version of PyPI's onnxruntime is installed into a subfolder of the folder; PyPI's onnx must be installed. The candidates
are the types that an operator's schema allows for an input, and that none of its CPU kernels accepts. ONNX Runtime must
refuse a model that consists of one such node. FP16 and BF16 are left out, because ONNX Runtime inserts casts.
"""

import json
import sys
from pathlib import Path

from onnx_runtimes import group, installed, run, table

TYPES = {
    "tensor(float)": ("FP32", 1), "tensor(uint8)": ("UINT8", 2), "tensor(int8)": ("INT8", 3),
    "tensor(uint16)": ("UINT16", 4), "tensor(int16)": ("INT16", 5), "tensor(int32)": ("INT32", 6),
    "tensor(int64)": ("INT64", 7), "tensor(string)": ("BYTES", 8), "tensor(bool)": ("BOOL", 9),
    "tensor(double)": ("FP64", 11), "tensor(uint32)": ("UINT32", 12), "tensor(uint64)": ("UINT64", 13),
}
OLDEST = 7
TARGET = Path(__file__).parent.parent / "src/generated/onnx-kernels.ts"


def allowed(schema, parameter):
    constraints = (one for one in schema.type_constraints if one.type_param_str == parameter)
    return next((set(one.allowed_type_strs) for one in constraints), {parameter})


def positions(schema):
    """Type parameter -> the positions of the inputs that have it; `2+` stands for 2 and all later ones."""
    found = {}
    for i, port in enumerate(schema.inputs):
        if not str(port.option).endswith("Variadic"):
            found.setdefault(port.typeStr, []).append(str(i))
        elif port.isHomogeneous:
            found.setdefault(port.typeStr, []).append(f"{i}+")
    return found


def accepted(schema, parameter, kernel):
    """The types that a kernel accepts; without a kernel, those that the schema allows."""
    of_schema = allowed(schema, parameter)
    return of_schema if kernel is None else of_schema & set(kernel.type_constraints.get(parameter, of_schema))


def one_node(schema, version, parameter, given, kernel):
    """A model with one node, whose inputs with the type parameter have the given type; the kernel accepts the types of the others."""
    from onnx import TypeProto, helper

    at = next(i for i, port in enumerate(schema.inputs) if port.typeStr == parameter)
    inputs = []
    for i, port in enumerate(schema.inputs[: max(schema.min_input, at + 1)]):
        kind = given if port.typeStr == parameter else min(accepted(schema, port.typeStr, kernel) & set(TYPES))
        inputs.append(helper.make_tensor_value_info(f"i{i}", TYPES[kind][1], None))
    outputs = [f"o{i}" for i in range(max(schema.min_output, 1))]
    node = helper.make_node(schema.name, [one.name for one in inputs], outputs)
    values = {"ints": [1, 1], "int": 1, "float": 1.0, "string": "a->a" if schema.name == "Einsum" else "a"}
    for name, attribute in schema.attributes.items():
        kind = str(attribute.type).split(".")[-1].lower()
        if attribute.required and kind in values:
            node.attribute.append(helper.make_attribute(name, values[kind]))
    graph = helper.make_graph([node], "g", inputs, [helper.make_value_info(one, TypeProto()) for one in outputs])
    opsets = [helper.make_opsetid("", version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def is_refused(onnxruntime, schema, version, parameter, kind, kernel):
    try:
        model = one_node(schema, version, parameter, kind, kernel)
        onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        return False
    except Exception as error:
        return "Could not find an implementation" in str(error)


def measure(folder):
    """Prints the newest opset, and [operator, inputs, opset, type] for each missing kernel."""
    sys.path.insert(0, folder)
    import onnxruntime
    from onnxruntime.capi import _pybind_state as library

    onnxruntime.set_default_logger_severity(4)
    schemas, kernels = {}, {}
    for schema in library.get_all_operator_schema():
        if schema.domain == "":
            schemas.setdefault(schema.name, []).append(schema)
    for kernel in library.get_all_opkernel_def():
        if kernel.provider == "CPUExecutionProvider" and kernel.domain == "":
            kernels.setdefault(kernel.op_name, []).append(kernel)
    newest = max(schema.since_version for all in schemas.values() for schema in all)
    missing = []
    for name, all in sorted(schemas.items()):
        for version in range(OLDEST, newest + 1):
            schema = max((s for s in all if s.since_version <= version), key=lambda s: s.since_version, default=None)
            if schema is None or schema.deprecated or not schema.inputs:
                continue
            own = [one for one in kernels.get(name, []) if one.version_range[0] <= schema.since_version <= one.version_range[1]]
            for parameter, inputs in positions(schema).items():
                having = set().union(*(accepted(schema, parameter, kernel) for kernel in own))
                for kind in sorted((allowed(schema, parameter) - having) & set(TYPES)):
                    if is_refused(onnxruntime, schema, version, parameter, kind, own[0] if own else None):
                        missing.append((name, " ".join(inputs), version, TYPES[kind][0]))
    # Schemas of versions under development are there too, but ONNX Runtime refuses them.
    print(json.dumps([max(version for _, _, version, _ in missing), missing]))


def main(folder, versions):
    paths = installed(folder, versions)
    TARGET.write_text(printed({minor: run(__file__, "--measure", path) for minor, path in paths.items()}))


def printed(measured):
    minors = sorted(measured)
    top = max(newest for newest, _ in measured.values())
    runtimes = {}
    for minor in minors:
        for name, inputs, version, dtype in measured[minor][1]:
            runtimes.setdefault((name, inputs, dtype), {}).setdefault(version, []).append(minor)
    ranges = {}
    for key, versions in runtimes.items():
        for version, having in sorted(versions.items()):
            readers = [minor for minor in minors if measured[minor][0] >= version]
            limits = (None if having[0] == readers[0] else having[0], None if having[-1] == minors[-1] else having[-1])
            parts = ranges.setdefault(key, [])
            if parts and parts[-1][1] == version - 1 and parts[-1][2] == limits:
                parts[-1] = (parts[-1][0], version, limits)
            else:
                parts.append((version, version, limits))
    dtypes = {}
    for (name, inputs, dtype), parts in ranges.items():
        for part in parts:
            dtypes.setdefault((name, inputs, part), []).append(dtype)
    groups = {}
    for (name, inputs, part), kinds in dtypes.items():
        groups.setdefault((" ".join(sorted(kinds)), inputs, part), []).append(name)
    lines = []
    for (kinds, inputs, (since, until, (first, last))), names in sorted(groups.items(), key=lambda one: (*one[0][:2], one[0][2][:2])):
        head = f'dtypes: "{kinds}"' if inputs == "0" else f'dtypes: "{kinds}", inputs: "{inputs}"'
        lines.append(group(head, since, None if until == top else until, first, last, names))
    return table(__file__, minors, ("missingKernels", "KernelGroup", "../kernel-group.ts"), lines)


if __name__ == "__main__":
    {"--measure": measure}.get(sys.argv[1], lambda *_: main(sys.argv[1], sys.argv[2:]))(*sys.argv[2:])
