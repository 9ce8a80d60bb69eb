import { modelRule, type Rule } from "../../rule.ts";
import { type JudgedGraph, judgedGraphs, type MatchedRow, matchedRows, showRow } from "./judged-graphs.ts";
import { type GraphTensor, shapeText, showTensor } from "../../model/onnx-file.ts";

interface ComparedRow extends MatchedRow {
  readonly tensor: GraphTensor;
  readonly maxBatchSize: number;
  readonly path: string;
}

/** Rows whose dims the backend compares; excludes ragged inputs, and outputs that a batch output splits. */
const comparedRows = (judged: JudgedGraph): readonly ComparedRow[] => {
  const { config, path } = judged;
  const cutUp = new Set((config.batch_output ?? []).flatMap(({ target_name = [] }) => target_name));
  return matchedRows(judged).flatMap((row) => {
    const { tensor, ragged, side, name } = row;
    if (tensor === undefined || ragged || (side === "output" && cutUp.has(name))) return [];
    return [{ ...row, tensor, maxBatchSize: config.max_batch_size ?? 0, path }];
  });
};

const batchDimension = modelRule(
  {
    code: "onnx-model/no-batch-dimension",
    disputesTensors: true,
    triton: ["61"],
    judged: "recorded",
    words:
      "model '{model}', tensor '{tensor}': for the model to support batching the shape should have at least 1 dimension and the first dimension must be -1; but shape expected by the model is {shape:shape}",
    message:
      "`{model}` has max_batch_size {size}, but {side} `{tensor}` is {actual} in `{file}`: its first dimension is fixed",
    help: "export the model with a dynamic first axis, or set max_batch_size to 0 and list the first dimension in dims",
    reason:
      "Triton puts the requests of a batch into the first dimension, so the graph must leave its size open.",
  },
  (model, report) => {
    for (const judged of judgedGraphs(model))
      for (const { side, name, tensor, maxBatchSize, path } of comparedRows(judged))
        if (maxBatchSize > 0 && tensor.dims.length > 0 && tensor.dims[0] !== -1)
          report(model.at(["max_batch_size"], "enables batching"), {
            size: maxBatchSize,
            side,
            tensor: name,
            actual: showTensor(tensor),
            shape: shapeText(tensor.dims),
            file: path,
          });
  },
);

const shape = modelRule(
  {
    code: "onnx-model/wrong-shape",
    disputesTensors: true,
    triton: ["60"],
    judged: "recorded",
    words: {
      batched:
        "model '{model}', tensor '{tensor}': the model expects {rank:n} dimensions (shape {shape:shape}) but the model configuration specifies {configured:n} dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape {found:shape})",
      alone:
        "model '{model}', tensor '{tensor}': the model expects {rank:n} dimensions (shape {shape:shape}) but the model configuration specifies {configured:n} dimensions (shape {found:shape})",
    },
    message: "{side} `{tensor}` of `{model}` is {expected} in the configuration, but {actual} in `{file}`",
    help: "write the graph's sizes; with max_batch_size > 0, dims omit the first one",
    reason:
      "An input's size must match the graph's where the graph fixes it; an output's size must always match, including -1.",
  },
  (model, report) => {
    for (const judged of judgedGraphs(model))
      for (const row of comparedRows(judged)) {
        const { side, index, name, tensor, maxBatchSize, path } = row;
        if (tensor.dims.length === 0 || fits(row)) continue;
        const expected = showRow(row, maxBatchSize);
        const full = maxBatchSize > 0 ? [-1, ...row.dims] : row.dims;
        report(model.at([side, index, "dims"], expected), {
          side,
          tensor: name,
          expected,
          actual: showTensor(tensor),
          file: path,
          rank: tensor.dims.length,
          shape: shapeText(tensor.dims),
          configured: full.length,
          found: shapeText(full),
          words: maxBatchSize > 0 ? "batched" : "alone",
        });
      }
  },
);

/** A fixed first dimension has its own diagnostic. */
const fits = ({ side, dims, tensor, maxBatchSize }: ComparedRow): boolean => {
  if (maxBatchSize > 0 && tensor.dims[0] !== -1) return true;
  const full = maxBatchSize > 0 ? [-1, ...dims] : dims;
  return (
    full.length === tensor.dims.length &&
    tensor.dims.every((dim, i) => dim === full[i] || (dim === -1 && side === "input"))
  );
};

const scalar = modelRule(
  {
    code: "onnx-model/scalar-shape",
    disputesTensors: true,
    triton: ["62"],
    judged: "recorded",
    words:
      "unable to load model '{model}', scalar tensor '{tensor}', should only provide 1 in the model configuration when the model doesn't support batching. Model configuration provided: {found:shape}.",
    message:
      "{side} `{tensor}` of `{model}` is {expected} in the configuration, but `{file}` declares no dimensions for it",
    help: "write dims: [ 1 ]; or export the model with the shape of the tensor declared",
    reason:
      "A scalar, or a tensor of unknown rank, may only have dims of size 1, because the backend cannot tell the two apart.",
  },
  (model, report) => {
    for (const judged of judgedGraphs(model))
      for (const row of comparedRows(judged)) {
        const { side, index, name, tensor, dims, path } = row;
        if (tensor.dims.length > 0 || dims.every((dim) => dim === 1)) continue;
        const expected = showRow(row, 0);
        report(model.at([side, index, "dims"], expected), {
          side,
          tensor: name,
          expected,
          file: path,
          found: shapeText(dims),
        });
      }
  },
);

/** Compares `dims` and `reshape` with the graph. */
export const tensorShapeRules: readonly Rule[] = [batchDimension, shape, scalar];
