import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUtf8 } from "@tritype/core";
import { printInferRequest } from "@tritype/protocol";
import { makeFunctionProject } from "./function-project.mjs";
import { openCaller } from "./http-caller.mjs";
import { inTurn, rowsOf } from "./measure.mjs";
import { copyExample, pipelineBin } from "./projects.mjs";

const limit = 700;

/**
 * `pipeline dev` on the example: from an empty cache to READY, and from an edit to the first answer that reflects it.
 */
export const reload = async (runs = 7) => {
  const [project, functions] = [copyExample(), makeFunctionProject(10, 1)];
  try {
    return [
      await startUp(project.root, runs),
      await edits("an edit of the example, save to first new answer", project.root, runs, {
        file: "pipeline.ts",
        ensemble: "embed",
        changes: {
          "tensor math: 1 model and its ensemble": timesTurn,
          "tokenizer, tensor math: 2 models and their ensemble": (text, turn) =>
            timesTurn(text, turn).replace("maxLength: 256", `maxLength: ${16 * (2 + turn)}`),
        },
      }),
      await edits("an edit of one of ten functions, save to first new answer", functions.root, runs, {
        file: "steps/orders.ts",
        ensemble: "orders_0_alone",
        changes: {
          "a text in the function": (text, turn) =>
            text.replace("{ text: `${short.toLowerCase()}", `{ text: \`turn ${turn} \${short.toLowerCase()}`),
          "a line above it, which moves all ten": (text, turn) =>
            text.replace("clean(text).slice(", `// Turn ${turn}.\n      clean(\`${turn} \${text}\`).slice(`),
        },
      }),
    ];
  } finally {
    project.remove();
    functions.remove();
  }
};

const timesTurn = (text, turn) => text.replace(/attention_mask\)\) };/, `attention_mask)).mul(${turn}) };`);

const startUp = async (root, runs) => {
  const start = async (...args) => {
    const begin = performance.now();
    const server = await startDev(root, args);
    const took = performance.now() - begin;
    await server.stop();
    return took;
  };
  const summaries = await inTurn(
    {
      "dev, cold": () => {
        rmSync(join(root, "build"), { recursive: true, force: true });
        return start();
      },
      "dev, built before": () => start(),
      "dev --no-watch, built before": () => start("--no-watch"),
    },
    { runs },
  );
  return {
    title: "dev of the example, spawn to READY",
    rows: rowsOf(summaries, "dev, built before"),
    notes: ["READY: GET /v2/health/ready answers 200 and every model has been loaded"],
  };
};

const edits = async (title, root, runs, { file, ensemble, changes }) => {
  const path = join(root, file);
  const source = readFileSync(path, "utf8");
  const server = await startDev(root, []);
  const caller = openCaller(server.url);
  const inputs = new Map([["text", { dtype: "BYTES", shape: [1, 1], data: [encodeUtf8("a short text")] }]]);
  const body = printInferRequest({ inputs }, { binary: true });
  const ask = async () => (await caller.post(`/v2/models/${ensemble}/infer`, body)).body.toString("latin1");
  let turn = 1;
  /** Saves an edit that changes the answer, and sends requests until it does. */
  const edit = (change) => async () => {
    const before = await ask();
    writeFileSync(path, change(source, ++turn));
    const begin = performance.now();
    while ((await ask()) === before) await new Promise((resolve) => setTimeout(resolve, 2));
    return performance.now() - begin;
  };
  try {
    const summaries = await inTurn(
      Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, edit(change)])),
      { runs, warmup: 2 },
    );
    return {
      title,
      rows: rowsOf(summaries),
      notes: [
        "this includes 75 ms of waiting for the editor to finish; one client sends a request every 2 ms",
      ],
      checks: [...summaries].map(([what, { median }]) => ({
        what,
        value: `${Math.round(median)} ms`,
        limit: `< ${limit} ms`,
        ok: median < limit,
      })),
    };
  } finally {
    caller.close();
    await server.stop();
  }
};

/** Resolves when it is ready. */
const startDev = async (root, args) => {
  const child = spawn(
    process.execPath,
    [pipelineBin, "dev", "--device", "cpu", "--http-port", "0", ...args],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let said = "";
  const url = await new Promise((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
      const found = / at (http:\S+)/.exec(said)?.[1];
      if (found !== undefined && said.includes("stop with Ctrl-C")) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`dev ended with ${code}:\n${said}`)));
  });
  const { status } = await fetch(`${url}/v2/health/ready`);
  if (status !== 200) throw new Error(`dev answers ${status}`);
  return {
    url,
    stop: async () => {
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
};
