import type { Terminal } from "../terminal.ts";

/** The difference between two strings, as in `diff -u`, with three lines of context around each change. */
export const lineDiff = (
  file: string,
  before: string,
  after: string,
  colors: Terminal["outColors"],
): string => {
  const lines = commonLines(before.split("\n"), after.split("\n"));
  const shown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - 3), index + 4).some(([mark]) => mark !== " "),
  );
  const text = lines.flatMap(([mark, line], index) => {
    if (!shown[index]) return shown[index - 1] ? ["…"] : [];
    const whole = `${mark}${line}`;
    return [mark === "+" ? colors.green(whole) : mark === "-" ? colors.red(whole) : whole];
  });
  return [colors.bold(file), ...text.slice(0, text.at(-1) === "…" ? -1 : undefined)].join("\n");
};

type Line = readonly [mark: " " | "+" | "-", text: string];

/** The longest common subsequence, by dynamic programming. */
const commonLines = (a: readonly string[], b: readonly string[]): readonly Line[] => {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row !== undefined)
        row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: Line[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push([" ", a[i] ?? ""]);
      i++;
      j++;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1)))
      lines.push(["-", a[i++] ?? ""]);
    else lines.push(["+", b[j++] ?? ""]);
  }
  return lines;
};
