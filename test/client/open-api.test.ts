import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { chatFiles, guideText } from "../triton/chat-guide.ts";
import { buildExample, serveDev } from "./built-example.ts";

interface Media {
  readonly schema: { readonly $ref?: string };
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly requestBody: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: Operation; readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/**
 * All dtypes, an optional input, ensemble names that are not identifiers or have equal ones, and an FP16 tensor, which JSON cannot
 * represent.
 */
const pipeline = `
import { bool, bytes, defineEnsemble, fp16, fp32, fp64, int8, int16, int32, int64, uint8, uint16, uint32, uint64 } from "tritype";
export const all = defineEnsemble({
  name: "all-kinds.v2",
  maxBatchSize: 8,
  inputs: {
    b: bool("batch", "n"), i8: int8("batch", 2), i16: int16("batch", 1), i32: int32("batch", 1), i64: int64("batch", "n"),
    u8: uint8("batch", 1), u16: uint16("batch", 1), u32: uint32("batch", 1), u64: uint64("batch", 1),
    f32: fp32("batch", 2, -1), f64: fp64("batch", 1), "some text": bytes("batch", 1),
  },
  run: (x) => ({ ...Object.fromEntries(Object.entries(x).map(([name, t]) => ["o " + name, t])) }),
});
export const half = defineEnsemble({
  name: "half", maxBatchSize: 2, inputs: { h: fp16("batch", 2) }, run: ({ h }) => ({ twice: h.add(h) }),
});
export const again = defineEnsemble({
  name: "ha-lf", maxBatchSize: 2, inputs: { h: fp32("batch", 2) }, run: ({ h }) => ({ twice: h.add(h) }),
});
export const video = defineEnsemble({
  name: "video", maxBatchSize: 2, inputs: { frames: uint8("batch", 65536, 65536) }, run: ({ frames }) => ({ same: frames.add(frames) }),
});
`;
/** A stream that JSON cannot represent, and one with sequences, next to the stream of the guide. */
const streams = `${guideText("pipeline.ts")}
import { fp16, python } from "tritype";
const own = { file: "own.py", maxBatchSize: 1, modelTransactionPolicy: { decoupled: true } };
const halves = python({ ...own, name: "halves", inputs: { h: fp16("batch", 2) }, outputs: { h: fp16("batch", 2) } });
export const half = defineEnsemble({ name: "half_stream", maxBatchSize: 1, inputs: { h: fp16("batch", 2) }, run: ({ h }) => ({ g: halves({ h }).h }) });
const tell = python({ ...own, name: "tell", inputs: { h: bytes("batch", 1) }, outputs: { h: bytes("batch", 1) }, sequenceBatching: {} });
export const told = defineEnsemble({ name: "told", maxBatchSize: 1, inputs: { h: bytes("batch", 1) }, run: ({ h }) => ({ g: tell({ h }).h }) });
`;
const streamProject = (): ProjectFixture =>
  makeProject({
    ...chatFiles(),
    "pipeline.ts": streams,
    "own.py": `import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            h = pb_utils.get_input_tensor_by_name(request, "h")
            sender = request.get_response_sender()
            sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("h", h.as_numpy())]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`,
  });

const projects: ProjectFixture[] = [];
let example: Document;
let kinds: Document;
let server: Awaited<ReturnType<typeof serveDev>>;
beforeAll(async () => {
  const built = await buildExample();
  const made = makeProject({
    "pipeline.ts": pipeline,
    "pipeline.config.ts":
      'import { defineConfig } from "tritype"; export default defineConfig({ entries: ["pipeline.ts"] });',
  });
  projects.push(built, made);
  kinds = await documentOf(made);
  example = JSON.parse(readFileSync(built.path("build/client/openapi.json"), "utf8")) as Document;
  server = await serveDev(built, ["--no-watch"]);
}, 120_000);
afterAll(async () => {
  await server?.stop();
  for (const project of projects) project.remove();
});

const documentOf = async (project: ProjectFixture): Promise<Document> => {
  const { compilation } = await compileFixture(project);
  const file = compilation.build?.tree.get("client/openapi.json");
  if (file?.kind !== "text") throw new Error(JSON.stringify(compilation.diagnostics));
  return JSON.parse(file.text) as Document;
};

describe("build/client/openapi.json", () => {
  it("is OpenAPI 3.1", async () => {
    for (const document of [example, kinds]) {
      const validator = new Validator();
      expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true });
      expect(validator.version).toBe("3.1");
    }
  });

  it("the document has inference, readiness, metadata and configuration of every ensemble, each with its own name", () => {
    expect(Object.keys(kinds.paths)).toEqual([
      "/v2/health/live",
      "/v2/health/ready",
      ...["all-kinds.v2", "ha-lf", "half", "video"].flatMap((name) =>
        ["/infer", "/ready", "", "/config"].map((path) => `/v2/models/${name}${path}`),
      ),
    ]);
    const names = Object.values(kinds.paths).map(({ get, post }) => (get ?? post)?.operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(["allKindsV2Infer", "halfInfer", "haLf2Infer", "haLf2Ready"]),
    );
    expect(Object.keys(kinds.components.schemas)).toEqual(
      expect.arrayContaining(["HalfRequest", "HaLf2Request", "HaLf2Response"]),
    );
  });

