/** What a chosen file holds: its first rows, and mistakes that are seen before it is sent. */

import { useEffect, useState } from "preact/hooks";

import type { ResultFormatName } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { previewFile, type Preview } from "./preview.ts";
import { ScrollArea } from "../tables.tsx";

interface Props {
  readonly file: Blob;
  readonly format: ResultFormatName;
}

export function FilePreview({ file, format }: Props) {
  const [preview, setPreview] = useState<Preview | null>(null);
  useEffect(() => {
    let stale = false;
    setPreview(null);
    void file.arrayBuffer().then((content) => stale || setPreview(previewFile(content, format)));
    return () => {
      stale = true;
    };
  }, [file, format]);
  if (preview === null) return null;
  const { rows, count, faults } = preview;
  return (
    <div class="field" role="status">
      {rows.length > 0 && (
        <ScrollArea label={say("First lines")}>
          <table class="fine">
            <tbody>
              {rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
      <p class="fine">
        {count > rows.length
          ? say("{count} lines, the first {shown} are shown", { count, shown: rows.length })
          : say("{count} line|{count} lines", { count })}
      </p>
      {faults.length > 0 && (
        <ul class="form-errors">
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
