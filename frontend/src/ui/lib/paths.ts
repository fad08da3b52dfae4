/** Paths of pages to which a board leads only later. */

import { MAIN } from "../../api/view.ts";
import { boardPath } from "./route.ts";

/** Return the path of a submission. */
export const submissionPath = (benchmark: string, submission: string, board = MAIN): string =>
  boardPath(`${benchmark}/s/${submission}`, board);

/** Return the path of a batch's report; an owner needs to name its player. */
export const batchPath = (benchmark: string, upload: string, board = MAIN, player = ""): string =>
  `${boardPath(`${benchmark}/submit`)}?upload=${upload}${board === MAIN ? "" : `&board=${board}`}${player && `&player=${player}`}`;

/** Return the path of the page with some rows alone, by their ids or those of players, separated by commas. */
export const chosenPath = (benchmark: string, ids: string, board: string): string =>
  `/b/${benchmark}?players=${encodeURIComponent(ids).replaceAll("%2C", ",").replaceAll("%2F", "/")}${board === MAIN ? "" : `&board=${board}`}`;
