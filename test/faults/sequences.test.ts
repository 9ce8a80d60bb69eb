import { join } from "node:path";
import { startRuntime } from "@tritype/runtime";
import { serveHttp } from "@tritype/server";
import { expect, onTestFinished, test } from "vitest";
import { type Files, writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { installJudge, installTime, temporaryFolder } from "../triton/judge.ts";

/** Sums the values of each sequence since its start; 666 kills the process. */
const model = `
import os

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    sums = {}

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        x, start, sequence = (
            pb_utils.get_input_tensor_by_name(request, name).as_numpy().reshape(-1)[0] for name in ("X", "START", "ID")
        )
        if x == 666:
            os._exit(1)
        self.sums[sequence] = (0 if start else self.sums.get(sequence, 0)) + x
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([[self.sums[sequence]]], np.int32))])
`;
const files = (name: string, strategy: string): Files => ({
  [`${name}/config.pbtxt`]: `name: "${name}" backend: "python" max_batch_size: 2
input { name: "X" data_type: TYPE_INT32 dims: [ 1 ] }
output { name: "Y" data_type: TYPE_INT32 dims: [ 1 ] }
instance_group { kind: KIND_CPU count: 1 }
sequence_batching { max_sequence_idle_microseconds: 60000000 ${strategy}
  control_input { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } }
  control_input { name: "ID" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } } }
`,
  [`${name}/1/model.py`]: model,
});

test(
  "a sequence whose process dies midway keeps its slot: one error, then a new process",
  async () => {
    const folder = await temporaryFolder();
    const repository = join(folder.path, "model_repository");
    const strategies = { direct: "direct { }", oldest: "oldest { max_candidate_sequences: 2 }" };
    for (const [name, strategy] of Object.entries(strategies)) writeFiles(repository, files(name, strategy));
    const { python: pythonCommand } = await installJudge();
    const runtime = await startRuntime({
      repository,
      device: "cpu",
      python: "always",
      notice: () => {},
      pythonCommand,
    });
    const server = await serveHttp(runtime, { port: 0 });
    onTestFinished(async () => {
      await server.close();
      await runtime.close(true);
      await folder.remove();
    });
    const send = async (name: string, id: number, x: number, flags = ""): Promise<string> => {
      const parameters = {
        sequence_id: id,
        sequence_start: flags.includes("s"),
        sequence_end: flags.includes("e"),
      };
      const inputs = [{ name: "X", datatype: "INT32", shape: [1, 1], data: [x] }];
      const target = `${server.url}/v2/models/${name}/infer`;
      const reply = await fetch(target, { method: "POST", body: JSON.stringify({ inputs, parameters }) });
      const { outputs, error } = (await reply.json()) as {
        readonly outputs?: readonly { readonly data: readonly number[] }[];
        readonly error?: string;
      };
      return outputs === undefined ? `${reply.status} ${error}` : String(outputs[0]?.data[0]);
    };
    for (const name of Object.keys(strategies)) {
      expect([await send(name, 1, 5, "s"), await send(name, 1, 6), await send(name, 2, 1, "s")]).toEqual([
        "5",
        "11",
        "1",
      ]);
      // Both slots are in use, so the third sequence waits.
      const waiting = send(name, 3, 30, "s");
      expect(await send(name, 1, 666)).toMatch(/^500 .*not healthy.*exit code 1/);
      // The new process does not know about the sequences that continue.
      expect([await send(name, 1, 7), await send(name, 2, 2)]).toEqual(["7", "2"]);
      expect(await send(name, 2, 3, "e")).toBe("5");
      expect(await waiting).toBe("30");
      expect([await send(name, 1, 1, "e"), await send(name, 3, 1, "e")]).toEqual(["8", "31"]);
      expect(runtime.statistics(name)[0]).toMatchObject({ pending: 0 });
    }
  },
  installTime,
);
