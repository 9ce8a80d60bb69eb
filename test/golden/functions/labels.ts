/** What the classes of the model are called. */
export const labels = new Map([
  ["LABEL_0", "negative"],
  ["LABEL_1", "neutral"],
  ["LABEL_2", "positive"],
]);

/** Two digits after the point. */
export const rounded = (score: number): number => Math.round(score * 100) / 100;
