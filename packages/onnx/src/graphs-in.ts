import type { GraphProto, NodeProto } from "./model-proto.ts";

/** The graphs in a node's attributes: branches and loop bodies. */
export const graphsIn = ({ attribute = [] }: NodeProto): readonly GraphProto[] =>
  attribute.flatMap(({ g, graphs = [] }) => (g === undefined ? graphs : [g, ...graphs]));
