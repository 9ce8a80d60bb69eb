import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { serveTriton } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { serve } from "../cli/served-dev.ts";
import { listen } from "../fixtures/listen.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { installTime, killTriton } from "../triton/judge.ts";
import { installNodeWheel, type NodeWheel } from "./node-wheel.ts";
import type { ReferenceRow } from "./reference.ts";
import { answersOf, type Comparison, compareAnswers } from "./same-answers.ts";
import { sameProject, themes } from "./same-project.ts";

let project: ProjectFixture;
let wheel: NodeWheel;
/** The answers of the wheel's Node when it runs the sources, without any of our code. */
let reference: readonly ReferenceRow[];

beforeAll(async () => {
  wheel = await installNodeWheel();
  project = sameProject();
  const { compilation } = await compileProject(findProject(project.root));
  if (compilation.build === undefined) throw new Error(JSON.stringify(compilation.diagnostics, null, 1));
  writeBuild(join(project.root, "build"), compilation.build.tree);
  const script = fileURLToPath(new URL("reference.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(
    wheel.node,
    ["--enable-source-maps", script, project.root, ...themes],
    {
      maxBuffer: 1e8,
    },
  );
  reference = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ReferenceRow);
}, installTime);
afterAll(() => project?.remove());

test("the cases contain enough functions, rows and errors", () => {
  const functions = new Set(reference.map(({ theme, call }) => `${theme} ${call.name}`));
  expect(functions.size).toBe(268);
  expect(reference.length).toBe(3041);
  expect(reference.filter(({ outcome }) => "error" in outcome).length).toBe(653);
  // JSON cannot represent undefined, so nothing would be compared.
  expect(reference.filter(({ outcome }) => !("error" in outcome) && outcome.answer === undefined)).toEqual(
    [],
  );
});

const same = (comparison: Comparison): void => {
  expect(comparison.different).toEqual([]);
  expect(comparison).toMatchObject({ rows: 3041, requests: 1058, errors: 710, columns: 37, names: 5 });
};

const sameOrders = async (url: string): Promise<void> => {
  for (const model of ["orders", "orders_python"])
    expect(await answersOf(url, model, "order", Object.keys(orders))).toEqual(
      Object.values(orders).map((answer) =>
        typeof answer === "string" ? `${model}: row 0: ${answer}` : answer,
      ),
    );
};

/** JSON texts of an input whose type can be checked, and their answers or errors. */
const orders: Readonly<Record<string, readonly string[] | string>> = {
  '{"name":"a","sizes":[1,null]}': ["a 2 undefined"],
  '{"gift":true,"sizes":[],"name":"\\ud83d","more":1}': ["\ufffd 0 true"],
  '{"name":5,"sizes":[]}': "TypeError: input order: the JSON at .name: string expected, got number",
  '{"name":"a","sizes":[1,"2"]}':
    "TypeError: input order: the JSON at .sizes[1]: number | null expected, got string",
  '{"name":"a","sizes":[],"gift":null}':
    "TypeError: input order: the JSON at .gift: boolean expected, got null",
  '{"name":"a"}': "TypeError: input order: the JSON at .sizes: array expected, got nothing",
  "[]": "TypeError: input order: the JSON: object expected, got array",
  null: "TypeError: input order: the JSON: object expected, got null",
  "{": "SyntaxError: input order: the text is not JSON",
  "": "SyntaxError: input order: the text is not JSON",
};

/** Errors of `fetch` and of reading a body have the author's line in every version of Node, although V8 does not always put it into their stacks. */
const placeFetches = async (url: string): Promise<void> => {
  const cutting = createServer((_, response) => {
    response.writeHead(200, { "content-length": "9" }).write("half");
    setTimeout(() => response.destroy(), 50);
  });
  onTestFinished(() => void cutting.close());
  const urls = ["http://127.0.0.1:9/", `http://127.0.0.1:${await listen(cutting)}/`];
  expect(await answersOf(url, "fetches", "url", urls)).toEqual([
    expect.stringMatching(/^fetches: row 0: TypeError: fetch failed \(pipeline\.ts:\d+:\d+\)$/),
    expect.stringMatching(/^fetches: row 0: TypeError: terminated \(pipeline\.ts:\d+:\d+\)$/),
  ]);
};

test.each(["", "--python"])("`pipeline dev %s` answers every row as Node does", async (flag) => {
  const served = await serve(project, ["build/model_repository", ...(flag === "" ? [] : [flag])], {
    node: wheel.node,
    env: { TRITYPE_PYTHON: wheel.installation.python },
  });
  await sameOrders(served.url);
  await placeFetches(served.url);
  same(await compareAnswers(served.url, reference));
});

test("the real Triton answers every row as Node does", async () => {
  const triton = await serveTriton(wheel.installation, {
    repository: join(project.root, "build/model_repository"),
  });
  onTestFinished(() => killTriton(triton));
  await triton.waitReady();
  await sameOrders(triton.httpUrl);
  await placeFetches(triton.httpUrl);
  same(await compareAnswers(triton.httpUrl, reference));
});
