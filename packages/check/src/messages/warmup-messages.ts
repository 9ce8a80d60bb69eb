import type { ServerMessage } from "./server-message.ts";
import { ofRule } from "./rule-words.ts";

/** `model_warmup`. */
export const warmupMessages: readonly ServerMessage[] = [
  {
    says: "batch size {size:n} for '{model:instance}', max allowed is {limit:n}",
    codes: ["warmup/batch-size"],
    means: "a warmup sample of `{model}` has batch_size {size}; {limit} is the maximum",
    why: "`batch_size` is how many single-row requests are passed to the backend together.",
    help: (names) => `write \`batch_size: ${Math.max(1, Number(names["limit"]))}\` or less`,
  },
  {
    ...ofRule("warmup/open-dims"),
    means: "warmup input `{tensor}` has a dim of -1",
  },
  {
    ...ofRule("warmup/no-data"),
    means: "warmup input `{tensor}` has no data",
  },
  {
    says: "warmup setting expects {wanted:n} bytes, but the data provided from {file}only has {found:n} bytes",
    codes: ["warmup/short-file"],
    means: "`warmup/{file}` has {found} bytes, but its tensor needs {wanted}",
  },
  {
    says: "Failed to retrieve the ONNX input tensor info from '{tensor}'",
    codes: ["warmup/not-in-graph", "warmup/unknown-input"],
    means: "a warmup sample contains `{tensor}`, which the ONNX graph does not have",
    help: "remove the input from the sample",
  },
];
