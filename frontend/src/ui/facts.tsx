/** Single values that no board needs first: facts, breakable text. */

import type { ComponentChildren } from "preact";

interface FactProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A label and its value in a description list. */
export const Fact = ({ label, children }: FactProps) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** A text that may break after a mark. */
export const breakableText = (text: string, mark: string) =>
  text.split(mark).map((piece, index) => (
    <>
      {index > 0 && mark}
      {index > 0 && <wbr />}
      {piece}
    </>
  ));
