import { runInThisContext } from "node:vm";
import {
  javascriptParseAs,
  type JsonWriter,
  type NamedShapes,
  parseJson,
  type Shape,
  selectSupport,
  writeJson,
} from "@tritype/translator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agree, type Exact, exact, exactThrown } from "./exact-values.ts";
import { hostileNumber, hostileText, listOf, pick, type Random, randomOf, upTo } from "./hostile.ts";
import { type PythonChild, startPython } from "./python-child.ts";

let python: PythonChild;
beforeAll(() => {
  python = startPython();
});
afterAll(async () => {
  await python.close();
});

const text: Shape = { kind: "string" };
const number: Shape = { kind: "number" };
const whole: Shape = { kind: "number", integer: true };
const record = (properties: Readonly<Record<string, Shape>>, optional: readonly string[] = []): Shape => ({
  kind: "record",
  properties: Object.entries(properties).map(([name, shape]) => ({
    name,
    shape,
    optional: optional.includes(name),
  })),
});
const array = (items: Shape): Shape => ({ kind: "array", items });
const union = (...of: readonly Shape[]): Shape => ({ kind: "union", of });
const label = record({ label: text, score: number });
const span = record({ label: text, text, start: whole, end: whole });

test.each<[string, Shape, string, string]>([
  ["text", text, "stringify", ""],
  [
    "a list of numbers",
    array(number),
    "row_array_json",
    `def row_array_json(v):
    try:
        return "[" + ",".join(map(json_number, v)) + "]"
    except TypeError:
        return stringify(v)
`,
  ],
  ["a list of texts", array(text), "plain_json", ""],
  [
    "a record",
    label,
    "row_json",
    `ROW_KEYS = ["label", "score"]


def row_json(v):
    try:
        if [*v] != ROW_KEYS:
            return stringify(v)
        v1, v2 = v.values()
        return f'{{"label":{quote(v1)},"score":{json_number(v2)}}}'
    except TypeError:
        return stringify(v)
`,
  ],
  [
    "spans of whole numbers",
    array(span),
    "row_json",
    `ROW_KEYS = ["label", "text", "start", "end"]


def row_json(v):
    try:
        return stringify(v) if any([*x] != ROW_KEYS for x in v) else plain_json(v)
    except TypeError:
        return stringify(v)
`,
  ],
  ["a dictionary", { kind: "dictionary", values: number }, "stringify", ""],
  ["what may be undefined", union(text, { kind: "undefined" }), "stringify", ""],
])("a suitable writer is chosen for %s", (_, shape, call, code) => {
  expect(writeJson("row", shape)).toMatchObject({ call, python: code });
});

test("undefined is written as JSON.stringify writes it, even if the type excludes it", async () => {
  const cases: readonly [Shape, unknown, string][] = [
    [label, { label: "a", score: undefined }, '{"label":"a"}'],
    [label, { label: undefined, score: 1 }, '{"score":1}'],
    [array(number), [1, undefined, 2], "[1,null,2]"],
    [array(text), ["a", undefined], '["a",null]'],
    [array(span), [undefined], "[null]"],
    [record({ on: { kind: "boolean" } }), { on: undefined }, "{}"],
    [record({ inner: label }), { inner: undefined }, "{}"],
  ];
  for (const [shape, value, expected] of cases) {
    expect(JSON.stringify(value)).toBe(expected);
    const writer = writeJson("row", shape);
    const [written] = await python.run({
      source: program(writer),
      function: writer.call,
      calls: [[exact(value)]],
    });
    expect(written).toEqual(exact(expected));
  }
});

/** Numbers of random types that are written and read. `TRITYPE_PROGRAMS=long` tests three times as many. */
const [written, read] = process.env["TRITYPE_PROGRAMS"] === "long" ? [600, 400] : [200, 130];

test(`twenty values each of ${written} random types are written as JSON.stringify writes them`, async () => {
  const random = randomOf(11);
  const different: unknown[] = [];
  const ways = new Set<string>();
  for (let made = 0; made < written; made++) {
    const shape = randomShape(random, 3);
    const writer = writeJson("row", shape);
    ways.add(writer.call);
    const values = Array.from({ length: 20 }, () => valueOf(random, shape, {}));
    const calls = values.map((value) => [asInts(exact(value), shape)]);
    const texts = await python.run({ source: program(writer), function: writer.call, calls });
    values.forEach((value, at) => {
      const expected = exact(JSON.stringify(value));
      if (!agree(expected, texts[at] ?? null))
        different.push({
          shape: JSON.stringify(shape),
          python: writer.python,
          expected,
          written: texts[at],
        });
    });
  }
  expect(different.slice(0, 3), `${different.length} differ`).toEqual([]);
  expect([...ways].toSorted()).toEqual(expect.arrayContaining(["plain_json", "row_json", "stringify"]));
}, 60_000);

