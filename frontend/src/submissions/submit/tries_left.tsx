/** How many results the visitor may still hand in, if a token or a kept name with its player key says who that is. */

import { useEffect, useState } from "preact/hooks";

import { say } from "../../languages/say.ts";
import { keptKey, keptName } from "../../ui/hooks/storage.ts";
import { fetchLeft } from "../requests.ts";

// Nothing is asked while the token is being typed: laurel_ and 43 characters.
const TOKEN_LENGTH = 50;

interface Props {
  readonly benchmark: string;
  readonly token: string;
}

export function TriesLeft({ benchmark, token }: Props) {
  const [left, setLeft] = useState<number | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const [player, key] = [keptName.find() ?? "", keptKey.find() ?? ""];
    const isNamed = token === "" ? player !== "" && key !== "" : token.length === TOKEN_LENGTH;
    setLeft(null);
    if (isNamed) {
      fetchLeft(benchmark, token, player, key, leaving.signal).then(
        (fetched) => setLeft(fetched.kind === "ok" ? fetched.value.quota_left : null),
        () => {},
      );
    }
    return () => leaving.abort();
  }, [benchmark, token]);
  return (
    <p class="fine" role="status">
      {left !== null &&
        say("You can hand in {count} more result now|You can hand in {count} more results now", { count: left })}
    </p>
  );
}
