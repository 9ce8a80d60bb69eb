import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import {
  type BoxForm,
  boxForms,
  type FieldValue,
  findBoxes,
  type FoundBoxes,
  type ModelView,
  numberText,
  type Picture,
  type PlacedBox,
  placeBoxes,
  type RunEvent,
} from "@tritype/inspector/view";
import { type FileValue, isPicture, useFileUrl } from "./file-url.ts";
import type { Size } from "./fold-layout.ts";
import { Choice, Head } from "./parts.tsx";
import { pictureUrl, RowSelect } from "./picture-view.tsx";

/** A picture of the request. */
interface SentPicture {
  readonly name: string;
  readonly content: FileValue | Picture;
}

interface BoxesProps {
  readonly model: ModelView;
  readonly events: readonly RunEvent[];
  readonly fields: readonly (readonly [input: string, value: FieldValue])[];
  /** Whether the request is an earlier one, whose pictures are not kept. */
  readonly isEarlier: boolean;
}

/** The boxes of the last response on the pictures of the request. */
export const BoxesView = ({ model, events, fields, isEarlier }: BoxesProps): JSX.Element | null => {
  const last = events.filter((event) => event.kind === "response").at(-1);
  const found = useMemo(() => findBoxes(last?.outputs ?? [], model.outputs), [last, model]);
  const pictures = useMemo(() => picturesOf(events, fields), [events, fields]);
  if (found.length === 0 || (pictures.length === 0 && !isEarlier)) return null;
  return (
    <>
      {found.map((boxes) => (
        <Boxes key={boxes.name} model={model.name} found={boxes} pictures={pictures} />
      ))}
    </>
  );
};

const picturesOf = (events: readonly RunEvent[], fields: BoxesProps["fields"]): readonly SentPicture[] => [
  ...fields.flatMap(([name, value]) =>
    value.kind === "file" && isPicture(value) ? [{ name, content: value }] : [],
  ),
  ...events
    .flatMap((event) => (event.kind === "request" ? event.inputs : []))
    .flatMap(({ name, picture }) => (picture === undefined ? [] : [{ name, content: picture }])),
];

/** The user's choices, which also apply to later answers of the same output. */
interface Choices {
  readonly form?: BoxForm;
  readonly areFractions?: boolean;
}
const chosenBefore = new Map<string, Choices>();

interface OutputProps {
  readonly model: string;
  readonly found: FoundBoxes;
  readonly pictures: readonly SentPicture[];
}

const Boxes = ({ model, found, pictures }: OutputProps): JSX.Element => {
  const { name, rows, left } = found;
  const [row, setRow] = useState(0);
  const [input, setInput] = useState(0);
  const [choices, setChoices] = useState<Choices>(chosenBefore.get(`${model} ${name}`) ?? {});
  const choose = (more: Choices): void => {
    const now = { ...choices, ...more };
    chosenBefore.set(`${model} ${name}`, now);
    setChoices(now);
  };
  const form = found.form ?? choices.form ?? found.guess;
  const areFractions = choices.areFractions ?? found.areFractions;
  const scale = useMemo(() => scoresOf(rows), [rows]);
  const [least, setLeast] = useState(scale?.start ?? 0);
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const [size, setSize] = useState<Size | undefined>(undefined);
  const picture = pictures[input];
  const unknown = areFractions ? 1 : Infinity;
  const drawable =
    picture !== undefined && "rows" in picture.content && picture.content.total > 1
      ? Math.min(rows.length, picture.content.rows.length)
      : rows.length;
  const placed = useMemo(
    () =>
      placeBoxes(rows[row] ?? [], {
        form,
        areFractions,
        least: scale === undefined ? -Infinity : least,
        ...(size ?? { width: unknown, height: unknown }),
      }),
    [rows, row, form, areFractions, scale, least, size],
  );
  const notDrawn = [...placed.left, ...(left > 0 ? [["that the page did not get", left] as const] : [])].map(
    ([reason, count]) => `${count} ${reason}`,
  );
  const count = placed.boxes.length;
  return (
    <section class="tensor boxes" aria-label={`Boxes in ${name}`} aria-live="off">
      <h4>
        Boxes <code>{name}</code>
        {picture !== undefined && <span class="quiet">on {picture.name}</span>}
      </h4>
      <p class="box-tools">
        {pictures.length > 1 && (
          <Choice
            label="On"
            value={String(input)}
            options={pictures.map((one, index) => [String(index), one.name])}
            choose={(value) => setInput(Number(value))}
          />
        )}
        {rows.length > 1 && <RowSelect count={drawable} total={rows.length} row={row} choose={setRow} />}
        {found.form === undefined && (
          <Choice
            label="Order"
            value={form}
            options={Object.entries(boxForms)}
            choose={(value) => choose({ form: value as BoxForm })}
          />
        )}
        <Choice
          label="Unit"
          value={String(areFractions)}
          options={[
            ["true", "fractions of the picture"],
            ["false", "pixels of the picture"],
          ]}
          choose={(value) => choose({ areFractions: value === "true" })}
        />
        {scale !== undefined && (
          <label>
            Score from{" "}
            <input
              type="range"
              min={scale.min}
              max={scale.max}
              step={(scale.max - scale.min) / 20}
              value={least}
              onInput={(event) => setLeast(Number(event.currentTarget.value))}
            />{" "}
            {numberText(least)}
          </label>
        )}
      </p>
      {picture === undefined ? (
        <p class="quiet">The page does not keep the pictures of earlier requests.</p>
      ) : (
        <Drawing
          key={`${input} ${row}`}
          picture={picture}
          row={row}
          boxes={size === undefined ? [] : placed.boxes}
          chosen={chosen}
          setSize={setSize}
        />
      )}
      <p class="quiet">
        {count === 1 ? "1 box" : `${count} boxes`}.
        {notDrawn.length > 0 && ` Not shown: ${notDrawn.join(", ")}.`}
      </p>
      {count > 0 && <BoxTable name={name} boxes={placed.boxes} chosen={chosen} choose={setChosen} />}
    </section>
  );
};

