import { expect, test } from "vitest";
import { openProject } from "./project.fixture.ts";

const typesOf = (text: string, per: "row" | "request" = "row") => {
  const project = openProject({ "steps.ts": `import { step } from "./step.ts";\n${text}` });
  try {
    const line = text.split("\n").findIndex((one) => one.includes("step("));
    const { refusals, translated, jsonInputs } = project.translate("steps.ts", line + 2, 1, {
      per,
      json: { inputs: ["order"], outputs: [] },
      typesOnly: true,
    });
    expect([refusals, translated]).toEqual([[], undefined]);
    return jsonInputs;
  } finally {
    project.close();
  }
};
const record = {
  kind: "record",
  properties: [
    { name: "item", shape: { kind: "string" } },
    { name: "count", shape: { kind: "number" }, optional: true },
  ],
};
const order = "interface Order { readonly item: string; readonly count?: number }";

test.each([
  [
    "an arrow function",
    "run: async ({ order }: { order: Order }) => ({ y: (await fetch(order.item)).status })",
  ],
  ["a method", "async run({ order }: { order: Order }) { return { y: process.pid + order.item.length }; }"],
  [
    "an optional input",
    "run: ({ order }: { order?: Order }) => ({ y: order?.item ?? new Date().toString() })",
  ],
])("the JSON types of %s that cannot be translated", (_, run) => {
  expect(typesOf(`${order}\nstep({ name: "a", ${run} });`)).toEqual({ order: { shape: record, named: {} } });
});

test("a named function that receives all rows at once", () => {
  const batch =
    "const all = async (rows: { order: { data: readonly Order[]; shape: number[] } }) => ({ y: [] });";
  expect(typesOf(`${order}\n${batch}\nstep({ name: "a", run: all });`, "request")).toEqual({
    order: { shape: record, named: {} },
  });
});

test("a type without a JSON form that can be checked is left out, and so is one of a missing function", () => {
  expect(typesOf('step({ name: "a", run: ({ order }: { order: any }) => ({ y: order }) });')).toEqual({});
  expect(typesOf('step({ name: "a" });')).toEqual({});
});