  it("the document has no JSON schema for values that JSON cannot represent", () => {
    const content = kinds.paths["/v2/models/half/infer"]?.post?.requestBody.content ?? {};
    expect(Object.keys(content)).toEqual(["application/octet-stream"]);
  });

  it("the document has no example of a request with millions of elements", () => {
    const content = kinds.paths["/v2/models/video/infer"]?.post?.requestBody.content ?? {};
    expect(content["application/json"]).toEqual({ schema: { $ref: "#/components/schemas/VideoRequest" } });
  });

  it("the document has an example that `pipeline dev` answers as documented", async () => {
    const infer = example.paths["/v2/models/embed/infer"]?.post;
    const body = infer?.requestBody.content["application/json"]?.example;
    const response = await fetch(`${server.url}/v2/models/embed/infer`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    expect(response.status).toBe(200);
    expect(await problems(example, "EmbedResponse", answer)).toEqual([]);
    expect(await problems(example, "EmbedRequest", body)).toEqual([]);
    expect(await problems(example, "EmbedRequest", { inputs: [{ name: "texts" }] })).toEqual([
      expect.objectContaining({ instancePath: "/inputs/0", params: { missingProperty: "datatype" } }),
    ]);
  });

  it("the document lists the errors that the server returns", async () => {
    const infer = example.paths["/v2/models/embed/infer"]?.post;
    const ask = async (body: string): Promise<[string, unknown]> => {
      const response = await fetch(`${server.url}/v2/models/embed/infer`, { method: "POST", body });
      return [String(response.status), await response.json()];
    };
    const wrong = JSON.stringify({
      inputs: [{ name: "text", datatype: "BYTES", shape: [1, 2], data: ["a", "b"] }],
    });
    for (const body of [wrong, "{"]) {
      const [status, answer] = await ask(body);
      expect(Object.keys(infer?.responses ?? {})).toContain(status);
      expect(await problems(example, "Error", answer)).toEqual([]);
    }
  });

  it("of an ensemble that streams, the document has the stream, which `pipeline dev` sends as documented", async () => {
    const made = streamProject();
    projects.push(made);
    const document = await documentOf(made);
    const validator = new Validator();
    expect(await validator.validate({ ...structuredClone(document) })).toEqual({ valid: true });
    const calls = Object.entries(document.paths).flatMap(([path, { post }]) =>
      post === undefined ? [] : path,
    );
    expect(calls).toEqual(["/v2/models/chat/generate_stream"]);
    const { operationId, requestBody, responses } = document.paths[calls[0] ?? ""]?.post ?? {};
    expect(operationId).toBe("chatStream");
    const body = requestBody?.content["application/json"]?.example;
    expect(body).toEqual({ prompt: ["a text"] });
    expect(await problems(document, "ChatRequest", body)).toEqual([]);
    expect(await problems(document, "ChatRequest", { seed: 1 })).toHaveLength(1);
    const dev = await serveDev(made, ["--no-watch"]);
    try {
      const post = (path: string, given: unknown) =>
        fetch(`${dev.url}/v2/models/chat/${path}`, { method: "POST", body: JSON.stringify(given) });
      expect((await post("infer", { inputs: [] })).status).toBe(501);
      const stream = await post("generate_stream", { ...Object(body), seed: 7 });
      expect([stream.status, stream.headers.get("content-type")]).toEqual([
        200,
        expect.stringContaining("text/event-stream"),
      ]);
      const events = (await stream.text()).split("\n\n").filter(Boolean);
      expect(events.length).toBeGreaterThan(0);
      for (const event of events)
        expect(await problems(document, "ChatResponse", JSON.parse(event.replace(/^data: /, "")))).toEqual(
          [],
        );
      const refused = await post("generate_stream", { prompt: 1 });
      expect(Object.keys(responses ?? {})).toContain(String(refused.status));
    } finally {
      await dev.stop();
    }
  }, 120_000);

  it.each([
    "/v2/health/live",
    "/v2/health/ready",
    "/v2/models/embed/ready",
    "/v2/models/embed",
    "/v2/models/embed/config",
  ])("%s is described and exists", async (path) => {
    expect(example.paths[path]?.get).toBeDefined();
    expect((await fetch(server.url + path)).status).toBe(200);
  });
});

/** The ways in which a value violates a schema in the document. */
const problems = async (document: Document, schema: string, value: unknown): Promise<readonly unknown[]> => {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const ajv = new Ajv2020({ strict: false, logger: false });
  ajv.addSchema(document, "openapi");
  const validate = ajv.getSchema(`openapi#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`no schema is called ${schema}`);
  return validate(value) === true ? [] : (validate.errors ?? []);
};
