import { type Given, usage } from "../command.ts";

/** `--tolerance`: the largest difference between numbers of two answers. */
export const toleranceOf = (given: Given, byDefault: string): number => {
  const text = given.text("tolerance") ?? byDefault;
  const tolerance = Number(text);
  if (!/^[\d.]/.test(text) || !(tolerance >= 0 && tolerance < Infinity))
    throw usage(`--tolerance is ${text}`, "use a number from 0, such as 1e-4");
  return tolerance;
};
