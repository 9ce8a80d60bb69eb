import type { ViewEdge, ViewNode } from "@tritype/inspector/view";
import type { Layout, PlacedNode, Point, RoutedEdge, Size } from "./fold-layout.ts";

/** The inputs or the outputs of the graph at a step that has many of them. */
interface Crowd {
  readonly edges: readonly ViewEdge[];
  readonly side: "input" | "output";
}

/** Up to this many inputs or outputs of a step, and the texts of their edges, are at one height. */
const mostAtOneHeight = 6;
const gap = 12;

/** Where inputs and outputs of the graph, and the texts of their edges, alternate between two heights, because there are many. */
export const crowdsOf = (nodes: readonly ViewNode[], edges: readonly ViewEdge[]): readonly Crowd[] => {
  const roles = new Map(nodes.map(({ id, role }) => [id, role]));
  const crowds = new Map<string, Crowd & { readonly edges: ViewEdge[] }>();
  const taken = new Set<string>();
  for (const edge of edges) {
    const side = roles.get(edge.from) === "input" ? "input" : "output";
    const [port, step] = side === "input" ? [edge.from, edge.to] : [edge.to, edge.from];
    if (roles.get(port) !== side || roles.get(step) !== "model" || taken.has(port)) continue;
    taken.add(port);
    const crowd = crowds.get(`${side} ${step}`) ?? { edges: [], side };
    crowd.edges.push(edge);
    crowds.set(`${side} ${step}`, crowd);
  }
  return [...crowds.values()].filter((crowd) => crowd.edges.length > mostAtOneHeight);
};

/** The ids of the inputs or outputs. */
export const portsOf = ({ edges, side }: Crowd): readonly string[] =>
  edges.map(({ from, to }) => (side === "input" ? from : to));

/** The room for an input or output that alternates. */
export const roomForPort = ({ width, height }: Size): Size => ({
  width: width / 2,
  height: 2 * height + gap,
});
/** The room for a text that alternates: its line is straight only on the side of the input or output. */
export const roomForText = ({ width, height }: Size): Size => ({
  width: Math.max(0, width / 2 - gap),
  height: 3 * height,
});

/** Moves every second input or output of each crowd, from left to right, away from its step, with the text of its edge. */
export const alternated = (
  layout: Layout,
  crowds: readonly Crowd[],
  sizeOf: (node: ViewNode) => Size,
  labelOf: (edge: ViewEdge) => Size,
): Layout => {
  const nodes = new Map(layout.nodes.map((one) => [one.node.id, one]));
  const edges = new Map(layout.edges.map((one) => [one.edge, one]));
  for (const crowd of crowds) {
    const isInput = crowd.side === "input";
    const routed = crowd.edges.flatMap((edge) => edges.get(edge) ?? []).toSorted((a, b) => a.x - b.x);
    for (const [index, { edge, points, x, y }] of routed.entries()) {
      const port = nodes.get(isInput ? edge.from : edge.to);
      if (port === undefined) continue;
      const placed = inRoom(port, sizeOf(port.node), isInput === (index % 2 === 1));
      const end: Point = {
        x: placed.x + placed.width / 2,
        y: isInput ? placed.y + placed.height : placed.y,
      };
      const moved: RoutedEdge = {
        edge,
        x,
        y: y + (index % 2) * (isInput ? -1 : 1) * labelOf(edge).height,
        points: isInput ? [end, ...points] : [...points, end],
      };
      nodes.set(port.node.id, placed);
      edges.set(edge, moved);
    }
  }
  return { ...layout, nodes: [...nodes.values()], edges: [...edges.values()] };
};

/** A node of this size at the top or at the bottom of the room that the layout gave it. */
const inRoom = ({ node, ...room }: PlacedNode, { width, height }: Size, isAtTop: boolean): PlacedNode => ({
  node,
  width,
  height,
  x: room.x + (room.width - width) / 2,
  y: isAtTop ? room.y : room.y + room.height - height,
});
