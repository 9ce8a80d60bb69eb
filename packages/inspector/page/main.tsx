import { render } from "preact";
import { App } from "./app.tsx";
import { start } from "./state.ts";
import "uplot/dist/uPlot.min.css";
import "./style.css";

start();
const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
