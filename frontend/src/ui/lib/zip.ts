/** Packs files into a ZIP without compressing them (PKWARE, APPNOTE.TXT). */

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const UTF_8 = 0x0800;
/** 1 January 1980, the first day of ZIP: the same files give the same bytes. */
const DAY = 0x21;

export interface PackedFile {
  readonly path: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Return a ZIP of these files, in this order. */
export function packFiles(files: readonly PackedFile[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { path, content } of files) {
    const name = new TextEncoder().encode(path);
    const size = content.length;
    const about = [20, UTF_8, 0, 0, DAY].flatMap(half).concat([checksum(content), size, size].flatMap(whole));
    const lengths = [name.length, 0].flatMap(half);
    parts.push(Uint8Array.from([...whole(LOCAL), ...about, ...lengths]), name, content);
    const place = [0, 0, 0].flatMap(half).concat([0, offset].flatMap(whole));
    directory.push(Uint8Array.from([...whole(CENTRAL), ...half(20), ...about, ...lengths, ...place]), name);
    offset += 30 + name.length + size;
  }
  const length = directory.reduce((sum, entry) => sum + entry.length, 0);
  const counts = [0, 0, files.length, files.length].flatMap(half);
  return new Blob([
    ...parts,
    ...directory,
    Uint8Array.from([...whole(END), ...counts, ...whole(length), ...whole(offset), 0, 0]),
  ]);
}

const half = (value: number): number[] => [value & 255, (value >> 8) & 255];
const whole = (value: number): number[] => [...half(value), ...half(value >>> 16)];

function checksum(content: Uint8Array): number {
  let crc = -1;
  for (const byte of content) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}
