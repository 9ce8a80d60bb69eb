import type { Diagnostic, StepDefinition } from "@tritype/core";
import { definedAt } from "./check/check-declaration.ts";
import { diagnose } from "./diagnostics.ts";

/** One version that an author listed. */
export interface AuthoredVersion {
  readonly number: number;
  /** The step with this version's own options over the shared ones. */
  readonly step: StepDefinition;
}

/** The versions that a step lists under `versions`, ascending; undefined where it lists none. */
export const authoredVersions = (step: StepDefinition): readonly AuthoredVersion[] | undefined => {
  const { versions, ...shared } = step.options;
  if (versions === undefined) return undefined;
  return Object.entries(versions as Readonly<Record<string, unknown>>)
    .map(([number, own]) => ({
      number: Number(number),
      step: { ...step, options: { ...shared, ...(typeof own === "object" ? own : {}) } },
    }))
    .toSorted((a, b) => a.number - b.number);
};

/**
 * Checks each version that a step lists, or the step itself where it lists none. What is wrong with one version says which.
 * @param option Of a step without versions; excludes them.
 */
export const checkVersions = (
  step: StepDefinition,
  option: string,
  check: (version: StepDefinition) => readonly Diagnostic[],
): readonly Diagnostic[] => {
  const malformed = checkList(step, option);
  if (malformed.length > 0) return malformed;
  const versions = authoredVersions(step);
  if (versions === undefined) return check(step);
  const found = versions.map(({ number, step: version }) => ({ number, diagnostics: check(version) }));
  const keys = found.map(({ diagnostics }) => new Set(diagnostics.map((one) => JSON.stringify(one))));
  const inAll = (diagnostic: Diagnostic): boolean =>
    keys.length > 1 && keys.every((set) => set.has(JSON.stringify(diagnostic)));
  return [
    ...(found[0]?.diagnostics ?? []).filter(inAll),
    ...found.flatMap(({ number, diagnostics }) =>
      diagnostics
        .filter((diagnostic) => !inAll(diagnostic))
        .map((diagnostic) => ({ ...diagnostic, message: `version ${number}: ${diagnostic.message}` })),
    ),
  ];
};

const checkList = (step: StepDefinition, option: string): readonly Diagnostic[] => {
  const { versions } = step.options;
  if (versions === undefined) return [];
  const at = { labels: definedAt(step) };
  if (step.options[option] !== undefined)
    return [diagnose("version/both", { with: { step: step.name, option }, ...at })];
  const numbers = typeof versions === "object" && versions !== null ? Object.keys(versions) : [];
  if (numbers.length === 0)
    return [diagnose("version/empty-list", { with: { step: step.name, option }, ...at })];
  return numbers
    .filter((number) => !/^[1-9][0-9]{0,14}$/.test(number))
    .map((version) => diagnose("version/bad-number", { with: { step: step.name, version }, ...at }));
};
