/** The columns that a view shows. */

import type { Metric } from "../../api/generated/types.ts";
import type { View } from "../../api/view.ts";

/** Return the view with a metric shown or hidden. At least one stays shown. */
export function toggleColumn(view: View, id: string, metrics: readonly Metric[]): View {
  const all = metrics.map((metric) => metric.id);
  const shown = view.columns ?? all;
  const columns = all.filter((column) => shown.includes(column) !== (column === id));
  if (columns.length === 0) return view;
  return { ...view, columns: columns.length === all.length ? null : columns };
}
