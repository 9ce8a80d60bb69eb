import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaultRelease } from "@tritype/triton";
import { it } from "vitest";
import { installTriton, serveTriton, withStubBackends } from "../../../tritonserver/src/index.ts";
import { backendCases } from "../config-rules/cases/backend-cases.fixture.ts";
import { batchCases } from "../config-rules/cases/batch-cases.fixture.ts";
import { executionCases } from "../config-rules/cases/execution-cases.fixture.ts";
import { nameCases } from "../config-rules/cases/name-cases.fixture.ts";
import type { Broken } from "../config-rules/cases/rule-case.fixture.ts";
import { tensorCases } from "../config-rules/cases/tensor-cases.fixture.ts";
import { versionCases } from "../config-rules/cases/version-cases.fixture.ts";
import { checkRepository } from "./check-repository.ts";
import { memoryRepository, type Content } from "./memory-repository.fixture.ts";

const STRICT = process.env["STRICT"] === "1";
const skip = new Set([
  "version/too-large",
  "tensor/labels-folder",
  "batch/output-without-target",
  "config/no-agents",
  "model-file/missing-python",
  "config/shell-characters",
]);
const id =
  'backend: "identity" input { name: "X" data_type: TYPE_FP32 dims: 2 } output { name: "Y" data_type: TYPE_FP32 dims: 2 }';
