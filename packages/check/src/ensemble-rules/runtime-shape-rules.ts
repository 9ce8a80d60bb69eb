import { repositoryRule, type Rule } from "../rule.ts";
import { completesItself } from "../completion/completes-itself.ts";
import { configOf } from "./check-members.ts";
import type { ResolvedEnsemble } from "./ensemble-problem.ts";
import { resolveEnsembles } from "./resolve-ensembles.ts";
import { agree, fits, showPlace, type TensorPlace } from "../model/tensor-place.ts";

/** The source and readers of each tensor for which Triton itself finds no shape fault. */
const flows = ({ problems, places }: ResolvedEnsemble) => {
  const refused = new Set(
    problems.flatMap((problem) => (problem.kind === "shape" ? [problem.found.tensor] : [])),
  );
  return [...places].flatMap(([tensor, all]) => {
    const certain = all.filter((place) => place.certain.shape);
    const source = certain.find(({ side, step }) => (step === undefined) === (side === "input"));
    const readers = certain.filter(({ side, step }) => step !== undefined && side === "input");
    return source === undefined || refused.has(tensor) ? [] : [{ tensor, source, readers }];
  });
};

const conflictRule = repositoryRule(
  {
    code: "ensemble/shape-at-request",
    triton: ["122"],
    severity: "error",
    judged: "ours",
    reason:
      "Triton compares each declaration of a tensor's shape only with the first one. If the first one is -1, two later ones may contradict each other. The ensemble then loads, and every request fails with `unexpected shape for input`.",
    message:
      "tensor `{tensor}` of ensemble `{ensemble}` is {first} for `{from}` and {second} for `{to}`: no request can be answered",
  },
  (repository, report) => {
    for (const ensemble of resolveEnsembles(repository).values())
      for (const { tensor, source, readers } of flows(ensemble)) {
        const pair = contradiction([source, ...readers]);
        if (pair === undefined) continue;
        const [a, b] = pair;
        report(
          [b.label(`${showPlace(b)} for \`${b.model}\``), a.label(`${showPlace(a)} for \`${a.model}\``)],
          {
            tensor,
            ensemble: ensemble.model.name,
            first: showPlace(a),
            from: a.model,
            second: showPlace(b),
            to: b.model,
          },
        );
      }
  },
);

const contradiction = (places: readonly TensorPlace[]): readonly [TensorPlace, TensorPlace] | undefined => {
  const shapes = [
    ...new Map(places.toReversed().map((place) => [shapeKey(place), place])).values(),
  ].toReversed();
  for (const [i, b] of shapes.entries()) {
    const a = shapes.slice(0, i).find((earlier) => !agree(earlier, b));
    if (a !== undefined) return [a, b];
  }
  return undefined;
};

const shapeKey = ({ dims, full }: TensorPlace): string => `${dims.length === full.length}:${full.join()}`;

const batchOneRule = repositoryRule(
  {
    code: "ensemble/batch-of-one",
    triton: ["124"],
    judged: "ours",
    reason:
      "For a step without batching, Triton only removes the batch axis if its size is 1; larger batches fail with `unexpected shape for input`.",
    message:
      "ensemble `{ensemble}` accepts batches of {size}, but only batches of 1 fit its step `{model}`: `{tensor}` is {found}, and `{model}` needs {wanted}",
    help: "add a batch axis, -1, to the dims of `{model}`, set its max_batch_size, or set the ensemble's to 1",
  },
  (repository, report) => {
    for (const ensemble of resolveEnsembles(repository).values()) {
      const size = ensemble.model.config.max_batch_size ?? 0;
      if (size < 2 || ensemble.problems.some(({ kind }) => kind === "batch-size")) continue;
      const misshapen = new Set(
        ensemble.problems.flatMap((problem) =>
          problem.kind === "shape" ? [problem.known.step, problem.found.step] : [],
        ),
      );
      for (const { tensor, source, readers } of flows(ensemble))
        for (const reader of readers) {
          if (!isBatched(source) || isBatched(reader) || fits(source.full, reader.full)) continue;
          // Both faults may have one cause: a model that should accept batches.
          if (misshapen.has(reader.step)) continue;
          if (!fits(source.dims, reader.dims)) continue;
          report(
            [
              reader.label(`has no batching: ${showPlace(reader)}`),
              ensemble.model.at(["max_batch_size"], `batches of ${size}`),
            ],
            {
              ensemble: ensemble.model.name,
              size,
              model: reader.model,
              tensor,
              found: showPlace(source),
              wanted: showPlace(reader),
            },
          );
        }
    }
  },
);

const rowsRule = repositoryRule(
  {
    code: "ensemble/too-many-rows",
    severity: "error",
    judged: "ours",
    reason:
      "The first dim of a tensor without a batch becomes the batch of a batched step. Triton compares it with the step's max_batch_size only when a request arrives. The ensemble loads, and every request fails with `inference request batch-size must be <= 4`.",
    message:
      "tensor `{tensor}` of ensemble `{ensemble}` has {rows} rows, but its step `{model}` accepts at most {limit}: no request can be answered",
    help: "raise `max_batch_size` of `{model}` to {rows}",
  },
  (repository, report) => {
    for (const ensemble of resolveEnsembles(repository).values())
      for (const { tensor, source, readers } of flows(ensemble))
        for (const reader of readers) {
          const member = ensemble.steps.find(({ index }) => index === reader.step)?.member;
          if (member === undefined || completesItself(member)) continue;
          const limit = configOf(member).max_batch_size ?? 0;
          const [rows = 0] = source.full;
          if (limit <= 0 || rows <= limit || !fits(source.full, reader.full)) continue;
          report(
            [reader.label(`batches of at most ${limit}`), source.label(`${rows} rows: ${showPlace(source)}`)],
            { tensor, ensemble: ensemble.model.name, rows, model: reader.model, limit },
          );
        }
  },
);

const isBatched = ({ dims, full }: TensorPlace): boolean => full.length > dims.length;

/** Shape faults that let an ensemble load but make its requests fail. */
export const runtimeShapeRules: readonly Rule[] = [conflictRule, batchOneRule, rowsRule];
