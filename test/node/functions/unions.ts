import type { Case } from "./case.ts";
import { nested, strangers } from "./rows.ts";

type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "name"; readonly name: string }
  | {
      readonly kind: "call";
      readonly operator: "+" | "-" | "*" | "/";
      readonly left: Expression;
      readonly right: Expression;
    };

const never = (value: never): never => {
  throw new TypeError(`unexpected ${JSON.stringify(value)}`);
};

const evaluate = (expression: Expression, scope: ReadonlyMap<string, number>): number => {
  switch (expression.kind) {
    case "number":
      return expression.value;
    case "name": {
      const value = scope.get(expression.name);
      if (value === undefined) throw new ReferenceError(`${expression.name} has no value`);
      return value;
    }
    case "call": {
      const [left, right] = [evaluate(expression.left, scope), evaluate(expression.right, scope)];
      switch (expression.operator) {
        case "+":
          return left + right;
        case "-":
          return left - right;
        case "*":
          return left * right;
        case "/":
          if (right === 0) throw new RangeError("division by zero");
          return left / right;
        default:
          return never(expression.operator);
      }
    }
    default:
      return never(expression);
  }
};

const evaluated = ({
  expression,
  scope,
}: {
  expression: Expression;
  scope?: Record<string, number>;
}): number => evaluate(expression, new Map(Object.entries(scope ?? {})));

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Sorted keys, so that equal values have equal texts. */
const canonical = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => `${JSON.stringify(key)}:${canonical(one as Json)}`)
      .join(",")}}`;
  return JSON.stringify(value);
};

interface Comment {
  readonly author: string;
  readonly text?: string;
  readonly replies?: readonly Comment[];
}

const thread = (comment: Comment, depth = 0): string[] => [
  `${"  ".repeat(depth)}${comment.author}: ${comment.text ?? "…"}`,
  ...(comment.replies ?? []).flatMap((reply) => thread(reply, depth + 1)),
];

type Difference = { readonly path: string } & (
  | { readonly op: "add" | "replace"; readonly value: Json }
  | { readonly op: "remove" }
);

/** A JSON patch from one value to another. */
const difference = (from: Json, to: Json, path = ""): readonly Difference[] => {
  if (Object.is(from, to)) return [];
  const isObject = (value: Json): value is { [key: string]: Json } =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(from) || !isObject(to))
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ op: "replace", path, value: to }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key): readonly Difference[] => {
    const at = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!Object.hasOwn(to, key)) return [{ op: "remove", path: at }];
    if (!Object.hasOwn(from, key)) return [{ op: "add", path: at, value: to[key] as Json }];
    return difference(from[key] as Json, to[key] as Json, at);
  });
};

const patch = ([from, to]: [Json, Json]): unknown => difference(from, to);

type Event =
  | { readonly type: "created"; readonly id: string; readonly price: number }
  | { readonly type: "renamed"; readonly id: string; readonly name: string }
  | { readonly type: "discounted"; readonly id: string; readonly percent: number }
  | { readonly type: "deleted"; readonly id: string };

const replay = (events: readonly Event[]): unknown => {
  const items: Record<string, { price: number; name?: string }> = {};
  for (const event of events) {
    const item = items[event.id];
    if (event.type === "created") items[event.id] = { price: event.price };
    else if (item === undefined) throw new Error(`${event.type} of the unknown item ${event.id}`);
    else if (event.type === "renamed") item.name = event.name;
    else if (event.type === "discounted") item.price *= 1 - event.percent / 100;
    else if (event.type === "deleted") delete items[event.id];
    else never(event);
  }
  return items;
};

const revived = (text: string): unknown =>
  JSON.parse(text, (key, value: unknown) => {
    if (key === "secret") return undefined;
    return typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? { date: Date.parse(value) } : value;
  }) ?? "nothing";

const written = (value: unknown): unknown => [
  JSON.stringify(
    value,
    (key, one: unknown) => (key.startsWith("_") ? undefined : typeof one === "number" ? one * 2 : one),
    "\t",
  ),
  JSON.stringify(value, ["a", "b", "0"]),
  JSON.stringify({
    nothing: undefined,
    list: [undefined, () => 1],
    nan: Number.NaN,
    zero: -0,
    at: new Date(0),
    key: Symbol("x"),
  }),
];

const circular = (value: unknown): string => {
  const parent: Record<string, unknown> = { value };
  parent["child"] = { parent };
  return JSON.stringify(parent);
};

const deepGet = ({ value, path }: { value: unknown; path: string }): unknown => {
  const keys = path.split(/[.[\]]+/).filter(Boolean);
  return keys.reduce<any>((at, key) => at[key], value) ?? null; // oxlint-disable-line
};

const deepMerge = (values: readonly Record<string, unknown>[]): unknown => {
  const isPlain = (value: unknown): value is Record<string, unknown> =>
    Object.prototype.toString.call(value) === "[object Object]";
  const merge = (into: Record<string, unknown>, from: Record<string, unknown>): Record<string, unknown> => {
    for (const [key, value] of Object.entries(from)) {
      if (key === "__proto__") throw new TypeError("prototype pollution");
      const known = into[key];
      into[key] = isPlain(known) && isPlain(value) ? merge({ ...known }, value) : value;
    }
    return into;
  };
  return values.reduce((all, one) => merge(all, one), {});
};

const pollution = (value: Record<string, unknown>): unknown => {
  const copy = { ...value };
  const assigned = Object.assign({}, value) as Record<string, unknown>;
  return {
    own: Object.keys(copy),
    assigned: Object.keys(assigned),
    admin: assigned["admin"] ?? null,
    clean: ({} as { admin?: unknown }).admin === undefined,
  };
};

const pathsOf = (value: unknown): unknown => {
  const stack: (readonly [string, unknown])[] = [["$", value]];
  const found: string[] = [];
  while (stack.length > 0) {
    const [path, one] = stack.pop() as readonly [string, unknown];
    if (typeof one !== "object" || one === null) found.push(`${path.length}:${typeof one}`);
    else for (const [key, next] of Object.entries(one)) stack.push([`${path}.${key}`, next]);
  }
  return found;
};

interface Schema {
  readonly type: "object" | "array" | "string" | "number";
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

class Invalid extends Error {
  constructor(path: readonly string[], wanted: string, got: unknown) {
    super(`${path.join(".") || "it"} is ${got === null ? "null" : typeof got}, not ${wanted}`);
    Object.defineProperty(this, "name", { value: "Invalid" });
  }
}

const validate = (schema: Schema, value: unknown, path: readonly string[] = []): number => {
  const actual = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  if (actual !== schema.type) throw new Invalid(path, schema.type, value);
  if (schema.type === "array")
    return (value as unknown[]).reduce<number>(
      (count, one, at) => count + validate(schema.items ?? schema, one, [...path, `${at}`]),
      1,
    );
  if (schema.type !== "object") return 1;
  const record = value as Record<string, unknown>;
  for (const name of schema.required ?? [])
    if (!(name in record)) throw new Invalid([...path, name], "missing", undefined);
  return Object.entries(schema.properties ?? {}).reduce(
    (count, [name, next]) =>
      count + (Object.hasOwn(record, name) ? validate(next, record[name], [...path, name]) : 0),
    1,
  );
};

const person: Schema = {
  type: "object",
  properties: {
    name: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
    address: { type: "object", properties: { zip: { type: "number" } }, required: ["zip"] },
  },
  required: ["name"],
};

const validPerson = (value: unknown): number => validate(person, value);

const number = (value: number) => ({ kind: "number", value });
const call = (operator: string, left: unknown, right: unknown) => ({ kind: "call", operator, left, right });
const deepSum = (depth: number): unknown => {
  let value: unknown = number(1);
  for (let at = 0; at < depth; at++) value = call("+", value, number(at));
  return value;
};

export const cases: readonly Case[] = [
  {
    name: "evaluated",
    run: evaluated,
    rows: [
      { expression: call("*", number(6), call("-", number(9), number(2))) },
      { expression: call("/", number(1), { kind: "name", name: "x" }), scope: { x: 0 } },
      { expression: { kind: "name", name: "constructor" } },
      { expression: call("%", number(1), number(2)) },
      { expression: deepSum(300) },
      { expression: { kind: "list" } },
      { expression: call("+", number(1), null) },
      {},
    ],
  },
  {
    name: "canonical",
    run: canonical,
    rows: [
      ...strangers,
      { b: 1, a: { d: [3, { z: 1, y: 2 }], c: null } },
      { é: 1, e: 2, "😀": 3, "\ud800": 4, 10: 5, 9: 6 },
      nested(200),
    ],
  },
  {
    name: "thread",
    run: (comment: Comment) => thread(comment),
    rows: [
      { author: "a", text: "hi", replies: [{ author: "b", replies: [{ author: "c", text: "" }] }] },
      { author: "x" },
      { author: "x", replies: "ab" },
      { author: "x", replies: [null] },
      { replies: [] },
      "text",
    ],
  },
  {
    name: "patch",
    run: patch,
    rows: [
      [{ a: 1, b: { c: [1] } }, { b: { c: [1, 2], "d/~": 0 } }],
      [{}, {}],
      [[1], [1]],
      [1, null],
      [{ a: null }, { a: {} }],
      [JSON.parse('{"__proto__": 1}'), {}],
      5,
    ],
  },
  {
    name: "replay",
    run: replay,
    rows: [
      [
        { type: "created", id: "a", price: 10 },
        { type: "discounted", id: "a", percent: 33 },
        { type: "renamed", id: "a", name: "A" },
      ],
      [
        { type: "created", id: "a", price: 1 },
        { type: "deleted", id: "a" },
        { type: "renamed", id: "a", name: "A" },
      ],
      [{ type: "deleted", id: "toString" }],
      [
        { type: "created", id: "a", price: 1 },
        { type: "exploded", id: "a" },
      ],
      [],
      [null],
      {},
    ],
  },
  {
    name: "revived",
    run: revived,
    rows: [
      '{"at": "2024-01-01T00:00:00Z", "secret": 1, "list": [{"secret": 2}]}',
      "1e999",
      '{"a":1,"a":2}',
      '"\\ud800"',
      "",
      "{a: 1}",
      "[1,]",
      "01",
      '{"__proto__": {"x": 1}}',
      "\u00a01",
      "nul",
      '"\n"',
      `${"[".repeat(300)}${"]".repeat(300)}`,
      null,
    ],
  },
  {
    name: "written",
    run: written,
    rows: [...strangers, { a: 1, _b: 2, b: [1.5, { a: "x" }] }, "\ud800\u2028</script>"],
  },
  { name: "circular", run: circular, rows: [1, null] },
  {
    name: "deepGet",
    run: deepGet,
    rows: [
      { value: { a: [{ b: 5 }] }, path: "a[0].b" },
      { value: { a: 1 }, path: "a.b.c" },
      { value: null, path: "x" },
      { value: null, path: "" },
      { value: "text", path: "length" },
      { value: {}, path: "__proto__.x" },
      { value: 1 },
    ],
  },
  {
    name: "deepMerge",
    run: deepMerge,
    rows: [
      [{ a: { b: 1 } }, { a: { c: [1] } }, { a: { c: [2] } }],
      [],
      [{}, JSON.parse('{"a": {"__proto__": {"x": 1}}}')],
      [JSON.parse('{"__proto__": 1}')],
      [{ constructor: { x: 1 } }, { constructor: { y: 2 } }],
      [null],
      "ab",
      [["x"]],
    ],
  },
  { name: "pollution", run: pollution, rows: strangers },
  { name: "pathsOf", run: pathsOf, rows: [...strangers, nested(500), { a: { b: [true, null, "x"] } }] },
  {
    name: "validPerson",
    run: validPerson,
    rows: [
      { name: "A", tags: ["x", "y"], address: { zip: 1 } },
      { name: "A" },
      { tags: [] },
      { name: 5 },
      { name: "A", tags: ["x", null] },
      { name: "A", address: {} },
      { name: "A", address: { zip: "1" } },
      ...strangers,
    ],
  },
];
