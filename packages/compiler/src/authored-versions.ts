import { type Diagnostic, hasErrors, type StepDefinition } from "@tritype/core";
import { writtenAt } from "./check/check-declaration.ts";
import { diagnose } from "./diagnostics.ts";
import type { Found, StepModel, StepVersion } from "./step-kind.ts";

/** The result of reading each version, in ascending order. Only version 1 if the step lists none. */
export interface ReadVersions<T> {
  /** Whether the author listed the versions. */
  readonly listed: boolean;
  readonly all: ReadonlyMap<number, T>;
}

/** A version listed by the author. */
interface AuthoredVersion {
  readonly number: number;
  /** The step with this version's own options merged over the shared ones. */
  readonly step: StepDefinition;
}

/**
 * Reads each version that a step lists, or the step itself if it lists none. A diagnostic for one version names that version.
 * @param option The option of a step without versions; it cannot be combined with `versions`.
 */
export const readVersions = <T>(
  step: StepDefinition,
  option: string,
  read: (version: StepDefinition) => Found<T>,
): Found<ReadVersions<T>> => {
  const malformed = checkList(step, option);
  if (malformed.length > 0) return { diagnostics: malformed };
  const versions = authoredVersions(step);
  if (versions === undefined) {
    const { diagnostics, value } = read(step);
    return value === undefined
      ? { diagnostics }
      : { diagnostics, value: { listed: false, all: new Map([[1, value]]) } };
  }
  const found = versions.map(({ number, step: version }) => ({ number, ...read(version) }));
  const diagnostics = joined(found);
  const all = new Map(
    found.flatMap(({ number, value }) => (value === undefined ? [] : [[number, value] as const])),
  );
  return hasErrors(diagnostics) ? { diagnostics } : { diagnostics, value: { listed: true, all } };
};

/** A step's version 1, or the versions that it lists, each built by the step's kind. */
export const emitVersions = <T>(
  { listed, all }: ReadVersions<T>,
  emit: (version: T) => StepVersion,
): Pick<StepModel, "files" | "prepared" | "twin" | "versions"> => {
  const versions = new Map([...all].map(([number, version]) => [number, emit(version)] as const));
  return listed ? { files: new Map(), versions } : { files: new Map(), ...versions.get(1) };
};

/**
 * The numbers of the versions that a call refers to: the version that it names, or all if it names none. For a step
 * without versions, this is 1.
 */
export const calledVersions = (step: StepDefinition, version?: number): readonly number[] =>
  authoredVersions(step)
    ?.map(({ number }) => number)
    .filter((number) => version === undefined || number === version) ?? [1];

const authoredVersions = (step: StepDefinition): readonly AuthoredVersion[] | undefined => {
  const { versions, ...shared } = step.options;
  if (versions === undefined) return undefined;
  return Object.entries(versions as Readonly<Record<string, unknown>>)
    .map(([number, own]) => ({
      number: Number(number),
      step: {
        ...step,
        options: { ...shared, ...(typeof own === "object" ? own : {}) },
        places: new Map([
          ...(step.places ?? []),
          ...(step.places?.get("versions")?.fields.get(number)?.fields ?? []),
        ]),
      },
    }))
    .toSorted((a, b) => a.number - b.number);
};

/** Diagnostics that apply to every version are reported once; the others name their version. */
const joined = (
  found: readonly { readonly number: number; readonly diagnostics: readonly Diagnostic[] }[],
): readonly Diagnostic[] => {
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
  const at = { labels: writtenAt(step, "versions") };
  if (step.options[option] !== undefined)
    return [diagnose("version/both", { with: { step: step.name, option }, ...at })];
  const numbers = typeof versions === "object" && versions !== null ? Object.keys(versions) : [];
  if (numbers.length === 0)
    return [diagnose("version/empty-list", { with: { step: step.name, option }, ...at })];
  return numbers
    .filter((number) => !/^[1-9][0-9]{0,14}$/.test(number))
    .map((version) => diagnose("version/bad-number", { with: { step: step.name, version }, ...at }));
};
