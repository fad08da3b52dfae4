/** What a file holds, as far as that is seen before it is sent: its first rows, and mistakes that any reader would meet. */

import type { ResultFormatName } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { NOT_UTF8, readText } from "../../ui/lib/file_formats.ts";

const SHOWN_ROWS = 6;
const SHOWN_FAULTS = 20;

export interface Preview {
  /** The first rows, each divided into cells; lines of other text have one. */
  readonly rows: readonly (readonly string[])[];
  /** How many rows there are. */
  readonly count: number;
  /** The first mistakes, and how many more there are. */
  readonly faults: readonly string[];
}

/** Return what a text file holds; null for a format that is no text. */
export function previewFile(content: ArrayBuffer, format: ResultFormatName): Preview | null {
  if (format === "zip" || format === "npy") return null;
  const text = readText(content);
  if (text === null) return { rows: [], count: 0, faults: [NOT_UTF8] };
  const faults: string[] = [];
  let more = 0;
  const report = (fault: string): void => {
    if (faults.length < SHOWN_FAULTS) faults.push(fault);
    else more += 1;
  };
  const isTable = format === "csv" || format === "tsv";
  const read = isTable ? readTable(text, format === "csv" ? "," : "\t", report) : readLines(text, format, report);
  return { ...read, faults: more ? [...faults, say("And {count} more.", { count: more })] : faults };
}

type Read = Pick<Preview, "rows" | "count">;
type Report = (fault: string) => void;

function readLines(text: string, format: ResultFormatName, report: Report): Read {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.at(-1) === "") lines.pop();
  if (format === "jsonl") {
    lines.forEach((line, index) => {
      try {
        if (line.trim() !== "") JSON.parse(line);
      } catch (error) {
        report(say("Line {line} is not JSON: {error}", { line: index + 1, error: (error as Error).message }));
      }
    });
  }
  return { rows: lines.slice(0, SHOWN_ROWS).map((line) => [line]), count: lines.length };
}

function readTable(text: string, delimiter: string, report: Report): Read {
  const rows: string[][] = [];
  let [count, line, width] = [0, 1, 0];
  for (let start = 0; start < text.length;) {
    const row: string[] = [];
    const first = line;
    for (;;) {
      const cell = readCell(text, start, delimiter);
      if (cell.fault !== null) report(say("Line {line}: {fault}", { line, fault: cell.fault }));
      row.push(cell.value);
      line += cell.value.split("\n").length - 1;
      start = cell.end + 1;
      if (text[cell.end] !== delimiter) break;
    }
    if (text.startsWith("\r\n", start - 1)) start += 1;
    line += 1;
    if (row.length === 1 && row[0] === "") continue;
    if (count === 0) {
      width = row.length;
      checkNames(row, delimiter, report);
    } else if (row.length !== width) {
      report(
        say(
          "Line {line} has {count} cell; the first line has {width}.|Line {line} has {count} cells; the first line has {width}.",
          { line: first, count: row.length, width },
        ),
      );
    }
    count += 1;
    if (rows.length < SHOWN_ROWS) rows.push(row);
  }
  if (count === 0) report(say("The file has no rows."));
  return { rows, count };
}

interface Cell {
  readonly value: string;
  /** Where it ends: at a delimiter, a line break, or the end of the text. */
  readonly end: number;
  readonly fault: string | null;
}

function readCell(text: string, start: number, delimiter: string): Cell {
  const isQuoted = text[start] === '"';
  const from = isQuoted ? findEndOfQuotes(text, start) : start;
  if (from < 0) return { value: text.slice(start), end: text.length, fault: say("the quotes never end.") };
  const stops = delimiter === "," ? /[,\r\n]/g : /[\t\r\n]/g;
  stops.lastIndex = from;
  const end = stops.exec(text)?.index ?? text.length;
  if (!isQuoted) return { value: text.slice(start, end), end, fault: null };
  const value = text.slice(start + 1, from - 1).replaceAll('""', '"');
  return { value, end, fault: end > from ? say("text follows the closing quotes.") : null };
}

/** Return where the quotes at `start` end; -1 if they never do. */
function findEndOfQuotes(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote < 0 ? -1 : quote + 1;
}

function checkNames(names: readonly string[], delimiter: string, report: Report): void {
  const other = [",", ";", "\t"].find((sign) => sign !== delimiter && names.length === 1 && names[0]?.includes(sign));
  if (other !== undefined) {
    const [expected, given] = [delimiter, other].map((sign) => (sign === "\t" ? say("a tab") : `“${sign}”`));
    report(
      say("The first line is one cell: expected {sign} between cells, found {other}.", {
        sign: expected ?? "",
        other: given ?? "",
      }),
    );
  }
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) report(say("The first line has the name “{name}” twice.", { name: twice }));
}
