import { resolve } from "node:path";
import { counted, foreignError, type NamedTensors, PipelineError } from "@tritype/core";
import { openRemote } from "@tritype/endpoint";
import { isDecoupled } from "@tritype/triton";
import { type BenchPlan, benchPlan, type Protocol } from "../bench/bench-plan.ts";
import { type BenchResult, benchFormatVersion } from "../bench/bench-result.ts";
import { type BenchServer, devServer, namedServer, tritonServer } from "../bench/open-server.ts";
import { ownVersion } from "../bench/own-version.ts";
import { refuseUnwritable, writeText } from "../bench/write-text.ts";
import { caseLine, caseName, failed } from "../bench/show-case.ts";
import { type ExitCode, type Given, usage } from "../command.ts";
import { givenHeaders, refuseUnencrypted } from "../given-headers.ts";
import { refuseProfileOf } from "../project/need-profile.ts";
import { deviceOf } from "../project/device.ts";
import { describeModel } from "../request-inputs.ts";
import { acceptedInputsOf } from "../verify/accepted-inputs.ts";
import { profiledRepositoryOf } from "../project/repository-of.ts";
import { ensembleOf } from "../project/ensemble-of.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline bench [ensemble]`, `pipeline bench --compare a.json b.json` */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  if (given.flag("compare")) {
    const { compareRuns } = await import("../bench/compare-runs.ts");
    return await compareRuns(given, terminal);
  }
  if (given.positionals.length > 1)
    throw usage(
      `\`pipeline bench\` does not accept \`${given.positionals[1]}\``,
      "name one ensemble; two results are compared with --compare",
    );
  const plan = benchPlan(given);
  refuseUnwritable(terminal, given.text("html"), given.text("perf-analyzer-input"));
  const what = await open(given, terminal);
  if (what === undefined) return 1;
  try {
    return await bench(given, plan, what, terminal);
  } finally {
    terminal.progress("");
    await what.server.close();
  }
};

/** A server, and the information about its models. */
interface Opened {
  readonly server: BenchServer;
  readonly model: string;
  readonly samples: readonly NamedTensors[];
  /** Set if the repository was built by Tritype. */
  readonly repository?: string;
  readonly device?: string;
  readonly profile?: string | undefined;
}

const open = async (given: Given, terminal: Terminal): Promise<Opened | undefined> => {
  const [url, grpcUrl] = [given.text("url"), given.text("grpc-url")];
  const [named] = given.positionals;
  if (url !== undefined || grpcUrl !== undefined) {
    if (given.flag("triton"))
      throw usage("--triton starts a server, --url uses a running one", "remove one of them");
    refuseProfileOf(given, url === undefined ? "grpc-url" : "url");
    if (named === undefined)
      throw usage("which model should be tested?", "put its name first: pipeline bench embed --url …");
    const headers = givenHeaders(given, terminal);
    refuseUnencrypted(headers, url, grpcUrl, "leave out --grpc-url, or use an http:// address");
    return { server: namedServer(url, grpcUrl, headers), model: named, samples: [] };
  }
  const device = deviceOf(given, "cpu");
  const built = await profiledRepositoryOf(undefined, given, terminal);
  if (built === undefined) return undefined;
  const { repository, configName } = built;
  const model = ensembleOf(named, built.ensembles, "tested");
  const samples = built.samples.filter(({ ensemble }) => ensemble === model).map(({ inputs }) => inputs);
  const known = { model, samples, repository, profile: configName };
  if (given.flag("triton")) return { ...known, server: await tritonServer(built, terminal) };
  const python = given.flag("python") ? "always" : "twin";
  const server = await devServer({ repository, device, python, configName }, terminal);
  return { ...known, server, device };
};

