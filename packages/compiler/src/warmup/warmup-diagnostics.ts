import { type Diagnose, defineDiagnostics } from "@tritype/core";

export const warmupDiagnostics = {
  "sample/invalid": {
    message: "warmup of `{owner}`: {problem}",
  },
  "sample/unknown-input": {
    message: "warmup sample `{sample}` contains `{input}`, which is not an input of `{owner}`",
    help: "its inputs are {inputs}",
  },
  "sample/missing-input": {
    message: "warmup sample `{sample}` of `{owner}` has no value for `{input}`, {type}",
    help: "add `{input}` to the sample's inputs",
  },
  "sample/wrong-value": {
    message: "warmup sample `{sample}` of `{owner}`: {value} in `{input}` is not a valid {dtype}",
    help: "write {wanted}",
  },
  "sample/wrong-shape": {
    message: "warmup sample `{sample}` of `{owner}`: `{input}` is {type}, got {got}",
  },
  "sample/batch-size": {
    message: "warmup sample `{sample}` of `{owner}`: {problem}",
    help: "write a `batchSize` from 1 to {most}",
  },
  "sample/no-rows": {
    message: "warmup sample `{sample}` of `{owner}` has no rows in `{input}`",
    help: "write at least one row: Triton warms up with requests of one row, `batchSize` of them at the same time",
  },
  "sample/no-inputs": {
    message: "warmup sample `{sample}` of `{owner}` has no inputs",
    help: "give a value for at least one of {inputs}: Triton reads the number of rows from the first input of a request",
  },
  "sample/no-sizes": {
    message: 'warmup sample `{sample}` of `{owner}`: `{input}` is {type}, but "{fill}" does not give sizes',
  },
  "sample/data-file": {
    message: "warmup sample `{sample}` of `{owner}`: {problem}",
    help: "paths are relative to the project's root; a file contains one row's elements in little-endian order, each string preceded by its length as a uint32",
  },
  "sample/calls-models": {
    message: "`{owner}` has `modelWarmup`, but its code calls other models",
    help: "remove it: the calls would run before the other models are ready, which crashes Triton",
  },
  "sample/large": {
    severity: "warning",
    message: "warmup sample `{sample}` writes {size} MB for `{input}` of `{owner}`",
    help: "make the sample smaller, or add a `modelWarmup` sample with the same name to the step, with `zeroData: true` for `{input}`",
  },
  "sample/failed": {
    message: "warmup sample `{sample}` of `{owner}` fails at `{model}`: {reason}",
    help: "write a sample that the pipeline can answer, or fix the step",
  },
} as const;

export const diagnoseWarmup: Diagnose<typeof warmupDiagnostics> = defineDiagnostics(warmupDiagnostics);
