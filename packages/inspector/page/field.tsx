import type { JSX, TargetedKeyboardEvent } from "preact";
import { useId } from "preact/hooks";
import {
  bytesText,
  type FieldValue,
  exampleText,
  fieldKind,
  jsonProblem,
  nestRows,
  schemaText,
  type JsonSchema,
  showType,
  startValue,
  type TensorView,
} from "@tritype/inspector/shared";
import { type FileValue, isPicture, useFileUrl } from "./file-url.ts";

interface FieldProps {
  readonly input: TensorView;
  readonly value: FieldValue;
  readonly change: (value: FieldValue) => void;
}

/** The form of one input. */
export const Field = ({ input, value, change }: FieldProps): JSX.Element => {
  const kind = fieldKind(input);
  const batched = input.dims[0] === "batch";
  return (
    <fieldset class="field">
      <legend>
        {input.name} <code>{showType(input)}</code>
        {input.json !== undefined && <span class="quiet"> JSON in each row</span>}
        {input.optional === true && <span class="quiet"> optional</span>}
      </legend>
      {input.json !== undefined && Object.keys(input.json).length > 0 && (
        <pre class="schema" tabIndex={0} role="region" aria-label={`Type of ${input.name}`}>
          {schemaText(input.json)}
        </pre>
      )}
      {value.kind === "file" && <FilePreview value={value} />}
      {value.kind === "json" && (
        <textarea
          class="json"
          rows={Math.min(10, Math.max(2, value.text.split("\n").length))}
          aria-label={`${input.name} as JSON`}
          spellcheck={false}
          value={value.text}
          onInput={(event) => change({ kind: "json", text: event.currentTarget.value })}
          onKeyDown={sendOnEnter}
        />
      )}
      {value.kind === "rows" &&
        value.rows.map((row, index) => (
          <div key={index} class="row">
            <RowInput
              input={input}
              label={value.rows.length > 1 ? `${input.name}, row ${index}` : input.name}
              value={row}
              change={(text) =>
                change({ kind: "rows", rows: value.rows.map((old, i) => (i === index ? text : old)) })
              }
            />
            {value.rows.length > 1 && (
              <button
                type="button"
                class="small"
                aria-label={`Remove row ${index}`}
                onClick={() => change({ kind: "rows", rows: value.rows.filter((_, i) => i !== index) })}
              >
                ✕
              </button>
            )}
          </div>
        ))}
      <div class="field-tools">
        {value.kind === "rows" && batched && (
          <button
            type="button"
            class="small"
            onClick={() => change({ kind: "rows", rows: [...value.rows, value.rows.at(-1) ?? ""] })}
          >
            Add a row
          </button>
        )}
        {kind === "text" && <FileButton input={input} change={change} />}
        {kind !== "json" && (input.json === undefined || value.kind !== "rows") && (
          <button
            type="button"
            class="small"
            onClick={() =>
              change(
                value.kind === "rows" ? { kind: "json", text: asJson(input, value.rows) } : startValue(input),
              )
            }
          >
            {value.kind === "rows" ? "As JSON" : "As a form"}
          </button>
        )}
      </div>
    </fieldset>
  );
};

/** Ctrl+Enter or Cmd+Enter sends the form. */
const sendOnEnter = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): void => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
};

const asJson = (input: TensorView, rows: readonly string[]): string =>
  nestRows(
    input,
    rows.map((row) => (input.dtype === "BYTES" ? JSON.stringify(row) : row.trim() || "0")),
  );

interface RowProps {
  readonly input: TensorView;
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
}

const RowInput = ({ input, label, value, change }: RowProps): JSX.Element => {
  const kind = fieldKind(input);
  const choices = kind === "choice" ? ["false", "true"] : input.choices;
  if (choices !== undefined)
    return (
      <select aria-label={label} value={value} onChange={(event) => change(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  if (input.json !== undefined)
    return <JsonInput input={input} label={label} value={value} change={change} json={input.json} />;
  return kind === "number" ? (
    <input
      inputMode={/INT/.test(input.dtype) ? "decimal" : "text"}
      aria-label={label}
      value={value}
      onInput={(event) => change(event.currentTarget.value)}
    />
  ) : (
    <textarea
      rows={value.length > 100 || value.includes("\n") ? 5 : 2}
      aria-label={label}
      value={value}
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={sendOnEnter}
    />
  );
};

/** A JSON text, and the reason if the model would not accept it. */
const JsonInput = ({
  input,
  label,
  value,
  change,
  json,
}: RowProps & { readonly json: JsonSchema }): JSX.Element => {
  const id = `problem-${useId()}`;
  const isLeftOut = input.optional === true && value === "";
  const problem = isLeftOut ? undefined : jsonProblem(value, json);
  return (
    <div class="json-row">
      <textarea
        class="json"
        rows={Math.min(24, Math.max(2, value.split("\n").length))}
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-describedby={id}
        spellcheck={false}
        placeholder={exampleText(json)}
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={sendOnEnter}
      />
      <p id={id} class="problem" role="status">
        {problem}
      </p>
    </div>
  );
};

const FileButton = ({
  input,
  change,
}: {
  readonly input: TensorView;
  readonly change: (value: FieldValue) => void;
}): JSX.Element => (
  <label class="button small file">
    File …
    <input
      type="file"
      aria-label={`A file for ${input.name}`}
      onChange={(event) => {
        const [file] = event.currentTarget.files ?? [];
        if (file === undefined) return;
        void file
          .arrayBuffer()
          .then((buffer) =>
            change({ kind: "file", name: file.name, type: file.type, bytes: new Uint8Array(buffer) }),
          );
      }}
    />
  </label>
);

const FilePreview = ({ value }: { readonly value: FileValue }): JSX.Element => {
  const url = useFileUrl(value);
  return (
    <div class="file-preview">
      {url !== "" && isPicture(value) && <img class="picture" src={url} alt={value.name} />}
      {url !== "" && value.type.startsWith("audio/") && <audio controls src={url} />}
      <span>
        {value.name} <span class="quiet">{bytesText(value.bytes.byteLength)}</span>
      </span>
    </div>
  );
};
