import type { Label } from "@tritype/core";
import type { CheckedModel, RepositoryContext } from "../model-context.ts";
import { repositoryRule, type Rule } from "../rule.ts";
import { type EmbeddingSizes, embeddingSizes } from "./embedding-sizes.ts";
import { ensembleEdges } from "./ensemble-edges.ts";
import { type TokenizerFacts, tokenizerOf } from "./tokenizer-facts.ts";

/** A tokenizer whose ids go into an ONNX model, in some ensemble. */
interface Pairing {
  readonly tokenizer: TokenizerFacts;
  readonly consumer: CheckedModel["model"];
  /** Rows of the table that the ids are looked up in. */
  readonly rows: number;
  readonly sizes: EmbeddingSizes;
  readonly label: Label;
}

/** Inputs that hold token ids; the ids of segments and positions have other names. */
const idNames = /^(?:input_?ids|token_?ids|ids|tokens|input_word_ids)$/i;

const pairings = (repository: RepositoryContext): readonly Pairing[] => {
  const found = new Map<string, Pairing>();
  for (const { from, to } of ensembleEdges(repository)) {
    const key = JSON.stringify([from.checked.model.name, to.checked.model.name]);
    if (!idNames.test(to.port) || !idNames.test(from.port) || found.has(key)) continue;
    const tokenizer =
      from.checked.model.config.backend === "python" ? tokenizerOf(from.checked.model) : undefined;
    const sizes = tokenizer && embeddingSizes(to.checked.model);
    const rows = sizes?.tokens.get(to.port);
    if (tokenizer === undefined || sizes === undefined || rows === undefined) continue;
    const consumer = to.checked.model;
    const index = (consumer.config.input ?? []).findIndex(({ name }) => name === to.port);
    const label = consumer.at(["input", Math.max(index, 0), "name"], `the ids' table has ${rows} rows`);
    found.set(key, { tokenizer, consumer, rows, sizes, label });
  }
  return [...found.values()];
};

const inFile = (file: string, text: string): Label => ({ span: { file, line: 1, column: 1 }, text });

const vocabulary: Rule = repositoryRule(
  {
    code: "model-file/vocabulary",
    triton: [],
    severity: "warning",
    judged: "ours",
    message: "`{file}` gives ids up to {id} (`{token}`), but `{model}` knows {rows} tokens",
    help: "take the tokenizer that the model was trained with, or resize the model's embeddings and export it again",
    reason:
      'Every request with such a token fails in the model\'s first Gather: "indices element out of data bounds". All others are fine, so tests seldom meet it.',
  },
  (repository, report) => {
    for (const { tokenizer, consumer, rows, label } of pairings(repository)) {
      const { id, token } = tokenizer.largest;
      if (id < rows) continue;
      report({
        with: { file: tokenizer.file, id, token, model: consumer.name, rows },
        labels: [inFile(tokenizer.file, `\`${token}\` is ${id}`), label],
      });
    }
  },
);

const padId: Rule = repositoryRule(
  {
    code: "model-file/pad-id",
    triton: [],
    severity: "warning",
    judged: "ours",
    message: "`{file}` pads with id {id}, but `{model}` knows {rows} tokens",
    help: "set `padding.pad_id` to the id of a token of the vocabulary",
    reason: 'Every request whose texts differ in length fails: "indices element out of data bounds".',
  },
  (repository, report) => {
    for (const { tokenizer, consumer, rows, label } of pairings(repository)) {
      const id = tokenizer.padId;
      if (id === undefined || id < rows) continue;
      report({
        with: { file: tokenizer.file, id, model: consumer.name, rows },
        labels: [inFile(tokenizer.file, "`padding.pad_id`"), label],
      });
    }
  },
);

const maxLength: Rule = repositoryRule(
  {
    code: "model-file/max-length",
    triton: [],
    severity: "warning",
    judged: "ours",
    message: "`{file}` truncates at {length} tokens, but `{model}` has {rows} positions",
    help: "set `truncation.max_length` to what the model was trained for",
    reason:
      'A text with more tokens than positions fails in the model: "indices element out of data bounds".',
  },
  (repository, report) => {
    for (const { tokenizer, consumer, sizes, label } of pairings(repository)) {
      const { maxLength: length } = tokenizer;
      if (length === undefined || sizes.positions === undefined || length <= sizes.positions) continue;
      report({
        with: { file: tokenizer.file, length, model: consumer.name, rows: sizes.positions },
        labels: [inFile(tokenizer.file, "`truncation.max_length`"), label],
      });
    }
  },
);

export const tokenizerRules: readonly Rule[] = [vocabulary, padId, maxLength];
