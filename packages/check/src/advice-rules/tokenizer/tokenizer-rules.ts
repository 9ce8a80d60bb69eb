import { type Label, remembered } from "@tritype/core";
import type { CheckedModel, RepositoryContext } from "../../model-context.ts";
import { repositoryRule, type Rule } from "../../rule.ts";
import { ensembleEdges } from "../ensemble/ensemble-edges.ts";
import { modelCalls } from "../python/model-calls.ts";
import { type TokenizerFacts, tokenizerOf } from "./tokenizer-facts.ts";
import { type TrainedSizes, trainedSizes } from "./trained-sizes.ts";

/** A tokenizer whose ids are passed to a model, in an ensemble or by a call. */
interface Pairing {
  readonly producer: CheckedModel["model"];
  readonly tokenizer: TokenizerFacts;
  readonly consumer: CheckedModel["model"];
  readonly sizes: TrainedSizes;
}

/** Inputs that contain token ids; segment and position ids have other names. */
const idNames = /^(?:input_?ids|token_?ids|ids|tokens|input_word_ids)$/i;

const pairings = remembered((repository: RepositoryContext): readonly Pairing[] => {
  const found = new Map<string, Pairing>();
  const { models, options } = repository;
  const compared = (maker: string, model: string): boolean =>
    (options.comparedTokens ?? []).some((pair) => pair.maker === maker && pair.model === model);
  const called = [...models.values()].flatMap((checked) => modelCalls(checked, models));
  for (const { from, to } of [...ensembleEdges(repository), ...called]) {
    const [producer, consumer] = [from.checked.model, to.checked.model];
    const key = JSON.stringify([producer.name, consumer.name]);
    if (!idNames.test(to.port) || !idNames.test(from.port) || found.has(key)) continue;
    if (compared(producer.name, consumer.name)) continue;
    const tokenizer = producer.config.backend === "python" ? tokenizerOf(producer) : undefined;
    if (tokenizer === undefined) continue;
    const sizes = trainedSizes(consumer, to.port, { model: producer, folder: tokenizer.folder });
    found.set(key, { producer, tokenizer, consumer, sizes });
  }
  return [...found.values()];
});

const inFile = (file: string, text: string): Label => ({ span: { file, line: 1, column: 1 }, text });

const vocabulary: Rule = repositoryRule(
  {
    code: "model-file/vocabulary",
    message: "`{file}` has ids up to {id} (`{token}`), but `{model}` knows {rows} tokens",
    help: "use the tokenizer that the model was trained with, or resize the model's embeddings and export it again",
    reason:
      'Every request with such a token fails in the model\'s first Gather: "indices element out of data bounds". All other requests work, so tests rarely find this fault.',
  },
  (repository, report) => {
    for (const { tokenizer, consumer, sizes } of pairings(repository)) {
      const { id, token } = tokenizer.largest;
      if (sizes.tokens === undefined || id < sizes.tokens.size) continue;
      report([inFile(tokenizer.file, `\`${token}\` is ${id}`), sizes.tokens.label], {
        file: tokenizer.file,
        id,
        token,
        model: consumer.name,
        rows: sizes.tokens.size,
      });
    }
  },
);

const padId: Rule = repositoryRule(
  {
    code: "model-file/pad-id",
    message: "`{file}` pads with id {id}, but `{model}` knows {rows} tokens",
    help: "set `padding.pad_id` to the id of a token of the vocabulary",
    reason: 'Every request whose texts differ in length fails: "indices element out of data bounds".',
  },
  (repository, report) => {
    for (const { tokenizer, consumer, sizes } of pairings(repository)) {
      const id = tokenizer.padId;
      if (id === undefined || sizes.tokens === undefined || id < sizes.tokens.size) continue;
      report([inFile(tokenizer.file, "`padding.pad_id`"), sizes.tokens.label], {
        file: tokenizer.file,
        id,
        model: consumer.name,
        rows: sizes.tokens.size,
      });
    }
  },
);

const maxLength: Rule = repositoryRule(
  {
    code: "model-file/max-length",
    message: "`{file}` truncates at {length} tokens, but `{model}` has {rows} positions",
    help: "truncate at the length that the model was trained for: {rows} tokens",
    reason:
      'A text with more tokens than the model has positions fails in the model: "Attempting to broadcast an axis by a dimension other than 1", or "indices element out of data bounds".',
  },
  (repository, report) => {
    for (const { tokenizer, consumer, sizes } of pairings(repository)) {
      const { limit } = tokenizer;
      if (limit === undefined || sizes.positions === undefined) continue;
      if (limit.tokens <= sizes.positions.size || limit.tokens === Infinity) continue;
      report([...limit.labels, sizes.positions.label], {
        file: limit.file,
        length: limit.tokens,
        model: consumer.name,
        rows: sizes.positions.size,
      });
    }
  },
);

const noTruncation: Rule = repositoryRule(
  {
    code: "python/no-truncation",
    message: "`{producer}` does not truncate texts, but `{model}` has {rows} positions",
    help: "truncate at {rows} tokens: `truncation=True, max_length={rows}`, or `enable_truncation({rows})` of the library `tokenizers`",
    reason:
      'A text with more tokens than the model has positions fails in the model: "Attempting to broadcast an axis by a dimension other than 1", or "indices element out of data bounds". Test texts are short; real texts are not.',
  },
  (repository, report) => {
    for (const { producer, tokenizer, consumer, sizes } of pairings(repository)) {
      if (tokenizer.limit?.tokens !== Infinity || sizes.positions === undefined) continue;
      report([...tokenizer.limit.labels, sizes.positions.label], {
        producer: producer.name,
        model: consumer.name,
        rows: sizes.positions.size,
      });
    }
  },
);

export const tokenizerRules: readonly Rule[] = [vocabulary, padId, maxLength, noTruncation];
