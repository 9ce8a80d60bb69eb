import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { DeployedBuild } from "./deployed-build.ts";
import { readModelStorage } from "./model-storage.ts";
import { uploadScript } from "./upload-script.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const config = 'name: "m"';
const manifest = `${JSON.stringify({ files: { Dockerfile: sha256(""), "model_repository/config.pbtxt": sha256(config) } }, null, 2)}\n`;
const prepared = {
  name: "m",
  kind: "tensorrt",
  versions: [{ version: 1, hash: "", prepared: ["my model.plan"] }],
};
const build = { hash: sha256(manifest), manifest: { models: [prepared] } } as unknown as DeployedBuild;
const name = build.hash.slice(0, 12);

const scriptFor = (url: string): string =>
  uploadScript(build, readModelStorage(url) ?? { kind: "image" }) ?? "";

const clients = [
  ["aws", "s3://models/a"],
  ["gcloud", "gs://models/a"],
  ["az", "as://account/models/a"],
  ["kubectl", "pvc://models/a"],
  ["docker", "oci://127.0.0.1:5000/embed"],
] as const;

test.each([
  ["s3://models/a", `s3://models/a/${name}`],
  ["s3://https://minio.example:9000/models", "aws --endpoint-url https://minio.example:9000 s3"],
  ["gs://models/a", `gs://models/a/${name}`],
  ["as://account/container", `--destination container --destination-path "${name}"`],
  ["pvc://models/a", `/claim/a/${name}`],
  ["oci://registry.example/embed", `registry.example/embed:${name}`],
])("the script for %s is a shell script that contains the address", (url, place) => {
  const script = scriptFor(url);
  expect(script).toContain(place);
  execFileSync("sh", ["-n"], { input: script });
});

