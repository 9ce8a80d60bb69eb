import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import {
  counted,
  durationText,
  type Example,
  type FieldValue,
  JsonTextError,
  type ModelView,
  parseNumbers,
  placedErrors,
  placeAfter,
  placeText,
  type RequestBody,
  requestBody,
  type RunEvent,
  sequenceParameters,
  type SequencePlace,
  type SnippetLanguage,
  snippetOf,
  startValue,
} from "@tritype/inspector/view";
import { getExamples } from "./api.ts";
import { BoxesView } from "./boxes-view.tsx";
import { CompareView } from "./compare-view.tsx";
import { ContentView } from "./content-view.tsx";
import { Field } from "./field.tsx";
import { forget, past, type PastRequest, recordingOf, summaryOf } from "./history.ts";
import { Copy } from "./parts.tsx";
import { keptSignal, overview } from "./state.ts";
import { TimelineView } from "./timeline-view.tsx";
import { type Requests, useRequests } from "./use-requests.ts";

type Values = ReadonlyMap<string, FieldValue>;

const emptyForm = (model: ModelView): Values =>
  new Map(model.inputs.map((input) => [input.name, startValue(input)]));

export const TryView = ({ model }: { readonly model: ModelView }): JSX.Element => {
  const form = {
    values: keptSignal(`values ${model.name}`, emptyForm(model)),
    sequence: keptSignal<SequencePlace>(`sequence ${model.name}`, { id: "1", start: true, end: true }),
    record: keptSignal<boolean | undefined>(`record ${model.name}`, undefined),
  };
  const [values, sequence] = [form.values.value, form.sequence.value];
  const requests = useRequests(model.name);
  const { running } = requests;
  const records = overview.value?.tensors === true;
  const record = form.record.value ?? records;
  const [examples, setExamples] = useState<readonly Example[]>([]);
  const mayRecord = records || overview.value?.bySteps === true;
  useEffect(() => {
    getExamples(model.name).then(setExamples, () => setExamples([]));
  }, [model]);

  const body = useMemo((): RequestBody | Error => {
    try {
      return requestBody(
        model.inputs,
        values,
        model.sequences ? sequenceParameters(sequence, model.textSequenceIds) : {},
      );
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }, [model, values, sequence]);

  const send = async (complete: RequestBody): Promise<void> => {
    const sent = model.sequences ? sequence : undefined;
    const answered = await requests.send(complete, [...values], record && mayRecord, sent);
    if (answered && sent?.id === form.sequence.value.id) form.sequence.value = placeAfter(sent);
  };
  const place = (change: Partial<SequencePlace>): void => {
    form.sequence.value = { ...sequence, ...change };
  };
  const restore = (request: PastRequest): void => {
    form.values.value = new Map([...emptyForm(model), ...request.fields]);
    if (request.sequence !== undefined) form.sequence.value = request.sequence;
    requests.restore(request);
  };
  const useExample = (example: Example): void => {
    const filled = model.inputs.flatMap((input) => {
      const text = example.values[input.name];
      return text === undefined ? [] : [[input.name, fromJson(startValue(input), text)] as const];
    });
    form.values.value = new Map([...emptyForm(model), ...filled]);
  };

  if (model.state === "UNAVAILABLE" && model.inputs.length === 0)
    return <p class="empty">The model is unavailable, and its configuration cannot be read.</p>;
  return (
    <div class="try">
      <form
        class="request"
        aria-label="Request"
        onSubmit={(event) => {
          event.preventDefault();
          if (body instanceof Error || running !== undefined) return;
          void send(body);
        }}
      >
        <h3>Request</h3>
        {examples.length > 0 && (
          <p class="examples">
            <span>Samples of the build:</span>
            {examples.map((example) => (
              <button key={example.name} type="button" class="small" onClick={() => useExample(example)}>
                {example.name}
              </button>
            ))}
          </p>
        )}
        {model.inputs.map((input) => (
          <Field
            key={input.name}
            input={input}
            value={values.get(input.name) ?? startValue(input)}
            change={(value) => {
              form.values.value = new Map([...form.values.value, [input.name, value]]);
            }}
          />
        ))}
        {model.sequences && (
          <fieldset class="field">
            <legend>Sequence</legend>
            <label>
              id <input value={sequence.id} onInput={(event) => place({ id: event.currentTarget.value })} />
            </label>
            <Check text="starts" checked={sequence.start} change={(start) => place({ start })} />
            <Check text="ends" checked={sequence.end} change={(end) => place({ end })} />
          </fieldset>
        )}
        {body instanceof Error && !(body instanceof JsonTextError) && (
          <p class="notice warn" role="status">
            {body.message}
          </p>
        )}
        <div class="send">
          <button type="submit" class="primary" disabled={body instanceof Error || running !== undefined}>
            {running === undefined ? "Send" : "Running …"}
          </button>
          {running !== undefined && (
            <button type="button" onClick={() => running.abort()}>
              Stop
            </button>
          )}
          {mayRecord && (
            <Check
              text={`look inside: ${records ? "record every tensor" : "send each step separately"}`}
              checked={record}
              change={(checked) => {
                form.record.value = checked;
              }}
            />
          )}
        </div>
        {!(body instanceof Error) && <Snippets model={model} body={body} />}
      </form>
      <div class="answer" aria-live="polite">
        <Answer
          model={model}
          requests={requests}
          body={requests.shown?.body ?? (body instanceof Error ? undefined : body)}
        />
      </div>
      <History model={model} restore={restore} />
    </div>
  );
};

interface CheckProps {
  readonly text: string;
  readonly checked: boolean;
  readonly change: (checked: boolean) => void;
}

const Check = ({ text, checked, change }: CheckProps): JSX.Element => (
  <label>
    <input type="checkbox" checked={checked} onChange={(event) => change(event.currentTarget.checked)} />{" "}
    {text}
  </label>
);

/** The value of an example in the form of the field. */
const fromJson = (start: FieldValue, text: string): FieldValue => {
  if (start.kind !== "rows") return { kind: "json", text };
  const rows: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    else rows.push(String(value));
  };
  visit(parseNumbers(text));
  return { kind: "rows", rows };
};

