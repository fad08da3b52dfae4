/** Drawings. They stand beside texts that say the same, and are hidden from screen readers. */

const WREATH =
  "M17.3 26.1Q19.1 31.4 24.9 29.2Q22.3 23.6 17.3 26.1zM17.3 26.1Q21.7 26.4 21.1 21.6Q16.3 21.8 17.3 26.1zM22.2 24.2Q26.2 27.7 29.9 23.2Q25.2 19.8 22.2 24.2zM22.2 24.2Q26 22.4 23.3 18.7Q19.4 21.1 22.2 24.2zM25.6 20.1Q30.5 21.1 31.5 15.7Q26 15.1 25.6 20.1zM25.6 20.1Q27.9 16.8 24 15.1Q21.9 18.8 25.6 20.1zM26.6 14.8Q31 13.5 29.4 8.6Q24.7 10.6 26.6 14.8zM26.6 14.8Q27 11.1 23 11.5Q22.9 15.5 26.6 14.8zM24.9 9.8Q27.9 6.7 24.4 3.4Q21.4 7.2 24.9 9.8zM14.7 26.1Q9.7 23.6 7.1 29.2Q12.9 31.4 14.7 26.1zM14.7 26.1Q15.7 21.8 10.9 21.6Q10.3 26.4 14.7 26.1zM9.8 24.2Q6.8 19.8 2.1 23.2Q5.8 27.7 9.8 24.2zM9.8 24.2Q12.6 21.1 8.7 18.7Q6 22.4 9.8 24.2zM6.4 20.1Q6 15.1 0.5 15.7Q1.5 21.1 6.4 20.1zM6.4 20.1Q10.1 18.8 8 15.1Q4.1 16.8 6.4 20.1zM5.4 14.8Q7.3 10.6 2.6 8.6Q1 13.5 5.4 14.8zM5.4 14.8Q9.1 15.5 9 11.5Q5 11.1 5.4 14.8zM7.1 9.8Q10.6 7.2 7.6 3.4Q4.1 6.7 7.1 9.8z";

export const Wreath = () => (
  <svg class="wreath" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <path d={WREATH} />
  </svg>
);

const MEDAL_SHAPES: Readonly<Record<number, string>> = {
  1: "M14.0 1.6L17.4 4.5L21.9 4.2L22.9 8.5L26.7 10.9L25.0 15.0L26.7 19.1L22.9 21.5L21.9 25.8L17.4 25.5L14.0 28.4L10.6 25.5L6.1 25.8L5.1 21.5L1.3 19.1L3.0 15.0L1.3 10.9L5.1 8.5L6.1 4.2L10.6 4.5z",
  2: "M14 2l11.3 6.5v13L14 28 2.7 21.5v-13z",
  3: "M14 2.5a12.5 12.5 0 1 1 0 25 12.5 12.5 0 1 1 0-25z",
};

/** A medal with its rank in it; each has a shape of its own, so that colour is not all that tells them apart. */
export const Medal = ({ rank }: { readonly rank: number }) => (
  <svg class={`medal medal-${rank}`} viewBox="0 0 28 30" width="30" height="32" aria-hidden="true">
    <path class="medal-face" d={MEDAL_SHAPES[rank] ?? ""} />
    <text x="14" y="19.8" text-anchor="middle" font-size="14">{rank}</text>
  </svg>
);

type Direction = "up" | "down";

export const Caret = ({ direction }: { readonly direction: Direction | "both" }) => (
  <svg class="caret" viewBox="0 0 10 14" width="8" height="11" aria-hidden="true">
    {direction !== "down" && <path d="M5 0l4.5 5.5h-9z" />}
    {direction !== "up" && <path d="M5 14L.5 8.5h9z" />}
  </svg>
);

const STROKES: Readonly<Record<string, string>> = {
  search: "M7 2a5 5 0 1 1 0 10A5 5 0 0 1 7 2zM11 11l4 4",
  copy: "M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11",
  check: "M2.5 8.5l3.5 3.5 7.5-8",
  close: "M4 4l8 8M12 4l-8 8",
  columns: "M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10",
  left: "M10 3L5 8l5 5",
  right: "M6 3l5 5-5 5",
  upload: "M8 10.5V2.5M4.5 6L8 2.5 11.5 6M2.5 13.5h11",
  person: "M8 2.5a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2zM3 13.5c.5-3 2.3-4.3 5-4.3s4.5 1.3 5 4.3",
  chip: "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
};

export const Icon = ({ name }: { readonly name: keyof typeof STROKES & string }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={STROKES[name] ?? ""} />
  </svg>
);
