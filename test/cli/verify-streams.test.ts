import { cpSync } from "node:fs";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { makeProject } from "../fixtures/project.ts";
import { pythonWithNumpy } from "../environment/python.ts";
import { pipeline } from "./run-pipeline.ts";

let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  env = { TRITYPE_PYTHON: await pythonWithNumpy() };
});

/** A model that sends these pairs of text and number. They are written in Python, where `x` is the request's number. */
const sending = (responses: string, then = ""): string => `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            x = int(pb_utils.get_input_tensor_by_name(request, "x").as_numpy().flatten()[0])
            sender = request.get_response_sender()
            for piece, number in ${responses}:
                tensors = [
                    pb_utils.Tensor("piece", np.array([[piece]], dtype=object)),
                    pb_utils.Tensor("number", np.array([number], dtype=np.int64).reshape(1, -1)),
                ]
                sender.send(pb_utils.InferenceResponse(tensors))
            ${then}
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;
const failing = 'sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError("too far")))';
const source = `import { bytes, defineEnsemble, int64, python } from "tritype";

const tell = python({
  name: "tell",
  file: "steps/tell.py",
  inputs: { x: int64("batch", 1) },
  outputs: { piece: bytes("batch", 1), number: int64("batch", "n") },
  modelTransactionPolicy: { decoupled: true },
});
export const story = defineEnsemble({
  name: "story",
  maxBatchSize: 1,
  inputs: { x: int64("batch", 1) },
  run: ({ x }) => tell({ x }),
});
`;
const three = '[("a", [x]), ("b", [x + 1]), ("c", [x + 2])]';

/** Compares a build with a copy of it in which the model differs. */
const verify = (model: string, ...args: readonly string[]) => compare(sending(three), model, ...args);

const compare = async (built: string, model: string, ...args: readonly string[]) => {
  const made = makeProject({ "pipeline.ts": source, "steps/tell.py": built });
  onTestFinished(() => made.remove());
  expect(await pipeline(made, ["build"], { env })).toMatchObject({ code: 0 });
  cpSync(made.path("build/model_repository"), made.path("other"), { recursive: true });
  made.write("other/tell/1/model.py", model);
  made.write("samples.json", JSON.stringify([{ x: [[4]] }, { x: [[7]] }]));
  return await pipeline(made, ["verify", "--no-triton", "--no-python", "--against", "other", ...args], {
    env,
  });
};

test("equal errors do not agree, and the help for an ensemble that streams does not suggest warmup", async () => {
  const { code, out, err } = await compare(sending(three, failing), sending(three, failing));
  expect(code).toBe(1);
  expect(out).toContain("no comparison differs, but not every ensemble answered a request");
  expect(out).not.toContain("agree");
  expect(err).toContain("error[model/no-answer]: none of the requests to `story` succeeded: ");
  expect(err).toContain("help: pass requests that the ensemble can answer with --samples file.json");
  expect(err).not.toContain("warmup");
});

test.each([
  ["the same model", sending(three), 0, [/^story +piece +other .* ok$/m, /^story +number +other .* ok$/m]],
  [
    "a model that cuts its stream elsewhere",
    sending('[("ab", [x, x + 1]), ("c", [x + 2])]'),
    0,
    [/^story +piece +other .* ok$/m, /^story +number +other .* ok$/m],
  ],
  [
    "a response that differs",
    sending('[("a", [x]), ("b", [x + 1]), ("c", [x + 3])]'),
    1,
    [
      /^story +number +other +max abs 1\.0e\+0 .* DIFFERS {2}request 1: response 3$/m,
      /^story +piece +other .* ok$/m,
    ],
  ],
  [
    "a response that is missing",
    sending('[("a", [x]), ("b", [x + 1])]'),
    1,
    [/^story +\(responses\) +other .* DIFFERS {2}request 1: 2 responses, but local native sends 3$/m],
  ],
  [
    "an error in mid-stream",
    sending(three, failing),
    1,
    [
      /^story +\(error\) +other .* DIFFERS {2}request 1: in ensemble 'story', too far, but local native says: it answers$/m,
    ],
  ],
] as const)("%s, compared response by response", async (_, model, wanted, lines) => {
  const { code, out, err } = await verify(model, "--samples", "samples.json");
  expect({ code, err, out }).toMatchObject({ code: wanted });
  for (const line of lines) expect(out).toMatch(line);
});

test("nothing is proved if all streams are empty", async () => {
  const empty = sending("[]");
  const made = makeProject({ "pipeline.ts": source, "steps/tell.py": empty });
  onTestFinished(() => made.remove());
  const { code, out, err } = await pipeline(made, ["verify", "--no-triton"], { env });
  expect({ code, out }).toEqual({ code: 1, out: "nothing was compared\n" });
  expect(err).toContain("error[verify/nothing-compared]: no tensor of `story` was compared");
});

test("--steps names the step and the response that differ", async () => {
  const model = sending('[("a", [x]), ("b", [x + 1]), ("c", [x + 3])]');
  const { code, out } = await verify(model, "--steps", "--no-generated", "--samples", "samples.json");
  expect(code).toBe(1);
  expect(out).toContain("steps of story, other: `tell` differs first, in request 1");
});

test("requests are generated for a stream, too", async () => {
  const { code, out, err } = await verify(sending(three));
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out).toMatch(/^story +piece +other .* ok$/m);
});
