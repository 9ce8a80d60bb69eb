import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tensorOf, valuesOf } from "@tritype/core";
import { describe, expect, test } from "vitest";
import type { ModelMessage, ModelResult } from "../backend.ts";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import {
  errorOf,
  loadPythonModel,
  outputsOf,
  type PythonModelUnderTest,
  requestOf,
} from "../../../../test/environment/python-model.ts";

/** Follows the instructions in input X; responds with its process id. */
const obedient = `
import os, subprocess, sys, time, ctypes
import numpy as np
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        exec(requests[0].inputs()[0].as_numpy()[0].decode())
        return [pb_utils.InferenceResponse([pb_utils.Tensor("PID", np.array([os.getpid()], np.int32))]) for _ in requests]
    def finalize(self):
        print("finalized")
`;
const tell = async ({ model }: PythonModelUnderTest, order: string) => {
  const [result] = await model.execute([requestOf({ X: tensorOf("BYTES", [1], [order]) })]);
  return result;
};
const pidOf = async (model: PythonModelUnderTest, order = "pass"): Promise<number> => {
  const pid = outputsOf(await tell(model, order)).get("PID");
  return Number(pid && valuesOf(pid)[0]);
};
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // An orphan stays a zombie if its new parent does not reap it.
    return !(existsSync("/proc") && / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
  } catch {
    return false;
  }
};

test("the process keeps its own compiled modules, but writes none next to a model", async () => {
  const compiled = fileURLToPath(new URL("../../python/tritype_child/__pycache__", import.meta.url));
  const kept = (): readonly string[] =>
    existsSync(compiled) ? readdirSync(compiled).filter((name) => /^user_model\..*\.pyc$/.test(name)) : [];
  for (const name of kept()) rmSync(join(compiled, name));
  const model = "import beside\nclass TritonPythonModel: pass\n";
  const { folder } = await loadPythonModel(model, {}, {}, { "beside.py": "" });
  expect(kept()).toHaveLength(1);
  expect(readdirSync(join(folder, "1")).toSorted()).toEqual(["beside.py", "model.py"]);
});

describe("a crash", () => {
  const deaths: readonly [string, string][] = [
    ["os.kill(os.getpid(), 11)", "ended by signal SIGSEGV"],
    ["os.abort()", "ended by signal SIGABRT"],
    ["os._exit(4)", "ended with exit code 4"],
    // The exit code is 0 if the reading thread first notices the closed socket, and 1 if the writing thread does.
    ["os.closerange(3, 99)", "ended with exit code [01]"],
  ];
  test.each(deaths)(
    "%s fails the running request; the next one is answered by a new process",
    async (order, how) => {
      const under = await loadPythonModel(obedient);
      const first = await pidOf(under);
      const crashed = tell(under, order);
      const waiting = pidOf(under);
      expect(errorOf(await crashed)).toMatch(
        new RegExp(
          `^model/failed: Stub process 'm_0_0' is not healthy\\. It ${how} while it ran this request\\.$`,
        ),
      );
      expect(await waiting).not.toBe(first);
      expect(under.notices.join("\n")).toMatch(
        new RegExp(`^\\[m_0_0\\] the Python process ${how}; restarting it$`, "m"),
      );
    },
  );

  test("the process of each instance is known, while it runs and after it was replaced", async () => {
    const under = await loadPythonModel(obedient);
    const own = () => under.model.processes?.();
    const first = await pidOf(under);
    const known = { instance: "m_0_0", runs: "Python" };
    expect(own()).toEqual([{ ...known, state: "idle", pid: first, restarts: 0 }]);
    const crashed = tell(under, "os._exit(4)");
    expect(own()).toEqual([{ ...known, state: "busy", pid: first, restarts: 0 }]);
    await crashed;
    await expect.poll(own).toMatchObject([{ state: "restarting", pid: undefined }]);
    const second = await pidOf(under);
    expect(second).not.toBe(first);
    expect(own()).toEqual([{ ...known, state: "idle", pid: second, restarts: 1 }]);
  });

  test("a crash of one instance does not affect the other's requests", async () => {
    const under = await loadPythonModel(obedient, { instance_group: [{ count: 2 }] });
    const slow = pidOf(under, "time.sleep(0.5)");
    errorOf(await tell(under, "os._exit(1)"));
    expect(await slow).toBeGreaterThan(0);
  });

  test("an idle process that crashes is replaced before the next request", async () => {
    const under = await loadPythonModel(obedient);
    const first = await pidOf(under, "import threading; threading.Timer(0.05, os._exit, [5]).start()");
    await expect.poll(() => under.notices.join()).toContain("exit code 5");
    expect(await pidOf(under)).not.toBe(first);
  });

  test("the process of an execution that exceeds its time limit is killed", async () => {
    const under = await loadPythonModel(obedient, {}, { executionLimit: 300 });
    const first = await pidOf(under);
    expect(errorOf(await tell(under, "while True: pass"))).toBe(
      "model/failed: Stub process 'm_0_0' is not healthy. It was killed after 0.3 s, the limit of one execution, while it ran this request.",
    );
    expect(isAlive(first)).toBe(false);
    expect(await pidOf(under)).not.toBe(first);
  });

  test("crashes in a row are followed by increasing pauses", async () => {
    const under = await loadPythonModel(obedient);
    const begin = performance.now();
    for (let n = 0; n < 4; n++) errorOf(await tell(under, "os._exit(1)"));
    await pidOf(under);
    // 0 + 100 + 200 + 400 ms of back-off
    expect(performance.now() - begin).toBeGreaterThan(700);
  });

  test("if the model cannot load again after a crash, requests are refused with the reason", async () => {
    const under = await loadPythonModel(`
import os
class TritonPythonModel:
    def initialize(self, args):
        if os.path.exists(args["model_repository"] + "/used"): raise RuntimeError("only once")
        open(args["model_repository"] + "/used", "w").close()
    def execute(self, requests):
        os._exit(1)
`);
    await under.model.execute([requestOf({})]);
    const [refused] = await under.model.execute([requestOf({})]);
    expect(errorOf(refused)).toBe("model/unavailable: No instance of model 'm' could be restarted");
    expect(under.notices.join("\n")).toContain("[m_0_0] could not be restarted: RuntimeError: only once");
  });
});

