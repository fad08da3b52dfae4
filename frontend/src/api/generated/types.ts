// Generated from the API's models by `make types`. Edit the models instead.

export const SCHEMA = 1;

export interface Accepted {
  readonly submission: string;
  readonly status: "queued";
  readonly status_url: string;
  readonly late: boolean;
  readonly quota_left: number | null;
  readonly left_in_all: number | null;
  readonly resets_at: string | null;
  readonly receipt: string;
}

export type Action = "publish" | "rescore" | "reveal" | "rebuild" | "sweep" | "move-out" | "move-in" | "withdraw" | "accept" | "ban" | "lift_ban" | "extend" | "end_extension" | "archive" | "unarchive" | "delete" | "erase" | "create_token" | "invite" | "revoke_invitation" | "revoke_token";

export interface Actor {
  readonly id: string;
  readonly role: Role;
}

export interface ArchiveMark {
  readonly at: string;
  readonly reason?: string | null;
}

export interface ArchiveView {
  readonly benchmark: string;
  readonly archived: ArchiveMark | null;
}

export interface AroundView {
  readonly benchmark: string;
  readonly board: string;
  readonly version: string;
  readonly sequence: number;
  readonly total: number;
  readonly window?: SpanView | null;
  readonly is_outdated: boolean;
  readonly rows: readonly RowView[];
  readonly player: string;
  readonly label: string | null;
  readonly rank: number | null;
  readonly number: number | null;
}

export interface AuditEntry {
  readonly schema: number;
  readonly at: string;
  readonly actor: Actor;
  readonly action: Action;
  readonly benchmark?: string | null;
  readonly subject?: string | null;
  readonly detail: Readonly<Record<string, string>>;
}

export interface AuditList {
  readonly entries: readonly AuditEntry[];
  readonly next: string | null;
}

export interface BanList {
  readonly bans: readonly BanView[];
}

export interface BanView {
  readonly player: string | null;
  readonly name: string | null;
  readonly player_name: string | null;
  readonly reason: string;
  readonly at: string;
  readonly lifted_at?: string | null;
}

export interface BatchCard {
  readonly drop: string;
  readonly file: string;
  readonly received_at: string;
  readonly state: BatchState;
  readonly entries: number;
  readonly refused: number;
  readonly invalid: number;
  readonly evaluator_error: number;
  readonly internal_error: number;
  readonly message?: string | null;
}

export interface BatchList {
  readonly batches: readonly BatchCard[];
  readonly next: string | null;
}

export type BatchState = "received" | "quarantined" | "internal_error";

export interface BatchWithdrawalView {
  readonly drop: string;
  readonly changed: number;
  readonly left: number;
}

export interface BenchmarkCard {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly state: State;
  readonly opens: string | null;
  readonly closes: string | null;
  readonly archived: ArchiveMark | null;
  readonly url: string;
}

export interface BenchmarkList {
  readonly benchmarks: readonly BenchmarkCard[];
}

export interface BenchmarkView {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly state: State;
  readonly opens: string | null;
  readonly closes: string | null;
  readonly archived: ArchiveMark | null;
  readonly url: string;
  readonly description: string;
  readonly scorer: string;
  readonly version: string;
  readonly headers: readonly MetricType[];
  readonly parts: readonly string[];
  readonly ranking: Ranking;
  readonly takes_labels: boolean;
  readonly submissions: SubmissionRules;
  readonly runs: RunsView | null;
  readonly guest_limits: SharedLimits;
  readonly quota_left: number | null;
  readonly left_in_all: number | null;
  readonly resets_at: string | null;
  readonly extension?: MoreTime | null;
  readonly board_url: string;
  readonly sample: string | null;
}

export interface BoardCard {
  readonly id: string;
  readonly title: string | null;
  readonly url: string;
  readonly window?: SpanView | null;
}

export interface BoardList {
  readonly benchmark: string;
  readonly boards: readonly BoardCard[];
  readonly archived: ArchiveMark | null;
  readonly moved: MovedClose | null;
  readonly late: LateRules | null;
  readonly banned: number;
}

