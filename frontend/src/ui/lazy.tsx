/** Components that are loaded when they first come into view. */

import type { ComponentType, FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Unavailable } from "./states.tsx";

// What comes into view is loaded first, the rest right after: a search in the page and a print find all of it.
const MARGIN = "600px";
const LAST_MILLISECONDS = 500;
/** For what is loaded in view only: the longest time that browsers wait. */
export const NEVER = 2 ** 31 - 1;

/**
 * Return a component that loads another one when its placeholder comes into view. Its `load` does so before.
 *
 * @param load Loads it.
 * @param placeholder The CSS class of the placeholder, by default that of a page; or what is shown until then.
 * @param wait After how long it loads out of view too, in milliseconds: 0 within what was lazy itself.
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  placeholder: string | FunctionComponent<Props> = "page-space",
  wait = LAST_MILLISECONDS,
): FunctionComponent<Props> & { readonly load: () => Promise<void> } {
  let Loaded: ComponentType<Props> | null = null;
  const loadOnce = async (): Promise<void> => {
    Loaded ??= await load();
  };
  return Object.assign(Lazy, { load: loadOnce });

  function Lazy(props: Props) {
    const [phase, setPhase] = useState<"loading" | "ok" | "newer">(Loaded ? "ok" : "loading");
    const element = useRef<HTMLDivElement>(null);
    useEffect(() => {
      const show = (): void => {
        stop();
        loadOnce().then(
          () => setPhase("ok"),
          // The file does not exist any more: a newer build has other names.
          () => setPhase("newer"),
        );
      };
      const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && show(), { rootMargin: MARGIN });
      const timer = setTimeout(show, wait);
      const stop = (): void => {
        clearTimeout(timer);
        observer.disconnect();
      };
      if (element.current) observer.observe(element.current);
      return stop;
    }, []);
    if (Loaded) return <Loaded {...props} />;
    if (phase === "newer") return <Unavailable phase="newer" retry={() => location.reload()} missing="" />;
    const Placeholder = placeholder;
    return typeof Placeholder === "string" ? <div class={Placeholder} ref={element} /> : <Placeholder {...props} />;
  }
}
