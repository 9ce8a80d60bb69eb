import { inBackticks, nearHelp } from "@tritype/core";
import { modelRule, type Rule } from "../rule.ts";
import { type EnsembleGraph, ensembleGraph, type Wire } from "../model/ensemble-graph.ts";
import { suggestions } from "./suggestions.ts";

const unusedInputRule = modelRule(
  {
    code: "ensemble/unused-input",
    triton: ["109"],
    reason: "Triton refuses an input that no step reads.",
    words: "ensemble input '{tensor}' for ensemble {model}' is not used",
    message: "no step of ensemble `{model}` reads its input `{tensor}`",
    help: "map it in a step's `input_map`, or remove it",
  },
  (model, report) => {
    const graph = ensembleGraph(model.config);
    if (graph?.readsAll !== true) return;
    const suggest = suggestions();
    for (const [i, { name: input = "" }] of (model.config.input ?? []).entries()) {
      if (graph.readers.has(input) || graph.writers.has(input)) continue;
      const near = suggest(input, [...graph.readers.keys()].filter(open(graph)));
      report(model.at(["input", i, "name"], "not read by any step"), { tensor: input, help: nearHelp(near) });
    }
  },
);

const unwrittenOutputRule = modelRule(
  {
    code: "ensemble/unwritten-output",
    triton: ["110"],
    reason: "Every output must be computed from the inputs, by steps that receive all of their inputs.",
    words: {
      unknown: "ensemble output '{tensor}' for ensemble {model}' is not used",
      waiting:
        "output '{tensor}' for ensemble '{model}' is not written: at least one of its depending tensors, '{missing}', is not connected",
      unwritten: "output '{tensor}' for ensemble '{model}' is not written",
    },
    message: "output `{tensor}` of ensemble `{model}` is never written",
  },
  (model, report) => {
    const graph = ensembleGraph(model.config);
    if (graph === undefined || !graph.readsAll || !graph.writesAll) return;
    const suggest = suggestions();
    for (const [i, { name: output = "" }] of (model.config.output ?? []).entries()) {
      const known = graph.writers.has(output) || graph.readers.has(output);
      if (known && graph.written.has(output)) continue;
      const roots = known ? missingSources(graph, output) : [];
      const circle = roots.map(({ tensor }) => circleOf(graph, tensor)).find((one) => one !== undefined);
      const named =
        circle !== undefined ? [] : roots.length === 0 ? [output] : roots.map(({ tensor }) => tensor);
      const meant = named.flatMap((tensor) => {
        const near =
          suggest(tensor, sources(graph, tensor)) ??
          lengthened(tensor, [...graph.writers.keys()].filter(unused(graph)));
        return near === undefined ? [] : [`\`${near}\` instead of \`${tensor}\``];
      });
      report(
        [
          model.at(["output", i, "name"], "never written"),
          ...roots.map((wire) => model.at(mapPath(wire), `nothing writes \`${wire.tensor}\``)),
        ],
        {
          tensor: output,
          missing: roots[0]?.tensor ?? output,
          words: !known ? "unknown" : graph.writers.has(output) ? "waiting" : "unwritten",
          notes:
            circle === undefined
              ? roots.map(({ tensor }) => `it depends on \`${tensor}\`, which is not connected to an input`)
              : [circleNote(circle)],
          help:
            circle !== undefined
              ? circleHelp
              : meant.length === 0
                ? undefined
                : `did you mean ${meant.join(", and ")}?`,
        },
      );
    }
  },
);

