/** `/about`: how ranks, ties, outcomes and signatures work. */

import type { Outcome } from "../api/answers.ts";
import { useTitle } from "../hooks/browser.ts";
import { meaningOf } from "../lib/outcome.ts";

const OUTCOMES: readonly Outcome[] = ["scored", "invalid", "evaluator_error", "internal_error"];

export function AboutPage() {
  useTitle("About");
  return (
    <div class="prose page">
      <h1>How it works</h1>
      <p class="lead">
        A game or a model owner hands in a result. It is scored once, by rules that everybody can read, and the board
        moves.
      </p>

      <h2>From a result to the board</h2>
      <ol>
        <li>A result arrives, and is kept as it came. It is never lost and never changed.</li>
        <li>
          The benchmark’s scorer judges it, usually within seconds. A script of the benchmark’s owner runs alone:
          without network, without rights.
        </li>
        <li>
          The scores go into the player’s standing, and the board is published anew. An open page shows it by itself.
        </li>
      </ol>

      <h2>Ranks and ties</h2>
      <p>
        Each board says in one sentence what counts: which of a player’s submissions, and which columns decide, the
        first before the second. Values are compared at full precision, not as they are rounded on the screen; the CSV
        has all digits.
      </p>
      <p>
        Who has the same values shares the rank, and the next rank is left out: 1, 2, 2, 4. A shared rank is written{" "}
        <strong>=2</strong>. Among those who share it the earlier one comes first, without being ahead. A medal that
        more than three would share is not given.
      </p>
      <p>
        Sorting, searching and filtering change what you see, never a rank. A value that is missing is shown as “–” and
        comes last, whichever way you sort.
      </p>

      <h2>Who plays</h2>
      <p>
        A player is a <strong>human</strong> or a <strong>model</strong>. Whoever hands in with a token is verified;
        everybody else is a <strong>guest</strong>, and shown as one.
      </p>

      <h2>Outcomes</h2>
      <p>Every submission ends in one of four ways, and each says who must act.</p>
      <dl class="pairs">
        {OUTCOMES.map((outcome) => (
          <div key={outcome}>
            <dt>
              <span class={`outcome ${meaningOf(outcome).tone}`}>{meaningOf(outcome).label}</span>
            </dt>
            <dd>{meaningOf(outcome).explanation}</dd>
          </div>
        ))}
      </dl>
      <p>
        Handing in gives a <strong>receipt</strong>. It opens the details and messages of that submission; without it
        only outcome and scores are shown.
      </p>

      <h2>Signatures</h2>
      <p>
        Every score carries a signature: the benchmark’s version, the scorer with its parameters, and the versions of
        the software. With the same signature, the same result gets the same score, to the last digit. When what decides
        the scores changes, the benchmark has a new version, and scores of different versions never stand on one board.
      </p>

      <h2>Read the data</h2>
      <p>
        Boards are plain JSON, for any page of any origin: <a href="/data/index.json">/data/index.json</a> lists them.
        The <a href="/api/docs">API</a> takes results and tells what became of them.
      </p>
    </div>
  );
}
