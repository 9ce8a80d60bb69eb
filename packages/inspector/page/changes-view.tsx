import type { JSX } from "preact";
import { counted, type FactChange, type ModelChange } from "@tritype/inspector/view";
import { addressOf, changes, earlier } from "./state.ts";

const mostModels = 20;
const mostFacts = 12;
const words = { added: "new", removed: "removed", changed: "changed", within: "changed inside" } as const;

/** The differences from the graph that was shown before. */
export const ChangesView = (): JSX.Element | null => {
  const all = changes.value;
  if (all.length === 0) return null;
  return (
    <section class="changes" aria-label="What changed">
      <div class="changes-head">
        <h3>What changed</h3>
        <span class="quiet" role="status">
          {counted(all.length, "model")}
        </span>
        <button
          type="button"
          class="small"
          onClick={() => {
            earlier.value = undefined;
          }}
        >
          Dismiss
        </button>
      </div>
      <ul tabIndex={0} aria-label="Changes">
        {all.slice(0, mostModels).map((change) => (
          <Change key={change.model} change={change} />
        ))}
        {all.length > mostModels && <li class="quiet">… {all.length - mostModels} more models</li>}
      </ul>
    </section>
  );
};

const Change = ({ change: { model, kind, facts } }: { readonly change: ModelChange }): JSX.Element => (
  <li>
    {kind === "removed" ? <s>{model}</s> : <a href={addressOf("graph", model)}>{model}</a>}{" "}
    <ChangeMark kind={kind} />
    {facts.length > 0 && (
      <ul>
        {facts.slice(0, mostFacts).map((fact) => (
          <Fact key={fact.name} fact={fact} />
        ))}
        {facts.length > mostFacts && <li class="quiet">… {facts.length - mostFacts} more</li>}
      </ul>
    )}
  </li>
);

const Fact = ({ fact: { name, before, after } }: { readonly fact: FactChange }): JSX.Element => (
  <li>
    <span class="fact">{name}</span> {before !== undefined && <del>{before}</del>}
    {before === undefined && after === undefined && <ins>other content</ins>}
    {before !== undefined && after !== undefined && <span aria-hidden="true"> → </span>}
    {after !== undefined && <ins>{after}</ins>}
  </li>
);

export const ChangeMark = ({ kind }: { readonly kind: keyof typeof words }): JSX.Element => (
  <span class={`badge change ${kind}`}>{words[kind]}</span>
);

/** The changes to a model of the graph, if there are any. */
export const changeOf = (model: string): ModelChange | undefined =>
  changes.value.find((change) => change.model === model);
