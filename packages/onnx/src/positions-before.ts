/** Models derived from RoBERTa, whose positions start after the padding token's id. */
const afterPadding: ReadonlySet<unknown> = new Set([
  "camembert",
  "data2vec-text",
  "ibert",
  "longformer",
  "mpnet",
  "roberta",
  "roberta-prelayernorm",
  "xlm-roberta",
  "xlm-roberta-xl",
  "xmod",
]);

/** The number of positions before the first token's, according to a `config.json` from transformers. */
export const positionsBefore = (config: Readonly<Record<string, unknown>>): number => {
  const { model_type: type, pad_token_id: padding } = config;
  return afterPadding.has(type) ? (typeof padding === "number" ? padding : 1) + 1 : 0;
};
