import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  compareContents,
  type ComparedPart,
  type ComparedTensor,
  compareRecordings,
  comparisonSummary,
  comparisonText,
  failuresText,
  type Content,
  firstDifference,
  type Recording,
  type RequestBody,
  showType,
} from "@tritype/inspector/view";
import { ContentView } from "./content-view.tsx";
import { errorOf, type RecordedRequest, recorded, type ShownSequence } from "./history.ts";
import { Choice, Head } from "./parts.tsx";
import { generation, overview } from "./state.ts";
import type { Requests, ShownRequest } from "./use-requests.ts";

const tolerances = [0, 1e-6, 1e-5, 1e-3];

type Part = ComparedPart<Content>;
interface Row {
  readonly part: Part;
  /** undefined for a difference that is not in a tensor. */
  readonly tensor: ComparedTensor<Content> | undefined;
}

interface CompareProps {
  readonly model: string;
  readonly request: Pick<ShownRequest, "sent" | "generation" | "sequence" | "events"> & {
    readonly recording: Recording;
  };
  readonly requests: Requests;
  /** The body for sending the request again; undefined if the form is not complete. */
  readonly body: RequestBody | undefined;
}

/** The displayed request next to another one, or to itself in another version or at another server. */
export const CompareView = ({ model, request, requests, body }: CompareProps): JSX.Element => {
  const [tolerance, setTolerance] = useState(1e-5);
  const { against, compareWith, running, problem } = requests;
  const others = recorded.value.filter((one) => one.model === model && one.sent !== request.sent);
  const other = others.find((one) => one.sent === against);
  const changed = generation.value > request.generation;
  const server = overview.value?.other;
  const note = sequenceText(request.sequence);
  return (
    <section class="compare">
      <h3>Compare with another request</h3>
      {changed && (
        <p class="notice warn" role="status">
          The models have changed since this request was sent.
        </p>
      )}
      {note !== undefined && <p class="quiet">{note}</p>}
      {body !== undefined && maySendAgain(request.sequence) && (
        <div class="choices">
          <button
            type="button"
            class={changed ? "primary small" : "small"}
            disabled={running !== undefined}
            onClick={() => void requests.again(body)}
          >
            Send it again and compare
          </button>
          {server !== undefined && (
            <button
              type="button"
              class="small"
              disabled={running !== undefined}
              onClick={() => void requests.sendToOther(body)}
            >
              Send it to {server} and compare
            </button>
          )}
        </div>
      )}
      {problem !== undefined && (
        <div class="notice bad" role="alert">
          <pre>{problem}</pre>
        </div>
      )}
      {others.length > 0 && (
        <div class="choices">
          <Choice
            label="Request"
            value={String(other === undefined ? 0 : against)}
            options={[
              ["0", "choose one"],
              ...others.map((one) => [String(one.sent), optionText(one)] as const),
            ]}
            choose={(value) => compareWith(Number(value))}
          />
          <Choice
            label="Tolerance"
            value={String(tolerance)}
            options={tolerances.map((one) => [String(one), String(one)])}
            choose={(value) => setTolerance(Number(value))}
          />
        </div>
      )}
      {other !== undefined && (
        <Compared
          key={`${against} ${tolerance}`}
          recording={request.recording}
          other={other.recording}
          failures={failuresText([errorOf(request.events), other.error])}
          names={namesOf(request, other)}
          tolerance={tolerance}
        />
      )}
    </section>
  );
};

const maySendAgain = (sequence: ShownSequence | undefined): boolean =>
  sequence === undefined || sequence.earlier !== undefined;

const sequenceText = (sequence: ShownSequence | undefined): string | undefined => {
  if (sequence === undefined || sequence.earlier?.length === 0) return undefined;
  if (sequence.earlier === undefined)
    return "It cannot be sent again, because this page does not know the earlier requests of its sequence.";
  const count = sequence.earlier.length;
  const what = count === 1 ? "earlier request" : `${count} earlier requests`;
  return `To send it again, the page first sends the ${what} of its sequence, under another id.`;
};

const optionText = ({ sent, summary, server, generation: made }: RecordedRequest): string =>
  [
    new Date(sent).toLocaleTimeString(),
    ...(server === undefined ? [] : [`at ${server}`]),
    ...(made < generation.value ? ["(before a change)"] : []),
    summary.slice(0, 60),
  ].join(" ");

type Names = readonly [one: string, other: string];

