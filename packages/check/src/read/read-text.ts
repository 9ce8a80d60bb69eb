import { type Diagnostic, decodeUtf8, sortDiagnostics } from "@tritype/core";
import {
  type ConfigProblem,
  type ModelConfig,
  type NewerField,
  newerFields,
  parseAroundProblems,
} from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import { describeProblem } from "./describe-problem.ts";
import { mistakeLimit, textLimit } from "./limits.ts";
import { locateIn } from "../model/locate-in.ts";
import type { KnownConfig } from "./mounted-repository.ts";
import { diagnoseReading } from "./reading-entries.ts";

export type ReadText =
  | { readonly config: ModelConfig; readonly text: string }
  | { readonly diagnostics: readonly Diagnostic[] };

/** Reads a configuration's bytes as the target release would. */
export const readConfigBytes = (bytes: Uint8Array, file: string, options: CheckOptions): ReadText =>
  bytes.length > textLimit ? tooLarge(file) : readConfigText(decodeUtf8(bytes), file, options);

/** Parses a configuration as the target release would; continues after a mistake if the place to resume is clear. */
export const readConfigText = (text: string, file: string, options: CheckOptions): ReadText => {
  if (text.length > textLimit) return tooLarge(file);
  const { problems, rest } = parseAroundProblems(text);
  const release = options.release.container;
  const newer = rest === undefined ? [] : newerFields(rest.config, release);
  if (rest && problems.length === 0 && newer.length === 0) return { config: rest.config, text };
  const tooNew = fieldsTooNew(newer.slice(0, mistakeLimit), locateIn(rest?.text ?? "", file), release);
  const wrong = problems.slice(0, mistakeLimit).map((problem) => describe(problem, text, file));
  const said = sortDiagnostics([...wrong, ...tooNew]).slice(0, mistakeLimit);
  const more = problems.length + newer.length - said.length;
  return { diagnostics: withMore(said, more, rest !== undefined) };
};

/** The fields that the release does not know yet; it cannot read a configuration that contains one. */
export const fieldsTooNew = (
  newer: readonly NewerField[],
  at: KnownConfig["at"],
  release: string,
): readonly Diagnostic[] =>
  newer.map(({ path, field, message, since }) =>
    diagnoseReading("config/field-too-new", {
      with: { field, message, since, release },
      labels: [at(path, `new in ${since}`)],
    }),
  );

/** The last finding states how many more mistakes there are. */
const withMore = (said: readonly Diagnostic[], more: number, all: boolean): readonly Diagnostic[] => {
  const note = `and ${all ? "" : "at least "}${more} more in this text`;
  return said.map((one, i) =>
    more > 0 && i === said.length - 1 ? { ...one, notes: [...one.notes, note] } : one,
  );
};

const tooLarge = (file: string): ReadText => {
  const labels = [{ span: { file, line: 1, column: 1 }, text: "this file" }];
  return { diagnostics: [diagnoseReading("config/too-large", { with: { limit: textLimit }, labels })] };
};

const describe = (problem: ConfigProblem, text: string, file: string): Diagnostic => {
  const { line = 1, column: start = 1 } = problem;
  const faulty = text.split("\n", line)[line - 1]?.slice(start - 1) ?? "";
  // In strings and comments, only a zero byte is a fault, which is reported at its own column.
  const word = /^[^\t "'#\\]*/.exec(faulty)?.[0] ?? "";
  for (const [character, what] of odd) {
    const found = (problem.column === undefined ? faulty : word).indexOf(character);
    if (found === -1) continue;
    const column = start + found;
    const labels = [{ span: { file, line, column }, text: "here" }];
    return diagnoseReading("config/not-text", { with: { what }, labels });
  }
  return describeProblem(problem, text, file);
};

/** The characters of a line that are not text; invalid UTF-8 was read as U+FFFD. */
const odd: readonly (readonly [character: string, what: string])[] = [
  ["\uFEFF", "it has a byte order mark"],
  ["\0", "it contains NUL bytes"],
  ["\uFFFD", "it is not UTF-8"],
];
