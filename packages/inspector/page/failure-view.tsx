import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type FailureLine, failureLines } from "@tritype/inspector/view";
import { PlaceLink } from "./place-link.tsx";
import { failure, models } from "./state.ts";

/** The terminal's text about a failed build. */
export const Failure = (): JSX.Element | null => {
  const [closed, setClosed] = useState("");
  const dialog = useRef<HTMLDialogElement>(null);
  const text = failure.value;
  useEffect(() => {
    // The same mistake, made again, is a new failure.
    if (text === undefined) setClosed("");
  }, [text]);
  const open = text !== undefined && text !== closed;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  if (text === undefined) return null;
  const isServing = models.value.size > 0;
  return (
    <>
      <button type="button" class="failed" onClick={() => setClosed("")}>
        {isServing
          ? "The last build failed; the one before it is served."
          : "The build failed; nothing is served."}{" "}
        Show why
      </button>
      <dialog ref={dialog} class="failure" aria-labelledby="failure-title" onClose={() => setClosed(text)}>
        <h2 id="failure-title">The build failed</h2>
        <pre tabIndex={0}>
          {failureLines(text).map((line, index) => (
            <Line key={index} line={line} />
          ))}
        </pre>
        <p>
          {isServing ? "The previous build is still served." : "No model is served yet."} This message closes
          when a build succeeds.
        </p>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  );
};

/** A line of the terminal; the place above a code frame is a link. */
const Line = ({ line: { text, shown = "", place } }: { readonly line: FailureLine }): JSX.Element => (
  <>
    {text.slice(0, text.length - shown.length)}
    {place !== undefined && <PlaceLink place={place}>{shown}</PlaceLink>}
    {"\n"}
  </>
);
