/** CSV that spreadsheets read, and in which no cell is run. Source: RFC 4180. */

// What spreadsheets take for the start of a formula, in its wide forms too.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/u;
const BYTE_ORDER_MARK = "\ufeff";

export type Cell = string | number | boolean;

/** Writes lines of cells as CSV. */
export const writeCsv = (lines: readonly (readonly Cell[])[]): string =>
  BYTE_ORDER_MARK + lines.map((line) => line.map(formatCell).join(",") + "\r\n").join("");

function formatCell(value: Cell): string {
  if (typeof value !== "string") return String(value);
  const text = FORMULA.test(value.trimStart()) || FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
