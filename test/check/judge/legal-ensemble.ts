import type { DataType, ModelConfig, ModelEnsemblingStep } from "@tritype/triton";
import * as fc from "fast-check";
import type { Draft, ModelDraft } from "./draft.ts";
import { dataType, dims, plainModel } from "./legal-single.ts";
import { varied } from "./varied.ts";

interface Tensor {
  readonly name: string;
  readonly data_type: DataType;
  readonly dims: readonly number[];
}

interface StepPlan {
  readonly takes: readonly number[];
  readonly gives: readonly { readonly data_type: DataType; readonly dims: readonly number[] }[];
  readonly wild: boolean;
}

const type = fc.record({ data_type: dataType, dims });
const stepPlan: fc.Arbitrary<StepPlan> = fc.record({
  takes: fc.array(fc.nat(9), { minLength: 1, maxLength: 2 }),
  gives: fc.array(type, { minLength: 1, maxLength: 2 }),
  wild: fc.boolean(),
});

const io = (tensors: readonly Tensor[], prefix: string) =>
  tensors.map(({ data_type, dims }, index) => ({ name: `${prefix}${index}`, data_type, dims }));

const mapped = (tensors: readonly Tensor[], prefix: string): Readonly<Record<string, string>> =>
  Object.fromEntries(tensors.map(({ name }, index) => [`${prefix}${index}`, name]));

/** An ensemble over models made for it; a step may be the ensemble of the next lower level. */
const level = (
  depth: number,
  starts: readonly Omit<Tensor, "name">[],
  plans: readonly StepPlan[],
  largest: number,
  below: { readonly models: Draft; readonly name: string } | undefined,
): { readonly models: Draft; readonly name: string } => {
  const name = `e${depth}`;
  const inner = below?.models.at(-1)?.config;
  const inputs: Tensor[] = starts.map((start, index) => ({ ...start, name: `IN${index}` }));
  if (inner)
    for (const one of inner.input ?? [])
      inputs.push({
        name: `IN${inputs.length}`,
        data_type: one.data_type ?? "TYPE_FP32",
        dims: one.dims ?? [1],
      });
  const pool: Tensor[] = [...inputs];
  const used = new Set<string>();
  const models: ModelDraft[] = [...(below?.models ?? [])];
  const step: ModelEnsemblingStep[] = [];
  const produced: Tensor[] = [];
  if (inner && below) {
    const taken = inputs.slice(starts.length);
    const given = (inner.output ?? []).map(
      (one, index): Tensor => ({
        name: `b${depth}_${index}`,
        data_type: one.data_type ?? "TYPE_FP32",
        dims: one.dims ?? [1],
      }),
    );
    for (const { name: tensor } of taken) used.add(tensor);
    pool.push(...given);
    produced.push(...given);
    step.push({
      model_name: below.name,
      model_version: -1,
      input_map: mapped(taken, "IN"),
      output_map: mapped(given, "OUT"),
    });
  }
  for (const [index, plan] of plans.entries()) {
    const chosen = new Set(plan.takes.map((take) => pool[take % pool.length] as Tensor));
    if (index === plans.length - 1) for (const input of inputs) if (!used.has(input.name)) chosen.add(input);
    const taken = [...chosen];
    for (const { name: tensor } of taken) used.add(tensor);
    const given = plan.gives.map((give, at): Tensor => ({ ...give, name: `t${index}_${at}` }));
    const member = `s${depth}_${index}`;
    const declared = plan.wild ? taken.map((one) => ({ ...one, dims: one.dims.map(() => -1) })) : taken;
    models.push(
      plainModel(member, {
        backend: "openvino",
        max_batch_size: largest,
        input: io(declared, "IN"),
        output: io(given, "OUT"),
      }),
    );
    step.push({
      model_name: member,
      model_version: -1,
      input_map: mapped(taken, "IN"),
      output_map: mapped(given, "OUT"),
    });
    pool.push(...given);
    produced.push(...given);
  }
  const results = produced.filter((tensor) => !used.has(tensor.name));
  const renamed = new Map(results.map((tensor, index) => [tensor.name, `OUT${index}`]));
  const config: ModelConfig = {
    platform: "ensemble",
    max_batch_size: largest,
    input: io(inputs, "IN"),
    output: io(results, "OUT"),
    ensemble_scheduling: {
      step: step.map((one) => ({
        ...one,
        output_map: Object.fromEntries(
          Object.entries(one.output_map ?? {}).map(([key, value]) => [key, renamed.get(value) ?? value]),
        ),
      })),
    },
  };
  return { models: [...models, plainModel(name, config)], name };
};

