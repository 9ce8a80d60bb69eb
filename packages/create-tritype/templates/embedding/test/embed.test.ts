import { expect, test } from "vitest";
import { embed } from "../pipeline.ts";

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

test("texts with the same meaning are closer to each other than other texts", async () => {
  const { embedding } = await embed.run({
    text: [
      "A cat sleeps on the couch.",
      "The kitten is dozing on the sofa.",
      "Heavy rain flooded the village.",
    ],
  });
  const [cat = [], kitten = [], rain = []] = embedding.toArray();
  expect(dot(cat, kitten)).toBeGreaterThan(dot(cat, rain) + 0.3);
});

test("every vector has length 1", async () => {
  const { embedding } = await embed.run({ text: ["one", "a longer text of several words"] });
  expect(embedding.shape).toEqual([2, 64]);
  for (const vector of embedding.toArray()) expect(dot(vector, vector)).toBeCloseTo(1, 5);
});

test("a text has the same vector alone and in a batch with longer texts", async () => {
  const alone = await embed.run({ text: ["one"] });
  const among = await embed.run({ text: ["one", "a longer text of several words"] });
  const [first = []] = alone.embedding.toArray();
  const [second = []] = among.embedding.toArray();
  first.forEach((x, i) => expect(second[i]).toBeCloseTo(x, 5));
});
