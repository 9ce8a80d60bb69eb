import { afterAll, describe, expect, test } from "vitest";
import {
  type Answer,
  nativeAnswers,
  pythonAnswers,
  type Rows,
  type WrittenModel,
  writeModel,
} from "./generate-model.ts";
import { type GoldenCase, goldenModels, stepOfCase, variantsOf } from "./goldens.ts";

const written: WrittenModel[] = [];
afterAll(() => written.forEach((it) => it.remove()));

/** A single row, all rows in one request, and several requests with different lengths and sizes together. */
const waysOf = (rows: GoldenCase["rows"]): readonly (readonly Rows[])[] => {
  const ask = (...some: GoldenCase["rows"]): Rows => ({
    prompts: some.map(({ input_ids: ids }) => ids),
    ...(some[0]?.forced_bos_token_id === undefined
      ? {}
      : { said: { forced_bos_token_id: some.map((row) => row.forced_bos_token_id ?? 0) } }),
  });
  const [first, ...rest] = rows;
  if (first === undefined) return [];
  return [
    [ask(first)],
    [ask(...rows)],
    [ask(first), ask(...rest.slice(0, 3)), ...rest.slice(3).map((row) => ask(row))],
  ];
};

/** For each row, its sequences without padding, and their scores. */
const foundIn = (answers: readonly Answer[], pad: number) =>
  answers.flatMap((answer) => {
    if ("message" in answer) throw new Error(JSON.stringify(answer));
    const { sequences, scores } = answer;
    const shape = sequences?.shape ?? [];
    const [rows = 0, returned = 1, width = 0] = shape.length === 2 ? [shape[0], 1, shape[1]] : shape;
    return Array.from({ length: rows }, (_, row) =>
      Array.from({ length: returned }, (_none, place) => {
        const at = row * returned + place;
        const tokens = [...(sequences?.values.slice(at * width, (at + 1) * width) ?? [])];
        while (tokens.at(-1) === pad) tokens.pop();
        return { tokens, ...(scores === undefined ? {} : { score: scores.values[at] }) };
      }),
    );
  });

const expectGolden = (answers: readonly Answer[], rows: GoldenCase["rows"], pad: number): void => {
  const found = foundIn(answers, pad);
  const wanted = rows.slice(0, found.length).map(({ sequences = [] }) => sequences);
  expect(found.map((row) => row.map(({ tokens }) => tokens))).toEqual(
    wanted.map((row) => row.map(({ tokens }) => [...tokens])),
  );
  wanted.flat().forEach(({ score }, index) => {
    if (score !== undefined) expect(Math.abs(score - (found.flat()[index]?.score ?? 0))).toBeLessThan(2e-5);
  });
};

describe.each(goldenModels())("$name", ({ folder, goldens }) => {
  const pad = goldens.tokens["pad_token_id"] ?? -1;
  const cases = goldens.cases.filter(({ rows }) => rows.every(({ sequences }) => sequences !== undefined));
  const [first] = variantsOf(folder);

  test.each(variantsOf(folder))(
    "%s gives the same answers as transformers, natively and in Python",
    async (_, variant) => {
      const searches =
        variant === first?.[1] ? cases : cases.filter(({ name }) => /^(greedy|4 beams)$/.test(name));
      const made = searches.map((golden) => {
        const one = writeModel(...stepOfCase(folder, variant, goldens, golden));
        written.push(one);
        return { golden, written: one, ways: waysOf(golden.rows) };
      });
      for (const { golden, written: one, ways } of made)
        for (const answers of await nativeAnswers(one, ...ways)) expectGolden(answers, golden.rows, pad);
      const jobs = made.flatMap(({ golden, written: one, ways }) =>
        ways.map((requests) => ({ golden, written: one, requests })),
      );
      const answers = await pythonAnswers(jobs);
      jobs.forEach(({ golden }, index) => expectGolden(answers[index] ?? [], golden.rows, pad));
    },
    60_000,
  );
});
