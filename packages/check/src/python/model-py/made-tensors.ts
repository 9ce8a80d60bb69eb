import { remembered } from "@tritype/core";
import { argumentOf, backendUtilsOf } from "../backend-utils.ts";
import type { ReadModelPy } from "./model-py.ts";
import type { Expression } from "../syntax.ts";
import { callsIn, valuesOf } from "../values.ts";

/** `pb_utils.Tensor(name, value)` with a known name. */
export interface MadeTensor {
  readonly name: string;
  /** The argument as written: the name itself, or an alias of it. */
  readonly place: Expression;
  readonly value: Expression | undefined;
  /** Whether the tensor is certainly part of an InferenceResponse. */
  readonly answered: boolean;
}

export interface MadeTensors {
  readonly tensors: readonly MadeTensor[];
  /** Whether the names of all tensors in the file are known and none of them is created for another model. */
  readonly complete: boolean;
}

/** The tensors that a file creates. */
export const madeTensors: (file: ReadModelPy) => MadeTensors = remembered((file) => {
  const utils = backendUtilsOf(file.module);
  const { resolve } = valuesOf(file.module);
  const calls = callsIn(file.module.body);
  const members = calls.map(({ callee }) => utils.memberOf(callee));
  const makers = calls.filter((_, i) => members[i] === "Tensor" || members[i] === "Tensor.from_dlpack");
  const answered = new Set(
    calls
      .filter((_, i) => members[i] === "InferenceResponse")
      .flatMap(({ args }) => args)
      .flatMap(({ value }) => {
        const list = resolve(value);
        return list.kind === "sequence" ? list.items.map(resolve) : [];
      }),
  );
  const tensors = makers.flatMap((call): readonly MadeTensor[] => {
    const place = argumentOf(call.args, 0, "name");
    const name = place && resolve(place);
    if (place === undefined || name?.kind !== "text" || name.value === undefined) return [];
    return [
      { name: name.value, place, value: argumentOf(call.args, 1, "data"), answered: answered.has(call) },
    ];
  });
  const complete =
    tensors.length === makers.length &&
    !utils.passedOn.has("Tensor") &&
    !members.includes("InferenceRequest") &&
    !utils.passedOn.has("InferenceRequest");
  return { tensors, complete };
});

/**
 * Whether every response in a file is a list of tensors that are created inline or on the line before, so that no
 * tensor comes from elsewhere.
 */
export const answersArePlain = (file: ReadModelPy): boolean => {
  const utils = backendUtilsOf(file.module);
  const { resolve } = valuesOf(file.module);
  const responses = callsIn(file.module.body).filter(
    ({ callee }) => utils.memberOf(callee) === "InferenceResponse",
  );
  if (responses.length === 0 || utils.passedOn.has("InferenceResponse")) return false;
  const isTensor = (expression: Expression): boolean => {
    const value = resolve(expression);
    return value.kind === "call" && /^Tensor(?:\.from_dlpack)?$/.test(utils.memberOf(value.callee) ?? "");
  };
  let answers = 0;
  for (const { args } of responses) {
    if (args.some(({ star }) => star !== "")) return false;
    const outputs = argumentOf(args, 0, "output_tensors");
    if (outputs === undefined || (outputs.kind === "sequence" && outputs.items.length === 0)) {
      if (args.every(({ name }) => name !== "error")) return false;
      continue;
    }
    if (outputs.kind !== "sequence" || !outputs.items.every(isTensor)) return false;
    answers += 1;
  }
  return answers > 0;
};
