/** Opens links of invitations, gets tokens, lists and revokes them. */

import type {
  InvitationList,
  InvitationMade,
  InvitationsMailed,
  InvitationView,
  OpenedInvitation,
  TokenIssued,
  TokenList,
  TokenView,
} from "../api/generated/types.ts";
import { get, post } from "../api/views.ts";

export const openInvitation = (code: string, signal: AbortSignal) =>
  post<OpenedInvitation>("/api/invitations/open", null, { code }, { signal });

/**
 * Join by a link. A repeat with the same key gets the same token, and uses nothing up. With a player key the new player
 * takes along what its guest did.
 */
export const joinBy = (code: string, key: string, wish: object, token: string | null, playerKey: string | null) =>
  post<TokenIssued>(
    "/api/invitations/join",
    playerKey ?? token,
    { code, ...wish },
    { headers: { "Idempotency-Key": key } },
  );

export const fetchTokens = (token: string, signal: AbortSignal) => get<TokenList>("/api/tokens", token, signal);

export const revokeToken = (token: string, id: string) => post<TokenView>(`/api/tokens/${id}/revoke`, token);

/** Make a link: to a benchmark as its owner, or, without a benchmark, for members of the token's player. */
export const makeInvitation = (token: string, benchmark: string | null, wish: object) =>
  post<InvitationMade>(benchmark === null ? "/api/invitations" : `/api/benchmarks/${benchmark}/invite`, token, wish);

/** Mail each address a link of its own; the API reads the lines of a list. */
export const mailInvitations = (token: string, benchmark: string, wish: object) =>
  post<InvitationsMailed>(`/api/benchmarks/${benchmark}/invite/mail`, token, wish);

export const fetchInvitations = (token: string, benchmark: string, signal: AbortSignal) =>
  get<InvitationList>(`/api/benchmarks/${benchmark}/invitations`, token, signal);

/** Take back a link; an owner's also with the tokens that came by it. */
export const revokeInvitation = (token: string, benchmark: string | null, id: string, tokens: boolean) =>
  benchmark === null
    ? post<InvitationView>(`/api/invitations/${id}/revoke`, token)
    : post<InvitationView>(`/api/benchmarks/${benchmark}/invitations/${id}/revoke`, token, { tokens });
