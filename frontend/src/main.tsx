/** Starts the site. */

import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/board.css";
import "./style/charts.css";
import "./style/pages.css";

import { render } from "preact";

import { App } from "./app.tsx";

const root = document.getElementById("app");
if (root) render(<App />, root);