const named: NamedShapes = {
  Tree: record({ name: text, children: array({ kind: "named", name: "Tree" }) }),
};

test(`${read} random types: a text that is not a T is refused with the same message in both languages`, async () => {
  const random = randomOf(12);
  const different: unknown[] = [];
  const kinds = { values: 0, faults: 0 };
  for (let made = 0; made < read; made++) {
    const shape = random() < 0.1 ? ({ kind: "named", name: "Tree" } as const) : randomShape(random, 3);
    const other = randomShape(random, 2);
    const {
      python: call,
      javascript,
      needs,
    } = parseJson(shape, random() < 0.5 || shape.kind === "named" ? named : {});
    const texts = Array.from({ length: 20 }, () => jsonText(random, random() < 0.6 ? shape : other));
    const run = parserOf(javascript("text"));
    const calls = texts.map((value) => [exact(value)]);
    const { imports, text: support } = selectSupport([...needs, "Thrown", "undefined"]);
    const source = [...imports.map((name) => `import ${name}\n`), support].join("");
    const parsed = await python.run({ source, function: `lambda text: ${call("text")}`, calls });
    texts.forEach((value, at) => {
      const expected = outcomeOf(() => run(value));
      kinds[Array.isArray(expected) && expected[0] === "throw" ? "faults" : "values"]++;
      if (!agree(expected, parsed[at] ?? null))
        different.push({ shape: JSON.stringify(shape), value, expected, parsed: parsed[at] });
    });
  }
  expect(different.slice(0, 3), `${different.length} differ`).toEqual([]);
  expect(kinds.values).toBeGreaterThan(7 * read);
  expect(kinds.faults).toBeGreaterThan(3 * read);
}, 60_000);

test.each<[Shape, string, string]>([
  [label, '{"label":"x"}', "TypeError: the JSON at .score: number expected, got nothing"],
  [label, '{"label":1,"score":2}', "TypeError: the JSON at .label: string expected, got number"],
  [label, "[]", "TypeError: the JSON: object expected, got array"],
  [label, "{", "SyntaxError: the text is not JSON"],
  [
    array(label),
    '[{"label":"","score":null}]',
    "TypeError: the JSON at [0].score: number expected, got null",
  ],
  [
    record({ "a b": union(text, { kind: "null" }) }),
    '{"a b":1}',
    'TypeError: the JSON at ["a b"]: string | null expected, got number',
  ],
  [{ kind: "literal", value: "on" }, '"off"', 'TypeError: the JSON: "on" expected, got string'],
  [{ kind: "tuple", items: [number, text] }, "[1]", "TypeError: the JSON: array of 2 expected, got array"],
  [
    { kind: "named", name: "Tree" },
    '{"name":"a","children":[{"name":1}]}',
    "TypeError: the JSON at .children[0].name: string expected, got number",
  ],
])("%j refuses %s", (shape, json, message) => {
  const { javascript } = parseJson(shape, named);
  const run = parserOf(javascript("text"));
  expect(() => run(json)).toThrow(
    expect.objectContaining({ message: message.slice(message.indexOf(" ") + 1) }),
  );
  expect(outcomeOf(() => run(json))).toEqual([
    "throw",
    message.split(":")[0],
    message.slice(message.indexOf(" ") + 1),
  ]);
});

/** A function that evaluates an expression over a text, with JavaScript's check in scope. */
const parserOf = (expression: string): ((text: string) => unknown) =>
  runInThisContext(`(function (text) {${javascriptParseAs}\nreturn ${expression};\n})`) as (
    text: string,
  ) => unknown;

const program = ({ python: code, needs }: JsonWriter): string => {
  const { imports, text: support } = selectSupport([...needs, "undefined"]);
  return [...imports.map((name) => `import ${name}\n`), support, "\n\n", code].join("");
};

const outcomeOf = (call: () => unknown): Exact => {
  try {
    return exact(call());
  } catch (error) {
    return exactThrown(error);
  }
};

