import type { ModelConfig } from "./generated/model-config.ts";
import { type FieldFault, findFieldFaults, withoutRanges } from "./locate-fields.ts";
import { type ConfigProblem, parseModelConfig, readMessageText } from "./parse-model-config.ts";
import { TextScanner } from "./scan-text.ts";
import { hasWholeBrackets } from "./skip-field.ts";

/** What is wrong in a text, and what is left of it. */
export interface ParsedAroundProblems {
  /** In the order of the text; none when it parses. */
  readonly problems: readonly ConfigProblem[];
  /** The text without the fields that have problems, in whose place are spaces; undefined when it does not parse. */
  readonly rest: { readonly text: string; readonly config: ModelConfig } | undefined;
}

/**
 * Reads a text as `parseModelConfig` does, and on: a field that is unknown, has a value of another kind or is given again is
 * passed over where it is certain where it ends, so that every such field is a problem of its own. A fault of syntax ends the
 * reading; when brackets have no partner, the first problem is the only one, since the others may follow from it.
 */
export const parseAroundProblems = (text: string): ParsedAroundProblems => {
  const read = parseModelConfig(text);
  if ("config" in read) return { problems: [], rest: { text, config: read.config } };
  const alone = { problems: [read.problem], rest: undefined };
  if (text.includes("\0") || !hasWholeBrackets(new TextScanner(text))) return alone;
  const faults = findFieldFaults(text);
  const inFields = faults.map((fault) => problemOf(fault, text));
  const restText = withoutRanges(text, faults);
  const rest = faults.length === 0 ? read : parseModelConfig(restText);
  const problems = [...inFields, "problem" in rest ? rest.problem : undefined]
    .filter((problem) => problem !== undefined)
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  // The parser sees every fault, and its first one is among them, or the two did not read alike.
  const { message, line } = read.problem;
  const alike =
    !inFields.includes(undefined) && problems.some((one) => one.line === line && one.message === message);
  if (!alike) return alone;
  return { problems, rest: "config" in rest ? { text: restText, config: rest.config } : undefined };
};

const problemOf = (
  { owner, map, message, line, column, from, to }: FieldFault,
  text: string,
): ConfigProblem | undefined => {
  if (message !== undefined) return { message, line, column };
  const field = text.slice(from, to);
  const read = readMessageText(map === undefined ? field : `${map.name} { ${field}\n}`, owner);
  return "problem" in read ? { message: read.problem.message, line, column } : undefined;
};
