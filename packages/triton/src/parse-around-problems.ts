import type { ModelConfig } from "./generated/model-config.ts";
import { positionsIn } from "@tritype/core";
import type { ConfigProblem } from "./parse-model-config.ts";
import { readConfigText } from "./read-config-text.ts";
import { TextScanner } from "./scan-text.ts";
import { hasWholeBrackets } from "./skip-field.ts";
import type { TextRange } from "./text-fault.ts";

/** The faults in a text, and the rest of it. */
export interface ParsedAroundProblems {
  /** The faults in the order of the text; empty when it parses. */
  readonly problems: readonly ConfigProblem[];
  /** The text with the faulty fields replaced by spaces; undefined if it does not parse. */
  readonly rest: { readonly text: string; readonly config: ModelConfig } | undefined;
}

/**
 * Reads a text as `parseModelConfig` does, and continues after a fault: a field that is unknown, has a value of another
 * kind or is repeated is skipped if its end is certain, so that every such field is a separate problem. A syntax error
 * ends the reading. In a text with an unbalanced bracket only the first problem is reported, since the others may
 * follow from it.
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

/** The text with the ranges replaced by spaces. */
const withoutRanges = (text: string, ranges: readonly TextRange[]): string => {
  const parts: string[] = [];
  let end = 0;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    // The field is inside another skipped field.
    if (from < end) continue;
    parts.push(text.slice(end, from), text.slice(from, to).replaceAll(/[^\n]/g, " "));
    end = to;
  }
  return parts.join("") + text.slice(end);
};
