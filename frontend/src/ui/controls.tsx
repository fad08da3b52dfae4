/** Buttons and inputs. */

import type { ComponentChildren, TargetedMouseEvent } from "preact";

import { Icon, SEARCH } from "./icons.tsx";

interface ButtonProps {
  readonly href?: string;
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  /** Whether it sends its form. */
  readonly submit?: boolean;
  readonly primary?: boolean;
  readonly small?: boolean;
  readonly disabled?: boolean;
  readonly "aria-pressed"?: boolean;
  readonly children: ComponentChildren;
}

/** A button, or a link that looks like one. */
export function Button({ href, submit, primary, small, ...others }: ButtonProps) {
  const classes = `button ${small ? "small" : ""} ${primary ? "primary" : ""}`;
  if (href !== undefined) return <a class={classes} href={href} children={others.children} />;
  return <button type={submit ? "submit" : "button"} class={classes} {...others} />;
}

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onInput: (query: string) => void;
}

export const SearchField = ({ label, placeholder, value, onInput }: SearchProps) => (
  <label class="search">
    <span class="unseen">{label}</span>
    <Icon shape={SEARCH} />
    <input
      type="search"
      placeholder={placeholder}
      value={value}
      maxLength={64}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  </label>
);
