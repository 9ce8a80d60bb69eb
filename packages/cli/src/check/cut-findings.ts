import type { Diagnostic } from "@tritype/core";

/** Findings of one code in one file that people are shown each. */
const perFile = 50;
/** Findings that people are shown at all. */
const perCheck = 1000;

/** The findings that people can read; the last one of a list that is cut says how many more there are. JSON and SARIF have all. */
export const cutFindings = (diagnostics: readonly Diagnostic[]): readonly Diagnostic[] => {
  const counts = new Map<string, number>();
  const keyOf = ({ code, labels }: Diagnostic): string => `${code} ${labels[0]?.span.file ?? ""}`;
  const kept = diagnostics.filter((one) => {
    const count = (counts.get(keyOf(one)) ?? 0) + 1;
    counts.set(keyOf(one), count);
    return count <= perFile;
  });
  const shown = kept.slice(0, perCheck);
  const last = new Map(shown.map((one) => [keyOf(one), one]));
  return shown.map((one, at) => {
    const more = (counts.get(keyOf(one)) ?? 0) - perFile;
    const notes = [
      ...(more > 0 && last.get(keyOf(one)) === one ? [`and ${more} more \`${one.code}\` in this file`] : []),
      ...(at === perCheck - 1 && kept.length > perCheck
        ? [`and ${diagnostics.length - perCheck} more findings in all; --json lists every one`]
        : []),
    ];
    return notes.length === 0 ? one : { ...one, notes: [...one.notes, ...notes] };
  });
};
