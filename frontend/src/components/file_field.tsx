/** Takes a file: chosen, or dropped. */

import { useId } from "preact/hooks";

import { Icon } from "./icons.tsx";

interface Props {
  /** The name of the file at hand; empty where there is none. */
  readonly name: string;
  /** What to choose: `a JSON file`. */
  readonly wanted: string;
  readonly accept: string;
  readonly disabled?: boolean;
  readonly onFile: (file: File) => void;
}

export function FileField({ name, wanted, accept, disabled = false, onFile }: Props) {
  const id = useId();
  const take = (files: FileList | null | undefined): void => {
    if (files?.[0] && !disabled) onFile(files[0]);
  };
  return (
    <div
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer?.files);
      }}
    >
      <label class="button" for={id}>
        <Icon name="upload" />
        {name === "" ? `Choose ${wanted}` : "Choose another file"}
      </label>
      <input
        id={id}
        class="unseen"
        type="file"
        accept={accept}
        disabled={disabled}
        onChange={(event) => take(event.currentTarget.files)}
      />
      <span class="fine clip">{name === "" ? "or drop it here" : name}</span>
    </div>
  );
}
