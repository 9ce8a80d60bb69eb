import { type Diagnostic, guessHelp, ownValue, type StepDefinition } from "@tritype/core";
import { z } from "zod";
import { authorFields } from "../emit/field-places.ts";
import type { OptionForms } from "../step-kind.ts";
import { optionForms, unknownOption } from "./check-option-forms.ts";

const any = z.unknown();

/** The options of an ensemble, which in Triton has no instances and no batcher of its own. */
export const ensembleForms: OptionForms = {
  maxBatchSize: any,
  members: z
    .strictObject({ instanceGroup: any, dynamicBatching: any, profiles: any }, "must be an object of fields")
    .partial(),
  batchBy: any,
  responseCache: any,
  versionPolicy: any,
  parameters: any,
  metricTags: any,
  modelRepositoryAgents: any,
  maxInflightRequests: z.uint32("must be a whole number from 0 to 4294967295"),
  warmup: any,
  profiles: any,
  raw: optionForms.word,
};

/** The first two options are also in the types of `members`. */
const ofMembers: Readonly<Record<string, string>> = {
  instanceGroup: "an ensemble has no instances in Triton: set `members.instanceGroup` or the step's own",
  dynamicBatching:
    "an ensemble does not batch in Triton; its members do: set `members.dynamicBatching` or the step's own",
  sequenceBatching: "an ensemble has no sequences of its own in Triton: set the step's own",
  fuse: "an ensemble has no file: set it on the `onnx` step that the tensor math is fused into",
  optimization: "an ensemble runs nothing itself in Triton: set the step's own",
};

/** Options that every step has in addition to those of its kind. */
const stepOptions: readonly string[] = [
  ...authorFields,
  "modelWarmup",
  "maxBatchSize",
  "profiles",
  "raw",
  "inputFields",
  "outputFields",
];

const elsewhere = (ensemble: boolean, option: string): string | undefined => {
  if (!ensemble)
    return option === "warmup" ? "a step has `modelWarmup`; `warmup` belongs to the ensemble" : undefined;
  if (option === "modelWarmup") return "give the ensemble `warmup`, or the steps `modelWarmup`";
  return ownValue(ofMembers, option);
};

/** An unknown option would otherwise be silently ignored; kinds that do not list their options are not checked. */
export const checkOptionNames = (
  definition: StepDefinition,
  kindOptions: readonly string[] | OptionForms | undefined,
): readonly Diagnostic[] => {
  if (kindOptions === undefined) return [];
  const names = Array.isArray(kindOptions) ? (kindOptions as readonly string[]) : Object.keys(kindOptions);
  const ensemble = definition.kind === "ensemble";
  const known = ensemble ? names : [...names, ...stepOptions];
  const declared = ["name", "inputs", ensemble ? "run" : "outputs"];
  return Object.entries(definition.options)
    .filter(([option, value]) => value !== undefined && !known.includes(option))
    .map(([option]) => {
      const otherwise = `its options are ${[...declared, ...known.toSorted()].join(", ")}`;
      const help = elsewhere(ensemble, option) ?? guessHelp(option, [...declared, ...known], otherwise);
      return unknownOption(definition, [option], help);
    });
};
