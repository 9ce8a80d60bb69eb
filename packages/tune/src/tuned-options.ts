import { choiceAt, type Knob, type Point } from "./knob.ts";
import { type Device, scalableMath, type TunedEnsemble, type TunedStep } from "./model-knobs.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The options that a point sets, by the DSL's names. */
export interface TunedOptions {
  /** Step or ensemble → the fields of its profile. */
  readonly profiles: ReadonlyMap<string, Fields>;
  /** Fields of `members.profiles` of the ensemble. */
  readonly members: Fields;
  /** Step or ensemble → options that all profiles share; undefined removes one. */
  readonly own: ReadonlyMap<string, Fields>;
}

/** Turns a point into options. Unchanged settings are left out. */
export const tunedOptions = (ensemble: TunedEnsemble, knobs: readonly Knob[], point: Point): TunedOptions => {
  const { name, steps } = ensemble;
  const valueOf = (id: string): { readonly value: unknown } | undefined => {
    const knob = knobs.find((one) => one.id === id);
    if (knob === undefined || choiceAt(knob, point) === knob.start) return undefined;
    return { value: knob.choices[choiceAt(knob, point)]?.value };
  };
  const some = (entries: readonly (readonly [string, Fields])[]): ReadonlyMap<string, Fields> =>
    new Map(entries.filter(([, fields]) => Object.keys(fields).length > 0));
  const members = valueOf(`${name}.members.instances`)?.value as Layout | undefined;
  return {
    profiles: some([
      ...steps.map((step) => [step.name, profileOf(step, valueOf)] as const),
      [name, named("responseCache", valueOf(`${name}.responseCache`))],
    ]),
    members:
      members === undefined ? {} : { instanceGroup: [groupOf(members, scalableMath(ensemble)[0]?.device)] },
    own: some([
      ...steps.map(({ name: step }) => {
        const padding = named("padding", valueOf(`${step}.padding`));
        return [step, { ...padding, ...named("fuse", valueOf(`${step}.fuse`)) }] as const;
      }),
      [name, named("batchBy", valueOf(`${name}.batchBy`))],
    ]),
  };
};

interface Layout {
  readonly instances: number;
  readonly threads?: number;
}

const groupOf = ({ instances }: Layout, device: Device = "auto"): Fields => ({
  ...(device === "auto" ? {} : { kind: device }),
  count: instances,
});

const named = (field: string, found: { readonly value: unknown } | undefined): Fields =>
  found === undefined ? {} : { [field]: found.value };

const profileOf = (
  step: TunedStep,
  valueOf: (id: string) => { readonly value: unknown } | undefined,
): Fields => {
  const layout = valueOf(`${step.name}.instances`)?.value as Layout | undefined;
  const delay = valueOf(`${step.name}.delay`);
  const preferred = valueOf(`${step.name}.preferred`);
  const { threads } = layout ?? {};
  return {
    ...(layout === undefined
      ? {}
      : { instanceGroup: [{ ...step.instanceGroup, ...groupOf(layout, step.device) }] }),
    ...(threads === undefined ? {} : { parameters: { ...step.parameters, intra_op_thread_count: threads } }),
    ...(delay === undefined && preferred === undefined
      ? {}
      : { dynamicBatching: batching(step, delay, preferred?.value as readonly number[] | undefined) }),
  };
};

const batching = (
  { dynamicBatching, delayUs, preferred: own }: TunedStep,
  delay: { readonly value: unknown } | undefined,
  preferred: readonly number[] = own,
): Fields | null => {
  const us = delay === undefined ? delayUs : (delay.value as number | null);
  if (us === null || us === undefined) return null;
  const { maxQueueDelay: _, preferredBatchSize: __, ...rest } = dynamicBatching ?? {};
  return {
    ...rest,
    // Without a delay, batches do not wait for a preferred size.
    ...(preferred.length === 0 || us === 0 ? {} : { preferredBatchSize: preferred }),
    ...(us === 0 ? {} : { maxQueueDelay: us % 1000 === 0 ? `${us / 1000}ms` : `${us}us` }),
  };
};
