import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { serveTriton } from "@tritype/tritonserver";
import { test } from "vitest";
import { installJudge, temporaryFolder, writeFiles } from "../triton/judge.ts";
import { judgedModels } from "../triton/judged-models.ts";
import { sendRaw } from "../triton/raw-request.ts";
import { rawRequests } from "../triton/raw-requests.ts";
import { httpQuestions } from "./http-questions.ts";
import { oddModels } from "./odd-models.ts";

test("dump", async () => {
  const folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  await writeFiles(repository, { ...judgedModels(), ...oddModels() });
  const installation = await installJudge();
  const triton = await serveTriton(installation, { repository, extraArguments: ["--exit-on-error=false"] });
  const out: Record<string, string> = {};
  try {
    for (const [name, request] of Object.entries({ ...rawRequests, ...httpQuestions })) {
      const reply = await sendRaw(triton.httpUrl, request).catch((e: unknown) => ({
        status: 0,
        body: Buffer.from(String(e)),
      }));
      const text = reply.body.toString();
      if (reply.status !== 200 || text.includes('"error"')) out[name] = `${reply.status} ${text}`;
    }
    const { stdout, stderr } = await promisify(execFile)(
      installation.python,
      [
        fileURLToPath(new URL("ask.py", import.meta.url)),
        triton.httpUrl.replace("http://", ""),
        triton.grpcAddress,
      ],
      { maxBuffer: 2 ** 26 },
    ).catch((e: { stdout: string; stderr: string }) => e);
    out["stderr"] = stderr;
    Object.assign(out, JSON.parse(stdout || "{}"));
  } finally {
    writeFileSync("/tmp/x/dump.json", JSON.stringify(out, null, 1));
    writeFileSync("/tmp/x/log.txt", triton.log());
    await triton.stop();
    await folder.remove();
  }
}, 300_000);
