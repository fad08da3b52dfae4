/** A board's badge, and the code that embeds it. */

import { useState } from "preact/hooks";

import { folderOf } from "../../api/client.ts";
import type { Head } from "../../api/generated/types.ts";
import { boardPath } from "../../lib/route.ts";
import { titleOf } from "../../lib/board/table.ts";
import { SnippetTabs } from "../tabs.tsx";

export function Badge({ head }: { readonly head: Head }) {
  const [exists, setExists] = useState(true);
  const path = `${folderOf(head.id, head.board)}badge.svg`;
  const title = titleOf(head);
  if (!exists) return null;
  const image = location.origin + path;
  const board = location.origin + boardPath(head.id, head.board);
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
