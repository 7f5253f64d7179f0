// Written by 'make schema' from native.schema.json; not by hand.

/**
 * A line of Parley's native protocol.
 */
export type Line = Inbound | Outbound;
/**
 * What a client sends.
 */
export type Inbound = Request;
export type Request =
  | InitializeRequest
  | PingRequest
  | HostInfoRequest
  | HostWatchRequest
  | ModelsListRequest
  | ToolsListRequest
  | SessionsListRequest
  | SessionCreateRequest
  | SessionOpenRequest
  | SessionCloseRequest
  | SessionStateRequest
  | SessionFollowRequest
  | SessionUnfollowRequest
  | SessionRecordsRequest
  | SessionBlobRequest
  | SessionPutBlobRequest
  | SessionChangesRequest
  | SessionChangeRequest
  | SessionForkRequest
  | SessionRestoreRequest
  | SessionBranchRequest
  | SessionLabelRequest
  | SessionCompactRequest
  | SessionSaveRequest
  | SessionRemoveRequest
  | SessionExportRequest
  | SessionContextRequest
  | SessionUsageRequest
  | TurnPromptRequest
  | TurnSteerRequest
  | TurnFollowUpRequest
  | TurnInterruptRequest
  | QueueClearRequest
  | RetryAbortRequest
  | ApprovalAnswerRequest
  | QuestionAnswerRequest
  | GrantsListRequest
  | GrantsAddRequest
  | GrantsRevokeRequest
  | CommandRunRequest
  | WorkspaceFindRequest
  | WorkspaceReadRequest
  | ServersListRequest
  | TokenCreateRequest
  | TokenListRequest
  | TokenRevokeRequest;
export type RequestId = string | number;
export type Thinking = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
export type Asking = "never" | "on-request" | "unless-trusted" | "always";
export type SandboxKind = "read-only" | "workspace-write" | "external" | "full-access";
export type Subject = "sandbox" | "network" | "server" | "hook";
export type TransientKind =
  | "client_joined"
  | "client_left"
  | "command_output"
  | "compaction_started"
  | "context_estimated"
  | "handed_over"
  | "request_counted"
  | "retry_ended"
  | "retry_started"
  | "server_changed"
  | "status_changed"
  | "subagent_recorded"
  | "sync_ended"
  | "sync_started"
  | "tasks_progressed"
  | "terminal_created"
  | "text_delta"
  | "thinking_delta"
  | "tool_input_delta"
  | "tool_output"
  | "tool_progress"
  | "usage_ticked";
export type Kind = DurableKind | TransientKind;
export type DurableKind =
  | "answer_grew"
  | "approval_answered"
  | "approval_asked"
  | "assistant_message"
  | "backend_answered"
  | "backend_opened"
  | "branched"
  | "budget_exceeded"
  | "budget_warned"
  | "changes_proposed"
  | "command_ran"
  | "command_started"
  | "compacted"
  | "context_note"
  | "files_restored"
  | "foreign"
  | "hook_ran"
  | "labelled"
  | "notice"
  | "objected"
  | "pictures_refused"
  | "plan_updated"
  | "question_answered"
  | "question_asked"
  | "queue_changed"
  | "reminded"
  | "results_cut"
  | "sampled"
  | "session_changed"
  | "session_created"
  | "step_ended"
  | "step_started"
  | "subagent_ended"
  | "subagent_started"
  | "text_refused"
  | "tool_ended"
  | "tool_intended"
  | "tool_started"
  | "tools_found"
  | "turn_ended"
  | "turn_started"
  | "user_message"
  | "verification_command_ended"
  | "verification_command_started"
  | "verification_ended"
  | "verification_started";
/**
 * A part of a prompt.
 */
export type PromptBlock =
  | {
      kind: "text";
      text?: string;
    }
  | {
      kind: "image";
      image: PromptImage;
    };
export type GrantsListParams = {
  session?: string;
  workspace?: string;
} & GrantsListParams1;
export type GrantsListParams1 =
  | {
      session: string;
    }
  | {
      workspace: string;
    };
export type GrantsAddParams = {
  session?: string;
  workspace?: string;
  target: Target;
  level: "read" | "write" | "execute";
  for?: string;
} & GrantsAddParams1;
export type TargetKind = "path" | "domain" | "command" | "tool" | "file" | "line" | "url" | "call";
export type GrantsAddParams1 =
  | {
      session: string;
    }
  | {
      workspace: string;
    };
export type GrantsRevokeParams = {
  session?: string;
  workspace?: string;
  ids: string[];
} & GrantsRevokeParams1;
export type GrantsRevokeParams1 =
  | {
      session: string;
    }
  | {
      workspace: string;
    };
export type WorkspaceFindParams = {
  session?: string;
  workspace?: string;
  query: string;
  limit?: number;
} & WorkspaceFindParams1;
export type WorkspaceFindParams1 =
  | {
      session: string;
    }
  | {
      workspace: string;
    };
export type Role = "viewer" | "reviewer" | "driver" | "owner";
/**
 * What a client receives.
 */
export type Outbound = Result | ErrorResponse | Notification;
export type Status = "idle" | "thinking" | "working" | "waiting" | "compacting";
export type PlanStatus = "pending" | "in_progress" | "completed" | "abandoned";
/**
 * A part of a message, by its kind.
 */
export type Block =
  | {
      kind: "text";
      text?: string;
    }
  | {
      kind: "thinking";
      text?: string;
      signature?: string;
      summary?: boolean;
    }
  | {
      kind: "image";
      image: Image;
    }
  | {
      kind: "tool_call";
      call: ToolCall;
    }
  | {
      kind: "tool_result";
      result: ToolResult;
    };
export type Level = "read" | "write" | "execute" | "admin";
/**
 * A record that is stored, and has a number.
 */