const mostWithoutLimit = 20;

/** The range of the scores, and the lowest one at first; undefined without scores. */
const scoresOf = (rows: FoundBoxes["rows"]) => {
  const scores = rows.flat().flatMap(({ score }) => (Number.isFinite(score) ? [score ?? 0] : []));
  if (scores.length === 0) return undefined;
  const min = Math.floor(scores.reduce((a, b) => Math.min(a, b), 0));
  const max = Math.ceil(scores.reduce((a, b) => Math.max(a, b), 1));
  const isMany = rows.some(({ length }) => length > mostWithoutLimit);
  return { min, max, start: isMany && min === 0 && max === 1 ? 0.3 : min };
};

/** The largest height of a picture with boxes, in CSS pixels. */
const highest = 440;
const mostLabels = 20;
const colours = 6;

interface DrawingProps {
  readonly picture: SentPicture;
  readonly row: number;
  readonly boxes: readonly PlacedBox[];
  readonly chosen: number | undefined;
  readonly setSize: (size: Size) => void;
}

const Drawing = ({ picture: { name, content }, row, boxes, chosen, setSize }: DrawingProps): JSX.Element => {
  const isFile = "bytes" in content;
  const fileUrl = useFileUrl(isFile ? content : undefined);
  const [shape, setShape] = useState<Size | undefined>(undefined);
  const url = isFile ? fileUrl : pictureUrl(content, content.total > 1 ? row : 0);
  const labels = [...new Set(boxes.map(({ label }) => label ?? ""))];
  return (
    <div
      class="boxed"
      role="img"
      aria-label={`${name} with ${boxes.length === 1 ? "1 box" : `${boxes.length} boxes`}`}
      style={
        shape && {
          aspectRatio: `${shape.width} / ${shape.height}`,
          maxWidth: `${(highest * shape.width) / shape.height}px`,
        }
      }
    >
      {url !== "" && (
        <img
          class={(shape?.width ?? highest) < highest ? "pixels" : ""}
          src={url}
          alt=""
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
            const size = isFile ? { width: naturalWidth, height: naturalHeight } : content;
            setShape(size);
            setSize(size);
          }}
        />
      )}
      {boxes.map(({ left, top, width, height, label, score }, index) => (
        <span
          key={index}
          class={`box colour-${labels.indexOf(label ?? "") % colours} ${index === chosen ? "chosen" : ""}`}
          style={{ left: percent(left), top: percent(top), width: percent(width), height: percent(height) }}
        >
          {(boxes.length <= mostLabels || index < mostLabels || index === chosen) && (
            <span class={`${top < 0.08 ? "inside" : ""} ${left > 0.6 ? "right" : ""}`}>
              {label ?? ""} {score === undefined ? "" : numberText(score)}
            </span>
          )}
        </span>
      ))}
    </div>
  );
};

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;

interface BoxTableProps {
  readonly name: string;
  readonly boxes: readonly PlacedBox[];
  readonly chosen: number | undefined;
  readonly choose: (index: number | undefined) => void;
}

const BoxTable = ({ name, boxes, chosen, choose }: BoxTableProps): JSX.Element => (
  <div class="scroll box-list" tabIndex={0} role="region" aria-label={`List of boxes in ${name}`}>
    <table class="values">
      <Head titles={["Box", "Label", "Score", "x1", "y1", "x2", "y2"]} />
      <tbody>
        {boxes.map(({ label, score, corners }, index) => (
          <tr key={index} class={index === chosen ? "chosen" : ""}>
            <th scope="row">
              <button
                type="button"
                class="small"
                aria-pressed={index === chosen}
                aria-label={`Mark box ${index + 1}`}
                onClick={() => choose(index === chosen ? undefined : index)}
              >
                {index + 1}
              </button>
            </th>
            <td>{label}</td>
            <td>{score !== undefined && numberText(score)}</td>
            {corners.map((one, at) => (
              <td key={at}>{numberText(Math.round(one * 100) / 100)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
