import { sendRaw } from "./raw-request.ts";

/** One server under test. */
export interface Server {
  readonly http: string;
  readonly grpc: string;
  readonly metrics: string;
}

/** A server's counts for one model: statistics and metrics, without durations. */
export type Counts = Readonly<Record<string, number>>;
/** The counts that grew. */
export const grown = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, count]) => count !== 0),
  );

export const counts = async (server: Server, model: string): Promise<Counts> => {
  const { body } = await sendRaw(server.http, { path: `/v2/models/${model}/stats` });
  const [stats] = (JSON.parse(body.toString()) as { readonly model_stats: readonly Stats[] }).model_stats;
  const text = await (await fetch(server.metrics)).text();
  const counters = new RegExp(String.raw`^(nv_inference_\w*(?:count|success|failure))\{(.*)\} (\d+)$`, "gm");
  const own = [...text.matchAll(counters)].filter(([, , labels = ""]) => labels.includes(`"${model}"`));
  return {
    rows: stats?.inference_count ?? 0,
    executions: stats?.execution_count ?? 0,
    ...Object.fromEntries(
      Object.entries(stats?.inference_stats ?? {}).map(([name, { count }]) => [name, count]),
    ),
    ...Object.fromEntries(
      (stats?.batch_stats ?? []).map((one) => [`batches of ${one.batch_size}`, one.compute_infer.count]),
    ),
    ...Object.fromEntries(
      own.map(([, name, labels = "", value]) => [
        `${name} ${labels.split(",").toSorted().join()}`,
        Number(value),
      ]),
    ),
  };
};
interface Stats {
  readonly inference_count: number;
  readonly execution_count: number;
  readonly inference_stats: Readonly<Record<string, { readonly count: number }>>;
  readonly batch_stats: readonly {
    readonly batch_size: number;
    readonly compute_infer: { readonly count: number };
  }[];
}
