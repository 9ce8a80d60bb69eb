import type { JSX } from "preact";
import { bytesText, type Live, type ProcessRow, processRows } from "@tritype/inspector/view";
import { Head } from "./parts.tsx";
import { addressOf } from "./state.ts";

const titles = ["Instance", "Model", "Runs", "State", "PID", "Memory", "Processor", "Restarts"];

/** The processes that run instances of models. @param looks The readings for which the load is averaged. */
export const Processes = ({ looks }: { readonly looks: readonly Live[] }): JSX.Element => {
  const rows = processRows(looks);
  return (
    <section class="processes" aria-label="Processes">
      <h3>Processes of models</h3>
      {looks.at(-1)?.processes === undefined ? (
        <p class="quiet">A server's API does not provide the processes that run its models.</p>
      ) : rows.length === 0 ? (
        <p class="quiet">All models run in the server's own process.</p>
      ) : (
        <>
          <p class="quiet">
            Processor: the last five seconds, 100 % is one processor; Restarts: since the model was loaded
          </p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Table of processes">
            <table class="activity">
              <Head titles={titles} />
              <tbody>
                {rows.map((row) => (
                  <Row key={`${row.model} ${row.version} ${row.instance} ${row.pid}`} row={row} />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  );
};

const Row = ({ row }: { readonly row: ProcessRow }): JSX.Element => {
  const { model, instance, runs, state, pid, memory, load, restarts } = row;
  return (
    <tr>
      <th scope="row">{instance}</th>
      <td>
        <a href={addressOf("graph", model)}>{model}</a>
      </td>
      <td>{runs}</td>
      <td class={state === "restarting" || state === "broken" ? "bad" : ""}>{state}</td>
      <td>{pid ?? "–"}</td>
      <td>{memory === undefined ? "–" : bytesText(memory)}</td>
      <td>{load === undefined ? "–" : `${Math.round(load * 100)} %`}</td>
      <td class={restarts > 0 ? "bad" : ""}>{restarts}</td>
    </tr>
  );
};
