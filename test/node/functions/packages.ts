import Ajv from "ajv";
import { DockerfileParser } from "dockerfile-ast";
import fc from "fast-check";
import picocolors from "picocolors";
import protobuf from "protobufjs";
import * as yaml from "yaml";
import * as z from "zod";
import type { Case } from "./case.ts";
import { strangers, strings } from "./rows.ts";

const Person = z.object({
  name: z.string().trim().min(1).max(40),
  age: z.coerce.number().int().min(0).max(150).optional(),
  email: z.email().toLowerCase().optional(),
  tags: z.array(z.string()).default([]),
});

const person = (row: unknown): unknown => Person.parse(row);

const safePerson = (row: unknown): unknown => {
  const { success, data, error } = Person.safeParse(row);
  return success ? data : z.flattenError(error);
};

type Tree = { readonly value: number; readonly children: readonly Tree[] };
const TreeSchema: z.ZodType<Tree> = z.lazy(() =>
  z.object({ value: z.number(), children: z.array(TreeSchema) }),
);
const sumOf = (tree: Tree): number => tree.children.reduce((sum, child) => sum + sumOf(child), tree.value);
const tree = (row: unknown): number => sumOf(TreeSchema.parse(row));

const Command = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("move"), by: z.tuple([z.number(), z.number()]) }),
  z.object({ kind: z.literal("say"), text: z.string().regex(/^[^\d]*$/u) }),
  z.strictObject({ kind: z.literal("stop") }),
]);
const command = (row: unknown): string => {
  const parsed = Command.parse(row);
  return parsed.kind === "move" ? `to ${parsed.by.join()}` : parsed.kind === "say" ? parsed.text : "stopped";
};

const asJsonSchema = (name: string): unknown => {
  const schemas: Record<string, z.ZodType> = { Person, TreeSchema, Command };
  return z.toJSONSchema(schemas[name] ?? z.never(), { io: "input" });
};

const asyncChecked = async (row: unknown): Promise<unknown> =>
  z
    .string()
    .refine(async (text) => (await Promise.resolve(text.length)) < 30, "it is too long")
    .transform((text) => text.split("").toReversed().join(""))
    .parseAsync(row);

const config = (text: string): unknown => yaml.parse(text) ?? null;

const yamlProblems = (text: string): unknown =>
  yaml
    .parseDocument(text, { prettyErrors: false })
    .errors.map(({ code, message, pos }) => ({ code, message, pos }));

const toYaml = (value: unknown): string => yaml.stringify({ value }, { lineWidth: 40 });

const ajv = new Ajv.Ajv({ allErrors: true });
const isOrder = ajv.compile({
  type: "object",
  required: ["id", "lines"],
  properties: {
    id: { type: "string", pattern: "^[A-Z]{2}\\d+$" },
    lines: {
      type: "array",
      minItems: 1,
      items: { type: "object", properties: { price: { type: "number", exclusiveMinimum: 0 } } },
    },
  },
  additionalProperties: false,
});

const order = (row: unknown): unknown => {
  if (!isOrder(row)) throw new TypeError(ajv.errorsText(isOrder.errors, { dataVar: "order" }));
  return "fine";
};

const compiled = (schema: object): unknown => new Ajv.Ajv().compile(schema)({ a: 1 });

const colored = (text: string): string => {
  const { bold, red, bgBlue, isColorSupported } = picocolors.createColors(true);
  return `${bold(`${red(text)} in ${bgBlue("blue")}`)}${isColorSupported}`.slice(0, 300);
};

const { root: schema } = protobuf.parse(`
  syntax = "proto3";
  message Tensor { string name = 1; repeated float values = 2; map<string, int64> sizes = 3; oneof kind { bool dense = 4; bytes raw = 5; } }
`);

const encoded = (row: { [key: string]: unknown }): unknown => {
  const Tensor = schema.lookupType("Tensor");
  const problem = Tensor.verify(row);
  if (problem) throw new TypeError(problem);
  const bytes = Tensor.encode(Tensor.fromObject(row)).finish();
  return {
    hex: Buffer.from(bytes).toString("hex"),
    back: Tensor.toObject(Tensor.decode(bytes), { longs: String, bytes: String, defaults: true }),
  };
};

const decoded = (hex: string): unknown =>
  schema.lookupType("Tensor").decode(Buffer.from(hex, "hex")).toJSON();

