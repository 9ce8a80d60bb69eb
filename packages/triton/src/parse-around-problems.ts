import type { ModelConfig } from "./generated/model-config.ts";
import { positionsIn } from "./locate-fields.ts";
import type { ConfigProblem } from "./parse-model-config.ts";
import { readConfigText } from "./read-config-text.ts";
import { TextScanner } from "./scan-text.ts";
import { hasWholeBrackets } from "./skip-field.ts";
import type { TextRange } from "./text-fault.ts";

/** What is wrong in a text, and what is left of it. */
export interface ParsedAroundProblems {
  /** In the order of the text; none when it parses. */
  readonly problems: readonly ConfigProblem[];
  /** The text without the fields that have problems, with spaces in their place; undefined when it does not parse. */
  readonly rest: { readonly text: string; readonly config: ModelConfig } | undefined;
}

/**
 * Reads a text as `parseModelConfig` does, and on: a field that is unknown, has a value of another kind or is given again is
 * skipped where it is certain where it ends, so that every such field is a problem of its own. A syntax error ends the reading.
 * In a text with an unbalanced bracket only the first problem is reported, since the others may follow from it.
 */
export const parseAroundProblems = (text: string): ParsedAroundProblems => {
  const { config, faults } = readConfigText(text);
  const certain = faults.length === 0 || hasWholeBrackets(new TextScanner(text));
  const positionOf = positionsIn(text);
  const problems = faults.map(({ message, offset }) => ({ message, ...positionOf(offset) }));
  if (!certain) return { problems: problems.slice(0, 1), rest: undefined };
  const skipped = faults.flatMap((fault) => fault.skipped ?? []);
  if (skipped.length < faults.length) return { problems, rest: undefined };
  return { problems, rest: { text: withoutRanges(text, skipped), config } };
};

/** The text with spaces in the ranges. */
const withoutRanges = (text: string, ranges: readonly TextRange[]): string => {
  const parts: string[] = [];
  let end = 0;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    // A field in one that was skipped too.
    if (from < end) continue;
    parts.push(text.slice(end, from), text.slice(from, to).replaceAll(/[^\n]/g, " "));
    end = to;
  }
  return parts.join("") + text.slice(end);
};
