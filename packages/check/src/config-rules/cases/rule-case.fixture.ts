import type { CheckOptions } from "../../check-options.ts";
import type { Content } from "../../read/memory-repository.fixture.ts";

/** A model `m` that breaks a rule. */
export interface Broken {
  /** Its config.pbtxt. */
  readonly config: string;
  /** Other files by path in the repository; default `m/1/model.py`. */
  readonly files?: Readonly<Record<string, Content>>;
  readonly options?: Partial<CheckOptions>;
}

export interface RuleCase {
  readonly code: string;
  readonly breaks: Broken;
  readonly says: string;
  /** Where it is not the rule's own. */
  readonly help?: string;
  /** What stands where the first label points. */
  readonly at: string;
  /** Near misses: the rule has nothing against them. */
  readonly passes: readonly Broken[];
}

export const io: string =
  'input { name: "X" data_type: TYPE_FP32 dims: 2 } output { name: "Y" data_type: TYPE_FP32 dims: 2 }';
export const python: string = `backend: "python" ${io}`;
