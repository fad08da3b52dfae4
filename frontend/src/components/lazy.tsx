/** Parts of the site that are fetched when they are first shown. */

import type { ComponentType, FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Unavailable } from "./states.tsx";

// A part is fetched a little before it comes into sight.
const AHEAD = "600px";

/**
 * Gives a component that fetches another one when its place comes into sight.
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
    const space = useRef<HTMLDivElement>(null);
    useEffect(() => {
      if (!space.current) return;
      const observer = new IntersectionObserver(
        ([entry]) => {
          if (!entry?.isIntersecting) return;
          observer.disconnect();
          load().then(
            (component) => {
              Loaded = component;
              setPhase("ok");
            },
            // The file is gone: there is a newer build, with other names.
            () => setPhase("newer"),
          );
        },
        { rootMargin: AHEAD },
      );
      observer.observe(space.current);
      return () => observer.disconnect();
    }, []);
    if (Loaded) return <Loaded {...props} />;
    return phase === "newer" ? (
      <Unavailable phase="newer" retry={() => location.reload()} missing="">
        {null}
      </Unavailable>
    ) : (
      <div class={placeholder} ref={space} />
    );
  };
}
