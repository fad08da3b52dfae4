/** A board's badge, and the code that embeds it. */

import { useState } from "preact/hooks";

import { boardPath } from "../../lib/route.ts";
import { SnippetTabs } from "../tabs.tsx";

interface Props {
  readonly benchmark: string;
  readonly title: string;
}

export function Badge({ benchmark, title }: Props) {
  const [exists, setExists] = useState(true);
  const path = `/data/b/${benchmark}/badge.svg`;
  if (!exists) return null;
  const image = location.origin + path;
  const board = location.origin + boardPath(benchmark);
  const text = title.replaceAll(/[[\]<>"&\\`]/g, " ");
  return (
    <section aria-labelledby="badge-title">
      <h2 id="badge-title">Badge</h2>
      <p>
        <img class="badge" src={path} alt={`Badge of ${title}`} height="20" onError={() => setExists(false)} />
      </p>
      <SnippetTabs
        label="Badge"
        snippets={[
          { label: "Markdown", text: `[![${text}](${image})](${board})` },
          { label: "HTML", text: `<a href="${board}"><img src="${image}" alt="${text}"></a>` },
        ]}
      />
    </section>
  );
}
