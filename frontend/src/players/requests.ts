/** Makes and lists links of invitations. */

import type { InvitationList, InvitationMade } from "../api/generated/types.ts";
import { get, post } from "../api/views.ts";

/** Make a link: to a benchmark as its owner, or, without a benchmark, for members of the token's player. */
export const makeInvitation = (token: string, benchmark: string | null, wish: object) =>
  post<InvitationMade>(benchmark === null ? "/api/invitations" : `/api/benchmarks/${benchmark}/invite`, token, wish);

export const fetchInvitations = (token: string, benchmark: string, signal: AbortSignal) =>
  get<InvitationList>(`/api/benchmarks/${benchmark}/invitations`, token, signal);
