import { spawn } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { serveTriton } from "@tritype/tritonserver";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { serve } from "../cli/served-dev.ts";
import { readConformanceModels, writeConformanceModels } from "../python-conformance/conformance-models.ts";
import { installJudge, installTime, killTriton, temporaryFolder, useOneInstance } from "./judge.ts";
import { judgedModelsWithoutEchoes } from "./judged-models.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

interface Tensor {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly data: readonly unknown[];
}
/** The requests that call.py sends. */
interface Call {
  readonly model: string;
  readonly version?: string;
  readonly inputs: readonly Tensor[];
  readonly outputs?: readonly string[];
  readonly id?: string;
}
interface Repository {
  /** Creates `model_repository` in a folder, together with the files that belong next to it. */
  readonly write: (folder: string) => Promise<void>;
  readonly calls: () => Promise<readonly Call[]>;
  /** Whether Triton runs with strict configurations. */
  readonly strict: boolean;
}

const tensor = (
  name: string,
  datatype: string,
  shape: readonly number[],
  data: readonly unknown[],
): Tensor => ({
  name,
  datatype,
  shape,
  data,
});
const texts = (...rows: readonly string[]): Tensor => tensor("text", "BYTES", [rows.length, 1], rows);
const pair = (rows: number, datatype = "FP32"): readonly Tensor[] =>
  ["A", "B"].map((name, port) =>
    tensor(
      name,
      datatype,
      [rows, 2],
      Array.from({ length: 2 * rows }, (_, i) => i * (port + 1)),
    ),
  );

const conformance = pathOf("../python-conformance/models");
/** Models that `test/python-conformance` serves. */
const chosen = [
  "async_execute",
  "batched",
  "bls",
  "echo",
  "ensemble",
  "error_codes",
  "failing_ensemble",
  "optional_input",
  "output_dtypes",
  "requested_outputs",
  "two_versions",
];

/** Copies these models to a separate folder. */
const conformanceFolder = async (folder: string): Promise<string> => {
  const source = join(folder, "source");
  for (const name of chosen) await cp(join(conformance, name), join(source, name), { recursive: true });
  return source;
};

/** The requests of the conformance suite that a client can send, with the tensors' values. */
const conformanceCalls = async (): Promise<readonly Call[]> => {
  const models = (await readConformanceModels(conformance)).filter(({ name }) => chosen.includes(name));
  return models.flatMap(({ name, requests }) =>
    requests.flatMap(({ body = "", headers }) => {
      if (headers !== undefined) return [];
      const { inputs = [], outputs } = JSON.parse(body.toString()) as {
        readonly inputs?: readonly Tensor[];
        readonly outputs?: readonly { readonly name: string }[];
      };
      const wanted = outputs === undefined ? {} : { outputs: outputs.map((output) => output.name) };
      return [{ model: name, inputs, ...wanted }];
    }),
  );
};

/** An example's build, with requests that contain texts and requests that are invalid. */
const example = (name: string, ensembles: readonly string[]): Repository => ({
  strict: true,
  write: async (folder) => {
    const { compilation } = await compileProject(findProject(pathOf(`../../examples/${name}`)));
    expect(compilation.diagnostics).toEqual([]);
    writeBuild(folder, compilation.build?.tree ?? new Map());
  },
  calls: async () => [
    ...ensembles.map((model) => ({ model, inputs: [texts("hello world", "again")], id: model })),
    {
      model: "embed",
      inputs: [texts("a", "", "the quick brown fox", "naïve 日本 👩‍🚀")],
      outputs: ["embedding"],
    },
    { model: "embed", inputs: [texts("word ".repeat(700), "short")] },
    { model: "tokenize", inputs: [texts("hello", "hello again, world")], outputs: ["attention_mask"] },
    { model: "encoder", inputs: [tensor("input_ids", "INT64", [1, 2], [1, 2])] },
    { model: "embed", inputs: [tensor("text", "INT64", [1, 1], [1])], id: "wrong" },
    { model: "embed", inputs: [texts("x")], outputs: ["embeding"] },
    { model: "embed", inputs: [texts("x")], version: "3" },
  ],
});

