import { showDims } from "@tritype/core";
import { completeByBackend } from "../completion/complete-by-backend.ts";
import { reshapeMismatch } from "../model/reshape-mismatch.ts";
import { modelRule, type Rule } from "../rule.ts";
import { portsOf } from "./model-port.ts";

const emptyReshape = modelRule(
  {
    code: "tensor/empty-reshape",
    triton: ["42"],
    atLoad: "completed",
    reason:
      "An empty reshape leaves only the batch dimension, so a model without batching would get a scalar.",
    words:
      "model {side} '{tensor}' cannot have empty reshape for non-batching model as scalar tensors are not supported for {model}",
    message: "{title} of `{model}` reshapes to no dimensions, but the model has no batching",
    help: "write `shape: [ 1 ]`, or set max_batch_size",
  },
  (model, report) => {
    const completed = completeByBackend(model);
    const { max_batch_size: size = 0 } = "config" in completed ? completed.config : model.config;
    if (size !== 0) return;
    for (const { side, io, path, title } of portsOf(model))
      if (io.reshape && !io.reshape.shape?.length)
        report(model.at([...path, "reshape"], "empty"), { title, side, tensor: io.name ?? "" });
  },
);

const reshape = modelRule(
  {
    code: "tensor/reshape-size",
    triton: ["43", "44", "45"],
    atLoad: "completed",
    reason: "A reshape must not move elements: the sizes between variable dimensions must stay the same.",
    words: {
      size: "model {side} '{tensor}' has different size for dims and reshape for {model}",
      variable:
        "model {side} '{tensor}' has different number of variable-size dimensions for dims and reshape for {model}",
    },
    message: "{title} of `{model}` cannot reshape {dims} to {shape}: {why}",
    help: "give both the same number of elements, both in total and between each -1 and the next",
  },
  (model, report) => {
    for (const port of portsOf(model)) {
      const { dims = [], reshape: { shape = [] } = {} } = port.io;
      const why = port.io.reshape ? reshapeMismatch(dims, shape) : undefined;
      if (why === undefined) continue;
      report(
        [
          model.at([...port.path, "reshape", "shape"], showDims(shape)),
          model.at([...port.path, "dims"], showDims(dims)),
        ],
        {
          title: port.title,
          side: port.side,
          tensor: port.io.name ?? "",
          dims: showDims(dims),
          shape: showDims(shape),
          why: why.text,
          words: why.words,
        },
      );
    }
  },
);

const tooMany = modelRule(
  {
    code: "tensor/too-many-elements",
    triton: ["46"],
    atLoad: "completed",
    since: "26.03",
    reason: "Triton counts elements with a 64-bit integer.",
    words: "element count for tensor '{tensor} dims' exceeds maximum size",
    message: "{title} of `{model}` has more elements than fit into 64 bits",
    help: "correct its dims",
  },
  (model, report) => {
    for (const { side, io, path, title } of portsOf(model)) {
      const { dims = [], reshape: given } = io;
      const scheduled =
        side === "input" && io.is_shape_tensor !== true && model.config.platform !== "ensemble";
      const lists = given ? [dims, given.shape ?? []] : scheduled ? [dims] : [];
      if (lists.some(overflows))
        report(model.at([...path, "dims"], showDims(dims)), { title, tensor: io.name ?? "" });
    }
  },
);

const overflows = (dims: readonly number[]): boolean =>
  !dims.includes(-1) && dims.reduce((size, dim) => size * BigInt(dim), 1n) >= 2n ** 63n;

export const reshapeRules: readonly Rule[] = [emptyReshape, reshape, tooMany];