export type DurableRecord =
  | AnswerGrewRecord
  | ApprovalAnsweredRecord
  | ApprovalAskedRecord
  | AssistantMessageRecord
  | BackendAnsweredRecord
  | BackendOpenedRecord
  | BranchedRecord
  | BudgetExceededRecord
  | BudgetWarnedRecord
  | ChangesProposedRecord
  | CommandRanRecord
  | CommandStartedRecord
  | CompactedRecord
  | ContextNoteRecord
  | FilesRestoredRecord
  | ForeignRecord
  | HookRanRecord
  | LabelledRecord
  | NoticeRecord
  | RuleViolatedRecord
  | PicturesRefusedRecord
  | PlanUpdatedRecord
  | QuestionAnsweredRecord
  | QuestionAskedRecord
  | QueueChangedRecord
  | RemindedRecord
  | ResultsCutRecord
  | SampledRecord
  | SessionChangedRecord
  | SessionCreatedRecord
  | StepEndedRecord
  | StepStartedRecord
  | SubagentEndedRecord
  | SubagentStartedRecord
  | TextRefusedRecord
  | ToolEndedRecord
  | ToolIntendedRecord
  | ToolStartedRecord
  | ToolsFoundRecord
  | TurnEndedRecord
  | TurnStartedRecord
  | UserMessageRecord
  | VerificationCommandEndedRecord
  | VerificationCommandStartedRecord
  | VerificationEndedRecord
  | VerificationStartedRecord;
export type Answerer = "client" | "policy" | "interrupt" | "absence" | "heir" | "fault";
export type Stop = "end" | "tools" | "max_tokens" | "stop_sequence" | "refused";
export type BudgetScope = "session" | "task" | "subagent";
export type BudgetStatus = "ok" | "warning" | "exceeded";
export type BudgetReason =
  "wall_time" | "input_tokens" | "output_tokens" | "total_tokens" | "cost" | "tool_calls" | "subagents";
export type FileOp = "created" | "updated" | "deleted";
export type CompactReason = "asked" | "threshold" | "overflow";
export type NoteTopic = "permissions" | "instructions" | "loop" | "background" | "prompt" | "changes";
export type HookMoment =
  | "before_tool"
  | "after_tool"
  | "turn_end"
  | "prompt"
  | "session_start"
  | "session_end"
  | "before_compact"
  | "permission";
export type HookDecision = "allow" | "deny" | "continue";
export type NoticeLevel = "info" | "warning" | "error";
export type VerificationStatus = "passed" | "failed" | "skipped" | "retried_passed";
export type Outcome = "succeeded" | "failed" | "denied" | "interrupted" | "unknown";
export type TurnReason = "completed" | "interrupted" | "step_limit" | "max_tokens" | "budget" | "refused" | "failed";
export type Via = "prompt" | "steer" | "follow_up" | "engine";
export type Scope = "once" | "session" | "always";
export type Notification =
  | RecordNotification
  | SessionClosedNotification
  | HostSessionNotification
  | HostClosingNotification
  | ClientJoinedNotification
  | ClientLeftNotification;
/**
 * What has happened in a session, by its kind. Later versions have further kinds: ignore those that you do not know.
 */
export type SessionRecord = DurableRecord | TransientRecord;
/**
 * A record that is sent and not stored.
 */
export type TransientRecord =
  | ClientJoinedRecord
  | ClientLeftRecord
  | CommandOutputRecord
  | CompactionStartedRecord
  | ContextEstimatedRecord
  | HandedOverRecord
  | RequestCountedRecord
  | RetryEndedRecord
  | RetryStartedRecord
  | ServerChangedRecord
  | StatusChangedRecord
  | SubagentRecordedRecord
  | SyncEndedRecord
  | SyncStartedRecord
  | TasksProgressedRecord
  | TerminalCreatedRecord
  | TextDeltaRecord
  | ThinkingDeltaRecord
  | ToolInputDeltaRecord
  | ToolOutputRecord
  | ToolProgressRecord
  | UsageTickedRecord;
export type ServerStatus = "starting" | "ready" | "failed";
export type TaskStatus = "pending" | "running" | "completed" | "failed" | "aborted";

export interface InitializeRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "initialize";
  params: InitializeParams;
}
export interface InitializeParams {
  protocol: number;
  client: {
    name: string;
    version?: string;
  };
}
export interface PingRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "ping";
  params?: NoParams;
}
export interface NoParams {}
export interface HostInfoRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "host/info";
  params?: NoParams;
}
export interface HostWatchRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "host/watch";
  params?: NoParams;
}
export interface ModelsListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "models/list";
  params?: ModelsListParams;
}
export interface ModelsListParams {
  discover?: boolean;
}
export interface ToolsListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "tools/list";
  params: SessionParams;
}
export interface SessionParams {
  session: string;
}
export interface SessionsListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "sessions/list";
  params?: SessionsListParams;
}
export interface SessionsListParams {
  workspace?: string;
  archived?: boolean;
  search?: string;
  limit?: number;
  cursor?: string;
  skip?: number;
  count?: boolean;
}
export interface SessionCreateRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/create";
  params: SessionCreateParams;
}
export interface SessionCreateParams {
  workspace: string;
  id?: string;
  settings?: SettingsPatch;
  profile?: string;
  instructions?: string;
  servers?: {};
}
/**
 * A merge patch (RFC 7396) of Settings: null removes a member.
 */
