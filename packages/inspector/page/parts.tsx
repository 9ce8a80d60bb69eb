import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FindingView, ModelState, ModelView, PlaceView, TextView } from "@tritype/inspector/view";
import { PlaceLink } from "./place-link.tsx";

const states: Readonly<Record<ModelState, readonly [cssClass: string, text: string]>> = {
  READY: ["good", "ready"],
  UNAVAILABLE: ["bad", "unavailable"],
  LOADING: ["busy", "loading"],
  UNLOADING: ["busy", "unloading"],
  UNKNOWN: ["off", "not loaded"],
};

/** Whether an earlier version of its files is served, because they cannot be loaded. */
export const isOutdated = ({ state, reason }: ModelView): boolean =>
  state === "READY" && reason !== undefined;

const lookOf = (model: ModelView): readonly [cssClass: string, text: string] =>
  isOutdated(model) ? ["warn", "not reloaded"] : states[model.state];

/** A dot, with its meaning as text for users who cannot see its color. */
export const StateMark = ({ model }: { readonly model: ModelView }): JSX.Element => {
  const [look, text] = lookOf(model);
  return <span class={`mark ${look}`} role="img" aria-label={text} title={text} />;
};

export const stateText = (model: ModelView): string => lookOf(model)[1];

export const Findings = ({ findings }: { readonly findings: readonly FindingView[] }): JSX.Element => (
  <ul class="findings">
    {findings.map(({ code, severity, message, help, place }, index) => (
      <li key={index} class={severity}>
        <p>
          <strong>{severity}</strong> <code>{code}</code>
        </p>
        <p>{message}</p>
        {help !== undefined && <p class="help">{help}</p>}
        {place !== undefined && (
          <p class="quiet">
            <code>
              <PlaceLink place={place}>
                {place.file}:{place.line}
              </PlaceLink>
            </code>
          </p>
        )}
      </li>
    ))}
  </ul>
);

/** The head of a table. */
export const Head = ({ titles }: { readonly titles: readonly string[] }): JSX.Element => (
  <thead>
    <tr>
      {titles.map((title) => (
        <th key={title} scope="col">
          {title}
        </th>
      ))}
    </tr>
  </thead>
);

interface CodeProps {
  readonly view: TextView;
  readonly label: string;
  /** The position of the text, if it can be opened. */
  readonly place?: PlaceView | undefined;
  /** Whether the page scrolls to the marked line. Default: no. */
  readonly isSought?: boolean;
}

const scrollTo = (line: Element | null): void => line?.scrollIntoView({ block: "center" });

/** Text with line numbers. */
export const Code = ({ view, label, place, isSought = false }: CodeProps): JSX.Element => (
  <figure class="code">
    <figcaption>
      {label}{" "}
      <code>{place === undefined ? view.path : <PlaceLink place={place}>{view.path}</PlaceLink>}</code>
    </figcaption>
    <pre tabIndex={0} aria-label={`${label} ${view.path}`}>
      {view.text
        .replace(/\n$/, "")
        .split("\n")
        .map((line, index) => {
          const number = view.firstLine + index;
          return (
            <span
              key={number}
              class={number === view.marked ? "line marked" : "line"}
              ref={isSought && number === view.marked ? scrollTo : null}
            >
              <span class="number" aria-hidden="true">
                {number}
              </span>
              {`${line}\n`}
            </span>
          );
        })}
      {view.cut && <span class="line quiet">…</span>}
    </pre>
  </figure>
);

export const Copy = ({ text }: { readonly text: string }): JSX.Element => {
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      class="small"
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => setCopied(true));
      }}
    >
      {copied ? "Copied" : "Copy"}
    </button>
  );
};

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly choose: (value: string) => void;
}

export const Choice = ({ label, value, options, choose }: ChoiceProps): JSX.Element => (
  <label>
    {label}{" "}
    <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  </label>
);
