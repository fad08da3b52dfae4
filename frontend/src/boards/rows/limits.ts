/** Which boards are too large to load, and what may be seen of them. */

import type { Head } from "../../api/generated/types.ts";
import type { View } from "../../api/view.ts";
import { isWhole } from "./row.ts";

/** The longest board of which the browser loads all rows. */
export const MAX_LOADED = 20_000;

/** Return whether a board is too long to load all its rows, so that the API selects them. */
export const isLarge = (head: Head): boolean => head.total > MAX_LOADED && !isWhole(head);

/** Return the view of a board whose rows the API selects: it searches, and has one order. */
export const limitView = (view: View): View => ({ ...view, kind: "all", sort: "rank", direction: "asc" });
