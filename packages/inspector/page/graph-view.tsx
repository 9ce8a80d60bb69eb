import type { JSX, TargetedPointerEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  buildGraph,
  changedEdges,
  changedInside,
  counted,
  type ModelView,
  newSteps,
  type ViewEdge,
  type ViewGraph,
  type ViewNode,
} from "@tritype/inspector/view";
import { ChangeMark, changeOf } from "./changes-view.tsx";
import type { Box, Size } from "./fold-layout.ts";
import { briefTitle, edgeLines, type Placed, placeGraph, placeOverview } from "./layout.ts";
import { NodePanel } from "./node-panel.tsx";
import { StateMark, stateText } from "./parts.tsx";
import { changes, earlier, models, route } from "./state.ts";

/** With more nodes than this, a step is easier to find by its name. */
const many = 25;
const settleMs = 150;
/** The smallest zoom at which a graph is shown at first: everything can be read. */
const readable = 0.7;
/** At smaller zooms, the whole graph is an overview. */
const smallest = 0.55;
const zooms = [0.15, 0.25, 0.35, 0.5, 0.65, 0.8, 1, 1.25, 1.5];

export const GraphView = ({ model }: { readonly model: ModelView }): JSX.Element => {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [zoom, setZoom] = useState(1);
  const frame = useRef<HTMLDivElement>(null);
  const all = models.value;
  const graph = useMemo(() => buildGraph(model, all, opened), [model, all, opened]);
  const detailed = useMemo(() => placeGraph(graph), [graph]);
  /** The size of the frame that the overview fills; undefined while details are shown. */
  const [filled, setFilled] = useState<Size | undefined>(undefined);
  const placed = useMemo(
    () => (filled === undefined ? detailed : placeOverview(graph, filled)),
    [detailed, filled],
  );
  const before = earlier.value;
  const fresh = useMemo((): Fresh => {
    const old = before?.models.find(({ name }) => name === model.name);
    if (old === undefined) return { edges: new Set(), steps: new Set(), ensembles: new Set() };
    const earlierGraph = graphOf(old, before?.models ?? [], opened);
    const changed = new Set(changes.value.map((change) => change.model));
    return {
      edges: changedEdges(earlierGraph, graph),
      steps: newSteps(earlierGraph, graph),
      ensembles: new Set(
        graph.nodes.flatMap(({ model: one }) =>
          one?.steps !== undefined && changedInside(one, all, changed) ? [one.name] : [],
        ),
      ),
    };
  }, [before, graph]);
  const node = graph.nodes.find(({ id }) => id === chosen);
  const { line } = route.value;
  useEffect(() => {
    if (line !== undefined) setChosen(graph.nodes.find((one) => one.title === model.name)?.id);
  }, [line]);
  const sizeOfFrame = (): Size => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = frame.current ?? {};
    return { width, height };
  };
  /** The zoom at which the whole graph fits into the frame. */
  const fitting = ({ width, height }: Size): number => {
    const room = sizeOfFrame();
    return Math.min(1, room.width / width, room.height / height);
  };
  /** A graph that is a little too large is shown whole; a larger one begins at its top. */
  const firstZoom = (): number => {
    const whole = fitting(detailed);
    if (whole > readable) return whole;
    return Math.min(1, Math.max(readable, sizeOfFrame().width / detailed.width));
  };
  const fit = (): void => {
    if (filled !== undefined) setZoom(firstZoom());
    else if (fitting(detailed) >= smallest) setZoom(fitting(detailed));
    setFilled(filled === undefined && fitting(detailed) < smallest ? sizeOfFrame() : undefined);
  };
  useEffect(() => {
    if (filled === undefined) setZoom(firstZoom());
    else setFilled(sizeOfFrame());
  }, [model.name, opened, node === undefined]);
  useEffect(() => {
    if (filled !== undefined) setZoom(fitting(placed));
  }, [placed]);
  // The first step may be far from the left edge.
  useEffect(() => {
    const from = frame.current;
    const steps = detailed.nodes.filter((one) => one.node.role === "model");
    const [first] = steps.toSorted((a, b) => a.y - b.y || a.x - b.x);
    if (first === undefined || from === null) return;
    setTimeout(() => {
      const middle = (first.x + first.width / 2) * firstZoom();
      from.scrollLeft = middle - from.clientWidth / 2;
    });
  }, [model.name]);
  /** Chooses the next step whose name contains the text, and shows it. */
  const find = (text: string): void => {
    const from = graph.nodes.findIndex(({ id }) => id === chosen) + 1;
    const order = [...graph.nodes.slice(from), ...graph.nodes.slice(0, from)];
    const found = order.find(
      ({ role, title, id, number }) =>
        role === "model" && (`${id} ${title}`.includes(text) || `step ${number}` === text),
    );
    if (found === undefined) return;
    setChosen(found.id);
    // After the panel has opened, which can change the zoom.
    setTimeout(() => {
      frame.current?.querySelector(".chosen")?.scrollIntoView({ block: "center", inline: "center" });
    }, settleMs);
  };
  const toggle = (id: string): void => {
    const next = new Set(opened);
    if (!next.delete(id)) next.add(id);
    setOpened(next);
  };
  return (
    <div
      class={node === undefined ? "graph" : "graph with-panel"}
      onKeyDown={(event) => {
        if (event.key === "Escape") setChosen(undefined);
      }}
    >
      <div class="canvas">
        <div class="zoom" role="group" aria-label="Graph tools">
          {graph.nodes.length > many && (
            <input
              type="search"
              placeholder="Find a step"
              aria-label="Find a step"
              onKeyDown={(event) => {
                if (event.key === "Enter") find(event.currentTarget.value);
              }}
            />
          )}
          <button
            type="button"
            aria-label="Smaller"
            onClick={() => setZoom(zooms.findLast((one) => one < zoom) ?? zoom)}
          >
            −
          </button>
          <button
            type="button"
            aria-label="Larger"
            onClick={() => setZoom(zooms.find((one) => one > zoom) ?? zoom)}
          >
            +
          </button>
          <button type="button" class="whole" aria-pressed={filled !== undefined} onClick={fit}>
            Whole graph
          </button>
        </div>
        <div
          class="frame"
          ref={frame}
          tabIndex={0}
          role="region"
          aria-label={`Graph of ${model.name}`}
          onPointerDown={drag}
        >
          <div
            class="sheet"
            style={{ width: `${placed.width * zoom}px`, height: `${placed.height * zoom}px` }}
          >
            <Drawing
              placed={placed}
              isBrief={filled !== undefined}
              fresh={fresh}
              zoom={zoom}
              chosen={chosen}
              choose={setChosen}
              toggle={toggle}
            />
          </div>
        </div>
      </div>
      {node?.model !== undefined && (
        <NodePanel
          key={node.id}
          model={node.model}
          version={node.version}
          close={() => setChosen(undefined)}
        />
      )}
    </div>
  );
};

