import { setTimeout as sleep } from "node:timers/promises";
import { startRuntime } from "@tritype/runtime";
import { serveHttp } from "@tritype/server";
import { serveTriton } from "@tritype/tritonserver";
import { expect, test } from "vitest";
import { type Files, writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { overHttp } from "./control-servers.ts";
import { countedDuring } from "./counts.ts";
import { installJudge, installTime, type JudgeOptions, killTriton, temporaryFolder } from "./judge.ts";
import { sendRaw } from "./raw-request.ts";
import { serveBoth } from "./serve-both.ts";

/** Sleeps for the given number of milliseconds, and returns its instance and start time. */
const model = `
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.instance = args["model_instance_name"]

    def execute(self, requests):
        return [self.answer(pb_utils.get_input_tensor_by_name(request, "X").as_numpy()) for request in requests]

    def answer(self, x):
        began = time.time_ns()
        time.sleep(int(x.flat[0]) / 1000)
        text = np.array([[f"{began} {self.instance}"]], object)
        return pb_utils.InferenceResponse([pb_utils.Tensor("BEGAN", text)])
`;
const python = (name: string, groups: string, more = ""): Files => ({
  [`${name}/config.pbtxt`]: `name: "${name}"
backend: "python"
max_batch_size: 1
input [ { name: "X" data_type: TYPE_INT32 dims: [ 1 ] } ]
output [ { name: "BEGAN" data_type: TYPE_STRING dims: [ 1 ] } ]
instance_group [ ${groups} ]
${more}`,
  [`${name}/1/model.py`]: model,
});
const limited = (resource: string, priority = 1, count = 1): string =>
  `{ kind: KIND_CPU count: ${count} rate_limiter { ${resource === "" ? "" : `resources [ { ${resource} } ]`} priority: ${priority} } }`;

interface Sent {
  readonly name: string;
  readonly model: string;
  readonly ms?: number;
  readonly parameters?: object;
}
interface Ended {
  readonly name: string;
  readonly began: bigint;
  readonly instance: string;
  readonly error: string;
}

const send = async (url: string, { name, model: to, ms = 0, parameters = {} }: Sent): Promise<Ended> => {
  const body = JSON.stringify({
    inputs: [{ name: "X", datatype: "INT32", shape: [1, 1], data: [ms] }],
    parameters,
  });
  const reply = await sendRaw(url, { path: `/v2/models/${to}/infer`, body });
  const { outputs, error = "" } = JSON.parse(reply.body.toString()) as {
    readonly outputs?: readonly { readonly data: readonly string[] }[];
    readonly error?: string;
  };
  const [began = "0", instance = ""] = (outputs?.[0]?.data[0] ?? "").split(" ");
  return { name, began: BigInt(began), instance, error };
};

/** Sends the first requests one after another, and the other requests while the last of these runs. */
const play = async (
  url: string,
  first: readonly Sent[],
  others: readonly Sent[],
): Promise<readonly Ended[]> => {
  const ended: Promise<Ended>[] = [];
  for (const [i, one] of first.entries()) {
    ended.push(send(url, one));
    if (i < first.length - 1) await ended.at(-1);
  }
  for (const one of others) {
    await sleep(150);
    ended.push(send(url, one));
  }
  return Promise.all(ended);
};

const orderOf = (all: readonly Ended[]): readonly string[] => [
  ...all
    .filter(({ error }) => error === "")
    .toSorted((a, b) => (a.began < b.began ? -1 : 1))
    .map(({ name }) => name),
  ...all.filter(({ error }) => error !== "").map(({ name, error }) => `${name}: ${error}`),
];

const bySequence = (text: string, ms = 0): readonly Sent[] =>
  [...text.matchAll(/(\w)(\d)/g)].map(([name, to = ""]) => ({ name, model: to, ms }));

const executionCount: JudgeOptions = {
  tritonArguments: ["--rate-limit=execution_count"],
  localOptions: { rateLimit: [] },
};

test(
  "executions of two models alternate by priority and count, and large ones are not overtaken",
  async () => {
    const servers = await serveBoth(
      {
        ...python("a", limited('name: "R" count: 4', 2)),
        ...python("b", limited('name: "R" count: 4', 5)),
        ...python("s", limited('name: "S" count: 2')),
        ...python("t", limited('name: "S" count: 2', 3)),
        ...python("l", limited('name: "S" count: 4', 2)),
        ...python("g", `${limited("", 1, 2)}, ${limited("", 4, 1)}`),
      },
      executionCount,
    );
    const [triton, local] = await Promise.all(
      servers.map(({ url, metrics }) =>
        countedDuring(url, metrics, async () => {
          const turns = await play(url, bySequence("a1", 2500), bySequence("a2a3a4b1b2a5"));
          await play(url, bySequence("t1"), []);
          const large = await play(url, bySequence("s1", 1500), bySequence("l1t2"));
          const groups = new Map<boolean, number>();
          for (const sent of bySequence("g1g2g3g4g5g6g7g8g9g0g1g2g3g4g5g6g7g8g9")) {
            const { instance } = await send(url, sent);
            const rare = instance.startsWith("g_1_");
            groups.set(rare, (groups.get(rare) ?? 0) + 1);
          }
          return {
            turns: orderOf(turns),
            large: orderOf(large),
            groups: [...groups].toSorted(([a], [b]) => Number(a) - Number(b)),
          };
        }),
      ),
    );
    expect(local).toEqual(triton);
    expect(local?.result).toMatchObject({ turns: ["a1", "a2", "a3", "b1", "a4", "a5", "b2"] });
  },
  installTime,
);

const refusals: Files = {
  ...python("fits", limited('name: "R" count: 4')),
  ...python("large", limited('name: "R" count: 9')),
  ...python("global", limited('name: "R" global: true count: 1')),
  ...python("other", limited('name: "S" count: 2', 1, 2)),
  ...python("free", "{ kind: KIND_CPU }"),
};

// In 24.10, a refused global resource blocks all later loads, so it comes last.
test.concurrent.each([
  ["", [], ["fits", "large", "global", "other", "free"]],
  [
    "R:8 S:2:0",
    [
      { name: "R", count: 8 },
      { name: "S", count: 2, device: 0 },
    ],
    ["fits", "large", "other", "free", "global"],
  ],
  ["R:8:1", [{ name: "R", count: 8, device: 1 }], ["fits", "other", "free", "global"]],
  [
    "R:9 R:3 r:10",
    [
      { name: "R", count: 9 },
      { name: "R", count: 3 },
      { name: "r", count: 10 },
    ],
    ["fits", "large", "other", "free", "global"],
  ],
])(
  "models are refused for their resources as in Triton: %s",
  async (written, rateLimit, names) => {
    const folder = await temporaryFolder();
    writeFiles(folder.path, refusals);
    const installation = await installJudge();
    const repository = folder.path;
    const triton = await serveTriton(installation, {
      repository,
      extraArguments: [
        "--model-control-mode=explicit",
        "--rate-limit=execution_count",
        ...written
          .split(" ")
          .filter(Boolean)
          .map((one) => `--rate-limit-resource=${one}`),
      ],
    });
    const local = await startRuntime({
      repository,
      device: "cpu",
      python: "twin",
      notice: () => {},
      tellPython: () => {},
      pythonCommand: installation.python,
      control: { kind: "explicit", load: [] },
      rateLimit,
    });
    const http = await serveHttp(local, { port: 0 });
    try {
      await triton.waitReady();
      const [wanted, got] = await Promise.all(
        [triton.httpUrl, http.url].map(async (url) => {
          const server = overHttp(url);
          const answers = [];
          for (const name of names) answers.push(await server.load(name));
          server.close();
          return answers;
        }),
      );
      expect(got).toEqual(wanted);
    } finally {
      await http.close();
      await Promise.all([killTriton(triton), local.close(true)]);
      await folder.remove();
    }
  },
  installTime,
);

test(
  "priorities and queue policies of dynamic batching work as in Triton",
  async () => {
    const policies = `dynamic_batching {
  priority_levels: 3
  default_priority_level: 2
  default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 700000 allow_timeout_override: true }
  priority_queue_policy { key: 1 value: { max_queue_size: 2 } }
  priority_queue_policy { key: 3 value: { timeout_action: REJECT default_timeout_microseconds: 400000 max_queue_size: 1 } }
}
`;
    const servers = await serveBoth(python("p", "{ kind: KIND_CPU }", policies));
    const one = (name: string, priority?: number, timeout?: number): Sent => ({
      name,
      model: "p",
      parameters: {
        ...(priority === undefined ? {} : { priority }),
        ...(timeout === undefined ? {} : { timeout }),
      },
    });
    const others = [
      one("third", 3),
      one("third again", 3),
      one("default"),
      one("beyond", 9),
      one("first", 1),
      one("second", 2, 100_000),
      one("none", 0),
      one("first again", 1),
      one("first once more", 1),
      one("late"),
    ];
    const [triton, local] = await Promise.all(
      servers.map(({ url, metrics }) =>
        countedDuring(url, metrics, async () =>
          orderOf(await play(url, [{ name: "busy", model: "p", ms: 3000 }], others)),
        ),
      ),
    );
    expect(local).toEqual(triton);
  },
  installTime,
);

test(
  "requests that timed out and were delayed count for max_queue_size, as in Triton",
  async () => {
    const policy = "timeout_action: DELAY default_timeout_microseconds: 200000 max_queue_size: 2";
    const servers = await serveBoth(
      python("q", "{ kind: KIND_CPU }", `dynamic_batching { default_queue_policy { ${policy} } }\n`),
    );
    const [triton, local] = await Promise.all(
      servers.map(async ({ url }) => {
        const ended: Promise<Ended>[] = [];
        const ask = async (name: string, ms: number, pause: number): Promise<void> => {
          ended.push(send(url, { name, model: "q", ms }));
          await sleep(pause);
        };
        await ask("runs", 1000, 150);
        await ask("delayed, then runs", 2000, 150);
        // After this pause, the second one runs.
        await ask("delayed", 0, 1500);
        await ask("waits", 0, 150);
        await ask("refused", 0, 0);
        return orderOf(await Promise.all(ended));
      }),
    );
    expect(local).toEqual(triton);
    expect(local).toHaveLength(5);
    expect(local?.at(-1)).toMatch(/^refused: .*Exceeds maximum queue size$/);
  },
  installTime,
);

test(
  "passive instances get no requests",
  async () => {
    const servers = await serveBoth({
      ...python("m", "{ kind: KIND_CPU }, { kind: KIND_CPU count: 2 passive: true }"),
      ...python("p", "{ kind: KIND_CPU passive: true }"),
    });
    const used = async (url: string): Promise<readonly string[]> => {
      const sent = await Promise.all(["1", "2", "3"].map((name) => send(url, { name, model: "m", ms: 300 })));
      return sent.map(({ instance, error }) => instance + error);
    };
    const [triton, local] = await Promise.all(servers.map(({ url }) => used(url)));
    expect(local).toEqual(triton);
    expect(triton).toEqual(["m_0_0", "m_0_0", "m_0_0"]);
    const [gone, refused] = await Promise.all(
      servers.map(({ url }) => send(url, { name: "1", model: "p" }).catch(() => "the server has ended")),
    );
    expect(gone).toBe("the server has ended");
    expect(refused).toMatchObject({ error: "model 'p' has no instance for requests" });
  },
  installTime,
);
