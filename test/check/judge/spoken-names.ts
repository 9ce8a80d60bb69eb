import type { Diagnostic } from "@tritype/core";
import { parseModelConfig } from "@tritype/triton";
import { type CaseFiles, modelNames } from "./case-files.ts";

/** Names of models and tensors of a case that a reason of Triton's speaks of. */
export const spokenNames = (reason: string, files: CaseFiles): readonly string[] => {
  const known = new Set(
    modelNames(files).flatMap((name) => [name, ...tensorsOf(files[`${name}/config.pbtxt`])]),
  );
  const quoted = [...reason.matchAll(/'([^']*)'/g)].map(([, name = ""]) => name);
  const plain = [...reason.matchAll(/(?:tensor|input|output|model|ensemble) ([^\s:,;']+)/g)].map(
    ([, name = ""]) => name,
  );
  return [...new Set([...quoted, ...plain])].filter((name) => name !== "" && known.has(name));
};

const tensorsOf = (text: string | Uint8Array | undefined): readonly string[] => {
  const read = typeof text === "string" ? parseModelConfig(text) : undefined;
  if (read === undefined || !("config" in read)) return [];
  const { input = [], output = [], ensemble_scheduling: ensemble } = read.config;
  const maps = ensemble?.step?.flatMap(({ input_map = {}, output_map = {} }) =>
    Object.entries({ ...input_map, ...output_map }).flat(),
  );
  return [...[...input, ...output].map(({ name = "" }) => name), ...(maps ?? [])];
};

/** Whether a refusal speaks of all names: in its sentence, labels, notes, or by its file. */
export const speaksOf = (diagnostic: Diagnostic, names: readonly string[]): boolean => {
  const { message, labels, notes, help = "" } = diagnostic;
  const said = [message, help, ...notes, ...labels.flatMap(({ text, span }) => [text, span.file])].join("\n");
  return names.every((name) => said.includes(name));
};