interface AnswerProps {
  readonly model: ModelView;
  readonly requests: Requests;
  /** The body for sending the request again. */
  readonly body: RequestBody | undefined;
}

const Answer = ({ model, requests, body }: AnswerProps): JSX.Element => {
  const { shown } = requests;
  const events = shown?.events ?? [];
  const running = requests.running !== undefined;
  const responses = events.filter((event) => event.kind === "response");
  const errors = useMemo(() => placedErrors(events), [events]);
  const end = events.find((event) => event.kind === "end");
  const stopped = events.find((event) => event.kind === "stopped");
  const recording = recordingOf(events);
  const last = responses.at(-1);
  if (events.every(({ kind }) => kind === "request"))
    return <p class="empty">{running ? "Waiting for the answer …" : "The answer appears here."}</p>;
  return (
    <>
      <h3>
        Answer
        {end !== undefined && <span class="quiet">{durationText(end.at)}</span>}
        {responses.length > 1 && <span class="quiet">{responses.length} responses</span>}
      </h3>
      {errors.shown.map(({ error: { at, message, help }, responses: before }, index) => (
        <div key={index} class="notice bad" role="alert">
          {model.streams && (
            <p>
              The error came {placeText(before)} ({durationText(at)}):
            </p>
          )}
          <pre>{message}</pre>
          {help !== undefined && <p>{help}</p>}
        </div>
      ))}
      {errors.left > 0 && <p class="notice bad">{errors.left} more errors are not shown.</p>}
      {stopped !== undefined && (
        <p class="notice warn">
          Stopped by you after {durationText(stopped.at)}. Stopped requests have no recording.
        </p>
      )}
      {shown !== undefined && (
        <BoxesView model={model} events={events} fields={shown.fields} isEarlier={shown.body === undefined} />
      )}
      {model.streams && responses.length > 0 ? (
        <Streamed model={model} events={events} running={running} />
      ) : (
        last?.outputs.map((content) => <ContentView key={content.name} content={content} from={model.name} />)
      )}
      {end !== undefined && errors.shown.length === 0 && responses.length === 0 && (
        <p class="notice warn">The model ended the request without a response.</p>
      )}
      {recording !== undefined && (
        <TimelineView
          recording={recording}
          measured={requests.measured}
          measure={
            body === undefined || running || shown?.sequence !== undefined
              ? undefined
              : () => void requests.measure(body)
          }
        />
      )}
      {shown?.lost === true && (
        <p class="quiet">Its recording is gone: the page keeps the last 10 until it is closed.</p>
      )}
      {recording !== undefined && shown !== undefined && (
        <CompareView
          key={shown.sent}
          model={model.name}
          request={{ ...shown, recording }}
          requests={requests}
          body={body}
        />
      )}
    </>
  );
};

