import { expect, test } from "vitest";
import { editOptions } from "./edit-options.ts";
import type { OptionEdit } from "./edit-source.ts";

const edited = async (source: string, ...edits: readonly OptionEdit[]): Promise<string> => {
  const { text, left } = await editOptions(source, edits);
  return left.length === 0 ? text : `${text}// left: ${left.map(({ path }) => path.join(".")).join(", ")}\n`;
};
const at = (source: string, call: string): OptionEdit["call"] => {
  const before = source.slice(0, source.indexOf(call)).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
};

const step = `const encoder = onnx({
  name: "encoder",
  ...minilm, // the file
  dynamicBatching: { maxQueueDelay: "2ms" },
  profiles: {
    cpu: { instanceGroup: [{ kind: "cpu", count: 2 }] },
  },
});
`;

test("a profile is added to a step's profiles, and replaced if it already exists", async () => {
  const fields = { instanceGroup: [{ kind: "cpu", count: 1 }], dynamicBatching: null };
  const call = at(step, "onnx(");
  const once = await edited(step, { call, path: ["profiles", "tuned"], value: fields });
  expect(once).toBe(
    step.replace(
      "count: 2 }] },\n",
      'count: 2 }] },\n    tuned: { instanceGroup: [{ kind: "cpu", count: 1 }], dynamicBatching: null },\n',
    ),
  );
  expect(await edited(once, { call, path: ["profiles", "tuned"], value: { dynamicBatching: {} } })).toBe(
    step.replace("count: 2 }] },\n", "count: 2 }] },\n    tuned: { dynamicBatching: {} },\n"),
  );
});

test("long values take several lines", async () => {
  const value = {
    parameters: { intra_op_thread_count: 1, "a-b": "x".repeat(40) },
    instanceGroup: [{ kind: "cpu", count: 16 }],
  };
  expect(
    await edited(step, { call: at(step, "onnx("), path: ["profiles", "tuned"], value }),
  ).toContain(`    tuned: {
      parameters: { intra_op_thread_count: 1, "a-b": "${"x".repeat(40)}" },
      instanceGroup: [{ kind: "cpu", count: 16 }],
    },
`);
});

test.each([
  [
    "an option on one line",
    `const t = tokenizer({ name: 't', from: 'a' });\n`,
    ["padding"],
    "longest",
    `const t = tokenizer({ name: 't', from: 'a', padding: 'longest' });\n`,
  ],
  ["an empty object", "const t = tokenizer({});\n", ["a", "b"], 1, "const t = tokenizer({ a: { b: 1 } });\n"],
  [
    "an object with only a comment",
    `const t = tokenizer({\n  // from: "a",\n});\n`,
    ["n"],
    1,
    `const t = tokenizer({\n  // from: "a",\n  n: 1,\n});\n`,
  ],
  [
    "without a last comma",
    `const t = tokenizer({\n\tname: "t"\n});\n`,
    ["n"],
    1,
    `const t = tokenizer({\n\tname: "t",\n\tn: 1,\n});\n`,
  ],
  [
    "the closing brace on the line of the last option",
    `const t = tokenizer({ name: "t",\n  from: "a" });\nconst u = 1;\n`,
    ["n"],
    1,
    `const t = tokenizer({ name: "t",\n  from: "a", n: 1 });\nconst u = 1;\n`,
  ],
  [
    "a comment before the last comma",
    `const t = tokenizer({\n  a: 1 /* one */,\n});\n`,
    ["n"],
    1,
    `const t = tokenizer({\n  a: 1 /* one */,\n  n: 1,\n});\n`,
  ],
  [
    "a comment of several lines after the last option",
    `const t = tokenizer({\n  a: 1, /* one\n  two */\n});\n`,
    ["n"],
    1,
    `const t = tokenizer({\n  a: 1, /* one\n  two */\n  n: 1,\n});\n`,
  ],
  [
    "the only one removed, with its comma",
    `const t = tokenizer({\n  p: {\n    a: 1,\n  },\n});\n`,
    ["p", "a"],
    undefined,
    `const t = tokenizer({\n  p: {\n  },\n});\n`,
  ],
  [
    "removed in the middle",
    `const t = tokenizer({ a: 1, b: 2, c: 3 });\n`,
    ["b"],
    undefined,
    `const t = tokenizer({ a: 1, c: 3 });\n`,
  ],
  [
    "removed at the end",
    `const t = tokenizer({ a: 1, b: 2 });\n`,
    ["b"],
    undefined,
    `const t = tokenizer({ a: 1 });\n`,
  ],
  [
    "a variable",
    `const o = { a: 1 };\nconst t = tokenizer(o);\n`,
    ["b"],
    2,
    `const o = { a: 1, b: 2 };\nconst t = tokenizer(o);\n`,
  ],
  ["not a literal", `const t = tokenizer(make());\n`, ["b"], 2, `const t = tokenizer(make());\n// left: b\n`],
  [
    "an object that is not a literal",
    `const t = tokenizer({ p: q });\n`,
    ["p", "b"],
    2,
    `const t = tokenizer({ p: q });\n// left: p.b\n`,
  ],
] as const)("%s", async (_, source, path, value, expected) => {
  expect(await edited(source, { call: at(source, "tokenizer("), path: [...path], value })).toBe(expected);
});

test("options of several calls in one file, and of a configuration's default export, are edited", async () => {
  const two = `${step}\n${step.replaceAll("encoder", "other")}`;
  const edits = [at(two, "onnx("), { line: 10, column: 15 }].map((call) => ({ call, path: ["a"], value: 1 }));
  expect((await edited(two, ...edits)).match(/^ {2}a: 1,$/gm)?.length).toBe(2);
  expect(
    await edited("export default defineConfig({ profiles: { gpu: {} } });\n", {
      call: undefined,
      path: ["profiles", "tuned"],
      value: {},
    }),
  ).toBe("export default defineConfig({ profiles: { gpu: {}, tuned: {} } });\n");
});
