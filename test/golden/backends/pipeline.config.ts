import { defineConfig } from "tritype";

export default defineConfig({
  profiles: { cpu: { instanceGroup: [{ kind: "cpu", count: 1 }] } },
});
