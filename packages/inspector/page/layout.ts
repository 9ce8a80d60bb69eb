import { Graph, layout } from "@dagrejs/dagre";
import type { ViewEdge, ViewGraph, ViewNode } from "@tritype/inspector/shared";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
export interface PlacedNode extends Box {
  readonly node: ViewNode;
}
export interface PlacedEdge {
  readonly edge: ViewEdge;
  /** For SVG. */
  readonly path: string;
  /** The middle of its text. */
  readonly x: number;
  readonly y: number;
}
export interface PlacedGroup extends Box {
  readonly id: string;
  readonly title: string;
}
export interface Placed {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly groups: readonly PlacedGroup[];
  readonly width: number;
  readonly height: number;
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

/** The lines of an edge's label, each cut to the maximum length; the last one stands for those that are too many. */
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
export const placeGraph = (graph: ViewGraph): Placed => {
  const centered = placeAligned(graph, undefined);
  // Centred between the next step and the called model, each step of a chain is further to the side than the one before.
  if (!graph.edges.some(({ kind }) => kind === "call")) return centered;
  const upright = placeAligned(graph, "UL");
  return centered.width > 2 * upright.width ? upright : centered;
};

const placeAligned = ({ nodes, edges, groups }: ViewGraph, align: "UL" | undefined): Placed => {
  const graph = new Graph({ compound: true, multigraph: true });
  graph.setGraph({
    rankdir: "TB",
    nodesep: 36,
    edgesep: 24,
    ranksep: 30,
    marginx: 20,
    marginy: 20,
    ...(align === undefined ? {} : { align }),
  });
  for (const { id } of groups) graph.setNode(id, {});
  for (const { id, parent } of groups) if (parent !== undefined) graph.setParent(id, parent);
  for (const node of nodes) {
    graph.setNode(node.id, sizeOf(node));
    if (node.group !== undefined) graph.setParent(node.id, node.group);
  }
  for (const edge of edges) {
    const lines = edgeLines(edge);
    graph.setEdge(
      edge.from,
      edge.to,
      {
        width: Math.max(...lines.map(({ text }) => text.length)) * letter + 12,
        height: lines.length * lineHeight + 8,
        labelpos: "c",
      },
      edge.kind,
    );
  }
  layout(graph);
  const boxOf = (id: string): Box => {
    const { x = 0, y = 0, width = 0, height = 0 } = graph.node(id) as Partial<Box>;
    return { x: x - width / 2, y: y - height / 2, width, height };
  };
  const { width = 0, height = 0 } = graph.graph() as Partial<Box>;
  return {
    width,
    height,
    nodes: nodes.map((node) => ({ node, ...boxOf(node.id) })),
    groups: groups.map(({ id, title }) => ({ id, title, ...boxOf(id) })),
    edges: edges.map((edge) => {
      const {
        points = [],
        x = 0,
        y = 0,
      } = graph.edge(edge.from, edge.to, edge.kind) as {
        readonly points?: readonly Point[];
        readonly x?: number;
        readonly y?: number;
      };
      return { edge, path: curve(points), x, y };
    }),
  };
};

const sizeOf = ({ role, title, model }: ViewNode): { readonly width: number; readonly height: number } => {
  if (role !== "model") return { width: Math.max(72, title.length * 7.6 + 28), height: 30 };
  const more = model === undefined || model.state !== "READY" || model.findings.length > 0;
  return { width: Math.min(340, Math.max(250, title.length * 8.2 + 70)), height: more ? 82 : 60 };
};

interface Point {
  readonly x: number;
  readonly y: number;
}

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
