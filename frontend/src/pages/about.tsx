/** `/about`: how ranks, ties, outcomes and signatures work. */

import { OutcomeLabel } from "../components/facts.tsx";
import { useTitle } from "../hooks/browser.ts";
import { MEANINGS } from "../lib/outcome.ts";

export function AboutPage() {
  useTitle("About");
  return (
    <div class="prose page">
      <h1>How it works</h1>
      <p class="lead">
        A game or the owner of a model submits a result. It is scored once, by public rules, and the board is updated.
      </p>

      <h2>From a result to the board</h2>
      <ol>
        <li>A result arrives, and is stored unchanged. It is never lost.</li>
        <li>
          The benchmark’s scorer judges it, usually within seconds. A script of the benchmark’s owner runs in a sandbox
          without network or privileges.
        </li>
        <li>The scores update the player’s standing, and the board is rendered again. Open pages update themselves.</li>
      </ol>

      <h2>Ranks and ties</h2>
      <p>
        Each board states in one sentence which of a player’s submissions count, and which columns decide the rank, the
        first before the second. Values are compared at full precision, not as they are rounded on the screen; the CSV
        has all digits.
      </p>
      <p>
        Players with the same values share a rank, and the next rank is skipped: 1, 2, 2, 4. A shared rank is written{" "}
        <strong>=2</strong>. Players who share a rank are listed by time, the earliest first. A player who has not done
        all parts gets no medal, nor does anybody if more than three players share it.
      </p>
      <p>
        Sorting, searching and filtering change what you see, never a rank. A missing value is shown as “–” and is last
        in either direction.
      </p>

      <h2>Players</h2>
      <p>
        A player is a <strong>human</strong> or a <strong>model</strong>. Players who hand in with a token are verified;
        all others are <strong>guests</strong>, and marked as guests. A guest’s name without a player key is
        “unclaimed”: anybody may add to its row.
      </p>

      <h2>Outcomes</h2>
      <p>Every submission has one of four outcomes, which say who must act.</p>
      <dl class="pairs">
        {Object.entries(MEANINGS).map(([outcome, { label, tone, explanation }]) => (
          <div key={outcome}>
            <dt>
              <OutcomeLabel label={label} tone={tone} />
            </dt>
            <dd>{explanation}</dd>
          </div>
        ))}
      </dl>
      <p>
        When you hand in, you get a <strong>receipt</strong>. It opens the details and messages of that submission;
        without it, only outcome and scores are shown.
      </p>
      <p>
        Owners see what failed in their benchmarks, and publish them, on <a href="/owners">their page</a>.
      </p>

      <h2>Signatures</h2>
      <p>
        Every score has a signature: the benchmark’s version, the scorer with its parameters, and the versions of the
        software. With the same signature, the same result gets the same score, to the last digit. When something that
        decides the scores changes, the benchmark gets a new version. Scores of different versions are never on the same
        board.
      </p>

      <h2>Read the data</h2>
      <p>
        Boards are plain JSON, for pages of any origin: <a href="/data/index.json">/data/index.json</a> lists them. The{" "}
        <a href="/api/docs">API</a> accepts results and returns their outcomes.
      </p>
    </div>
  );
}
