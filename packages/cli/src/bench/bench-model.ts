import { counted, foreignError, PipelineError } from "@tritype/core";
import { openRemote, type RemoteEndpoint } from "@tritype/endpoint";
import { grpcTarget, httpTarget, type TargetOptions } from "@tritype/load-test";
import type { BuiltProject } from "@tritype/project";
import { isDecoupled } from "@tritype/triton";
import { type Given, usage } from "../command.ts";
import { describeModel } from "../request-inputs.ts";
import type { Terminal } from "../terminal.ts";
import { acceptedInputsOf } from "../verify/accepted-inputs.ts";
import type { BenchPlan, Protocol } from "./bench-plan.ts";
import { type BenchResult, benchFormatVersion } from "./bench-result.ts";
import { machine } from "./machine.ts";
import { measureCases } from "./measure-cases.ts";
import type { BenchServer } from "./open-server.ts";
import { ownVersion } from "../own-version.ts";
import { perfAnalyzerInput } from "./perf-analyzer-input.ts";
import { type RequestSet, requestSet } from "./request-set.ts";
import {
  builtModels,
  configuredModels,
  ensemblesOf,
  refuseSequences,
  type ServedConfigs,
  servedConfigs,
} from "./served-models.ts";
import { caseLine, caseName } from "./show-case.ts";
import { writeText } from "../write-file.ts";

/** A model, its server, and the information about it. */
export interface BenchedModel {
  readonly server: BenchServer;
  readonly model: string;
  readonly samples: BuiltProject["samples"];
  /** Set if the repository was built by Tritype. */
  readonly repository?: string;
  readonly device?: string;
  readonly profile?: string | undefined;
}

/** Measures a model under the loads of a plan, until all are done, Ctrl-C, or its server ends. */
export const benchModel = async (
  given: Given,
  plan: BenchPlan,
  benched: BenchedModel,
  terminal: Terminal,
): Promise<BenchResult> => {
  const { server, model } = benched;
  const addresses = addressesOf(server, plan.protocol);
  const { headers } = server;
  const { timeoutMs } = plan;
  const endpoint = await openRemote(model, server, { timeoutMs, headers });
  const over = new AbortController();
  let stopped: string | undefined;
  const stop = (why: string) => {
    stopped ??= why;
    over.abort();
  };
  try {
    const metadata = await describeModel(endpoint, model);
    const configs = await servedConfigs(endpoint, model);
    refuseSequences(configs, model, "bench");
    const { max_batch_size: maxBatchSize = 0, ...config } = configs.get(model) ?? {};
    const streams = isDecoupled(config);
    const set = await requestSet({
      file: given.text("requests"),
      cwd: terminal.cwd,
      samples: benched.samples,
      metadata,
      maxBatchSize,
      accepted:
        benched.repository === undefined
          ? new Map<string, never>()
          : acceptedInputsOf(benched.repository, model),
      send: (inputs) =>
        streams
          ? sendStream(addresses[0], { model, requests: [{ inputs }], timeoutMs, streams, headers })
          : endpoint.infer(model, inputs),
    });
    const inputData = given.text("perf-analyzer-input");
    if (inputData !== undefined)
      writeText(terminal, inputData, perfAnalyzerInput(set.requests, maxBatchSize > 0));
    const known = await knownBefore(plan, benched, endpoint, configs, set);
    const { name, version } = known.server;
    terminal.note(
      `${terminal.colors.green("loading")} \`${model}\` of ${name} ${version}: ${counted(set.requests.length, "request")} (${set.source}), ${counted(plan.loads.length * addresses.length, "case")} of ${plan.warmSeconds} + ${plan.seconds} s`,
    );
    void terminal.untilStopped().then(stop);
    void server.ended.then((how) => stop(`the server ended (${how})`));
    const cases = await measureCases({
      plan,
      model,
      set,
      streams,
      ensembles: ensemblesOf(configs),
      addresses,
      headers,
      statistics: () => endpoint.client.statistics(),
      signal: over.signal,
      onProgress: (protocol, load, seconds, { answered, failed: bad, inFlight }) =>
        terminal.progress(
          `${caseName({ protocol, load })}: ${phase(seconds, plan)}, ${answered} answered${bad === 0 ? "" : `, ${bad} failed`}, ${inFlight} waiting`,
        ),
      onCase: (measured) => terminal.note(caseLine(measured)),
      onNoStatistics: (error) =>
        terminal.note(
          `${terminal.colors.dim("note")} no batch sizes and queue times: the server has no statistics (${PipelineError.is(error) ? error.message : String(error)})`,
        ),
    });
    return { ...known, stopped, cases };
  } finally {
    over.abort();
    await endpoint.close();
  }
};

/** Sends one request to a model that streams. */
const sendStream = async ([protocol, address]: ServerAddress, options: TargetOptions): Promise<void> => {
  const connection = (protocol === "http" ? httpTarget : grpcTarget)(address, options).open();
  const failure = await connection.send(0);
  connection.close();
  if (failure === undefined) return;
  throw foreignError(failure.lost ? "server/unreachable" : "request/invalid", failure.message);
};

/** The parts of a result that are known before anything is measured. */
const knownBefore = async (
  { seconds, warmSeconds, seed }: BenchPlan,
  { server: { kind, http, grpc }, model, repository, device, profile }: BenchedModel,
  { client }: RemoteEndpoint,
  configs: ServedConfigs,
  set: RequestSet,
): Promise<Omit<BenchResult, "cases">> => {
  const { name, version } = await client.serverMetadata();
  return {
    formatVersion: benchFormatVersion,
    version: ownVersion(),
    began: new Date().toISOString(),
    machine: machine(),
    server: { kind, name, version, http, grpc },
    model,
    models: (repository === undefined ? undefined : builtModels(repository)) ?? configuredModels(configs),
    requests: { source: set.source, count: set.requests.length, rows: set.rows, hash: set.hash },
    options: { seconds, warmSeconds, seed, device, profile },
  };
};

const phase = (seconds: number, { warmSeconds, seconds: measured }: BenchPlan): string =>
  seconds < warmSeconds
    ? `warming ${Math.floor(seconds)} of ${warmSeconds} s`
    : seconds < warmSeconds + measured
      ? `${Math.floor(seconds - warmSeconds)} of ${measured} s`
      : "waiting for the last answers";

type ServerAddress = readonly [Protocol, string];

const addressesOf = (
  { http, grpc }: BenchServer,
  protocol: Protocol | undefined,
): readonly [ServerAddress, ...ServerAddress[]] => {
  const addresses = [["http", http] as const, ["grpc", grpc] as const].flatMap(([name, address]) =>
    address === undefined || (protocol !== undefined && protocol !== name) ? [] : [[name, address] as const],
  );
  const [first, ...others] = addresses;
  if (first === undefined)
    throw usage(
      `--protocol is ${protocol}, but its address is missing`,
      protocol === "grpc" ? "set it with --grpc-url host:port" : "set it with --url http://host:port",
    );
  return [first, ...others];
};
