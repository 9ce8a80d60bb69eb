import { Graph, layout } from "@dagrejs/dagre";
import type { ViewEdge, ViewGraph, ViewNode } from "@tritype/inspector/view";
import { alternated, crowdsOf, portsOf, roomForPort, roomForText } from "./alternate-ports.ts";
import {
  type Box,
  foldLayout,
  type Layout,
  type Point,
  pointsAround,
  type RoutedEdge,
  type Size,
} from "./fold-layout.ts";

/** An edge at the middle of its text. */
export interface PlacedEdge extends Point {
  readonly edge: ViewEdge;
  /** For SVG. */
  readonly path: string;
}
export interface Placed extends Omit<Layout, "edges"> {
  readonly edges: readonly PlacedEdge[];
}

const letter = 6.7;
const lineHeight = 16;
const longestLine = 44;
const mostLines = 8;

interface EdgeLine {
  readonly text: string;
  /** Everything that the text stands for. */
  readonly whole: string;
}

/** The lines of an edge's label, each cut to the maximum length; the last one stands for all lines that do not fit. */
export const edgeLines = ({ lines }: ViewEdge): readonly EdgeLine[] => {
  const shown = lines.length > mostLines ? lines.slice(0, mostLines - 1) : lines;
  const rest = lines.slice(shown.length);
  return [
    ...shown.map((line) => ({
      text: line.length > longestLine ? `${line.slice(0, longestLine - 1)}…` : line,
      whole: line,
    })),
    ...(rest.length === 0 ? [] : [{ text: `… ${rest.length} more`, whole: rest.join("\n") }]),
  ];
};

/** The positions of nodes, edges and their texts, from top to bottom. */
export const placeGraph = (graph: ViewGraph): Placed => drawn(alignedLayout(graph, detailed, 2));

/** The positions of small nodes without texts on the edges, in columns that together have the proportions of the frame. */
export const placeOverview = (graph: ViewGraph, frame: Size): Placed => {
  const layoutOfGraph = overviews.get(graph) ?? alignedLayout(graph, brief, 1);
  overviews.set(graph, layoutOfGraph);
  return drawn(foldLayout(layoutOfGraph, frame));
};

/** The layouts of overviews, which do not depend on the frame. */
const overviews = new WeakMap<ViewGraph, Layout>();

/** @param tolerated How much wider a layout with centered nodes may be than one with aligned nodes. */
const alignedLayout = (graph: ViewGraph, form: Form, tolerated: number): Layout => {
  const centered = place(graph, form);
  // If centered between the next step and the called model, each step of a chain is farther to the side than the last.
  if (!graph.edges.some(({ kind }) => kind === "call")) return centered;
  const upright = place(graph, { ...form, align: "UL" });
  return centered.width > tolerated * upright.width ? upright : centered;
};

const drawn = ({ edges, ...rest }: Layout): Placed => ({
  ...rest,
  edges: edges.map(({ edge, points, isFolded, x, y }) => ({
    edge,
    path: isFolded ? corners(points) : curve(points),
    x,
    y,
  })),
});

/** How much room the parts of a graph need. */
interface Form {
  readonly sizeOf: (node: ViewNode) => Size;
  readonly labelOf: (edge: ViewEdge) => Size;
  readonly gaps: { readonly nodesep: number; readonly edgesep: number; readonly ranksep: number };
  readonly align?: "UL";
}

/** If the edges span more rows than this in total, a layout with all of them takes seconds. */
const mostRows = 2500;
/** In such a graph, edges that span more rows than this are drawn to the right of the layout. */
const nearRows = 4;

const place = (graph: ViewGraph, form: Form): Layout => {
  const ranks = new Map<string, number>();
  // An edge is listed after the edges that lead to its beginning.
  for (const { from, to } of graph.edges)
    ranks.set(to, Math.max(ranks.get(to) ?? 0, (ranks.get(from) ?? 0) + 1));
  const rowsOf = ({ from, to }: ViewEdge): number => (ranks.get(to) ?? 0) - (ranks.get(from) ?? 0);
  if (graph.edges.reduce((sum, edge) => sum + rowsOf(edge), 0) <= mostRows) return placeAll(graph, form);
  const near = graph.edges.filter((edge) => rowsOf(edge) <= nearRows);
  const far = graph.edges.filter((edge) => rowsOf(edge) > nearRows);
  return withLanes(placeAll({ ...graph, edges: near }, form), far, form);
};

