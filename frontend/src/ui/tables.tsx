/** A wide table. */

import type { ComponentChildren, RefObject } from "preact";

interface ScrollAreaProps {
  readonly label: string;
  readonly class?: string;
  readonly area?: RefObject<HTMLDivElement | null>;
  readonly onScroll?: () => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly children: ComponentChildren;
}

/** A wide element that scrolls sideways, with the keyboard too. */
export const ScrollArea = ({ label, class: name = "", area, children, ...events }: ScrollAreaProps) => (
  <div class={`scroller ${name}`.trim()} tabIndex={0} role="group" aria-label={label} ref={area ?? null} {...events}>
    {children}
  </div>
);