const bench = async (given: Given, plan: BenchPlan, what: Opened, terminal: Terminal): Promise<ExitCode> => {
  const { server, model } = what;
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
    const [
      { requestSet },
      { measureCases },
      { machine },
      { grpcTarget, httpTarget },
      { builtModels, configuredModels, ensemblesOf, refuseSequences, servedConfigs },
    ] = await Promise.all([
      import("../bench/request-set.ts"),
      import("../bench/measure-cases.ts"),
      import("../bench/machine.ts"),
      import("@tritype/load-test"),
      import("../bench/served-models.ts"),
    ]);
    const metadata = await describeModel(endpoint, model);
    const configs = await servedConfigs(endpoint, model);
    refuseSequences(configs, model, "bench");
    const maxBatchSize = configs.get(model)?.max_batch_size ?? 0;
    const streams = isDecoupled(configs.get(model) ?? {});
    const sendStream = async (inputs: NamedTensors): Promise<void> => {
      const [[protocol, address]] = addresses;
      const open = protocol === "http" ? httpTarget : grpcTarget;
      const connection = open(address, { model, requests: [{ inputs }], timeoutMs, streams, headers }).open();
      const failure = await connection.send(0);
      connection.close();
      if (failure === undefined) return;
      throw foreignError(failure.lost ? "server/unreachable" : "request/invalid", failure.message);
    };
    const file = given.text("requests");
    const set = await requestSet({
      file: file === undefined ? undefined : { path: resolve(terminal.cwd, file), shown: file },
      samples: what.samples,
      metadata,
      maxBatchSize,
      accepted:
        what.repository === undefined ? new Map<string, never>() : acceptedInputsOf(what.repository, model),
      send: (inputs) => (streams ? sendStream(inputs) : endpoint.infer(model, inputs)),
    });
    const inputData = given.text("perf-analyzer-input");
    if (inputData !== undefined) {
      const { perfAnalyzerInput } = await import("../bench/perf-analyzer-input.ts");
      writeText(terminal, inputData, perfAnalyzerInput(set.requests, maxBatchSize > 0));
    }
    const { name, version } = await endpoint.client.serverMetadata();
    const models = what.repository === undefined ? undefined : builtModels(what.repository);
    const known = {
      formatVersion: benchFormatVersion,
      version: ownVersion(),
      began: new Date().toISOString(),
      machine: machine(),
      server: {
        kind: server.kind,
        name,
        version,
        ...(server.http === undefined ? {} : { http: server.http }),
        ...(server.grpc === undefined ? {} : { grpc: server.grpc }),
      },
      model,
      models: models ?? configuredModels(configs),
      requests: { source: set.source, count: set.requests.length, rows: set.rows, hash: set.hash },
      options: {
        seconds: plan.seconds,
        warmSeconds: plan.warmSeconds,
        seed: plan.seed,
        ...(what.device === undefined ? {} : { device: what.device }),
        ...(what.profile === undefined ? {} : { profile: what.profile }),
      },
    } as const;
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
    const result: BenchResult = {
      ...known,
      ...(stopped === undefined ? {} : { stopped }),
      cases: [...cases],
    };
    return await tell(given, result, terminal);
  } finally {
    over.abort();
    await endpoint.close();
  }
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

/** Prints and writes the measurements. Returns 1 if a request failed or the server ended, and 143 after SIGTERM. */
const tell = async (given: Given, result: BenchResult, terminal: Terminal): Promise<ExitCode> => {
  if (result.stopped !== undefined)
    terminal.note(
      `${terminal.colors.yellow("stopped")} ${result.stopped}; ${result.cases.length === 0 ? "nothing was measured" : "the results so far follow"}`,
    );
  if (given.flag("json")) terminal.out(JSON.stringify(result, null, 2));
  else if (result.cases.length > 0) {
    const { printResult } = await import("../bench/print-result.ts");
    terminal.out(printResult(result, terminal.outColors));
    if (given.flag("by-step")) {
      const { printSteps } = await import("../bench/print-steps.ts");
      terminal.out(`\n${printSteps(result, terminal.outColors)}`);
    }
  }
  const html = given.text("html");
  if (html !== undefined) {
    const [{ benchReport }, { renderReport }] = await Promise.all([
      import("../bench/bench-report.ts"),
      import("@tritype/report"),
    ]);
    writeText(terminal, html, await renderReport(benchReport(result)));
  }
  if (result.stopped === "SIGTERM") return 143;
  const serverEnded = result.stopped !== undefined && result.stopped !== "Ctrl-C";
  return serverEnded || result.cases.some((one) => failed(one) > 0) ? 1 : 0;
};
