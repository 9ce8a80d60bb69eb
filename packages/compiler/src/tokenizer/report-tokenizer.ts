import type { Diagnostic, StepDefinition } from "@tritype/core";
import type { z } from "zod";
import { optionFault } from "../check/check-option-forms.ts";
import { labels } from "../graph/infer-graph.ts";
import type { OptionFault } from "../step-kind.ts";
import { diagnose } from "./tokenizer-diagnostics.ts";
import type { TokenizerFileProblem } from "./tokenizer-file.ts";

/** The finding for an option of a step that reads a `tokenizer.json`. */
export const invalidOption = (fault: OptionFault): Diagnostic => diagnose("tokenizer/invalid-option", fault);

/** Faults that involve several options of such a step, or missing options. */
export const invalidOptions = (step: StepDefinition, error: z.ZodError): readonly Diagnostic[] =>
  error.issues.map(({ path, message }) => invalidOption(optionFault(step, path, message)));

/** Reports why the `tokenizer.json` of a step cannot be used. */
export const fileProblem = (step: StepDefinition, file: TokenizerFileProblem): Diagnostic => {
  const { path } = file;
  const at = labels(step, `this ${step.kind}`);
  if (file.kind === "not-found")
    return diagnose("tokenizer/file-not-found", {
      with: { kind: step.kind, step: step.name, path },
      labels: at,
      ...notFoundHelp(file),
    });
  if (file.kind === "not-json")
    return diagnose("tokenizer/not-json", {
      with: { path },
      labels: at,
      ...(file.gitLfs ? { help: "run `git lfs pull`: the file is a Git LFS pointer" } : {}),
    });
  return diagnose("tokenizer/unknown-format", { with: { path, reason: file.reason }, labels: at });
};

const notFoundHelp = ({
  path,
  others,
}: TokenizerFileProblem & { kind: "not-found" }): { readonly help?: string } => {
  if (path.endsWith(".json/tokenizer.json"))
    return { help: "set `from` to the folder, without the file's name" };
  if (others.length === 0) return {};
  const made = "`AutoTokenizer.from_pretrained(folder).save_pretrained(folder)`";
  return {
    help: `the folder has ${others.join(" and ")}: create tokenizer.json from it with transformers, ${made}`,
  };
};
