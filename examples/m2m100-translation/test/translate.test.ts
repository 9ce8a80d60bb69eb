import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Order } from "../clients/translate.ts";
import { type BuiltExample, buildExample } from "./built-example.ts";
import { inBatches, low, unseen, wrongOf } from "./translations.ts";

const example = { text: "one hundred and twenty-three", from: "en" } as const;
const german = { ...example, to: "de" };

describe.each(["fp32", "int8"] as const)("%s", (weights) => {
  let built: BuiltExample;
  beforeAll(async () => {
    built = await buildExample(weights);
  }, 60_000);
  afterAll(() => built?.close());
  const translate = (orders: readonly Order[]): Promise<readonly string[]> => built.translate(orders);

  test("one request translates one text into three languages", async () => {
    expect(await translate([german, { ...example, to: "fr" }, { ...example, to: "es" }])).toEqual([
      "einhundertdreiundzwanzig",
      "cent vingt-trois",
      "ciento veintitrés",
    ]);
  });

  test("at least 99.5 % of 400 translations of unseen numbers are correct, with mixed languages and lengths", async () => {
    expect(unseen.length).toBe(400);
    expect(new Set(unseen.map(({ from, to }) => from + to)).size).toBe(12);
    const wrong = wrongOf(unseen, await inBatches(unseen, translate));
    expect(wrong.length / unseen.length, wrong.join("\n")).toBeLessThanOrEqual(0.005);
  });

  test.each([
    ["en", "de"],
    ["de", "fr"],
    ["fr", "es"],
    ["es", "en"],
  ] as const)("0 to 99, %s → %s", async (from, to) => {
    const asked = low({ from, to });
    expect(asked.length).toBe(100);
    expect(wrongOf(asked, await inBatches(asked, translate))).toEqual([]);
  });
});

describe("requests", () => {
  let built: BuiltExample;
  beforeAll(async () => {
    built = await buildExample("fp32");
  }, 60_000);
  afterAll(() => built?.close());

  test("a text gets the same translation alone and in a batch", async () => {
    const asked = unseen.slice(0, 32);
    const together = await built.translate(asked);
    const alone = await Promise.all(asked.map((one) => built.translate([one])));
    expect(alone.flat()).toEqual(together);
  });

  test("whitespace around a text does not change its translation", async () => {
    expect(await built.translate([{ ...german, text: `\n ${german.text} \t` }])).toEqual([
      "einhundertdreiundzwanzig",
    ]);
  });

  test.each([
    ["an unknown source", { ...german, from: "en-US" }, /source_language is "en-US"; .*did you mean en\?/],
    [
      "an unknown target",
      { ...german, to: "sw" },
      /target_language is "sw"; the languages are de, en, es, fr$/,
    ],
    ["no language", { ...german, to: "" }, /target_language is ""; the languages are de, en, es, fr$/],
    ["no text", { ...german, text: "" }, /row 1: RangeError: the text is empty/],
    ["white space for a text", { ...german, text: " \n" }, /row 1: RangeError: the text is empty/],
    ["too long a text", { ...german, text: "one ".repeat(70) }, /row 1 has 72 tokens, but the maximum is 64/],
  ] as const)("%s only makes its own request fail, not the others in the batch", async (_, order, says) => {
    const [before, wrong, after] = await Promise.allSettled([
      built.translate([german]),
      built.translate([german, order]),
      built.translate([german]),
    ]);
    expect(wrong).toMatchObject({ status: "rejected", reason: { message: expect.stringMatching(says) } });
    const right = { status: "fulfilled", value: ["einhundertdreiundzwanzig"] };
    expect([before, after]).toEqual([right, right]);
  });
});
