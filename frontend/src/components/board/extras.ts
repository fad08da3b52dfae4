/** What a board's page shows after its table, or seldom, in one file. */

export { Charts } from "../../charts/charts.tsx";
export { About } from "./about.tsx";
export { ArchivedBanner, FreshBanner, StalledBanner } from "./banners.tsx";
export { BoardTabs } from "./board_tabs.tsx";
export { ComparisonBar } from "./comparison_bar.tsx";
export { CorrectionList } from "./corrections.tsx";
export { NoRows } from "./empty.tsx";
export { OwnPlace } from "./own_place.tsx";
export { Side } from "./side.tsx";
export { Tools } from "./tools.tsx";
export { WindowBar } from "./window_bar.tsx";
