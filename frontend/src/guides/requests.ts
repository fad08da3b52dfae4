/** Requests of the guides, and of the API’s own page. */

import { fetchJson, type Fetched } from "../api/client.ts";
import { get } from "../api/views.ts";
import type { OpenApi } from "./openapi.ts";

/** A page of the documentation: its title, and the rest as HTML. */
export interface Guide {
  readonly title: string;
  readonly html: string;
}

/** Fetch a guide, or what the API says of itself, with the addresses of this site. */
export const fetchGuide = (name: string, signal: AbortSignal): Promise<Fetched<Guide>> =>
  fetchJson(
    `/sdk/${name}.json`,
    { signal },
    (text) => JSON.parse(text.replaceAll("{site}", location.origin)) as unknown,
  );

export const fetchApi = (signal: AbortSignal) => get<OpenApi>("/api/openapi.json", null, signal);
