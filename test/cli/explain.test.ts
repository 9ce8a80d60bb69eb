import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { createTerminal, main } from "@tritype/cli";
import pc from "picocolors";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { diagnosticCodes } from "../docs/diagnostic-codes.ts";
import { errorCatalogs } from "../docs/reference/error-catalogs.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { doubleModel } from "../fixtures/models.ts";
import { pipeline } from "./run-pipeline.ts";

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const terminal = createTerminal();
const errorReasons = errorCatalogs.flatMap((catalog) => Object.keys(catalog));

/** Runs a command in this process; `input` is piped into it. */
const run = async (
  args: readonly string[],
  { cwd = tmpdir(), input, colors = false }: { cwd?: string; input?: string; colors?: boolean } = {},
): Promise<Printed> => {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await main(
    args,
    {
      ...terminal,
      cwd,
      colors: pc.createColors(false),
      outColors: pc.createColors(colors),
      out: (text) => void out.push(text),
      note: (text) => void err.push(text),
      inputIsPiped: () => input !== undefined,
      readInput: () => Promise.resolve(input ?? ""),
    },
    "0.1.0",
  );
  return { code, out: out.join("\n"), err: err.join("\n") };
};

const wrongShape =
  "[request id: <id_unknown>] unexpected shape for input 'x' for model 'double'. Expected [-1,4], got [4]. NOTE: Setting a non-zero max_batch_size in the model config";

const explain = (args: readonly string[], options?: Parameters<typeof run>[1]): Promise<Printed> =>
  run(["explain", ...args], options);

