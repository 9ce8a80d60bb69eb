import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  counted,
  durationText,
  failureText,
  isStream,
  type MeasuredTimes,
  measuredText,
  notFinite,
  partKinds,
  placeText,
  type Recording,
  timelineOf,
  type TimelineRow,
  usuallySlowest,
} from "@tritype/inspector/view";
import { ContentView } from "./content-view.tsx";
import { models } from "./state.ts";

interface TimelineProps {
  readonly recording: Recording;
  readonly measured: MeasuredTimes | undefined;
  /** Sends the request several times; undefined if it cannot be sent now. */
  readonly measure: (() => void) | undefined;
}

/** The time that a request spent in each call, and the tensors of each call. */
export const TimelineView = ({ recording, measured, measure }: TimelineProps): JSX.Element => {
  const rows = useMemo(() => timelineOf(recording), [recording]);
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const row = rows.find(({ call }) => call.id === chosen);
  const isEnsemble = (model: string): boolean => models.value.get(model)?.steps !== undefined;
  const slowest = usuallySlowest(rows, isEnsemble, measured);
  const inside = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (inside.current !== null) scrollIntoSight(inside.current);
  }, [chosen]);
  return (
    <section class="timeline">
      <h3>Inside the request</h3>
      {rows.some(({ parts }) => parts.length > 0) && (
        <ul class="legend" aria-label="Colours">
          {partKinds.map((kind) => (
            <li key={kind}>
              <span class={`swatch ${kind}`} aria-hidden="true" />
              {kind}
            </li>
          ))}
        </ul>
      )}
      <ol class="calls">
        {rows.map((one) => (
          <Row
            key={one.call.id}
            row={one}
            slowest={one === slowest}
            usual={measured?.steps.get(one.path)?.whole}
            chosen={one.call.id === chosen}
            choose={() => setChosen(one.call.id === chosen ? undefined : one.call.id)}
          />
        ))}
      </ol>
      {rows.length > 1 && (
        <p class="quiet measured">
          {measured === undefined
            ? "Times vary from request to request, and the first one is often slow. "
            : `${measuredText(measured, rows, slowest)} `}
          <button type="button" class="small" disabled={measure === undefined} onClick={measure}>
            {measured === undefined ? "Send it 20 times" : "Measure again"}
          </button>
        </p>
      )}
      {recording.left > 0 && <p class="quiet">{countedMore(recording.left, "call")} not recorded.</p>}
      {row === undefined ? (
        <p class="quiet">Choose a line to see its tensors.</p>
      ) : (
        <div class="inside" ref={inside}>
          <h4>{row.name} got</h4>
          {row.call.inputs.map((content) => (
            <ContentView key={content.name} content={content} />
          ))}
          {row.call.responses.map((response, index) => (
            <div key={index}>
              <Errors row={row} between={(responses) => responses === index} />
              <h4>
                {row.name} gave{row.call.responses.length > 1 ? ` (response ${index + 1})` : ""}
                <After row={row} index={index} />
              </h4>
              {response.map((content) => (
                <ContentView key={content.name} content={content} from={row.call.model} />
              ))}
            </div>
          ))}
          {row.call.left > 0 && <p class="quiet">{countedMore(row.call.left, "response")} not recorded.</p>}
          <Errors row={row} between={(responses) => responses >= row.call.responses.length} />
        </div>
      )}
    </section>
  );
};

/** `1 more call is`, `2 more calls are` */
const countedMore = (count: number, what: string): string =>
  `${counted(count, `more ${what}`)} ${count === 1 ? "is" : "are"}`;

/** Scrolls only if less than a third of the window is left for the element. */
const scrollIntoSight = (element: HTMLElement): void => {
  const { top } = element.getBoundingClientRect();
  if (top >= 0 && top < (innerHeight * 2) / 3) return;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block: "start", behavior: isStill ? "instant" : "smooth" });
};

interface ErrorsProps {
  readonly row: TimelineRow;
  readonly between: (responses: number) => boolean;
}

/** The errors at one place among the responses of a call. */
const Errors = ({ row, between }: ErrorsProps): JSX.Element => (
  <>
    {row.errors.map(({ responses, after }, index) =>
      between(responses) ? (
        <p key={index} class="notice bad">
          {isStream(row) ? `Error ${placeText(responses)}` : "This call failed"} ({durationText(after)}).
        </p>
      ) : null,
    )}
  </>
);

/** For streams: the time of a response since the call began. */
const After = ({ row, index }: { readonly row: TimelineRow; readonly index: number }): JSX.Element | null => {
  const arrival = arrivalsOf(row)[index];
  return arrival === undefined ? null : <span class="quiet"> after {durationText(arrival.after)}</span>;
};

const arrivalsOf = (row: TimelineRow): TimelineRow["arrivals"] => (isStream(row) ? row.arrivals : []);

interface RowProps {
  readonly row: TimelineRow;
  readonly slowest: boolean;
  /** Its median in milliseconds, over several requests. */
  readonly usual: number | undefined;
  readonly chosen: boolean;
  readonly choose: () => void;
}

const Row = ({ row, slowest, usual, chosen, choose }: RowProps): JSX.Element => {
  const { call, name, depth, from, to, parts, spent } = row;
  const broken = [...call.inputs, ...call.responses.flat()].some((content) => notFinite(content) > 0);
  const together = Math.max(0, ...call.executions.map((one) => one.together));
  const described = partKinds.map((kind) => `${kind} ${durationText(spent[kind])}`).join(", ");
  return (
    <li>
      <button
        type="button"
        aria-pressed={chosen}
        onClick={choose}
        title={parts.length === 0 ? "" : described}
      >
        <span class="call-name" style={{ paddingLeft: `${depth * 14}px` }}>
          {name}
          {slowest && <span class="badge">slowest</span>}
          {slowest && call.first && usual === undefined && (
            <span class="badge" title="The first request since the model was loaded can take longer">
              first request
            </span>
          )}
          {call.cached && <span class="badge">from cache</span>}
          {together > 1 && (
            <span class="badge">{together === 2 ? "with 1 other" : `with ${together - 1} others`}</span>
          )}
          {broken && <span class="badge bad">not finite</span>}
          {call.left > 0 && <span class="badge">{counted(call.left, "response")} not recorded</span>}
          {call.failed && <span class="badge bad">{failureText(row)}</span>}
        </span>
        <span class="track" aria-hidden="true">
          <span class="span" style={{ left: percent(from), width: percent(to - from) }} />
          {parts.map((part, index) => (
            <span
              key={index}
              class={`part ${part.kind}`}
              style={{ left: percent(part.from), width: percent(part.to - part.from) }}
            />
          ))}
          {arrivalsOf(row).map(({ at, after }, index) => (
            <span
              key={index}
              class="arrival"
              style={{ left: percent(at) }}
              title={`response ${index + 1} after ${durationText(after)}`}
            />
          ))}
          {isStream(row) &&
            row.errors.map(({ at, after, responses }, index) => (
              <span
                key={index}
                class="arrival error"
                style={{ left: percent(at) }}
                title={`error ${placeText(responses)} (${durationText(after)})`}
              />
            ))}
        </span>
        <span class="figure">
          {durationText((call.end - call.start) / 1000)}
          {usual !== undefined && <span class="usual">median {durationText(usual)}</span>}
        </span>
      </button>
    </li>
  );
};

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;
