import type { Diagnostic } from "@tritype/core";
import { parseModelConfig } from "@tritype/triton";
import type { Verdict } from "./verdict.ts";

/** The tensors that Triton's reason mentions: its quoted words that are names in the graph or in the configuration. */
export const namesOf = ({ onnx, config, reason }: Verdict): readonly string[] => {
  const known = new Set(
    [...onnx.inputs, ...onnx.outputs, ...(onnx.initializersAsInputs ?? [])].map(({ name }) => name),
  );
  const parsed = parseModelConfig(config ?? "");
  if ("config" in parsed) addNames(parsed.config, known);
  // Leaves out lists of all given or allowed names.
  const head = reason.replace(/, allowed (?:in|out)puts are: .*| Got input\(s\) \[[^\]]*\],/s, "");
  const quoted = [...head.matchAll(/'([^']*)'/g)].map(([, name = ""]) => name);
  return [...new Set(quoted)].filter((name) => name !== "" && name !== "m" && known.has(name));
};

const nameFields = new Set(["name", "input_name", "output_name", "target_name", "source_input"]);

const addNames = (value: unknown, known: Set<string>): void => {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (nameFields.has(key)) for (const name of [inner].flat()) known.add(String(name));
    // Warmup inputs are keys.
    if (key === "inputs") for (const name of Object.keys(inner as object)) known.add(name);
    addNames(inner, known);
  }
};

/** Whether one of the messages has all of the names. */
export const namesTheSame = (diagnostics: readonly Diagnostic[], names: readonly string[]): boolean =>
  diagnostics.some(({ message }) => names.every((name) => message.includes(`\`${name}\``)));
