/** Small parts of a board's page that most boards do not need, in one file. */

export { ArchivedBanner, StalledBanner } from "./banners.tsx";
export { ComparisonBar } from "./comparison_bar.tsx";
export { EmptyBoard, NoMatch, NotSelectable } from "./empty.tsx";
export { OwnPlace } from "./own_place.tsx";
export { WindowBar } from "./window_bar.tsx";
