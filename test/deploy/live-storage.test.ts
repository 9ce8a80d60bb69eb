import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { freePort } from "../cli/free-port.ts";
import { pipeline } from "../cli/run-pipeline.ts";
import { pythonTool } from "../environment/python-tool.ts";
import { builtProject, type DeployedProject } from "./deployed-project.ts";
import { askTotal, serveBuild } from "./serve-build.ts";
import { image, renderChart, serverArguments } from "./tools.ts";

const exec = promisify(execFile);
/** moto, which serves S3, and the AWS CLI. All versions are pinned; otherwise, pip tries many of them. */
const s3Tools = (): Promise<string> =>
  pythonTool("moto[s3]", "5.2.5", ["awscli==1.46.3", "boto3==1.44.3", "flask==3.1.2", "flask-cors==6.0.1"]);

const credentials = {
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_DEFAULT_REGION: "us-east-1",
};
const env = { ...process.env, ...credentials };

/** An S3 server that runs until the test ends. Returns its address. */
const startS3 = async (): Promise<string> => {
  const port = await freePort();
  const folder = await s3Tools();
  const child: ChildProcess = spawn(
    "python3",
    ["-m", "moto.server", "--host", "127.0.0.1", "--port", `${port}`],
    {
      env: { ...env, PYTHONPATH: folder },
      stdio: "ignore",
    },
  );
  onTestFinished(async () => {
    child.kill();
    await once(child, "exit");
  });
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 60_000 },
    )
    .toBe(true);
  return url;
};

/** Runs `models/upload.sh` with the AWS CLI. */
const upload = async (made: DeployedProject, build = "build"): Promise<string> => {
  const aws = await s3Tools();
  const own = { ...env, PYTHONPATH: aws, PATH: `${aws}/bin${delimiter}${process.env["PATH"] ?? ""}` };
  const { stdout } = await exec("sh", ["deploy/models/upload.sh", build], { cwd: made.root, env: own });
  return stdout;
};

test("the script uploads a build once, and a real Triton loads it from S3", async () => {
  const made = await builtProject();
  const s3 = await startS3();
  await fetch(`${s3}/models`, { method: "PUT" });
  const to = `s3://${s3}/models/prod`;
  expect(await pipeline(made, ["deploy", "--models", to])).toMatchObject({ code: 0 });
  expect(await pipeline(made, ["deploy", "--check", "--models", to])).toMatchObject({ code: 0 });
  expect(await upload(made)).toBe("");

  const [answer] = await renderChart(made.path("deploy/chart"), [{ image }]);
  const { build } = parse(readFileSync(made.path("deploy/chart/values.yaml"), "utf8")) as { build: string };
  const [repository, ...args] = serverArguments(answer);
  expect(repository).toBe(`--model-repository=${to}/${build.slice(0, 12)}`);
  expect(await upload(made)).toBe(`${to}/${build.slice(0, 12)} is complete\n`);

  for (const name of Object.keys(credentials))
    vi.stubEnv(name, credentials[name as keyof typeof credentials]);
  onTestFinished(() => void vi.unstubAllEnvs());
  mkdirSync(made.path("empty"));
  const server = await serveBuild(made, [repository ?? "", ...args], "empty");
  expect(await askTotal(server, [1, 2, 3, 4])).toMatchObject({ outputs: [{ name: "sum", data: [20] }] });

  made.write("build/manifest.json", "{}");
  await expect(upload(made)).rejects.toMatchObject({
    stderr: expect.stringContaining("build is a different build: run pipeline deploy"),
  });
}, 600_000);
