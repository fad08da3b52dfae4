/** What explains the scores of a submission: files to save, tables of numbers, and the rest as JSON. */

import { locale, say } from "../../languages/say.ts";
import { saveFile } from "../../lib/download.ts";
import { formatDetail, type NumberTable, splitDetail } from "../../lib/outcome.ts";
import { Button } from "../controls.tsx";
import { TableHead } from "../table_head.tsx";
import { ScrollArea } from "../tables.tsx";
import { Snippet } from "../tabs.tsx";
import { MISSING } from "../../lib/format.ts";

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
  <ScrollArea class="board narrow" label={name}>
    <table>
      <TableHead labels={[name]} metrics={columns.map((id) => ({ id, label: id, direction: "higher" }))} />
      <tbody>
        {Object.entries(rows).map(([row, cells]) => (
          <tr key={row}>
            <th scope="row">{row}</th>
            {columns.map((column) => (
              <td key={column} class="number">
                {cells[column]?.toLocaleString(locale, { maximumFractionDigits: 3 }) ?? MISSING}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollArea>
);
