import { type Diagnose, defineDiagnostics } from "@tritype/core";

export const compilerDiagnostics = {
  "graph/not-a-tensor": {
    message: "`{step}` needs a tensor for {input}, got {got}",
    help: "pass a handle: an input of `run`, or the result of a step or an operator",
  },
  "graph/foreign-tensor": {
    message: "{input} of `{step}` comes from the `run` of another ensemble",
    help: "call the other ensemble as a step and use its result",
  },
  "graph/missing-input": {
    message: "`{step}` needs `{input}` {type}, but the call does not pass it",
    help: "pass `{input}`",
  },
  "graph/unknown-input": {
    message: "`{step}` has no input `{input}`",
    help: "remove it: the inputs of `{step}` are {inputs}",
  },
  "graph/unused-input": {
    message: "ensemble `{ensemble}` never uses its input `{input}`",
    help: "use `{input}` in `run` or remove it: Triton refuses an ensemble with an unused input",
  },
  "graph/output-named-like-input": {
    message: "ensemble `{ensemble}` has an input and an output named `{output}`",
    help: "return it under another name: in Triton both would be one tensor, and requests would hang",
  },
  "graph/no-output": {
    message: "ensemble `{ensemble}` has no outputs",
    help: "return an object of tensors from `run`",
  },
  "graph/no-input": {
    message: "ensemble `{ensemble}` has no inputs",
    help: "declare at least one input",
  },
  "graph/unused-step": {
    severity: "warning",
    message: "the result of `{step}` is never used; the call is omitted",
    help: "remove the call, or return one of its outputs",
  },
  "graph/optional-operand": {
    severity: "error",
    message: "`{owner}` needs `{input}`, which requests to `{ensemble}` may leave out",
    help: "require it: declare it without optional(); or pass it to a step or a flow that declares it with optional(), whose function gets `undefined`",
  },
  "graph/step-in-branch": {
    severity: "error",
    message: "`{step}` is called in a branch of `when`, but an ensemble would run it for every request",
    help: "let a flow() decide: flow({ …, uses: { {step} }, run: async ({ x }, { {step} }) => (x > 0 ? {step}({ x }) : { y: x }) }); to run it for every request, call it before `when`",
  },
  "graph/tensor-condition": {
    message:
      "`{construct}` depends on the tensor `{text}`, which has no value while `run` is recorded: every request would take the same path",
    help: "choose for each row: when({text}, () => a, () => b), or for each element: where({text}, a, b); the condition is BOOL, such as x.gt(0)",
  },
  "graph/label-count": {
    severity: "warning",
    message: "`{operator}` has {labels}, but `{maker}` chooses among {elements}",
    help: "add the missing labels: a request fails if its element has none",
  },
  "graph/constant-tensor": {
    message: "{tensor} of `{owner}` is the same for every request",
    help: "compute it from an input: in Triton every tensor comes from an input or a model",
  },
  "stream/option": {
    message: "ensemble `{ensemble}` streams, because its step `{step}` does, but has `{option}`: {reason}",
    help: "{advice}",
  },
  "stream/answers-once": {
    message:
      "`{option}` makes `{step}` decoupled, but the code that is emitted for it answers each request exactly once",
    help: "remove it; a `python` step, or `generate` with `stream: true`, can send several responses",
  },
  "stream/typed": {
    message: "ensemble `{ensemble}` {fact}, but its type says that it {typed}",
    help: "{advice}",
  },
  "stream/joined": {
    message: "in ensemble `{ensemble}`, {joint} the stream of `{step}` with {other}",
    help: "let the streaming step return the other tensor in each response, or return it from another ensemble",
  },
  "stream/called": {
    message:
      "the code of `{step}` calls `{model}`, which may send any number of responses; a call waits for exactly one",
    help: "call a step that sends one response; `generate` does so without `stream`",
  },
  "sequence/option": {
    message:
      "ensemble `{ensemble}` has sequences, because its step `{step}` does, but has `{option}`: {reason}",
    help: "{advice}",
  },
  "sequence/called": {
    message:
      "the code of `{step}` calls `{model}`, which only accepts requests that belong to a sequence; calls from code do not",
    help: "call `{model}` in an ensemble, which passes on each request's sequence, or let clients call it",
  },
  "dtype/wrong-input": {
    message: "`{input}` of `{step}` wants {want}, got {got}: {why}",
  },
  "shape/wrong-rank": {
    message: "`{input}` of `{step}` wants {want}, got {got}: {why}",
  },
  "shape/wrong-dim": {
    message: "`{input}` of `{step}` wants {want}, got {got}: {why}",
  },
  "shape/name-conflict": {
    message: "`{input}` of `{step}`: `{name}` is {here} here and {there} at another input",
  },
  "shape/scalar": {
    message: "`{name}` of `{owner}` is a scalar, {type}: a Triton tensor has at least one dim",
    help: "add a dim: .unsqueeze(0) on a tensor, (1) in a declaration",
  },
  "shape/bad-dim": {
    message: "`{name}` of `{owner}` has the dim {dim}",
    help: "a dim is a size of at least 1, a name, or -1 for an unknown size",
  },
  "batch/partly-batched": {
    message: "`{owner}` is batched, but `{name}` is {type}",
    help: 'name the first dim of every input and output "batch", and no other dim',
  },
  "batch/no-required-input": {
    severity: "warning",
    message: "`{step}` only gets {inputs}, and requests to `{ensemble}` that contain none of its inputs fail",
    help: "pass it another tensor of the ensemble that every request has, which tells Triton the number of rows, or declare an input without optional()",
  },
  "batch/step-not-batched": {
    message: "`{step}` is not batched, but the ensemble `{ensemble}` is",
    help: 'name the first dim of every input and output of the step "batch"',
  },
  "batch/ensemble-not-batched": {
    message:
      "`{step}` is batched and `{tensor}` has only the batch dim, but the ensemble `{ensemble}` is not batched",
    help: 'name the first dim of every input of the ensemble "batch" and give it `maxBatchSize`; if its rows belong to one request, as candidates that are compared, {apart}',
  },
  "batch/wire-not-batched": {
    message: "`{input}` of `{step}` gets {type}, which has no batch dim",
    help: "compute it from an input of the ensemble, so that every row of a request has its own values",
  },
  "batch/no-max-batch-size": {
    message: "{kind} `{name}` is batched but has no `maxBatchSize`",
    help: "add `maxBatchSize`, the largest batch size that a request may have",
  },
  "batch/bad-max-batch-size": {
    message: "`maxBatchSize` of `{owner}` is {size}",
    help: "use a whole number from 1 to 2147483647",
  },
  "batch/nothing-batched": {
    message: '`{owner}` has `maxBatchSize`, but no tensor has "batch" as its first dim',
    help: 'name the first dim of every input and output "batch", or remove `maxBatchSize`',
  },
  "batch/member-too-small": {
    message: "`{step}` accepts batches of at most {size}, but ensemble `{ensemble}` allows {wanted}",
    help: "raise `maxBatchSize` of the step, or lower the ensemble's to {size}",
  },
  "batch/mixes-rows": {
    message: "`{operator}` {verb} the batch: rows of different requests would mix",
    help: 'use another axis: the result for a row may only depend on that row. If the rows belong to one request, as candidates that are compared, name their dim "n" instead of "batch" in the inputs of the ensemble, and move `maxBatchSize` from it to the steps that it calls',
  },
  "batch/moved": {
    message: "`{operator}` gives {type}: the batch must stay the first dim and occur only once",
    help: "keep axis 0 in place",
  },
  "batch/output-not-batched": {
    message: "output `{output}` is {type}, but the ensemble is batched",
    help: "return a tensor that is computed from an input of the ensemble",
  },
  "model/not-fused": {
    severity: "warning",
    message: "`{step}` has `fuse: true`, but nothing can be fused into its model: {reason}",
    help: "change this, or remove `fuse`",
  },
  "model/bad-name": {
    message: "`{name}` cannot be the name of a model: {problem}",
    help: "use letters, digits, `_`, `-` and `.`",
  },
  "model/duplicate-name": {
    message: "two models are named `{name}`",
    help: "give each its own name: a step is one model with one set of options, however often it is called",
  },
  "model/similar-path": {
    severity: "warning",
    message: "`{path}` and `{other}` differ only in upper and lower case",
    help: "rename one of them: in the file systems of macOS and Windows, they are the same, so a copy of the build there lacks one",
  },
  "model/bad-field": {
    message: "configuration of `{step}`: {problem}",
  },
  "model/unknown-option": {
    message: "`{step}` has no option `{option}`",
  },
  "model/file-not-found": {
    message: "configuration of `{step}`: `{file}` does not exist",
    help: "paths are relative to the project's root, which is the folder with pipeline.config.ts",
  },
  "profile/unknown": {
    message: "`{step}` overrides fields in the profile `{profile}`, which the project does not have",
  },
  "profile/fixed-field": {
    message: "the profile `{profile}` cannot override `{field}` of `{step}`",
  },
  "profile/no-fields": {
    message: "`{place}` of `{step}` is not an object",
    help: "write an object: profile name → the fields that it overrides",
  },
  "step/unknown-kind": {
    message: "`{step}` is of kind `{kind}`, which no plugin provides",
    help: "add the kind to `stepKinds` in pipeline.config.ts",
  },
  "step/bad-kind": {
    message: "the step kind `{kind}` cannot read `{step}`: {problem}",
    help: "fix the step kind: `read` must return `{ diagnostics, value }` with an error or a `value`, and `value.model()` the `config` and the `files`",
  },
  "step/no-files": {
    message: "`{step}` has no files for version {version}, and Triton only finds versions that have a folder",
    help: "name a file in the step's options, or return one in `files` from the step kind `{kind}`",
  },
  "step/no-tensors": {
    message: "`{step}` has no {side}",
    help: "declare at least one input and one output",
  },
  "version/both": {
    message: "`{step}`: `{option}` and `versions` are mutually exclusive",
    help: "list the `{option}` of every version under `versions`, or remove `versions`",
  },
  "version/empty-list": {
    message: "`{step}` lists no versions",
    help: "list at least one, or use `{option}` instead of `versions`",
  },
  "version/bad-number": {
    message: "`{step}` lists the version `{version}`",
    help: "a version must be a whole number of at least 1, because it is the name of a folder in the repository",
  },
  "version/unknown": {
    message: "ensemble `{ensemble}` calls version {version} of `{step}`, which has {versions}",
    help: "call an existing version, or list it under `versions` of the step",
  },
  "version/not-served": {
    message:
      "ensemble `{ensemble}` calls version {version} of `{step}`, but the version policy selects {served}",
  },
  "version/none-served": {
    message: "the version policy of `{step}` selects none of its versions ({versions})",
    help: "name existing versions, or remove `versionPolicy` to serve the highest",
  },
  "version/not-there": {
    severity: "warning",
    message: "the version policy of `{step}` names version {version}, but it has {versions}",
    help: "remove {version} from the policy, or list it under `versions`",
  },
  "version/signature-changed": {
    message: "`{model}` cannot be appended to the versions in the build folder: {change}",
    help: "all versions of a model share the same inputs and outputs: give it another name, or replace the old versions with `pipeline build --fresh`",
  },
  "version/kept-file-changed": {
    message: "version {version} of `{model}` in the build folder was modified: `{file}` {how}",
    help: "delete the folder of that version, or replace all old versions with `pipeline build --fresh`",
  },
  "project/unused-step": {
    severity: "warning",
    message: "`{name}` is exported, but no ensemble or flow calls the step `{step}`, so it is not built",
    help: "call it in `run` of an ensemble, or do not export it from an entry",
  },
  "project/unexported-ensemble": {
    severity: "warning",
    message: "no entry exports the {kind} `{name}`, and nothing in the build calls it: it is not built",
    help: "export it from a file in `entries` of pipeline.config.ts, or remove it",
  },
  "project/entry-without-ensemble": {
    severity: "warning",
    message: "the entry {entry} {what}: nothing in it is built",
    help: "export the result of defineEnsemble() or flow(), or remove the file from `entries` in pipeline.config.ts",
  },
  "python/requirement-conflict": {
    message: "`{step}` needs {got}, but `{first}` needs {wanted}",
    help: "use the same version in both: all Python models on a server share its packages",
  },
  "python/requirement-not-pinned": {
    message: "`{step}` needs the Python package {requirement}, without an exact version",
    help: 'write "{name}==<version>", so that every image of this build is the same',
  },
  "docker/backend-not-in-image": {
    severity: "warning",
    message: "`{step}` runs on the backend `{backend}`, which {image} does not have",
    help: "set `docker.baseImage` in pipeline.config.ts to an image that has it, or turn the container off with `docker: false`",
  },
  "tensor/bad-name": {
    message: "`{owner}` has a tensor named {name}",
    help: "use a name of at least one character, without control characters",
  },
} as const;

export const diagnose: Diagnose<typeof compilerDiagnostics> = defineDiagnostics(compilerDiagnostics);
