/** What a chosen file holds: its first rows, and mistakes that are seen before it is sent. */

import { useEffect, useState } from "preact/hooks";

import type { ResultFormatName } from "../../api/generated/types.ts";
import { say } from "../../languages/say.ts";
import { ErrorList } from "../../ui/forms/fields.tsx";
import { Table } from "../../ui/table_head.tsx";
import { previewFile, type Preview } from "./preview.ts";

export function FilePreview({ file, format }: { readonly file: Blob; readonly format: ResultFormatName }) {
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
      {rows.length > 0 && <Table label={say("First lines")} kind="fine" columns={[]} rows={rows} name={-1} />}
      <p class="fine">
        {count > rows.length
          ? say("{count} lines, the first {shown} are shown", { count, shown: rows.length })
          : say("{count} line|{count} lines", { count })}
      </p>
      <ErrorList errors={faults} />
    </div>
  );
}
