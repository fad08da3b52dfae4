/** Whether somebody is about to tap or click a row: then it must not move away. */

/** Who rests is reading, and may see what is new. */
const REST_MILLISECONDS = 3000;

/**
 * Call `hold` when a pointer or finger comes to the rows of a board, and when it leaves or rests.
 *
 * @returns What ends that.
 */
export function watchRows(hold: (isHeld: boolean) => void): () => void {
  let timer = 0;
  const watch = (event: PointerEvent): void => {
    const isOver = event.type !== "pointerout" && (event.target as Element).closest("[data-row]") !== null;
    clearTimeout(timer);
    hold(isOver);
    if (isOver) timer = window.setTimeout(() => hold(false), REST_MILLISECONDS);
  };
  const names = ["pointerdown", "pointermove", "pointerout"] as const;
  for (const name of names) document.addEventListener(name, watch);
  return () => {
    clearTimeout(timer);
    for (const name of names) document.removeEventListener(name, watch);
  };
}
