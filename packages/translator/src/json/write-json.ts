import { pythonText } from "./python-text.ts";
import type { Shape, ShapeProperty } from "./shape.ts";

/** Python that is equivalent to `JSON.stringify` for values of one type. */
export interface JsonWriter {
  /** Name of a function of one argument. */
  readonly call: string;
  /** The generated functions and constants; "" if a support function suffices. */
  readonly python: string;
  /** Support functions that `call` and `python` use. */
  readonly needs: readonly string[];
}

/**
 * The fastest Python for `JSON.stringify(value)`. Strings, integers and known keys use Python's C encoder, records use
 * f-strings, and everything else uses `stringify`. The generated code falls back to `stringify` for a value that does
 * not match its type: a different order of properties, or undefined where the type excludes it.
 *
 * @param prefix Prefix of the names of the generated functions and constants.
 */
export const writeJson = (prefix: string, shape: Shape): JsonWriter => {
  const parts: string[] = [];
  const needs = new Set<string>();
  const names = new Set<string>();
  const nameOf = (wanted: string): string => {
    let name = wanted;
    for (let count = 2; names.has(name); count++) name = `${wanted}_${count}`;
    names.add(name);
    return name;
  };
  const need = (name: string): string => {
    needs.add(name);
    return name;
  };

  const encoderFor = (of: Shape): string | undefined => {
    const doubts = doubtsAbout(of, "v", keysConstant);
    if (doubts === undefined) return undefined;
    if (doubts.length === 0) return need("plain_json");
    const name = nameOf(`${prefix}_json`);
    define(name, [`return ${need("stringify")}(v) if ${doubts.join(" or ")} else ${need("plain_json")}(v)`]);
    return name;
  };

  const keysConstant = (properties: readonly ShapeProperty[]): string => {
    const name = nameOf(`${prefix.toUpperCase()}_KEYS`);
    parts.push(`${name} = [${properties.map((property) => pythonText(property.name)).join(", ")}]`);
    return name;
  };

  /**
   * Defines the outermost function. A TypeError in this function means that a value is undefined, although its type
   * excludes that (`x!`).
   */
  const define = (name: string, body: readonly string[]): void => {
    parts.push(
      [
        `def ${name}(v):`,
        "    try:",
        ...body.map((line) => `        ${line}`),
        "    except TypeError:",
        `        return ${need("stringify")}(v)`,
      ].join("\n"),
    );
  };

  const defineInner = (name: string, body: readonly string[]): void => {
    parts.push([`def ${name}(v):`, ...body.map((line) => `    ${line}`)].join("\n"));
  };

  /** The function that writes a value; undefined if only `stringify` can. */
  const writerOf = (of: Shape, put = defineInner): string | undefined => {
    if (of.kind === "string") return need("quote");
    if (of.kind === "number") return need("json_number");
    if (of.kind === "array") return arrayWriter(of.items, put);
    if (of.kind === "record") return recordWriter(of, put);
    return undefined;
  };

  const arrayWriter = (items: Shape, put: typeof define): string | undefined => {
    const each = writerOf(items);
    if (each === undefined) return undefined;
    const name = nameOf(`${prefix}_array_json`);
    put(name, [`return "[" + ",".join(map(${each}, v)) + "]"`]);
    return name;
  };

  const recordWriter = (
    { properties }: Shape & { readonly kind: "record" },
    put: typeof define,
  ): string | undefined => {
    if (properties.length === 0 || properties.some(({ name }) => isArrayIndex(name))) return undefined;
    const values = properties.map((_, at) => `v${at + 1}`);
    const texts = properties.map(({ shape }, at) => valueText(shape, values[at] ?? ""));
    const mayMiss = properties.flatMap(({ shape, optional }, at) =>
      optional === true || holdsUndefined(shape) || texts[at]?.startsWith("stringify(")
        ? [`${values[at]} is ${need("undefined")}`]
        : [],
    );
    const checks = [`if [*v] != ${keysConstant(properties)}:`, `    return ${need("stringify")}(v)`];
    const name = nameOf(`${prefix}_json`);
    const text = properties.map(
      (property, at) =>
        `${at === 0 ? "{{" : ","}${literalPart(JSON.stringify(property.name))}:{${texts[at]}}`,
    );
    put(name, [
      ...checks,
      `${values.join(", ")}${values.length === 1 ? "," : ""} = v.values()`,
      ...(mayMiss.length > 0 ? [`if ${mayMiss.join(" or ")}:`, "    return stringify(v)"] : []),
      `return f'${text.join("")}}}'`,
    ]);
    return name;
  };

  /** Python expression for a value's JSON, without quotes, so that it can be used in an f-string. */
  const valueText = (of: Shape, value: string): string => {
    const rest = present(of);
    const nullable = of.kind === "union" && of.of.some(({ kind }) => kind === "null");
    const write = rest.length === 1 && rest[0] !== undefined ? writerOf(rest[0]) : undefined;
    if (write === undefined || nullable) return `${need("stringify")}(${value})`;
    return `${write}(${value})`;
  };

  const isPlain = shape.kind === "string" || shape.kind === "number";
  const call = (isPlain ? undefined : (encoderFor(shape) ?? writerOf(shape, define))) ?? need("stringify");
  return { call, python: parts.map((part) => `${part}\n`).join("\n\n"), needs: [...needs].toSorted() };
};

