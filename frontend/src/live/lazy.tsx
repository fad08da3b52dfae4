/** Parts of the site that are fetched when they are first shown. */

import type { ComponentType, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";

import { Unavailable } from "../parts/states.tsx";

/**
 * Gives a component that fetches another one.
 *
 * @param load Fetches it.
 * @param placeholder The class of the empty space that it will take.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: string,
): FunctionComponent<Props> {
  let Loaded: ComponentType<Props> | null = null;
  return function Lazy(props) {
    const [phase, setPhase] = useState<"loading" | "ok" | "newer">(Loaded ? "ok" : "loading");
    useEffect(() => {
      if (Loaded) return;
      load().then(
        (component) => {
          Loaded = component;
          setPhase("ok");
        },
        // The file is gone: there is a newer build, with other names.
        () => setPhase("newer"),
      );
    }, []);
    if (Loaded) return <Loaded {...props} />;
    return phase === "newer" ? (
      <Unavailable phase="newer" retry={() => location.reload()} missing="">
        {null}
      </Unavailable>
    ) : (
      <div class={placeholder} aria-busy="true" />
    );
  };
}