const extra: Broken[] = [
  { config: "", files: { "a.b.identity/config.pbtxt": "", "a.b.identity/1/x": "" } },
  { config: "", files: { "x.identity/config.pbtxt": "", "x.identity/1/x": "" } },
  { config: "", files: { ".identity/config.pbtxt": "", ".identity/1/x": "" } },
  {
    config: "",
    files: {
      "lat/config.pbtxt": Uint8Array.of(...new TextEncoder().encode(`${id} # gr`), 0xfc, 0xdf),
      "lat/1/x": "",
    },
  },
  {
    config: "",
    files: {
      "lat2/config.pbtxt": Uint8Array.of(
        ...new TextEncoder().encode(`${id} metric_tags { key: "a" value: "`),
        0xfc,
        0xdf,
        ...new TextEncoder().encode('" }'),
      ),
      "lat2/1/x": "",
    },
  },
  {
    config: "",
    files: { "nul/config.pbtxt": Uint8Array.of(...new TextEncoder().encode(`${id}\n`), 0), "nul/1/x": "" },
  },
  {
    config: "",
    files: { "nul2/config.pbtxt": `${id}\n metric_tags { key: "a" value: "b\\000c" }`, "nul2/1/x": "" },
  },
  { config: "", files: { "bom/config.pbtxt": `\uFEFF${id}`, "bom/1/x": "" } },
  { config: "", files: { "ff/config.pbtxt": `${id}\f\v\r\n`, "ff/1/x": "" } },
  { config: "", files: { "neg/config.pbtxt": id, "neg/-1/x": "" } },
  { config: "", files: { "plus/config.pbtxt": id, "plus/+1/x": "" } },
  { config: "", files: { "half/config.pbtxt": id, "half/1abc/x": "" } },
  { config: "", files: { emptyfolder: null } },
  {
    config: "",
    files: { "platf/config.pbtxt": 'platform: "foo" default_model_filename: "model.onnx"', "platf/1/x": "" },
  },
  { config: "", files: { "tfp/config.pbtxt": 'backend: "tensorflow"', "tfp/1/model.savedmodel/x": "" } },
  { config: "", files: { "tfn/config.pbtxt": "", "tfn/1/model.savedmodel/x": "" } },
  { config: "", files: { "pt2/config.pbtxt": "", "pt2/1/model.pt2": "" } },
  { config: "", files: { "first/config.pbtxt": "", "first/0/x": "", "first/1/model.plan": "" } },
  { config: "", files: { "assets1/config.pbtxt": "", "assets1/0assets/x": "", "assets1/1/model.plan": "" } },
  { config: "", files: { "noio/config.pbtxt": 'backend: "identity"', "noio/1/x": "" } },
  {
    config: "",
    files: {
      "lab2/config.pbtxt": `${id} output { name: "Z" data_type: TYPE_FP32 dims: 2 label_filename: "/labels.txt" }`,
      "lab2/1/x": "",
      "lab2/labels.txt": "a",
    },
  },
  { config: "", files: { "ensens/config.pbtxt": 'platform: "ensemble" ', "ensens/1/x": "" } },
  { config: "", files: { "sp ace/config.pbtxt": id, "sp ace/1/x": "" } },
  { config: "", files: { "name2/config.pbtxt": `${id} name: "name3"`, "name2/1/x": "" } },
  { config: "", files: { "inst/config.pbtxt": `${id} instance_group { kind: 9 }`, "inst/1/x": "" } },
  { config: "", files: { "inst2/config.pbtxt": `${id} instance_group { count: -3 }`, "inst2/1/x": "" } },
  {
    config: "",
    files: { "prof/config.pbtxt": `backend: "tensorrt" instance_group { profile: "" }`, "prof/1/x": "" },
  },
  {
    config: "",
    files: { "prof2/config.pbtxt": `backend: "tensorrt" instance_group { profile: "1x" }`, "prof2/1/x": "" },
  },
  {
    config: "",
    files: { "runt/config.pbtxt": `${id} runtime: "../identity/libtriton_identity.so"`, "runt/1/x": "" },
  },
  { config: "", files: { "runt2/config.pbtxt": `${id} runtime: "libtriton_identity.so"`, "runt2/1/x": "" } },
  {
    config: "",
    files: {
      "agent/config.pbtxt": `${id} model_repository_agents { agents { name: "checksum" } }`,
      "agent/1/x": "",
    },
  },
  {
    config: "",
    files: {
      "cachedec/config.pbtxt": `${id} response_cache { enable: true } model_transaction_policy { decoupled: true }`,
      "cachedec/1/x": "",
    },
  },
  {
    config: "",
    files: {
      "big/config.pbtxt": `${id} input { name: "Q" data_type: TYPE_FP32 dims: [ 4294967296, 4294967296 ] reshape { shape: [ 4294967296, 2, 2147483648 ] } }`,
      "big/1/x": "",
    },
  },
];
it("live", async () => {
  const root = "/tmp/check-core/live";
  rmSync(root, { recursive: true, force: true });
  const base = await installTriton({ cache: "/work/main/.cache" });
  if (base.kind !== "wheel") throw new Error("docker");
  const installation = await withStubBackends(base, [
    "identity",
    "tensorrt",
    "onnxruntime",
    "pytorch",
    "tensorflow",
    "openvino",
    "vllm",
    "my_own_thing",
    "b.identity",
  ]);
  const expected = new Map<string, string[]>();
  let n = 0;
  const place = (broken: Broken, code: string) => {
    if (broken.options?.release || broken.options?.configsOnly || (broken.options?.gpus?.length ?? 0) > 0)
      return;
    const files: Record<string, Content> = { ...(broken.files ?? { "m/1/model.py": "" }) };
    if (broken.config !== "") files["m/config.pbtxt"] = broken.config;
    const own = code.startsWith("python/") || code.startsWith("backend/python");
    const dir = `c${String(n++).padStart(3, "0")}`;
    const out: Record<string, Content> = {};
    let name = "";
    for (const [path, content] of Object.entries(files)) {
      let p = path.replace(/^m(?=\/|$)/, dir);
      name = p.split("/")[0]!;
      let c = content;
      if (typeof c === "string" && p.endsWith("config.pbtxt")) {
        c = c.replaceAll('name: "m"', `name: "${dir}"`);
        if (!own) c = c.replaceAll('backend: "python"', 'backend: "identity"');
      }
      if (p.endsWith(".py"))
        c = "class TritonPythonModel:\n    def execute(self, requests):\n        return []\n# " + c;
      out[p] = c;
    }
    const { diagnostics } = checkRepository(memoryRepository(out), {
      release: defaultRelease,
      gpus: [],
      installed: {
        backends: [
          "identity",
          "tensorrt",
          "onnxruntime",
          "pytorch",
          "tensorflow",
          "openvino",
          "vllm",
          "my_own_thing",
          "b.identity",
          "python",
        ],
        repositoryAgents: [],
        cpuAccelerators: [],
        libraries: [],
      },
    });
    const errors = diagnostics.filter((d) => d.severity === "error").map((d) => `${d.code}: ${d.message}`);
    if (errors.some((e) => skip.has(e.split(":")[0]!))) return;
    expected.set(name, errors);
    for (const [p, c] of Object.entries(out)) {
      const full = join(root, p);
      if (c === null) mkdirSync(full, { recursive: true });
      else {
        mkdirSync(dirname(full), { recursive: true });
        writeFileSync(full, c);
      }
    }
  };
  for (const row of [
    ...nameCases,
    ...backendCases,
    ...versionCases,
    ...tensorCases,
    ...batchCases,
    ...executionCases,
  ]) {
    place(row.breaks, row.code);
    for (const near of row.passes) place(near, row.code);
  }
  for (const e of extra) place(e, "extra");
  const server = await serveTriton(installation, {
    repository: root,
    strict: STRICT,
    startTimeout: 150000,
  } as never);
  try {
    const index = (await (
      await fetch(`${server.httpUrl}/v2/repository/index`, { method: "POST", body: "{}" })
    ).json()) as { name: string; state?: string; reason?: string }[];
    let agree = 0;
    for (const [name, errors] of expected) {
      const entries = index.filter((e) => e.name === name);
      const ready = entries.length > 0 && entries.every((e) => e.state === "READY");
      if (ready === (errors.length === 0)) {
        agree++;
        continue;
      }
      const why = server
        .log()
        .split("\n")
        .filter((l) => l.includes(`'${name}'`) || l.includes(` ${name}`) || l.includes(`/${name}`))
        .slice(0, 4)
        .join("\n   ");
      console.log(
        `DISAGREE ${name} ready=${ready} errors=${JSON.stringify(errors)} ${JSON.stringify(entries)}\n   ${why}`,
      );
    }
    console.log("AGREE", agree, "of", expected.size);
  } finally {
    await server.stop();
  }
}, 300000);
