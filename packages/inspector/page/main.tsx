import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app.tsx";
import { route, shownModel, start } from "./state.ts";
import "uplot/dist/uPlot.min.css";
import "./style.css";

start();
effect(() => {
  const shown = route.value.view === "live" ? "Live" : shownModel.value?.name;
  document.title = shown === undefined ? "Inspector" : `${shown} · Inspector`;
});
const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
