import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import {
  durationText,
  failureText,
  notFinite,
  partKinds,
  placeText,
  type Recording,
  slowestOf,
  timelineOf,
  type TimelineRow,
} from "@tritype/inspector/shared";
import { ContentView } from "./content-view.tsx";
import { models } from "./state.ts";

/** The time that a request spent in each call, and the tensors of each call. */
export const TimelineView = ({ recording }: { readonly recording: Recording }): JSX.Element => {
  const rows = useMemo(() => timelineOf(recording), [recording]);
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const row = rows.find(({ call }) => call.id === chosen);
  const slowest = slowestOf(rows, (model) => models.value.get(model)?.steps !== undefined);
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
            chosen={one.call.id === chosen}
            choose={() => setChosen(one.call.id === chosen ? undefined : one.call.id)}
          />
        ))}
      </ol>
      {recording.left > 0 && <p class="quiet">{recording.left} more calls are not recorded.</p>}
      {row === undefined ? (
        <p class="quiet">Choose a line to see its tensors.</p>
      ) : (
        <div class="inside">
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
          {row.call.left > 0 && <p class="quiet">{row.call.left} more responses are not recorded.</p>}
          <Errors row={row} between={(responses) => responses >= row.call.responses.length} />
        </div>
      )}
    </section>
  );
};

/** The errors at one place among the responses of a call. */
const Errors = ({
  row,
  between,
}: {
  readonly row: TimelineRow;
  readonly between: (responses: number) => boolean;
}): JSX.Element => (
  <>
    {row.errors.map(({ responses, after }, index) =>
      between(responses) ? (
        <p key={index} class="notice bad">
          {streams(row) ? `Error ${placeText(responses)}` : "This call failed"} ({durationText(after)}).
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

const streams = ({ call }: TimelineRow): boolean => models.value.get(call.model)?.streams === true;
const arrivalsOf = (row: TimelineRow): TimelineRow["arrivals"] => (streams(row) ? row.arrivals : []);

interface RowProps {
  readonly row: TimelineRow;
  readonly slowest: boolean;
  readonly chosen: boolean;
  readonly choose: () => void;
}

const Row = ({ row, slowest, chosen, choose }: RowProps): JSX.Element => {
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
          {slowest && call.first && (
            <span class="badge" title="The first request since the model was loaded can take longer">
              first request
            </span>
          )}
          {call.cached && <span class="badge">from cache</span>}
          {together > 1 && (
            <span class="badge">{together === 2 ? "with 1 other" : `with ${together - 1} others`}</span>
          )}
          {broken && <span class="badge bad">not finite</span>}
          {call.left > 0 && <span class="badge">{call.left} responses not recorded</span>}
          {call.failed && <span class="badge bad">{failureText(row, streams(row))}</span>}
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
          {streams(row) &&
            row.errors.map(({ at, after, responses }, index) => (
              <span
                key={index}
                class="arrival error"
                style={{ left: percent(at) }}
                title={`error ${placeText(responses)} (${durationText(after)})`}
              />
            ))}
        </span>
        <span class="figure">{durationText((call.end - call.start) / 1000)}</span>
      </button>
    </li>
  );
};

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;
