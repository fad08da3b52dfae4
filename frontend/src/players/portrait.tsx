/** Who a page is about: face, name, some facts, and the button that shares it. */

import type { ComponentChildren } from "preact";

import { Face } from "../ui/icons.tsx";
import type { Faced } from "../ui/face.tsx";
import { PlayerTags } from "../ui/player_name.tsx";
import { Share } from "../ui/tabs.tsx";

interface Props {
  readonly view: Faced & { readonly name: string };
  /** Beside the kind of player. */
  readonly tag?: ComponentChildren;
  readonly facts: readonly (string | null | undefined | false)[];
  /** Buttons before the one that shares. */
  readonly children?: ComponentChildren;
}

export const Portrait = ({ view, tag, facts, children }: Props) => (
  <div class="portrait">
    <Face {...view} size={104} />
    <div>
      <h1>
        <bdi>{view.name}</bdi>
      </h1>
      <p class="labels">
        <PlayerTags {...view} />
        {tag}
      </p>
      <p class="soft">{facts.filter(Boolean).join(" · ")}</p>
    </div>
    <p class="labels acts">
      {children}
      <Share />
    </p>
  </div>
);
