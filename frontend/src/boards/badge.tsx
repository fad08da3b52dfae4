/** The badge of a board or of a player on it, and the code that embeds it. */

import { useState } from "preact/hooks";

import type { Head } from "../api/generated/types.ts";
import { MAIN } from "../api/view.ts";
import { language, say } from "../languages/say.ts";
import { Section } from "../ui/facts.tsx";
import { boardPath, playerPath } from "../ui/lib/route.ts";
import { SnippetTabs } from "../ui/tabs.tsx";
import { titleOf } from "./rows/row.ts";

interface Props {
  readonly head: Head;
  readonly player?: { readonly player: string; readonly name: string };
}

/** Return how another page shows a board: as an element, or in a frame. */
function writeEmbeds({ id, board }: Head, title: string) {
  const [attribute, query] = board === MAIN ? ["", ""] : [` board="${board}"`, `&board=${board}`];
  const script = `<script type="module" src="${location.origin}/sdk/laurel-board.js"></script>`;
  const lang = language === "en" ? "" : `&lang=${language}`;
  const address = `${location.origin}/embed/b/${id}?rows=5&theme=auto${query}${lang}`;
  return [
    { label: say("Embed"), text: `<laurel-board benchmark="${id}"${attribute} rows="5"></laurel-board>\n${script}` },
    { label: say("Frame"), text: `<iframe title="${title}" width="100%" height="420" src="${address}"></iframe>` },
  ];
}

export function Badge({ head, player }: Props) {
  const [exists, setExists] = useState(!globalThis.answerFromFiles);
  const query = player ? `?player=${player.player}` : head.board === MAIN ? "" : `?board=${head.board}`;
  const path = `/api/benchmarks/${head.id}/rows.svg${query}`;
  const title = player ? say("{player} on {board}", { player: player.name, board: titleOf(head) }) : titleOf(head);
  if (!exists) return null;
  const image = location.origin + path;
  const board = location.origin + (player ? playerPath(head.id, player.player) : boardPath(head.id, head.board));
  const text = title.replaceAll(/[[\]<>"&\\`]/g, " ");
  return (
    <Section id="badge" title={player ? say("Badge") : say("Badge and board for other pages")}>
      <p>
        <img
          class="badge"
          src={path}
          alt={say("Badge of {title}", { title })}
          height="20"
          onError={() => setExists(false)}
        />
      </p>
      <SnippetTabs
        label={say("Badge")}
        snippets={[
          { label: "Markdown", text: `[![${text}](${image})](${board})` },
          { label: "HTML", text: `<a href="${board}"><img src="${image}" alt="${text}"></a>` },
          ...(player ? [] : writeEmbeds(head, text)),
        ]}
      />
    </Section>
  );
}
