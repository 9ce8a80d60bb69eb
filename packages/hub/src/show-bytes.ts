/** A number of bytes in human-readable form: `812 B`, `17.1 MB`, `2.24 GB`; powers of 1000. */
export const showBytes = (bytes: number): string => {
  const step = units.findLastIndex((_, i) => bytes >= 1000 ** i);
  if (step <= 0) return `${bytes} B`;
  const number = bytes / 1000 ** step;
  return `${number.toPrecision(3).includes("e") ? Math.round(number) : Number(number.toPrecision(3))} ${units[step]}`;
};

const units = ["B", "kB", "MB", "GB", "TB"];
