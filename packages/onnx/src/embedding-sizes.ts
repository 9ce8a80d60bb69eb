import type { GraphProto } from "./model-proto.ts";

/** Number of rows of the tables in which a model looks up token ids and positions. */
export interface EmbeddingSizes {
  /** The table sizes, by the graph input that receives the ids. */
  readonly tokens: ReadonlyMap<string, number>;
  readonly positions: number | undefined;
}

/**
 * The tables in a graph that can be identified by a Gather on an input, or by the name that exporters give to
 * positions.
 */
export const embeddingSizes = (graph: GraphProto): EmbeddingSizes => {
  const tables = new Map(
    (graph.initializer ?? []).flatMap(({ name = "", dims = [] }) =>
      dims.length === 2 ? [[name, Number(dims[0])] as const] : [],
    ),
  );
  const inputs = new Map((graph.input ?? []).map(({ name = "" }) => [name, name]));
  const tokens = new Map<string, number>();
  let positions: number | undefined;
  for (const { opType, input = [], output = [], attribute = [] } of graph.node ?? []) {
    const [first = "", second = ""] = input;
    const source = inputs.get(first);
    if ((opType === "Cast" || opType === "Identity") && source !== undefined && output[0])
      inputs.set(output[0], source);
    const rows =
      opType === "Gather" && attribute.every(({ i = 0 }) => Number(i) === 0) ? tables.get(first) : undefined;
    if (rows === undefined) continue;
    const ids = inputs.get(second);
    if (ids !== undefined) tokens.set(ids, Math.min(rows, tokens.get(ids) ?? rows));
    else if (/(?:^|[./])(?:position_embeddings?|wpe|embed_positions)(?:\.weight)?$/.test(first))
      positions = rows;
  }
  return { tokens, positions };
};