const repositories: Readonly<Record<string, Repository>> = {
  "the example sentence-embedding": example("sentence-embedding", ["embed", "embed_query", "embed_passage"]),
  "the example biolinkbert-embedding": example("biolinkbert-embedding", ["embed"]),
  "ONNX models, ensembles and failing models of test/triton": {
    strict: true,
    write: async (folder) => {
      const repository = join(folder, "model_repository");
      await mkdir(repository, { recursive: true });
      writeFiles(repository, judgedModelsWithoutEchoes());
      await useOneInstance(repository);
    },
    calls: async () => [
      ...["sum", "sum_twice"].flatMap((model) => [
        { model, inputs: pair(1) },
        { model, inputs: pair(4), outputs: ["DIFF"], id: "four" },
        { model, inputs: pair(5) },
        { model, inputs: pair(1, "INT32") },
      ]),
      { model: "sum", version: "1", inputs: pair(2) },
      { model: "sum", version: "7", inputs: pair(2) },
      { model: "scalar", inputs: [tensor("X", "FP32", [2, 1], [1, 2])] },
      { model: "text", inputs: [tensor("X", "BYTES", [1], ["naïve"])] },
      { model: "batched", inputs: [tensor("X", "INT32", [3, 1], [1, 2, 3])] },
      { model: "optional", inputs: [tensor("A", "INT32", [1], [1])] },
      { model: "all_optional_0", inputs: [] },
      { model: "all_optional_4", inputs: [], id: "nothing" },
      { model: "all_optional_4", inputs: [tensor("B", "INT32", [1, 1], [1])] },
      { model: "all_optional_inside", inputs: [], id: "nothing inside" },
      ...[0, 1, 2, 3, 4].map((code) => ({
        model: "failing",
        inputs: [tensor("X", "INT32", [1, 1], [code])],
        id: `code ${code}`,
      })),
      { model: "failing_inside", inputs: [tensor("X", "INT32", [1, 1], [1])] },
      { model: "nobody", inputs: pair(1) },
    ],
  },
  "Python models of test/python-conformance": {
    strict: false,
    write: async (folder) => {
      await writeConformanceModels(await conformanceFolder(folder), join(folder, "model_repository"));
    },
    calls: conformanceCalls,
  },
};

/** Repositories that only `TRITYPE_PIPELINES=long` serves: their kinds of models are in the others. */
const longOnly: ReadonlySet<string> = new Set(["the example biolinkbert-embedding"]);
const long = process.env["TRITYPE_PIPELINES"] === "long";

type Answers = Readonly<Record<string, readonly unknown[]>>;

/** The answers of each server, whose HTTP and gRPC addresses are given. */
const callAll = async (
  python: string,
  addresses: readonly string[],
  calls: readonly Call[],
): Promise<readonly Answers[]> => {
  const child = spawn(python, [pathOf("call.py"), ...addresses], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(calls));
  return JSON.parse(await text(child.stdout)) as readonly Answers[];
};

const cases = Object.entries(repositories).filter(([title]) => long || !longOnly.has(title));
test.each(cases)(
  "pipeline dev and Triton answer the official clients alike: %s",
  { timeout: installTime },
  async (_, { write, calls, strict }) => {
    const folder = await temporaryFolder();
    onTestFinished(folder.remove);
    await write(folder.path);
    const repository = join(folder.path, "model_repository");
    const installation = await installJudge();
    const { python } = installation;
    const triton = await serveTriton(installation, { repository, strict });
    onTestFinished(() => killTriton(triton));
    const dev = await serve(
      { root: folder.path },
      [repository, "--no-watch", "--grpc-port", "0", "--device", "cpu"],
      {
        env: { TRITYPE_PYTHON: python },
      },
    );
    const grpc = /gRPC at (\S+?),/.exec(dev.err())?.[1] ?? "";
    const asked = await calls();
    const address = (url: string): string => url.replace("http://", "");
    const servers = [address(triton.httpUrl), triton.grpcAddress, address(dev.url), grpc];
    const [wanted = {}, got = {}] = await callAll(python, servers, asked);
    dev.child.kill("SIGINT");
    expect(await dev.ended).toMatchObject({ code: 0 });
    expect(Object.keys(wanted)).toEqual(["http", "grpc", "http.aio", "grpc.aio"]);
    for (const [client, answers] of Object.entries(wanted))
      for (const [index, answer] of answers.entries())
        expectAlike(
          got[client]?.[index],
          answer,
          `${client}: ${JSON.stringify(asked[index - 2] ?? "health").slice(0, 200)}`,
        );
  },
);

interface Answer {
  readonly outputs?: Readonly<Record<string, readonly [string, readonly number[], readonly string[] | null]>>;
}

/** Expects equal values. Floats may differ by 1e-6 of the value, or by 1e-6 if it is less than 1. */
const expectAlike = (got: unknown, wanted: unknown, what: string): void => {
  expect(withoutFloats(got), what).toEqual(withoutFloats(wanted));
  for (const [name, [datatype, , values]] of Object.entries((wanted as Answer).outputs ?? {})) {
    if (!datatype.startsWith("FP")) continue;
    const others = (got as Answer).outputs?.[name]?.[2];
    for (const [index, value] of (values ?? []).entries()) {
      const [a, b] = [Number(value), Number(others?.[index])];
      expect(Math.abs(a - b), `${what}: ${name}[${index}]`).toBeLessThanOrEqual(
        1e-6 * Math.max(1, Math.abs(a)),
      );
    }
  }
};

const withoutFloats = (answer: unknown): unknown => {
  const { outputs, ...rest } = Object(answer) as Answer;
  if (outputs === undefined) return answer;
  return {
    ...rest,
    outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, [datatype, shape, values]]) => [
        name,
        datatype.startsWith("FP") ? [datatype, shape, values?.length] : [datatype, shape, values],
      ]),
    ),
  };
};