/**
 * Python conditions under which a value of this type must not be passed to the C encoder, because floats print
 * differently, keys may need sorting, and undefined is omitted. undefined if no value may be passed.
 */
const doubtsAbout = (
  shape: Shape,
  value: string,
  keysConstant: (properties: readonly ShapeProperty[]) => string,
): readonly string[] | undefined => {
  switch (shape.kind) {
    case "string":
    case "boolean":
    case "null":
      return [];
    case "literal":
      return typeof shape.value === "number" ? undefined : [];
    case "number":
      return shape.integer === true ? [] : undefined;
    case "array": {
      if (!canEncode(shape.items)) return undefined;
      const doubts = doubtsAbout(shape.items, "x", keysConstant);
      if (doubts === undefined || doubts.some((doubt) => doubt.includes(" for x in "))) return undefined;
      return doubts.length === 0 ? [] : [`any(${doubts.join(" or ")} for x in ${value})`];
    }
    case "record": {
      const { properties } = shape;
      if (!canEncode(shape)) return undefined;
      const inner = properties.map((property) =>
        doubtsAbout(property.shape, `${value}[${pythonText(property.name)}]`, keysConstant),
      );
      if (inner.includes(undefined)) return undefined;
      const doubts = inner.flatMap((each) => each ?? []);
      return [`[*${value}] != ${keysConstant(properties)}`, ...doubts];
    }
    case "union": {
      const inner = shape.of.map((option) => doubtsAbout(option, value, keysConstant));
      return inner.every((doubts) => doubts?.length === 0) ? [] : undefined;
    }
    default:
      return undefined;
  }
};

/** Whether the C encoder writes all values of the type as JavaScript does, apart from additional properties. */
const canEncode = (shape: Shape): boolean => {
  switch (shape.kind) {
    case "string":
    case "boolean":
    case "null":
      return true;
    case "literal":
      return typeof shape.value !== "number";
    case "number":
      return shape.integer === true;
    case "array":
      return canEncode(shape.items);
    case "union":
      return shape.of.every(
        (option) => option.kind !== "record" && option.kind !== "array" && canEncode(option),
      );
    case "record":
      return shape.properties.every(
        ({ name, shape: of, optional }) => optional !== true && !isArrayIndex(name) && canEncode(of),
      );
    default:
      return false;
  }
};

const holdsUndefined = (shape: Shape): boolean =>
  shape.kind === "undefined" || (shape.kind === "union" && shape.of.some(holdsUndefined));

const present = (shape: Shape): readonly Shape[] =>
  shape.kind === "union" ? shape.of.filter(({ kind }) => kind !== "undefined" && kind !== "null") : [shape];

const isArrayIndex = (name: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(name);

/** Literal text for an f-string in single quotes. */
const literalPart = (text: string): string =>
  pythonText(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'").replaceAll(/[{}]/g, "$&$&");
