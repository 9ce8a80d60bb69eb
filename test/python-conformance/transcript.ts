import { type RawReply, sendRaw } from "../triton/raw-request.ts";
import type { ConformanceModel } from "./conformance-models.ts";

/**
 * A server's answers about a model: whether it is served (or why not), its configuration, and its answers to requests.
 */
export interface Transcript {
  readonly versions: readonly object[];
  readonly config: unknown;
  readonly answers: readonly object[];
}

/**
 * Requests everything in a model's transcript from a server, one request after the other.
 * @param settled Resolves when the instances that have answered are free again.
 */
export const takeTranscript = async (
  url: string,
  { name, requests }: ConformanceModel,
  settled?: () => Promise<void>,
): Promise<Transcript> => {
  const answers: object[] = [];
  for (const request of requests) {
    await settled?.();
    answers.push(shown(await sendRaw(url, request)));
  }
  const index = await sendRaw(url, { path: "/v2/repository/index", body: "{}" });
  const config = await sendRaw(url, { path: `/v2/models/${name}/config` });
  return {
    versions: (JSON.parse(index.body.toString()) as readonly IndexEntry[])
      .filter((entry) => entry.name === name)
      .map(({ reason = "", ...entry }) => ({ ...entry, reason: withoutOwnFrames(reason) })),
    config: config.status === 200 ? JSON.parse(config.body.toString()) : config.status,
    answers,
  };
};

/** The numbers of successes, failures, rows and executions of each version. */
export const takeCounts = async (url: string, { name }: ConformanceModel): Promise<readonly object[]> => {
  const { status, body } = await sendRaw(url, { path: `/v2/models/${name}/stats` });
  if (status !== 200) return [{ status }];
  const { model_stats } = JSON.parse(body.toString()) as { readonly model_stats: readonly Stats[] };
  return model_stats.map(({ version, inference_count, execution_count, inference_stats, batch_stats }) => ({
    version,
    batches: Object.fromEntries(batch_stats.map((batch) => [batch.batch_size, batch.compute_infer.count])),
    inference_count,
    execution_count,
    success: inference_stats.success.count,
    fail: inference_stats.fail.count,
  }));
};

/** The samples of the models' own metrics; their order is not compared. */
export const customMetrics = async (url: string): Promise<readonly string[]> =>
  (await (await fetch(url)).text())
    .split("\n")
    .filter((line) => /^(?:# (?:HELP|TYPE) )?conf_/.test(line))
    .toSorted();

interface IndexEntry {
  readonly name: string;
  readonly reason?: string;
}
interface Stats {
  readonly version: string;
  readonly inference_count: number;
  readonly execution_count: number;
  readonly batch_stats: readonly {
    readonly batch_size: number;
    readonly compute_infer: { readonly count: number };
  }[];
  readonly inference_stats: Readonly<Record<"success" | "fail", { readonly count: number }>>;
}

const shown = ({ status, headers, body }: RawReply): object => {
  if (status !== 200) return { status, error: withoutOwnFrames(errorOf(body.toString())) };
  const length = Number(headers["inference-header-content-length"] ?? body.length);
  const answer = JSON.parse(body.toString("utf8", 0, length)) as { readonly outputs: readonly object[] };
  return { status, ...answer, binary: body.toString("hex", length) };
};

const errorOf = (text: string): string => {
  try {
    return (JSON.parse(text) as { readonly error: string }).error;
  } catch {
    return text;
  }
};

/** Part of Triton's pb_utils is a Python file that appears in stack traces and messages; ours is a different file. */
const withoutOwnFrames = (text: string): string =>
  text
    .replaceAll(/^ {2}\S*triton_python_backend_utils\.py\(\d+\): .*\n/gm, "")
    .replaceAll(/\(\S*(?=\/triton_python_backend_utils\.py\))/g, "(");
