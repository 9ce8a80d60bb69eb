import { defineConfig } from "tritype";

/** The encoder as exported, in FP32: the reference for the encoder in pipeline.ts. */
const exported =
  process.env["ENCODER"] === "minilm" ? ".cache/minilm/model.onnx" : "assets/static/model.onnx";

export default defineConfig({
  entries: ["pipeline.ts", "retrieval.ts"],
  output: "build",
  target: "24.10",
  profiles: { gpu: {}, cpu: { instanceGroup: [{ kind: "cpu", count: 1 }] } },
  drift: {
    embed_query: {
      reference: { models: { encoder: exported } },
      dataset: "drift/queries.txt",
      limits: { embedding: { cosine: 0.999, batchDependence: 1e-5 } },
    },
  },
});
