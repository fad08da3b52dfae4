/** Downloads of what the page made. */

/** The icon of a download. */
export const DOWNLOAD = "M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11";

/** Download a file that the page made. */
export function saveFile(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
