import { join } from "node:path";
import { explainMessage } from "@tritype/check";
import { serveTriton, type TritonServer, type WheelInstallation } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import {
  installJudge,
  installTime,
  killTriton,
  type TemporaryFolder,
  temporaryFolder,
  useOneInstance,
} from "../triton/judge.ts";
import { judgedModels } from "../triton/judged-models.ts";
import { oddModels } from "./odd-models.ts";
import { isOwnWords } from "./own-words.ts";
import { keepMessage, readMessages, type RecordedMessage } from "./recorded-messages.ts";
import { askEverything, askToLoad, askToStart } from "./server-questions.ts";

/** `TRITYPE_CORPUS=write` records new requests. */
const keeping = process.env["TRITYPE_CORPUS"] === "write";
const release = "24.10";

/** Some of several concurrent requests are refused for one reason, and some for the other. */
const racing: ReadonlySet<string> = new Set(["Exceeds maximum queue size", "Request timeout expired"]);

let folder: TemporaryFolder;
let installation: WheelInstallation;
let triton: TritonServer;
beforeAll(async () => {
  folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  writeFiles(repository, { ...judgedModels(), ...oddModels() });
  await useOneInstance(repository);
  installation = await installJudge();
  triton = await serveTriton(installation, { repository });
}, installTime);
afterAll(async () => {
  await killTriton(triton);
  await folder?.remove();
}, 30_000);

test("current messages of the real server are explained like the recorded ones", async () => {
  const repository = join(folder.path, "model_repository");
  const asked = [
    askEverything(triton, installation),
    askToLoad(installation, repository),
    askToStart(installation, repository, triton),
  ];
  const said = (await Promise.all(asked)).flat().map((one): RecordedMessage => ({ ...one, release }));
  if (keeping) for (const one of said) keepMessage(one);
  const unexplained = said.filter(({ text }) => !isOwnWords(text) && explainMessage(text) === undefined);
  expect(unexplained).toEqual([]);
  const before = new Map(readMessages().map(({ about, text }) => [about, explainMessage(text)?.message]));
  const changed = said.filter(({ about, text }) => {
    const [was, is] = [before.get(about), explainMessage(text)?.message];
    return before.has(about) && was !== is && !(racing.has(was ?? "") && racing.has(is ?? ""));
  });
  expect(changed).toEqual([]);
  expect(said.length).toBeGreaterThan(200);
}, 480_000);
