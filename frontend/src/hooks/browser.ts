/** Small things of the browser: the title, a file to save. */

import { useEffect } from "preact/hooks";

/** Names the page in tab and history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Laurel" : `${title} · Laurel`;
  }, [title]);
}

/** Hands the visitor a file. */
export function saveFile(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
