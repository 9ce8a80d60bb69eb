import { beforeAll, expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import {
  missingOutputModel,
  missingOutputSource,
  wrongShapeModel,
  wrongShapeSource,
} from "../fixtures/wrong-shape.ts";
import { pipeline } from "./run-pipeline.ts";
import { serveHere } from "./served-dev.ts";
import { project } from "./small-project.ts";

let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  env = { TRITYPE_PYTHON: await pythonWithNumpy() };
});

const scores = () => project({ "pipeline.ts": wrongShapeSource, "steps/score.py": wrongShapeModel });
const wrong =
  "error[model/wrong-answer]: the answer of `scores` does not have its type: `y` is declared as FP32";

test("run prints an answer that does not have its declared type, and reports it with the step", async () => {
  const made = scores();
  const { code, out, err } = await pipeline(made, ["run", "scores", "-i", "x=[[1,2],[3,4]]"], { env });
  expect({ code, out }).toEqual({ code: 1, out: "y FP32[1, 4]\n  [1, 2, 1, 2]\n" });
  expect(err).toContain(`${wrong}[batch, 3], but is FP32[1, 4]\n`);
  expect(err).toContain("= help: `score` produces this output");
});

test("dev serves such an answer, as Triton does, and run reports it by the types that the server knows", async () => {
  const made = scores();
  const { url } = await serveHere(made, ["--no-watch"], { env });
  const { code, out, err } = await pipeline(made, ["run", "--url", url, "scores", "-i", "x=[[1,2],[3,4]]"]);
  expect({ code, out }).toEqual({ code: 1, out: "y FP32[1, 4]\n  [1, 2, 1, 2]\n" });
  expect(err).toContain(`${wrong}[-1, 3], but is FP32[1, 4]\n`);
});

test("verify fails if all runs agree on an answer that does not have its declared type", async () => {
  const { code, out } = await pipeline(scores(), ["verify", "--no-triton"], { env });
  expect(code).toBe(1);
  expect(out).toMatch(/^scores {2}y +local python .* ok$/m);
  expect(out).toMatch(
    /^scores {2}y +declared type .* DIFFERS {2}request 1: it is declared as FP32\[batch, 3\], but is FP32\[1, 4\] \(from `score`\)$/m,
  );
});

test("run and verify report an output that the answer lacks", async () => {
  const made = project({ "pipeline.ts": missingOutputSource, "steps/pair.py": missingOutputModel });
  expect((await pipeline(made, ["run", "pairs", "-i", "x=[[1,2]]"], { env })).code).toBe(0);
  const asked = ["run", "pairs", "-i", "x=[[1,-2]]"];
  const { code, out, err } = await pipeline(made, asked, { env });
  expect({ code, out }).toEqual({ code: 1, out: "y FP32[1, 2]\n  [1, -2]\n" });
  const missing = (type: string) =>
    `error[model/wrong-answer]: the answer of \`pairs\` does not have its type: \`z\` is declared as ${type}, but is missing\n`;
  expect(err).toContain(missing("FP32[batch, 2]"));
  expect(err).toContain("= help: `pair` produces this output");

  const { url } = await serveHere(made, ["--no-watch"], { env });
  expect((await pipeline(made, [...asked, "--url", url])).err).toContain(missing("FP32[-1, 2]"));

  const verified = await pipeline(made, ["verify", "--no-triton"], { env });
  expect(verified.code).toBe(1);
  expect(verified.out).toMatch(
    /^pairs {2}z +declared type .* DIFFERS {2}request \d+: it is declared as FP32\[batch, 2\], but is missing \(from `pair`\)$/m,
  );
});

test("a build with samples fails if an answer does not have its declared type, or lacks an output", async () => {
  const sampled = (source: string) =>
    source.replace(
      "maxBatchSize: 4,",
      'maxBatchSize: 4,\n  warmup: [{ name: "short", inputs: { x: [[1, -2]] } }],',
    );
  const scored = project({ "pipeline.ts": sampled(wrongShapeSource), "steps/score.py": wrongShapeModel });
  const { code, err } = await pipeline(scored, ["build"], { env });
  expect(code).toBe(1);
  expect(err).toContain(
    "error[sample/failed]: warmup sample `short` of `scores` fails at `score`: the output `y` of `scores` is declared as FP32[batch, 3], but is FP32[1, 4]\n",
  );
  expect(err).toContain("= help: return the declared type, or change the declaration\n");
  const paired = project({
    "pipeline.ts": sampled(missingOutputSource),
    "steps/pair.py": missingOutputModel,
  });
  expect((await pipeline(paired, ["build"], { env })).err).toContain(
    "fails at `pair`: the output `z` of `pairs` is declared as FP32[batch, 2], but is missing\n",
  );
});

const speaker = `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            for size in (1, 2):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("n", np.zeros((1, size), np.float32))]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;
const speaks = `import { defineEnsemble, fp32, python } from "tritype";

const speak = python({
  name: "speak",
  file: "speaker.py",
  inputs: { x: fp32("batch", 1) },
  outputs: { n: fp32("batch", 1) },
  modelTransactionPolicy: { decoupled: true },
});
export const spoken = defineEnsemble({
  name: "spoken",
  maxBatchSize: 1,
  inputs: { x: fp32("batch", 1) },
  run: ({ x }) => ({ n: speak({ x }).n }),
});
`;

test("each response of a stream is compared with its type", async () => {
  const made = project({ "pipeline.ts": speaks, "speaker.py": speaker });
  const { code, out, err } = await pipeline(made, ["run", "spoken", "-i", "x=1"], { env });
  expect({ code, out }).toEqual({ code: 1, out: "n FP32[1, 1]\n  0\nn FP32[1, 2]\n  [0, 0]\n" });
  expect(err).toContain("`n` is declared as FP32[batch, 1], but is FP32[1, 2]\n");
  const verified = await pipeline(made, ["verify", "--no-triton", "--no-generated"], { env });
  expect(verified.code).toBe(2);
  const generated = await pipeline(made, ["verify", "--no-triton"], { env });
  expect(generated.code).toBe(1);
  expect(generated.out).toMatch(/^spoken {2}n +declared type .* DIFFERS /m);
});
