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

/** Gives the call as a curl command for a POSIX shell. */
export function writeCurl(call: Call): string {
  const token = call.token ? "     -H 'Authorization: Bearer laurel_…' \\\n" : "";
  return `curl '${addressOf(call)}' \\\n     -H 'Content-Type: application/json' \\\n${token}     -d ${quoteShell(call.sample)}`;
}

/** Gives the call as Python, standard library only. */
export function writePython(call: Call): string {
  const token = call.token ? '\n             "Authorization": "Bearer laurel_…"' : "";
  return `import json
from urllib.request import Request, urlopen

result = json.loads(${quotePython(call.sample)})
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
  return `const result = ${call.sample.trim()};

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

const quoteShell = (text: string): string => `'${text.trim().replaceAll("'", "'\\''")}'`;

function quotePython(text: string): string {
  return text.includes("'''") || text.includes("\\") ? JSON.stringify(text.trim()) : `'''${text.trim()}'''`;
}
