import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  bytesText,
  type ClassNames,
  classNamesOf,
  type Content,
  counted,
  type Element,
  elementCount,
  type Figures,
  highestOf,
  nameOfClass,
  notFinite,
  numberText,
  type Picture,
  prettyJson,
  showType,
} from "@tritype/inspector/view";
import { PictureView } from "./picture-view.tsx";
import { models } from "./state.ts";

const shownRows = 12;
const shownColumns = 8;
/** Columns of a tensor with one or two rows, such as token ids. */
const shownInFewRows = 32;
const mostBars = 64;
const mostTexts = 50;
/** How many classes are listed if there are too many for bars. */
const shownClasses = 10;
const shownHighest = 3;

interface ContentProps {
  readonly content: Content;
  /** The model that gave the tensor. Default: none did. */
  readonly from?: string;
  /** Shown next to its type. */
  readonly note?: string;
}

/** One tensor: values, texts, scores as bars, a picture, or a sound. */
export const ContentView = ({ content, from = "", note = "" }: ContentProps): JSX.Element => {
  const { name, dtype, shape, bytes, figures } = content;
  const broken = notFinite(content);
  const names = classNamesOf(content, models.value.get(from)?.outputs ?? []);
  return (
    <section class="tensor" aria-label={name}>
      <h4>
        {name} <code>{showType({ dtype, dims: shape })}</code>
        <span class="quiet">{bytesText(bytes)}</span>
        {note !== "" && <span class="quiet">{note}</span>}
        {broken > 0 && <span class="badge bad">{broken} not finite</span>}
      </h4>
      <Values content={content} names={names} />
      {figures !== undefined && figures.counted > 8 && <FiguresView figures={figures} shape={shape} />}
    </section>
  );
};

interface ValuesProps {
  readonly content: Content;
  readonly names: ClassNames | undefined;
}

const Values = ({ content, names }: ValuesProps): JSX.Element => {
  const { media, missing, picture } = content;
  if (missing !== undefined) return <p class="quiet">Not recorded: {missing}.</p>;
  if (media !== undefined) {
    const source = `data:${media.type};base64,${media.base64}`;
    return media.type.startsWith("image/") ? (
      <img class="picture" src={source} alt={content.name} />
    ) : (
      <audio controls src={source} />
    );
  }
  return picture === undefined ? (
    <Elements content={content} names={names} />
  ) : (
    <PictureOrElements content={content} names={names} picture={picture} />
  );
};

const PictureOrElements = ({
  content,
  names,
  picture,
}: ValuesProps & { readonly picture: Picture }): JSX.Element => {
  const [isPicture, setIsPicture] = useState(true);
  return (
    <>
      <div class="ways" role="group" aria-label={`${content.name} as`}>
        {[true, false].map((way) => (
          <button
            key={String(way)}
            type="button"
            class="small"
            aria-pressed={isPicture === way}
            onClick={() => setIsPicture(way)}
          >
            {way ? "Picture" : "Values"}
          </button>
        ))}
      </div>
      {isPicture ? (
        <PictureView name={content.name} picture={picture} />
      ) : (
        <Elements content={content} names={names} />
      )}
    </>
  );
};

const Elements = ({ content, names }: ValuesProps): JSX.Element => {
  const { dtype, shape, elements, cut } = content;
  if (elements.length === 0) return <p class="quiet">No elements.</p>;
  if (dtype === "BYTES")
    return (
      <>
        {elements.slice(0, mostTexts).map((text, index) => (
          <Text key={index} text={String(text)} />
        ))}
        {(elements.length > mostTexts || cut === true) && <p class="quiet">Truncated: there is more.</p>}
      </>
    );
  const width = shape.at(-1) ?? 1;
  const columns = names?.by === "column" ? names.names : undefined;
  const scores = scoresOf(content, width, columns === undefined ? mostBars : elements.length);
  if (scores !== undefined) return <Bars rows={scores} names={columns} />;
  if (elements.length > 1) return <Table content={content} names={names} />;
  const [element = ""] = elements;
  return (
    <p class="value">
      {show(element)}
      <ClassName names={names} number={element} />
    </p>
  );
};

const Text = ({ text }: { readonly text: string }): JSX.Element => {
  const pretty = prettyJson(text);
  return pretty === undefined ? <p class="text">{text}</p> : <pre class="text">{pretty}</pre>;
};

/** The rows, if they are few enough for bars and look like scores: numbers between 0 and 1. */
const scoresOf = (
  { dtype, shape, elements }: Content,
  width: number,
  widest: number,
): readonly (readonly number[])[] | undefined => {
  if (!/^(?:FP|BF)/.test(dtype) || width < 2 || width > widest || shape.length > 2) return undefined;
  const numbers = elements.filter((one): one is number => typeof one === "number" && one >= 0 && one <= 1);
  if (numbers.length !== elements.length) return undefined;
  return Array.from({ length: Math.min(shownRows, numbers.length / width) }, (_, row) =>
    numbers.slice(row * width, (row + 1) * width),
  );
};

interface BarsProps {
  readonly rows: readonly (readonly number[])[];
  readonly names: readonly string[] | undefined;
}

