import { inBackticks, remembered } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { ModelContext } from "../../model-context.ts";
import { completeForGraph, failsToComplete } from "../../completion/complete-onnx.ts";
import { type GraphTensor, type OnnxGraph, onnxFiles } from "../../model/onnx-file.ts";

/** A served version of a model for the ONNX Runtime backend, with the configuration that its graph must match. */
export interface JudgedGraph {
  /** The file, relative to the model's folder. */
  readonly path: string;
  readonly graph: OnnxGraph;
  /** Completed from this graph. */
  readonly config: ModelConfig;
}

/** Versions with a readable graph and working completion; the others have their own diagnostics. */
export const judgedGraphs: (model: ModelContext) => readonly JudgedGraph[] = remembered((model) =>
  onnxFiles(model).flatMap(({ path, found }) =>
    found.kind === "graph" && !failsToComplete(model, found.graph)
      ? [{ path, graph: found.graph, config: completeForGraph(model, found.graph) }]
      : [],
  ),
);

/** An `input` or `output` row and the tensor with the same name. */
export interface MatchedRow {
  readonly side: "input" | "output";
  readonly index: number;
  readonly name: string;
  readonly dataType: string;
  /** The dims that the backend compares: `reshape.shape` if it is set. */
  readonly dims: readonly number[];
  readonly optional: boolean;
  readonly ragged: boolean;
  readonly tensor: GraphTensor | undefined;
}

export const matchedRows = ({ config, graph }: JudgedGraph): readonly MatchedRow[] => {
  const inputs = new Map([...graph.inputs, ...graph.overridable].map((tensor) => [tensor.name, tensor]));
  const outputs = new Map(graph.outputs.map((tensor) => [tensor.name, tensor]));
  return [
    ...(config.input ?? []).map((row, index) => ({
      ...rowOf(row),
      side: "input" as const,
      index,
      optional: row.optional === true,
      ragged: row.allow_ragged_batch === true,
      tensor: inputs.get(row.name ?? ""),
    })),
    ...(config.output ?? []).map((row, index) => ({
      ...rowOf(row),
      side: "output" as const,
      index,
      optional: false,
      ragged: false,
      tensor: outputs.get(row.name ?? ""),
    })),
  ];
};

type ConfigRow = NonNullable<ModelConfig["output"]>[number];

const rowOf = ({ name = "", data_type = "TYPE_INVALID", dims = [], reshape }: ConfigRow) => ({
  name,
  // An enum written as a number stays a number.
  dataType: (data_type as string | number).toString(),
  dims: reshape === undefined ? dims : (reshape.shape ?? []),
});

/** `FP32[-1, 4]`: the form in which the model itself would have to declare it. */
export const showRow = ({ dataType, dims }: MatchedRow, maxBatchSize: number): string =>
  `${dataType.replace("TYPE_", "").replace("STRING", "BYTES")}[${[...(maxBatchSize > 0 ? [-1] : []), ...dims].join(", ")}]`;

/** Names for a sentence, such as `` `a`, `b` ``; "none" for an empty list. */
export const showNames = (tensors: readonly GraphTensor[]): string =>
  tensors.length === 0 ? "none" : inBackticks(tensors.map(({ name }) => name));