describe("a client that is gone", () => {
  /** Responds to each request with whether it is cancelled, once one of them is. */
  const watchful = `
import time
import numpy as np
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        print("executing")
        end = time.monotonic() + 10
        senders = [request.get_response_sender() for request in requests]
        while not any(request.is_cancelled() for request in requests) and time.monotonic() < end:
            time.sleep(0.001)
        for request, sender in zip(requests, senders):
            seen = np.array([request.is_cancelled(), sender.is_cancelled()])
            sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("Y", seen)]), pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;
  const seenIn = (result: ModelResult | undefined) => {
    const tensor = outputsOf(result).get("Y");
    return tensor && valuesOf(tensor);
  };
  const onlyTheSecond = [
    [false, false],
    [true, true],
  ];

  test("a model sees that the client is gone, only for the cancelled request", async () => {
    const under = await loadPythonModel(watchful);
    const gone = new AbortController();
    const running = under.model.execute([requestOf({}), requestOf({}, { signal: gone.signal })]);
    await expect.poll(() => under.notices).toContain("[m_0_0] executing");
    gone.abort();
    expect((await running).map(seenIn)).toEqual(onlyTheSecond);
  });

  test("a model also sees it if the client went just after its request was sent to the process, or before", async () => {
    const { model } = await loadPythonModel(watchful);
    for (let n = 0; n < 10; n++) {
      const gone = new AbortController();
      const running = model.execute([requestOf({}), requestOf({}, { signal: gone.signal })]);
      gone.abort();
      expect((await running).map(seenIn)).toEqual(onlyTheSecond);
    }
    const late = await model.execute([requestOf({}), requestOf({}, { signal: AbortSignal.abort() })]);
    expect(late.map(seenIn)).toEqual(onlyTheSecond);
  });

  test("so does a decoupled model", async () => {
    const { model } = await loadPythonModel(watchful, { model_transaction_policy: { decoupled: true } });
    const answersOf = async (signal: AbortSignal, leave: () => void = () => {}) => {
      const answers: Promise<ModelMessage>[] = [];
      const requests = [undefined, signal].map((one) => {
        let reply: (message: ModelMessage) => void = () => {};
        answers.push(new Promise((resolve) => void (reply = resolve)));
        return requestOf({}, { signal: one, reply });
      });
      const running = model.execute(requests);
      leave();
      await running;
      return (await Promise.all(answers)).map(({ result }) => seenIn(result));
    };
    for (let n = 0; n < 10; n++) {
      const gone = new AbortController();
      expect(await answersOf(gone.signal, () => gone.abort())).toEqual(onlyTheSecond);
    }
    expect(await answersOf(AbortSignal.abort())).toEqual(onlyTheSecond);
  });
});

test("a model's prints and logs are reported line by line, with its instance", async () => {
  const under = await loadPythonModel(obedient);
  await pidOf(
    under,
    `print("one"); sys.stdout.buffer.write("two 👍\\n".encode()); print("three", file=sys.stderr); os.system("echo four")`,
  );
  await pidOf(
    under,
    `pb_utils.Logger.log_info("i"); pb_utils.Logger.log_warn("w"); pb_utils.Logger.log("e", pb_utils.Logger.ERROR)
pb_utils.Logger.log_verbose("v")`,
  );
  const expected = ["one", "two 👍", "three", "four", "INFO: i", "WARNING: w", "ERROR: e"];
  await expect
    .poll(() => under.notices.slice(1).toSorted())
    .toEqual(expected.map((line) => `[m_0_0] ${line}`).toSorted());
});

describe("close", () => {
  test("close lets finalize run and leaves no process", async () => {
    const under = await loadPythonModel(obedient, { instance_group: [{ count: 2 }] });
    const pids = await Promise.all([pidOf(under, "time.sleep(0.1)"), pidOf(under, "time.sleep(0.1)")]);
    await under.model.close();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(under.notices.filter((line) => line.endsWith("finalized"))).toHaveLength(2);
    expect(errorOf(await tell(under, "pass"))).toBe("model/unavailable: Model 'm' is being unloaded");
  });

  test("close answers requests that are running", async () => {
    const under = await loadPythonModel(obedient);
    const running = pidOf(under, "time.sleep(0.3)");
    await under.model.close();
    expect(await running).toBeGreaterThan(0);
  });

  test.each([
    ["a loop", "while True: pass"],
    ["C code that holds the GIL", "ctypes.PyDLL(None).sleep(60)"],
    [
      "code that refuses SIGTERM",
      "import signal; signal.signal(15, lambda *a: None); exec('while True: pass')",
    ],
  ])("ends %s", async (_what, order) => {
    const under = await loadPythonModel(obedient, {}, { stopGrace: 100 });
    const pid = await pidOf(under);
    const stuck = tell(under, order);
    await sleep(100);
    await under.model.close();
    expect(isAlive(pid)).toBe(false);
    expect(errorOf(await stuck)).toMatch(
      /Stub process 'm_0_0' is not healthy\. It ended by signal SIG(TERM|KILL)/,
    );
  });

  test("close completes even if finalize ends the process", async () => {
    const under = await loadPythonModel(
      obedient.replace('print("finalized")', 'print("going", flush=True); os._exit(9)'),
    );
    const pid = await pidOf(under);
    await under.model.close();
    expect(isAlive(pid)).toBe(false);
    expect(under.notices).toContain("[m_0_0] going");
    expect(under.notices.join()).not.toContain("starting it again");
  });

  test("close ends the processes that the model started", async () => {
    const under = await loadPythonModel(obedient);
    await pidOf(under, `print("started", subprocess.Popen(["sleep", "60"]).pid)`);
    const startedPid = (): string | undefined => / started (\d+)/.exec(under.notices.join())?.[1];
    await expect.poll(startedPid).toBeDefined();
    const started = Number(startedPid());
    await under.model.close();
    await expect.poll(() => isAlive(started)).toBe(false);
  });
});

test("a child exits when its host is killed", async () => {
  const host = spawn(process.execPath, ["-e", deadHost], {
    env: {
      ...process.env,
      PYTHON: await pythonWithNumpy(),
      CHILD: fileURLToPath(new URL("../../python", import.meta.url)),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [pid] = (await once(host.stdout.setEncoding("utf8"), "data")) as [string];
  expect(isAlive(Number(pid))).toBe(true);
  host.kill("SIGKILL");
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
});
/** Starts a child over loopback TCP, prints its id once connected, and does nothing more. */
const deadHost = `
const child = require("node:child_process").spawn(process.env.PYTHON, ["-u", "-B", process.env.CHILD], { detached: true });
child.stdin.end(JSON.stringify({ token: "t" }) + "\\n");
child.stdout.once("data", (line) => {
  const open = () => require("node:net").connect(Number(/\\d+/.exec(line)[0]), "127.0.0.1", function () { this.write("t"); });
  open().once("data", () => console.log(child.pid));
  open();
});
`;
