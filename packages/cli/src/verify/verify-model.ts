import { joinRows, type NamedTensors, rowsOf } from "@tritype/core";
import { type DeclaredTypes, type ListenedEndpoint, maxBatchSizeOf, misfitsOf } from "@tritype/endpoint";
import { different } from "@tritype/inspector/view";
import { type MemberCall, runMembers } from "@tritype/project";
import { isDecoupled, stepVersion } from "@tritype/triton";
import { answerOf, compareAnswer, nativeAnswer } from "./compare-endpoints.ts";
import { compareStreams, streamedBy } from "./compare-streams.ts";
import type { Finding } from "./findings.ts";
import type { Compared } from "./open-compared.ts";
import { compareRows } from "./row-independence.ts";

/** The results of an ensemble's requests. */
export interface VerifiedModel {
  readonly model: string;
  readonly findings: readonly Finding[];
  /**
   * Whether the local native run answered any request successfully; if all endpoints fail in the same way, their agreement proves little.
   */
  readonly answered: boolean;
  /** Such an ensemble cannot have `warmup`. */
  readonly streams?: true;
  /** The first error. */
  readonly failure: string | undefined;
  /** Models that compute all rows of a request together, and ensembles that contain them: their rows are not compared. */
  readonly mixed: readonly string[];
}

/** A model to verify. */
export interface ToVerify {
  readonly name: string;
  /** Default: unknown. */
  readonly declared: DeclaredTypes | undefined;
}

/**
 * Compares every response with that of the local native run, and that run's with the declared types. Then compares the rows of the largest
 * successful request with each other.
 * @param perRequest Models that may compute all rows of a request together.
 */
export const verifyModel = async (
  verified: ToVerify,
  requests: readonly NamedTensors[],
  { native, others }: Pick<Compared, "native" | "others">,
  tolerance: number,
  perRequest: ReadonlySet<string>,
): Promise<VerifiedModel> => {
  const model = verified.name;
  if (isDecoupled(await native.config(model)))
    return verifyStreams(verified, requests, { native, others }, tolerance);
  const findings: Finding[] = [];
  const answered: NamedTensors[] = [];
  const mixed = new Set<string>();
  let failure: string | undefined;
  for (const [index, inputs] of requests.entries()) {
    const reference = await nativeAnswer(native, { model, inputs });
    if (typeof reference.native === "string") failure ??= reference.native;
    else {
      answered.push(inputs);
      findings.push(...(await mistyped(native, verified, { inputs, number: index + 1 }, reference.native)));
    }
    for (const other of others)
      for (const tensor of await compareAnswer(other, { model, inputs }, reference, tolerance))
        findings.push({ model, check: other.name, request: index + 1, tensor });
  }
  const batched = (await maxBatchSizeOf(native, model)) > 0;
  const widest = answered.toSorted((a, b) => rowsOf(b) - rowsOf(a))[0];
  if (batched && widest !== undefined && rowsOf(widest) >= 2) {
    const request = requests.indexOf(widest) + 1;
    for (const rows of await compareMembersRows(native, model, widest, tolerance, { perRequest, mixed }))
      findings.push({ ...rows, request });
  }
  return { model, findings, answered: answered.length > 0, failure, mixed: [...mixed] };
};

/** The same for a model that streams; its requests have one row. */
const verifyStreams = async (
  verified: ToVerify,
  requests: readonly NamedTensors[],
  { native, others }: Pick<Compared, "native" | "others">,
  tolerance: number,
): Promise<VerifiedModel> => {
  const model = verified.name;
  const findings: Finding[] = [];
  let answered = false;
  let failure: string | undefined;
  for (const [index, inputs] of requests.entries()) {
    const wanted = await streamedBy(native, model, inputs);
    if (wanted === undefined) continue;
    if (wanted.error === undefined) answered = true;
    failure ??= wanted.error;
    for (const outputs of wanted.responses)
      findings.push(...(await mistyped(native, verified, { inputs, number: index + 1 }, outputs)));
    for (const other of others) {
      const got = await streamedBy(other, model, inputs);
      for (const tensor of got === undefined ? [] : compareStreams(got, wanted, tolerance))
        findings.push({ model, check: other.name, request: index + 1, tensor });
    }
  }
  return { model, findings, answered, streams: true, failure, mixed: [] };
};

