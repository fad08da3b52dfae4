/** What a browser can check of a result before it is sent; the rest is judged by the server. */

/** Says what is wrong with a result as it stands, or null. */
export function checkResult(text: string, limit: number): string | null {
  if (text.trim() === "") return "Choose a file, or write or paste a result.";
  const size = new TextEncoder().encode(text).length;
  if (size > limit) return `The result has ${formatBytes(size)}; at most ${formatBytes(limit)} are taken.`;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? null : "A result is an object or an array; this is neither.";
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`;
  }
}

/** Writes a size: `1 MiB`, `2.5 MB`, `300 bytes`. */
export function formatBytes(bytes: number): string {
  const binary = bytes % 1024 === 0;
  const base = binary ? 1024 : 1000;
  const names = binary ? ["bytes", "KiB", "MiB", "GiB"] : ["bytes", "KB", "MB", "GB"];
  const power = bytes < base ? 0 : Math.min(names.length - 1, Math.floor(Math.log(bytes) / Math.log(base)));
  return `${Number((bytes / base ** power).toFixed(1))} ${names[power]}`;
}
