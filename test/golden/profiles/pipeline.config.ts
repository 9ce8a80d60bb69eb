import { defineConfig } from "tritype";

export default defineConfig({
  profiles: { gpu: {}, cpu: { instanceGroup: [{ kind: "cpu", count: 2 }] } },
});
