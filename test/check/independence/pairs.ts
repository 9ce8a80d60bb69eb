import { checkRepository } from "@tritype/check";
import * as fc from "fast-check";
import { type CaseFiles, caseHost } from "../judge/case-files.ts";
import { judgeOptions } from "../judge/checker-verdict.ts";
import { type Draft, draftFiles, type Edit } from "../judge/draft.ts";
import type { Fault } from "../judge/fault.ts";
import { faults } from "../judge/faults.ts";

type Codes = ReadonlySet<string>;

/** One way to break a rule of the judge. */
export interface Mistake {
  readonly about: string;
  readonly on: fc.Arbitrary<Draft>;
  readonly edit: Edit;
}

/** The codes that one mistake adds to one repository by itself. */
export interface Alone {
  readonly draft: Draft;
  readonly files: CaseFiles;
  readonly adds: Codes;
}

/** Everything that the judge breaks. */
export const mistakes = (seed: number): readonly Mistake[] =>
  faults.flatMap((fault) =>
    editsOf(fault, seed).map((edit, i) => ({
      about: `${fault.rule} ${fault.about}, ${i}`,
      on: fault.refusedOn ?? fault.on,
      edit,
    })),
  );

const editsOf = ({ refused = [] }: Fault, seed: number): readonly Edit[] =>
  refused instanceof fc.Arbitrary ? fc.sample(refused, { numRuns: 2, seed }) : refused;

/** The effect of each mistake on a valid repository; undefined if it adds nothing. */
export const aloneOn = (legal: Draft): ((mistake: Mistake) => Alone | undefined) => {
  const before = codesOf(draftFiles(legal));
  const known = new Map<Mistake, Alone | undefined>();
  return (mistake) => {
    if (!known.has(mistake)) {
      const edited = attempt(mistake.edit, legal);
      const adds = new Set(edited && [...codesOf(edited.files)].filter((code) => !before.has(code)));
      known.set(mistake, edited && adds.size > 0 ? { ...edited, adds } : undefined);
    }
    return known.get(mistake);
  };
};

/**
 * Findings with two mistakes at once; undefined if one undoes or equals the other or changes its backend, or if both
 * together have no effect.
 */
export const together = (
  [first, one]: readonly [Mistake, Alone],
  [second, other]: readonly [Mistake, Alone],
): Codes | undefined => {
  const both = attempt(second.edit, one.draft);
  const reversed = attempt(first.edit, other.draft);
  if (both === undefined || reversed === undefined || !same(both.files, reversed.files)) return undefined;
  if (same(both.files, one.files) || same(both.files, other.files)) return undefined;
  const [served, ...others] = [both, one, other].map(({ draft }) => backendOf(draft));
  if (others.some((backend) => backend !== served)) return undefined;
  const codes = codesOf(both.files);
  return codes.size === 0 ? undefined : codes;
};

/** The part that an edit may change in addition to its mistake. */
const backendOf = (draft: Draft): string => {
  const { backend, platform } = draft.at(-1)?.config ?? {};
  return `${backend} ${platform}`;
};

/** Errors only: advice may disappear because of what another mistake changes. */
const codesOf = (files: CaseFiles): Codes =>
  new Set(
    checkRepository(caseHost(files), judgeOptions(true)).diagnostics.flatMap(({ code, severity }) =>
      severity === "error" ? [code] : [],
    ),
  );

/** Edits are made for drafts of their own kind and may have no effect on others. */
const attempt = (edit: Edit, draft: Draft): Omit<Alone, "adds"> | undefined => {
  try {
    const edited = edit(draft);
    return { draft: edited, files: draftFiles(edited) };
  } catch {
    return undefined;
  }
};

const same = (a: CaseFiles, b: CaseFiles): boolean => {
  const paths = Object.keys(a);
  return (
    paths.length === Object.keys(b).length &&
    paths.every((path) => Object.hasOwn(b, path) && equal(a[path], b[path]))
  );
};

const equal = (a: CaseFiles[string] | undefined, b: CaseFiles[string] | undefined): boolean =>
  a === b || (a instanceof Uint8Array && b instanceof Uint8Array && a.join() === b.join());
