import { type NamedTensors, remembered } from "@tritype/core";
import { InvalidResult } from "./function-failure.ts";
import { givenTensor, tensorFrom } from "./function-values.ts";
import {
  type Declaration,
  declaredResult,
  ReadRequest,
  type RunInputs,
  signatureOf,
  writeAnswer,
} from "./request-values.ts";

/** The user's function: maps one row, or the tensors of a request, to the corresponding outputs. */
export type Run = (inputs: RunInputs) => unknown;

/** The message for a function's error, including its position. */
export type Tell = (error: unknown) => string;

const preparedSignature = remembered(signatureOf);

/**
 * Does the same as `answer` in an emitted `model.py`, with the same messages: returns all outputs of a request.
 * @throws InvalidRequest, InvalidResult
 */
export const answerRequest = (
  run: Run,
  declaration: Declaration,
  given: NamedTensors,
  tell: Tell,
): NamedTensors => {
  const signature = preparedSignature(declaration);
  const tensors = signature.inputs.map(({ name }) => given.get(name));
  const request = new ReadRequest(
    signature,
    tensors.map((tensor) => tensor && givenTensor(tensor)),
  );
  const results = Array.from({ length: request.calls }, (_, call) => {
    const inputs = request.inputs(call);
    let result: unknown;
    try {
      result = run(inputs);
    } catch (error) {
      throw new InvalidResult(`${request.prefix(call)}${tell(error)}`);
    }
    return declaredResult(signature, result, request, call);
  });
  const outputs = writeAnswer(signature, request, results).map(tensorFrom);
  return new Map(signature.outputs.map(({ name }, index) => [name, outputs[index] as (typeof outputs)[0]]));
};
