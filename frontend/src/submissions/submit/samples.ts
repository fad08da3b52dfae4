/** Code samples that submit a result from a shell or a program. */

import type { ResultFormatName } from "../../api/generated/types.ts";
import { MEDIA_TYPES } from "../../ui/lib/file_formats.ts";

export interface Call {
  readonly origin: string;
  readonly benchmark: string;
  /** The part to name in the URL; null if the result names it or there are no parts. */
  readonly part: string | null;
  readonly sample: string;
  /** The format of a result; one that is not JSON is sent from a file. */
  readonly format: ResultFormatName;
  /** Whether a token is required. */
  readonly token: boolean;
}

/** The command line as a package, which the site serves. A test compares the name with the package's own. */
export const WHEEL = "/command/laurel-0.1.0-py3-none-any.whl";

// Characters that end a script, template or line, change the reading direction, control a terminal, or are invisible.
const SPECIAL = /[<>&`$\x7f-\x9f\u2028\u2029\p{Cf}\p{Cs}]/gu;

/**
 * Return a sample as JSON that is harmless wherever it is pasted: special characters are escaped, which changes no
 * value, and a sample that is not JSON is replaced by `{}`.
 */
export function readSample(sample: string): string {
  try {
    JSON.parse(sample);
  } catch {
    return "{}";
  }
  // Outside of strings, white space is the only special character that JSON allows.
  return sample.trim().replaceAll("\r", "").replaceAll("\t", "  ").replaceAll(SPECIAL, escapeUnits);
}

const escapeUnits = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** Return the call as a curl command for a POSIX shell. */
export function writeCurl(call: Call): string {
  const token = call.token ? "     -H 'Authorization: Bearer laurel_…' \\\n" : "";
  const body =
    call.format === "json" ? `-d ${quoteShell(readSample(call.sample))}` : `--data-binary @result.${call.format}`;
  return `curl '${urlOf(call)}' \\\n     -H 'Content-Type: ${MEDIA_TYPES[call.format]}' \\\n${token}     ${body}`;
}

/** Return how to install the command line from this site and submit with it. */
export function writeCommand(call: Call): string {
  const token = call.token ? "export LAUREL_TOKEN=laurel_…\n" : "";
  const words = [
    ...(call.part === null ? [] : ["--part", quoteShell(call.part)]),
    ...(call.token ? [] : ["--player Ada"]),
  ];
  return `uv tool install '${call.origin}${WHEEL}'
export LAUREL_API='${call.origin}'
${token}${["laurel submit", call.benchmark, `result.${call.format} --wait`, ...words].join(" ")}`;
}

/** Return the call as a page with a game: its board, the player's name, and the result when the game is over. */
export function writeGame(call: Call, hasTickets: boolean): string {
  const { origin, benchmark } = call;
  const part = call.part === null ? "" : `{ part: ${quoteScript(call.part)} }`;
  const options = [
    ...(call.part === null ? [] : [`part: ${quoteScript(call.part)}`]),
    ...(hasTickets ? ["ticket"] : []),
  ];
  const ticket = hasTickets ? `\n  const ticket = await laurel.ticket(${part}); // when the play begins` : "";
  const given = options.length > 0 ? `, { ${options.join(", ")} }` : "";
  return `<label>Your name <input id="nick" maxlength="64"></label>
<laurel-board benchmark="${benchmark}"></laurel-board>
<script type="module" src="${origin}/sdk/laurel-board.js"></script>
<script type="module">
  import { Laurel } from "${origin}/sdk/laurel.js";
  const laurel = new Laurel("${origin}", { benchmark: "${benchmark}" });
  nick.value = laurel.player ?? "";
  nick.onchange = () => {
    let fault = "";
    try { laurel.player = nick.value; } catch ({ message }) { fault = message; }
    nick.setCustomValidity(fault);
    if (nick.reportValidity()) laurel.flush(); // what was played under a name that the site rejects
  };${ticket}
  const answer = await laurel.submit(${readSample(call.sample)}${given}); // when it is over
</script>`;
}

/** Return a text as a literal that ends no script. */
const quoteScript = (text: string): string => readSample(JSON.stringify(text));

function urlOf(call: Call): string {
  const query = new URLSearchParams({
    ...(call.token ? {} : { player: "Ada" }),
    ...(call.part === null ? {} : { part: call.part }),
  });
  const text = query.toString();
  return `${call.origin}/api/benchmarks/${call.benchmark}/submissions${text === "" ? "" : `?${text}`}`;
}

const quoteShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
