import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { type Files, writeFiles } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { installJudge, temporaryFolder } from "../judge.ts";
import { startBothServers } from "./both-servers.ts";
import { expectTable } from "./clients-page.ts";
import { type FrontendRequest, frontendDifferences, frontendRequests } from "./frontend-requests.ts";
import { modelsOf } from "./published-models.ts";
import { type FrontendOptions, runFrontendTests, startFrontend } from "./run-frontend.ts";
import type { Verdicts } from "./run-published.ts";
import { verdictRows } from "./verdict-rows.ts";
import { chatTokenizer, wordModels } from "./word-models.ts";

/** A checkout of Triton's server repository. If it is not set, `vitest.config.ts` excludes this file. */
const checkout = process.env["TRITYPE_FRONTEND"] ?? "";

/** Starts both servers. @param chats Whether `pipeline dev` gets the tokenizer. */
const start = async (models: Files, chats: boolean): Promise<FrontendOptions & { readonly dev: string }> => {
  const { python } = await installJudge();
  const { path: tokenizer, remove } = await temporaryFolder();
  onTestFinished(remove);
  writeFiles(tokenizer, chatTokenizer());
  const flags = chats ? ["--tokenizer", tokenizer] : [];
  const { triton, dev } = await startBothServers(models, undefined, [], flags);
  return { checkout, triton, python, tokenizer, dev: `http://${dev.http}` };
};

interface Run {
  readonly file: string;
  /** Further arguments for pytest. */
  readonly only?: readonly string[];
  readonly models?: () => Promise<Files>;
  readonly chats: boolean;
  readonly differ?: Readonly<Record<string, string>>;
}

const runs: readonly Run[] = [
  { file: "test_completions.py", chats: true },
  { file: "test_chat_completions.py", only: ["-k", "not Tokenizers"], chats: true },
  {
    file: "test_chat_completions.py",
    only: ["-k", "no_tokenizer"],
    chats: false,
    differ: { no_tokenizer: "400, because such a request never succeeds; clients repeat requests after 500" },
  },
  { file: "test_openai_client.py", chats: true },
  {
    file: "test_observability.py",
    models: () => modelsOf("test_models")(join(checkout, "python", "openai", "tests")),
    chats: false,
    differ: {
      startup_success: "as Triton's HTTP frontend, `pipeline dev` reports its health at `/v2/health/ready`",
      metrics: "as in Triton, metrics have their own port",
      models_list: "models that do not continue text are not listed",
    },
  },
];

/** The results of all runs of a file. */
interface FileVerdicts {
  readonly theirs: Verdicts;
  readonly ours: Verdicts;
  readonly differ: Readonly<Record<string, string>>;
}

test("the tests of Triton's OpenAI frontend get the same verdicts", async () => {
  const files = new Map<string, FileVerdicts>();
  for (const { file, only = [], models = async () => wordModels(), chats, differ } of runs) {
    const { dev, ...options } = await start(await models(), chats);
    const [theirs, ours] = [
      await runFrontendTests([`tests/${file}`, ...only], options),
      await runFrontendTests([`tests/${file}`, ...only], options, dev),
    ];
    const counted = ([name]: readonly [string, unknown]): boolean =>
      theirs.get(name)?.startsWith("skipped: ") !== true || ours.get(name) !== theirs.get(name);
    const earlier = files.get(file);
    files.set(file, {
      theirs: new Map([...(earlier?.theirs ?? []), ...[...theirs].filter(counted)]),
      ours: new Map([...(earlier?.ours ?? []), ...[...ours].filter(counted)]),
      differ: { ...earlier?.differ, ...differ },
    });
  }
  const rows = [...files].flatMap(([file, { theirs, ours, differ }]) =>
    verdictRows(`\`${file}\``, theirs, ours, differ),
  );
  expectTable("Triton's OpenAI frontend", ["tests", "Triton", "`pipeline dev`", "results"], rows);
}, 1_800_000);

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const ask = async (url: string, { path, body }: FrontendRequest): Promise<Answer | undefined> => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { "content-type": "application/json" };
  const reply = await fetch(
    `${url}${path}`,
    text === undefined ? {} : { method: "POST", headers, body: text },
  );
  const answer = await reply.text().catch(() => "broken off");
  const type = reply.headers.get("content-type");
  return { status: reply.status, body: reply.ok ? [type, plain(answer)] : detailOf(answer) };
};

const plain = (text: string): string =>
  text.replaceAll(/"id":"cmpl-[-0-9a-f]{36}"/g, "ID").replaceAll(/"created":\d+/g, "CREATED");

/** FastAPI also quotes the faulty value. */
const detailOf = (text: string): unknown => {
  const { detail } = JSON.parse(text) as {
    readonly detail: string | readonly Readonly<Record<string, unknown>>[];
  };
  return typeof detail === "string" ? detail : detail.map(({ type, loc, msg }) => ({ type, loc, msg }));
};

test("requests get the same answers from Triton's OpenAI frontend and from pipeline dev", async () => {
  const { dev, ...options } = await start(wordModels(), true);
  const frontend = await startFrontend(options);
  const rows: (readonly string[])[] = [];
  for (const [name, request] of Object.entries(frontendRequests)) {
    const [theirs, ours] = [await ask(frontend, request), await ask(dev, request)];
    const same = JSON.stringify(theirs) === JSON.stringify(ours);
    const different = frontendDifferences[name] ?? `DIFFERS: ${JSON.stringify([theirs, ours])}`;
    rows.push([name, `${theirs?.status}`, `${ours?.status}`, same ? "alike" : different]);
  }
  expectTable("Requests to OpenAI's API", ["request", "Triton", "`pipeline dev`", "results"], rows);
});
