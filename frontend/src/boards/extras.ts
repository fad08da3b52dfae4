/** What a board's page shows after its table, or seldom, in one file. */

export { After } from "./beside/after.tsx";
export { ArchivedBanner, FreshBanner, StalledBanner } from "./banners.tsx";
export { BoardTabs, WindowBar } from "./beside/board_tabs.tsx";
export { ComparisonBar } from "./table/comparison_bar.tsx";
export { CorrectionList } from "./beside/corrections.tsx";
export { HeadState } from "./beside/facts.tsx";
export { findMoves } from "./beside/moves.ts";
export { NoRows } from "./table/empty.tsx";
export { OwnPlace } from "./table/own_place.tsx";
export { Tools } from "./table/tools.tsx";
