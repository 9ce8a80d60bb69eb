import { type Diagnose, type Diagnostic, defineDiagnostics, type StepDefinition } from "@tritype/core";
import { optionFault } from "../check/check-option-forms.ts";

export const generateDiagnostics = {
  "generate/invalid-option": {
    message: "`{option}` of generate step `{step}` {reason}, got {got}",
    help: "change `{option}`",
  },
  "generate/file-not-found": {
    message: "generate step `{step}` needs {what}, but there is no {path}",
    help: "export it with `optimum-cli export onnx --model … --task {task}-with-past`, or name the file as `{option}`",
  },
  "generate/no-past": {
    message: "generate step `{step}`: {path} has no past inputs: each token would recompute all earlier ones",
    help: "export with past key values (`--task {task}-with-past`)",
  },
  "generate/unknown-signature": {
    message: "generate step `{step}`: {path} {reason}",
    help: "generate() runs text models as exported by optimum; use a `python` step for other models",
  },
  "generate/misfit": {
    message: "generate step `{step}`: {what} does not match {other}: {reason}",
    help: "use files from one export, with that model's tokenizer and configuration",
  },
  "generate/no-token": {
    message: "generate step `{step}` does not know {what}",
    help: "set `{option}`, or put the model's config.json into `from`",
  },
  "generate/bad-token": {
    message: "`{option}` of generate step `{step}` is {id}; the model scores ids from 0 to {last}",
    help: "take the id from the model's generation_config.json or tokenizer.json",
  },
  "generate/length": {
    message: "generate step `{step}`: {reason}",
    help: "{advice}",
  },
  "generate/unsupported-setting": {
    message: "generate step `{step}`: {path} sets `{setting}` to {value}, which generate() does not support",
    help: "{advice}",
  },
  "generate/on-gpu": {
    message: "generate step `{step}` runs on the CPU, but its `instanceGroup` requests a GPU",
    help: 'remove `instanceGroup`, or set kind: "cpu"',
  },
} as const;

export const diagnoseGenerate: Diagnose<typeof generateDiagnostics> = defineDiagnostics(generateDiagnostics);

/** The finding for an option that conflicts with others or with the export, even if the export's configuration sets it. */
export const invalidOption = (step: StepDefinition, path: readonly string[], reason: string): Diagnostic => {
  const { with: fault, labels } = optionFault(step, path, reason);
  const got = fault.got === "nothing" ? "the configuration's" : fault.got;
  return diagnoseGenerate("generate/invalid-option", { with: { ...fault, got }, labels });
};
