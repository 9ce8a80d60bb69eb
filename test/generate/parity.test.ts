import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Decoder, type Found, generate, openSearch, type Settings } from "@tritype/generation";
import { expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { mixed } from "./mixed.ts";

const python = fileURLToPath(new URL("../../packages/generation/python", import.meta.url));
const script = fileURLToPath(new URL("run_decoding.py", import.meta.url));

interface Row {
  readonly prompt: readonly number[];
  readonly ids: readonly number[];
  readonly settings: Settings;
  /** How many times the owner, when asked, still wants the row before it gives up. */
  readonly patience: number;
}
interface Case {
  readonly vocabulary: number;
  readonly rows: readonly Row[];
}

/** Scores that depend on all tokens so far, exact in float32. */
const madeUpDecoder = (vocabulary: number): Decoder => {
  let rows: readonly (readonly number[])[] = [];
  const scores = async () => ({
    vocabulary,
    data: Float32Array.from(
      rows.flatMap((row) => {
        const state = row.reduce((before, token) => mixed(before + BigInt(token)), 0n);
        return Array.from(
          { length: vocabulary },
          (_, token) => Number(mixed(state + BigInt(token)) >> 52n) / 512 - 4,
        );
      }),
    ),
  });
  return {
    start(prompts) {
      rows = prompts;
      return scores();
    },
    advance(parents, tokens) {
      rows = parents.map((parent, row) => [...(rows[parent] ?? []), tokens[row] ?? 0]);
      return scores();
    },
  };
};

/** The result of each row; null if the row was abandoned or had no possible continuation. */
const run = async ({ vocabulary, rows }: Case): Promise<readonly (readonly Found[] | null)[]> => {
  const searches = rows.map((row, index) => ({ search: openSearch({ ...row, row: index }), owner: index }));
  const calls = rows.map(() => 0);
  const isWanted = (owner: number): boolean =>
    (calls[owner] = (calls[owner] ?? 0) + 1) <= (rows[owner]?.patience ?? 0);
  const failed = new Set<number>();
  await generate(madeUpDecoder(vocabulary), searches, isWanted, (owner) => failed.add(owner));
  return searches.map(({ search, owner }) =>
    failed.has(owner) || (calls[owner] ?? 0) > (rows[owner]?.patience ?? 0) ? null : search.results(),
  );
};

const inPython = async (cases: readonly Case[]): Promise<unknown> => {
  const input = JSON.stringify(cases, (_, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
  const answer = execFileSync(await pythonWithNumpy(), [script, python], { input, maxBuffer: 1e8 });
  return JSON.parse(answer.toString());
};

/** Settings of all kinds, the same in every run. */
const cases: readonly Case[] = Array.from({ length: 150 }, (_, index) => {
  let place = BigInt(index) << 20n;
  const whole = (from: number, to: number): number =>
    from + Number(mixed((place += 1n)) % BigInt(to - from + 1));
  const oneOf = <T>(values: readonly T[]): T => values[whole(0, values.length - 1)] as T;
  const vocabulary = whole(12, 60);
  const ids = (length: number): readonly number[] => Array.from({ length }, () => whole(0, vocabulary - 1));
  const row = (): Row => {
    const kind = oneOf(["greedy", "sample", "beam", "beam"] as const);
    const prompt = ids(whole(1, 6));
    const maxNewTokens = whole(1, 14);
    const numBeams = kind === "beam" ? whole(1, 4) : 1;
    return {
      prompt,
      ids: oneOf([prompt, [2]]),
      patience: oneOf([1000, 1000, 1000, whole(0, 8)]),
      settings: {
        kind,
        max_new_tokens: maxNewTokens,
        min_new_tokens: oneOf([0, 0, 3]),
        eos_token_id: oneOf([[1], [1, 3], []]),
        forced_bos_token_id: oneOf([null, null, 5]),
        forced_eos_token_id: oneOf([null, null, 1]),
        suppress_tokens: oneOf([[], [0, 7]]),
        repetition_penalty: oneOf([1, 1.3, 0.8]),
        no_repeat_ngram_size: oneOf([0, 0, 1, 2, 3]),
        temperature: oneOf([1, 0.7, 2.5]),
        top_k: oneOf([0, 5, 1000]),
        top_p: oneOf([1, 0.9, 0.3]),
        seed: BigInt(whole(-5, 1_000_000)) * 7_919_000_000n,
        num_beams: numBeams,
        renormalize_logits: oneOf([false, true]),
        length_penalty: oneOf([1, 0, 2, -0.5]),
        early_stopping: oneOf([true, false, "never"] as const),
        num_return_sequences: whole(1, numBeams),
      },
    };
  };
  return { vocabulary, rows: Array.from({ length: whole(1, 5) }, row) };
});

test("TypeScript and Python find the same tokens, regardless of the rows' settings and of the rest of the batch", async () => {
  const found = await Promise.all(cases.map(run));
  const other = (await inPython(cases)) as readonly (readonly (
    | readonly [readonly number[], number][]
    | null
  )[])[];
  expect(found.map((rows) => rows.map((row) => row?.map(({ tokens }) => tokens)))).toEqual(
    other.map((rows) => rows.map((row) => row?.map(([tokens]) => tokens))),
  );
  const scores = (all: readonly (readonly Found[] | null)[][]): readonly number[] =>
    all.flatMap((rows) => rows.flatMap((row) => row?.map(({ score }) => score) ?? []));
  const expected = other.flatMap((rows) => rows.flatMap((row) => row?.map(([, score]) => score) ?? []));
  scores(found.map((rows) => [...rows])).forEach((score, index) => {
    const other = expected[index] ?? 0;
    expect(Math.abs(score - other)).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(other)));
  });
});

test("a row gets the same result alone and in a batch", async () => {
  for (const { vocabulary, rows } of cases.slice(0, 40)) {
    const together = await run({ vocabulary, rows });
    for (const [index, row] of rows.entries()) {
      if (row.settings.kind === "sample" && index > 0) continue;
      expect(await run({ vocabulary, rows: [row] })).toEqual([together[index]]);
    }
  }
});

test("if the first and the last token are forced, a single token is the last one, as in transformers", async () => {
  const settings: Settings = {
    ...(cases[0]?.rows[0]?.settings as Settings),
    kind: "greedy",
    max_new_tokens: 1,
    forced_bos_token_id: 5,
    forced_eos_token_id: 1,
  };
  const one = { vocabulary: 12, rows: [{ prompt: [3], ids: [2], patience: 9, settings }] };
  expect(await run(one)).toEqual([[{ tokens: [1], score: 0 }]]);
  expect(await inPython([one])).toEqual([[[[[1], 0]]]]);
});

test.each([1, 2])("a row that no token can follow ends alone, with %i beams", async (beams) => {
  const settings: Settings = {
    ...(cases[0]?.rows[0]?.settings as Settings),
    kind: beams === 1 ? "greedy" : "beam",
    num_beams: beams,
    max_new_tokens: 20,
    min_new_tokens: 20,
    no_repeat_ngram_size: 0,
    forced_bos_token_id: null,
    forced_eos_token_id: null,
    num_return_sequences: 1,
  };
  const right = { prompt: [3], ids: [2], patience: 99, settings };
  const exhausted = { ...right, settings: { ...settings, no_repeat_ngram_size: 1 } };
  const one = { vocabulary: 12, rows: [right, exhausted, right] };
  const [before, failed, after] = await run(one);
  const [, ...alone] = await run({ ...one, rows: [exhausted, right] });
  expect([failed, [before], [after]]).toEqual([null, alone, alone]);
  expect(await inPython([one])).toMatchObject([[{}, null, {}]]);
});
