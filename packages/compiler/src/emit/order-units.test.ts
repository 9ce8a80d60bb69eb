import type { Graph } from "@tritype/core";
import { expect, test } from "vitest";
import type { Refusals } from "../step-kind.ts";
import { type OrderedUnit, orderUnits } from "./order-units.ts";

const refusals: Readonly<Record<string, Refusals>> = { "": "none", "!": "held", "!!": "immediate" };

/**
 * `a!<xy` is a step that computes `a` from `x` and `y`, and refuses requests. With `!!`, its errors are not delayed.
 */
const units = (text: string): readonly OrderedUnit[] =>
  text.split(" ").map((unit) => {
    const [head = "", reads = ""] = unit.split("<");
    const model = head.slice(0, 1);
    return {
      reads: reads.split(""),
      makes: [model],
      refusals: refusals[head.slice(1)] ?? "none",
      call: {
        model,
        version: -1,
        inputs: Object.fromEntries(reads.split("").map((id) => [id, id])),
        outputs: { [model]: model },
      },
    };
  });
const graph: Graph = { nodes: [], outputs: {} };
const order = (all: readonly OrderedUnit[]): string =>
  orderUnits(all, graph)
    .map(({ call }) => call.model)
    .join("");

test.each([
  ["by name", "c<x b<x a<b", "bac"],
  ["a step that refuses requests starts last", "a!<x b<x c<x", "bca"],
  ["a step whose errors are not held back starts even later", "a!!<x b!<x c<x", "cba"],
  ["but not after steps that start at a different time", "a!<x b<a c<a", "abc"],
  ["among steps that read the same step", "a<x b!<a c<a d<b", "acbd"],
  ["a step that also waits for another", "m<x f!<m g!<x n<gm", "mgnf"],
  ["constraints that contradict each other", "m<x o<x a!<m b!<o c<mb d<oa", "moadbc"],
])("%s", (_, text, expected) => {
  expect(order(units(text))).toBe(expected);
  expect(order(units(text).toReversed())).toBe(expected);
});