const unusedTensorRule = modelRule(
  {
    code: "ensemble/unused-tensor",
    triton: ["111"],
    reason: "Triton refuses a tensor that is never read or that can never be written.",
    words: "ensemble tensor '{tensor}' is unused in ensemble '{model}'",
    message: "tensor `{tensor}` of ensemble `{model}` is {why}",
  },
  (model, report) => {
    const graph = ensembleGraph(model.config);
    if (graph?.readsAll !== true) return;
    const suggest = suggestions();
    for (const [tensor, writer] of graph.writers)
      if (!graph.readers.has(tensor) && !graph.outputs.has(tensor) && graph.written.has(tensor)) {
        const wanted = [...graph.readers.keys(), ...graph.outputs].filter(open(graph));
        const near = suggest(tensor, wanted) ?? lengthened(tensor, wanted);
        report(model.at(["ensemble_scheduling", "step", writer.step, "output_map", writer.port], "unused"), {
          tensor,
          why: "written, but not read by any step or output",
          help: nearHelp(near) ?? "remove it from `output_map`",
        });
      }
    if (!graph.writesAll) return;
    const unwritten = [...graph.outputs].filter((output) => !graph.written.has(output));
    const said = new Set(
      unwritten.flatMap((output) => missingSources(graph, output)).map(({ tensor }) => tensor),
    );
    // If an unwritten output waits for a tensor, that tensor is only reported separately if no step writes it.
    const own = (tensor: string): boolean =>
      unwritten.length === 0 || (!said.has(tensor) && !graph.writers.has(tensor));
    for (const [tensor, [reader]] of graph.readers)
      if (!graph.written.has(tensor) && !graph.outputs.has(tensor) && reader !== undefined && own(tensor)) {
        const circle = circleOf(graph, tensor);
        const near = circle === undefined ? suggest(tensor, sources(graph, tensor)) : undefined;
        report(model.at(mapPath(reader), circle === undefined ? "nothing writes it" : "waits for itself"), {
          tensor,
          why: "read, but not connected to an input",
          notes: circle === undefined ? [] : [circleNote(circle)],
          help: circle === undefined ? nearHelp(near) : circleHelp,
        });
      }
    if (unwritten.length > 0) return;
    for (const [tensor, writer] of graph.writers)
      if (!graph.written.has(tensor) && !graph.outputs.has(tensor) && !graph.readers.has(tensor))
        report(model.at(["ensemble_scheduling", "step", writer.step, "output_map", writer.port], "unused"), {
          tensor,
          why: "written by a step that never runs",
        });
  },
);

/** Whether nothing provides a tensor, so that a misspelled name elsewhere may have been meant for it. */
const open =
  ({ inputs, writers }: EnsembleGraph) =>
  (tensor: string): boolean =>
    !inputs.has(tensor) && !writers.has(tensor);

const unused =
  ({ readers, outputs }: EnsembleGraph) =>
  (tensor: string): boolean =>
    !readers.has(tensor) && !outputs.has(tensor);

/** The only name that is an extension or a prefix of a given name, such as `OUTPUT` for `OUT`. */
const lengthened = (name: string, candidates: readonly string[]): string | undefined => {
  const found = candidates.filter(
    (candidate) =>
      name !== "" && candidate !== "" && (candidate.startsWith(name) || name.startsWith(candidate)),
  );
  return found.length === 1 ? found[0] : undefined;
};

const sources = ({ inputs, writers }: EnsembleGraph, but: string): readonly string[] =>
  [...inputs, ...writers.keys()].filter((tensor) => tensor !== but);

const mapPath = ({ step, port }: Wire) => ["ensemble_scheduling", "step", step, "input_map", port] as const;

/** Follows missing inputs back to those that no step writes; in a cycle, returns one of the cycle's tensors. */
const missingSources = (graph: EnsembleGraph, output: string): readonly Wire[] => {
  const seen = new Set<string>([output]);
  const roots: Wire[] = [];
  let last: Wire | undefined;
  const waiting = [output];
  for (let tensor = waiting.pop(); tensor !== undefined; tensor = waiting.pop()) {
    const step = graph.writers.get(tensor)?.step;
    for (const wire of step === undefined ? [] : (graph.inputsOf[step] ?? [])) {
      if (graph.written.has(wire.tensor) || seen.has(wire.tensor)) continue;
      seen.add(wire.tensor);
      last = wire;
      if (graph.writers.has(wire.tensor)) waiting.push(wire.tensor);
      else roots.push(wire);
    }
  }
  return roots.length > 0 || last === undefined ? roots : [last];
};

/** The tensors through which a tensor waits for itself, starting with it; undefined if it does not. */
const circleOf = (graph: EnsembleGraph, tensor: string): readonly string[] | undefined => {
  const seen = new Set<string>();
  const follow = (at: string, path: readonly string[]): readonly string[] | undefined => {
    const step = graph.writers.get(at)?.step;
    for (const { tensor: source } of step === undefined ? [] : (graph.inputsOf[step] ?? [])) {
      if (source === tensor) return path;
      if (graph.written.has(source) || seen.has(source)) continue;
      seen.add(source);
      const found = follow(source, [...path, source]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return follow(tensor, [tensor]);
};

const circleNote = (tensors: readonly string[]): string =>
  `a cycle: ${inBackticks([...tensors, tensors[0] ?? ""], " needs ")}`;
const circleHelp = "let one step of the cycle read an input, or a tensor that exists before it";

export const flowRules: readonly Rule[] = [unusedInputRule, unwrittenOutputRule, unusedTensorRule];
