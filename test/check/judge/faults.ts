import { backendFaults } from "./backend-faults.ts";
import { batchFaults } from "./batch-faults.ts";
import { ensembleFaults } from "./ensemble-faults.ts";
import { ensembleTensorFaults } from "./ensemble-tensor-faults.ts";
import type { Fault } from "./fault.ts";
import { otherFaults } from "./other-faults.ts";
import { sequenceFaults } from "./sequence-faults.ts";
import { tensorFaults } from "./tensor-faults.ts";
import { textFaults } from "./text-faults.ts";
import { warmupFaults } from "./warmup-faults.ts";

/** Every way to break a rule that can be judged by the server with stub backends or its python backend. */
export const faults: readonly Fault[] = [
  ...textFaults,
  ...backendFaults,
  ...tensorFaults,
  ...batchFaults,
  ...sequenceFaults,
  ...ensembleFaults,
  ...ensembleTensorFaults,
  ...otherFaults,
  ...warmupFaults,
];
