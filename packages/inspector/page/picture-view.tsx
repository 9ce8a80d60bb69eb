import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Picture, pictureText } from "@tritype/inspector/view";

/** The address of one of the pictures in a tensor. */
export const pictureUrl = ({ rows }: Picture, row: number): string =>
  `data:image/png;base64,${rows[row] ?? ""}`;

interface PictureProps {
  readonly name: string;
  readonly picture: Picture;
}

/** Numbers as a picture, with the mapping of their values. */
export const PictureView = ({ name, picture }: PictureProps): JSX.Element => {
  const { rows, total, width, height } = picture;
  const [row, setRow] = useState(0);
  return (
    <figure class="numbers">
      <img
        class="picture pixels"
        style={{ aspectRatio: `${width} / ${height}` }}
        src={pictureUrl(picture, row)}
        alt={total > 1 ? `${name}, row ${row}` : name}
      />
      <figcaption class="quiet">
        {total > 1 && <RowSelect count={rows.length} total={total} row={row} choose={setRow} />}
        <p>{pictureText(picture)}</p>
      </figcaption>
    </figure>
  );
};

interface RowSelectProps {
  /** The rows to select from. */
  readonly count: number;
  readonly total: number;
  readonly row: number;
  readonly choose: (row: number) => void;
}

export const RowSelect = ({ count, total, row, choose }: RowSelectProps): JSX.Element => (
  <label>
    Row{" "}
    <select value={row} onChange={(event) => choose(Number(event.currentTarget.value))}>
      {Array.from({ length: count }, (_, index) => (
        <option key={index} value={index}>
          {index}
        </option>
      ))}
    </select>{" "}
    of {total}
  </label>
);
