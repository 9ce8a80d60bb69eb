import { readFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { builtProject, deployedProject } from "./deployed-project.ts";

const names = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AZURE_STORAGE_KEY",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "HF_TOKEN",
  "HUGGING_FACE_HUB_TOKEN",
  "NODE_AUTH_TOKEN",
  "NPM_TOKEN",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "TRITYPE_TOKEN",
];
const storages = [
  "image",
  "s3://models/embed",
  "s3://https://minio.example:9000/models",
  "gs://models/embed",
  "as://account/models",
  "pvc://models",
  "oci://registry.example/embed",
];

test("neither a build nor its deployment contains a secret of the environment", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of names) vi.stubEnv(name, `secret-of-${name}`);
  // Its text differs from that of other projects, so it is built now.
  const made = await builtProject('{ platforms: ["kserve", "gateway"] }', "\n// with secrets\n");
  const files = new Set<string>();
  for (const proxy of ["haproxy", "envoy"])
    for (const models of storages) {
      made.configure(`{ platforms: ["kserve", "gateway"], proxy: "${proxy}" }`);
      expect(await pipeline(made, ["deploy", "--models", models])).toMatchObject({ code: 0 });
      for (const folder of ["build", "deploy"])
        for (const file of filesBelow(made.path(folder))) {
          files.add(`${folder}/${file}`);
          expect(readFileSync(made.path(`${folder}/${file}`), "latin1"), file).not.toContain("secret-of-");
        }
    }
  // Compose passes them by their names.
  const wanted = ["build/Dockerfile", "deploy/compose/compose.yaml", "deploy/models/upload.sh"];
  expect([...files]).toEqual(expect.arrayContaining(wanted));
});

test.each([
  [
    "models",
    "s3://https://user:hidden@minio.example:9000/models",
    /must not contain a user name or password/,
  ],
  ["models", "as://account:hidden@container/folder", /must not contain a user name or password/],
  ["image", "user:hidden@registry.example/embed", /must be an image without tag/],
])("deploy.%s is refused with a password in it", async (name, text, message) => {
  const made = await builtProject(`{ ${name}: "${text}" }`);
  const { code, err } = await pipeline(made, ["deploy"]);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) });
});

test("the name in package.json is all that a deployment takes from it", async () => {
  const made = await deployedProject();
  made.write(
    "package.json",
    JSON.stringify({ name: "embed", repository: "https://user:hidden@git.example/embed" }),
  );
  expect(await pipeline(made, ["deploy"])).toMatchObject({ code: 0 });
  for (const file of filesBelow(made.path("deploy")))
    expect(readFileSync(made.path(`deploy/${file}`), "utf8"), file).not.toContain("hidden");
});
