import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { PlaceView } from "@tritype/inspector/view";
import { openPlace } from "./api.ts";
import { overview } from "./state.ts";

interface PlaceLinkProps {
  readonly place: PlaceView;
  readonly children: ComponentChildren;
}

/** A position in a source, which opens in the editor if the server allows it. */
export const PlaceLink = ({ place, children }: PlaceLinkProps): JSX.Element => {
  const [problem, setProblem] = useState("");
  if (overview.value?.editor !== true) return <>{children}</>;
  const open = async (): Promise<void> => setProblem((await openPlace(place)) ?? "");
  return (
    <>
      <button type="button" class="place" title="Open in the editor" onClick={() => void open()}>
        {children}
      </button>
      {problem !== "" && (
        <span class="place-problem" role="alert">
          {" "}
          {problem}
        </span>
      )}
    </>
  );
};
