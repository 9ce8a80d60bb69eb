import fc from "fast-check";
import { type EnsembleCase, legalEnsemble } from "./ensemble-case.fixture.ts";
import { breakEnsemble, ensembleFaults } from "./ensemble-faults.fixture.ts";

/** Random ensembles of 1 to `depth` layers, correct or broken in one or two places. */
export const randomEnsembles = (prefix: string, depth = 3): fc.Arbitrary<EnsembleCase> =>
  fc
    .record({
      layers: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: depth }),
      picks: fc.array(fc.nat(1000), { minLength: 7, maxLength: 13 }),
      maxBatchSize: fc.constantFrom(0, 1, 8),
      faults: fc.array(fc.tuple(fc.constantFrom(...Object.keys(ensembleFaults)), fc.nat(1000)), {
        maxLength: 2,
      }),
    })
    .map(({ faults, ...draft }) => breakEnsemble(legalEnsemble(draft, prefix), faults));