export interface CheckedExample {
  readonly name: string;
  readonly outcome: string;
  readonly differences: readonly string[];
  readonly message: string;
  readonly stdout: string;
  readonly stderr: string;
}

export type Combine = "sum" | "mean";

export interface CorrectedRow {
  readonly player: string;
  readonly name: string;
  readonly label: string | null;
  readonly verified: boolean;
  readonly rank_before: number | null;
  readonly rank_after: number;
  readonly value_before: number | null;
  readonly value_after: number | null;
}

export interface Correction {
  readonly version: string;
  readonly replaced: string;
  readonly at: string;
  readonly reason: string;
  readonly metric: Metric;
  readonly rows: number;
  readonly changed: number;
  readonly moved: number;
  readonly left: number;
  readonly listed: readonly CorrectedRow[];
  readonly final: boolean;
}

export interface Corrections {
  readonly schema: number;
  readonly id: string;
  readonly corrections: readonly Correction[];
}

export interface Counts {
  readonly players: number;
  readonly submissions: number;
  readonly unranked: number;
}

export interface DeletionView {
  readonly benchmark: string;
}

export type Direction = "higher" | "lower";

export interface Download {
  readonly url: string;
  readonly expires_at: string;
  readonly submissions: number;
  readonly next: string | null;
}

export interface Erased {
  readonly player: string;
  readonly benchmarks: readonly string[];
}

export interface FinalView {
  readonly benchmark: string;
  readonly version: string;
  readonly next: string | null;
  readonly waits: string | null;
}