test.each(clients.map(([, url]) => url))("no text of the script for %s runs as a command", (url) => {
  const script = scriptFor(url)
    .replaceAll(/^#.*/gm, "")
    .replaceAll(/'[^']*'/g, "''");
  const texts = Array.from(script.matchAll(/"(?:[^"\\]|\\.)*"/gs), ([text]) => text);
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.filter((text) => /(?<!\\)(?:`|\$\()/.test(text))).toEqual([]);
});

test.each([
  [{}, "busybox:1.37.0"],
  [{ BUSYBOX_IMAGE: "mirror/busybox@sha256:1" }, "mirror/busybox@sha256:1"],
])("the pod and the image of models are based on the image of the environment %j", (env, image) => {
  const states =
    'case $* in *"manifest inspect"*) echo "no such manifest"; exit 1 ;; *build*) cat >>"$calls" ;; esac';
  expect(run("oci://127.0.0.1:5000/embed", "docker", states, { env }).calls).toContain(`FROM ${image}`);
  const { calls } = run("pvc://models/a", "kubectl", "case $* in *state*) echo complete ;; esac", { env });
  const [, given, overrides = ""] =
    calls.map((call) => /--image=(\S+) .*--overrides=(.*)$/.exec(call)).find(Boolean) ?? [];
  expect(given).toBe(image);
  expect(JSON.parse(overrides)).toMatchObject({ spec: { containers: [{ image }] } });
});

test("models in the image are not uploaded", () => {
  expect(uploadScript(build, { kind: "image" })).toBeUndefined();
});

/** Runs the script. @param program A shell script that takes the place of the storage's client; it also gets `$calls`, a file. */
const run = (
  url: string,
  client: string,
  program: string,
  {
    text = config,
    others = [],
    env = {},
    system = "/usr/bin:/bin",
  }: {
    readonly text?: string;
    readonly others?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    /** The folders of the system's programs. */
    readonly system?: string;
  } = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), "tritype-upload-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const calls = join(folder, "calls");
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  mkdirSync(join(folder, "build/model_repository"), { recursive: true });
  writeFileSync(join(folder, "build/manifest.json"), manifest);
  writeFileSync(join(folder, "build/model_repository/config.pbtxt"), text);
  for (const file of others) {
    mkdirSync(dirname(join(folder, "build/model_repository", file)), { recursive: true });
    writeFileSync(join(folder, "build/model_repository", file), "");
  }
  writeFileSync(join(folder, client), `#!/bin/sh\nprintf '%s\\n' "$*" >>"$calls"\n${program}`);
  chmodSync(join(folder, client), 0o755);
  const { status, stdout, stderr } = spawnSync("sh", ["-s", "build"], {
    cwd: folder,
    input: scriptFor(url),
    encoding: "utf8",
    env: { ...env, PATH: `${folder}:${system}`, calls, TMPDIR: temporary },
  });
  const made = existsSync(calls) ? readFileSync(calls, "utf8").trimEnd().split("\n") : [];
  return {
    status,
    stdout,
    stderr,
    calls: made,
    temporary: readdirSync(temporary, { recursive: true, encoding: "utf8" }),
  };
};

test.each(clients)(
  "if %s cannot find out whether the upload is complete, nothing is uploaded",
  (client, url) => {
    const { status, stderr, calls } = run(url, client, "echo 'no access' >&2; exit 254");
    expect(status).not.toBe(0);
    expect(stderr).toBe("no access\n");
    expect(calls).toHaveLength(1);
  },
);

test.each(clients)("if %s is missing, the script says so", (client, url) => {
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-s", "build"], {
    input: scriptFor(url),
    encoding: "utf8",
    env: { PATH: "" },
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain(`${client} is not installed: this script needs `);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("without sha256sum, as on macOS 14, shasum checks the build", () => {
  const system = mkdtempSync(join(tmpdir(), "tritype-macos-"));
  onTestFinished(() => rmSync(system, { recursive: true }));
  for (const program of ["cat", "cut", "find", "sed", "sh", "shasum", "sort", "uniq"])
    symlinkSync(`/usr/bin/${program}`, join(system, program));
  const complete = run("s3://models/a", "aws", "", { system });
  expect(complete).toMatchObject({ status: 0, stderr: "" });
  const edited = run("s3://models/a", "aws", "", { system, text: 'name: "edited"' });
  expect(edited.status).toBe(1);
  expect(edited.stderr).toContain("these files have changed since the build: run pipeline build");
});

test.each(clients)("%s uploads no build whose files have changed", (client, url) => {
  const { status, stderr, calls } = run(url, client, "", { text: 'name: "edited"' });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^model_repository\/config\.pbtxt: FAILED\n[^]*these files have changed since the build: run pipeline build\n$/,
  );
  expect(calls).toEqual([]);
});

test.each(clients)("%s uploads no files that do not belong to the build", (client, url) => {
  const { status, stderr, calls } = run(url, client, "", {
    others: ["m/1/model.py.orig", "other/config.pbtxt"],
  });
  expect({ status, stderr, calls }).toEqual({
    status: 1,
    stderr:
      "these files do not belong to the build, move them away:\nmodel_repository/m/1/model.py.orig\nmodel_repository/other/config.pbtxt\n",
    calls: [],
  });
});

test("caches, installed packages and files made by prepare.sh do not stop an upload", () => {
  const more = ["m/1/__pycache__/a.pyc", "m/1/node_modules/a/b.js", ".DS_Store", "m/1/.DS_Store"];
  const made = ["m/1/my model.plan", "m/1/my model.plan.made-of"];
  for (const others of [more, made, [...more, ...made]])
    expect(run("s3://models/a", "aws", "", { others })).toMatchObject({
      status: 0,
      stdout: `s3://models/a/${name} is complete\n`,
    });
});

test("the output format that a user has chosen for az makes no difference", () => {
  const table = `case $* in
  *"blob exists"*"--output tsv"*) echo true ;;
  *"blob exists"*) printf 'Result\\n------\\nTrue\\n' ;;
esac`;
  expect(run("as://account/models/a", "az", table)).toMatchObject({
    status: 0,
    stdout: `as://account/models/a/${name} is complete\n`,
  });
});

test("an interrupted upload to a claim leaves no files on this machine", () => {
  const { status, calls, temporary } = run(
    "pvc://models/a",
    "kubectl",
    "case $* in *--stdin*) kill -TERM $PPID; sleep 1 ;; esac",
  );
  expect(status).toBe(130);
  expect(calls.at(-1)).toBe(`delete pod upload-${name} --now --ignore-not-found`);
  expect(temporary).toEqual([]);
});

test("an archive that arrives in part at a claim is not taken for a complete upload", () => {
  // The pod's shell runs here; it gets the archive's entries for the folder and config.pbtxt, but not for the manifest.
  const pod = `case $* in
  *--stdin*) head -c 1536 | sh -ec "$(printf '%s' "$7" | sed "s#/claim#$TMPDIR/claim#g")" ;;
esac`;
  const { status, stderr, temporary } = run("pvc://models", "kubectl", pod);
  expect(status).not.toBe(0);
  expect(stderr).toBe("only a part of the models has arrived: run this script again\n");
  expect(new Set(temporary)).toEqual(
    new Set([
      "claim",
      `claim/${name}.part`,
      `claim/${name}.part/model_repository`,
      `claim/${name}.part/model_repository/config.pbtxt`,
    ]),
  );
});
