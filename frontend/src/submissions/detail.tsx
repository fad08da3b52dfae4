/** What explains the scores of a submission: files to save, tables of numbers, and the rest as JSON. */

import { locale, say } from "../languages/say.ts";
import { Button } from "../ui/controls.tsx";
import { saveFile } from "../ui/lib/download.ts";
import { MISSING } from "../ui/lib/format.ts";
import { numbers, Table } from "../ui/table_head.tsx";
import { Snippet } from "../ui/tabs.tsx";
import { formatDetail, type NumberTable, splitDetail } from "./outcomes.ts";

export function Detail({ detail }: { readonly detail: Readonly<Record<string, unknown>> }) {
  const { files, tables, rest } = splitDetail(detail);
  return (
    <>
      {tables.map((table) => (
        <Numbers key={table.name} {...table} />
      ))}
      {Object.keys(rest).length > 0 && <Snippet label={say("Detail")} text={formatDetail(rest)} />}
      {files.length > 0 && (
        <p class="labels">
          {files.map(([name, content]) => (
            <Button key={name} onClick={() => saveFile(name, "application/json", JSON.stringify(content, null, 2))}>
              {say("Download {file}", { file: name })}
            </Button>
          ))}
        </p>
      )}
    </>
  );
}

const Numbers = ({ name, columns, rows }: NumberTable) => (
  <Table
    class="board"
    label={name}
    columns={[name, ...columns.map(numbers)]}
    rows={Object.entries(rows).map(([row, cells]) => [
      row,
      ...columns.map((id) => cells[id]?.toLocaleString(locale, { maximumFractionDigits: 3 }) ?? MISSING),
    ])}
  />
);