export interface FolderView {
  readonly files: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

export interface GatewayMessage {
  readonly message: string;
}

export interface Head {
  readonly schema: number;
  readonly id: string;
  readonly board: string;
  readonly board_title: string | null;
  readonly title: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly links: readonly HeadLink[];
  readonly baselines: readonly HeadBaseline[];
  readonly description: string;
  readonly version: string;
  readonly since: number;
  readonly publish_number: number;
  readonly sequence: number;
  readonly generated_at: string;
  readonly beat: number;
  readonly opens: string | null;
  readonly closes: string | null;
  readonly total: number;
  readonly counts: Counts;
  readonly metrics: readonly Metric[];
  readonly ranking: HeadRanking;
  readonly final: HeadFinal | null;
  readonly frozen: HeadFrozen | null;
  readonly rows: Rows;
  readonly parts: HeadParts | null;
  readonly pages: HeadPages | null;
  readonly improvements: HeadImprovements;
  readonly is_incomplete: boolean;
  readonly notices: readonly WithdrawalNotices[];
  readonly corrected_at: string | null;
  readonly window: HeadWindow | null;
  readonly stalled_since: string | null;
}

export interface HeadBaseline {
  readonly player: string;
  readonly label: string | null;
  readonly name: string;
  readonly verified: boolean;
  readonly scores: Readonly<Record<string, number>>;
}

export interface HeadFinal {
  readonly at: string | null;
  readonly keep: Keep;
  readonly is_shown: boolean;
}

export interface HeadFrozen {
  readonly since: string;
  readonly count: number;
}

export interface HeadImprovements {
  readonly steps: readonly Step[];
  readonly total: number;
}

export interface HeadLink {
  readonly label: string;
  readonly url: string;
}

export interface HeadPages {
  readonly directory: string;
  readonly recent: string | null;
  readonly improvements: string | null;
  readonly buffer: Readonly<Record<string, StoredChange>>;
  readonly next: StoredPlace | null;
  readonly end: number | null;
}

export interface HeadParts {
  readonly total: number;
  readonly noun: string;
  readonly combine: Combine | null;
  readonly names: readonly string[];
  readonly metrics: readonly string[];
}

export interface HeadRanking {
  readonly rule: string;
  readonly keep: Keep;
  readonly order: readonly (readonly [string, Direction])[];
  readonly rows: RowKind;
  readonly has_kinds: boolean;
}

export interface HeadWindow {
  readonly window: string;
  readonly from: string;
  readonly to: string;
  readonly time_zone: string;
  readonly before: string | null;
}

export interface Health {
  readonly status: "ok";
  readonly version: string;
}

export interface ImprovementView {
  readonly submission: string;
  readonly submitted_at: string;
  readonly value: number;
}

export interface Index {
  readonly schema: number;
  readonly benchmarks: readonly IndexEntry[];
}

export interface IndexEntry {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly state: State;
  readonly opens: string | null;
  readonly closes: string | null;
  readonly players: number;
  readonly submissions: number;
  readonly primary: Metric;
  readonly top: readonly IndexRow[];
  readonly taken_at: string | null;
  readonly updated_at: string;
  readonly sequence: number;
}

export interface IndexRow {
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly rank: number;
  readonly value: number | null;
}

export interface InvitationList {
  readonly invitations: readonly InvitationView[];
  readonly names: Readonly<Record<string, string>>;
}

export interface InvitationMade {
  readonly invitation: string;
  readonly state: InvitationState;
  readonly note: string;
  readonly allows: readonly Scope[];
  readonly benchmarks: readonly string[];
  readonly player: string | null;
  readonly member: boolean;
  readonly uses: number;
  readonly used: readonly string[];
  readonly ends_at: string;
  readonly address: string | null;
  readonly mail: MailedState | null;
  readonly code: string;
  readonly path: string;
}

export type InvitationState = "open" | "used_up" | "expired" | "revoked";

export interface InvitationView {
  readonly invitation: string;
  readonly state: InvitationState;
  readonly note: string;
  readonly allows: readonly Scope[];
  readonly benchmarks: readonly string[];
  readonly player: string | null;
  readonly member: boolean;
  readonly uses: number;
  readonly used: readonly string[];
  readonly ends_at: string;
  readonly address: string | null;
  readonly mail: MailedState | null;
}

export interface InvitationsMailed {
  readonly invitations: readonly InvitationView[];
  readonly names: Readonly<Record<string, string>>;
  readonly skipped: readonly string[];
  readonly unread: readonly UnreadLine[];
}

export type Keep = "best" | "best_public" | "latest" | "mean" | "sum";

export interface LackingParts {
  readonly lacking: number;
  readonly forms: readonly PartForm[];
}

export interface LargeResult {
  readonly filename: string;
  readonly bytes: number;
  readonly parts: readonly string[];
}

export interface LateRules {
  readonly until?: Moment | null;
  readonly shows?: "hidden" | null;
}

export interface LeaseView {
  readonly ends_at: string;
}

export interface ListedSubmission {
  readonly submission: string | null;
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly label?: string | null;
  readonly submitted_at: string;
  readonly late: boolean;
  readonly extended: boolean;
  readonly status: string;
  readonly frozen: boolean;
  readonly part?: string | null;
  readonly scores?: Readonly<Record<string, number>> | null;
  readonly parts?: readonly PartView[] | null;
  readonly counts?: boolean | null;
  readonly best: boolean;
  readonly batch?: string | null;
  readonly entry?: string | null;
  readonly format?: string | null;
  readonly version?: string | null;
  readonly message?: string | null;
  readonly pointer?: string | null;
  readonly output?: OutputView | null;
  readonly withdrawn?: WithdrawalView | null;
}

export type MailedState = "waiting" | "sent" | "refused" | "bounced" | "unknown";

export interface Metric {
  readonly id: string;
  readonly label: string;
  readonly unit: string | null;
  readonly direction: Direction;
  readonly decimals: number | null;
  readonly help: string | null;
  readonly primary: boolean;
}

export interface MetricType {
  readonly name: Name;
  readonly type: "int" | "float";
  readonly min?: Number | null;
  readonly max?: Number | null;
  readonly unit?: Unit | null;
  readonly direction: Direction;
  readonly decimals?: number | null;
  readonly label?: string | null;
  readonly help?: string | null;
  readonly expression?: string | null;
}

export type Moment = string;

export interface MoreTime {
  readonly until: string | null;
  readonly reason: string;
}

export interface MovedClose {
  readonly before: string;
  readonly reason: string;
  readonly at: string;
}

export type Name = string;

export type Number = number;

export interface OpenedInvitation {
  readonly state: InvitationState;
  readonly allows: readonly Scope[];
  readonly benchmarks: readonly string[];
  readonly title: string | null;
  readonly player_name: string | null;
  readonly member: boolean;
  readonly rules: Readonly<Record<string, string>>;
  readonly uses: number;
  readonly ends_at: string;
}

export interface Operation {
  readonly schema: number;
  readonly id: string;
  readonly request: OperationRequest;
  readonly caller: string;
  readonly upload: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly status: "waiting" | "running" | "done" | "failed";
  readonly detail: string;
  readonly result?: OperationResult | null;
}

export interface OperationRequest {
  readonly operation: "rebuild" | "sweep" | "move-out" | "move-in";
  readonly benchmark?: string | null;
  readonly check: boolean;
  readonly after: string;
  readonly hours: number;
  readonly failed: boolean;
  readonly bytes?: number | null;
  readonly page?: string | null;
}

export interface OperationResult {
  readonly queued: Readonly<Record<string, number>>;
  readonly differences: readonly string[];
  readonly version?: string | null;
  readonly rows: number;
  readonly next?: string | null;
  readonly url?: string | null;
}

export type Outcome = "scored" | "invalid" | "evaluator_error" | "internal_error";

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: string;
}

