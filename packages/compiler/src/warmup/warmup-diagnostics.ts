import { type Diagnose, defineDiagnostics } from "@tritype/core";

export const warmupDiagnostics = {
  "sample/invalid": {
    severity: "error",
    message: "warmup of `{owner}`: {problem}",
  },
  "sample/unknown-input": {
    severity: "error",
    message: "warmup sample `{sample}` gives `{input}`, which is no input of `{owner}`",
    help: "its inputs are {inputs}",
  },
  "sample/missing-input": {
    severity: "error",
    message: "warmup sample `{sample}` of `{owner}` does not give `{input}`, {type}",
    help: "add `{input}` to the sample's inputs",
  },
  "sample/wrong-value": {
    severity: "error",
    message: "warmup sample `{sample}` of `{owner}`: {value} in `{input}` is no {dtype}",
    help: "write {wanted}",
  },
  "sample/wrong-shape": {
    severity: "error",
    message: "warmup sample `{sample}` of `{owner}`: `{input}` is {type}, got {got}",
  },
  "sample/batch-size": {
    severity: "error",
    message: "warmup sample `{sample}` of `{owner}`: {problem}",
    help: "write a `batchSize` from 1 to {most}",
  },
  "sample/no-rows": {
    severity: "error",
    message: "warmup sample `{sample}` of `{owner}` has no rows in `{input}`",
    help: "write one row at least: Triton warms up with requests of one row, `batchSize` of them at once",
  },
  "sample/no-sizes": {
    severity: "error",
    message: 'warmup sample `{sample}` of `{owner}`: `{input}` is {type}, and "{fill}" says no sizes',
  },
  "sample/data-file": {
    severity: "error",
    message: "warmup sample `{sample}` of `{owner}`: {problem}",
    help: "paths are relative to the project's root; a file holds one row's elements, little-endian, strings each after their length as a uint32",
  },
  "sample/calls-models": {
    severity: "error",
    message: "`{owner}` has `modelWarmup`, and its code calls other models",
    help: "remove it: the calls would run before the other models are ready, which ends Triton",
  },
  "sample/large": {
    severity: "warning",
    message: "warmup sample `{sample}` writes {size} MB for `{input}` of `{owner}`",
    help: "make the sample smaller, or give the step a `modelWarmup` sample of the same name with `zeroData: true` for `{input}`",
  },
  "sample/failed": {
    severity: "error",
    message: "warmup sample `{sample}` of `{owner}` fails at `{model}`: {reason}",
    help: "write a sample that the pipeline answers, or mend the step",
  },
} as const;

export const diagnoseWarmup: Diagnose<typeof warmupDiagnostics> = defineDiagnostics(warmupDiagnostics);
