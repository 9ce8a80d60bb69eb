import { mkdirSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { serveTriton, type TritonInstallation, type TritonServer } from "@tritype/tritonserver";
import { writeFiles } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { realTriton } from "../../environment/triton.ts";
import { endCrashed } from "../../triton/end-crashed.ts";
import { killTriton } from "../../triton/judge.ts";
import { withStubBackends } from "../../triton/stub-backends.ts";
import { type CaseFiles, modelNames } from "./case-files.ts";

/** The server's verdict on one model. */
export interface Verdict {
  readonly ready: boolean;
  /** The server's reason for a refusal; `died` if loading the model ends the process or never ends. */
  readonly reason: string;
}

/** Verdicts by model. */
export type Verdicts = ReadonlyMap<string, Verdict>;

/** A resident Triton that loads one repository after another. */
export interface ServerJudge {
  /**
   * An expected crash counts immediately. An unexpected one may have been caused by an earlier case, so the case is
   * judged again.
   */
  judge(files: CaseFiles, expectDeath?: boolean): Promise<Verdicts>;
  /** How often the server crashed and was restarted. */
  readonly deaths: () => number;
  close(): Promise<void>;
}

/** Backends that load everything, so that only the rules of Triton's core apply. */
export const stubBackends = ["tensorrt", "onnxruntime", "pytorch", "openvino", "tensorflow", "vllm", "fil"];
export const died = "the server died or did not answer";

/** PyPI's Triton with stub backends, ready for `startJudge`. */
export const stubbedTriton = async (): Promise<TritonInstallation> =>
  await withStubBackends(await realTriton(), stubBackends);

/** Several servers that judge in parallel, each one case at a time. */
export const startJudges = async (
  triton: TritonInstallation,
  { strict, servers }: { readonly strict: boolean; readonly servers: number },
): Promise<ServerJudge> => {
  const judges = await Promise.all(
    Array.from({ length: servers }, async () => startJudge(triton, { strict })),
  );
  const free = [...judges];
  const waiting: ((judge: ServerJudge) => void)[] = [];
  const next = async (): Promise<ServerJudge> =>
    free.pop() ?? (await new Promise<ServerJudge>((resolve) => void waiting.push(resolve)));
  const release = (judge: ServerJudge): void => {
    const resolve = waiting.shift();
    if (resolve === undefined) free.push(judge);
    else resolve(judge);
  };
  return {
    judge: async (files, expectDeath) => {
      const judge = await next();
      try {
        return await judge.judge(files, expectDeath);
      } finally {
        release(judge);
      }
    },
    deaths: () => judges.reduce((sum, judge) => sum + judge.deaths(), 0),
    close: async () => {
      await Promise.all(judges.map(async (judge) => judge.close()));
    },
  };
};

/** `strict`: as with `--disable-auto-complete-config`. */
export const startJudge = async (
  triton: TritonInstallation,
  { strict }: { readonly strict: boolean },
): Promise<ServerJudge> => {
  const repository = await mkdtemp(join(tmpdir(), "tritype-judge-"));
  const extraArguments = [
    "--model-control-mode=explicit",
    "--model-load-thread-count=4",
    "--allow-metrics=false",
    "--allow-grpc=false",
  ];
  let problems: string[] = [];
  const endIfCrashed = endCrashed(repository);
  const start = async (): Promise<TritonServer> =>
    await serveTriton(triton, {
      repository,
      strict,
      extraArguments,
      onLine: (line) => {
        problems.push(line);
        endIfCrashed(line);
      },
    });
  let server = await start();
  let deaths = 0;

  const judgeOnce = async (files: CaseFiles): Promise<Verdicts | undefined> => {
    const names = modelNames(files);
    problems = [];
    writeFiles(repository, files);
    const verdicts = new Map<string, Verdict>();
    try {
      for (const name of names) {
        const reason = await loadModel(server, name);
        const polled = reason?.includes("failed to poll from model repository");
        const ready = reason === undefined;
        verdicts.set(name, {
          ready,
          reason: polled ? await pollReason(() => problems, name) : (reason ?? ""),
        });
      }
      for (const name of names.toReversed()) await post(server, name, "unload");
      return verdicts;
    } catch (error) {
      if (error instanceof Error && error.name === "TimeoutError") {
        await killTriton(server);
        return undefined;
      }
      const ended = await Promise.race([server.ended, sleep(5000, undefined)]);
      if (ended === undefined) throw error;
      return undefined;
    } finally {
      rmSync(repository, { recursive: true, force: true });
      mkdirSync(repository);
    }
  };

  return {
    judge: async (files, expectDeath = false) => {
      for (let attempt = expectDeath ? 2 : 1; attempt <= 2; attempt++) {
        const verdicts = await judgeOnce(files);
        if (verdicts !== undefined) return verdicts;
        deaths++;
        server = await start();
      }
      return new Map(modelNames(files).map((name) => [name, { ready: false, reason: died }]));
    },
    deaths: () => deaths,
    close: async () => {
      await killTriton(server);
      await rm(repository, { recursive: true, force: true });
    },
  };
};

const loadModel = async (server: TritonServer, name: string): Promise<string | undefined> => {
  const response = await post(server, name, "load");
  if (response.ok) return undefined;
  return (JSON.parse(response.body) as { error: string }).error;
};

interface Answer {
  readonly ok: boolean;
  readonly body: string;
}

const post = async (server: TritonServer, name: string, action: "load" | "unload"): Promise<Answer> => {
  const url = `${server.httpUrl}/v2/repository/models/${name}/${action}`;
  const response = await fetch(url, { method: "POST", signal: AbortSignal.timeout(60_000) });
  return { ok: response.ok, body: await response.text() };
};

/** The log line comes through a pipe and may arrive after the answer. */
const pollReason = async (lines: () => readonly string[], name: string): Promise<string> => {
  const start = `Poll failed for model directory '${name}': `;
  for (let waited = 0; waited < 100; waited++) {
    for (const line of lines()) {
      const at = line.indexOf(start);
      if (at >= 0) return line.slice(at + start.length).replace(/"$/, "");
    }
    await sleep(2);
  }
  return lines()
    .filter((line) => /^[EW]\d{4}/.test(line))
    .join("\n");
};

/** The verdicts of a server that finds the repository when it starts, as users' servers do. */
export const judgeAtStart = async (
  triton: TritonInstallation,
  files: CaseFiles,
  { strict }: { readonly strict: boolean },
): Promise<Verdicts> => {
  const repository = await mkdtemp(join(tmpdir(), "tritype-judge-"));
  try {
    writeFiles(repository, files);
    const lines: string[] = [];
    const server = await serveTriton(triton, {
      repository,
      strict,
      extraArguments: ["--allow-grpc=false", "--allow-metrics=false"],
      onLine: (line) => lines.push(line),
    }).catch(() => undefined);
    const names = modelNames(files);
    if (server === undefined) return new Map(names.map((name) => [name, { ready: false, reason: died }]));
    const response = await fetch(`${server.httpUrl}/v2/repository/index`, { method: "POST" });
    const index = (await response.json()) as readonly { name: string; state?: string; reason?: string }[];
    const verdict = (name: string): Verdict => {
      const versions = index.filter((entry) => entry.name === name);
      const ready =
        versions.some(({ state }) => state === "READY") &&
        !versions.some(({ state }) => state === "UNAVAILABLE");
      const reasons = [
        ...versions.map(({ reason }) => reason ?? ""),
        ...server.problems().filter((line) => line.includes(name)),
      ];
      return { ready, reason: ready ? "" : reasons.join("\n") };
    };
    const verdicts = new Map(names.map((name) => [name, verdict(name)]));
    await killTriton(server);
    return verdicts;
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
};
