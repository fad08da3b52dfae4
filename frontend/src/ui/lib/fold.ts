/** Says when two texts are the same for a search. */

/**
 * Return a text without case, width and accents, as `fold_name` of the service does.
 *
 * By lower case first, so that `ẞ` is `ß`, then by upper case, in which `ß` is `SS`.
 */
export function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().toUpperCase();
}
