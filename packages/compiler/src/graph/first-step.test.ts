import type { Graph, GraphNode } from "@tritype/core";
import { describe, expect, it } from "vitest";
import { missingForFirst, safeFirst } from "./first-step.ts";

const graph = (inputs: string, outputs: string): Graph => ({
  nodes: inputs
    .split("")
    .map((id): GraphNode => ({ kind: "input", id, name: id, inputs: {}, outputs: {}, site: [] })),
  outputs: Object.fromEntries(outputs.split("").map((id) => [id, { node: id, output: id }])),
});
/** `a<xy`: a unit that computes `a` from `x` and `y`. */
const units = (text: string) =>
  text.split(" ").map((unit) => {
    const [makes = "", reads = ""] = unit.split("<");
    return { makes: makes.split(""), reads: reads.split("") };
  });
const shown = (all: ReturnType<typeof units>): string =>
  all.map(({ makes, reads }) => `${makes.join("")}<${reads.join("")}`).join(" ");

describe("the first step", () => {
  it.each([
    ["one step", "xy", "ab", "ab<xy", "ab<xy"],
    ["every output needs every input", "xy", "c", "a<x b<y c<ab", "a<x b<y c<ab"],
    ["one input", "x", "ab", "a<x b<x", "a<x b<x"],
    ["a step that needs every input comes first", "xy", "ac", "a<x b<y c<ab", "c<ab a<x b<y"],
    ["no step can be first", "xy", "ab", "a<x b<y", "a<x b<y"],
  ])("%s", (_, inputs, outputs, text, expected) => {
    expect(shown([...safeFirst(units(text), graph(inputs, outputs))])).toBe(expected);
  });

  it.each([
    ["no step can be first", "xyz", "ab", "a<x b<yz", ["yz", "x"]],
    ["one can", "xy", "ac", "a<x b<y c<ab", ["", "", ""]],
    ["none is needed", "xy", "c", "a<x b<y c<ab", ["", "", ""]],
  ])("finds the inputs that each unit does not depend on: %s", (_, inputs, outputs, text, expected) => {
    const all = units(text);
    const lacks = all.map(missingForFirst(all, graph(inputs, outputs)));
    expect(lacks.map((ports) => ports.map(({ node }) => node).join(""))).toEqual(expected);
  });
});
