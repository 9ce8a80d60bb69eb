import { defineConfig } from "tritype";

export default defineConfig({
  output: "build",
  target: "24.10",
  profiles: { cpu: { instanceGroup: [{ kind: "cpu", count: 1 }] } },
});