interface StreamedProps {
  readonly model: ModelView;
  readonly events: readonly RunEvent[];
  readonly running: boolean;
}

/** The texts of all responses, joined; of any other output the last value, with a note that says so. */
const Streamed = ({ model, events, running }: StreamedProps): JSX.Element => {
  const responses = events.filter((event) => event.kind === "response");
  return (
    <>
      {model.outputs.map(({ name, dtype }) => {
        const contents = responses.flatMap(({ outputs }) => outputs.filter((one) => one.name === name));
        const last = contents.at(-1);
        if (dtype !== "BYTES" || last?.elements.length !== 1)
          return last === undefined ? null : (
            <ContentView
              key={name}
              content={last}
              from={model.name}
              note={contents.length > 1 ? `the last of ${contents.length} responses` : ""}
            />
          );
        return (
          <section key={name} class="tensor" aria-label={name}>
            <h4>
              {name} <span class="quiet">{counted(contents.length, "piece")}</span>
            </h4>
            <p class={running ? "text streaming" : "text"}>
              {contents.map(({ elements }) => String(elements[0] ?? "")).join("")}
            </p>
          </section>
        );
      })}
    </>
  );
};

const languages: readonly SnippetLanguage[] = ["curl", "TypeScript", "Python"];

interface SnippetsProps {
  readonly model: ModelView;
  readonly body: RequestBody;
}

const Snippets = ({ model, body }: SnippetsProps): JSX.Element => {
  const [language, setLanguage] = useState<SnippetLanguage>("curl");
  const typed = overview.value?.clients.includes(model.name) === true;
  const { url, grpc } = overview.value ?? {};
  // The page's own server may listen on every address of its machine.
  const reached = url === undefined ? grpc?.replace(/^.*(?=:)/, location.hostname) : grpc;
  const text = snippetOf(language, model, body, url ?? location.origin, typed, reached);
  return (
    <details class="snippets">
      <summary>The same request as a program</summary>
      <div class="languages" role="group" aria-label="Language">
        {languages.map((one) => (
          <button
            key={one}
            type="button"
            class="small"
            aria-pressed={one === language}
            onClick={() => setLanguage(one)}
          >
            {one}
          </button>
        ))}
        <Copy key={text} text={text} />
      </div>
      <pre tabIndex={0} aria-label={`The request in ${language}`}>
        {text}
      </pre>
    </details>
  );
};

interface HistoryProps {
  readonly model: ModelView;
  readonly restore: (request: PastRequest) => void;
}

const History = ({ model, restore }: HistoryProps): JSX.Element | null => {
  const own = past.value.filter((request) => request.model === model.name);
  if (own.length === 0) return null;
  return (
    <section class="history">
      <h3>
        Earlier requests
        <button type="button" class="small" onClick={forget}>
          Forget all
        </button>
      </h3>
      <ul>
        {own.map((request) => {
          const end = request.events.find((event) => event.kind === "end");
          const failed = request.events.some(({ kind }) => kind === "error");
          const stopped = request.events.some(({ kind }) => kind === "stopped");
          return (
            <li key={request.sent}>
              <button type="button" disabled={request.left === true} onClick={() => restore(request)}>
                <time dateTime={new Date(request.sent).toISOString()}>
                  {new Date(request.sent).toLocaleTimeString()}
                </time>
                <span class="what">{summaryOf(request)}</span>
                <span class={failed ? "took bad" : "took"}>
                  {failed ? "failed" : stopped ? "stopped" : end === undefined ? "" : durationText(end.at)}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
};