const graphOf = (model: ModelView, all: readonly ModelView[], opened: ReadonlySet<string>): ViewGraph =>
  buildGraph(model, new Map(all.map((one) => [one.name, one])), opened);

/** The changes that are marked in the graph. */
interface Fresh {
  readonly edges: ReadonlySet<ViewEdge>;
  readonly steps: ReadonlySet<string>;
  /** The closed ensembles whose inside has changed. */
  readonly ensembles: ReadonlySet<string>;
}

interface DrawingProps {
  readonly placed: Placed;
  /** Whether only the names of the nodes are shown. */
  readonly isBrief: boolean;
  readonly fresh: Fresh;
  readonly zoom: number;
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
  readonly toggle: (id: string) => void;
}

const Drawing = ({ placed, isBrief, fresh, zoom, chosen, choose, toggle }: DrawingProps): JSX.Element => (
  <div
    class={isBrief ? "drawing brief" : "drawing"}
    style={{ width: `${placed.width}px`, height: `${placed.height}px`, transform: `scale(${zoom})` }}
  >
    {placed.groups.map(({ id, title, isContinued, ...box }, index) => (
      <div key={index} class="group" style={styleOf(box)}>
        {isContinued !== true && (
          <button type="button" class="group-title" onClick={() => toggle(id)} aria-expanded="true">
            <span aria-hidden="true">▾ </span>
            {title}
          </button>
        )}
      </div>
    ))}
    <svg width={placed.width} height={placed.height} aria-hidden="true">
      <defs>
        <marker
          id="tip"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="9"
          markerHeight="9"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M 0 0.6 L 7 4 L 0 7.4 z" class="tip" />
        </marker>
      </defs>
      {placed.edges.map(({ edge, path }) => (
        <path
          key={`${edge.from} ${edge.to} ${edge.kind}`}
          d={path}
          class={`edge ${edge.kind}${edge.from === chosen || edge.to === chosen ? " near" : ""}${fresh.edges.has(edge) ? " fresh" : ""}`}
          marker-end="url(#tip)"
        />
      ))}
    </svg>
    {(isBrief ? [] : placed.edges).map(({ edge, x, y }) => (
      <div
        key={`${edge.from} ${edge.to} ${edge.kind}`}
        class={fresh.edges.has(edge) ? "edge-text fresh" : "edge-text"}
        style={{ left: `${x}px`, top: `${y}px` }}
      >
        {edgeLines(edge).map(({ text, whole }, index) => (
          <div key={index} title={whole}>
            {text}
          </div>
        ))}
      </div>
    ))}
    {placed.nodes.map(({ node, ...box }) => (
      <NodeBox
        key={node.id}
        node={node}
        isBrief={isBrief}
        isNew={fresh.steps.has(node.id)}
        isChangedInside={fresh.ensembles.has(node.title)}
        style={styleOf(box)}
        chosen={node.id === chosen}
        choose={() => choose(node.id)}
        toggle={() => toggle(node.id)}
      />
    ))}
  </div>
);

