import { type Diagnose, defineDiagnostics } from "@tritype/core";

export const generateDiagnostics = {
  "generate/invalid-option": {
    severity: "error",
    message: "`{option}` of generate step `{step}` {reason}, got {got}",
    help: "change `{option}`",
  },
  "generate/file-not-found": {
    severity: "error",
    message: "generate step `{step}` needs {what}; there is no {path}",
    help: "export it with `optimum-cli export onnx --model … --task {task}-with-past`, or name the file as `{option}`",
  },
  "generate/no-past": {
    severity: "error",
    message: "generate step `{step}`: {path} takes no past: each token would compute all before it anew",
    help: "export with past key values (`--task {task}-with-past`)",
  },
  "generate/unknown-signature": {
    severity: "error",
    message: "generate step `{step}`: {path} {reason}",
    help: "generate() runs exports as optimum writes them for text; other models are a `python` step of yours",
  },
  "generate/misfit": {
    severity: "error",
    message: "generate step `{step}`: {what} does not fit {other}: {reason}",
    help: "take all files of one export, with the tokenizer and the configuration of that model",
  },
  "generate/no-token": {
    severity: "error",
    message: "generate step `{step}` does not know {what}",
    help: "say `{option}`, or put the model's config.json into `from`",
  },
  "generate/bad-token": {
    severity: "error",
    message: "`{option}` of generate step `{step}` is {id}; the model scores the ids 0 to {last}",
    help: "take the id from the model's generation_config.json or tokenizer.json",
  },
  "generate/length": {
    severity: "error",
    message: "generate step `{step}`: {reason}",
    help: "{advice}",
  },
  "generate/unsupported-setting": {
    severity: "error",
    message: "generate step `{step}`: {path} sets `{setting}` to {value}, which generate() does not have",
    help: "{advice}",
  },
  "generate/on-gpu": {
    severity: "error",
    message: "generate step `{step}` runs on the CPU; its `instanceGroup` asks for a GPU",
    help: 'take `instanceGroup` out, or say kind: "cpu"',
  },
} as const;

export const diagnoseGenerate: Diagnose<typeof generateDiagnostics> = defineDiagnostics(generateDiagnostics);
