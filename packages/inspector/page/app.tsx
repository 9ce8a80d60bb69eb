import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { counted, type ModelView, type Overview, showTensors } from "@tritype/inspector/view";
import { ChangeMark, changeOf, ChangesView } from "./changes-view.tsx";
import { Failure } from "./failure-view.tsx";
import { GraphView } from "./graph-view.tsx";
import { LiveView } from "./live-view.tsx";
import { addressOf, failure, lost, overview, route, shownModel } from "./state.ts";
import { Findings, isOutdated, StateMark } from "./parts.tsx";
import { TryView } from "./try-view.tsx";

export const App = (): JSX.Element => {
  const all = overview.value;
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <h1>
          <img src="icon.svg" alt="" width="22" height="22" />
          Inspector
        </h1>
        <span class="where">{all?.repository ?? ""}</span>
        <Connection />
        <Outdated />
        <nav aria-label="Views">
          <a
            href={addressOf("graph", shownModel.value?.name)}
            aria-current={route.value.view !== "live" ? "page" : undefined}
          >
            Models
          </a>
          {all?.statistics !== false && (
            <a
              href={addressOf("live", undefined)}
              aria-current={route.value.view === "live" ? "page" : undefined}
            >
              Live
            </a>
          )}
        </nav>
      </header>
      <Failure />
      <div class="body">
        {all === undefined ? (
          <main id="main" class="content" tabIndex={-1}>
            <p class="empty">
              {lost.value === undefined ? "Loading …" : `No answer from the server: ${lost.value}`}
            </p>
          </main>
        ) : (
          <>
            <Models models={all.models} about={all} />
            <main id="main" class="content" tabIndex={-1}>
              {route.value.view === "graph" && <ChangesView />}
              {route.value.view === "live" ? <LiveView /> : <Model />}
            </main>
          </>
        )}
      </div>
    </>
  );
};

const Connection = (): JSX.Element => {
  const all = overview.value;
  const unready = (all?.models ?? []).filter(({ state }) => state === "UNAVAILABLE").length;
  if (lost.value !== undefined)
    return (
      <span class="pill bad" title={lost.value}>
        server does not answer
      </span>
    );
  if (failure.value !== undefined) return <span class="pill bad">build failed</span>;
  if (unready > 0) return <span class="pill bad">{counted(unready, "model")} unavailable</span>;
  return <span class="pill good">serving</span>;
};

/** Models whose last reload failed. */
const Outdated = (): JSX.Element | null => {
  const [first, ...more] = (overview.value?.models ?? []).filter(isOutdated);
  return first === undefined ? null : (
    <a class="pill warn" href={addressOf("graph", first.name)} title={first.reason}>
      {more.length === 0 ? "1 model" : `${more.length + 1} models`} not reloaded
    </a>
  );
};

interface ModelsProps {
  readonly models: readonly ModelView[];
  readonly about: Overview;
}

const Models = ({ models, about }: ModelsProps): JSX.Element => {
  const [filter, setFilter] = useState("");
  const fits = ({ name }: ModelView): boolean => name.toLowerCase().includes(filter.toLowerCase());
  const entries = models.filter((model) => model.entry && fits(model));
  const others = models.filter((model) => !model.entry && fits(model));
  return (
    <nav class="models" aria-label="Models">
      {models.length > 12 && (
        <input
          type="search"
          placeholder="Filter models"
          aria-label="Filter models"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      <ModelList title="Clients call" models={entries} />
      <ModelList title="Used by others" models={others} />
      {models.length === 0 && <p class="empty">The repository has no models.</p>}
      <Server about={about} />
    </nav>
  );
};

/** The server's metadata, and notices about what the page cannot show. */
const Server = ({ about: { server, missing = [] } }: { readonly about: Overview }): JSX.Element => (
  <section class="server">
    <h2>Server</h2>
    <p>
      {server.name} {server.version}
    </p>
    {server.extensions.length > 0 && (
      <details>
        <summary>{counted(server.extensions.length, "extension")}</summary>
        <p>{server.extensions.join(", ")}</p>
      </details>
    )}
    {missing.map((sentence) => (
      <p key={sentence} class="quiet">
        {sentence}
      </p>
    ))}
  </section>
);

interface ModelListProps {
  readonly title: string;
  readonly models: readonly ModelView[];
}

const ModelList = ({ title, models }: ModelListProps): JSX.Element | null =>
  models.length === 0 ? null : (
    <section>
      <h2>{title}</h2>
      <ul>
        {models.map((model) => {
          const change = changeOf(model.name);
          return (
            <li key={model.name}>
              <a
                href={addressOf(route.value.view === "try" ? "try" : "graph", model.name)}
                aria-current={
                  route.value.view !== "live" && shownModel.value?.name === model.name ? "true" : undefined
                }
              >
                <StateMark model={model} />
                <span class="name">{model.name}</span>
                {change !== undefined && <ChangeMark kind={change.kind} />}
                {model.findings.length > 0 && (
                  <span class="count" title={counted(model.findings.length, "finding")}>
                    {model.findings.length}
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );

const Model = (): JSX.Element => {
  const model = shownModel.value;
  const { view } = route.value;
  if (model === undefined)
    return (
      <p class="empty">
        {route.value.model === undefined ? "Nothing is served." : `There is no model ${route.value.model}.`}
      </p>
    );
  return (
    <>
      <div class="title">
        <div>
          <h2>{model.name}</h2>
          {model.description !== undefined && <p class="description">{model.description}</p>}
          <p class="contract">
            {model.inputs.length + model.outputs.length > 0 && (
              <>
                <code>{showTensors(model.inputs)}</code>
                <span aria-label="gives">→</span>
                <code>{showTensors(model.outputs)}</code>
              </>
            )}
            {model.streams && <span class="badge">streams</span>}
          </p>
        </div>
        <div class="tabs" role="group" aria-label="Model view">
          {(["graph", "try"] as const).map((one) => (
            <a key={one} href={addressOf(one, model.name)} aria-current={view === one ? "page" : undefined}>
              {one === "graph" ? "Graph" : "Try it"}
            </a>
          ))}
        </div>
      </div>
      {model.reason !== undefined && (
        <div class={isOutdated(model) ? "notice warn" : "notice bad"} role="status">
          <strong>{isOutdated(model) ? "Not the current version" : "Unavailable"}</strong>
          <pre>{model.reason}</pre>
          {model.help !== undefined && <p>{model.help}</p>}
        </div>
      )}
      {view === "try" ? (
        <TryView key={model.name} model={model} />
      ) : (
        <GraphView key={model.name} model={model} />
      )}
      {view === "graph" && model.steps !== undefined && model.findings.length > 0 && (
        <section>
          <h3>Findings about {model.name}</h3>
          <Findings findings={model.findings} />
        </section>
      )}
      {view === "graph" && (overview.value?.findings.length ?? 0) > 0 && (
        <section>
          <h3>Findings about the repository</h3>
          <Findings findings={overview.value?.findings ?? []} />
        </section>
      )}
    </>
  );
};
