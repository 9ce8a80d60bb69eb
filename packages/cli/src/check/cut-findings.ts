import type { Diagnostic } from "@tritype/core";

/** Maximum number of findings shown per code and file. */
const perFile = 50;
/** Maximum number of findings shown in total. */
const perCheck = 1000;

/**
 * The findings that are shown to people; in a shortened list, the last one states how many are left out. JSON and SARIF contain all
 * of them.
 */
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
        ? [`and ${diagnostics.length - perCheck} more findings in total; --json lists all of them`]
        : []),
    ];
    return notes.length === 0 ? one : { ...one, notes: [...one.notes, ...notes] };
  });
};
