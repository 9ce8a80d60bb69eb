import { defineConfig } from "tritype";

export default defineConfig({
  output: "build",
  target: "24.10",
});
