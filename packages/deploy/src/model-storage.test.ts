import { expect, test } from "vitest";
import { claimFolder, modelStorageForm, readModelStorage } from "./model-storage.ts";

test.each([
  ["s3://models", { kind: "bucket", service: "S3", url: "s3://models" }],
  ["s3://models/embed/prod", { kind: "bucket", service: "S3", url: "s3://models/embed/prod" }],
  [
    "s3://https://minio.example:9000/models/a",
    { kind: "bucket", service: "S3", url: "s3://https://minio.example:9000/models/a" },
  ],
  ["gs://models/a", { kind: "bucket", service: "Google Cloud Storage", url: "gs://models/a" }],
  ["as://account/container", { kind: "bucket", service: "Azure", url: "as://account/container" }],
  ["pvc://models", { kind: "claim", claim: "models", folder: "" }],
  ["pvc://models/a/b", { kind: "claim", claim: "models", folder: "a/b" }],
  ["oci://registry.example:5000/team/embed", { kind: "oci", image: "registry.example:5000/team/embed" }],
])("%s", (text, storage) => {
  expect(readModelStorage(text)).toEqual(storage);
});

test.each([
  "",
  "/models",
  "s3://",
  "s3://bucket/",
  "s3://bucket//a",
  "s3://bucket/$(id)",
  "s3://minio.example:9000/models",
  "gs://https://host:1/bucket",
  "as://account",
  "pvc://Models",
  "pvc://models/../other",
  "oci://embed",
  "oci://registry.example/embed:latest",
  "oci://registry.example/Embed",
  "oci://registry.example/../embed",
  "s3://bucket/../other",
  "https://bucket",
])("%s is not a valid storage location", (text) => {
  expect(readModelStorage(text)).toBeUndefined();
});

test.each([
  [
    "s3://https://host/bucket",
    /^must be "s3:\/\/https:\/\/host:port\/bucket\/folder": .*its protocol and its port/,
  ],
  ["s3://https://host:443", /its protocol and its port/],
  ["s3://minio.example:9000/models", /its protocol and its port/],
  ["s3://https://user:secret@host:443/bucket", /^must not contain a user name or password: (?!.*secret)/],
  ["oci://user:secret@registry.example/embed", /^must not contain a user name or password/],
  [
    "s3://bucket/",
    /^must be "image", "s3:\/\/bucket\/folder", "s3:\/\/https:\/\/host:port\/bucket\/folder", /,
  ],
  ["https://bucket", /^must be "image"/],
])("the error for %s says what is expected", (text, message) => {
  expect(readModelStorage(text)).toBeUndefined();
  expect(modelStorageForm(text)).toMatch(message);
});

test("each build has its own folder in a claim", () => {
  const hash = "0123456789abcdef";
  expect([claimFolder({ folder: "" }, hash), claimFolder({ folder: "a/b" }, hash)]).toEqual([
    "0123456789ab",
    "a/b/0123456789ab",
  ]);
});
