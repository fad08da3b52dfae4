/** Who else on the board has the name that a guest gives: the two are told apart by a number. */

import { fetchJson } from "../../api/client.ts";
import type { RowsView } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { fold } from "../../ui/lib/fold.ts";
import { usePolled } from "../../ui/hooks/polling.ts";
import { playerOf } from "../../ui/hooks/storage.ts";

interface Props {
  readonly benchmark: string;
  /** The name as it was typed; "" asks nothing. */
  readonly name: string;
}

export function SameName({ benchmark, name }: Props) {
  const query = new URLSearchParams({ q: name });
  const { value } = usePolled(name && `${benchmark} ${name}`, (signal) =>
    fetchJson<RowsView>(`/api/benchmarks/${benchmark}/rows?${query}`, { signal }),
  );
  const wanted = fold(name);
  const own = playerOf(benchmark).find();
  const others = (value?.rows ?? []).filter(
    (row) => row.player !== own && `${fold(row.name)} ·`.startsWith(`${wanted} ·`),
  );
  return name === "" || others.length === 0 ? null : (
    <p class="fine" role="status">
      {say(
        "Another player on this board has this name: a number behind yours tells you apart.|{count} other players on this board have this name: a number behind yours tells you apart.",
        { count: others.length },
      )}
    </p>
  );
}