const names = [
  "a",
  "b",
  "label",
  "score",
  "a b",
  "it's",
  'q"',
  "{x}",
  "é",
  "\u{1f600}",
  "\ud800",
  "10",
  "2",
  "01",
];

const randomShape = (random: Random, depth: number): Shape => {
  const leaf = pick<Shape>(random, [
    text,
    text,
    number,
    whole,
    { kind: "boolean" },
    { kind: "null" },
    { kind: "literal", value: pick(random, ["on", "é", 1, true]) },
    union(text, { kind: "null" }),
    union(number, { kind: "undefined" }),
    union({ kind: "literal", value: "a" }, { kind: "literal", value: 'b"' }),
  ]);
  if (depth === 0 || random() < 0.3) return leaf;
  const inner = (): Shape => randomShape(random, depth - 1);
  return pick<() => Shape>(random, [
    () => array(inner()),
    () => array(inner()),
    () => ({ kind: "tuple", items: [inner(), inner()] }),
    () => ({ kind: "dictionary", values: inner() }),
    () => union(inner(), { kind: "null" }),
    () => randomRecord(random, inner),
    () => randomRecord(random, inner),
    () => randomRecord(random, inner),
  ])();
};

const randomRecord = (random: Random, inner: () => Shape): Shape => {
  const chosen = [
    ...new Set(listOf(random, () => pick(random, random() < 0.8 ? names.slice(0, 4) : names), 4)),
  ];
  return record(
    Object.fromEntries(chosen.map((name) => [name, inner()])),
    chosen.filter(() => random() < 0.15),
  );
};

/** A value of the type, sometimes with additional properties or in a different order. */
const valueOf = (random: Random, shape: Shape, more: NamedShapes): unknown => {
  switch (shape.kind) {
    case "string":
      return hostileText(random);
    case "number":
      return shape.integer === true ? upTo(random, 2000) - 1000 : hostileNumber(random);
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    case "undefined":
      return undefined;
    case "literal":
      return shape.value;
    case "array":
      return listOf(random, () => valueOf(random, shape.items, more), shape.items.kind === "named" ? 1 : 4);
    case "tuple":
      return shape.items.map((item) => valueOf(random, item, more));
    case "dictionary":
      return Object.fromEntries(
        listOf(random, () => [pick(random, names), valueOf(random, shape.values, more)], 4),
      );
    case "union":
      return valueOf(random, pick(random, shape.of), more);
    case "named":
      return valueOf(
        random,
        more[shape.name] ?? text,
        random() < 0.5 ? more : { Tree: record({ name: text, children: array(array(text)) }) },
      );
    default: {
      const properties = shape.properties.filter(({ optional }) => optional !== true || random() < 0.6);
      const entries = properties.map(({ name, shape: of }) => [name, valueOf(random, of, more)] as const);
      if (random() < 0.1) entries.reverse();
      if (random() < 0.1) entries.push(["extra", hostileNumber(random)]);
      return Object.fromEntries(entries);
    }
  }
};

const jsonText = (random: Random, shape: Shape): string =>
  JSON.stringify(valueOf(random, shape, named)) ?? "null";

/** Passes numbers that are known to be integers to Python as ints, as in a translated function. */
const asInts = (value: Exact, shape: Shape): Exact => {
  if (!Array.isArray(value)) return value;
  const [kind, ...items] = value as readonly Exact[];
  if (kind === "n")
    return shape.kind === "number" && shape.integer === true ? ["i", items[0] ?? null] : value;
  if (shape.kind === "array") return [kind ?? null, ...items.map((item) => asInts(item, shape.items))];
  if (shape.kind === "tuple")
    return [kind ?? null, ...items.map((item, at) => asInts(item, shape.items[at] ?? text))];
  const of = (name: Exact): Shape => {
    if (shape.kind === "dictionary") return shape.values;
    const wanted =
      shape.kind === "record"
        ? shape.properties.find((property) => agree(exact(property.name), name))
        : undefined;
    return wanted?.shape ?? text;
  };
  if (kind === "o")
    return [
      "o",
      ...items.map((item) => {
        const [, name, inner] = item as readonly Exact[];
        return ["a", name ?? null, asInts(inner ?? null, of(name ?? null))];
      }),
    ];
  return shape.kind === "union"
    ? asInts(value, shape.of.find(({ kind: other }) => other !== "null" && other !== "undefined") ?? text)
    : value;
};