/** The outputs of a response of the local native run that do not have their declared type. */
const mistyped = async (
  native: ListenedEndpoint,
  { name: model, declared }: ToVerify,
  { inputs, number }: { readonly inputs: NamedTensors; readonly number: number },
  outputs: NamedTensors,
): Promise<readonly Finding[]> => {
  if (declared === undefined) return [];
  const misfits = await misfitsOf(native, { model, declared, inputs }, outputs);
  return misfits.map(({ output, problem, maker }) => ({
    model,
    check: "declared type",
    request: number,
    tensor: different(output, `it ${problem} (from \`${maker}\`)`),
  }));
};

/** Checks whether rows depend on each other, in an ensemble and in each model that it reaches; where they may, adds it to `mixed`. */
const compareMembersRows = async (
  native: ListenedEndpoint,
  model: string,
  inputs: NamedTensors,
  tolerance: number,
  { perRequest, mixed }: { readonly perRequest: ReadonlySet<string>; readonly mixed: Set<string> },
): Promise<readonly Omit<Finding, "request">[]> => {
  const calls = [{ model, inputs }, ...(await callsIn(native, { model, inputs }))];
  const found: Omit<Finding, "request">[] = [];
  const mixes = async (one: string, version?: string): Promise<boolean> => {
    if (perRequest.has(one)) return true;
    for (const step of (await native.config(one, version)).ensemble_scheduling?.step ?? [])
      if (await mixes(step.model_name ?? "", stepVersion(step))) return true;
    return false;
  };
  for (const call of calls) {
    if (await mixes(call.model, call.version)) {
      mixed.add(call.model);
      continue;
    }
    const ask = (rows: NamedTensors): Promise<NamedTensors> => native.infer(call.model, rows, call.version);
    for (const { way, tensors } of await compareRows(call.inputs, ask, tolerance))
      found.push(...tensors.map((tensor) => ({ model: call.model, check: way, tensor })));
  }
  return found;
};

/**
 * The requests that reach an ensemble's members, including members of nested ensembles, and those that code sends to
 * other models and that are answered.
 */
const callsIn = async (
  native: ListenedEndpoint,
  { model, inputs, version }: MemberCall,
): Promise<readonly MemberCall[]> => {
  native.takeModelCalls();
  const calls: MemberCall[] = [];
  await runAll(native, { model, inputs, version }, calls);
  const byCode: MemberCall[] = [];
  const inside: MemberCall[] = [];
  for (const asked of native.takeModelCalls()) {
    if (typeof (await answerOf(native, asked.model, asked.inputs, asked.version)) === "string") continue;
    byCode.push(asked);
    // The result includes calls that these models make themselves.
    if ((await native.config(asked.model, asked.version)).ensemble_scheduling !== undefined)
      inside.push(...(await callsIn(native, asked)));
  }
  return [...calls, ...(await joinSingles(native, byCode)), ...inside];
};

/** Runs a model, an ensemble member by member; adds the requests to its members, and to theirs, to `calls`. */
const runAll = async (
  native: ListenedEndpoint,
  { model, inputs, version }: MemberCall,
  calls: MemberCall[],
): Promise<NamedTensors> => {
  const config = await native.config(model, version);
  if (config.ensemble_scheduling === undefined) return native.infer(model, inputs, version);
  const { tensors } = await runMembers(config, inputs, (...[member, given, wanted]) => {
    const call = { model: member, inputs: given, version: wanted };
    calls.push(call);
    return runAll(native, call, calls);
  });
  return tensors;
};

/** One-row requests joined into batches as in Triton; requests to models without batching are left out. */
const joinSingles = async (
  native: ListenedEndpoint,
  calls: readonly MemberCall[],
): Promise<readonly MemberCall[]> => {
  const batches = new Map<string, MemberCall>();
  for (const [index, call] of calls.entries()) {
    const { model, version, inputs } = call;
    const shapes = [...inputs].map(([name, { shape }]) => [name, shape]);
    const key = rowsOf(inputs) === 1 ? JSON.stringify([model, version, shapes]) : String(index);
    const known = batches.get(key)?.inputs;
    const most = await maxBatchSizeOf(native, model);
    if (known === undefined && most > 0) batches.set(key, call);
    if (known !== undefined && rowsOf(known) < most)
      batches.set(key, { ...call, inputs: joinRows([known, inputs]) });
  }
  return [...batches.values()];
};