/** The names of the two sides of a comparison, as used in sentences. */
const namesOf = (request: CompareProps["request"], other: RecordedRequest): Names => {
  if (other.server !== undefined) return ["this server", other.server];
  if (other.generation < request.generation) return ["this version", "the earlier version"];
  if (other.generation > request.generation) return ["this version", "the later version"];
  return ["this request", "the other"];
};

interface ComparedProps {
  readonly recording: Recording;
  readonly other: Recording;
  /** A sentence about the errors of the two requests, if both failed. */
  readonly failures: string | undefined;
  readonly names: Names;
  readonly tolerance: number;
}

const Compared = ({ recording, other, failures, names, tolerance }: ComparedProps): JSX.Element => {
  const parts = useMemo(
    () =>
      compareRecordings(recording, other, {
        names,
        compare: (one, another) => compareContents(one, another, tolerance),
      }),
    [recording, other, tolerance],
  );
  const rows = useMemo(() => parts.flatMap(rowsOf), [parts]);
  const found = useMemo(() => firstDifference(parts), [parts]);
  const first = rows.find(({ part, tensor }) => part === found?.part && tensor === found.tensor);
  const [chosen, setChosen] = useState<Row | undefined>(undefined);
  const shown = rows.find((row) => row === chosen) ?? first;
  const mark = useRef<HTMLTableRowElement>(null);
  useEffect(() => mark.current?.scrollIntoView({ block: "center" }), [first]);
  return (
    <>
      <p
        class={first === undefined && failures === undefined ? "notice result" : "notice result warn"}
        role="status"
      >
        {failures !== undefined && `${failures} `}
        {comparisonSummary(parts, [recording, other])}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Tensors of both">
        <table class="compared">
          <Head titles={["Step", "Tensor", "Difference", "Type"]} />
          <tbody>
            {rows.map((row, index) => (
              <RowView
                key={index}
                row={row}
                mark={row === first ? mark : undefined}
                chosen={row === shown}
                choose={() => setChosen(row)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {shown?.tensor !== undefined && (
        <div class="pair">
          {[shown.tensor.one, shown.tensor.other].map((content, index) => (
            <div key={index}>
              <h4>{titleOf(names[index] ?? "")}</h4>
              {content === undefined ? (
                <p class="quiet">It does not have this tensor.</p>
              ) : (
                <ContentView content={content} from={shown.part.kind === "gave" ? shown.part.model : ""} />
              )}
            </div>
          ))}
        </div>
      )}
    </>
  );
};

/** An address is used unchanged. */
const titleOf = (name: string): string =>
  name.includes("://") ? name : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

const rowsOf = (part: Part): readonly Row[] => [
  ...part.tensors.map((tensor) => ({ part, tensor })),
  ...(part.problem === undefined ? [] : [{ part, tensor: undefined }]),
];

interface RowViewProps {
  readonly row: Row;
  /** Shown only for the first difference. */
  readonly mark: { current: HTMLTableRowElement | null } | undefined;
  readonly chosen: boolean;
  readonly choose: () => void;
}

const RowView = ({ row: { part, tensor }, mark, chosen, choose }: RowViewProps): JSX.Element => (
  <tr ref={mark ?? null} class={`${chosen ? "chosen" : ""}${mark === undefined ? "" : " first"}`}>
    <th scope="row" style={{ paddingLeft: `${11 + part.depth * 14}px` }}>
      {part.path.at(-1)} <span class="quiet">{part.kind}</span>
      {part.response !== undefined && <span class="quiet"> {part.response}</span>}
      {part.depth > 1 && <span class="quiet caller">in {part.path.slice(1, -1).join(" → ")}</span>}
    </th>
    <td>
      {tensor !== undefined && (
        <button type="button" aria-pressed={chosen} onClick={choose}>
          {tensor.comparison.name}
        </button>
      )}
    </td>
    <td class={tensor?.comparison.ok === true ? "" : "bad"}>
      {tensor === undefined ? part.problem : comparisonText(tensor)}
      {mark !== undefined && <span class="badge bad">first</span>}
    </td>
    <td>
      <code>{typesOf(tensor)}</code>
    </td>
  </tr>
);

/** `FP32[4]`, or `FP32[4] / FP32[5]` if the two are different. */
const typesOf = (tensor: Row["tensor"]): string => {
  const types = [tensor?.one, tensor?.other].flatMap((content) =>
    content === undefined ? [] : [showType({ dtype: content.dtype, dims: content.shape })],
  );
  return [...new Set(types)].join(" / ");
};
