import { defineErrors, type MakeError } from "@tritype/core";

/** The command's errors. */
export const cliErrors = {
  "add/would-overwrite": {
    code: "file/foreign",
    message: "{files} would be overwritten, but `pipeline add` did not write {them}; nothing was written",
  },
  "bench/newer-result": {
    code: "file/not-readable",
    message: "{path} was written by a newer tritype",
    help: "compare them with the tritype version that wrote it",
  },
  "bench/no-common-case": {
    code: "usage/invalid",
    message: "{first} and {second} have no case in common",
    help: "run both with the same --clients or --rate",
  },
  "bench/not-a-result": {
    code: "file/not-readable",
    message: "{path} is not a result of `pipeline bench`: {why}",
    help: "write one: pipeline bench --json > a.json",
  },
  "deploy/broken-build": {
    code: "file/not-readable",
    message: "{path} is missing or has changed since `pipeline build` wrote it; nothing was written",
    help: "run `pipeline build`, which writes it again; make your changes in the project instead",
  },
  "deploy/changed-meanwhile": {
    code: "project/invalid",
    message: "another build wrote to {folder} at the same time; nothing was written",
    help: "run `pipeline deploy` again; `pipeline dev` builds after each edit",
  },
  "deploy/edited": {
    code: "file/foreign",
    message: "{files} changed after `pipeline deploy` wrote {them}; nothing was written",
    help: "put your values into a file of your own, which helm reads with --values; to discard the changes, delete {files}",
  },
  "deploy/foreign": {
    code: "file/foreign",
    message: "{files} would be overwritten, but `pipeline deploy` did not write {them}; nothing was written",
    help: "move {them} away, or set another `deploy.output` in pipeline.config.ts",
  },
  "deploy/newer-record": {
    code: "file/not-readable",
    message: "{path} has format version {found}, but this tritype reads up to {newest}",
    help: "update tritype, or delete the folder and write it again",
  },
  "deploy/no-build": {
    code: "file/not-found",
    message: "there is no build in the folder {folder}",
    help: "run `pipeline build` first: the files are written for a build, and for the image made from it",
  },
  "deploy/not-built": {
    code: "file/foreign",
    message:
      "`pipeline build` did not write {files}, and servers might load files that it did not write; nothing was written",
    help: "move such files out of the build's folder; models that are not part of the pipeline belong in a repository of their own",
  },
  "deploy/npm-packages": {
    code: "usage/invalid",
    message:
      "the image installs npm packages next to the models, and models from {models} would not have them",
    help: "leave the models in the image (--models image): functions of this build import packages with native addons",
  },
  "deploy/not-a-record": {
    code: "file/not-readable",
    message: "{path} does not list the files of `pipeline deploy`: {why}",
    help: "restore it from git, or delete the folder and write it again",
  },
  "deploy/other-samples": {
    code: "project/invalid",
    message:
      "the pipeline has changed since the build in the folder {folder}, so the samples of this build are not known; nothing was written",
    help: "run `pipeline build` first",
  },
  "deploy/sample-failed": {
    code: "model/failed",
    message: "`{model}` does not answer a sample, which `helm test` would send: {why}; nothing was written",
    help: "run `pipeline deploy` on a machine that can run the build, such as the one that built it",
  },
  "deploy/shared-folder": {
    code: "project/invalid",
    message: "`deploy.output` is {folder}, which {why}; nothing was written",
    help: "set `deploy.output` in pipeline.config.ts to a folder of its own, next to the build folder",
  },
  "drift/dataset-not-utf8": {
    code: "file/not-readable",
    message: "the dataset {path} is not UTF-8",
    help: "save it as UTF-8",
  },
  "drift/no-requests": {
    code: "usage/invalid",
    message: "there are no requests to compare `{model}` with",
    help: "name a file with --dataset, or add samples to the ensemble: `warmup: [{ … }]`",
  },
  "drift/no-such-model": {
    code: "usage/invalid",
    message: "there is no ONNX model `{model}` to replace with {file}",
  },
  "drift/no-tensor": {
    code: "file/not-readable",
    message: "{path}: `{tensor}` is not a tensor that a server accepts",
    help: "export the model with tensors whose rank is known",
  },
  "drift/not-a-variant": {
    code: "file/not-readable",
    message: "{path} is not a variant: {why}",
    help: "name an ONNX file, or a folder with a project, a build or a model repository",
  },
  "drift/one-text-input": {
    code: "request/invalid",
    message: "{dataset}: lines of text only work for a model with one text input; `{model}` takes {inputs}",
    help: "write a .jsonl file with an object of inputs on each line",
  },
  "drift/other-inputs": {
    code: "request/invalid",
    message: "`{model}` takes {inputs} in {left}, but {others} in {right}",
    help: "compare variants that take the same requests",
  },
  "inspect/no-metrics": {
    code: "server/unreachable",
    message: "no metrics at {url}: {why}",
    help: "check the address, such as http://localhost:8002/metrics, or leave out --metrics-url",
  },
  "lock/model-changed": {
    code: "file/not-readable",
    message: "{path} has changed since it was added",
    help: "to use the new content, add the model again: pipeline add {source}",
  },
  "lock/model-missing": {
    code: "file/not-found",
    message: "{path} is not on this machine",
    help: "copy it from the machine where the model was added, or add the model again: pipeline add {source}",
  },
  "machine/open-files": {
    code: "file/not-readable",
    message: "this process may only open {limit} files at a time, which is not enough",
    help: "raise the limit before you run it: ulimit -n 4096",
  },
  "model-file/none": { code: "file/not-found", message: "{source} has no ONNX file" },
  "model-file/not-onnx": {
    code: "file/not-readable",
    message: "{path} is neither a folder nor an ONNX file",
    help: "name an .onnx file, or its folder",
  },
  "model-file/weights-missing": {
    code: "file/not-found",
    message: "{model} has its weights in {path}, which {source} does not have",
    help: "export the model again, or pick another file with --file",
  },
  "model-file/weights-outside": {
    code: "file/not-readable",
    message: "{path} needs its weights from `{name}`, outside its folder",
    help: "export the model again, or pick another file with --file",
  },
  "model/no-answer": {
    code: "model/failed",
    message: "none of the requests to `{model}` succeeded: {failure}",
    help: "add `warmup` samples that the ensemble can answer, or pass such requests with --samples file.json",
  },
  "plan/not-a-calibration": {
    code: "file/not-readable",
    message: "{path} does not contain times that `pipeline plan` measured: {why}",
    help: "write one: pipeline plan --rate 500 --p99 100ms --save times.json",
  },
  "plan/failed": {
    code: "model/failed",
    message: "{server} does not answer the requests that are measured: {message} ({status})",
    help: "measure requests that it can answer: --requests file.jsonl",
  },
  "plan/not-counted": {
    code: "request/unsupported",
    message: "{server} answers requests to `{model}` but does not count them in its statistics",
    help: "measure in the local runtime: `pipeline plan` without --triton",
  },
  "plan/not-simulated": {
    code: "request/unsupported",
    message: "`{model}` has {what}, which `pipeline plan` does not simulate",
    help: "measure it under load: pipeline bench",
  },
  "plan/other-model": {
    code: "usage/invalid",
    message: "{path} contains times of `{measured}`, not of `{model}`",
    help: "name that ensemble, or measure this one: --save instead of --from",
  },
  "plan/stale": {
    code: "usage/invalid",
    message: "{path} was measured with a different build: {changed} {have} changed since then",
    help: "measure again: --save {path} instead of --from {path}",
  },
  "python-step/file-exists": {
    code: "file/foreign",
    message: "{file} of `{step}` already exists",
    help: "delete it, or name another file in the step",
  },
  "python-step/no-file": {
    code: "project/invalid",
    message: "`{name}` has neither `file` nor `folder`",
    help: 'set the path of its model.py: file: "steps/{name}.py"',
  },
  "python-step/none-missing": {
    code: "project/invalid",
    message: "every python() step already has its model.py",
    help: 'declare one first: python({ name: "rerank", file: "steps/rerank.py", inputs: …, outputs: … })',
  },
  "python-step/not-called": {
    code: "project/invalid",
    message: "no ensemble calls a python() step named `{name}`",
  },
  "request/input-not-json": {
    code: "request/invalid",
    message: "--input {input}: {text} is not JSON",
    help: "pass {type} as JSON: {example}",
  },
  "request/none": { code: "request/invalid", message: "{path} contains no requests" },
  "request/not-a-list": { code: "request/invalid", message: "{path} does not contain a list of requests" },
  "request/not-an-object": { code: "request/invalid", message: "{place}: it is not an object of inputs" },
  "request/not-json": {
    code: "request/invalid",
    message: "{path} is not JSON: {why}",
    help: 'write a list of requests: [{ "input": values }]',
  },
  "request/sequences": {
    code: "request/unsupported",
    message: "`{model}` has sequences, which `pipeline {command}` does not support",
    help: "send its requests with the client's `sequence()`, or with the parameters `sequence_id`, `sequence_start` and `sequence_end`; NVIDIA's perf_analyzer measures sequences under load",
  },
  "request/streams": {
    code: "request/unsupported",
    message: "`{model}` streams its answers, which `pipeline {command}` does not support",
    help: "measure it under load: pipeline bench",
  },
  "request/unknown-datatype": {
    code: "request/invalid",
    message: "input `{tensor}` of `{model}` has the type {type}, which is not a datatype of KServe v2",
    help: "check the model's metadata on the server: GET /v2/models/{model}",
  },
  "server/ended": {
    code: "server/unreachable",
    message: "the server exited before it was listening ({how})",
    help: "check its last lines of output, and run the command again",
  },
  "server/not-kserve": {
    code: "server/unreachable",
    message: "{url} is not a KServe v2 server: {why}",
    help: "pass the server's HTTP address, not that of gRPC or of the metrics",
  },
  "server/refuses": { code: "server/unreachable", message: "{url} does not let requests through: {why}" },
  "signature/not-a-tensor": {
    code: "request/unsupported",
    message: "`{name}` {what}, which Triton does not support",
  },
  "signature/scalar": {
    code: "request/unsupported",
    message: "`{tensor}` is a scalar, which Triton does not support",
    help: "export the model with shape [1] for it, or with its value as a constant",
  },
  "signature/unknown-rank": {
    code: "request/unsupported",
    message: "`{tensor}` has no known rank",
    help: "export the model with shapes",
  },
  "signature/would-overwrite": {
    code: "file/foreign",
    message: "{path} already exists and was not written by `pipeline types`",
    help: "choose another file with --out, or delete it",
  },
  "triton/ended": {
    code: "server/unreachable",
    message: "Triton exited by itself ({how}); its last lines:\n{lines}",
    help: "look for lines about memory or a model; start it again with the same command",
  },
  "tune/baseline-failed": {
    code: "model/failed",
    message: "the settings with which the candidates are compared do not work: {why}",
    help: "run `pipeline bench` to reproduce this on its own; for slow models, use a larger --seconds",
  },
  "tune/no-control": {
    code: "request/unsupported",
    message: "the server at {url} does not load models on request: {why}",
    help: "start it with --model-control-mode=explicit, or tune without --url",
  },
  "tune/server-lost": {
    code: "server/unreachable",
    message: "the server at {url} does not answer any more: {why}",
    help: "when it runs again, run the same command, which continues from here",
  },
  "usage/invalid": { code: "usage/invalid", message: "{problem}" },
  "verify/nothing-compared": {
    code: "model/failed",
    message:
      "no tensor of `{model}` was compared: its streams are empty, or no other run answers its requests",
    help: "pass requests with --samples file.json that get responses; leave out --no-python or --no-triton",
  },
} as const;

export const cliError: MakeError<typeof cliErrors> = defineErrors(cliErrors);