const Bars = ({ rows, names }: BarsProps): JSX.Element => (
  <>
    {rows.map((row, index) => (
      <ol key={index} class={names === undefined ? "bars" : "bars named"}>
        {(row.length > mostBars ? highestOf(row, shownClasses) : [...row.entries()]).map(([place, score]) => (
          <li key={place} class={score === Math.max(...row) ? "best" : ""}>
            <span class="quiet">{names === undefined ? place : (nameOfClass(names, place) ?? place)}</span>
            <span class="bar">
              <span style={{ width: `${score * 100}%` }} />
            </span>
            <span class="figure" title={String(score)}>
              {score.toFixed(4)}
            </span>
          </li>
        ))}
        {row.length > mostBars && <li class="quiet rest">… {row.length - shownClasses} more</li>}
      </ol>
    ))}
  </>
);

/** The name of a class number. */
const ClassName = ({
  names,
  number,
}: Pick<ValuesProps, "names"> & { readonly number: Element }): JSX.Element | null => {
  const name = names?.by === "value" ? nameOfClass(names.names, number) : undefined;
  return name === undefined ? null : <span class="quiet"> {name}</span>;
};

/** The classes with the highest scores of each row, for scores that are not between 0 and 1. */
const Highest = ({ content: { shape, elements }, names }: ValuesProps): JSX.Element | null => {
  const width = shape.at(-1) ?? 1;
  if (names?.by !== "column") return null;
  const rows = Array.from({ length: Math.min(shownRows, Math.floor(elements.length / width)) }, (_, row) =>
    highestOf(elements.slice(row * width, (row + 1) * width), shownHighest),
  );
  return (
    <>
      {rows.map((row, index) => (
        <p key={index} class="text">
          Highest:{" "}
          {row
            .map(([place, score]) => `${nameOfClass(names.names, place) ?? place} (${numberText(score)})`)
            .join(", ")}
        </p>
      ))}
    </>
  );
};

const show = (element: Element): string =>
  typeof element === "number" ? numberText(element) : String(element);

const isBroken = (element: Element): boolean =>
  element === "NaN" || element === "Infinity" || element === "-Infinity";

/** The columns are the last dimension; the other indices identify a row. */
const Table = ({ content, names }: ValuesProps): JSX.Element => {
  const { name, shape, elements } = content;
  const width = Math.max(1, shape.at(-1) ?? 1);
  const outer = shape.slice(0, -1);
  const all = elementCount(outer);
  const [factor, setFactor] = useState(1);
  const known = Math.ceil(elements.length / width);
  const rows = Math.min(shownRows * factor, known);
  const columns = Math.min(width, (all <= 2 ? shownInFewRows : shownColumns) * factor);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Values of ${name}`}>
      <Highest content={content} names={names} />
      <table class="values">
        <thead>
          <tr>
            <td />
            {Array.from({ length: columns }, (_, column) => (
              <th key={column} scope="col">
                {column}
                {names?.by === "column" && <div>{nameOfClass(names.names, column)}</div>}
              </th>
            ))}
            {width > columns && <th scope="col">… {width - columns} more</th>}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: rows }, (_, row) => (
            <tr key={row}>
              <th scope="row">{indexText(row, outer)}</th>
              {elements.slice(row * width, row * width + columns).map((element, column) => (
                <td key={column} class={isBroken(element) ? "broken" : ""}>
                  {show(element)}
                  <ClassName names={names} number={element} />
                </td>
              ))}
              {width > columns && <td />}
            </tr>
          ))}
        </tbody>
      </table>
      {all > rows && <p class="quiet">… {counted(all - rows, "more row")}</p>}
      {(rows < known || columns < Math.min(width, elements.length)) && (
        <button type="button" class="small" onClick={() => setFactor(factor * 8)}>
          Show more values
        </button>
      )}
    </div>
  );
};

const indexText = (row: number, outer: readonly number[]): string => {
  const parts: number[] = [];
  let rest = row;
  for (const size of outer.toReversed()) {
    parts.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return parts.join(", ");
};

interface FiguresProps {
  readonly figures: Figures;
  readonly shape: readonly number[];
}

const FiguresView = ({ figures, shape }: FiguresProps): JSX.Element => {
  const { min, max, mean, deviation, zeros, nan, infinite, histogram, counted } = figures;
  const largest = Math.max(1, ...histogram);
  const whole = elementCount(shape);
  const share = (count: number): string => `${((count / counted) * 100).toFixed(count === counted ? 0 : 1)}%`;
  return (
    <div class="figures">
      <svg
        viewBox="0 0 128 36"
        role="img"
        aria-label={`Histogram from ${numberText(min)} to ${numberText(max)}`}
      >
        {histogram.map((count, index) => {
          const height = count === 0 ? 0 : Math.max(1, (count / largest) * 35);
          return <rect key={index} x={index * 4} y={36 - height} width="3.2" height={height} />;
        })}
      </svg>
      <dl>
        <Figure name="min" value={numberText(min)} />
        <Figure name="max" value={numberText(max)} />
        <Figure name="mean" value={numberText(mean)} />
        <Figure name="deviation" value={numberText(deviation)} />
        <Figure name="zeros" value={share(zeros)} />
        {nan > 0 && <Figure name="NaN" value={String(nan)} bad />}
        {infinite > 0 && <Figure name="infinite" value={String(infinite)} bad />}
      </dl>
      {counted < whole && <p class="quiet">Of the first {counted} elements.</p>}
    </div>
  );
};

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly bad?: boolean;
}

const Figure = ({ name, value, bad = false }: FigureProps): JSX.Element => (
  <div class={bad ? "bad" : ""}>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
