import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import {
  type Activity,
  activityOf,
  type BatchSizes,
  batchSizesOf,
  type Reading,
} from "@tritype/inspector/view";

const plotHeight = 150;

interface Colors {
  readonly ink: string;
  readonly line: string;
  readonly accent: string;
}

/** A canvas needs the color itself, not the rule that chooses it. */
const colorOf = (element: HTMLElement, name: string): string => {
  element.style.color = `var(${name})`;
  return getComputedStyle(element).color;
};

const useDark = (): boolean => {
  const [dark, setDark] = useState(matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const change = (): void => setDark(query.matches);
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, []);
  return dark;
};

interface ChartProps {
  /** The chart is created again when the model changes. */
  readonly model: string;
  readonly data: uPlot.AlignedData;
  /** The parts of the chart that depend on what it shows. */
  readonly parts: (colors: Colors) => {
    readonly y: uPlot.Scale;
    readonly axis?: uPlot.Axis;
    readonly series: uPlot.Series;
    readonly hooks?: uPlot.Hooks.Arrays;
  };
}

const Chart = ({ model, data, parts }: ChartProps): JSX.Element => {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const dark = useDark();
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const [ink = "", line = "", accent = ""] = ["--quiet", "--line", "--accent"].map((name) =>
      colorOf(element, name),
    );
    const { y, axis, series, hooks = {} } = parts({ ink, line, accent });
    const common = {
      stroke: ink,
      grid: { stroke: line, width: 1 },
      ticks: { show: false },
      font: "12px system-ui",
    };
    plot.current = new uPlot(
      {
        width: element.clientWidth,
        height: plotHeight,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y },
        axes: [
          { ...common, show: false },
          { ...common, size: 48, ...axis },
        ],
        series: [{}, series],
        hooks,
      },
      [[], []],
      element,
    );
    const resized = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: plotHeight }),
    );
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.current?.destroy();
    };
  }, [model, dark]);
  useEffect(() => {
    plot.current?.setData(data);
  }, [data, dark]);
  return <div ref={place} aria-hidden="true" />;
};

interface PlotProps {
  readonly title: string;
  readonly looks: readonly Reading[];
  readonly model: string;
  readonly value: (before: Activity, after: Activity, seconds: number) => number;
}

/** A figure over time. */
export const Plot = ({ title, looks, model, value }: PlotProps): JSX.Element => {
  const points = looks.slice(1).map((look, index): readonly [number, number] => {
    const before = looks[index];
    const [a, b] = [activityOf(before, model), activityOf(look, model)];
    const seconds = (look.at - (before?.at ?? look.at)) / 1000;
    return [
      look.at / 1000,
      a === undefined || b === undefined || seconds <= 0 ? 0 : Math.max(0, value(a, b, seconds)),
    ];
  });
  const last = points.at(-1)?.[1] ?? 0;
  return (
    <figure class="plot">
      <figcaption>
        {title} <span class="figure">{last.toFixed(last < 10 ? 2 : 0)}</span>
      </figcaption>
      <Chart
        model={model}
        data={[points.map(([at]) => at), points.map(([, one]) => one)]}
        parts={({ accent }) => ({
          y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
          series: { stroke: accent, width: 2, points: { show: false } },
        })}
      />
    </figure>
  );
};

const faintest = 0.2;
const shownSizes = 3;

interface BatchesOverTimeProps extends Pick<PlotProps, "looks" | "model"> {
  /** Whether there were readings before these. */
  readonly isFull: boolean;
}

/** The batch sizes of each interval: a row for each size, darker for a larger part of the interval's executions. */
export const BatchesOverTime = ({ looks, model, isFull }: BatchesOverTimeProps): JSX.Element => {
  const sizes = batchSizesOf(looks, model);
  const shown = useRef<BatchSizes>(sizes);
  shown.current = sizes;
  const times = looks.map(({ at }) => at / 1000);
  return (
    <figure class="plot batches-over-time">
      <figcaption>
        Batch sizes as they form <span class="figure">{recentText(sizes)}</span>
      </figcaption>
      <Chart
        model={model}
        data={[times, times.map(() => 0)]}
        parts={({ accent }) => ({
          y: { range: () => [-0.5, Math.max(1, shown.current.rows.length) - 0.5] },
          axis: {
            splits: () => [...shown.current.rows.keys()],
            values: () => [...shown.current.rows],
          },
          series: { paths: () => null, points: { show: false } },
          hooks: { draw: [(chart) => drawCells(chart, shown.current, accent)] },
        })}
      />
      <p class="quiet">
        {sizes.rows.length === 0
          ? `No batch has formed ${isFull ? "in the last two minutes" : "since you opened Live"}.`
          : "One row for each size or range of sizes, one column for each second. The stronger the colour, the larger the share of that second's batches."}
      </p>
    </figure>
  );
};

/** The most frequent sizes of the last five seconds. */
const recentText = ({ recent }: BatchSizes): string =>
  recent.length === 0
    ? ""
    : `last five seconds: ${[
        ...recent.slice(0, shownSizes).map(([size, count]) => `${count} of size ${size}`),
        ...(recent.length > shownSizes ? ["…"] : []),
      ].join(", ")}`;

const drawCells = (chart: uPlot, { cells }: BatchSizes, color: string): void => {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = color;
  for (const { from, to, row, share } of cells) {
    const [left, right] = [from, to].map((at) => Math.round(chart.valToPos(at, "x", true)));
    const [top, bottom] = [row + 0.5, row - 0.5].map((at) => Math.round(chart.valToPos(at, "y", true)));
    if (left === undefined || right === undefined || top === undefined || bottom === undefined) continue;
    ctx.globalAlpha = faintest + (1 - faintest) * Math.sqrt(share);
    ctx.fillRect(left, top + 1, Math.max(1, right - left), Math.max(1, bottom - top - 2));
  }
  ctx.restore();
};

const mostBars = 7;
const executionsOf = (batches: Activity["batches"]): number =>
  batches.reduce((sum, [, count]) => sum + count, 0);

/** How often each batch size has run since the model was loaded. */
export const Batches = ({ activity }: { readonly activity: Activity | undefined }): JSX.Element | null => {
  const batches = activity?.batches ?? [];
  if (batches.length === 0) return null;
  const rest = batches.length > mostBars ? batches.slice(mostBars - 1) : [];
  const bars = [
    ...batches.slice(0, batches.length - rest.length).map(([size, count]) => [String(size), count] as const),
    ...(rest.length === 0 ? [] : [[`${rest[0]?.[0]}–${rest.at(-1)?.[0]}`, executionsOf(rest)] as const]),
  ];
  const largest = Math.max(...bars.map(([, count]) => count));
  return (
    <figure class="plot">
      <figcaption>Batch sizes since the model was loaded</figcaption>
      <ol class="bars">
        {bars.map(([size, count]) => (
          <li key={size}>
            <span class="quiet">{size}</span>
            <span class="bar">
              <span style={{ width: `${(count / largest) * 100}%` }} />
            </span>
            <span class="figure">{count}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
};
