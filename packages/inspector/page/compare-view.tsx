import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  compareContents,
  type ComparedPart,
  type ComparedTensor,
  compareRecordings,
  comparisonSummary,
  comparisonText,
  type Content,
  firstDifference,
  type Recording,
  showType,
} from "@tritype/inspector/shared";
import { ContentView } from "./content-view.tsx";
import { recorded } from "./history.ts";

const tolerances = [0, 1e-6, 1e-5, 1e-3];
const names = ["this request", "the other"] as const;

type Part = ComparedPart<Content>;
interface Row {
  readonly part: Part;
  /** undefined for a difference that is not in a tensor. */
  readonly tensor: ComparedTensor<Content> | undefined;
}

/** The displayed recording next to that of an earlier request to the same model. */
export const CompareView = ({
  model,
  recording,
}: {
  readonly model: string;
  readonly recording: Recording;
}): JSX.Element => {
  const [sent, setSent] = useState(0);
  const [tolerance, setTolerance] = useState(1e-5);
  const others = recorded.value.filter((one) => one.model === model && one.recording !== recording);
  const other = others.find((one) => one.sent === sent);
  return (
    <section class="compare">
      <h3>Compare with another request</h3>
      {others.length === 0 ? (
        <p class="quiet">Send another recorded request to compare the two step by step.</p>
      ) : (
        <div class="choices">
          <label>
            Request{" "}
            <select value={sent} onChange={(event) => setSent(Number(event.currentTarget.value))}>
              <option value={0}>choose one</option>
              {others.map((one) => (
                <option key={one.sent} value={one.sent}>
                  {new Date(one.sent).toLocaleTimeString()} {one.summary.slice(0, 60)}
                </option>
              ))}
            </select>
          </label>
          <label>
            Tolerance{" "}
            <select value={tolerance} onChange={(event) => setTolerance(Number(event.currentTarget.value))}>
              {tolerances.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {other !== undefined && (
        <Compared
          key={`${sent} ${tolerance}`}
          recording={recording}
          other={other.recording}
          tolerance={tolerance}
        />
      )}
    </section>
  );
};

interface ComparedProps {
  readonly recording: Recording;
  readonly other: Recording;
  readonly tolerance: number;
}

const Compared = ({ recording, other, tolerance }: ComparedProps): JSX.Element => {
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
      <p class={first === undefined ? "notice" : "notice warn"} role="status">
        {comparisonSummary(parts, [recording, other])}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Tensors of both requests">
        <table class="compared">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Tensor</th>
              <th scope="col">Difference</th>
              <th scope="col">Type</th>
            </tr>
          </thead>
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
              <h4>{index === 0 ? "This request" : "The other"}</h4>
              {content === undefined ? (
                <p class="quiet">It does not have this tensor.</p>
              ) : (
                <ContentView content={content} />
              )}
            </div>
          ))}
        </div>
      )}
    </>
  );
};

const rowsOf = (part: Part): readonly Row[] => [
  ...part.tensors.map((tensor) => ({ part, tensor })),
  ...(part.problem === undefined ? [] : [{ part, tensor: undefined }]),
];

interface RowViewProps {
  readonly row: Row;
  /** Only for the first difference. */
  readonly mark: { current: HTMLTableRowElement | null } | undefined;
  readonly chosen: boolean;
  readonly choose: () => void;
}

const RowView = ({ row: { part, tensor }, mark, chosen, choose }: RowViewProps): JSX.Element => (
  <tr ref={mark ?? null} class={`${chosen ? "chosen" : ""}${mark === undefined ? "" : " first"}`}>
    <th scope="row" style={{ paddingLeft: `${11 + part.depth * 14}px` }}>
      {part.model} <span class="quiet">{part.kind}</span>
      {part.response !== undefined && <span class="quiet"> {part.response}</span>}
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
