/** The marks of picked players, in charts and wherever else they are named. */

/** The shapes that mark picked players, which differ not only by colour: circle, square, triangle, diamond, cross. */
export const MARKS = [
  "M-5 0a5 5 0 1 1 10 0a5 5 0 1 1 -10 0z",
  "M-4.5-4.5h9v9h-9z",
  "M0-6L5.5 4.5h-11z",
  "M0-6.5L6.5 0 0 6.5-6.5 0z",
  "M-5.5-2h3.5v-3.5h4v3.5h3.5v4h-3.5v3.5h-4v-3.5h-3.5z",
];

export const pickColor = (index: number) => ({ color: `var(--pick-${index})` });

/** The mark of the player at an index of the picks. */
export const Mark = ({ index }: { readonly index: number }) => (
  <svg class="pick" style={pickColor(index)} viewBox="-7 -7 14 14" width="14" height="14" aria-hidden="true">
    <path class="mark" d={MARKS[index] ?? ""} />
  </svg>
);
