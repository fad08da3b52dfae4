/** Single values that no board needs first: facts, outcomes, breakable text. */

import type { ComponentChildren } from "preact";

import type { Tone } from "../lib/outcome.ts";

export const OutcomeLabel = ({ label, tone }: { readonly label: string; readonly tone: Tone }) => (
  <span class={`outcome ${tone}`}>{label}</span>
);

interface FactProps {
  readonly label: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A label and its value in a description list. */
export const Fact = ({ label, class: name, children }: FactProps) => (
  <div class={name}>
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
