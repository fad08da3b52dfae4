/** Opens links of invitations, gets tokens, lists and revokes them. */

import { fetchJson, type Fetched } from "./client.ts";
import type {
  InvitationList,
  InvitationMade,
  InvitationView,
  OpenedInvitation,
  TokenIssued,
  TokenList,
  TokenView,
} from "./generated/types.ts";
import { authorize } from "./views.ts";

export const openInvitation = (code: string, signal: AbortSignal) =>
  post<OpenedInvitation>("invitations/open", null, { code }, { signal });

/** Join by a link. A repeat with the same key gets the same token, and uses nothing up. */
export const join = (code: string, key: string, wish: Readonly<Record<string, string>>, token: string | null) =>
  post<TokenIssued>("invitations/join", token, { code, ...wish }, { headers: { "Idempotency-Key": key } });

export const fetchTokens = (token: string, signal: AbortSignal): Promise<Fetched<TokenList>> =>
  fetchJson("/api/tokens", { signal, headers: authorize(token) });

export const revokeToken = (token: string, id: string) => post<TokenView>(`tokens/${id}/revoke`, token);

/** Make a link: to a benchmark as its owner, or, without a benchmark, for members of the token's player. */
export const makeInvitation = (token: string, benchmark: string | null, wish: object) =>
  post<InvitationMade>(benchmark === null ? "invitations" : `benchmarks/${benchmark}/invite`, token, wish);

export const fetchInvitations = (token: string, benchmark: string, signal: AbortSignal) =>
  fetchJson<InvitationList>(`/api/benchmarks/${benchmark}/invitations`, { signal, headers: authorize(token) });

export const revokeInvitation = (token: string, benchmark: string | null, id: string) =>
  benchmark === null
    ? post<InvitationView>(`invitations/${id}/revoke`, token)
    : post<InvitationView>(`benchmarks/${benchmark}/invitations/${id}/revoke`, token, {});

function post<Value>(
  path: string,
  token: string | null,
  body?: object,
  { headers, ...options }: RequestInit = {},
): Promise<Fetched<Value>> {
  const json = body === undefined ? {} : { "Content-Type": "application/json" };
  return fetchJson<Value>(`/api/${path}`, {
    ...options,
    method: "POST",
    headers: { ...json, ...authorize(token), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
