import type { Diagnostic } from "@tritype/core";
import { parseModelConfig } from "@tritype/triton";
import { type CaseFiles, modelNames } from "./case-files.ts";

/** An ensemble's reason quotes the reason of a model that it needs. Returns each reason with its model. */
export const reasonsByModel = (
  model: string,
  reason: string,
): readonly (readonly [model: string, reason: string])[] => {
  const [quote, name = ""] = / Model '([^']*)' failed with error: /.exec(reason) ?? [];
  if (quote === undefined) return [[model, reason]];
  const at = reason.indexOf(quote);
  return [[model, reason.slice(0, at)], ...reasonsByModel(name, reason.slice(at + quote.length))];
};

/** Names of models and tensors of a case that one of Triton's reasons mentions. */
export const spokenNames = (reason: string, files: CaseFiles): readonly string[] => {
  const known = new Set(
    modelNames(files).flatMap((name) => [name, ...tensorsOf(files[`${name}/config.pbtxt`])]),
  );
  const quoted = [...reason.matchAll(/'([^']*)'/g)].map(([, name = ""]) => name);
  const plain = [...reason.matchAll(/(?:tensor|input|output|model|ensemble) (?=([^\s:,;']+))/g)].map(
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

/** Whether a refusal mentions all names: in its sentence, labels, notes, or by its file. */
export const speaksOf = (diagnostic: Diagnostic, names: readonly string[]): boolean => {
  const { message, labels, notes, help = "" } = diagnostic;
  const said = [message, help, ...notes, ...labels.flatMap(({ text, span }) => [text, span.file])].join("\n");
  return names.every((name) => hasWord(said, name));
};

/** A name may contain any character, so `\b` does not work. */
const hasWord = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!/\w/.test(`${text[at - 1] ?? ""}${text[at + word.length] ?? ""}`)) return true;
  return false;
};
