/** Text to copy, alone or in tabs. */

import { useId, useRef, useState } from "preact/hooks";

import { copyText } from "../live/clipboard.ts";
import { Icon } from "./icons.tsx";

interface SnippetProps {
  readonly label: string;
  readonly text: string;
}

/** A block of code with a button that copies it. */
export const Snippet = ({ label, text }: SnippetProps) => (
  <div class="snippet">
    <pre tabIndex={0} aria-label={label}>
      <code>{text}</code>
    </pre>
    <CopyButton label={label} text={text} />
  </div>
);

/** Copies a text and says so for a moment. */
export function CopyButton({ label, text }: SnippetProps) {
  const [copied, setCopied] = useState<boolean | null>(null);
  const copy = async (): Promise<void> => {
    setCopied(await copyText(text));
    setTimeout(() => setCopied(null), 2500);
  };
  return (
    <button type="button" class="button small copy" onClick={copy}>
      <Icon name={copied ? "check" : "copy"} />
      <span role="status">{copied === null ? "Copy" : copied ? "Copied" : "Select and copy"}</span>
      <span class="unseen"> {label}</span>
    </button>
  );
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly SnippetProps[];
}

/** Several snippets, one shown; arrow keys change tabs. Source: WAI-ARIA Authoring Practices, tabs. */
export function SnippetTabs({ label, tabs }: TabsProps) {
  const [active, setActive] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (active + step + tabs.length) % tabs.length;
    setActive(next);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  const shown = tabs[active];
  return (
    <div class="tabbed">
      <div class="tablist" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab, index) => (
          <button
            key={tab.label}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === active}
            aria-controls={`${id}-panel`}
            tabIndex={index === active ? 0 : -1}
            onClick={() => setActive(index)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${active}`}>
        {shown && <Snippet key={shown.label} {...shown} />}
      </div>
    </div>
  );
}
