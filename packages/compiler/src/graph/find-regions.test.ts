import type { GraphNode, OperatorNode, StepNode } from "@tritype/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findRegions } from "./find-regions.ts";

const out = { out: { dtype: "FP32", dims: ["batch", 4] } } as const;
const ports = (...nodes: readonly string[]): OperatorNode["inputs"] =>
  Object.fromEntries(nodes.map((node, i) => [i, { node, output: "out" }]));
const input = (id: string): GraphNode => ({
  kind: "input",
  id,
  name: "out",
  inputs: {},
  outputs: out,
  site: [],
});
const op = (id: string, ...from: readonly string[]): OperatorNode => ({
  kind: "operator",
  id,
  operator: from.length === 0 ? "constant" : "add",
  attributes: {},
  inputs: ports(...from),
  outputs: out,
  site: [],
});
const step = (id: string, ...from: readonly string[]): StepNode => ({
  kind: "step",
  id,
  step: id,
  inputs: ports(...from),
  outputs: out,
  site: [],
});
const regionsOf = (nodes: readonly GraphNode[], outputs: readonly string[]): readonly string[] =>
  findRegions({ nodes, outputs: ports(...outputs) }).map(({ nodes: members, inputs, outputs: made }) => {
    const names = (list: readonly { readonly node: string }[]): string =>
      list.map(({ node }) => node).join(" ");
    return `${names(inputs)} → [${members.map(({ id }) => id).join(" ")}] → ${names(made)}`;
  });

test("adjacent operators form one region", () => {
  expect(regionsOf([input("x"), op("a", "x"), op("b", "a"), op("c", "a", "b")], ["c"])).toEqual([
    "x → [a b c] → c",
  ]);
});

test("a step between two operators separates them", () => {
  expect(regionsOf([input("x"), op("a", "x"), step("s", "a"), op("b", "s", "a")], ["b"])).toEqual([
    "x → [a] → a",
    "s a → [b] → b",
  ]);
});

test("an operator that is only needed by later math moves there, so a mask needs no separate model", () => {
  const nodes = [
    input("x"),
    step("tokenize", "x"),
    step("encoder", "tokenize"),
    op("cast", "tokenize"),
    op("mul", "encoder", "cast"),
  ];
  expect(regionsOf(nodes, ["mul"])).toEqual(["tokenize encoder → [cast mul] → mul"]);
});

test("operators that read the same output of a step form one region; others do not", () => {
  const nodes = [input("x"), input("y"), op("a", "x"), op("b", "x"), op("c", "y")];
  expect(regionsOf(nodes, ["a", "b", "c"])).toEqual(["x → [a b] → a b", "y → [c] → c"]);
});

test("each region has its own copy of a constant, and of values computed from constants", () => {
  const nodes = [input("x"), op("k"), op("kk", "k"), op("a", "x", "kk"), step("s", "a"), op("b", "s", "kk")];
  expect(regionsOf(nodes, ["b"])).toEqual(["x → [k kk a] → a", "s → [k kk b] → b"]);
});

/** A random graph. Each node reads one or two earlier nodes; the last nodes are outputs. */
const graphs = fc
  .array(fc.record({ step: fc.boolean(), from: fc.array(fc.nat(), { minLength: 1, maxLength: 2 }) }), {
    minLength: 1,
    maxLength: 25,
  })
  .map((list) => {
    const nodes: GraphNode[] = [input("x"), input("y")];
    list.forEach(({ step: isStep, from }, i) => {
      const sources = from.map((n) => nodes[n % nodes.length]?.id ?? "x");
      nodes.push(isStep ? step(`s${i}`, ...sources) : op(`o${i}`, ...sources));
    });
    const used = new Set(nodes.flatMap((node) => Object.values(node.inputs).map(({ node: id }) => id)));
    return {
      nodes,
      outputs: nodes.filter(({ id, kind }) => kind !== "input" && !used.has(id)).map(({ id }) => id),
    };
  });

test("law: every operator is in exactly one region, and regions and steps can be ordered", () => {
  fc.assert(
    fc.property(graphs, ({ nodes, outputs }) => {
      const regions = findRegions({ nodes, outputs: ports(...outputs) });
      const owner = new Map(regions.flatMap((region, i) => region.nodes.map(({ id }) => [id, i] as const)));
      const operators = nodes.filter(({ kind }) => kind === "operator");
      expect([...owner.keys()].toSorted()).toEqual(operators.map(({ id }) => id).toSorted());
      expect(regions.flatMap((region) => region.nodes)).toHaveLength(operators.length);
      const made = new Set(["x", "y"]);
      const waiting = new Set<{ readonly reads: readonly string[]; readonly makes: readonly string[] }>([
        ...regions.map((region) => ({
          reads: region.inputs.map(({ node }) => node),
          makes: region.nodes.map(({ id }) => id),
        })),
        ...nodes
          .filter(({ kind }) => kind === "step")
          .map((node) => ({ reads: Object.values(node.inputs).map(({ node: id }) => id), makes: [node.id] })),
      ]);
      for (let before = -1; before !== waiting.size; ) {
        before = waiting.size;
        for (const unit of waiting)
          if (unit.reads.every((id) => made.has(id))) {
            waiting.delete(unit);
            for (const id of unit.makes) made.add(id);
          }
      }
      expect(waiting.size).toBe(0);
    }),
  );
});
