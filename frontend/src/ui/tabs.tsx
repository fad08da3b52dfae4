/** Tabs, text to copy, alone or in tabs, and the button that shares a page. */

import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";

import { say } from "../languages/say.ts";
import { Button } from "./controls.tsx";
import { Icon } from "./icons.tsx";

const CHECK = "M2.5 8.5l3.5 3.5 7.5-8";
const SHOWN_MILLISECONDS = 2500;
const COPY = "M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3";

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly label: string; readonly panel: ComponentChildren }[];
}

/** Panels of which one is shown. Hidden panels keep what was typed. Source: WAI-ARIA Authoring Practices, tabs. */
export function Tabs({ label, tabs }: TabsProps) {
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
            aria-controls={`${id}-panel-${index}`}
            tabIndex={index === active ? 0 : -1}
            onClick={() => setActive(index)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      {tabs.map((tab, index) => (
        <div
          key={tab.label}
          role="tabpanel"
          id={`${id}-panel-${index}`}
          aria-labelledby={`${id}-tab-${index}`}
          hidden={index !== active}
        >
          {tab.panel}
        </div>
      ))}
    </div>
  );
}

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

interface SnippetTabsProps {
  readonly label: string;
  readonly snippets: readonly SnippetProps[];
}

export const SnippetTabs = ({ label, snippets }: SnippetTabsProps) => (
  <Tabs label={label} tabs={snippets.map((snippet) => ({ label: snippet.label, panel: <Snippet {...snippet} /> }))} />
);

/** A secret that is shown once, with a button that copies it. */
export const Secret = ({ label, text, role }: SnippetProps & { readonly role?: "status" }) => (
  <p class="receipt-line" role={role}>
    <code>{text}</code> <CopyButton label={label} text={text} />
  </p>
);

/** A button that copies a text and shows for a moment that it did. */
export function CopyButton({ label, text }: SnippetProps) {
  const [copied, copy] = useCopied();
  return (
    <button type="button" class="button small copy" onClick={() => copy(text)}>
      <Icon shape={copied ? CHECK : COPY} />
      <span role="status">{copied === null ? say("Copy") : copied ? say("Copied") : say("Select and copy")}</span>
      <span class="unseen"> {label}</span>
    </button>
  );
}

/** A button that shares the page by what the device offers for that, else copies its address. */
export function Share() {
  const [copied, copy] = useCopied();
  const send = async (): Promise<void> => {
    const page = { title: document.title, url: location.href };
    // Not all browsers have it; who closes what it opens has changed their mind.
    const { share } = navigator as Partial<Navigator>;
    return share ? share.call(navigator, page).catch(() => undefined) : copy(page.url);
  };
  return (
    <Button primary onClick={() => void send()}>
      <span aria-live="polite">
        {copied === null ? say("Share") : copied ? say("Address copied") : say("Copy the address of this page")}
      </span>
    </Button>
  );
}

/** Return whether a text was copied a moment ago, null if none was, and what copies one. */
function useCopied() {
  const [copied, setCopied] = useState<boolean | null>(null);
  const copy = async (text: string): Promise<void> => {
    // The clipboard may be missing or forbidden.
    const write = async () => navigator.clipboard.writeText(text);
    setCopied(
      await write().then(
        () => true,
        () => false,
      ),
    );
    setTimeout(() => setCopied(null), SHOWN_MILLISECONDS);
  };
  return [copied, copy] as const;
}
