import { percentFormat } from "./format-text.ts";
import {
  compare,
  elementsOf,
  isEqual,
  isList,
  isMap,
  isMissing,
  isText,
  isTrue,
  type Make,
  numberOf,
  pythonText,
} from "./values.ts";
import type { Value } from "./library.ts";

/** The arguments of a filter, a test or a method. */
export interface Arguments {
  readonly values: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** The parts of a running template that filters need. */
export interface Running {
  readonly make: Make;
  /** Applies another filter. */
  filter(name: string, value: Value, given: Arguments): Value;
  /** Whether a value passes a test. */
  test(name: string, value: Value, other: Value | undefined): boolean;
}

/** @param get The argument with this name, or at its position in `parameters`; undefined if it was not given or is `none`. */
type Filter = (value: Value, get: Getter, running: Running, given: Arguments) => Value;
type Getter = (name: string) => Value | undefined;

const filter = (
  parameters: string,
  apply: Filter,
): ((value: Value, given: Arguments, running: Running) => Value) => {
  const names = parameters === "" ? [] : parameters.split(" ");
  return (value, given, running) => {
    const get: Getter = (name) => {
      const found = given.named.get(name) ?? given.values[names.indexOf(name)];
      return found?.type === "NullValue" ? undefined : found;
    };
    return apply(value, get, running, given);
  };
};

/** The attribute at a path such as `function.name`; a number is an index. */
const attributeOf = (value: Value, path: Value | undefined, make: Make): Value =>
  pythonText(path)
    .split(".")
    .reduce<Value>(
      (at, key) =>
        (isMap(at)
          ? at.value.get(key)
          : isList(at)
            ? at.value[groupFields[key] ?? Number(key)]
            : undefined) ?? make.missing,
      value,
    );

/** The fields of a group of `groupby`. */
const groupFields: Readonly<Record<string, number>> = { grouper: 0, list: 1 };

/** For comparisons that ignore case by default. */
const folded = (value: Value, sensitive: boolean, make: Make): Value =>
  isText(value) && !sensitive ? make.text(value.value.toLowerCase()) : value;

const best =
  (sign: 1 | -1): Filter =>
  (value, get, { make }) => {
    const keyOf = (one: Value): Value => {
      const path = get("attribute");
      return folded(
        path === undefined ? one : attributeOf(one, path, make),
        isTrue(get("case_sensitive")),
        make,
      );
    };
    const [first, ...rest] = elementsOf(value, make);
    return rest.reduce(
      (top, one) => (sign * compare(keyOf(one), keyOf(top)) > 0 ? one : top),
      first ?? make.missing,
    );
  };

/** `select`, `reject`, and the same by attribute. */
const chosen =
  (wanted: boolean, byAttribute: boolean): Filter =>
  (value, _, { make, test }, { values }) => {
    const [path, name, other] = byAttribute ? values : [undefined, ...values];
    return make.list(
      elementsOf(value, make).filter((one) => {
        const tested = byAttribute ? attributeOf(one, path, make) : one;
        return (name === undefined ? isTrue(tested) : test(pythonText(name), tested, other)) === wanted;
      }),
    );
  };

const sorted = (values: readonly Value[], keyOf: (one: Value) => Value, reverse: boolean): readonly Value[] =>
  values.toSorted((a, b) => (reverse ? compare(keyOf(b), keyOf(a)) : compare(keyOf(a), keyOf(b))));

const count: Filter = (value, _, { make }) => make.integer(elementsOf(value, make).length);
const escaped: Filter = (value, _, { make }) =>
  make.text(
    pythonText(value).replaceAll(
      /[&<>'"]/g,
      (one) => `&${{ "&": "amp", "<": "lt", ">": "gt", "'": "#39", '"': "#34" }[one]};`,
    ),
  );

/** The filters that the template library lacks, or applies differently from Jinja. */
export const valueFilters: ReadonlyMap<string, ReturnType<typeof filter>> = new Map([
  [
    "abs",
    filter("", (value, _, { make }) =>
      (value.type === "FloatValue" ? make.float : make.integer)(Math.abs(numberOf(value))),
    ),
  ],
  // A mapping has no attributes in Python, only items.
  ["attr", filter("", (_, __, { make }) => make.missing)],
  [
    "capitalize",
    filter("", (value, _, { make }) => {
      const text = pythonText(value);
      return make.text(text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase());
    }),
  ],
  ["count", filter("", count)],
  ["length", filter("", count)],
  [
    "dictsort",
    filter("case_sensitive by reverse", (value, get, { make }) => {
      const at = pythonText(get("by")) === "value" ? 1 : 0;
      const keyOf = (pair: Value): Value =>
        folded(
          (isList(pair) ? pair.value[at] : undefined) ?? make.missing,
          isTrue(get("case_sensitive")),
          make,
        );
      return make.list(sorted(pairsOf(value, make), keyOf, isTrue(get("reverse"))));
    }),
  ],
  ["e", filter("", escaped)],
  ["escape", filter("", escaped)],
  ["first", filter("", (value, _, { make }) => elementsOf(value, make)[0] ?? make.missing)],
  ["last", filter("", (value, _, { make }) => elementsOf(value, make).at(-1) ?? make.missing)],
  [
    "float",
    filter("default", (value, get, { make }) => {
      const read = isText(value)
        ? Number(value.value.trim() || "x")
        : isMissing(value) || value.type === "NullValue"
          ? Number.NaN
          : numberOf(value);
      return Number.isNaN(read) ? (get("default") ?? make.float(0)) : make.float(read);
    }),
  ],
  [
    "int",
    filter("default base", (value, get, { make }) => {
      const base = numberOf(get("base") ?? make.integer(10));
      const read = isText(value)
        ? integerIn(value.value.trim(), base)
        : isMissing(value) || value.type === "NullValue"
          ? undefined
          : Math.trunc(numberOf(value));
      return read === undefined ? (get("default") ?? make.integer(0)) : make.integer(read);
    }),
  ],
  [
    "format",
    filter("", (value, _, { make }, { values, named }) =>
      make.text(percentFormat(pythonText(value), values, named)),
    ),
  ],
  [
    "groupby",
    filter("attribute default", (value, get, { make }) => {
      const keyOf = (one: Value): Value => {
        const key = attributeOf(one, get("attribute"), make);
        return isMissing(key) ? (get("default") ?? key) : key;
      };
      const groups: { key: Value; values: Value[] }[] = [];
      for (const one of sorted(elementsOf(value, make), (each) => folded(keyOf(each), false, make), false)) {
        const last = groups.at(-1);
        if (last !== undefined && isEqual(folded(last.key, false, make), folded(keyOf(one), false, make)))
          last.values.push(one);
        else groups.push({ key: keyOf(one), values: [one] });
      }
      return make.list(groups.map(({ key, values }) => make.tuple([key, make.list(values)])));
    }),
  ],
  ["items", filter("", (value, _, { make }) => make.list(pairsOf(value, make)))],
  [
    "join",
    filter("d attribute", (value, get, { make }) => {
      const path = get("attribute");
      const texts = elementsOf(value, make).map((one) =>
        pythonText(path === undefined ? one : attributeOf(one, path, make)),
      );
      return make.text(texts.join(pythonText(get("d"))));
    }),
  ],
  ["list", filter("", (value, _, { make }) => make.list(elementsOf(value, make)))],
  [
    "map",
    filter("", (value, _, { make, filter: apply }, { values: [name, ...values], named }) =>
      make.list(
        elementsOf(value, make).map((one) => {
          if (name !== undefined) return apply(pythonText(name), one, { values, named });
          const found = attributeOf(one, named.get("attribute"), make);
          return isMissing(found) ? (named.get("default") ?? found) : found;
        }),
      ),
    ),
  ],
  ["max", filter("case_sensitive attribute", best(1))],
  ["min", filter("case_sensitive attribute", best(-1))],
  ["reject", filter("", chosen(false, false))],
  ["rejectattr", filter("", chosen(false, true))],
  ["select", filter("", chosen(true, false))],
  ["selectattr", filter("", chosen(true, true))],
  [
    "reverse",
    filter("", (value, _, { make }) =>
      isText(value)
        ? make.text(Array.from(value.value).toReversed().join(""))
        : make.list(elementsOf(value, make).toReversed()),
    ),
  ],
  [
    "round",
    filter("precision method", (value, get, { make }) => {
      const scale = 10 ** numberOf(get("precision") ?? make.integer(0));
      const method = pythonText(get("method"));
      const rounded = method === "ceil" ? Math.ceil : method === "floor" ? Math.floor : halfToEven;
      return make.float(rounded(numberOf(value) * scale) / scale);
    }),
  ],
  [
    "sort",
    filter("reverse case_sensitive attribute", (value, get, { make }) => {
      const paths = get("attribute") === undefined ? [] : pythonText(get("attribute")).split(",");
      const keyOf = (one: Value): Value => {
        const keys = paths.map((path) =>
          folded(attributeOf(one, make.text(path), make), isTrue(get("case_sensitive")), make),
        );
        return paths.length === 0 ? folded(one, isTrue(get("case_sensitive")), make) : make.list(keys);
      };
      return make.list(sorted(elementsOf(value, make), keyOf, isTrue(get("reverse"))));
    }),
  ],
  ["string", filter("", (value, _, { make }) => make.text(pythonText(value)))],
  [
    "sum",
    filter("attribute start", (value, get, { make }) => {
      const path = get("attribute");
      const values = elementsOf(value, make).map((one) =>
        path === undefined ? one : attributeOf(one, path, make),
      );
      const start = get("start") ?? make.integer(0);
      if (isList(start))
        return make.list([...start.value, ...values.flatMap((one) => elementsOf(one, make))]);
      const total = values.reduce((sum, one) => sum + numberOf(one), numberOf(start));
      return [start, ...values].some(({ type }) => type === "FloatValue")
        ? make.float(total)
        : make.integer(total);
    }),
  ],
  [
    "trim",
    filter("chars", (value, get, { make }) => make.text(stripped(pythonText(value), get("chars"), "both"))),
  ],
  [
    "unique",
    filter("case_sensitive attribute", (value, get, { make }) => {
      const path = get("attribute");
      const keyOf = (one: Value): Value =>
        folded(path === undefined ? one : attributeOf(one, path, make), isTrue(get("case_sensitive")), make);
      const all = elementsOf(value, make);
      return make.list(
        all.filter((one, i) => !all.slice(0, i).some((earlier) => isEqual(keyOf(earlier), keyOf(one)))),
      );
    }),
  ],
]);

export const pairsOf = (value: Value, make: Make): readonly Value[] =>
  isMap(value) ? [...value.value].map(([key, one]) => make.tuple([make.text(key), one])) : [];

/** `strip`, `lstrip` and `rstrip` of Python. */
export const stripped = (text: string, chars: Value | undefined, side: "both" | "left" | "right"): string => {
  const set = isText(chars) ? new Set(chars.value) : undefined;
  const all = Array.from(text);
  const stays = (one: string): boolean => !(set?.has(one) ?? /\s/.test(one));
  const from = side === "right" ? 0 : all.findIndex(stays);
  const to = side === "left" ? all.length : all.findLastIndex(stays) + 1;
  return from < 0 ? "" : all.slice(from, to).join("");
};

const integerIn = (text: string, base: number): number | undefined => {
  const prefix = { 2: /^([-+]?)0b/i, 8: /^([-+]?)0o/i, 16: /^([-+]?)0x/i }[base];
  const digits = prefix === undefined ? text : text.replace(prefix, "$1");
  const read = Number.parseInt(digits, base);
  const isWhole = /^[-+]?[0-9a-z]+$/i.test(digits) && !Number.isNaN(read);
  if (isWhole) return read;
  const float = Number(text || "x");
  return Number.isFinite(float) ? Math.trunc(float) : undefined;
};

const halfToEven = (value: number): number => {
  const low = Math.floor(value);
  if (value - low !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
};
