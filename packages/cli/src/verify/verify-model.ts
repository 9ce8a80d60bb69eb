import { type NamedTensors, rowsOf } from "@tritype/core";
import { type ListenedEndpoint, maxBatchSizeOf } from "@tritype/endpoint";
import { type MemberCall, runMembers } from "@tritype/project";
import { answerOf, compareAnswer } from "./compare-endpoints.ts";
import type { Finding } from "./findings.ts";
import type { Compared } from "./open-compared.ts";
import { compareRows } from "./row-independence.ts";

/** The results of an ensemble's requests. */
export interface VerifiedModel {
  readonly model: string;
  readonly findings: readonly Finding[];
  /** Whether local native answered any request successfully; if all endpoints fail alike, that proves little. */
  readonly answered: boolean;
  /** The first error. */
  readonly failure: string | undefined;
}

/**
 * Compares every response with that of local native, then the rows of the widest successful request with each other.
 */
export const verifyModel = async (
  model: string,
  requests: readonly NamedTensors[],
  { native, others }: Compared,
  tolerance: number,
): Promise<VerifiedModel> => {
  const findings: Finding[] = [];
  const answered: NamedTensors[] = [];
  let failure: string | undefined;
  for (const [index, inputs] of requests.entries()) {
    const reference = await answerOf(native, model, inputs);
    if (typeof reference === "string") failure ??= reference;
    else answered.push(inputs);
    for (const other of others)
      for (const tensor of await compareAnswer(other, model, inputs, reference, tolerance))
        findings.push({ model, check: other.name, request: index + 1, tensor });
  }
  const batched = (await maxBatchSizeOf(native, model)) > 0;
  const widest = answered.toSorted((a, b) => rowsOf(b) - rowsOf(a))[0];
  if (batched && widest !== undefined && rowsOf(widest) >= 2) {
    const request = requests.indexOf(widest) + 1;
    for (const rows of await compareMembersRows(native, model, widest, tolerance))
      findings.push({ ...rows, request });
  }
  return { model, findings, answered: answered.length > 0, failure };
};

/** Checks whether rows depend on each other, in an ensemble and in each model that it reaches. */
const compareMembersRows = async (
  native: ListenedEndpoint,
  model: string,
  inputs: NamedTensors,
  tolerance: number,
): Promise<readonly Omit<Finding, "request">[]> => {
  const calls = [{ model, version: undefined, inputs }, ...(await callsIn(native, model, inputs))];
  const found: Omit<Finding, "request">[] = [];
  for (const call of calls) {
    const ask = (rows: NamedTensors): Promise<NamedTensors> => native.infer(call.model, rows, call.version);
    for (const { way, tensors } of await compareRows(call.inputs, ask, tolerance))
      found.push(...tensors.map((tensor) => ({ model: call.model, check: way, tensor })));
  }
  return found;
};

/**
 * The requests that reach an ensemble's members, including members of nested ensembles, and those that they send to
 * other models.
 */
const callsIn = async (
  native: ListenedEndpoint,
  model: string,
  inputs: NamedTensors,
  version?: string,
): Promise<readonly MemberCall[]> => {
  native.takeModelCalls();
  const { calls } = await runMembers(await native.config(model, version), inputs, native.infer);
  const all = [...calls];
  for (const asked of native.takeModelCalls()) {
    all.push({ model: asked.model, version: asked.version, inputs: asked.inputs });
    all.push(...(await callsIn(native, asked.model, asked.inputs, asked.version)));
  }
  return all;
};
