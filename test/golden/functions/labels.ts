/** The names of the model's classes. */
export const labels = new Map([
  ["LABEL_0", "negative"],
  ["LABEL_1", "neutral"],
  ["LABEL_2", "positive"],
]);

/** Two decimals. */
export const rounded = (score: number): number => Math.round(score * 100) / 100;