const ensembleOf = (depth: fc.Arbitrary<number>): fc.Arbitrary<Draft> =>
  fc
    .record({
      depth,
      largest: fc.constantFrom(0, 4),
      levels: fc.array(
        fc.record({
          starts: fc.array(type, { minLength: 1, maxLength: 2 }),
          plans: fc.array(stepPlan, { minLength: 1, maxLength: 3 }),
        }),
        { minLength: 4, maxLength: 4 },
      ),
    })
    .map(({ depth, levels, largest }) => {
      let built: { readonly models: Draft; readonly name: string } | undefined;
      for (const [index, { starts, plans }] of levels.slice(0, depth).entries()) {
        built = level(index + 1, starts, plans, largest, built);
      }
      return built?.models ?? [];
    });

/** Ensembles of ensembles, one to four deep; the outermost is the last model. */
export const legalEnsemble: fc.Arbitrary<Draft> = ensembleOf(fc.integer({ min: 1, max: 4 }));

interface ChainPlan {
  readonly largest: number;
  readonly shape: readonly number[];
  readonly data_type: DataType;
  readonly nested: boolean;
}

/** Two consecutive steps, `a` and `b`, over one tensor: the starting point of most ensemble faults. */
const chain = ({ largest, shape, data_type, nested }: ChainPlan): Draft => {
  const io: ModelConfig = {
    max_batch_size: largest,
    input: [{ name: "I", data_type, dims: shape }],
    output: [{ name: "O", data_type, dims: shape }],
  };
  const steps = (first: string, second: string): ModelConfig => ({
    platform: "ensemble",
    ...io,
    ensemble_scheduling: {
      step: [
        { model_name: first, model_version: -1, input_map: { I: "I" }, output_map: { O: "mid" } },
        { model_name: second, model_version: -1, input_map: { I: "mid" }, output_map: { O: "O" } },
      ],
    },
  });
  const members = ["a", "b"].map((name) => plainModel(name, { backend: "openvino", ...io }));
  return nested
    ? [...members, plainModel("inner", steps("a", "b")), plainModel("outer", steps("inner", "b"))]
    : [...members, plainModel("pipe", steps("a", "b"))];
};

const largest = fc.constantFrom(0, 4);

export const legalChain: fc.Arbitrary<Draft> = varied(
  fc.record({ largest, shape: dims, data_type: dataType, nested: fc.boolean() }).map(chain),
);

/** The ensemble `pipe` over `a` and `b`. */
export const flatChain: fc.Arbitrary<Draft> = varied(
  fc.record({ largest, shape: dims, data_type: dataType, nested: fc.constant(false) }).map(chain),
);

const size = fc.integer({ min: 2, max: 9 });
const matrix = fc.tuple(size, size);

/** The dims are two fixed sizes, so that a fault's change is the only difference. */
export const typedChain: fc.Arbitrary<Draft> = varied(
  fc.record({ largest, shape: matrix, data_type: dataType, nested: fc.constant(false) }).map(chain),
);

export const batchedChain: fc.Arbitrary<Draft> = varied(
  fc
    .record({
      largest: fc.integer({ min: 2, max: 16 }),
      shape: matrix,
      data_type: dataType,
      nested: fc.constant(false),
    })
    .map(chain),
);
