/** A number as prometheus-cpp prints it: `%.16g` in C. */
export const printSample = (value: number): string => {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "Nan" : value > 0 ? "+Inf" : "-Inf";
  const rounded = Number(value.toPrecision(16));
  const size = Math.abs(rounded);
  if (size === 0 || (size >= 1e-4 && size < 1e16)) return String(rounded);
  const [digits = "", exponent = ""] = rounded.toExponential().split("e");
  return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, "0")}`;
};
