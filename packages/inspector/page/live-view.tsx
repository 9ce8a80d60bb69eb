import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import {
  type Activity,
  activityOf,
  busiestOf,
  columnTexts,
  decidingFields,
  durationText,
  type Live,
  type ModelDetail,
  type ModelView,
  type Reading,
  recentReadings,
} from "@tritype/inspector/view";
import { getDetail, getLive } from "./api.ts";
import { Batches, BatchesOverTime, Plot } from "./plots.tsx";
import { Processes } from "./processes-view.tsx";
import { addressOf, models } from "./state.ts";

const kept = 120;
const pause = 1000;

/** The activity of a model between two readings. */
interface Rate {
  readonly requests: number;
  readonly failed: number;
  readonly took: number;
  readonly queue: number;
  readonly compute: number;
  readonly batch: number;
  readonly pending: number | undefined;
  readonly percentiles: readonly number[];
  readonly total: number;
}

/** The current activity. The server is only queried while this is shown. */
export const LiveView = (): JSX.Element => {
  const [looks, setLooks] = useState<readonly Reading[]>([]);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  useEffect(() => {
    const closing = new AbortController();
    let period = 0;
    const begin = (): void => {
      period++;
    };
    document.addEventListener("visibilitychange", begin, { signal: closing.signal });
    const look = async (): Promise<void> => {
      while (!closing.signal.aborted) {
        if (!document.hidden) {
          const started = period;
          try {
            const now = await getLive();
            if (closing.signal.aborted) return;
            setLooks((before) => [...before.slice(-kept), { ...now, period: started }]);
            setProblem(undefined);
          } catch (error) {
            setProblem(error instanceof Error ? error.message : String(error));
          }
        }
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    };
    void look();
    return () => closing.abort();
  }, []);
  const now = looks.at(-1);
  const recent = recentReadings(looks);
  const rates = new Map((now?.models ?? []).map((one) => [one.model, rateOf(recent, one.model)]));
  const names = [...rates.keys()].toSorted(
    (a, b) => Number(models.value.get(b)?.entry) - Number(models.value.get(a)?.entry) || (a < b ? -1 : 1),
  );
  const busiest = busiestOf(rates, models.value);
  const model = chosen ?? busiest ?? names[0];
  const percentiles = now?.models.some((one) => one.percentiles !== undefined) === true;
  const caches = now?.models.some(({ hits, misses }) => hits + misses > 0) === true;
  const waiting = now?.models.some((one) => one.pending !== undefined) === true;
  const silent = problem !== undefined && (
    <p class="notice bad" role="alert">
      The server does not answer: {problem}
    </p>
  );
  if (now === undefined) return silent || <p class="empty">Loading …</p>;
  return (
    <div class="live">
      {silent}
      <div class="title">
        <h2>Live</h2>
        <p class="quiet">{[...now.facts, ...columnTexts({ percentiles, caches, waiting })].join("; ")}</p>
      </div>
      {names.length === 0 && <p class="empty">No model is ready.</p>}
      {names.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Models">
          <table class="activity">
            <thead>
              <tr>
                <th scope="col">Model</th>
                <th scope="col">Requests/s</th>
                <th scope="col" title="As in Triton 24.10, a failed request of an ensemble counts twice">
                  Failed
                </th>
                <th scope="col">{percentiles ? "Mean" : "Mean latency"}</th>
                {percentiles &&
                  ["p50", "p90", "p99"].map((name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                <th scope="col">Queue</th>
                <th scope="col">Compute</th>
                <th scope="col">Rows/batch</th>
                {caches && <th scope="col">From cache</th>}
                {waiting && <th scope="col">Waiting</th>}
                <th scope="col">Succeeded</th>
              </tr>
            </thead>
            <tbody>
              {names.map((name) => {
                const rate = rates.get(name);
                return rate === undefined ? null : (
                  <tr key={name} class={name === model ? "chosen" : ""}>
                    <th scope="row">
                      <button type="button" aria-pressed={name === model} onClick={() => setChosen(name)}>
                        {name}
                      </button>
                      {name === busiest && <span class="badge">takes most of the time</span>}
                    </th>
                    <td>{rate.requests.toFixed(rate.requests < 10 ? 1 : 0)}</td>
                    <td class={rate.failed > 0 ? "bad" : ""}>{rate.failed}</td>
                    <td>{timeText(rate.took)}</td>
                    {percentiles &&
                      [0, 1, 2].map((i) => <td key={i}>{timeText(rate.percentiles[i] ?? 0)}</td>)}
                    <td>{timeText(rate.queue)}</td>
                    <td>{timeText(rate.compute)}</td>
                    <td>{rate.batch === 0 ? "–" : rate.batch.toFixed(1)}</td>
                    {caches && <td>{cacheText(activityOf(now, name))}</td>}
                    {waiting && <td>{rate.pending}</td>}
                    <td>{rate.total}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {model !== undefined && (
        <section class="plots" aria-label={`Activity of ${model}`}>
          <h3>
            {model} <a href={addressOf("graph", model)}>graph</a>
          </h3>
          {model === busiest && (
            <Advice key={model} rate={rates.get(model)} model={models.value.get(model)} />
          )}
          <div class="plot-row">
            <Plot
              title="Successful requests per second"
              looks={looks}
              value={(a, b, s) => (b.success - a.success) / s}
              model={model}
            />
            <Plot
              title="Mean latency, ms"
              looks={looks}
              value={(a, b) => mean(b.took - a.took, b.success - a.success)}
              model={model}
            />
            <Batches activity={activityOf(now, model)} />
          </div>
          <BatchesOverTime looks={looks} model={model} isFull={looks.length > kept} />
        </section>
      )}
      <Processes looks={recent} />
    </div>
  );
};

/** The share of all requests that the response cache answered. */
const cacheText = (activity: Activity | undefined): string => {
  const { hits = 0, misses = 0 } = activity ?? {};
  return hits + misses === 0 ? "–" : `${((hits / (hits + misses)) * 100).toFixed(0)} %`;
};
const timeText = (ms: number): string => (ms === 0 ? "–" : durationText(ms));
const mean = (sum: number, count: number): number => (count <= 0 ? 0 : sum / count);
const rateOf = (looks: readonly Live[], model: string): Rate => {
  const [first, last] = [looks[0], looks.at(-1)];
  const [a, b] = [activityOf(first, model), activityOf(last, model)];
  const seconds = ((last?.at ?? 0) - (first?.at ?? 0)) / 1000;
  const none = { requests: 0, failed: 0, took: 0, queue: 0, compute: 0, batch: 0 };
  const known = { pending: b?.pending, total: b?.success ?? 0, percentiles: b?.percentiles ?? [] };
  if (a === undefined || b === undefined || seconds <= 0 || b.success < a.success)
    return { ...none, ...known };
  const done = b.success - a.success;
  return {
    requests: done / seconds,
    failed: b.failed,
    took: mean(b.took - a.took, done),
    queue: mean(b.queue - a.queue, done),
    compute: mean(b.compute - a.compute, done),
    batch: mean(b.rows - a.rows, b.executions - a.executions),
    ...known,
  };
};

interface AdviceProps {
  readonly rate: Rate | undefined;
  readonly model: ModelView | undefined;
}

/** The fields that decide how long requests to the slow model wait or run, with their values. */
const Advice = ({ rate, model }: AdviceProps): JSX.Element | null => {
  const [detail, setDetail] = useState<ModelDetail | undefined>(undefined);
  useEffect(() => {
    let current = true;
    if (model !== undefined)
      getDetail(model.name).then(
        (found) => current && setDetail(found),
        () => current && setDetail(undefined),
      );
    return () => {
      current = false;
    };
  }, [model]);
  if (rate === undefined || model === undefined) return null;
  const fields = decidingFields(model, detail?.lines);
  return (
    <div class="notice warn">
      <p>
        {rate.queue > rate.compute
          ? "Requests wait longer than they run: instance_group sets how many run at the same time, and dynamic_batching how long they wait for others."
          : "Requests run longer than they wait: the model itself takes most of the time. Larger batches help if max_batch_size and dynamic_batching allow them."}
      </p>
      <ul>
        {fields.map(({ path, value, set, line }) => (
          <li key={path}>
            <code>{path}</code>: {set ? <code>{value}</code> : `not set (${value})`}{" "}
            {line !== undefined && (
              <a href={addressOf("graph", model.name, line)}>
                {detail?.config?.path}:{line}
              </a>
            )}
          </li>
        ))}
      </ul>
      <a href={addressOf("graph", model.name, fields.find(({ line }) => line !== undefined)?.line ?? 0)}>
        Its configuration
      </a>
    </div>
  );
};