describe("a code", () => {
  test.each(diagnosticCodes)("%s has a page", async (word) => {
    const { code, out, err } = await explain([word]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n")[0]).toBe(word);
    expect(out).not.toContain("```");
    expect(out.length).toBeGreaterThan(100);
  });

  test("explain prints a whole page", async () => {
    expect((await explain(["graph/no-output"])).out).toMatchInlineSnapshot(`
      "graph/no-output

      \`run\` returns nothing.

      Triton refuses an ensemble without steps that lead to an output.

        pipeline.ts (wrong)
        import { defineEnsemble, fp32 } from "tritype";

        export const embed = defineEnsemble({
          name: "embed",
          maxBatchSize: 8,
          inputs: { x: fp32("batch", 4) },
          run({ x }) {
            return {};
          },
        });

        error[graph/no-output]: ensemble \`embed\` has no outputs
         ┌─ pipeline.ts:3:22
        3│ export const embed = defineEnsemble({
         │                      ^^^^^^^^^^^^^^ defined here
          = help: return an object of tensors from \`run\`

      Return an object of tensors; its keys are the names of the outputs.

        pipeline.ts (fixed)
        -    return {};
        +    return { y: x.mul(2) };"
    `);
  });

  test("a code is found in a line printed by build or check", async () => {
    const { out } = await explain(["error[shape/rank-mismatch]: `concat`: FP32[batch, 4, 2] differs"]);
    expect(out.startsWith("shape/rank-mismatch\n")).toBe(true);
  });

  test("a code has its own page even if it is an environment error", async () => {
    expect((await explain(["file/not-found"])).out).toMatchInlineSnapshot(`
      "file/not-found

      A named file or folder does not exist.

      Check the path: paths of a pipeline are relative to the folder of pipeline.config.ts.

        error[file/not-found]: <path> does not exist
          = help: check the path

      deploy/no-build

        error[deploy/no-build]: there is no build in the folder <folder>
          = help: run \`pipeline build\` first: the files are written for a build, and for the image made from it

      drift/file-missing

        error[drift/file-missing]: \`drift\` in the configuration names <path>, which does not exist
          = help: check the path; it is relative to the project's root

      lock/model-missing

        error[lock/model-missing]: <path> is not on this machine
          = help: copy it from the machine where the model was added, or add the model again: pipeline add <source>

      model-file/none

        error[model-file/none]: <source> has no ONNX file

      model-file/weights-missing

        error[model-file/weights-missing]: <model> has its weights in <path>, which <source> does not have
          = help: export the model again, or pick another file with --file

      repository/not-found

        error[repository/not-found]: the model repository <folder> does not exist
          = help: build one with \`pipeline build\`, or name the folder that contains your models' folders"
    `);
  });

  test("an error's reason shows the error's message and help, and the meaning of the code", async () => {
    expect((await explain(["drift/no-requests"])).out).toMatchInlineSnapshot(`
      "drift/no-requests

        error[drift/no-requests]: there are no requests to compare \`<model>\` with
          = help: name a file with --dataset, or add samples to the ensemble: \`warmup: [{ … }]\`

      usage/invalid: Invalid command line. See \`pipeline <command> --help\`."
    `);
    expect((await explain(["error[lock/newer]: pipeline.lock.json has format 3"])).out).toContain(
      "lock/newer\n",
    );
  });

  test.each(errorReasons)("%s shows its message", async (word) => {
    const { code, out, err } = await explain([word]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n")[0]).toBe(word);
    expect(out).toContain(`error[${word}]: `);
  });

  test("as JSON", async () => {
    const printed = JSON.parse((await explain(["shape/bad-dim", "--json"])).out) as Record<string, string>;
    expect(Object.keys(printed)).toEqual(["code", "summary", "page"]);
    expect(printed["page"]).toContain("```ts wrong");
  });

  test("a group lists its codes", async () => {
    const { code, out } = await explain(["shape"]);
    expect(code).toBe(0);
    expect(out.split("\n")[0]).toBe("Shapes");
    for (const one of diagnosticCodes.filter((name) => name.startsWith("shape/")))
      expect(out).toContain(`\n  ${one}\n`);
  });

  test("without an argument, explain lists the groups and says how to continue", async () => {
    const { code, out } = await explain([]);
    expect(code).toBe(0);
    for (const group of new Set(diagnosticCodes.map((name) => name.split("/")[0])))
      expect(out).toMatch(new RegExp(`^  ${group} +\\d+ codes? `, "m"));
    expect(out).toContain('pipeline explain "<line of a log>"');
  });

  test.each([
    [
      "shape/rank-mismach",
      "there is no code `shape/rank-mismach`",
      "did you mean `pipeline explain shape/rank-mismatch`?",
    ],
    [
      "shape/frobnicated",
      "there is no code `shape/frobnicated`",
      "`pipeline explain shape` lists the codes in the group",
    ],
    [
      "shpe/rank-mismatch",
      "there is no code `shpe/rank-mismatch`",
      "did you mean `pipeline explain shape/rank-mismatch`?",
    ],
    ["ensembel", "there is no group or code `ensembel`", "did you mean `pipeline explain ensemble`?"],
    ["xyzzy", "there is no group or code `xyzzy`", "`pipeline explain` lists all groups"],
  ])("%s is unknown, which is reported with help", async (word, message, help) => {
    const { code, out, err } = await explain([word]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(err).toContain(help);
  });

  test("colours are only used in terminals", async () => {
    const escape = String.fromCharCode(27);
    expect((await explain(["graph/no-output"])).out).not.toContain(escape);
    expect((await explain(["graph/no-output"], { colors: true })).out).toContain(escape);
  });
});

describe("a line", () => {
  let project: ProjectFixture;
  beforeAll(async () => {
    project = makeProject({
      "pipeline.config.ts": 'import { defineConfig } from "tritype";\nexport default defineConfig({});\n',
      "double.onnx": doubleModel(),
      "pipeline.ts": `import { defineEnsemble, fp32, onnx } from "tritype";

const double = onnx({
  name: "double",
  file: "double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

export const twice = defineEnsemble({
  name: "twice",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => double({ x }),
});
`,
    });
    expect((await run(["build"], { cwd: project.root })).err).toContain("built");
  });
  afterAll(() => project.remove());

  test("the explanation of a line says what happened, where in the pipeline, why, and who has to act", async () => {
    const line = `tritonclient.utils.InferenceServerException: [400] in ensemble 'twice', ${wrongShape}`;
    const { code, out, err } = await explain([line], { cwd: project.root });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatchInlineSnapshot(`
      "\`double\` got [4] for \`x\`, but needs [-1,4]: the leading batch dim is missing
        ┌─ pipeline.ts:3:16
       3│ const double = onnx({
        │                ^^^^ onnx \`double\` is defined here
        ├─ pipeline.ts:10:22
      10│ export const twice = defineEnsemble({
        │                      -------------- ensemble \`twice\` is defined here
        = where: in a step of ensemble \`twice\`
        = note: build/model_repository/double/config.pbtxt: input \`x\` is FP32 with dims [4] and
                max_batch_size 8: requests have [-1, 4]
        = why: The previous step returned a tensor whose shape does not match its configured shape, or
               that shape contains -1. Triton compares declarations when it loads models, but tensors only
               at this point.
        = help: make the previous step return the shape that \`double\` declares, or let \`double\` accept it
        = fix: the ensemble: its steps, or the tensors between them
        = see: pipeline explain ensemble/shape-at-request, pipeline explain ensemble/batch-of-one,
               pipeline explain python/padding-length"
    `);
  });

  test.each([
    `E1121 12:00:00.123456 42 model_lifecycle.cc:642] "failed to load 'x' version 1: Invalid argument: model input 'IN0' must specify 'dims' for x"`,
    `2026-11-21T12:00:00Z E 42 model_lifecycle.cc:642] "failed to load 'x' version 1: Invalid argument: model input 'IN0' must specify 'dims' for x"`,
    `triton-1  | E1121 12:00:00.123456 42 model_lifecycle.cc:642] "failed to load 'x' version 1: Invalid argument: model input 'IN0' must specify 'dims' for x"`,
    `{"error":"load failed for model 'x': version 1 is at UNAVAILABLE state: Invalid argument: model input 'IN0' must specify 'dims' for x;"}`,
    `| x | 1 | UNAVAILABLE: Invalid argument: model input 'IN0' must specify 'dims' for x |`,
    `UNAVAILABLE: Invalid argument: model input 'IN0' must specify 'dims' for x`,
  ])("a line is recognized after a prefix: %s", async (line) => {
    const { code, out } = await explain([line]);
    expect(code).toBe(0);
    expect(out).toContain("input `IN0` of `x` has no dims\n");
    expect(out).toContain("see: pipeline explain tensor/no-dims");
  });

  test.each([
    ["cannot write to /a/b: permission denied (EPERM)", "file/not-writable"],
    ["this runtime does not serve `embd`", "runtime/not-served"],
    [
      "failed to load 'm' version 1: no model of /a/b has the configuration 'small'",
      "repository/no-such-config",
    ],
    ["No Python 3.8 or newer was found (tried: python3)", "python/not-found"],
  ])("a line is recognized as one of our own errors, even without its reason: %s", async (line, reason) => {
    const { code, out } = await explain([line]);
    expect(code).toBe(0);
    expect(out).toContain(`= see: pipeline explain ${reason}`);
  });

  test("a line is accepted as several words without quotes", async () => {
    const { code, out } = await explain(["Exceeds", "maximum", "queue", "size"]);
    expect(code).toBe(0);
    expect(out).toContain("the model's queue is full");
  });

  test("explain reads a log on stdin and lists each message once, with its line numbers", async () => {
    const log = [
      `I1121 12:00:00.100000 1 model_lifecycle.cc:472] "loading: a:1"`,
      `E1121 12:00:00.200000 1 model_repository_manager.cc:1] "Poll failed for model directory 'a': unexpected platform type 'python' for a"`,
      `E1121 12:00:00.300000 1 pb_stub.cc:714] "Failed to process the request(s) for model 'b_0', message: ValueError: boom`,
      "",
      "At:",
      "  /models/b/1/model.py(12): execute",
      `E1121 12:00:00.400000 1 model_repository_manager.cc:1] "Poll failed for model directory 'a': unexpected platform type 'python' for a"`,
      "+-------+---------+--------+",
      "| Model | Version | Status |",
    ].join("\n");
    const { code, out } = await explain(["-"], { input: log });
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "\`a\` has no backend, and platform \`python\` implies none
        lines 2, 7: "Poll failed for model directory 'a': unexpected platform type 'python' for a"
        = where: Triton could not read model \`a\`: it is not in the list of models, has no state, and does
                 not keep the server from being ready
        = why: Only platforms that Triton knows imply a backend; all other models need the \`backend\`
               field.
        = help: write \`backend: "…"\` instead of \`platform\`
        = fix: config.pbtxt of the model, and the files that it names
        = see: pipeline explain backend/unknown-platform, pipeline explain backend/none

      line 12 of \`/models/b/1/model.py\` raised an exception, in \`execute\`
        line 3: "Failed to process the request(s) for model 'b_0', message: ValueError: boom
        = where: in \`execute\` of \`b_0\`
        = why: An exception in \`initialize\` keeps the model from loading; one in \`execute\` fails all
               requests in that call.
        = help: read the message before \`At:\`; the lines after it are the call stack, innermost first
        = fix: the model's code"
    `);
    expect((await explain([], { input: log })).out).toBe(out);
  });

  test("an unknown line is reported, together with similar ones", async () => {
    const { code, out } = await explain(["the unexpected shape for some input was expected, got nothing"]);
    expect(code).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "unknown: the unexpected shape for some input was expected, got nothing
        = note: the nearest known message:
            unexpected shape for input '{tensor}' for model '{model}'. Expected {expected}, got {got}
            input \`{tensor}\`: expected {wanted}, got {got}
            got unexpected numpy array shape {got}, expected {wanted}
        = help: read the preceding lines in the server's log (\`--log-verbose=1\` shows more), and run \`pipeline check\` on the repository"
    `);
  });

  test("an unknown error in a log fails the command; an unknown line among known ones does not", async () => {
    const unknown = `E1121 12:00:00.200000 1 x.cc:1] "gremlins"`;
    const known = `E1121 12:00:00.200000 1 x.cc:1] "Exceeds maximum queue size"`;
    expect((await explain(["-"], { input: `${known}\n${unknown}\n` })).code).toBe(1);
    expect((await explain(["-"], { input: `${known}\nI am not in the log\n` })).code).toBe(0);
    const quiet = await explain(["-"], { input: `I1121 12:00:00.200000 1 x.cc:1] "loading"\n` });
    expect(quiet).toMatchObject({ code: 1, out: "", err: "it contains no error" });
  });

  test("an explanation is printed as JSON, with the repository that it refers to", async () => {
    const repository = project.path("build/model_repository");
    const { code, out } = await explain([wrongShape, "--json", "--repository", repository]);
    expect(code).toBe(0);
    const { explanations, unknown } = JSON.parse(out) as { explanations: object[]; unknown: object[] };
    expect(unknown).toEqual([]);
    expect(explanations).toHaveLength(1);
    expect(explanations[0]).toMatchObject({
      phase: "request",
      fixIn: "client",
      names: { model: "double", tensor: "x", expected: "[-1,4]", got: "[4]" },
      defined: [{ file: "pipeline.ts", line: 3, column: 16 }],
      notes: [
        expect.stringContaining(
          "input `x` is FP32 with dims [4] and max_batch_size 8: requests have [-1, 4]",
        ),
      ],
    });
  });

  test("a line in a function is found in the model that runs the step, next to other steps with the same name of a function", async () => {
    const throwing = (name: string) => `const ${name} = step({
  name: "${name}",
  inputs: { text },
  outputs: { text },
  run({ text }) {
    if (text === "") throw new RangeError("the text is empty");
    return { text };
  },
});
`;
    const made = makeProject({
      "pipeline.ts": `import { bytes, defineEnsemble, step } from "tritype";
const text = bytes("batch", 1);
${throwing("trim")}${throwing("clean")}
export const both = defineEnsemble({
  name: "both",
  maxBatchSize: 4,
  inputs: { text },
  run: ({ text }) => ({ cleaned: clean(trim({ text })).text }),
});
`,
    });
    onTestFinished(made.remove);
    expect((await run(["build"], { cwd: made.root })).err).toContain("built");
    expect(existsSync(made.path("build/model_repository/trim"))).toBe(false);
    const said = "row 1: RangeError: the text is empty (run, line 2, in pipeline.ts)";
    for (const [name, line] of [
      ["trim", 8],
      ["clean", 17],
    ] as const) {
      const { out } = await explain([`${name}: ${said}`], { cwd: made.root });
      expect.soft(out).toContain(`pipeline.ts:${line}:`);
      expect.soft(out.match(/thrown here/g)).toHaveLength(1);
      expect.soft(out).toContain("= fix: the step's function");
    }
  });

  test.each([
    [["-"], "there is nothing to explain"],
    [["no such line here", "--repository", "nowhere"], "nowhere does not exist"],
  ])("%j cannot run: %s", async (args, message) => {
    const { code, err } = await explain(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test("hostile text is harmless", async () => {
    const escape = String.fromCharCode(27);
    const { out } = await explain(
      [`Request for unknown model: '${escape}[2J../../etc/passwd' is not found`],
      { cwd: project.root },
    );
    expect(out).not.toContain(escape);
    const long = `unexpected shape for input '${"x".repeat(1_000_000)}`;
    expect((await explain([long])).code).toBe(1);
  });
});

test("the command runs as users run it", async () => {
  const anywhere = { root: tmpdir() };
  const { code, out } = await pipeline(anywhere, ["explain", "shape/rank-mismatch"]);
  expect(code).toBe(0);
  expect(out.startsWith("shape/rank-mismatch\n")).toBe(true);
  expect((await pipeline(anywhere, ["explain"])).out).toContain("groups:");
});
