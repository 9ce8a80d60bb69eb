import type { ViewEdge, ViewGraph, ViewNode } from "@tritype/inspector/view";

export interface Point {
  readonly x: number;
  readonly y: number;
}
export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface Box extends Point, Size {}
export interface PlacedNode extends Box {
  readonly node: ViewNode;
}
/** A group, or the part of it that is in one column. */
export type PlacedGroup = ViewGraph["groups"][number] &
  Box & {
    /** Whether an earlier column contains its beginning. */
    readonly isContinued?: true;
  };
export interface RoutedEdge extends Point {
  readonly edge: ViewEdge;
  readonly points: readonly Point[];
  /** Whether it is drawn with straight lines, because it leads from one column to another or past many rows. */
  readonly isFolded?: true;
}
/** A graph from top to bottom, or in columns from left to right. */
export interface Layout extends Size {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly RoutedEdge[];
  readonly groups: readonly PlacedGroup[];
}

const margin = 20;
/** Space between two columns, for the edges that lead from one to another. */
const gutter = 38;
const mostColumns = 60;

/** A part of the height of a layout. */
interface Band {
  readonly top: number;
  readonly bottom: number;
}

/** Cuts a layout into as many columns as make it largest in the frame. No node is cut. */
export const foldLayout = (layout: Layout, frame: Size): Layout => {
  const rows = rowsOf(layout.nodes);
  const zoomOf = ({ width, height }: Size): number => Math.min(1, frame.width / width, frame.height / height);
  return Array.from({ length: Math.min(rows.length, mostColumns) }, (_, index) => index + 1)
    .map((columns) => inColumns(layout, columnsOf(rows, Math.ceil(rows.length / columns))))
    .reduce((best, one) => (zoomOf(one) > zoomOf(best) ? one : best), layout);
};

/** The parts of the height in which there are nodes. */
const rowsOf = (nodes: readonly PlacedNode[]): readonly Band[] => {
  const rows: Band[] = [];
  for (const { y, height } of nodes.toSorted((a, b) => a.y - b.y)) {
    const last = rows.at(-1);
    if (last === undefined || y >= last.bottom) rows.push({ top: y, bottom: y + height });
    else rows[rows.length - 1] = { top: last.top, bottom: Math.max(last.bottom, y + height) };
  }
  return rows;
};

const columnsOf = (rows: readonly Band[], count: number): readonly Band[] =>
  rows.flatMap(({ top }, index): readonly Band[] => {
    const last = rows[Math.min(index + count, rows.length) - 1];
    return index % count === 0 && last !== undefined ? [{ top, bottom: last.bottom }] : [];
  });

const inColumns = ({ nodes, edges, groups }: Layout, bands: readonly Band[]): Layout => {
  const isIn = ({ top, bottom }: Band, y: number): boolean => y >= top && y <= bottom;
  const columnOf = (y: number): number => bands.findIndex((band) => isIn(band, y));
  const columns = new Map(nodes.map(({ node, y }) => [node.id, columnOf(y)]));
  const stays = ({ edge: { from, to }, points }: RoutedEdge): boolean => {
    const band = bands[columns.get(from) ?? 0];
    return columns.get(from) === columns.get(to) && points.every(({ y }) => band && isIn(band, y));
  };
  let left = margin;
  const moves = bands.map(({ top }, column) => {
    const xs = [
      ...nodes
        .filter(({ node }) => columns.get(node.id) === column)
        .flatMap(({ x, width }) => [x, x + width]),
      ...edges
        .filter((one) => stays(one) && columns.get(one.edge.from) === column)
        .flatMap(({ points }) => points.map(({ x }) => x)),
    ];
    const [from, to] = rangeOf(xs);
    const move = { x: left - from, y: margin - top, left, right: left + to - from };
    left = move.right + gutter;
    return move;
  });
  const moved = <P extends Point>(point: P, column: number): P => {
    const { x = 0, y = 0 } = moves[column] ?? {};
    return { ...point, x: point.x + x, y: point.y + y };
  };
  const placed = nodes.map((one) => moved(one, columns.get(one.node.id) ?? 0));
  const boxes = new Map(placed.map((one) => [one.node.id, one]));
  /** Edges in the same gutter are next to each other. */
  const lanes = new Map<number, number>();
  const laneIn = (column: number): number => {
    const lane = lanes.get(column) ?? 0;
    lanes.set(column, lane + 1);
    return (moves[column]?.right ?? 0) + 12 + ((lane * 5) % (gutter - 18));
  };
  return {
    width: left - gutter + margin,
    height: Math.max(...bands.map(({ top, bottom }) => bottom - top)) + 2 * margin,
    nodes: placed,
    groups: groups.flatMap((group) => partsOf(group, placed, groups, columns)),
    edges: edges.map((one) => {
      const { edge, points } = one;
      const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
      const [start = 0, end = 0] = [columns.get(edge.from), columns.get(edge.to)];
      if (stays(one) || from === undefined || to === undefined)
        return { ...moved(one, start), points: points.map((point) => moved(point, start)) };
      const out = laneIn(start);
      const into = end === start + 1 ? out : laneIn(end - 1);
      const around = pointsAround(from, to, out, into);
      return { edge, ...(around[1] ?? from), isFolded: true, points: around };
    }),
  };
};

/** The points of an edge that leaves its row through the lane `out` and enters the other row through `into`. */
export const pointsAround = (from: Box, to: Box, out: number, into: number): readonly Point[] => {
  const [x, across] = [from.x + from.width / 2, to.x + to.width / 2];
  const [below, above] = [from.y + from.height + 6, to.y - 8];
  return [
    { x, y: from.y + from.height },
    { x, y: below },
    { x: out, y: below },
    ...(into === out ? [] : [out, into].map((lane) => ({ x: lane, y: 8 }))),
    { x: into, y: above },
    { x: across, y: above },
    { x: across, y: to.y },
  ];
};

/** The lowest and the highest number. There can be too many numbers for a function's arguments. */
const rangeOf = (numbers: readonly number[]): readonly [lowest: number, highest: number] =>
  numbers.reduce<readonly [number, number]>(
    ([lowest, highest], one) => [Math.min(lowest, one), Math.max(highest, one)],
    [Infinity, -Infinity],
  );

/** A box around a group's nodes in each column. */
const partsOf = (
  group: PlacedGroup,
  nodes: readonly PlacedNode[],
  groups: readonly PlacedGroup[],
  columns: ReadonlyMap<string, number>,
): readonly PlacedGroup[] => {
  const depths = new Map([[group.id, 0]]);
  // A group is listed before the groups in it.
  for (const { id, parent = "" } of groups) {
    const depth = depths.get(parent);
    if (depth !== undefined) depths.set(id, depth + 1);
  }
  const room = 6 + 4 * Math.max(...depths.values());
  const members = nodes.filter(({ node }) => depths.has(node.group ?? ""));
  const used = new Set(members.map(({ node }) => columns.get(node.id) ?? 0));
  return [...used]
    .toSorted((a, b) => a - b)
    .map((column, index): PlacedGroup => {
      const within = members.filter(({ node }) => columns.get(node.id) === column);
      const [left, right] = rangeOf(within.flatMap(({ x, width }) => [x, x + width]));
      const [top, bottom] = rangeOf(within.flatMap(({ y, height }) => [y, y + height]));
      return {
        ...group,
        ...(index === 0 ? {} : { isContinued: true as const }),
        x: left - room,
        y: top - room,
        width: right - left + 2 * room,
        height: bottom - top + 2 * room,
      };
    });
};
