/** Whether an element is in view. */

import { useEffect, useRef, useState } from "preact/hooks";

/** Return what the element takes as its `ref`, and whether any of it is in view. */
export function useInView<Shown extends Element>() {
  const element = useRef<Shown>(null);
  const [isInView, setIsInView] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => setIsInView(entries.at(-1)?.isIntersecting ?? false));
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, isInView] as const;
}
