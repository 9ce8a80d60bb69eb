import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import {
  counted,
  type ModelDetail,
  type ModelView,
  type OnnxView,
  showType,
  type TensorView,
} from "@tritype/inspector/view";
import { getDetail } from "./api.ts";
import { Code, Findings, Head, StateMark, stateText } from "./parts.tsx";
import { addressOf, models, route } from "./state.ts";

interface NodePanelProps {
  readonly model: ModelView;
  /** The version that the step calls; undefined for the latest. */
  readonly version: number | undefined;
  readonly close: () => void;
}

/** Everything about one model of the graph. */
export const NodePanel = ({ model, version, close }: NodePanelProps): JSX.Element => {
  const [detail, setDetail] = useState<ModelDetail | string | undefined>(undefined);
  useEffect(() => {
    let current = true;
    getDetail(model.name, version).then(
      (found) => current && setDetail(found),
      (error: unknown) => current && setDetail(String(error)),
    );
    return () => {
      current = false;
    };
  }, [model, version]);
  const users = [...models.value.values()].filter(
    ({ steps = [], calls }) => steps.some((step) => step.model === model.name) || calls.includes(model.name),
  );
  const marked =
    route.value.model === model.name && route.value.line ? { marked: route.value.line } : undefined;
  const panel = useRef<HTMLElement>(null);
  // In a narrow window, the panel is below the graph.
  useEffect(() => {
    const top = panel.current?.getBoundingClientRect().top ?? 0;
    if (top > innerHeight / 2) panel.current?.scrollIntoView({ block: "start" });
  }, []);
  return (
    <aside class="panel" ref={panel} aria-label={`About ${model.name}`}>
      <div class="panel-head">
        <h3>{model.name}</h3>
        <a class="button small" href={addressOf("try", model.name)}>
          Try it
        </a>
        <button type="button" class="small" onClick={close} aria-label="Close">
          ✕
        </button>
      </div>
      {model.description !== undefined && <p class="description">{model.description}</p>}
      <dl class="facts-list">
        <dt>State</dt>
        <dd>
          <StateMark model={model} /> {stateText(model)}
          {model.reason !== undefined && <pre class="reason">{model.reason}</pre>}
          {model.help !== undefined && <p class="help">{model.help}</p>}
        </dd>
        <Fact name="Kind" value={model.kind} />
        {model.maxBatchSize !== undefined && (
          <Fact
            name="Batch"
            value={
              model.maxBatchSize === 0
                ? "one request at a time"
                : `up to ${counted(model.maxBatchSize, "row")}`
            }
          />
        )}
        {model.batching !== undefined && <Fact name="Batching" value={model.batching} />}
        {model.instances.length > 0 && <Fact name="Instances" value={model.instances.join(", ")} />}
        <Fact name="Versions" value={model.versions.join(", ") || "none"} />
        {version !== undefined && <Fact name="This step calls" value={`version ${version}`} />}
        {model.fused.length > 0 && <Fact name="Contains" value={model.fused.join(", ")} />}
        {model.calls.length > 0 && <Fact name="Calls" value={model.calls.join(", ")} />}
        {users.length > 0 && (
          <>
            <dt>Used by</dt>
            <dd>
              {users.map(({ name }, index) => (
                <span key={name}>
                  {index > 0 && ", "}
                  <a href={addressOf("graph", name)}>{name}</a>
                </span>
              ))}
            </dd>
          </>
        )}
        <Tensors name="Inputs" tensors={model.inputs} />
        <Tensors name="Outputs" tensors={model.outputs} />
      </dl>
      {model.findings.length > 0 && (
        <section>
          <h4>Findings</h4>
          <Findings findings={model.findings} />
        </section>
      )}
      {typeof detail === "string" && <p class="notice bad">{detail}</p>}
      {typeof detail === "object" && (
        <div class="files">
          {detail.source !== undefined && <Code view={detail.source} label="Source" place={model.source} />}
          {detail.config !== undefined && (
            <Code
              view={{ ...detail.config, ...marked }}
              label="Configuration"
              isSought={marked !== undefined}
            />
          )}
          {detail.python !== undefined && <Code view={detail.python} label="Python" />}
          {detail.onnx !== undefined && <Operators onnx={detail.onnx} />}
        </div>
      )}
    </aside>
  );
};

const Fact = ({ name, value }: { readonly name: string; readonly value: string }): JSX.Element => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
);

interface TensorsProps {
  readonly name: string;
  readonly tensors: readonly TensorView[];
}

const Tensors = ({ name, tensors }: TensorsProps): JSX.Element | null =>
  tensors.length === 0 ? null : (
    <>
      <dt>{name}</dt>
      <dd>
        {tensors.map((tensor) => (
          <div key={tensor.name}>
            {tensor.name} <code>{showType(tensor)}</code>
            {tensor.optional === true && <span class="quiet"> optional</span>}
          </div>
        ))}
      </dd>
    </>
  );

const Operators = ({ onnx }: { readonly onnx: OnnxView }): JSX.Element => (
  <figure class="code">
    <figcaption>
      Operators <code>{onnx.path}</code>, opset {onnx.opset}
    </figcaption>
    <p class="counts">
      {onnx.counts.map(([operator, count]) => (count === 1 ? operator : `${count} × ${operator}`)).join(", ")}
    </p>
    <div class="scroll" tabIndex={0} role="region" aria-label={`Operators of ${onnx.path}`}>
      <table>
        <Head titles={["Operator", "Reads", "Gives"]} />
        <tbody>
          {onnx.operators.map(({ operator, inputs, outputs }, index) => (
            <tr key={index}>
              <td>{operator}</td>
              <td>{inputs.filter((name) => name !== "").join(", ")}</td>
              <td>{outputs.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {onnx.total > onnx.operators.length && (
      <p class="quiet">
        The first {onnx.operators.length} of {onnx.total} operators.
      </p>
    )}
  </figure>
);
