/**
 * Formats rows of cells as lines with aligned columns, two spaces apart.
 * @param pad Pads a cell to the width of its column. Default: with spaces after the cell.
 */
export const inColumns = (
  rows: readonly (readonly string[])[],
  pad: (text: string, width: number, column: number) => string = (text, width) => text.padEnd(width),
): readonly string[] => {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows.map((row) => row.map((text, at) => pad(text, widths[at] ?? 0, at)).join("  "));
};
