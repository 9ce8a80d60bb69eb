import { defineConfig } from "tritype";

export default defineConfig({
  entries: ["pipeline.ts", "retrieval.ts"],
  output: "build",
  target: "24.10",
  profiles: { gpu: {}, cpu: { instanceGroup: [{ kind: "cpu", count: 1 }] } },
});
