import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { serve } from "../cli/served-dev.ts";
import { chain, model } from "./control-sequences.ts";
import { installJudge, installTime, killTriton, type TemporaryFolder, temporaryFolder } from "./judge.ts";

const script = fileURLToPath(new URL("control.py", import.meta.url));

let folder: TemporaryFolder;
let python: string;
let triton: TritonServer;
beforeAll(async () => {
  folder = await temporaryFolder();
  const files = { ...model("a", 1), ...model("b", 10), ...chain("e", "a", "b") };
  for (const owner of ["triton", "local"]) {
    await mkdir(join(folder.path, owner));
    writeFiles(join(folder.path, owner), files);
  }
  const installation = await installJudge();
  ({ python } = installation);
  triton = await serveTriton(installation, {
    repository: join(folder.path, "triton"),
    extraArguments: ["--model-control-mode=explicit"],
  });
}, installTime);
afterAll(async () => {
  await killTriton(triton);
  await folder.remove();
});

test("the official client controls the models of pipeline dev as it controls Triton's", {
  timeout: 180_000,
}, async () => {
  const options = ["--grpc-port", "0", "--device", "cpu", "--model-control-mode", "explicit"];
  const dev = await serve({ root: folder.path }, [join(folder.path, "local"), ...options], {
    env: { TRITYPE_PYTHON: python },
  });
  const grpcAddress = /gRPC at (\S+?),/.exec(dev.err())?.[1] ?? "";
  const query = async (protocol: string, address: string): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(python, [script, protocol, address.replace("http://", "")]);
    return JSON.parse(stdout);
  };
  for (const [protocol, ...addresses] of [
    ["http", triton.httpUrl, dev.url],
    ["grpc", triton.grpcAddress, grpcAddress],
  ] as const) {
    const [wanted, got] = await Promise.all(addresses.map((address) => query(protocol, address)));
    expect(got).toEqual(wanted);
    expect(got).toHaveLength(21);
  }
  dev.child.kill("SIGINT");
  expect(await dev.ended).toMatchObject({ code: 0 });
});