const sampled = (seed: number): unknown =>
  fc.sample(
    fc.record({
      n: fc.integer({ min: -5, max: 5 }),
      words: fc.array(fc.string({ maxLength: 3 }), { maxLength: 2 }),
    }),
    { seed, numRuns: 4 },
  );

const property = (limit: number): string => {
  fc.assert(
    fc.property(fc.nat(1000), (n) => n < limit),
    { seed: 42, numRuns: 50 },
  );
  return "holds";
};

const instructions = (text: string): unknown =>
  DockerfileParser.parse(text)
    .getInstructions()
    .map((one) => [
      one.getKeyword(),
      one.getArguments().map((argument) => argument.getValue()),
      one.getRange().start.line,
    ]);

export const cases: readonly Case[] = [
  {
    name: "person",
    run: person,
    rows: [
      { name: " Ada ", age: "36", email: "ADA@x.de" },
      { name: "", age: -1 },
      { name: "x".repeat(50), tags: [1] },
      { name: "A", age: "x", email: "no" },
      ...strangers,
    ],
  },
  {
    name: "safePerson",
    run: safePerson,
    rows: [{ name: "A", tags: ["x"] }, { name: 5, age: 1.5, email: "a@b", tags: "x" }, ...strangers],
  },
  {
    name: "tree",
    run: tree,
    rows: [
      { value: 1, children: [{ value: 2, children: [] }] },
      { value: 1, children: [{ value: "2", children: [] }] },
      { value: 1 },
      null,
    ],
  },
  {
    name: "command",
    run: command,
    rows: [
      { kind: "move", by: [1, 2] },
      { kind: "say", text: "hi" },
      { kind: "say", text: "h1" },
      { kind: "stop", now: true },
      { kind: "__proto__" },
      {},
      "stop",
    ],
  },
  {
    name: "asJsonSchema",
    run: asJsonSchema,
    rows: ["Person", "TreeSchema", "Command", "Nothing", "__proto__"],
  },
  { name: "asyncChecked", run: asyncChecked, rows: ["abc", "x".repeat(40), 5, null] },
  {
    name: "config",
    run: config,
    rows: [
      ...strings,
      "a: 1\nb: [x, 'y', 0x1F, 1e3, ~]\nc: &anchor {d: true}\ne: *anchor",
      "a: *missing",
      "a: b: c",
      "- 1\n  - 2\n-3",
      "? [1]\n: {2: 3}",
      "text: |\n  one\n  two\n\ndate: 2024-01-01",
    ],
  },
  {
    name: "yamlProblems",
    run: yamlProblems,
    rows: [...strings.slice(0, 20), "a: [1\nb: }", "\t- x", "a: 1\na: 2"],
  },
  { name: "toYaml", run: toYaml, rows: [...strangers, ...strings.slice(0, 15)] },
  {
    name: "order",
    run: order,
    rows: [
      { id: "AB1", lines: [{ price: 1 }] },
      { id: "ab", lines: [], more: 1 },
      { id: 5, lines: [{ price: 0 }, null] },
      ...strangers,
    ],
  },
  {
    name: "compiled",
    run: compiled,
    rows: [
      { type: "object" },
      { type: "something" },
      { properties: { a: { type: "string" } } },
      { $ref: "#/nowhere" },
      true,
      null,
      { pattern: "(" },
    ],
  },
  { name: "colored", run: colored, rows: [...strings.slice(0, 12), "\u001b[31mred\u001b[39m", null] },
  {
    name: "encoded",
    run: encoded,
    rows: [
      { name: "x", values: [1.5, -0.1], sizes: { a: "9007199254740993" }, raw: "AQI=" },
      {},
      { name: 5 },
      { values: "x" },
      { values: [null] },
      { dense: true, raw: "AA==" },
      { sizes: { __proto__x: -1 } },
      null,
    ],
  },
  { name: "decoded", run: decoded, rows: ["0a0178120400000040", "", "0a05", "ff", "08", "zz"] },
  { name: "sampled", run: sampled, rows: [0, 1, -7, 2 ** 31, null] },
  { name: "property", run: property, rows: [1001, 10, "x"] },
  {
    name: "instructions",
    run: instructions,
    rows: [
      "FROM node:24 AS build\nRUN npm ci && \\\n  npm test\nCOPY --from=build /a /b\n# end",
      "",
      "FROM",
      ...strings.slice(0, 8),
    ],
  },
];
