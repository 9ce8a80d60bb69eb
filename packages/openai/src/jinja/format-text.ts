import { numberOf, pythonRepr, pythonText } from "./values.ts";
import type { Value } from "./library.ts";

const conversion =
  /%(?:\((?<key>[^)]*)\))?(?<flags>[-+ 0#]*)(?<width>\d*)(?:\.(?<digits>\d+))?(?<kind>[sdiufFeEgGxXorc%])/g;

/** `template % values` in Python. @throws Error if the number of values differs. */
export const percentFormat = (
  template: string,
  values: readonly Value[],
  named: ReadonlyMap<string, Value>,
): string => {
  let next = 0;
  const text = template.replaceAll(conversion, (_, ...found) => {
    const { key, flags, width, digits, kind } = found.at(-1) as Record<string, string | undefined>;
    if (kind === "%") return "%";
    const value = key === undefined ? values[next++] : named.get(key);
    if (value === undefined) throw new Error("not enough arguments for format string");
    return padded(converted(value, kind ?? "s", digits), Number(width ?? 0), flags ?? "");
  });
  if (next < values.length) throw new Error("not all arguments converted during string formatting");
  return text;
};

const converted = (value: Value, kind: string, digits: string | undefined): string => {
  if (kind === "s" || kind === "c")
    return pythonText(value).slice(0, digits === undefined ? undefined : Number(digits));
  if (kind === "r") return pythonRepr(value);
  return numberText(numberOf(value), kind, digits);
};

const numberText = (value: number, kind: string, digits: string | undefined): string => {
  const fraction = Number(digits ?? 6);
  switch (kind.toLowerCase()) {
    case "f":
      return value.toFixed(fraction);
    case "e":
      return upper(value.toExponential(fraction).replace(/e([-+])(\d)$/, "e$10$2"), kind);
    case "g":
      return upper(String(Number(value.toPrecision(Math.max(1, fraction)))), kind);
    case "x":
      return upper(Math.trunc(value).toString(16), kind);
    case "o":
      return Math.trunc(value).toString(8);
    default:
      return String(Math.trunc(value));
  }
};

const upper = (text: string, kind: string): string =>
  kind === kind.toUpperCase() ? text.toUpperCase() : text;

const padded = (text: string, width: number, flags: string): string => {
  const sign = /^[-+]/.test(text) ? "" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  const signed = /^[\d.]/.test(text) ? sign + text : text;
  if (flags.includes("-")) return signed.padEnd(width);
  if (!flags.includes("0") || !/^[-+ ]?\d/.test(signed)) return signed.padStart(width);
  const [, mark = "", rest = ""] = /^([-+ ]?)(.*)$/s.exec(signed) ?? [];
  return mark + rest.padStart(width - mark.length, "0");
};

const field = /\{\{|\}\}|\{(?<name>\w*)(?:!(?<convert>[rs]))?\}/g;

/** `template.format(…)` in Python, without format specifications. @throws Error for a missing value, and for anything else in braces. */
export const braceFormat = (
  template: string,
  values: readonly Value[],
  named: ReadonlyMap<string, Value>,
): string => {
  let next = 0;
  if (/[{}]/.test(template.replaceAll(field, ""))) throw new Error(`format cannot read ${template}`);
  return template.replaceAll(field, (whole, ...found) => {
    if (whole === "{{" || whole === "}}") return whole.slice(1);
    const { name = "", convert } = found.at(-1) as Record<string, string | undefined>;
    const value = name === "" ? values[next++] : /^\d/.test(name) ? values[Number(name)] : named.get(name);
    if (value === undefined) throw new Error(`format has no value for {${name}}`);
    return convert === "r" ? pythonRepr(value) : pythonText(value);
  });
};