export interface OutputView {
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: string;
}

export interface OwnData {
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly email: string | null;
  readonly created_at: string | null;
  readonly invited_at: readonly string[];
  readonly benchmarks: Readonly<Record<string, OwnView>>;
  readonly next: string | null;
}

export interface OwnView {
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly rank: number | null;
  readonly banned: string | null;
  readonly total: number | null;
  readonly players: number | null;
  readonly submissions: number;
  readonly scores: Readonly<Record<string, number>>;
  readonly parts: readonly PlayerPart[];
  readonly improvements: readonly ImprovementView[];
  readonly history: readonly ListedSubmission[];
  readonly next: string | null;
}

export interface PartForm {
  readonly sha256: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface PartRank {
  readonly board: string;
  readonly rank: number;
  readonly players: number;
}

export interface PartView {
  readonly part: string;
  readonly scores: Readonly<Record<string, number>>;
  readonly detail?: Readonly<Record<string, unknown>> | null;
}

export interface PersonalBest {
  readonly part: string | null;
  readonly scores: Readonly<Record<string, number>>;
  readonly before: Readonly<Record<string, number>> | null;
  readonly is_new: boolean;
}

export interface PlayerBoard {
  readonly benchmark: string;
  readonly title: string;
  readonly rank: number;
  readonly total: number;
  readonly submissions: number;
  readonly scores: Readonly<Record<string, number>>;
}

export interface PlayerBoards {
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly benchmarks: readonly PlayerBoard[];
}

export type PlayerKind = "human" | "model";

export interface PlayerPart {
  readonly part: string;
  readonly scores: Readonly<Record<string, number>> | null;
}

export interface PlayerView {
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly rank: number | null;
  readonly banned: string | null;
  readonly total: number | null;
  readonly players: number | null;
  readonly submissions: number;
  readonly scores: Readonly<Record<string, number>>;
  readonly parts: readonly PlayerPart[];
  readonly improvements: readonly ImprovementView[];
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer?: string; readonly parameter?: string; readonly detail?: string }[];
}

export interface PublicationTicket {
  readonly publication: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly expires_at: string;
  readonly replaces: number;
  readonly start_url: string;
  readonly status_url: string;
}

