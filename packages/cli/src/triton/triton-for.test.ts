import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pc from "picocolors";
import { expect, onTestFinished, test } from "vitest";
import { portsOf } from "../commands/triton-serve.ts";
import { fittingProfile } from "./triton-for.ts";

const repository = (files: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), "triton-for-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
};
const backend = (name: string): string => `backend: "${name}"\n`;
const installed = ["onnxruntime", "python"];
const chosen = (root: string, asked?: string): { profile: string | undefined; notes: readonly string[] } => {
  const notes: string[] = [];
  const terminal = { note: (text: string) => void notes.push(text), colors: pc.createColors(false) };
  return { profile: fittingProfile(root, asked, installed, terminal), notes };
};

const standIn = {
  "e/config.pbtxt": 'platform: "ensemble"\n',
  "e/configs/cpu.pbtxt": 'platform: "ensemble"\n',
  "e/configs/gpu.pbtxt": 'platform: "ensemble"\n',
  "m/config.pbtxt": backend("tensorrt"),
  "m/configs/gpu.pbtxt": backend("tensorrt"),
  "m/configs/cpu.pbtxt": backend("onnxruntime"),
};

test("the only profile that the server can load is taken, and said", () => {
  expect(chosen(repository(standIn))).toEqual({
    profile: "cpu",
    notes: ["note this Triton has no backend `tensorrt` (m): using --profile cpu"],
  });
  expect(chosen(repository(standIn), "cpu")).toEqual({ profile: "cpu", notes: [] });
});

test("a profile that was asked for is not replaced", () => {
  expect(() => chosen(repository(standIn), "gpu")).toThrow(
    expect.objectContaining({
      code: "model/unavailable",
      message: "this Triton has no backend `tensorrt` (m)",
      help: "--profile cpu needs none of them",
    }),
  );
});

test("several, and none, are left to you", () => {
  const two = { ...standIn, "m/configs/slow.pbtxt": backend("onnxruntime") };
  expect(() => chosen(repository(two))).toThrow(
    expect.objectContaining({ help: "--profile cpu or --profile slow needs none of them" }),
  );
  expect(() => chosen(repository({ "m/config.pbtxt": backend("pytorch") }))).toThrow(
    expect.objectContaining({ help: expect.stringContaining("`useStandIn: true`") }),
  );
});

test("a repository that the server can load, and a backend that a model brings, are taken as they are", () => {
  const own = {
    "m/config.pbtxt": backend("mine"),
    "m/libtriton_mine.so": "",
    "k/config.pbtxt": backend("python"),
  };
  expect(chosen(repository(own))).toEqual({ profile: undefined, notes: [] });
});

test("gRPC and metrics follow HTTP's port", () => {
  const given = (ports: Readonly<Record<string, number>>) => ({ integer: (name: string) => ports[name] });
  expect(portsOf(given({}))).toEqual({ httpPort: 8000, grpcPort: 8001, metricsPort: 8002 });
  expect(portsOf(given({ "http-port": 9000 }))).toEqual({
    httpPort: 9000,
    grpcPort: 9001,
    metricsPort: 9002,
  });
  expect(portsOf(given({ "http-port": 65_535, "grpc-port": 9 }))).toEqual({ httpPort: 65_535, grpcPort: 9 });
});
