/** The board's badge, and what to paste to show it elsewhere. */

import { useState } from "preact/hooks";

import { boardPath } from "../../lib/route.ts";
import { SnippetTabs } from "../snippet.tsx";

interface Props {
  readonly benchmark: string;
  readonly title: string;
}

export function Badge({ benchmark, title }: Props) {
  const [there, setThere] = useState(true);
  const image = `/data/b/${benchmark}/badge.svg`;
  if (!there) return null;
  const board = location.origin + boardPath(benchmark);
  const text = title.replaceAll(/[[\]<>"&\\`]/g, " ");
  return (
    <section aria-labelledby="badge-title">
      <h2 id="badge-title">Badge</h2>
      <p>
        <img class="badge" src={image} alt={`Badge of ${title}`} height="20" onError={() => setThere(false)} />
      </p>
      <SnippetTabs
        label="Badge"
        tabs={[
          { label: "Markdown", text: `[![${text}](${location.origin}${image})](${board})` },
          { label: "HTML", text: `<a href="${board}"><img src="${location.origin}${image}" alt="${text}"></a>` },
        ]}
      />
    </section>
  );
}
