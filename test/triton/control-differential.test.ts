import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { type GrpcServer, type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Files, writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { type Difference, differences } from "./control-differences.ts";
import { grpcControlRequests, httpControlRequests } from "./control-requests.ts";
import { chain, config, model, poisoned, sequences } from "./control-sequences.ts";
import {
  callGrpc,
  callGrpcReady,
  type ControlledServer,
  overGrpc,
  overHttp,
  runSteps,
} from "./control-servers.ts";
import { installJudge, installTime, killTriton, type TemporaryFolder, temporaryFolder } from "./judge.ts";
import { sendRaw } from "./raw-request.ts";

const owners = ["triton", "local"] as const;
type Owner = (typeof owners)[number];
const protocols = ["http", "grpc"] as const;
type Protocol = (typeof protocols)[number];

let folder: TemporaryFolder;
let triton: TritonServer;
let runtime: Runtime;
let http: HttpServer;
let grpc: GrpcServer;
/** One repository for each server; both get the same files at the same times. */
const repositoryOf = (owner: Owner): string => join(folder.path, owner, "model_repository");
beforeAll(async () => {
  folder = await temporaryFolder();
  for (const owner of owners) {
    await mkdir(repositoryOf(owner), { recursive: true });
    writeFiles(repositoryOf(owner), model("raw", 1));
  }
  const installation = await installJudge();
  triton = await serveTriton(installation, {
    repository: repositoryOf("triton"),
    extraArguments: ["--model-control-mode=explicit"],
  });
  runtime = await startRuntime({
    repository: repositoryOf("local"),
    control: { kind: "explicit", load: [] },
    device: "cpu",
    python: "always",
    notice: () => {},
    pythonCommand: installation.python,
  });
  http = await serveHttp(runtime, { port: 0 });
  grpc = await serveGrpc(runtime, { port: 0 });
}, installTime);
afterAll(async () => {
  await Promise.all([http?.close(), grpc?.close(), triton && killTriton(triton)]);
  await runtime?.close();
  await folder.remove();
});

const urlOf = (owner: Owner): string => (owner === "triton" ? triton.httpUrl : http.url);
const addressOf = (owner: Owner): string => (owner === "triton" ? triton.grpcAddress : grpc.address);
const serverOf = (owner: Owner, protocol: Protocol): ControlledServer =>
  protocol === "http" ? overHttp(urlOf(owner)) : overGrpc(addressOf(owner));

/** Runs a sequence of actions on both servers. Each protocol uses its own models. */
const transcripts = (title: string, protocol: Protocol): Promise<readonly (readonly string[])[]> => {
  const prefix = `${protocol}_${Object.keys(sequences).indexOf(title)}_`;
  const steps = sequences[title]?.((name) => prefix + name) ?? [];
  return Promise.all(
    owners.map(async (owner) => {
      const server = serverOf(owner, protocol);
      try {
        return await runSteps(steps, server, repositoryOf(owner), prefix);
      } finally {
        server.close();
      }
    }),
  );
};

/** Removes the reason that the local server adds to Triton's text for a model that is not served. */
const withoutReason = (line: string): string =>
  line.replace(/(has no available versions|is not at ready state): [^]*?("\})?$/, "$1$2");

/** The expected line of the local server for this line of Triton. */
const expected = (lines: readonly string[], known: readonly Difference[]): readonly string[] =>
  lines.map((line, i) => {
    const difference = known.find((one) => one.line === i);
    if (difference === undefined) return line;
    const changed = line.replace(difference.triton, difference.local);
    expect(changed, `${difference.why}: Triton does not differ any more`).not.toBe(line);
    return changed;
  });

test("the server is ready if every model that is not unloaded is ready", async () => {
  const seen = await Promise.all(
    owners.map(async (owner) => {
      const server = overHttp(urlOf(owner));
      const repository = repositoryOf(owner);
      writeFiles(repository, model("r_good", 1));
      writeFiles(repository, model("r_bad", 1, { 1: poisoned }));
      writeFiles(repository, { "r_text/config.pbtxt": "max_batch_siz: 1" });
      const states: string[] = [];
      const after = async (what: string, change: Promise<unknown> = Promise.resolve()): Promise<void> => {
        await change;
        const { status } = await fetch(`${urlOf(owner)}/v2/health/ready`);
        states.push(`${what}: ${status} ${await callGrpcReady(addressOf(owner))}`);
      };
      await after("the start");
      await after("a model", server.load("r_good"));
      await after("a configuration that cannot be read", server.load("r_text"));
      await after("a model that fails", server.load("r_bad"));
      await after("the failed model unloaded", server.unload("r_bad"));
      writeFiles(repository, model("r_bad", 1));
      await after("the model mended", server.load("r_bad"));
      await server.unload("r_bad");
      await expect
        .poll(async () => (await fetch(`${urlOf(owner)}/v2/health/ready`)).status, { timeout: 60_000 })
        .toBe(200);
      writeFiles(repository, model("r_empty", 1));
      await rm(join(repository, "r_empty", "1"), { recursive: true });
      await after("a model without a version", server.load("r_empty"));
      await after("it unloaded", server.unload("r_empty"));
      writeFiles(repository, model("r_empty", 1));
      await after("it with a version", server.load("r_empty"));
      return states;
    }),
  );
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[0]?.filter((line) => line.includes("400 false"))).not.toEqual([]);
});

/** Calls another model, and again after two seconds; the first answer counts thousandfold. */
const calling = `
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        row = pb_utils.get_input_tensor_by_name(request, "X").as_numpy()
        first = self.call(row)
        time.sleep(2)
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", first * 1000 + self.call(row))])

    def call(self, row):
        asked = [pb_utils.Tensor("X", row.copy())]
        call = pb_utils.InferenceRequest(model_name="reload_member", requested_output_names=["Y"], inputs=asked)
        return pb_utils.get_output_tensor_by_name(call.exec(), "Y").as_numpy()
`;
/** Returns its input after two seconds. */
const waiting = `
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        time.sleep(2)
        rows = [pb_utils.get_input_tensor_by_name(request, "X").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", row.copy())]) for row in rows]
`;

test("code calls the models that are loaded at the time of the call; an ensemble keeps those of its request's start", async () => {
  const seen = await Promise.all(
    owners.map(async (owner) => {
      const server = overHttp(urlOf(owner));
      writeFiles(repositoryOf(owner), {
        ...model("reload_member", 1),
        ...model("reload_flow", 0, { 1: calling }),
        ...model("reload_wait", 0, { 1: waiting }),
        ...chain("reload_chain", "reload_wait", "reload_member"),
      });
      await server.load("reload_chain");
      await server.load("reload_flow");
      const running = [server.ask("reload_flow"), server.ask("reload_chain")];
      await sleep(700);
      const lines = [
        await server.load("reload_member", { config: config(2) }),
        await server.ask("reload_member"),
      ];
      return [...lines, ...(await Promise.all(running))];
    }),
  );
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[0]).toEqual(["200", "version 1 makes 2", "version 1 makes 1002", "version 1 makes 1"]);
});

/** A model's configuration as an ensemble with one step. */
const ensembleOf = (member: string, name: string): Files => ({
  [`${name}/1/x`]: "",
  [`${name}/config.pbtxt`]: `platform: "ensemble"
input { name: "X" data_type: TYPE_FP32 dims: 1 }
output { name: "Y" data_type: TYPE_FP32 dims: 1 }
ensemble_scheduling { step { model_name: "${member}" model_version: -1 input_map { key: "X" value: "X" } output_map { key: "Y" value: "Y" } } }`,
});
const unread = { "text/config.pbtxt": "max_batch_siz: 1" };
const withoutLabels = {
  "labels/1/model.py": poisoned,
  "labels/config.pbtxt": `backend: "python" output { name: "Y" data_type: TYPE_FP32 dims: 1 label_filename: "none" }`,
};
const withoutVersion = { "empty/config.pbtxt": `backend: "python"`, "empty/x": "" };

describe("a server that reads its repository is as ready as Triton, with the same index", () => {
  const statusOf = async (url: string): Promise<number> => (await fetch(`${url}/v2/health/ready`)).status;
  /** Triton does not list a model without versions. */
  const indexOf = async (url: string): Promise<readonly unknown[]> => {
    const response = await fetch(`${url}/v2/repository/index`, { method: "POST" });
    return ((await response.json()) as readonly { name: string }[]).filter(({ name }) => name !== "empty");
  };
  const bad = model("bad", 1, { 1: poisoned });
  test.each<[string, number, Files]>([
    ["a model that fails", 400, bad],
    ["labels that do not exist", 400, withoutLabels],
    ["a configuration that cannot be read", 200, unread],
    ["a model without a version", 400, withoutVersion],
    ["an ensemble without its member", 200, ensembleOf("none", "e")],
    [
      "an ensemble of an ensemble without its member",
      200,
      { ...ensembleOf("none", "e"), ...ensembleOf("e", "f") },
    ],
    ["an ensemble whose member fails", 400, { ...bad, ...ensembleOf("bad", "e") }],
  ])("with %s: %d", async (_, status, files) => {
    const parent = await temporaryFolder();
    const repository = join(parent.path, "model_repository");
    await mkdir(repository);
    writeFiles(repository, { ...model("good", 1), ...files });
    const { python } = await installJudge();
    const options = {
      repository,
      device: "cpu",
      python: "always",
      notice: () => {},
      pythonCommand: python,
    } as const;
    const server = await serveTriton(await installJudge(), {
      repository,
      extraArguments: ["--allow-metrics=false"],
    });
    const own = await startRuntime(options);
    const ownHttp = await serveHttp(own, { port: 0 });
    try {
      expect([await statusOf(server.httpUrl), await statusOf(ownHttp.url)]).toEqual([status, status]);
      expect(await indexOf(ownHttp.url)).toEqual(await indexOf(server.httpUrl));
    } finally {
      await Promise.all([ownHttp.close(), own.close(true), killTriton(server)]);
      await parent.remove();
    }
  });
});

/**
 * Sequences that run over gRPC only with `TRITYPE_CONTROL=long`: their requests look the same there, and their errors
 * also occur in other sequences.
 */
const longOverGrpc: ReadonlySet<string> = new Set([
  "a broken configuration",
  "configurations that are wrong",
  "a wrong configuration between two good ones",
  "files in place of the folder",
  "a wrong name in the configuration",
  "no version",
  "a poisoned model, mended",
  "a model that is poisoned while it serves",
  "one version of two is poisoned",
  "a version is poisoned while others serve",
  "versions come and go",
  "a changed model",
  "a model that is deleted while it serves",
  "an ensemble brings its members",
  "a member goes and comes back",
  "a member that does not exist",
  "a member that is poisoned",
  "a member of another shape",
  "an ensemble in an ensemble",
  "a version that a step wants",
  "a configuration in place of the file's",
  "a configuration holds until a file changes or an unload",
  "a refused configuration, then none",
  "other files",
  "poisoned files",
  "files of a model without a folder",
]);
const long = process.env["TRITYPE_CONTROL"] === "long";
const cases = Object.keys(sequences).flatMap((title) =>
  protocols
    .filter((protocol) => long || protocol === "http" || !longOverGrpc.has(title))
    .map((protocol) => [title, protocol] as const),
);
const hasEnsemble = ([title]: (typeof cases)[number]): boolean =>
  JSON.stringify(sequences[title]?.((name) => name)).includes("ensemble");
const answerAlike = async (title: string, protocol: Protocol): Promise<void> => {
  const [wanted = [], got] = await transcripts(title, protocol);
  expect(got?.map(withoutReason)).toEqual(expected(wanted, differences[title] ?? []));
};
test.concurrent.each(cases.filter((one) => !hasEnsemble(one)))(
  "%s, over %s, is answered alike",
  { timeout: 170_000 },
  answerAlike,
);
// Triton refuses to unload an ensemble until it has released its last answer, which takes longer while other models run.
test.each(cases.filter(hasEnsemble))("%s, over %s, is answered alike", { timeout: 170_000 }, answerAlike);

test.each(Object.entries(httpControlRequests))("HTTP: %s", async (_title, { request, differs }) => {
  const [wanted, got] = await Promise.all(
    owners.map(async (owner) => {
      const { status, body } = await sendRaw(urlOf(owner), request);
      return { status, text: body.toString() };
    }),
  );
  if (differs === undefined) expect(got).toEqual(wanted);
  else expect(got).not.toEqual(wanted);
});

test.each(Object.entries(grpcControlRequests))("gRPC: %s", async (_title, { method, message, differs }) => {
  const [wanted, got] = await Promise.all(owners.map((owner) => callGrpc(addressOf(owner), method, message)));
  if (differs === undefined) expect(got).toEqual(wanted);
  else expect(got).not.toEqual(wanted);
});

test("every difference, and every sequence for long runs, belongs to a sequence", () => {
  const named = [...Object.keys(differences), ...longOverGrpc];
  expect(named.filter((title) => !(title in sequences))).toEqual([]);
});
