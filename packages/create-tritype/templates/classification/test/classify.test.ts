import { expect, test } from "vitest";
import { topics } from "../models/topics.ts";
import { classify } from "../pipeline.ts";

test.each([
  ["Please unlock my account.", "account"],
  ["My bank says that the payment was refused.", "billing"],
  ["The postman gave my parcel to somebody else.", "delivery"],
  ["How can I send something back?", "returns"],
])("%s → %s", async (text, topic) => {
  const { label, confidence } = await classify.run({ text: [text] });
  expect(label.toArray()).toEqual([topic]);
  expect(confidence.toArray()[0]).toBeGreaterThan(0.5);
});

test("probabilities add up to 1, and the label is the likeliest", async () => {
  const { label, probabilities } = await classify.run({
    text: ["Where is it?", "I want my money back.", ""],
  });
  for (const [row, values] of probabilities.toArray().entries()) {
    expect(values.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 5);
    expect(label.data[row]).toBe(topics[values.indexOf(Math.max(...values))]);
  }
});
