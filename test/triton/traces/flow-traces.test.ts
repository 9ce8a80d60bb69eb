import { join } from "node:path";
import { writeBuild } from "@tritype/project";
import { createExtensions, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { compileFixture, makeProject, type ProjectFixture } from "../../fixtures/project.ts";
import {
  installTime,
  type Judged,
  judgeRepository,
  type TemporaryFolder,
  temporaryFolder,
} from "../judge.ts";
import { sendRaw } from "../raw-request.ts";
import { settled } from "./settled.ts";
import { openWrittenTraces } from "./written-traces.ts";

const pipeline = `
import { bytes, defineEnsemble, flow, step } from "tritype";

const text = bytes("batch", 1);
const shorten = step({ name: "shorten", inputs: { text }, outputs: { text }, engine: "node", run: ({ text }) => ({ text: text.slice(0, 3) }) });
const louder = step({ name: "louder", inputs: { text }, outputs: { text }, run: ({ text }) => ({ text: text + "!" }) });
const both = flow({
  name: "both",
  inputs: { text },
  outputs: { text },
  uses: { shorten, louder },
  async run({ text }, { shorten, louder }) {
    const short = await shorten({ text });
    return louder({ text: short.text });
  },
});
export const main = defineEnsemble({
  name: "main",
  maxBatchSize: 4,
  inputs: { text },
  run: ({ text }) => ({ answer: louder({ text: both({ text }).text }).text }),
});
`;

let project: ProjectFixture;
let folder: TemporaryFolder;
let judged: Judged;
beforeAll(async () => {
  folder = await temporaryFolder();
  project = makeProject({
    "pipeline.ts": pipeline,
    "pipeline.config.ts": 'export default { entries: ["pipeline.ts"] };\n',
  });
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  judged = await judgeRepository(join(project.path("build"), "model_repository"), {
    tritonArguments: [
      "level=TIMESTAMPS",
      "rate=1",
      `triton,file=${join(folder.path, "triton")}`,
      "triton,log-frequency=1",
    ].map((setting) => `--trace-config=${setting}`),
  });
}, installTime);
afterAll(async () => {
  await judged?.stop();
  project?.remove();
  await folder?.remove();
});

const serve = async (name: "local" | "python"): Promise<string> => {
  const file = join(folder.path, name);
  const extensions = createExtensions({
    trace: { levels: ["TIMESTAMPS"], rate: 1, to: { kind: "files", file, logFrequency: 1 } },
  });
  const runtime = name === "local" ? judged.local : await judged.python();
  const server = await serveHttp(runtime, { port: 0, extensions });
  onTestFinished(async () => {
    await server.close();
    await extensions.close();
  });
  return server.url;
};

test("the traces of Triton, the native twins and the emitted Python contain the calls of flows", async () => {
  const urls = { triton: judged.triton.httpUrl, local: await serve("local"), python: await serve("python") };
  const traces: Record<string, readonly string[]> = {};
  for (const [name, url] of Object.entries(urls)) {
    const body = JSON.stringify({
      inputs: [{ name: "text", datatype: "BYTES", shape: [1, 1], data: ["hello"] }],
    });
    const { status, body: answer } = await sendRaw(url, { path: "/v2/models/main/infer", body });
    expect([status, answer.toString()]).toEqual([200, expect.stringContaining("hel!!")]);
    const written = openWrittenTraces(join(folder.path, name));
    await expect.poll(() => written.arrived()).not.toEqual([]);
    [traces[name] = []] = await settled(async () => [await written.arrived()]);
  }
  expect(traces["triton"]?.join().match(/"model_name":"\w+"/g)).toHaveLength(5);
  expect(traces["local"]).toEqual(traces["triton"]);
  expect(traces["python"]).toEqual(traces["triton"]);
});