export interface PublicationView {
  readonly detail: string;
  readonly faults: readonly string[];
  readonly examples: readonly CheckedExample[];
  readonly version?: string | null;
  readonly replaced?: string | null;
  readonly next?: string | null;
  readonly publish_number?: number | null;
  readonly changed: boolean;
  readonly changes: readonly string[];
  readonly players: number;
  readonly salt?: string | null;
  readonly benchmark: string;
  readonly publication: string;
  readonly status: "waiting" | "checking" | "checked" | "published" | "refused" | "conflict" | "failed";
}

export interface Ranking {
  readonly keep: Keep;
  readonly combine: Combine;
  readonly by: readonly string[];
  readonly rows: RowKind;
  readonly unfinished: Unfinished;
}

export interface ReportedEvaluation {
  readonly part?: string | null;
  readonly scores: Scores;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface ReportedView {
  readonly first: boolean;
}

export interface RescoreView {
  readonly benchmark: string;
  readonly version: string;
  readonly next: string;
}

export type ResultFormatName = "json" | "csv" | "tsv" | "jsonl" | "txt" | "npy" | "zip";

export interface ResultLink {
  readonly url: string;
}

export type Role = "player" | "owner" | "admin" | "operator";

export type RowKind = "player" | "label";

export interface RowView {
  readonly rank: number;
  readonly tied: boolean;
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly label?: string | null;
  readonly scores: Readonly<Record<string, number>>;
  readonly done?: number | null;
  readonly parts?: Readonly<Record<string, Readonly<Record<string, number>>>> | null;
  readonly submissions: number;
  readonly submission: string;
  readonly submitted_at: string;
  readonly taken_over: boolean;
}

export interface Rows {
  readonly player: readonly string[];
  readonly name: readonly string[];
  readonly kind: readonly PlayerKind[];
  readonly verified: readonly boolean[];
  readonly rank: readonly number[];
  readonly tied: readonly boolean[];
  readonly scores: Readonly<Record<string, readonly (number | null)[]>>;
  readonly submissions: readonly number[];
  readonly at: readonly number[];
  readonly submission: readonly string[];
  readonly label: readonly string[];
}

export interface RowsView {
  readonly benchmark: string;
  readonly board: string;
  readonly version: string;
  readonly sequence: number;
  readonly total: number;
  readonly window?: SpanView | null;
  readonly is_outdated: boolean;
  readonly rows: readonly RowView[];
  readonly matches: number;
  readonly next: number | null;
}

export interface RunTicketView {
  readonly ticket: string;
  readonly seed: string | null;
  readonly issued_at: string;
  readonly expires_at: string;
}

export interface RunView {
  readonly submission: string;
  readonly version: string;
  readonly lease: string;
  readonly ends_at: string;
  readonly tries: number;
  readonly part: string | null;
  readonly file_format: string;
  readonly ticket: TicketView | null;
  readonly result_url: string;
  readonly sha256: string | null;
}

export interface RunnerList {
  readonly own: boolean;
  readonly waits: number;
  readonly oldest_at: string | null;
  readonly runners: readonly RunnerView[];
}

export interface RunnerView {
  readonly runner: string;
  readonly version: string;
  readonly sandbox: string;
  readonly seen_at: string;
  readonly submission: string | null;
}

export interface RunnerWait {
  readonly seen_at: string | null;
}

export interface RunsView {
  readonly ticket: "required";
  readonly seed: "daily" | "random" | null;
  readonly max_age_seconds: number;
  readonly at_least_seconds: number;
  readonly time_zone: string;
}

export type Scope = "submit" | "host" | "own" | "work" | "organise" | "admin";

export type Scores = Readonly<Record<string, number>>;

export interface SharedLimits {
  readonly per_day: number;
  readonly invalid_per_day: number;
}

export interface SpanView {
  readonly board: string;
  readonly from: string;
  readonly to: string;
  readonly time_zone: string;
  readonly before: string | null;
}

export type State = "not_open_yet" | "open" | "closed";

export type Step = readonly [number, number, string, string];

export interface StoredChange {
  readonly row: StoredRow | null;
  readonly base: StoredPlace | null;
}

export type StoredPlace = readonly [readonly (number | null)[], string, string];

export interface StoredRow {
  readonly player: string;
  readonly name: string;
  readonly kind: string;
  readonly verified: boolean;
  readonly label?: string;
  readonly scores: Readonly<Record<string, number>>;
  readonly submissions: number;
  readonly submission: string;
}

export interface SubmissionList {
  readonly submissions: readonly ListedSubmission[];
  readonly next: string | null;
}

export interface SubmissionRules {
  readonly anonymous: boolean;
  readonly takes: readonly ResultFormatName[];
  readonly max_bytes: number;
  readonly per_day: number;
  readonly invalid_per_day: number;
  readonly drop_per_day: number;
  readonly in_all?: number | null;
  readonly late?: LateRules | null;
}

export interface SubmissionView {
  readonly submission: string;
  readonly benchmark: string;
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly verified: boolean;
  readonly label?: string | null;
  readonly submitted_at: string;
  readonly late: boolean;
  readonly extension?: MoreTime | null;
  readonly status: "queued" | "done";
  readonly runner?: RunnerWait | null;
  readonly outcome?: Outcome | null;
  readonly scores?: Readonly<Record<string, number>> | null;
  readonly detail?: Readonly<Record<string, unknown>> | null;
  readonly parts?: readonly PartView[] | null;
  readonly detail_url?: string | null;
  readonly version?: string | null;
  readonly signature?: string | null;
  readonly in_review: boolean;
  readonly frozen: boolean;
  readonly rank?: number | null;
  readonly rank_before?: number | null;
  readonly would_rank?: number | null;
  readonly players?: number | null;
  readonly personal_best?: PersonalBest | null;
  readonly part_rank?: PartRank | null;
  readonly quota_left?: number | null;
  readonly left_in_all?: number | null;
  readonly resets_at?: string | null;
  readonly message?: string | null;
  readonly pointer?: string | null;
  readonly output?: OutputView | null;
  readonly withdrawn?: WithdrawalView | null;
  readonly receipt?: string | null;
}

export interface TicketView {
  readonly seconds: number;
  readonly seed: string | null;
}

export interface TokenIssued {
  readonly secret: string;
  readonly player: string;
  readonly name: string;
  readonly kind: PlayerKind;
  readonly token: TokenView;
}

export interface TokenList {
  readonly player: string;
  readonly name: string;
  readonly tokens: readonly TokenView[];
  readonly invitations: readonly InvitationView[];
}

export interface TokenView {
  readonly token: string;
  readonly current: boolean;
  readonly member: string | null;
  readonly allows: readonly Scope[];
  readonly benchmarks: readonly string[];
  readonly created_at: string;
  readonly ends_at: string | null;
  readonly rules_accepted_at: string | null;
}

export type Unfinished = "below" | "as_scored";

export type Unit = string;

export interface UnreadLine {
  readonly line: number;
  readonly detail: string;
}

export interface UploadTicket {
  readonly upload: string;
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly expires_at: string;
  readonly status_url: string;
}

export interface UploadView {
  readonly upload: string;
  readonly benchmark: string;
  readonly drop?: string | null;
  readonly file?: string | null;
  readonly received_at?: string | null;
  readonly repeated: boolean;
  readonly status: "waiting" | "processing" | "scoring" | "done";
  readonly state?: BatchState | null;
  readonly entries: number;
  readonly refused: number;
  readonly queued: number;
  readonly scored: number;
  readonly in_review: number;
  readonly invalid: number;
  readonly evaluator_error: number;
  readonly internal_error: number;
  readonly withdrawn: number;
}

export type VersionName = string;

export interface WithdrawalNotices {
  readonly player: string;
  readonly name: string;
  readonly at: string;
  readonly reason: string;
  readonly submission: string;
}

export interface WithdrawalView {
  readonly at: string;
  readonly reason: string;
  readonly by: Role;
}

export interface WorkView {
  readonly waits: number;
  readonly run: RunView | null;
}
