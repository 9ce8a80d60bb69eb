import type { JSX, TargetedKeyboardEvent } from "preact";
import { useId, useState } from "preact/hooks";
import {
  choicesOf,
  type FieldValue,
  exampleText,
  fieldKind,
  jsonProblem,
  nestRows,
  pictureForm,
  type PictureScaling,
  pictureScalings,
  scalingsOf,
  schemaText,
  type JsonSchema,
  showType,
  startValue,
  type TensorView,
} from "@tritype/inspector/view";
import { type FileValue, isPicture, sizeText, useFileUrl } from "./file-url.ts";
import { Choice } from "./parts.tsx";
import { readPicture } from "./read-picture.ts";

interface FieldProps {
  readonly input: TensorView;
  readonly value: FieldValue;
  readonly change: (value: FieldValue) => void;
}

/** The form of one input. */
export const Field = ({ input, value, change }: FieldProps): JSX.Element => {
  const kind = fieldKind(input);
  const batched = input.dims[0] === "batch";
  const hasFile = kind === "text" || pictureForm(input) !== undefined;
  const isPictured = value.kind === "picture";
  const hasForms = kind !== "json" && (input.json === undefined || value.kind !== "rows");
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
      {(value.kind === "file" || isPictured) && <FilePreview value={value} />}
      {isPictured && (
        <Choice
          label="Values"
          value={value.scaling}
          options={scalingsOf(input.dtype, value.form).map((one) => [one, pictureScalings[one].text])}
          choose={(one) => change({ ...value, scaling: one as PictureScaling })}
        />
      )}
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
        {hasFile && <FileButton input={input} change={change} />}
        {(hasForms || isPictured) && (
          <button
            type="button"
            class="small"
            onClick={() =>
              change(
                value.kind === "rows" ? { kind: "json", text: asJson(input, value.rows) } : startValue(input),
              )
            }
          >
            {value.kind === "rows" || isPictured ? "As JSON" : "As a form"}
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

const asJson = (input: TensorView, rows: readonly string[]): string => {
  const blank = choicesOf(input)?.[0] ?? "0";
  return nestRows(
    input,
    rows.map((row) => (input.dtype === "BYTES" ? JSON.stringify(row) : row.trim() || blank)),
  );
};

interface RowProps {
  readonly input: TensorView;
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
}

const RowInput = ({ input, label, value, change }: RowProps): JSX.Element => {
  const kind = fieldKind(input);
  const choices = choicesOf(input);
  if (choices !== undefined)
    return (
      <select aria-label={label} value={value} onChange={(event) => change(event.currentTarget.value)}>
        {input.optional === true && <option value="">not sent</option>}
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

const FileButton = ({ input, change }: Pick<FieldProps, "input" | "change">): JSX.Element => {
  const [problem, setProblem] = useState("");
  const form = pictureForm(input);
  const use = async (file: File): Promise<void> => {
    const { name, type } = file;
    if (form === undefined)
      return change({ kind: "file", name, type, bytes: new Uint8Array(await file.arrayBuffer()) });
    const picture = await readPicture(file, input.dtype, form).catch(() => undefined);
    setProblem(picture === undefined ? `The browser cannot read ${name} as a picture.` : "");
    if (picture !== undefined) change(picture);
  };
  return (
    <>
      <label class="button small file">
        {form === undefined ? "File …" : "Picture …"}
        <input
          type="file"
          accept={form === undefined ? "" : "image/*"}
          aria-label={`A ${form === undefined ? "file" : "picture"} for ${input.name}`}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            // So that the same file can be chosen again.
            currentTarget.value = "";
            if (file !== undefined) void use(file);
          }}
        />
      </label>
      <span class="quiet" role="status">
        {problem}
      </span>
    </>
  );
};

const FilePreview = ({ value }: { readonly value: FileValue }): JSX.Element => {
  const url = useFileUrl(value);
  return (
    <div class="file-preview">
      {url !== "" && isPicture(value) && <img class="picture" src={url} alt={value.name} />}
      {url !== "" && value.type.startsWith("audio/") && <audio controls src={url} />}
      <span>
        {value.name} <span class="quiet">{sizeText(value)}</span>
      </span>
    </div>
  );
};
