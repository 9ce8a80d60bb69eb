import { type Given, usage } from "../command.ts";

/** `--tolerance`: the largest difference between numbers of two answers. */
export const toleranceOf = (given: Given, byDefault: string): number => {
  const text = given.text("tolerance") ?? byDefault;
  const tolerance = Number(text);
  if (!(tolerance >= 0)) throw usage(`--tolerance is ${text}`, "use a number, such as 1e-4");
  return tolerance;
};
