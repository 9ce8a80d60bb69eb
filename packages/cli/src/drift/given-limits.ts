import { guessHelp } from "@tritype/core";
import {
  type DriftLimits,
  type DriftLimitsByOutput,
  driftLimitNames,
  driftLimitsSchema,
} from "@tritype/drift";
import { usage } from "../command.ts";

/**
 * Limits from options such as `--limit embedding.cosine=0.999`, or `--limit top1=1` for every output.
 * @throws PipelineError `usage/invalid`
 */
export const givenLimits = (options: readonly string[]): DriftLimitsByOutput => {
  const limits: Record<string, DriftLimits> = {};
  for (const option of options) {
    const match = /^(?:(?<output>.+)\.)?(?<name>[A-Za-z0-9]+)=(?<value>.+)$/.exec(option)?.groups;
    if (match === undefined)
      throw usage(
        `--limit is ${option}`,
        "write --limit output.cosine=0.999, or --limit cosine=0.999 for all",
      );
    const { output = "*", name = "", value = "" } = match;
    if (!driftLimitNames.some((known) => known === name)) {
      throw usage(
        `--limit ${option}: there is no limit \`${name}\``,
        guessHelp(name, driftLimitNames, `the limits are ${driftLimitNames.join(", ")}`),
      );
    }
    const read = driftLimitsSchema.safeParse({ [name]: name === "dtype" ? value : Number(value) });
    if (!read.success)
      throw usage(
        `--limit ${option}: ${name} ${read.error.issues[0]?.message ?? ""}`,
        "write such a value: --limit cosine=0.999",
      );
    limits[output] = { ...limits[output], ...read.data };
  }
  return limits;
};

/** Merges two sets of limits; the second takes precedence. */
export const mergedLimits = (first: DriftLimitsByOutput, second: DriftLimitsByOutput): DriftLimitsByOutput =>
  Object.fromEntries(
    [...new Set([...Object.keys(first), ...Object.keys(second)])].map((output) => [
      output,
      { ...first[output], ...second[output] },
    ]),
  );

/** @throws PipelineError `usage/invalid` for limits of outputs that do not exist in any model. */
export const refuseUnknownOutputs = (limits: DriftLimitsByOutput, outputs: readonly string[]): void => {
  for (const output of Object.keys(limits)) {
    if (output === "*" || outputs.includes(output)) continue;
    throw usage(
      `there is no output \`${output}\` to limit`,
      guessHelp(output, outputs, `the outputs are ${outputs.join(", ")}`),
    );
  }
};
