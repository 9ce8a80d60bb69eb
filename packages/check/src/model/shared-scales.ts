import type { GraphProto, NodeProto } from "@tritype/onnx";

/**
 * The operators in a graph that use the same scale for all of their rows: dynamic quantization of tensors derived from an input.
 * Source: ONNX `DynamicQuantizeLinear` ("y_scale" is a scalar), ONNX Runtime `com.microsoft.DynamicQuantizeMatMul`.
 */
export const sharedScales = (graph: GraphProto): readonly NodeProto[] => {
  const constants = new Set((graph.initializer ?? []).map(({ name }) => name));
  const inputs = (graph.input ?? []).flatMap(({ name = "" }) => (constants.has(name) ? [] : [name]));
  return visit(graph, new Set(inputs));
};

const scaling = new Set(["DynamicQuantizeLinear", "DynamicQuantizeMatMul"]);
/** Operators whose output depends only on sizes. */
const sizes = new Set(["Shape", "Size"]);

/** `rows` contains the tensors that are derived from an input's rows; the function adds those in this graph. */
const visit = (graph: GraphProto, rows: Set<string>): readonly NodeProto[] =>
  (graph.node ?? []).flatMap((node) => {
    const { input = [], output = [], opType = "", attribute = [] } = node;
    const branches = attribute.flatMap(({ g }) => (g === undefined ? [] : [g]));
    const found = branches.flatMap((branch) => visit(branch, rows));
    const follows = input.some((name) => rows.has(name)) || branches.some((branch) => answers(branch, rows));
    if (follows && !sizes.has(opType)) for (const name of output) if (name !== "") rows.add(name);
    // Only the first input is quantized at run time.
    return scaling.has(opType) && rows.has(input[0] ?? "") ? [...found, node] : found;
  });

const answers = ({ output = [] }: GraphProto, rows: ReadonlySet<string>): boolean =>
  output.some(({ name = "" }) => rows.has(name));
