import type { ViewGraph } from "@tritype/inspector/shared";
import { expect, test } from "vitest";
import { foldLayout } from "../../packages/inspector/page/fold-layout.ts";
import { placeOverview } from "../../packages/inspector/page/layout.ts";

/** A chain of steps that all read one input. */
const graphOf = (steps: number): ViewGraph => {
  const ids = Array.from({ length: steps }, (_, index) => `step ${index}`);
  return {
    groups: [],
    nodes: ["in", ...ids].map((id) => ({ id, role: "input" as const, title: id })),
    edges: ids.flatMap((to, index) =>
      ["in", ...(index === 0 ? [] : [`step ${index - 1}`])].map((from) => ({
        from,
        to,
        kind: "tensor" as const,
        lines: ["x"],
      })),
    ),
  };
};

test("another size of the frame folds the overview again, without a new layout of the graph", () => {
  const graph = graphOf(60);
  const timed = (width: number, height: number) => {
    const started = performance.now();
    const placed = placeOverview(graph, { width, height });
    return { placed, took: performance.now() - started };
  };
  const [high, wide] = [timed(300, 900), timed(900, 300)];
  expect(wide.took).toBeLessThan(high.took / 2);
  expect(wide.placed.height).toBeLessThan(high.placed.height);
});

test("edges may have any number of points", () => {
  const [first, second] = graphOf(1).nodes;
  if (first === undefined || second === undefined) throw new Error("two nodes");
  const box = { x: 0, width: 10, height: 10 };
  const points = Array.from({ length: 300_000 }, (_, index) => ({ x: index % 500, y: 5 }));
  const folded = foldLayout(
    {
      width: 500,
      height: 310,
      nodes: [
        { node: first, ...box, y: 0 },
        { node: second, ...box, y: 300 },
      ],
      groups: [],
      edges: [{ edge: { from: "in", to: "in", kind: "tensor", lines: [] }, points, x: 0, y: 0 }],
    },
    { width: 600, height: 60 },
  );
  expect(folded.nodes.map(({ y }) => y)).toEqual([20, 20]);
  expect(folded.width).toBe(20 + 499 + 38 + 10 + 20);
});