export interface SettingsPatch {
  name?: string | null;
  model?: string | null;
  thinking?: Thinking | null;
  mode?: string | null;
  asking?: Asking | null;
  sandbox?: Sandbox | null;
  refused_approvals?: Subject[] | null;
  dir?: string | null;
  archived?: boolean | null;
  system_prompt?: string | null;
  instructions?: string | null;
  tool_groups?: string[] | null;
  backend?: string | null;
  options?: {
    [k: string]: unknown;
  } | null;
}
export interface Sandbox {
  kind?: SandboxKind;
  roots?: string[];
  network?: boolean;
  no_temp_dir?: boolean;
  no_slash_tmp?: boolean;
}
export interface SessionOpenRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/open";
  params: SessionOpenParams;
}
export interface SessionOpenParams {
  session: string;
  profile?: string;
  resume_only?: boolean;
  placement?: string;
}
export interface SessionCloseRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/close";
  params: SessionCloseParams;
}
export interface SessionCloseParams {
  session: string;
  end?: boolean;
}
export interface SessionStateRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/state";
  params: SessionParams;
}
export interface SessionFollowRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/follow";
  params: SessionFollowParams;
}
export interface SessionFollowParams {
  session: string;
  from: number;
  transient?: TransientKind[];
  pace_ms?: number;
}
export interface SessionUnfollowRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/unfollow";
  params: SessionParams;
}
export interface SessionRecordsRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/records";
  params: SessionRecordsParams;
}
export interface SessionRecordsParams {
  session: string;
  from?: number;
  limit?: number;
  before?: number;
  kinds?: Kind[];
}
export interface SessionBlobRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/blob";
  params: SessionBlobParams;
}
export interface SessionBlobParams {
  session: string;
  address: string;
  offset?: number;
  limit?: number;
}
export interface SessionPutBlobRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/put_blob";
  params: SessionPutBlobParams;
}
export interface SessionPutBlobParams {
  session: string;
  data: string;
}
export interface SessionChangesRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/changes";
  params: SessionChangesParams;
}
export interface SessionChangesParams {
  session: string;
  turn?: string;
}
export interface SessionChangeRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/change";
  params: SessionChangeParams;
}
export interface SessionChangeParams {
  session: string;
  settings: SettingsPatch;
  expected?: number;
}
export interface SessionForkRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/fork";
  params: SessionForkParams;
}
export interface SessionForkParams {
  session: string;
  before?: number;
  settings?: SettingsPatch;
  workspace?: string;
}
export interface SessionRestoreRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/restore";
  params: SessionRestoreParams;
}
export interface SessionRestoreParams {
  session: string;
  before: number;
  apply?: boolean;
}
export interface SessionBranchRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/branch";
  params: SessionBranchParams;
}
export interface SessionBranchParams {
  session: string;
  head: number;
}
export interface SessionLabelRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/label";
  params: SessionLabelParams;
}
export interface SessionLabelParams {
  session: string;
  target: number;
  label: string;
}
export interface SessionCompactRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/compact";
  params: SessionCompactParams;
}
export interface SessionCompactParams {
  session: string;
  guidance?: string;
}
export interface SessionSaveRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/save";
  params: SessionParams;
}
export interface SessionRemoveRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/remove";
  params: SessionParams;
}
export interface SessionExportRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/export";
  params: SessionExportParams;
}
export interface SessionExportParams {
  session: string;
  format: "html" | "md" | "json" | "pi";
}
export interface SessionContextRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/context";
  params: SessionParams;
}
export interface SessionUsageRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session/usage";
  params: SessionParams;
}
export interface TurnPromptRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "turn/prompt";
  params: TurnPromptParams;
}
export interface TurnPromptParams {
  session: string;
  id: string;
  /**
   * @minItems 1
   */
  blocks: [PromptBlock, ...PromptBlock[]];
  instructions?: string;
  thinking?: Thinking;
  model?: string;
  if_busy?: "refuse" | "steer" | "queue";
}
/**
 * Either data, in base64, or blob, the address that session/put_blob has returned.
 */
