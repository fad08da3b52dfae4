/** A row of places: one tick a place, the first at the right. A text beside it says the same. */

/** More places than these are a line. */
const MAX_TICKS = 40;

interface Props {
  readonly rank: number;
  /** The rank before: the places from there to the rank are painted. */
  readonly from?: number | null | undefined;
  readonly total: number;
}

export function Track({ rank, from, total }: Props) {
  const start = Math.min(from ?? rank, total);
  if (total > MAX_TICKS)
    return (
      <span class="track" aria-hidden="true">
        <i style={{ flexGrow: total - start }} />
        <i class="got" style={{ flexGrow: start - rank }} />
        <i class="me" style={{ flex: "0 0 8px" }} />
        <i style={{ flexGrow: rank - 1 }} />
      </span>
    );
  return (
    <span class="track" aria-hidden="true">
      {Array.from({ length: total }, (_, index) => {
        const place = total - index;
        return <i key={place} class={place === rank ? "me" : place > rank && place <= start ? "got" : undefined} />;
      })}
    </span>
  );
}
