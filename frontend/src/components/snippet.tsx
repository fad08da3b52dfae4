/** Text to copy, alone or in tabs. */

import { useState } from "preact/hooks";

import { copyText } from "../hooks/clipboard.ts";
import { Icon } from "./icons.tsx";
import { Tabs } from "./tabs.tsx";

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

/** Several snippets, one shown. */
export const SnippetTabs = ({ label, tabs }: TabsProps) => (
  <Tabs label={label} tabs={tabs.map((one) => ({ label: one.label, panel: <Snippet {...one} /> }))} />
);
