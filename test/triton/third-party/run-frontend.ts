import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import { freePort } from "../../cli/free-port.ts";
import { pythonTool } from "../../environment/python-tool.ts";
import { temporaryFolder } from "../judge.ts";
import type { Address } from "./both-servers.ts";
import type { Verdicts } from "./run-published.ts";

const exec = promisify(execFile);

/** Our pytest plugin, and a module for Triton's bindings. */
const ours = fileURLToPath(new URL("frontend", import.meta.url));

/** The frontend's packages (170 MB), with the versions in its `requirements.txt`. */
const frontendPackages = (): Promise<string> =>
  pythonTool("fastapi", "0.121.2", [
    "httpx==0.27.2",
    "jinja2==3.1.6",
    "openai==1.107.3",
    "partial-json-parser==0.2.1.1.post7",
    "pytest==8.3.4",
    "pytest-asyncio==0.23.8",
    "requests==2.32.3",
    "transformers==4.57.1",
    "uvicorn==0.38.0",
  ]);

export interface FrontendOptions {
  /** A checkout of Triton's server repository. */
  readonly checkout: string;
  readonly triton: Address;
  readonly python: string;
  /** The folder of the tokenizer. */
  readonly tokenizer: string;
}

const environment = async ({ triton, python }: FrontendOptions): Promise<NodeJS.ProcessEnv> => ({
  ...process.env,
  PATH: `${dirname(python)}${delimiter}${process.env["PATH"]}`,
  PYTHONPATH: [await frontendPackages(), ours].join(delimiter),
  TRITYPE_TRITON: `${triton.grpc},${triton.metrics}`,
});

/** Starts Triton's frontend, unchanged, in front of the real Triton. Resolves to its URL; it ends with the test. */
export const startFrontend = async (options: FrontendOptions): Promise<string> => {
  const port = await freePort();
  const main = join(options.checkout, "python", "openai", "openai_frontend", "main.py");
  const flags = {
    "--model-repository": options.tokenizer,
    "--tokenizer": options.tokenizer,
    "--backend": "tensorrtllm",
    "--host": "127.0.0.1",
    "--openai-port": String(port),
  };
  const child = spawn(options.python, [main, ...Object.entries(flags).flat()], {
    env: await environment(options),
    stdio: "ignore",
  });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  const ready = async (): Promise<boolean> =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(ready, { timeout: 60_000 }).toBe(true);
  return url;
};

/** The exit status of pytest if tests failed. A higher status means that pytest did not run all tests. */
const testsFailed = 1;

/**
 * Runs a test file of Triton's frontend, unchanged.
 * @param tests The file and further arguments for pytest.
 * @param other The URL of another server, which the tests query instead of the frontend.
 */
export const runFrontendTests = async (
  tests: readonly string[],
  options: FrontendOptions,
  other?: string,
): Promise<Verdicts> => {
  const { path: cwd, remove } = await temporaryFolder();
  onTestFinished(remove);
  await cp(join(options.checkout, "python", "openai"), cwd, { recursive: true });
  const env = {
    ...(await environment(options)),
    TEST_BACKEND: "tensorrtllm",
    TEST_MODEL: "tensorrt_llm_bls",
    TEST_MODEL_REPOSITORY: cwd,
    TEST_TOKENIZER: options.tokenizer,
    ...(other === undefined ? {} : { TRITYPE_OPENAI: other }),
  };
  const args = ["-m", "pytest", "-p", "both_frontends", "-s", "-q", ...tests];
  const { stdout, stderr } = await exec(options.python, args, { cwd, env, maxBuffer: 2 ** 26 }).catch(
    (error: { readonly code: unknown; readonly stdout: string; readonly stderr: string }) => {
      if (error.code !== testsFailed) throw error;
      return error;
    },
  );
  const verdicts = new Map<string, string | undefined>();
  for (const line of stdout.split("\n").filter((text) => text.startsWith('{"test": '))) {
    const { test: name, failed } = JSON.parse(line) as {
      readonly test: string;
      readonly failed: string | null;
    };
    verdicts.set(name, failed ?? undefined);
  }
  if (verdicts.size === 0) throw new Error(`pytest ran no test:\n${stdout}${stderr}`);
  return verdicts;
};
