import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { DeployedBuild } from "./deployed-build.ts";
import { readModelStorage } from "./model-storage.ts";
import { uploadScript } from "./upload-script.ts";

const build = { hash: "0123456789abcdef" } as DeployedBuild;

test.each([
  ["s3://models/a", "s3://models/a/0123456789ab"],
  ["s3://https://minio.example:9000/models", "aws --endpoint-url https://minio.example:9000 s3"],
  ["gs://models/a", "gs://models/a/0123456789ab"],
  ["as://account/container", '--destination container --destination-path "0123456789ab"'],
  ["pvc://models/a", "/claim/a/0123456789ab"],
  ["oci://registry.example/embed", "registry.example/embed:0123456789ab"],
])("the script for %s is a shell script that contains the address", (url, place) => {
  const script = uploadScript(build, readModelStorage(url) ?? { kind: "image" }) ?? "";
  expect(script).toContain(place);
  execFileSync("sh", ["-n"], { input: script });
});

test("models in the image are not uploaded", () => {
  expect(uploadScript(build, { kind: "image" })).toBeUndefined();
});