export interface PromptImage {
  mime: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  data?: string;
  blob?: string;
  name?: string;
}
export interface TurnSteerRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "turn/steer";
  params: TurnSteerParams;
}
export interface TurnSteerParams {
  session: string;
  id: string;
  /**
   * @minItems 1
   */
  blocks: [PromptBlock, ...PromptBlock[]];
}
export interface TurnFollowUpRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "turn/follow_up";
  params: TurnSteerParams;
}
export interface TurnInterruptRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "turn/interrupt";
  params: TurnInterruptParams;
}
export interface TurnInterruptParams {
  session: string;
  turn?: string;
  command?: string;
}
export interface QueueClearRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "queue/clear";
  params: QueueClearParams;
}
export interface QueueClearParams {
  session: string;
  which?: "steering" | "follow_ups";
}
export interface RetryAbortRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "retry/abort";
  params: SessionParams;
}
export interface ApprovalAnswerRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "approval/answer";
  params: ApprovalAnswerParams;
}
export interface ApprovalAnswerParams {
  session: string;
  approval: string;
  allow: boolean;
  remember?: "session" | "workspace";
  reason?: string;
}
export interface QuestionAnswerRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "question/answer";
  params: QuestionAnswerParams;
}
export interface QuestionAnswerParams {
  session: string;
  question: string;
  answers: string[][] | null;
}
export interface GrantsListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "grants/list";
  params: GrantsListParams;
}
export interface GrantsAddRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "grants/add";
  params: GrantsAddParams;
}
export interface Target {
  type: TargetKind;
  path?: string;
  recursive?: boolean;
  pattern?: string;
  server?: string;
  tool?: string;
  command?: string;
  dir?: string;
  url?: string;
  summary?: string;
}
export interface GrantsRevokeRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "grants/revoke";
  params: GrantsRevokeParams;
}
export interface CommandRunRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "command/run";
  params: CommandRunParams;
}
export interface CommandRunParams {
  session: string;
  id: string;
  command: string;
  hidden?: boolean;
}
export interface WorkspaceFindRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "workspace/find";
  params: WorkspaceFindParams;
}
export interface WorkspaceReadRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "workspace/read";
  params: WorkspaceReadParams;
}
export interface WorkspaceReadParams {
  session: string;
  path: string;
  offset?: number;
  limit?: number;
}
export interface ServersListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "servers/list";
  params: SessionParams;
}
export interface TokenCreateRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "token/create";
  params: TokenCreateParams;
}
export interface TokenCreateParams {
  role: Role;
  name: string;
  expires?: string;
  sessions?: string[];
  workspace?: string;
}
export interface TokenListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "token/list";
  params?: NoParams;
}
export interface TokenRevokeRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "token/revoke";
  params: TokenRevokeParams;
}
export interface TokenRevokeParams {
  id: string;
}
export interface Result {
  jsonrpc: "2.0";
  id: RequestId;
  result:
    | InitializeResult
    | Empty
    | HostInfoResult
    | ModelsListResult
    | ToolsListResult
    | SessionsListResult
    | Opened
    | State
    | HeadResult
    | SessionRecordsResult
    | SessionBlobResult
    | SessionPutBlobResult
    | SessionChangesResult
    | SessionRestoreResult
    | SessionBranchResult
    | SessionExportResult
    | SessionContextResult
    | SessionUsageResult
    | TurnPromptResult
    | TurnInterruptResult
    | QueueClearResult
    | GrantsListResult
    | GrantsAddResult
    | CommandRunResult
    | WorkspaceFindResult
    | WorkspaceReadResult
    | ServersListResult
    | TokenCreateResult
    | TokenListResult;
}
export interface InitializeResult {
  protocol: number;
  host: HostInfo;
  role: Role;
  methods: string[];
  limits: Limits;
}
export interface HostInfo {
  id: string;
  name: string;
  version: string;
  started: string;
}
export interface Limits {
  line: number;
  blob: number;
}
export interface Empty {}
export interface HostInfoResult {
  host: HostInfo;
  sessions: number;
  clients: number;
  uptime_s: number;
  store: StoreInfo;
  backends: string[];
}
export interface StoreInfo {
  kind: string;
  namespace?: string;
}
export interface ModelsListResult {
  models: Model[];
  default: string;
}
export interface Model {
  name: string;
  display: string;
  provider: string;
  window: number;
  output: number;
  vision: boolean;
  reasoning: boolean;
  thinking: Thinking[];
  price?: Price;
}
export interface Price {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  long?: LongPrice;
}
export interface LongPrice {
  above: number;
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
}
export interface ToolsListResult {
  tools: Tool[];
}
export interface Tool {
  name: string;
  tool: string;
  description: string;
  schema: {};
  group?: string;
  enabled: boolean;
}
export interface SessionsListResult {
  sessions: Listed[];
  next?: string;
  total?: number;
}
export interface Listed {
  id: string;
  workspace: string;
  name?: string;
  title?: string;
  model?: string;
  answered?: string;
  created: string;
  updated: string;
  turns: number;
  failed?: boolean;
  cost?: number;
  archived?: boolean;
  parent?: string;
  open: boolean;
  status: Status;
  waiting: number;
  clients: number;
  owner?: SessionOwner;
}
export interface SessionOwner {
  host?: string;
  name?: string;
  pid?: number;
  live: boolean;
}
export interface Opened {
  session: string;
  head: number;
  state: State;
  profile: string;
  clients: number;
  via?: RelayHost;
}
export interface State {
  session: string;
  workspace: string;
  parent?: string;
  settings: Settings;
  head: number;
  changed: number;
  turn?: string;
  status: Status;
  busy: boolean;
  turns: number;
  messages: number;
  usage: Usage;
  cost: number;
  context: number;
  plan: PlanItem[];
  steering: Queued[];
  follow_ups: Queued[];
  approvals: ApprovalAsked[];
  questions: QuestionAsked[];
  backend_options?: BackendOption[];
}
export interface Settings {
  name?: string;
  model?: string;
  thinking?: Thinking;
  mode?: string;
  asking?: Asking;
  sandbox?: Sandbox;
  refused_approvals?: Subject[];
  dir?: string;
  archived?: boolean;
  system_prompt?: string;
  instructions?: string;
  tool_groups?: string[];
  backend?: string;
  options?: {
    [k: string]: unknown;
  };
}
export interface Usage {
  input: number;
  output: number;
  cache_read?: number;
  cache_write?: number;
  thinking?: number;
  estimated?: boolean;
}
export interface PlanItem {
  text: string;
  active?: string;
  status: PlanStatus;
}
export interface Queued {
  id: string;
  blocks: Block[];
  sent?: unknown;
  instructions?: string;
  notes?: Note[];
  failure?: Failure;
  client?: Client;
}
export interface Image {
  mime: string;
  /**
   * base64
   */
  data?: string;
  blob?: string;
  name?: string;
  url?: string;
}
export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}
export interface ToolResult {
  call_id: string;
  text: string;
  images?: Image[];
  is_error?: boolean;
}
export interface Note {
  blocks: Block[];
  sent?: unknown;
}
export interface Failure {
  kind: string;
  message: string;
  provider?: string;
  code?: string;
  status?: number;
  model?: string;
}
export interface Client {
  n: number;
  name: string;
}
export interface ApprovalAsked {
  id: string;
  call: string;
  mode?: string;
  request: ApprovalRequest;
  input: unknown;
  reason?: string;
  files?: FileEffect[];
  unattended?: boolean;
}
export interface ApprovalRequest {
  tool: string;
  level?: Level;
  paths?: ApprovalPath[];
  command?: string;
  dir?: string;
  as_shell?: boolean;
  unconfined?: boolean;
  escalate?: boolean;
  justification?: string;
  url?: string;
  server?: string;
  summary?: string;
}
export interface ApprovalPath {
  path: string;
  shown?: string;
  write?: boolean;
  outside?: boolean;
  protected?: boolean;
  recursive?: boolean;
}
export interface FileEffect {
  path: string;
  op: string;
  before?: number;
  after?: number;
  added?: number;
  removed?: number;
  diff?: string;
  invisible?: string[];
}
export interface QuestionAsked {
  id: string;
  call: string;
  questions: Question[];
}
export interface Question {
  text: string;
  header?: string;
  options?: Option[];
  multi?: boolean;
  elicitation?: Elicitation;
}
export interface Option {
  label: string;
  description?: string;
}
export interface Elicitation {
  server: string;
  message: string;
  schema?: unknown;
  url?: string;
}
export interface BackendOption {
  setting: string;
  name?: string;
  description?: string;
  value: string;
  values: BackendOptionValue[];
}
export interface BackendOptionValue {
  id: string;
  name?: string;
  description?: string;
}
export interface RelayHost {
  host: string;
  name: string;
}
export interface HeadResult {
  head: number;
}
export interface SessionRecordsResult {
  records: DurableRecord[];
  head: number;
  more: boolean;
}
export interface AnswerGrewRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "answer_grew";
  data: AnswerGrew;
  origin?: unknown;
  hash?: string;
}
export interface AnswerGrew {
  message: string;
  model: string;
  restart?: boolean;
  pieces: AnswerPiece[];
}
export interface AnswerPiece {
  block: number;
  thinking?: boolean;
  summary?: boolean;
  text: string;
}
export interface ApprovalAnsweredRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "approval_answered";
  data: ApprovalAnswered;
  origin?: unknown;
  hash?: string;
}
export interface ApprovalAnswered {
  id: string;
  allowed: boolean;
  reason?: string;
  by: Answerer;
  client?: Client;
}
export interface ApprovalAskedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "approval_asked";
  data: ApprovalAsked;
  origin?: unknown;
  hash?: string;
}
export interface AssistantMessageRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "assistant_message";
  data: AssistantMessage;
  origin?: unknown;
  hash?: string;
}
export interface AssistantMessage {
  id: string;
  provider?: string;
  model: string;
  blocks: Block[];
  stop?: Stop;
  partial?: boolean;
  void?: boolean;
  usage: Usage;
  cost?: number;
}
export interface BackendAnsweredRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "backend_answered";
  data: BackendAnswered;
  origin?: unknown;
  hash?: string;
}
export interface BackendAnswered {
  session: string;
}
export interface BackendOpenedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "backend_opened";
  data: BackendOpened;
  origin?: unknown;
  hash?: string;
}
export interface BackendOpened {
  backend: string;
  session: string;
  program?: string;
  version?: string;
  resumed?: boolean;
  told?: number;
  forked?: number;
  copied?: boolean;
}
export interface BranchedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "branched";
  data: Branched;
  origin?: unknown;
  hash?: string;
}
export interface Branched {
  head: number;
  removed: number;
}
export interface BudgetExceededRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "budget_exceeded";
  data: BudgetExceeded;
  origin?: unknown;
  hash?: string;
}
export interface BudgetExceeded {
  scope: BudgetScope;
  snapshot: BudgetSnapshot;
  text: string;
}
export interface BudgetSnapshot {
  status: BudgetStatus;
  /**
   * nanoseconds
   */
  wall_time: number;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  cost: number;
  tool_calls: number;
  subagents: number;
  reason?: BudgetReason;
}
export interface BudgetWarnedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "budget_warned";
  data: BudgetWarned;
  origin?: unknown;
  hash?: string;
}
export interface BudgetWarned {
  scope: BudgetScope;
  snapshot: BudgetSnapshot;
  text: string;
}
export interface ChangesProposedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "changes_proposed";
  data: ChangesProposed;
  origin?: unknown;
  hash?: string;
}
export interface ChangesProposed {
  call: string;
  changes: FileChange[];
}
export interface FileChange {
  path: string;
  op: FileOp;
  existed: boolean;
  diff?: string;
  cut?: number;
  added: number;
  removed: number;
  before?: string;
  after?: string;
  mode?: number;
}
export interface CommandRanRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "command_ran";
  data: CommandRan;
  origin?: unknown;
  hash?: string;
}
export interface CommandRan {
  id?: string;
  shell: ShellRun;
  output: string;
  cut?: boolean;
  lines: number;
  bytes: number;
  cancelled?: boolean;
  unknown?: boolean;
  hidden?: boolean;
  /**
   * nanoseconds
   */
  ran?: number;
}
export interface ShellRun {
  command: string;
  dir: string;
  exit_code: number;
  signal?: string;
  timed_out?: boolean;
  omitted?: number;
  note?: string;
  full_blob?: string;
  streams?: ShellStreams;
  shell?: string;
  next_dir?: string;
  captured?: boolean;
  terminal?: string;
  truncated?: boolean;
  changes?: FileChange[];
  tracked?: boolean;
}
export interface ShellStreams {
  stdout: number;
  stderr: number;
  omitted_stdout?: number;
  omitted_stderr?: number;
}
export interface CommandStartedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "command_started";
  data: CommandStarted;
  origin?: unknown;
  hash?: string;
}
export interface CommandStarted {
  id: string;
  command: string;
  hidden?: boolean;
  client?: Client;
}
export interface CompactedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "compacted";
  data: Compacted;
  origin?: unknown;
  hash?: string;
}
export interface Compacted {
  reason: CompactReason;
  summary: string;
  carryover?: Carryover;
  kept_from?: number;
  tokens_before: number;
  tokens_after: number;
  removed: number;
  usage: Usage;
  cost?: number;
  agent?: boolean;
}
export interface Carryover {
  prompts?: string[];
  omitted?: number;
  read?: string[];
  changed?: string[];
  skills?: string[];
  state?: string;
}
export interface ContextNoteRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "context_note";
  data: ContextNote;
  origin?: unknown;
  hash?: string;
}
export interface ContextNote {
  topic: NoteTopic;
  path?: string;
  text: string;
  permissions?: string;
}
export interface FilesRestoredRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "files_restored";
  data: FilesRestored;
  origin?: unknown;
  hash?: string;
}
export interface FilesRestored {
  before: number;
  changes: FileChange[];
  client?: Client;
}
export interface ForeignRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "foreign";
  data: Foreign;
  origin?: unknown;
  hash?: string;
}
export interface Foreign {
  format: string;
  data?: unknown;
}
export interface HookRanRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "hook_ran";
  data: HookRan;
  origin?: unknown;
  hash?: string;
}
export interface HookRan {
  moment: HookMoment;
  hook: string;
  call?: string;
  decision: HookDecision;
  reason?: string;
  rewrote?: boolean;
  context?: string;
  /**
   * nanoseconds
   */
  ran?: number;
}
export interface LabelledRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "labelled";
  data: Labelled;
  origin?: unknown;
  hash?: string;
}
export interface Labelled {
  target: number;
  label?: string;
}
export interface NoticeRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "notice";
  data: Notice;
  origin?: unknown;
  hash?: string;
}
export interface Notice {
  level: NoticeLevel;
  code: string;
  text: string;
}
export interface RuleViolatedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "objected";
  data: RuleViolated;
  origin?: unknown;
  hash?: string;
}
export interface RuleViolated {
  rules: string[];
  cut?: boolean;
  blocks: Block[];
  sent?: unknown;
}
export interface PicturesRefusedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "pictures_refused";
  data: PicturesRefused;
  origin?: unknown;
  hash?: string;
}
export interface PicturesRefused {
  provider: string;
  model: string;
  pictures: string[];
}
export interface PlanUpdatedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "plan_updated";
  data: PlanUpdated;
  origin?: unknown;
  hash?: string;
}
export interface PlanUpdated {
  items: PlanItem[];
  phases?: PlanPhase[];
  cleared?: number;
}
export interface PlanPhase {
  id: string;
  name: string;
  tasks: PlanTask[];
}
export interface PlanTask {
  id: string;
  text: string;
  status: PlanStatus;
  notes?: string;
  details?: string;
}
export interface QuestionAnsweredRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "question_answered";
  data: QuestionAnswered;
  origin?: unknown;
  hash?: string;
}
export interface QuestionAnswered {
  id: string;
  answers: string[][] | null;
  by: Answerer;
  client?: Client;
}
export interface QuestionAskedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "question_asked";
  data: QuestionAsked;
  origin?: unknown;
  hash?: string;
}
export interface QueueChangedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "queue_changed";
  data: QueueChanged;
  origin?: unknown;
  hash?: string;
}
export interface QueueChanged {
  steering: Queued[];
  follow_ups: Queued[];
}
export interface RemindedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "reminded";
  data: Reminded;
  origin?: unknown;
  hash?: string;
}
export interface Reminded {
  attempt: number;
  max: number;
  tasks: PlanTask[];
  text: string;
}
export interface ResultsCutRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "results_cut";
  data: ResultsCut;
  origin?: unknown;
  hash?: string;
}
export interface ResultsCut {
  results: CutResult[];
}
export interface CutResult {
  call: string;
  keep?: number;
}
export interface SampledRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "sampled";
  data: Sampled;
  origin?: unknown;
  hash?: string;
}
export interface Sampled {
  call: string;
  server: string;
  provider: string;
  model: string;
  usage: Usage;
  cost?: number;
}
export interface SessionChangedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "session_changed";
  data: SessionChanged;
  origin?: unknown;
  hash?: string;
}
export interface SessionChanged {
  settings: Settings;
  client?: Client;
}
export interface SessionCreatedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "session_created";
  data: SessionCreated;
  origin?: unknown;
  hash?: string;
}
export interface SessionCreated {
  version: 1;
  id: string;
  workspace: string;
  settings: Settings;
  parent?: string;
  profile?: string;
}
export interface StepEndedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "step_ended";
  data: StepEnded;
  origin?: unknown;
  hash?: string;
}
export interface StepEnded {
  step: number;
  failure?: Failure;
}
export interface StepStartedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "step_started";
  data: StepStarted;
  origin?: unknown;
  hash?: string;
}
export interface StepStarted {
  step: number;
  model: string;
}
export interface SubagentEndedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "subagent_ended";
  data: SubagentEnded;
  origin?: unknown;
  hash?: string;
}
export interface SubagentEnded {
  call: string;
  task: string;
  agent: string;
  exit_code: number;
  usage: Usage;
  cost?: number;
  verification?: Verification;
}
export interface Verification {
  requested: boolean;
  profile?: string;
  status: VerificationStatus;
  attempts: VerificationAttempt[];
  retries: number;
  on_failure?: string;
}
export interface VerificationAttempt {
  attempt: number;
  status: VerificationStatus;
  started: number;
  ended: number;
  commands: VerificationCommand[];
  error?: string;
}
export interface VerificationCommand {
  name: string;
  command: string;
  exit_code: number;
  /**
   * nanoseconds
   */
  ran: number;
  optional?: boolean;
  timed_out?: boolean;
  artifact?: string;
  preview?: string;
}
export interface SubagentStartedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "subagent_started";
  data: SubagentStarted;
  origin?: unknown;
  hash?: string;
}
export interface SubagentStarted {
  call: string;
  task: string;
  agent: string;
  isolated?: boolean;
  session?: string;
}
export interface TextRefusedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "text_refused";
  data: TextRefused;
  origin?: unknown;
  hash?: string;
}
export interface TextRefused {
  provider: string;
  model: string;
  messages?: number[];
  results?: string[];
}
export interface ToolEndedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "tool_ended";
  data: ToolEnded;
  origin?: unknown;
  hash?: string;
}
export interface ToolEnded {
  call: string;
  outcome: Outcome;
  output?: string;
  images?: Image[];
  /**
   * nanoseconds
   */
  ran?: number;
  output_blob?: string;
  changes?: FileChange[];
  shell?: ShellRun;
  fetch?: Fetch;
  search?: Search;
  reply?: Reply;
  tasks?: Tasks;
  folder?: boolean;
  matches?: FileMatches;
}
export interface Fetch {
  url: string;
  status: number;
  mime: string;
  bytes: number;
}
export interface Search {
  query: string;
  results: SearchHit[];
}
export interface SearchHit {
  title: string;
  url: string;
  snippet?: string;
}
export interface Reply {
  content?: unknown;
  blob?: string;
}
export interface Tasks {
  project_agents?: string;
  results: TaskResult[];
  /**
   * nanoseconds
   */
  ran: number;
  usage: Usage;
  cost?: number;
}
export interface TaskResult {
  index: number;
  id: string;
  agent: string;
  source: string;
  text: string;
  assignment?: string;
  description?: string;
  model?: string;
  session?: string;
  exit_code: number;
  output: string;
  truncated?: boolean;
  error?: string;
  aborted?: boolean;
  budget?: boolean;
  /**
   * nanoseconds
   */
  ran: number;
  usage: Usage;
  cost?: number;
  output_path?: string;
  output_lines?: number;
  output_chars?: number;
  patch_path?: string;
  branch?: string;
  nested?: NestedPatch[];
  verification?: Verification;
}
export interface NestedPatch {
  repository: string;
  path: string;
}
export interface FileMatches {
  base: string;
  files: MatchedFile[];
  cut?: boolean;
}
export interface MatchedFile {
  path: string;
  lines?: number;
}
export interface ToolIntendedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "tool_intended";
  data: ToolIntended;
  origin?: unknown;
  hash?: string;
}
export interface ToolIntended {
  call: string;
  message: string;
  name: string;
  tool?: string;
  server?: string;
  input: unknown;
}
export interface ToolStartedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "tool_started";
  data: ToolStarted;
  origin?: unknown;
  hash?: string;
}
export interface ToolStarted {
  call: string;
  confined?: string;
}
export interface ToolsFoundRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "tools_found";
  data: ToolsFound;
  origin?: unknown;
  hash?: string;
}
export interface ToolsFound {
  names: string[];
}
export interface TurnEndedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "turn_ended";
  data: TurnEnded;
  origin?: unknown;
  hash?: string;
}
export interface TurnEnded {
  reason: TurnReason;
  failure?: Failure;
  usage: Usage;
  cost?: number;
  steps: number;
  rounds: number;
  mutations: Mutation[];
  context: number;
  window: number;
  heir?: boolean;
  client?: Client;
}
export interface Mutation {
  tool: string;
  path: string;
}
export interface TurnStartedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "turn_started";
  data: TurnStarted;
  origin?: unknown;
  hash?: string;
}
export interface TurnStarted {
  prompt: string;
  environment?: Environment;
}
export interface Environment {
  date: string;
  git?: string;
  permissions: string;
}
export interface UserMessageRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "user_message";
  data: UserMessage;
  origin?: unknown;
  hash?: string;
}
export interface UserMessage {
  id: string;
  via: Via;
  blocks: Block[];
  sent?: unknown;
  client?: Client;
}
export interface VerificationCommandEndedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "verification_command_ended";
  data: VerificationCommandEnded;
  origin?: unknown;
  hash?: string;
}
export interface VerificationCommandEnded {
  call: string;
  task: string;
  attempt: number;
  result: VerificationCommand;
}
export interface VerificationCommandStartedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "verification_command_started";
  data: VerificationCommandStarted;
  origin?: unknown;
  hash?: string;
}
export interface VerificationCommandStarted {
  call: string;
  task: string;
  attempt: number;
  name: string;
}
export interface VerificationEndedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "verification_ended";
  data: VerificationEnded;
  origin?: unknown;
  hash?: string;
}
export interface VerificationEnded {
  call: string;
  task: string;
  attempt: number;
  status: VerificationStatus;
}
export interface VerificationStartedRecord {
  seq: number;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "verification_started";
  data: VerificationStarted;
  origin?: unknown;
  hash?: string;
}
export interface VerificationStarted {
  call: string;
  task: string;
  attempt: number;
  profile?: string;
}
export interface SessionBlobResult {
  /**
   * base64
   */
  data: string;
  size: number;
}
export interface SessionPutBlobResult {
  address: string;
  size: number;
}
export interface SessionChangesResult {
  files: ChangedFile[];
  untracked?: UntrackedCall[];
}
export interface ChangedFile {
  path: string;
  op: FileOp;
  added: number;
  removed: number;
  diff: string;
  cut?: number;
  missing?: boolean;
}
export interface UntrackedCall {
  record: number;
  call?: string;
  tool: string;
}
export interface SessionRestoreResult {
  files: RestoredFile[];
  untracked?: UntrackedCall[];
}
export interface RestoredFile {
  path: string;
  op: FileOp;
  diff: string;
  cut?: number;
  missing?: boolean;
  outside?: boolean;
}
export interface SessionBranchResult {
  removed: number;
}
export interface SessionExportResult {
  data?: string;
  blob?: string;
  size?: number;
}
export interface SessionContextResult {
  window: number;
  max_tokens: number;
  used: number;
  parts: ContextParts;
  message_count: number;
}
export interface ContextParts {
  system_prompt: number;
  project_memory: number;
  tools: number;
  messages: number;
}
export interface SessionUsageResult {
  usage: Usage;
  cost: number;
  budget?: Budget;
}
export interface Budget {
  limits: BudgetAmounts;
  used: BudgetAmounts;
  status: BudgetStatus;
}
export interface BudgetAmounts {
  /**
   * nanoseconds
   */
  wall_time?: number;
  input_tokens?: number;
  output_tokens?: number;
  total_tokens?: number;
  cost?: number;
  tool_calls?: number;
  subagents?: number;
}
export interface TurnPromptResult {
  turn?: string;
  steered?: boolean;
  queued?: boolean;
}
export interface TurnInterruptResult {
  interrupted: boolean;
}
export interface QueueClearResult {
  steering: Queued[];
  follow_ups: Queued[];
}
export interface GrantsListResult {
  grants: Grant[];
}
export interface Grant {
  id: string;
  target: Target;
  level: Level;
  scope: Scope;
  given?: string;
  expires?: string;
}
export interface GrantsAddResult {
  id: string;
}
export interface CommandRunResult {
  command: string;
}
export interface WorkspaceFindResult {
  paths: string[];
  truncated?: boolean;
}
export interface WorkspaceReadResult {
  /**
   * base64
   */
  data: string;
  size: number;
  kind: string;
}
export interface ServersListResult {
  servers: Server[];
}
export interface Server {
  name: string;
  status: "" | "starting" | "ready" | "failed";
  error?: string;
  tools: number;
}
export interface TokenCreateResult {
  id: string;
  role: Role;
  name: string;
  created: string;
  expires?: string;
  sessions?: string[];
  workspace?: string;
  token: string;
}
export interface TokenListResult {
  tokens: Token[];
}
export interface Token {
  id: string;
  role: Role;
  name: string;
  created: string;
  expires?: string;
  sessions?: string[];
  workspace?: string;
}
export interface ErrorResponse {
  jsonrpc: "2.0";
  id: RequestId | null;
  error: RpcError;
}
export interface RpcError {
  code: number;
  message: string;
  data: ErrorData;
}
export interface ErrorData {
  kind: string;
  member?: string;
  role?: Role;
  supported?: number[];
  by?: number;
  allowed?: boolean;
  changed?: number;
  offset?: number;
  owner?: string;
  retry_ms?: number;
  path?: string;
  outcome?: string;
  host?: string;
}
export interface RecordNotification {
  jsonrpc: "2.0";
  method: "record";
  params: RecordNote;
}
export interface RecordNote {
  session: string;
  record: SessionRecord;
}
export interface ClientJoinedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "client_joined";
  data: ClientJoined;
}
export interface ClientJoined {
  client: Client;
  role?: string;
}
export interface ClientLeftRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "client_left";
  data: ClientLeft;
}
export interface ClientLeft {
  client: Client;
  role?: string;
}
export interface CommandOutputRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "command_output";
  data: CommandOutput;
}
export interface CommandOutput {
  command: string;
  text: string;
}
export interface CompactionStartedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "compaction_started";
  data: CompactionStarted;
}
export interface CompactionStarted {
  reason: CompactReason;
  failure?: Failure;
}
export interface ContextEstimatedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "context_estimated";
  data: ContextEstimated;
}
export interface ContextEstimated {
  tokens: number;
  window: number;
}
export interface HandedOverRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "handed_over";
  data: HandedOver;
}
export interface HandedOver {
  head: number;
}
export interface RequestCountedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "request_counted";
  data: RequestCounted;
}
export interface RequestCounted {
  tokens: number;
}
export interface RetryEndedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "retry_ended";
  data: RetryEnded;
}
export interface RetryEnded {
  attempt: number;
  succeeded: boolean;
  cancelled?: boolean;
}
export interface RetryStartedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "retry_started";
  data: RetryStarted;
}
export interface RetryStarted {
  attempt: number;
  max: number;
  /**
   * nanoseconds
   */
  delay: number;
  failure: Failure;
}
export interface ServerChangedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "server_changed";
  data: ServerChanged;
}
export interface ServerChanged {
  server: string;
  status: ServerStatus;
  error?: string;
  again?: boolean;
}
export interface StatusChangedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "status_changed";
  data: StatusChanged;
}
export interface StatusChanged {
  status: Status;
}
export interface SubagentRecordedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "subagent_recorded";
  data: SubagentRecorded;
}
export interface SubagentRecorded {
  call: string;
  task: string;
  name: string;
  agent: string;
  session: string;
  dir: string;
  record: SessionRecord;
}
export interface SyncEndedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "sync_ended";
  data: SyncEnded;
}
export interface SyncEnded {}
export interface SyncStartedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "sync_started";
  data: SyncStarted;
}
export interface SyncStarted {}
export interface TasksProgressedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "tasks_progressed";
  data: TasksProgressed;
}
export interface TasksProgressed {
  call: string;
  project_agents?: string;
  /**
   * nanoseconds
   */
  ran: number;
  tasks: TaskProgress[];
}
export interface TaskProgress {
  index: number;
  id: string;
  agent: string;
  source: string;
  text: string;
  assignment?: string;
  description?: string;
  model?: string;
  status: TaskStatus;
  current?: string;
  input?: string;
  since?: number;
  recent?: TaskCall[];
  output?: string[];
  calls: number;
  tokens: number;
  /**
   * nanoseconds
   */
  ran: number;
}
export interface TaskCall {
  tool: string;
  input: string;
  ended: number;
}
export interface TerminalCreatedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "terminal_created";
  data: TerminalCreated;
}
export interface TerminalCreated {
  call: string;
  terminal: string;
}
export interface TextDeltaRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "text_delta";
  data: TextDelta;
}
export interface TextDelta {
  message: string;
  block: number;
  text: string;
}
export interface ThinkingDeltaRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "thinking_delta";
  data: ThinkingDelta;
}
export interface ThinkingDelta {
  message: string;
  block: number;
  text: string;
  summary?: boolean;
}
export interface ToolInputDeltaRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "tool_input_delta";
  data: ToolInputDelta;
}
export interface ToolInputDelta {
  message: string;
  block: number;
  call: string;
  name: string;
  text: string;
}
export interface ToolOutputRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "tool_output";
  data: ToolOutput;
}
export interface ToolOutput {
  call: string;
  text: string;
}
export interface ToolProgressRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "tool_progress";
  data: ToolProgress;
}
export interface ToolProgress {
  call: string;
  done: number;
  total?: number;
  text?: string;
}
export interface UsageTickedRecord {
  seq?: 0;
  /**
   * RFC 3339, UTC
   */
  time: string;
  turn?: string;
  kind: "usage_ticked";
  data: UsageTicked;
}
export interface UsageTicked {
  usage: Usage;
  cost: number;
}
export interface SessionClosedNotification {
  jsonrpc: "2.0";
  method: "session/closed";
  params: SessionClosed;
}
export interface SessionClosed {
  session: string;
  reason: string;
  head: number;
  owner?: string;
  host?: string;
}
export interface HostSessionNotification {
  jsonrpc: "2.0";
  method: "host/session";
  params: HostSession;
}
export interface HostSession {
  session: string;
  summary?: Summary;
  open: boolean;
  removed?: boolean;
  status: Status;
  head?: number;
  waiting: number;
  clients: number;
}
export interface Summary {
  id: string;
  workspace: string;
  name?: string;
  title?: string;
  model?: string;
  answered?: string;
  created: string;
  updated: string;
  turns: number;
  failed?: boolean;
  cost?: number;
  archived?: boolean;
  parent?: string;
}
export interface HostClosingNotification {
  jsonrpc: "2.0";
  method: "host/closing";
  params: HostClosing;
}
export interface HostClosing {
  in_ms: number;
}
export interface ClientJoinedNotification {
  jsonrpc: "2.0";
  method: "client/joined";
  params: ClientNote;
}
export interface ClientNote {
  session: string;
  client: Client;
  role: string;
}
export interface ClientLeftNotification {
  jsonrpc: "2.0";
  method: "client/left";
  params: ClientNote;
}
