/** What a board shows in place of its table while it has no rows, or selects none. */

import type { Head } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { Button } from "../../ui/controls.tsx";
import { submitPath } from "../../ui/lib/route.ts";
import { Notice } from "../../ui/states.tsx";

interface Props {
  readonly head: Head;
  readonly isArchived: boolean;
  /** Whether the board is too large to be searched by a part of a name. */
  readonly isRemote: boolean;
  readonly onShow: () => void;
}

export const NoRows = ({ head, isArchived, isRemote, onShow }: Props) =>
  head.total === 0 ? (
    <Notice title={say("Nobody is on this board yet")} heading="h2">
      {!isArchived && (
        <>
          <p>{say("The first scored result takes the lead.")}</p>
          <Button primary href={submitPath(head.id, head.board)}>
            {say("Be the first")}
          </Button>
        </>
      )}
    </Notice>
  ) : (
    <Notice title={say("No player matches your search")} heading="h2">
      <p>
        {isRemote
          ? say("A board of this size finds a player’s id, or the whole name of a verified player.")
          : say("Change the search or the filter to see other players.")}
      </p>
      <Button onClick={onShow}>{say("Show all players")}</Button>
    </Notice>
  );
