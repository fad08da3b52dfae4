/** How to hand in a result from a shell or a program: text to copy. */

export interface Call {
  readonly origin: string;
  readonly benchmark: string;
  /** The part to name in the address, where the benchmark has parts that the result does not name. */
  readonly part: string | null;
  readonly sample: string;
  /** Whether a token must be sent. */
  readonly token: boolean;
}

// What ends a script, a template or a line, turns the reading direction, commands a terminal, or is seen by nobody.
const SPECIAL = /[<>&`$\x7f-\x9f\u2028\u2029\p{Cf}\p{Cs}]/gu;

/**
 * Returns a sample as JSON that does nothing wherever it is pasted: what could do something is escaped, which changes
 * no value, and what is no JSON is left out.
 */
export function readSample(sample: string): string {
  try {
    JSON.parse(sample);
  } catch {
    return "{}";
  }
  // Outside of strings JSON has none of them but white space.
  return sample.trim().replaceAll("\r", "").replaceAll("\t", "  ").replaceAll(SPECIAL, escapeUnits);
}

const escapeUnits = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** Gives the call as a curl command for a POSIX shell. */
export function writeCurl(call: Call): string {
  const token = call.token ? "     -H 'Authorization: Bearer laurel_…' \\\n" : "";
  return `curl '${addressOf(call)}' \\\n     -H 'Content-Type: application/json' \\\n${token}     -d ${quoteShell(readSample(call.sample))}`;
}

/** Gives the call as Python, standard library only. */
export function writePython(call: Call): string {
  const token = call.token ? '\n             "Authorization": "Bearer laurel_…"' : "";
  return `import json
from urllib.request import Request, urlopen

result = json.loads(${quotePython(readSample(call.sample))})
request = Request(
    "${addressOf(call)}",
    data=json.dumps(result).encode(),
    headers={"Content-Type": "application/json"${token ? "," : ""}${token}},
)
with urlopen(request) as response:
    print(json.load(response)["status_url"])`;
}

/** Gives the call as JavaScript, for a game's page of any origin. */
export function writeJavaScript(call: Call): string {
  const token = call.token ? ', "Authorization": "Bearer laurel_…"' : "";
  // As a literal this key would be the object's prototype.
  const sample = readSample(call.sample);
  const result = JSON.stringify(JSON.parse(sample)).includes("__proto__") ? `JSON.parse(${JSON.stringify(sample)})` : sample;
  return `const result = ${result};

const response = await fetch(${JSON.stringify(addressOf(call))}, {
  method: "POST",
  headers: { "Content-Type": "application/json"${token} },
  body: JSON.stringify(result),
});
const { status_url, receipt } = await response.json();`;
}

function addressOf(call: Call): string {
  const query = new URLSearchParams({
    ...(call.token ? {} : { player: "Ada" }),
    ...(call.part === null ? {} : { part: call.part }),
  });
  const text = query.toString();
  return `${call.origin}/api/benchmarks/${call.benchmark}/submissions${text === "" ? "" : `?${text}`}`;
}

const quoteShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function quotePython(text: string): string {
  return text.includes("'''") || text.includes("\\") ? JSON.stringify(text) : `'''${text}'''`;
}
