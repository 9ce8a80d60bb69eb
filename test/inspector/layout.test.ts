import type { ViewEdge, ViewGraph } from "@tritype/inspector/view";
import { expect, test } from "vitest";
import { foldLayout } from "../../packages/inspector/page/fold-layout.ts";
import { placeGraph, placeOverview } from "../../packages/inspector/page/layout.ts";

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

const byEnds = (a: ViewEdge, b: ViewEdge): number => (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1);

test("200 steps that read one input get one line next to the graph instead of thousands of bends", () => {
  const graph = graphOf(200);
  const detailed = placeGraph(graph);
  const overview = placeOverview(graph, { width: 1000, height: 700 });
  // dagre must find a place for each bend, which would take 16 s for all of them.
  const bends = detailed.edges.flatMap(({ path }) => path.match(/[LQ]/g) ?? []);
  expect(bends.length).toBeLessThan(3000);
  for (const { edges } of [detailed, overview])
    expect(edges.map(({ edge }) => edge).toSorted(byEnds)).toEqual(graph.edges.toSorted(byEnds));
  const right = Math.max(...detailed.nodes.map(({ x, width }) => x + width));
  const far = detailed.edges.filter(({ edge }) => edge.from === "in" && edge.to.length > "step 9".length);
  expect(far).toHaveLength(190);
  expect(far.every(({ x }) => x > right && x < detailed.width)).toBe(true);
  // The texts do not cover each other.
  expect(new Set(far.map(({ y }) => y)).size).toBe(far.length);
  expect(overview.width).toBeLessThan(6000);
});

test("many inputs and outputs of a step, and their texts, alternate between two heights, so that they fit into the page", () => {
  const ports = (role: "input" | "output") =>
    Array.from({ length: 13 }, (_, index) => ({ id: `${role} ${index}`, role, title: `${role}_${index}` }));
  const [inputs, outputs] = [ports("input"), ports("output")];
  const step = { id: "step", role: "model" as const, title: "step" };
  const edgeOf = (from: string, to: string, name: string): ViewEdge => ({
    from,
    to,
    kind: "tensor",
    lines: [`${name} FP32[batch, 4]`],
  });
  const { nodes, edges, width } = placeGraph({
    groups: [],
    nodes: [...inputs, step, ...outputs],
    edges: [
      ...inputs.map(({ id, title }) => edgeOf(id, "step", title)),
      ...outputs.map(({ id, title }) => edgeOf("step", id, title)),
    ],
  });
  expect(width).toBeLessThan(1800);
  for (const role of ["input", "output"])
    expect(new Set(nodes.filter(({ node }) => node.role === role).map(({ y }) => y)).size).toBe(2);
  // No two boxes or texts cover each other, and none is cut off.
  const boxes = [
    ...nodes.map(({ x, y, width: own, height }) => ({ x, y, right: x + own, bottom: y + height })),
    ...edges.map(({ x, y }) => ({ x: x - 76, y: y - 8, right: x + 76, bottom: y + 8 })),
  ];
  for (const { x, right } of boxes) expect(x >= 0 && right <= width).toBe(true);
  for (const [index, a] of boxes.entries())
    for (const b of boxes.slice(index + 1))
      expect(a.right <= b.x || b.right <= a.x || a.bottom <= b.y || b.bottom <= a.y).toBe(true);
});

test("if the frame's size changes, the overview is folded again without a new layout of the graph", () => {
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
