import { expect, test } from "vitest";
import { readMetrics } from "./read-metrics.ts";

test("waiting requests, processors and memory are read; everything else is ignored", () => {
  const { pending, facts } = readMetrics(`# HELP nv_inference_pending_request_count Instantaneous number
# TYPE nv_inference_pending_request_count gauge
nv_inference_pending_request_count{model="a \\"b\\" {c}",version="1"} 3
nv_inference_request_success{model="a",version="1"} 12
nv_cpu_utilization 0.254
nv_cpu_memory_total_bytes 16000000000
nv_cpu_memory_used_bytes 4100000000
nv_gpu_utilization{gpu_uuid="GPU-1"} 0.5
nv_gpu_utilization{gpu_uuid="GPU-2"} 0
nv_gpu_memory_total_bytes{gpu_uuid="GPU-1"} 24000000000
nv_gpu_memory_used_bytes{gpu_uuid="GPU-1"} 1500000000
<html>`);
  expect([...pending]).toEqual([['a "b" {c} 1', 3]]);
  expect(facts).toEqual([
    "processors 25 %",
    "memory 4.1 GB of 16 GB",
    "GPU 50 %, 0 %",
    "GPU memory 1.5 GB of 24 GB",
  ]);
});

test("without the machine's metrics, there are no statistics about the machine", () => {
  expect(readMetrics("")).toEqual({ pending: new Map(), facts: [] });
});
