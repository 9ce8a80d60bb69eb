import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startRuntime } from "@tritype/runtime";
import { serveGrpc } from "@tritype/server";
import { cacheFolder, installTriton, serveTriton, type WheelInstallation } from "@tritype/tritonserver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { torchPython } from "../../../test/fixtures/torch-backend/torch-python.ts";
import { withTorchBackend } from "../../../test/fixtures/torch-backend/with-torch-backend.ts";
import { killTriton } from "../../../test/triton/judge.ts";
import { classifyTexts, type Verdict } from "../clients/classify.ts";
import { heldOut } from "../../sentiment-tensorrt/test/held-out.ts";
import { accuracyOf, buildExample, checkConversion, runPythonClient } from "./built-example.ts";

let example: Awaited<ReturnType<typeof buildExample>>;
let triton: WheelInstallation;
/** A real Triton that runs the TorchScript. */
let torch: Served;
beforeAll(async () => {
  example = await buildExample();
  const installation = await installTriton({ cache: cacheFolder(), notice: () => {} });
  if (installation.kind !== "wheel") throw new Error("these tests need Triton's wheel");
  triton = installation;
  torch = await serveReal(await withTorchBackend(triton));
}, 300_000);
afterAll(async () => {
  await torch?.stop();
  await example?.remove();
});

test("the classifier has LibTorch's numbered tensor names, even in the cpu profile on ONNX Runtime", () => {
  const read = (file: string): string => readFileSync(join(example.repository, "classify", file), "utf8");
  const names = (text: string): readonly string[] =>
    [...text.matchAll(/^ {4}name: "(\w+PUT__\d)"/gm)].map(([, name = ""]) => name);
  for (const [file, backend] of [
    ["config.pbtxt", "pytorch"],
    ["configs/cpu.pbtxt", "onnxruntime"],
  ] as const) {
    expect(read(file)).toContain(`backend: "${backend}"`);
    expect(names(read(file))).toEqual(["INPUT__0", "INPUT__1", "OUTPUT__0"]);
  }
});

interface Served {
  readonly address: string;
  readonly stop: () => Promise<void>;
}

const serveLocally = async (): Promise<Served> => {
  const runtime = await startRuntime({
    repository: example.repository,
    device: "cpu",
    python: "twin",
    notice: () => {},
  });
  const server = await serveGrpc(runtime, { port: 0 });
  return {
    address: server.address,
    stop: async () => {
      await server.close();
      await runtime.close();
    },
  };
};

const serveReal = async (installation: WheelInstallation, profile?: string): Promise<Served> => {
  const server = await serveTriton(installation, { repository: example.repository, configName: profile });
  try {
    await server.waitReady();
  } catch (error) {
    await killTriton(server);
    throw error;
  }
  return { address: server.grpcAddress, stop: () => killTriton(server) };
};

const ways: readonly (readonly [string, () => Promise<Served>])[] = [
  ["the local runtime", serveLocally],
  ["a real Triton in the profile cpu", () => serveReal(triton, "cpu")],
  ["a real Triton that runs the TorchScript", async () => ({ ...torch, stop: async () => {} })],
];

describe.each(ways)("%s", (_, serve) => {
  let served: Served;
  let together: readonly Verdict[];
  beforeAll(async () => {
    served = await serve();
    together = await classify(texts, 50);
  }, 60_000);
  afterAll(() => served?.stop());

  const texts = heldOut.map(({ text }) => text);
  /** Sends one request per `size` texts, all at the same time. */
  const classify = async (rows: readonly string[], size: number): Promise<readonly Verdict[]> => {
    const starts = rows.flatMap((_row, index) => (index % size === 0 ? [index] : []));
    const parts = starts.map((start) => classifyTexts(served.address, rows.slice(start, start + size)));
    return (await Promise.all(parts)).flat();
  };

  test("at least 85 % of the held-out sentences get the correct label", () => {
    expect(accuracyOf(together)).toBeGreaterThanOrEqual(0.85);
  });

  test("a text's verdict does not depend on the other texts in the batch", async () => {
    const alone = await classify(texts.slice(0, 100), 1);
    expect(alone.map(({ label }) => label)).toEqual(together.slice(0, 100).map(({ label }) => label));
    const differences = alone.map(({ score }, row) => Math.abs(score - (together[row]?.score ?? 0)));
    expect(Math.max(...differences)).toBeLessThan(1e-5);
  });

  test("NVIDIA's client gets the same answers and sees four models READY", async () => {
    const few = texts.slice(0, 5);
    const lines = (await classify(few, 5)).map(({ label, score }, row) => [
      label,
      score.toFixed(3),
      few[row],
    ]);
    expect(await runPythonClient(triton.python, served.address, few)).toEqual(
      lines.map((line) => line.join(" ")),
    );
    expect((await runPythonClient(triton.python, served.address, [])).toSorted()).toEqual(
      ["classify", "sentiment", "sentiment_label_score", "tokenize"].map((model) => `${model} 1 READY`),
    );
  });
});

test("TorchScript, ONNX and the served model agree to 1e-5; the check fails with a smaller tolerance", async () => {
  const check = (...options: readonly string[]) =>
    checkConversion(torchPython(triton), torch.address, options);
  const [passed, failed] = await Promise.all([check(), check("--tolerance", "0")]);
  expect(passed.output).toContain("labels of the largest logit   0: negative; 1: positive");
  expect(passed.code, passed.output).toBe(0);
  expect(failed.code, failed.output).toBe(1);
}, 60_000);
