import { mkdirSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { freePort } from "../cli/free-port.ts";
import { pipeline } from "../cli/run-pipeline.ts";
import { pythonTool, withPackages } from "../environment/python-tool.ts";
import { builtProject } from "./deployed-project.ts";
import { askTotal, serveBuild } from "./serve-build.ts";
import { background } from "./storage/background.ts";
import { pathOf, sha256, type StorageService, upload, uploadInSteps } from "./storage/upload-in-steps.ts";
import { image, renderChart, serverArguments } from "./tools.ts";

/** moto, which serves S3, and the AWS CLI. All versions are pinned; otherwise, pip tries many of them. */
const s3Tools = (): Promise<string> =>
  pythonTool("moto[s3]", "5.2.5", ["awscli==1.46.3", "boto3==1.44.3", "flask==3.1.2", "flask-cors==6.0.1"]);

const credentials = {
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_DEFAULT_REGION: "us-east-1",
};
/** Ignores the settings of this machine's user. */
const settings = {
  AWS_CONFIG_FILE: "/dev/null",
  AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  AWS_EC2_METADATA_DISABLED: "true",
};

/** An S3 server with a bucket, and the AWS CLI. */
const startS3 = async (): Promise<StorageService> => {
  const port = await freePort();
  const folder = await s3Tools();
  const env = { ...withPackages(folder), ...credentials, ...settings };
  background("python3", ["-m", "moto.server", "--host", "127.0.0.1", "--port", `${port}`], env);
  const address = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(address).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(answers, { timeout: 60_000 }).toBe(true);
  await fetch(`${address}/models`, { method: "PUT" });
  // moto does not check the signature.
  const scope = `${credentials.AWS_ACCESS_KEY_ID}/20260101/us-east-1/s3/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
  const get = (path: string): Promise<Response> =>
    fetch(`${address}/models${path}`, { headers: { authorization } });
  return {
    url: `s3://${address}/models/prod`,
    env: { ...env, PATH: `${folder}/bin${delimiter}${process.env["PATH"] ?? ""}` },
    stored: async (build) => {
      const list = await (await get(`?list-type=2&prefix=prod/${build}`)).text();
      const found = [...list.matchAll(/<Key>([^<]+)<\/Key>/g)].map(async ([, key = ""]) => {
        const content = await get(`/${key}`);
        return [pathOf(key, build), sha256(new Uint8Array(await content.arrayBuffer()))] as const;
      });
      return Object.fromEntries(await Promise.all(found));
    },
    refusals: [
      { url: `s3://${address}/other/prod`, says: /NoSuchBucket/ },
      { env: { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" }, says: /Unable to locate credentials/ },
    ],
  };
};

test("the script uploads a build once, and a real Triton loads it from S3", async () => {
  const made = await builtProject();
  const s3 = await startS3();
  const address = await uploadInSteps(made, s3);
  expect(await pipeline(made, ["deploy", "--check", "--models", s3.url])).toMatchObject({ code: 0 });

  const [answer] = await renderChart(made.path("deploy/chart"), [{ image, networkPolicy: { egress: [{}] } }]);
  const { build } = parse(readFileSync(made.path("deploy/chart/values.yaml"), "utf8")) as { build: string };
  const [repository, ...args] = serverArguments(answer);
  expect(address).toBe(`${s3.url}/${build.slice(0, 12)}`);
  expect(repository).toBe(`--model-repository=${address}`);

  for (const name of Object.keys(credentials))
    vi.stubEnv(name, credentials[name as keyof typeof credentials]);
  onTestFinished(() => void vi.unstubAllEnvs());
  mkdirSync(made.path("empty"));
  const server = await serveBuild(made, [repository ?? "", ...args], "empty");
  expect(await askTotal(server, [1, 2, 3, 4])).toMatchObject({ outputs: [{ name: "sum", data: [20] }] });

  made.write("build/manifest.json", "{}");
  expect(await upload(made, s3.env)).toEqual({
    code: 1,
    output: expect.stringContaining("build is a different build: run pipeline deploy"),
  });
}, 600_000);
