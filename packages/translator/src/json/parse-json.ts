import { pythonText } from "./python-text.ts";
import type { JsonShape } from "../translation.ts";
import type { NamedShapes, Shape } from "./shape.ts";

/** A checked `JSON.parse(text) as T` as an expression in each language, with the same error messages. */
export interface JsonParser {
  /** Calls the support function `parse_as`. */
  readonly python: (text: string) => string;
  /** Calls `parseAs` of {@link javascriptParseAs}. */
  readonly javascript: (text: string) => string;
  /** Helper functions for the Python expression. */
  readonly needs: readonly string[];
}

/**
 * Generates the code of a checked `JSON.parse(text) as T`. Text that is not a T fails with the same message in both
 * languages. @param place The start of the message. Default: "".
 */
export const parseJson = (shape: Shape, named: NamedShapes = {}, place = ""): JsonParser => {
  const rest =
    place !== "" ? [namedData(named), place] : Object.keys(named).length > 0 ? [namedData(named)] : [];
  const data = [dataOf(shape), ...rest];
  const python = data.map(pythonData).join(", ");
  const javascript = data.map((item) => JSON.stringify(item)).join(", ");
  return {
    python: (text) => `parse_as(${text}, ${python})`,
    javascript: (text) => `parseAs(${text}, ${javascript})`,
    needs: ["parse_as"],
  };
};

/** An ES module whose default export is a Map: input → a function that parses its JSON text and checks it. */
export const jsonReaders = (inputs: Readonly<Record<string, JsonShape>>): string | undefined => {
  const readers = Object.entries(inputs).map(
    ([name, { shape, named }]) =>
      `  [${JSON.stringify(name)}, (text) => ${parseJson(shape, named).javascript("text")}],\n`,
  );
  return readers.length === 0
    ? undefined
    : `export default new Map([\n${readers.join("")}]);\n${javascriptParseAs}`;
};

type Data = string | number | boolean | readonly Data[] | { readonly [name: string]: Data };

/**
 * A shape in the form that the checks in both languages read: a list that starts with the kind, or only the name of the
 * kind for scalars.
 */
const dataOf = (shape: Shape): Data => {
  switch (shape.kind) {
    case "literal":
      return ["literal", shape.value];
    case "array":
      return ["array", dataOf(shape.items)];
    case "tuple":
      return ["tuple", ...shape.items.map(dataOf)];
    case "dictionary":
      return ["dictionary", dataOf(shape.values)];
    case "union":
      return ["union", ...shape.of.filter(({ kind }) => kind !== "undefined").map(dataOf)];
    case "named":
      return ["named", shape.name];
    case "record":
      return [
        "record",
        ...shape.properties.map(({ name, shape: of, optional }) => [
          name,
          dataOf(of),
          optional === true || (of.kind === "union" && of.of.some(({ kind }) => kind === "undefined")),
        ]),
      ];
    default:
      return shape.kind;
  }
};

const namedData = (named: NamedShapes): Data =>
  Object.fromEntries(Object.entries(named).map(([name, shape]) => [name, dataOf(shape)]));

const pythonData = (data: Data): string => {
  if (typeof data === "string") return pythonText(data);
  if (typeof data === "boolean") return data ? "True" : "False";
  if (typeof data === "number") return Number.isSafeInteger(data) ? String(data) : `${data}`;
  if (Array.isArray(data)) return `[${(data as readonly Data[]).map(pythonData).join(", ")}]`;
  const items = Object.entries(data as Readonly<Record<string, Data>>);
  return `{${items.map(([name, item]) => `${pythonText(name)}: ${pythonData(item)}`).join(", ")}}`;
};

/** The check in JavaScript; its Python twin is the support function `parse_as`. */
export const javascriptParseAs: string = `
/** JSON.parse(text). Throws if the value does not have the shape; the message starts with the place. */
function parseAs(text, shape, named = {}, place = "") {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SyntaxError(place + "the text is not JSON");
  }
  const fault = misfit(value, shape, named, "");
  if (fault !== "") throw new TypeError(place + fault);
  return value;
}
function misfit(value, shape, named, path) {
  const [kind, ...rest] = typeof shape === "string" ? [shape] : shape;
  if (kind === "named") return misfit(value, named[rest[0]], named, path);
  if (kind === "union" && rest.some((option) => misfit(value, option, named, path) === "")) return "";
  const is = value === null ? "null" : value === undefined ? "nothing" : Array.isArray(value) ? "array" : typeof value;
  if (kind === "literal" ? value === rest[0] : kind === is) {
    if (kind !== "array") return "";
    return first(value.map((item, at) => () => misfit(item, rest[0], named, path + "[" + at + "]")));
  }
  if (kind === "tuple" && is === "array" && value.length === rest.length)
    return first(value.map((item, at) => () => misfit(item, rest[at], named, path + "[" + at + "]")));
  if (kind === "dictionary" && is === "object")
    return first(Object.keys(value).map((name) => () => misfit(value[name], rest[0], named, path + step(name))));
  if (kind === "record" && is === "object")
    return first(
      rest
        .filter(([name, , optional]) => !optional || Object.hasOwn(value, name))
        .map(([name, of]) => () => misfit(Object.hasOwn(value, name) ? value[name] : undefined, of, named, path + step(name))),
    );
  return "the JSON" + (path === "" ? "" : " at " + path) + ": " + describe(shape) + " expected, got " + is;
}
function first(checks) {
  for (const check of checks) {
    const found = check();
    if (found !== "") return found;
  }
  return "";
}
function step(name) {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? "." + name : "[" + JSON.stringify(name) + "]";
}
function describe(shape) {
  const [kind, ...rest] = typeof shape === "string" ? [shape] : shape;
  if (kind === "named") return rest[0];
  if (kind === "literal") return JSON.stringify(rest[0]);
  if (kind === "union") return rest.map((option) => describe(option)).join(" | ");
  if (kind === "tuple") return "array of " + rest.length;
  return kind === "record" || kind === "dictionary" ? "object" : kind;
}
`;
