import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startRuntime } from "@tritype/runtime";
import { serveHttp } from "@tritype/server";
import { serveTriton } from "@tritype/tritonserver";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Files, writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { adding, chain, model, poisoned } from "./control-sequences.ts";
import { overHttp } from "./control-servers.ts";
import { installJudge, installTime, killTriton, temporaryFolder } from "./judge.ts";

const all = "version_policy { all { } }";
/** The models, and the ensembles that run them. */
const files: Files = {
  ...model("good", 1),
  ...model("latest_poisoned", 2, { 1: adding(), 2: poisoned }),
  ...model("new_poisoned", 3, { 1: adding(), 2: poisoned }, all),
  ...model("old_poisoned", 4, { 1: poisoned, 2: adding(1) }, all),
  ...model("no_version", 7, {}),
  ...model("gets_poisoned", 5, { 1: adding() }, all),
  ...model("gets_a_poisoned_version", 6, { 1: adding() }, all),
  ...chain("on_good", "good"),
  ...chain("on_new_poisoned", "new_poisoned"),
  ...chain("on_gets_poisoned", "gets_poisoned"),
};
const names = [...new Set(Object.keys(files).map((path) => path.split("/")[0] as string))].toSorted();

const later: Files = {
  "gets_poisoned/1/model.py": poisoned,
  "gets_a_poisoned_version/2/model.py": poisoned,
};
const mended: Files = {
  "gets_poisoned/1/model.py": adding(2),
  "gets_a_poisoned_version/2/model.py": adding(2),
  "new_poisoned/2/model.py": adding(2),
};

type Answers = Readonly<Record<string, string>>;

/** Each model's answer for 0, without the reason that the local server adds to Triton's message. */
const answers = async (url: string): Promise<Answers> => {
  const server = overHttp(url);
  const said = await Promise.all(
    names.map(async (name) => {
      const text = await server.ask(name);
      return [
        name,
        text.replace(
          /(?<=has no available versions): (?:TritonModelException: poisoned|at least one).*(?="\})/,
          "",
        ),
      ] as const;
    }),
  );
  return Object.fromEntries(said);
};

/** The names in a server's index. */
const indexed = async (url: string): Promise<readonly string[]> => {
  const entries = await overHttp(url).index();
  return typeof entries === "string" ? [entries] : [...new Set(entries.map(({ name }) => name))].toSorted();
};

/**
 * Answers of the local server that differ deliberately: if a version cannot be loaded, the model's other versions are
 * served, even at the start, and the index gives the reason. Triton serves such a model only if it already served it.
 */
const beside: Answers = {
  new_poisoned: "version 1 makes 3",
  old_poisoned: "version 2 makes 104",
  on_new_poisoned: "version 1 makes 3",
};
const expectAlike = (got: Answers, wanted: Answers, differences: Answers): void => {
  expect(got).toEqual({ ...wanted, ...differences });
  for (const [name, answer] of Object.entries(differences))
    expect([name, wanted[name]]).not.toEqual([name, answer]);
};

test("with broken versions next to valid ones, the same models are served at the start and after each poll", {
  timeout: installTime,
}, async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const [theirs, ours] = ["triton", "local"].map((owner) => join(folder.path, owner)) as [string, string];
  for (const repository of [theirs, ours]) {
    await mkdir(repository);
    writeFiles(repository, files);
  }
  const installation = await installJudge();
  const triton = await serveTriton(installation, {
    repository: theirs,
    extraArguments: ["--model-control-mode=poll", "--repository-poll-secs=1"],
  });
  onTestFinished(() => killTriton(triton));
  const runtime = await startRuntime({
    repository: ours,
    device: "cpu",
    python: "always",
    notice: () => {},
    pythonCommand: installation.python,
  });
  onTestFinished(() => runtime.close());
  const http = await serveHttp(runtime, { port: 0 });
  onTestFinished(() => http.close());
  /** Triton replaces a model some time after it has logged it. */
  const becomeAlike = async (differences: Answers): Promise<void> => {
    const own = await answers(http.url);
    await vi.waitFor(async () => expectAlike(own, await answers(triton.httpUrl), differences), {
      timeout: 60_000,
      interval: 500,
    });
  };
  const change = async (changed: Files, told: readonly string[]): Promise<void> => {
    const before = triton.log().length;
    for (const repository of [theirs, ours]) writeFiles(repository, changed);
    await runtime.reload();
    await logged(() => triton.log().slice(before), told);
  };

  expectAlike(await answers(http.url), await answers(triton.httpUrl), beside);
  expect(await indexed(http.url)).toEqual(await indexed(triton.httpUrl));

  await change(later, ["failed to load 'gets_poisoned'", "failed to load 'gets_a_poisoned_version'"]);
  await becomeAlike(beside);
  const reasons = (await runtime.index()).filter(
    ({ name, reason }) => name.startsWith("gets_") && reason !== undefined,
  );
  expect(reasons).toMatchObject([
    { name: "gets_a_poisoned_version", version: "1", state: "READY" },
    { name: "gets_poisoned", version: "1", state: "READY" },
  ]);

  const loaded = ["gets_poisoned", "gets_a_poisoned_version", "new_poisoned"];
  await change(
    mended,
    loaded.map((name) => `successfully loaded '${name}'`),
  );
  const { old_poisoned = "" } = beside;
  await becomeAlike({ old_poisoned });
});

/** Waits until all texts are in the server's log, and for the next poll. */
const logged = async (log: () => string, texts: readonly string[]): Promise<void> => {
  const deadline = Date.now() + 60_000;
  while (!texts.every((text) => log().includes(text)) && Date.now() < deadline) await sleep(100);
  await sleep(1500);
};
