/** A section as a table: its rows, then its notes and checks. Times are passed in ms and shown in the section's unit. */
export const printSection = ({ title, unit = "ms", rows, notes = [], checks = [] }) => {
  const scale = unit === "µs" ? 1000 : 1;
  const time = (ms) => (ms === undefined ? "" : digits(ms * scale));
  const percentile = rows.some(({ n }) => n >= 100);
  const over = rows.some((row) => row.over !== undefined);
  const extra = [...new Set(rows.flatMap((row) => Object.keys(row.extra ?? {})))];
  const header = [
    title,
    `median ${unit}`,
    "min",
    "max",
    ...(percentile ? ["p99"] : []),
    ...(over ? ["over", "ratio"] : []),
    "n",
    ...extra,
  ];
  const cells = rows.map((row) => [
    `  ${row.name}`,
    time(row.median),
    time(row.min),
    time(row.max),
    ...(percentile ? [time(row.p99)] : []),
    ...(over ? [time(row.over), row.ratio === undefined ? "" : row.ratio.toFixed(2)] : []),
    String(row.n),
    ...extra.map((name) => String(row.extra?.[name] ?? "")),
  ]);
  return [
    ...columns([header, ...cells]),
    ...notes.map((note) => `  ${note}`),
    ...checks.map(
      ({ what, value, limit, ok }) => `  ${ok ? "holds" : "MISSED"}: ${what}: ${value} (${limit})`,
    ),
  ].join("\n");
};

const digits = (value) =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);

const columns = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column] + 2)))
      .join(""),
  );
};
