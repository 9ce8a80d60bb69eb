import { type Given, usage } from "../command.ts";

const perUnit = { ms: 1, s: 1000, m: 60_000 } as const;
/** The maximum delay of a timer in Node. */
const longest = 2 ** 31 - 1;

/** Milliseconds of `--python-timeout`. @throws PipelineError `usage/invalid` */
export const pythonLimitOf = (given: Given): number | undefined => {
  const written = given.text("python-timeout");
  if (written === undefined) return undefined;
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(written) ?? [];
  const milliseconds = Math.round(Number(amount) * perUnit[unit as keyof typeof perUnit]);
  if (milliseconds >= 1 && milliseconds <= longest) return milliseconds;
  throw usage(`--python-timeout is ${written}`, "write a duration of at least 1ms, such as 500ms, 30s or 2m");
};
