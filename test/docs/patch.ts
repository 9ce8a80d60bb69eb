/**
 * The text with a patch applied: lines with `-` are removed, lines with `+` added, and lines with a space are context. `@@` begins a
 * change further down; each change applies at the first place that its old lines match.
 */
export const applyPatch = (text: string, patch: string): string => {
  const lines = text.split("\n");
  const result: string[] = [];
  let next = 0;
  for (const change of patch.trimEnd().split(/^@@\n/m)) {
    const parts = change.replace(/\n$/, "").split("\n");
    const before = sideOf(parts, "-");
    const at = lines.findIndex((_, i) => i >= next && before.every((line, j) => lines[i + j] === line));
    if (before.length === 0 || at < 0) throw new Error(`these lines are not in the text:\n${change}`);
    result.push(...lines.slice(next, at), ...sideOf(parts, "+"));
    next = at + before.length;
  }
  return [...result, ...lines.slice(next)].join("\n");
};

/** The lines of one side, without their marks. */
const sideOf = (parts: readonly string[], mark: "-" | "+"): readonly string[] =>
  parts.filter((line) => !line.startsWith(mark === "-" ? "+" : "-")).map((line) => line.slice(1));
