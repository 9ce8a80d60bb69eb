import type { TopLevelSpec } from "vega-lite";

/** The tone of a statement. It is always shown with a word or a symbol in addition to its color. */
export type Tone = "good" | "warn" | "bad" | "quiet";

/** The content of one HTML page. All strings are plain text: HTML markup in them is shown as text. */
export interface Report {
  readonly title: string;
  /** A line below the title with the time, the place and the subject. */
  readonly subtitle?: string;
  /** One sentence with the main result. */
  readonly verdict?: { readonly tone: Tone; readonly text: string };
  /** At least one section; if there are several, a list of links to them follows the title. */
  readonly sections: readonly Section[];
  /** The last line. */
  readonly footer?: string;
}

export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** A string is a paragraph. */
export type Block = string | Facts | Table | Plot | Code | Notice | Details | Columns;

/** A few figures in large type. */
export interface Facts {
  readonly kind: "facts";
  readonly facts: readonly Fact[];
}

export interface Fact {
  readonly label: string;
  /** Number and unit: "1,240 requests/s". */
  readonly value: string;
  readonly note?: string;
  readonly tone?: Tone;
}

export interface Table {
  readonly kind: "table";
  readonly caption?: string;
  readonly columns: readonly Column[];
  /** Cells in the order of `columns`, as many as there are columns. */
  readonly rows: readonly (readonly Cell[])[];
}

/** The title; a column of figures is aligned on the right. */
export type Column = string | { readonly figures: string };

export type Cell = string | MarkedCell;

export interface MarkedCell {
  readonly text: string;
  readonly tone?: Tone;
  /** 0 to 1: a bar of that length in the cell's background. */
  readonly share?: number;
}

/** A Vega-Lite specification without colors, fonts and background, which the page provides for light and dark. */
export type PlotSpec = TopLevelSpec;

export interface Plot {
  readonly kind: "plot";
  readonly title: string;
  /** A description for readers who cannot see the plot. */
  readonly description: string;
  /**
   * Data is in the specification (`data.values`). Default size 560 × 260 pixels, narrower in a narrow window. The
   * page has eight colors for categories; a continuous color scale must specify its own.
   */
  readonly spec: PlotSpec;
  readonly caption?: string;
}

/** Preformatted text, with its line breaks. */
export interface Code {
  readonly kind: "code";
  readonly text: string;
}

export interface Notice {
  readonly kind: "notice";
  readonly tone: Tone;
  readonly text: string;
}

/** Collapsed until the reader opens it; expanded on paper. */
export interface Details {
  readonly kind: "details";
  readonly summary: string;
  readonly blocks: readonly Block[];
}

/** Blocks side by side if the window is wide enough. */
export interface Columns {
  readonly kind: "columns";
  readonly blocks: readonly Block[];
}
