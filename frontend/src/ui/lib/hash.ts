/** What an id is drawn by: a hash, and the hue of a board. */

/** Hues of OKLCH, in degrees. */
const HUES = [158, 255, 35, 300, 80, 205, 345, 125];

/** Return the hue of a benchmark, in degrees. */
export const hueOf = (benchmark: string): number => HUES[hash32(benchmark) % 8] ?? 0;

/** Return 32 bits of a text: FNV-1a over its UTF-8, then the finalizer lowbias32. */
export function hash32(text: string): number {
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 16777619);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
