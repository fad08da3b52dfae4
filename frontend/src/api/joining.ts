/** Opens links of invitations, gets tokens, lists and revokes them. */

import { fetchJson, type Fetched } from "./client.ts";
import type {
  InvitationList,
  InvitationMade,
  InvitationsMailed,
  InvitationView,
  OpenedInvitation,
  TokenIssued,
  TokenList,
  TokenView,
} from "./generated/types.ts";
import { authorize, post } from "./views.ts";

export const openInvitation = (code: string, signal: AbortSignal) =>
  post<OpenedInvitation>("/api/invitations/open", {}, { code }, signal);

/**
 * Join by a link. A repeat with the same key gets the same token, and uses nothing up. With a player key the new player
 * takes along what its guest did.
 */
export const join = (code: string, key: string, wish: object, token: string | null, playerKey: string | null) =>
  post<TokenIssued>(
    "/api/invitations/join",
    { ...(playerKey ? { "Laurel-Player-Key": playerKey } : authorize(token)), "Idempotency-Key": key },
    { code, ...wish },
  );

export const fetchTokens = (token: string, signal: AbortSignal): Promise<Fetched<TokenList>> =>
  fetchJson("/api/tokens", { signal, headers: authorize(token) });

export const revokeToken = (token: string, id: string) => post<TokenView>(`/api/tokens/${id}/revoke`, authorize(token));

/** Make a link: to a benchmark as its owner, or, without a benchmark, for members of the token's player. */
export const makeInvitation = (token: string, benchmark: string | null, wish: object) =>
  post<InvitationMade>(
    benchmark === null ? "/api/invitations" : `/api/benchmarks/${benchmark}/invite`,
    authorize(token),
    wish,
  );

/** Mail each address a link of its own; the API reads the lines of a list. */
export const mailInvitations = (token: string, benchmark: string, addresses: readonly string[]) =>
  post<InvitationsMailed>(`/api/benchmarks/${benchmark}/invite/mail`, authorize(token), { addresses });

export const fetchInvitations = (token: string, benchmark: string, signal: AbortSignal) =>
  fetchJson<InvitationList>(`/api/benchmarks/${benchmark}/invitations`, { signal, headers: authorize(token) });

export const revokeInvitation = (token: string, benchmark: string | null, id: string) =>
  benchmark === null
    ? post<InvitationView>(`/api/invitations/${id}/revoke`, authorize(token))
    : post<InvitationView>(`/api/benchmarks/${benchmark}/invitations/${id}/revoke`, authorize(token), {});
