import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { type JoiningDecoder, type LoopRow, openLoop } from "./loop.ts";
import type { Settings } from "./settings.ts";
import { singleSearch } from "./single-search.ts";

const settings: Settings = {
  kind: "greedy",
  max_new_tokens: 4,
  min_new_tokens: 0,
  eos_token_id: [],
  forced_bos_token_id: null,
  forced_eos_token_id: null,
  suppress_tokens: [],
  repetition_penalty: 1,
  no_repeat_ngram_size: 0,
  temperature: 1,
  top_k: 0,
  top_p: 1,
  seed: 0n,
  num_beams: 1,
  renormalize_logits: false,
  length_penalty: 1,
  early_stopping: false,
  num_return_sequences: 1,
};

const vocabulary = 100;
/** Each token is followed by the next higher one; after 50, the model fails. */
const scoresAfter = (tokens: readonly number[]) => {
  if (tokens.includes(50)) throw new Error("out of tokens");
  const data = new Float32Array(tokens.length * vocabulary);
  tokens.forEach((token, row) => data.fill(1, row * vocabulary + token + 1, row * vocabulary + token + 2));
  return { data, vocabulary };
};

/** Counts the rows of each step. */
const decoder = (steps: number[], rows = 0): JoiningDecoder & { size(): number } => {
  let size = rows;
  return {
    start: async (prompts) => {
      size = prompts.length;
      steps.push(size);
      return scoresAfter(prompts.map((prompt) => prompt.at(-1) ?? 0));
    },
    advance: async (parents, tokens) => {
      expect(parents.length).toBe(size);
      steps.push(size);
      return scoresAfter(tokens);
    },
    place: () => 0,
    select: (kept) => void (size = kept.length),
    pick: () => decoder(steps, 1),
    join: (other) => void (size += (other as ReturnType<typeof decoder>).size()),
    size: () => size,
  };
};

const row = (prompt: readonly number[], more: Partial<Settings> = {}) => {
  const seen: (number | string)[] = [];
  let wanted = true;
  const it: LoopRow = {
    search: singleSearch({ prompt, ids: prompt, row: 0, settings: { ...settings, ...more } }),
    add: (token, isLast) => void seen.push(token, ...(isLast ? ["end"] : [])),
    fail: (error) => void seen.push((error as Error).message),
    isWanted: () => wanted,
  };
  return { it, seen, leave: () => void (wanted = false) };
};

/** A loop that takes a step only when the test triggers one. */
const stepwise = () => {
  const steps: number[] = [];
  let next: (() => void) | undefined;
  const loop = openLoop({
    openDecoder: () => decoder(steps),
    padded: true,
    pause: () =>
      new Promise((resolve) => {
        next = resolve;
      }),
  });
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) await setImmediate();
  };
  const step = async (): Promise<void> => {
    next?.();
    await settled();
  };
  return { loop, steps, step, settled };
};

test("rows join and leave the batch between two steps", async () => {
  const { loop, steps, step, settled } = stepwise();
  const [first, second, third] = [row([1]), row([10], { max_new_tokens: 2 }), row([20])];
  loop.add(first.it);
  await settled();
  await step();
  loop.add(second.it);
  loop.add(third.it);
  await step();
  third.leave();
  await step();
  await step();
  await step();
  expect(first.seen).toEqual([2, 3, 4, 5, "end"]);
  expect(second.seen).toEqual([11, 12, "end"]);
  expect(third.seen).toEqual([21]);
  expect(steps).toEqual([1, 1, 2, 2, 1]);
  void loop.close();
});

test("a failing step ends only the rows that caused the failure", async () => {
  const { loop, step, settled } = stepwise();
  const [good, bad, worst] = [row([1]), row([48]), row([50])];
  for (const { it } of [good, bad, worst]) loop.add(it);
  await settled();
  for (let count = 0; count < 5; count++) await step();
  expect(good.seen).toEqual([2, 3, 4, 5, "end"]);
  expect(bad.seen).toEqual([49, 50, "out of tokens"]);
  expect(worst.seen).toEqual(["out of tokens"]);
  void loop.close();
});

test("a row that arrives during a step that fails as a whole is not affected", async () => {
  const [running, arriving] = [row([1]), row([10])];
  let fails = true;
  const loop = openLoop({
    openDecoder: () => ({
      ...decoder([]),
      place: () => {
        if (!fails) return 0;
        fails = false;
        loop.add(arriving.it);
        throw new Error("out of memory");
      },
    }),
    padded: true,
    pause: () => setImmediate(),
  });
  loop.add(running.it);
  await expect.poll(() => arriving.seen).toEqual([11, 12, 13, 14, "end"]);
  expect(running.seen).toEqual([2, "out of memory"]);
  await loop.close();
});

test("rows fail when the loop is closed, and when no token can follow", async () => {
  const { loop, step, settled } = stepwise();
  const [open, none] = [
    row([1]),
    row([2], { suppress_tokens: Array.from({ length: vocabulary }, (_, id) => id) }),
  ];
  loop.add(open.it);
  loop.add(none.it);
  await settled();
  await step();
  expect(none.seen).toEqual([expect.stringContaining("no token can follow")]);
  const closed = loop.close();
  await step();
  await closed;
  expect(open.seen).toEqual([2, "the model is being unloaded"]);
});
