import type { SunkSpan } from "./otlp-sink.ts";
import { byRecorder } from "./written-traces.ts";

/** Traces as trees of text, without times and with ids numbered from 0. The caller's ids are kept. */
export const spanTrees = (spans: readonly SunkSpan[]): readonly string[] => {
  const known = new Map(spans.map((span) => [span.spanId, span]));
  const roots = spans.filter(({ parentSpanId = "" }) => !known.has(parentSpanId));
  return roots.map((root) => tree(root, spans, firstNumber(root, spans)).join("\n")).toSorted();
};

const tree = (span: SunkSpan, spans: readonly SunkSpan[], first: number, depth = 0): readonly string[] => {
  const children = spans.filter(
    ({ parentSpanId, traceId }) => parentSpanId === span.spanId && traceId === span.traceId,
  );
  const shown = children.map((child) => tree(child, spans, first, depth + 1));
  return ["  ".repeat(depth) + print(span, first, depth === 0), ...shown.toSorted(byText).flat()];
};

const byText = (a: readonly string[], b: readonly string[]): number => (a.join() < b.join() ? -1 : 1);

const print = (span: SunkSpan, first: number, isRoot: boolean): string => {
  const { name, kind, traceState = "", parentSpanId = "", attributes = [], events = [] } = span;
  const values = attributes.map(({ key, value }) => {
    const { intValue, stringValue } = value;
    if (intValue === undefined) return `${key}=${stringValue}`;
    const number = Number(intValue);
    return `${key}=${key.endsWith("_id") && number > 0 ? number - first : number}`;
  });
  const above = isRoot ? ` below ${parentSpanId || "nothing"}` : "";
  return `${name} kind ${kind}${above} [${traceState}] ${values.join(" ")}: ${byRecorder(events.map((event) => event.name)).join(" ")}`;
};

const numbersOf = ({ attributes = [] }: SunkSpan): readonly number[] =>
  attributes.flatMap(({ key, value }) => (key === "triton.trace_id" ? [Number(value.intValue)] : []));

/** The smallest id in the tree. */
const firstNumber = (root: SunkSpan, spans: readonly SunkSpan[]): number => {
  const within = (span: SunkSpan): readonly SunkSpan[] => [
    span,
    ...spans
      .filter(({ parentSpanId, traceId }) => parentSpanId === span.spanId && traceId === span.traceId)
      .flatMap(within),
  ];
  return Math.min(...within(root).flatMap(numbersOf));
};