/** Adds edges to the right of a layout: one vertical line for each node that they come from, with texts to its left. */
const withLanes = (layout: Layout, edges: readonly ViewEdge[], { labelOf }: Form): Layout => {
  const boxes = new Map(layout.nodes.map((one) => [one.node.id, one]));
  const sources = [...new Set(edges.map(({ from }) => from))];
  const widest = edges.reduce((width, edge) => Math.max(width, labelOf(edge).width), 0);
  const laneOf = (source: number): number => layout.width + (source + 1) * (widest + laneGap);
  const routed = edges.flatMap((edge): readonly RoutedEdge[] => {
    const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
    if (from === undefined || to === undefined) return [];
    const lane = laneOf(sources.indexOf(edge.from));
    const points = pointsAround(from, to, lane, lane);
    return [{ edge, x: lane - widest / 2 - 4, y: to.y - 8, isFolded: true, points }];
  });
  return { ...layout, width: laneOf(sources.length), edges: [...layout.edges, ...routed] };
};
const laneGap = 10;

const placeAll = ({ nodes, edges, groups }: ViewGraph, { sizeOf, labelOf, gaps, align }: Form): Layout => {
  const crowds = crowdsOf(nodes, edges);
  const ports = new Set(crowds.flatMap(portsOf));
  const texts = new Set(crowds.flatMap((crowd) => crowd.edges));
  const overhang = Math.max(0, ...[...texts].map((edge) => labelOf(edge).width / 4 + 6));
  const graph = new Graph({ compound: true, multigraph: true });
  graph.setGraph({
    rankdir: "TB",
    ...gaps,
    marginx: 20 + overhang,
    marginy: 20,
    ...(align === undefined ? {} : { align }),
  });
  for (const { id } of groups) graph.setNode(id, {});
  for (const { id, parent } of groups) if (parent !== undefined) graph.setParent(id, parent);
  for (const node of nodes) {
    graph.setNode(node.id, { ...(ports.has(node.id) ? roomForPort(sizeOf(node)) : sizeOf(node)) });
    if (node.group !== undefined) graph.setParent(node.id, node.group);
  }
  for (const edge of edges)
    graph.setEdge(
      edge.from,
      edge.to,
      { ...(texts.has(edge) ? roomForText(labelOf(edge)) : labelOf(edge)), labelpos: "c" },
      edge.kind,
    );
  layout(graph);
  const boxOf = (id: string): Box => {
    const { x = 0, y = 0, width = 0, height = 0 } = graph.node(id) as Partial<Box>;
    return { x: x - width / 2, y: y - height / 2, width, height };
  };
  const { width = 0, height = 0 } = graph.graph() as Partial<Box>;
  const placed: Layout = {
    width,
    height,
    nodes: nodes.map((node) => ({ node, ...boxOf(node.id) })),
    groups: groups.map((group) => ({ ...group, ...boxOf(group.id) })),
    edges: edges.map((edge) => {
      const routed = graph.edge(edge.from, edge.to, edge.kind) as Partial<RoutedEdge>;
      const { points = [], x = 0, y = 0 } = routed;
      return { edge, points, x, y };
    }),
  };
  return alternated(placed, crowds, sizeOf, labelOf);
};

const detailed: Form = {
  sizeOf: ({ role, title, model }) => {
    if (role !== "model") return { width: Math.max(72, title.length * 7.6 + 28), height: 30 };
    const more = model === undefined || model.state !== "READY" || model.findings.length > 0;
    return { width: Math.min(340, Math.max(250, title.length * 8.2 + 70)), height: more ? 82 : 60 };
  },
  labelOf: (edge) => {
    const lines = edgeLines(edge);
    return {
      width: Math.max(...lines.map(({ text }) => text.length)) * letter + 12,
      height: lines.length * lineHeight + 8,
    };
  },
  gaps: { nodesep: 36, edgesep: 24, ranksep: 30 },
};

const brief: Form = {
  sizeOf: (node) => ({ width: Math.min(170, Math.max(56, briefTitle(node).length * 7.8 + 22)), height: 24 }),
  labelOf: () => ({ width: 0, height: 0 }),
  gaps: { nodesep: 14, edgesep: 8, ranksep: 16 },
};

/** The name of a node in an overview. */
export const briefTitle = ({ title, number }: ViewNode): string =>
  number === undefined ? title : `${number} ${title}`;

/** A smooth line through the midpoints between the points. */
const curve = (points: readonly Point[]): string => {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const at = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
  return rest.reduce(
    (path, point, index) => {
      const next = rest[index + 1];
      if (next === undefined) return `${path} L ${at(point)}`;
      return `${path} Q ${at(point)} ${at({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`;
    },
    `M ${at(first)}`,
  );
};

const corners = (points: readonly Point[]): string =>
  points.map(({ x, y }, index) => `${index === 0 ? "M" : "L"} ${x.toFixed(1)} ${y.toFixed(1)}`).join(" ");
