import { type Diagnose, defineDiagnostics } from "@tritype/core";

export const collateDiagnostics = {
  "collate/bad-option": {
    message: "ensemble `{ensemble}`: {problem}",
    help: 'write `batchBy: "length"`, or an object with `by: "length"` and `maxWaste` or `tolerance`',
  },
  "collate/no-batch": {
    message: 'ensemble `{ensemble}` has `batchBy: "length"`, but {problem}',
  },
  "collate/tokenizer": {
    message: 'ensemble `{ensemble}` cannot have `batchBy: "length"`: {problem}',
  },
  "collate/sequence-output": {
    message:
      'ensemble `{ensemble}` cannot have `batchBy: "length"`: its output `{output}` is {type}, whose size may differ between groups',
    help: "return a tensor that does not depend on the length of the text, such as a pooled vector, or remove `batchBy`",
  },
  "collate/padding-counts": {
    message:
      'ensemble `{ensemble}` cannot have `batchBy: "length"`: `{operator}` {verb} `{dim}`, so it would include padding',
    help: "mask it with the tokenizer's attention_mask first: meanPool(x, mask), x.mul(mask) before .sum(), where(mask, x, -Infinity) before .max()",
  },
  "collate/no-samples": {
    message:
      'ensemble `{ensemble}` has `batchBy: "length"` but no samples: the build cannot prove that padding does not change its answers',
    help: "add `warmup` with short, typical and long texts to the ensemble",
  },
  "collate/padding-changes-answers": {
    message:
      'ensemble `{ensemble}` cannot have `batchBy: "length"`: padding changes `{output}` by up to {difference}, more than {tolerance}',
    help: "let the model ignore padding (pass it attention_mask; dynamic int8 models never do), raise `batchBy.tolerance` if that is acceptable, or remove `batchBy`",
  },
} as const;

export const diagnoseCollate: Diagnose<typeof collateDiagnostics> = defineDiagnostics(collateDiagnostics);
