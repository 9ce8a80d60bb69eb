import { bytes, defineEnsemble, fp32, type Ensemble, onnx, recordOf } from "@tritype/dsl";
import { expect, test } from "vitest";
import { memoryHost } from "../compile.fixture.ts";
import { traceGraph } from "./trace-graph.ts";

const idsOf = (ensemble: Ensemble): readonly string[] => {
  const trace = recordOf(ensemble)?.trace;
  if (trace === undefined) throw new Error("not an ensemble");
  return traceGraph("e", trace, () => [], memoryHost()).graph.nodes.map(({ id }) => id);
};
const double = onnx({
  name: "double",
  file: "d.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
const inputs = { a: fp32("batch", 4), b: fp32("batch", 4) };

test("ids are names if names are unique", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs,
    run: ({ a, b }) => ({ z: double({ x: a }).y.add(b).sqrt() }),
  });
  expect(idsOf(ensemble)).toEqual(["a", "b", "double", "add", "sqrt"]);
});

test("calls to one step are distinguished by their inputs", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs,
    run: ({ a, b }) => ({ y: double({ x: a }).y, z: double({ x: b }).y }),
  });
  expect(idsOf(ensemble)).toEqual(["a", "b", "double_a", "double_b"]);
});

test("calls to two versions of one step are distinguished by version", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs,
    run: ({ a, b }) => ({
      y: double
        .version(1)({ x: a })
        .y.add(double.version(2)({ x: a }).y),
      z: double({ x: b }).y,
    }),
  });
  expect(idsOf(ensemble).filter((id) => id.startsWith("double"))).toEqual([
    "double_b",
    "double_v1",
    "double_v2",
  ]);
  const alone = defineEnsemble({
    name: "e",
    inputs,
    run: ({ a, b }) => ({ y: double.version(2)({ x: a }).y, b }),
  });
  expect(idsOf(alone)).toEqual(["a", "b", "double"]);
});

test("the order of calls does not change any id", () => {
  const forwards = defineEnsemble({
    name: "e",
    inputs,
    run({ a, b }) {
      const left = double({ x: a.mul(2) }).y.add(1);
      const right = double({ x: b.mul(3) }).y.add(1);
      return { out: left.sub(right) };
    },
  });
  const backwards = defineEnsemble({
    name: "e",
    inputs,
    run({ a, b }) {
      const right = double({ x: b.mul(3) }).y.add(1);
      const left = double({ x: a.mul(2) }).y.add(1);
      return { out: left.sub(right) };
    },
  });
  expect(idsOf(backwards).toSorted()).toEqual(idsOf(forwards).toSorted());
});

test("identical operators become one node; identical calls to a step become two", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { a: fp32("batch", 4) },
    run: ({ a }) => ({ sum: a.sqrt().add(a.sqrt()), y: double({ x: a }).y, z: double({ x: a }).y }),
  });
  const ids = idsOf(ensemble);
  expect(ids.filter((id) => id.startsWith("sqrt"))).toEqual(["sqrt"]);
  expect(new Set(ids.filter((id) => id.startsWith("double"))).size).toBe(2);
});

test("a node does not get the name of an input", () => {
  const step = onnx({
    name: "text",
    file: "t.onnx",
    inputs: { text: bytes("batch", 1) },
    outputs: { y: fp32("batch", 4) },
  });
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { text: bytes("batch", 1) },
    run: ({ text }) => step({ text }),
  });
  expect(new Set(idsOf(ensemble)).size).toBe(2);
});

test("different operators whose hashes have the same prefix stay separate", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { x: fp32(4) },
    run: ({ x }) => ({ y: x.mul(1237).add(8573) }),
  });
  const trace = recordOf(ensemble)?.trace;
  if (trace === undefined) throw new Error("not an ensemble");
  const short = { ...memoryHost(), sha256: (bytes: Uint8Array) => `abcdef${memoryHost().sha256(bytes)}` };
  const { nodes } = traceGraph("e", trace, () => [], short).graph;
  const constants = nodes.flatMap((node) =>
    node.kind === "operator" && node.operator === "constant" ? [node] : [],
  );
  expect(new Set(constants.map(({ attributes }) => JSON.stringify(attributes["values"])))).toEqual(
    new Set(["[1237]", "[8573]"]),
  );
  expect(new Set(constants.map(({ id }) => id)).size).toBe(2);
});

test("the order of calls does not change the order of nodes", () => {
  const make = (swapped: boolean) =>
    defineEnsemble({
      name: "e",
      inputs,
      run({ a, b }) {
        const calls = [() => double({ x: a.mul(2) }).y, () => double({ x: b.mul(3) }).y];
        const [first, second] = swapped
          ? calls.toReversed().map((call) => call())
          : calls.map((call) => call());
        return { out: (swapped ? second : first)?.sub((swapped ? first : second) ?? a) ?? a };
      },
    });
  expect(idsOf(make(true))).toEqual(idsOf(make(false)));
});