interface NodeBoxProps {
  readonly node: ViewNode;
  readonly isBrief: boolean;
  /** Whether the step is new in this graph; its model may not be. */
  readonly isNew: boolean;
  readonly isChangedInside: boolean;
  readonly style: Readonly<Record<string, string>>;
  readonly chosen: boolean;
  readonly choose: () => void;
  readonly toggle: () => void;
}

const NodeBox = ({
  node,
  isBrief,
  isNew,
  isChangedInside,
  style,
  chosen,
  choose,
  toggle,
}: NodeBoxProps): JSX.Element => {
  const { role, title, model } = node;
  if (role !== "model")
    return (
      <div class="port" style={style}>
        {title}
      </div>
    );
  if (model === undefined)
    return (
      <div class="node missing" style={style}>
        <strong>{title}</strong>
        <span class="problem">is not in the repository</span>
      </div>
    );
  const { findings } = model;
  const change = isNew ? "added" : (changeOf(model.name)?.kind ?? (isChangedInside ? "within" : undefined));
  return (
    <div
      class={`node ${model.state === "READY" ? "" : "missing"}${chosen ? " chosen" : ""}${change === undefined ? "" : " fresh"}`}
      style={style}
    >
      <button type="button" class="node-name" title={title} onClick={choose} aria-pressed={chosen}>
        {!isBrief && <StateMark model={model} />}
        <strong>{isBrief ? briefTitle(node) : title}</strong>
        {change !== undefined && !isBrief && <ChangeMark kind={change} />}
      </button>
      <span class="facts">{factsOf(node, model).join(" · ")}</span>
      {model.state === "READY" ? (
        findings.length > 0 && <span class="problem">{counted(findings.length, "finding")}</span>
      ) : (
        <span class="problem">
          {stateText(model)}
          {model.reason === undefined ? "" : `: ${model.reason}`}
        </span>
      )}
      {model.steps !== undefined && (
        <button
          type="button"
          class="open"
          aria-expanded="false"
          aria-label={`Open ${title} here`}
          onClick={toggle}
        >
          ▸
        </button>
      )}
    </div>
  );
};

const factsOf = ({ version, number }: ViewNode, model: ModelView): readonly string[] => [
  ...(number === undefined ? [] : [`step ${number}`]),
  model.kind,
  ...(version === undefined
    ? model.versions.length > 1
      ? [`${model.versions.length} versions`]
      : []
    : [`version ${version}`]),
  ...((model.maxBatchSize ?? 0) > 0 ? [`batch ≤ ${model.maxBatchSize}`] : []),
  ...model.instances.slice(0, 1),
];

const styleOf = ({ x, y, width, height }: Box): Readonly<Record<string, string>> => ({
  left: `${x}px`,
  top: `${y}px`,
  width: `${width}px`,
  height: `${height}px`,
});

/** Moves the sheet with the pointer, unless it is on a button. */
const drag = (event: TargetedPointerEvent<HTMLDivElement>): void => {
  const frame = event.currentTarget;
  if (
    event.button !== 0 ||
    event.pointerType !== "mouse" ||
    (event.target as Element).closest("button") !== null
  )
    return;
  const [x, y, left, top] = [event.clientX, event.clientY, frame.scrollLeft, frame.scrollTop];
  const move = ({ clientX, clientY }: PointerEvent): void => {
    frame.scrollLeft = left - clientX + x;
    frame.scrollTop = top - clientY + y;
  };
  const end = (): void => removeEventListener("pointermove", move);
  addEventListener("pointermove", move);
  addEventListener("pointerup", end, { once: true });
};
