// Written by 'make schema' from loaf.schema.json; not by hand.

/**
 * A line of loaf's RPC mode.
 */
export type Line = Inbound | Outbound;
/**
 * What a client may say. A line without an id is ignored.
 */
export type Inbound = Request;
export type Request =
  | RpcHandshakeRequest
  | SystemPingRequest
  | SystemShutdownRequest
  | StateGetRequest
  | SessionCreateRequest
  | SessionGetRequest
  | SessionSendRequest
  | SessionSteerRequest
  | SessionInterruptRequest
  | SessionQueueListRequest
  | SessionQueueClearRequest
  | CommandExecuteRequest
  | AuthStatusRequest
  | AuthConnectOpenaiRequest
  | AuthConnectAntigravityRequest
  | AuthSetOpenrouterKeyRequest
  | AuthSetExaKeyRequest
  | OnboardingStatusRequest
  | OnboardingCompleteRequest
  | ModelListRequest
  | ModelSelectRequest
  | ModelOpenrouterProvidersRequest
  | LimitsGetRequest
  | HistoryListRequest
  | HistoryGetRequest
  | HistoryClearSessionRequest
  | SkillsListRequest
  | ToolsListRequest
  | DebugSetRequest;
export type RequestId = string | number | null;
export type EventFormat = "flat" | "envelope";
export type EventScope = "turn" | "all";
export type AuthMode = "auto" | "browser" | "device_code";
export type Provider = "openai" | "openrouter" | "antigravity";
export type Outbound = Result | Failure | Event | EnvelopedEvent;
export type ThinkingLevel = "OFF" | "MINIMAL" | "LOW" | "MEDIUM" | "HIGH" | "XHIGH";
export type MessageKind = "user" | "assistant" | "system";
export type CompactionReason = "none" | "auto" | "manual" | "provider_switch";
export type Event =
  | SessionStatusEvent
  | SessionMessageAppendedEvent
  | SessionStreamChunkEvent
  | SessionToolCallStartedEvent
  | SessionToolCallCompletedEvent
  | SessionToolResultsEvent
  | SessionContextEstimateEvent
  | SessionCompletedEvent
  | SessionInterruptedEvent
  | SessionErrorEvent
  | SessionDebugEvent
  | CompactionStartedEvent
  | CompactionAnchorSelectedEvent
  | CompactionSummaryMergedEvent
  | CompactionCompletedEvent
  | CompactionFailedEvent
  | AuthFlowStartedEvent
  | AuthFlowUrlEvent
  | AuthFlowDeviceCodeEvent
  | AuthFlowCompletedEvent
  | AuthFlowFailedEvent
  | StateChangedEvent;
export type EventEnvelope =
  | SessionStatusEnvelope
  | SessionMessageAppendedEnvelope
  | SessionStreamChunkEnvelope
  | SessionToolCallStartedEnvelope
  | SessionToolCallCompletedEnvelope
  | SessionToolResultsEnvelope
  | SessionContextEstimateEnvelope
  | SessionCompletedEnvelope
  | SessionInterruptedEnvelope
  | SessionErrorEnvelope
  | SessionDebugEnvelope
  | CompactionStartedEnvelope
  | CompactionAnchorSelectedEnvelope
  | CompactionSummaryMergedEnvelope
  | CompactionCompletedEnvelope
  | CompactionFailedEnvelope
  | AuthFlowStartedEnvelope
  | AuthFlowUrlEnvelope
  | AuthFlowDeviceCodeEnvelope
  | AuthFlowCompletedEnvelope
  | AuthFlowFailedEnvelope
  | StateChangedEnvelope;

export interface RpcHandshakeRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "rpc.handshake";
  params?: HandshakeParams;
}
export interface HandshakeParams {
  client_name?: unknown;
  client_version?: unknown;
  protocol_version?: string;
  strict?: boolean;
  event_format?: EventFormat;
  event_scope?: EventScope;
}
export interface SystemPingRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "system.ping";
  params?: NoParams;
}
/**
 * Ignored, whatever it is.
 */
export interface NoParams {}
export interface SystemShutdownRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "system.shutdown";
  params?: ShutdownParams;
}
export interface ShutdownParams {
  reason?: string;
}
export interface StateGetRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "state.get";
  params?: NoParams;
}
export interface SessionCreateRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session.create";
  params?: SessionCreateParams;
}
export interface SessionCreateParams {
  title?: string;
}
export interface SessionGetRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session.get";
  params: SessionParams;
}
export interface SessionParams {
  session_id: string;
}
export interface SessionSendRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session.send";
  params: SessionSendParams;
}
export interface SessionSendParams {
  session_id: string;
  text?: string;
  images?: ImageInput[];
  enqueue?: boolean;
}
export interface ImageInput {
  path?: string;
  mime_type?: string;
  data_url?: string;
}
export interface SessionSteerRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session.steer";
  params: SessionSteerParams;
}
export interface SessionSteerParams {
  session_id: string;
  text: string;
}
export interface SessionInterruptRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session.interrupt";
  params: SessionParams;
}
export interface SessionQueueListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session.queue.list";
  params: SessionParams;
}
export interface SessionQueueClearRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "session.queue.clear";
  params: SessionParams;
}
export interface CommandExecuteRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "command.execute";
  params: CommandParams;
}
export interface CommandParams {
  session_id: string;
  raw_command: string;
}
export interface AuthStatusRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "auth.status";
  params?: NoParams;
}
export interface AuthConnectOpenaiRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "auth.connect.openai";
  params?: AuthConnectParams;
}
export interface AuthConnectParams {
  mode?: AuthMode;
  originator?: string;
  wait?: boolean;
}
export interface AuthConnectAntigravityRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "auth.connect.antigravity";
  params?: NoParams;
}
export interface AuthSetOpenrouterKeyRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "auth.set.openrouter_key";
  params: AuthKeyParams;
}
export interface AuthKeyParams {
  api_key: string;
}
export interface AuthSetExaKeyRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "auth.set.exa_key";
  params: AuthKeyParams;
}
export interface OnboardingStatusRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "onboarding.status";
  params?: NoParams;
}
export interface OnboardingCompleteRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "onboarding.complete";
  params?: NoParams;
}
export interface ModelListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "model.list";
  params?: ModelListParams;
}
export interface ModelListParams {
  provider?: Provider;
}
export interface ModelSelectRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "model.select";
  params: ModelSelectParams;
}
export interface ModelSelectParams {
  model_id: string;
  provider: Provider;
  thinking_level: string;
  openrouter_provider?: string;
  session_id?: string;
  compress_immediately?: boolean;
}
export interface ModelOpenrouterProvidersRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "model.openrouter.providers";
  params: OpenRouterProvidersParams;
}
export interface OpenRouterProvidersParams {
  model_id: string;
}
export interface LimitsGetRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "limits.get";
  params?: NoParams;
}
export interface HistoryListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "history.list";
  params?: HistoryListParams;
}
export interface HistoryListParams {
  limit?: number;
  cursor?: number;
}
export interface HistoryGetRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "history.get";
  params?: HistoryGetParams;
}
export interface HistoryGetParams {
  id?: string;
  last?: boolean;
  rollout_path?: string;
}
export interface HistoryClearSessionRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "history.clear_session";
  params: SessionParams;
}
export interface SkillsListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "skills.list";
  params?: NoParams;
}
export interface ToolsListRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "tools.list";
  params?: NoParams;
}
export interface DebugSetRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: "debug.set";
  params: DebugParams;
}
export interface DebugParams {
  super_debug: boolean;
}
export interface Result {
  jsonrpc: "2.0";
  id: RequestId;
  result:
    | HandshakeResult
    | PingResult
    | ShutdownResult
    | State
    | SessionCreateResult
    | SessionState
    | SessionSendResult
    | SessionSteerResult
    | SessionInterruptResult
    | SessionQueueListResult
    | SessionQueueClearResult
    | CommandResult
    | AuthStatus
    | AuthConnectResult
    | AuthConnectStarted
    | AuthOpenRouterKeyResult
    | AuthExaKeyResult
    | OnboardingState
    | ModelListResult
    | ModelSelectResult
    | OpenRouterProvidersResult
    | LimitsResult
    | HistoryListResult
    | HistoryGetResult
    | HistoryClearResult
    | SkillsResult
    | ToolsResult
    | DebugResult;
}
export interface HandshakeResult {
  protocol_version: "1.0.0";
  server_name: string;
  capabilities: Capabilities;
  methods: string[];
  event_format: EventFormat;
  event_scope: EventScope;
}
export interface Capabilities {
  events: boolean;
  command_execute: boolean;
  multi_session: boolean;
  image_inputs: string[];
}
export interface PingResult {
  ok: boolean;
  time: string;
}
export interface ShutdownResult {
  accepted: boolean;
  reason?: string;
}
export interface State {
  auth: StateAuth;
  onboarding: OnboardingState;
  model: StateModel;
  sessions: StateSessions;
  skills: StateSkills;
}
export interface StateAuth {
  enabledProviders: Provider[];
  hasOpenAiToken: boolean;
  hasAntigravityToken: boolean;
  hasOpenRouterKey: boolean;
  antigravityProfile: AntigravityProfile | null;
}
export interface AntigravityProfile {
  email: string;
  name: string;
  picture?: string;
}
export interface OnboardingState {
  completed: boolean;
}
export interface StateModel {
  selectedModel: string;
  selectedThinking: ThinkingLevel;
  selectedOpenRouterProvider: string;
  selectedProvider: Provider | null;
}
export interface StateSessions {
  count: number;
  ids: string[];
}
export interface StateSkills {
  count: number;
  directories: string[];
}
export interface SessionCreateResult {
  session_id: string;
  state: SessionState;
}
export interface SessionState {
  id: string;
  createdAt: string;
  updatedAt: string;
  pending: boolean;
  statusLabel: string;
  messages: Message[];
  history: HistoryEntry[];
  queue: QueueItem[];
  pendingSteerCount: number;
  conversationProvider: Provider | null;
  activeSessionId: string | null;
  contextTokenEstimate: number;
  contextTokenSource: "history" | "compaction";
  contextTokenProvider: Provider | null;
  contextTokenBreakdown: ContextBreakdown;
}
export interface Message {
  id: number;
  kind: MessageKind;
  text: string;
  images: Image[];
}
export interface Image {
  path: string;
  mimeType: string;
  dataUrl: string;
  byteSize: number;
}
export interface HistoryEntry {
  role: "user" | "assistant";
  text: string;
  images?: Image[];
}
export interface QueueItem {
  id: string;
  text: string;
  images: ImageInput[];
  enqueuedAt: string;
}
export interface ContextBreakdown {
  pinned_tokens: number;
  conversation_tokens: number;
  tool_schema_tokens: number;
  provider_overhead_tokens: number;
}
export interface SessionSendResult {
  session_id: string;
  turn_id: string;
  accepted: boolean;
  queued: boolean;
}
export interface SessionSteerResult {
  session_id: string;
  accepted: boolean;
}
export interface SessionInterruptResult {
  session_id: string;
  interrupted: boolean;
}
export interface SessionQueueListResult {
  session_id: string;
  queue: QueueItem[];
}
export interface SessionQueueClearResult {
  session_id: string;
  cleared_count: number;
}
export interface CommandResult {
  handled: boolean;
  output?:
    | CommandUnknown
    | CommandHelp
    | CommandAuth
    | CommandModel
    | CommandResumed
    | CommandCompressed
    | CommandCleared
    | CommandShutdown
    | OnboardingState
    | LimitsResult
    | SkillsResult
    | ToolsResult
    | HistoryListResult;
}
export interface CommandUnknown {
  error: string;
}
export interface CommandHelp {
  commands: CommandInfo[];
}
export interface CommandInfo {
  name: string;
  description: string;
}
export interface CommandAuth {
  auth_status: AuthStatus;
  hint: string;
}
export interface AuthStatus {
  enabled_providers: Provider[];
  has_openai_token: boolean;
  has_openrouter_key: boolean;
  has_antigravity_token: boolean;
  antigravity_profile: AntigravityProfile | null;
}
export interface CommandModel {
  selected_model: string;
  selected_provider: Provider | null;
  selected_thinking: ThinkingLevel;
  selected_openrouter_provider: string;
  available: ModelListResult;
}
export interface ModelListResult {
  providers: Provider[];
  models: Model[];
  selected_model: string;
  selected_thinking: ThinkingLevel;
  selected_provider: Provider | null;
  selected_openrouter_provider: string;
}
export interface Model {
  id: string;
  provider: Provider;
  displayProvider?: string;
  label: string;
  description: string;
  supportedThinkingLevels?: ThinkingLevel[];
  defaultThinkingLevel?: ThinkingLevel;
  routingProviders?: string[];
  contextWindowTokens?: number;
}
export interface CommandResumed {
  resumed: string;
}
export interface CommandCompressed {
  compressed: boolean;
  reason: CompactionReason;
  estimated_tokens_before: number;
  estimated_tokens_after: number;
  model_context_window: number;
  target_limit: number;
  anchor_event_index_before: number;
  anchor_event_index_after: number;
}
export interface CommandCleared {
  cleared: boolean;
}
export interface CommandShutdown {
  shutting_down: boolean;
}
export interface LimitsResult {
  openai: OpenAILimits | null;
  antigravity: AntigravityLimits | null;
}
export interface OpenAILimits {
  ok: boolean;
  snapshot?: OpenAISnapshot;
  message?: string;
}
export interface OpenAISnapshot {
  planType: string | null;
  primary: LimitWindow | null;
  secondary: LimitWindow | null;
}
export interface LimitWindow {
  usedPercent: number;
  remainingPercent: number;
  limitWindowSeconds: number | null;
  resetAtEpochSeconds: number | null;
}
export interface AntigravityLimits {
  ok: boolean;
  snapshot?: AntigravitySnapshot;
  message?: string;
}
export interface AntigravitySnapshot {
  models: AntigravityQuota[];
}
export interface AntigravityQuota {
  name: string;
  remainingPercent: number;
  resetTime: string | null;
}
export interface SkillsResult {
  directories: string[];
  errors: string[];
  skills: Skill[];
}
export interface Skill {
  name: string;
  description: string;
  description_preview: string;
  source_path: string;
}
export interface ToolsResult {
  tools: Tool[];
}
export interface Tool {
  name: string;
  description: string;
  input_schema: {};
}
export interface HistoryListResult {
  total: number;
  cursor: number;
  limit: number;
  sessions: SavedChat[];
  next_cursor: number | null;
}
export interface SavedChat {
  id: string;
  title: string;
  provider: Provider;
  model: string;
  thinkingLevel: ThinkingLevel;
  openRouterProvider?: string;
  createdAt: string;
  updatedAt: string;
  messageCount: number;
  rolloutPath: string;
}
export interface AuthConnectResult {
  provider: Provider;
  login_method: "browser" | "device_code";
  account_id: string | null;
}
export interface AuthConnectStarted {
  provider: Provider;
  login_method: "browser" | "device_code";
  started: boolean;
}
export interface AuthOpenRouterKeyResult {
  configured: boolean;
  model_count: number;
  source: "remote" | "cache" | "fallback";
}
export interface AuthExaKeyResult {
  configured: boolean;
  skipped: boolean;
}
export interface ModelSelectResult {
  selected_model: string;
  selected_provider: Provider;
  selected_thinking: ThinkingLevel;
  selected_openrouter_provider: string;
  compression?: Compression;
}
export interface Compression {
  requested: boolean;
  applied: boolean;
  reason: CompactionReason;
  estimated_tokens_before: number;
  estimated_tokens_after: number;
  model_context_window: number;
  target_limit: number;
  anchor_event_index_before: number;
  anchor_event_index_after: number;
}
export interface OpenRouterProvidersResult {
  model_id: string;
  providers: string[];
}
export interface HistoryGetResult {
  id: string;
  title: string;
  provider: Provider;
  model: string;
  thinkingLevel: ThinkingLevel;
  openRouterProvider?: string;
  createdAt: string;
  updatedAt: string;
  messageCount: number;
  rolloutPath: string;
  messages: HistoryEntry[];
}
export interface HistoryClearResult {
  session_id: string;
  cleared: boolean;
}
export interface DebugResult {
  super_debug: boolean;
}
export interface Failure {
  jsonrpc: "2.0";
  id: RequestId;
  error: RpcError;
}
export interface RpcError {
  code: number;
  message: string;
  data: ErrorData;
}
export interface ErrorData {
  reason:
    | "parse_error"
    | "batch_not_supported"
    | "invalid_request"
    | "line_too_long"
    | "method_not_found"
    | "invalid_params"
    | "unsupported_protocol_version"
    | "internal_error"
    | "shutting_down"
    | "unsupported_provider"
    | "auth_in_progress"
    | "forbidden";
  field?: string;
  method?: string;
  supported?: string;
  kind?: string;
}
export interface SessionStatusEvent {
  jsonrpc: "2.0";
  method: "session.status";
  params: SessionStatus;
}
export interface SessionStatus {
  session_id: string;
  pending: boolean;
  status_label: string;
  turn_id?: string;
}
export interface SessionMessageAppendedEvent {
  jsonrpc: "2.0";
  method: "session.message.appended";
  params: MessageAppended;
}
export interface MessageAppended {
  session_id: string;
  message: Message;
}
export interface SessionStreamChunkEvent {
  jsonrpc: "2.0";
  method: "session.stream.chunk";
  params: StreamChunk;
}
export interface StreamChunk {
  session_id: string;
  turn_id: string;
  chunk: Chunk;
}
export interface Chunk {
  thoughts: string[];
  answerText: string;
  segments: Segment[];
}
export interface Segment {
  kind: "thought" | "answer";
  text: string;
}
export interface SessionToolCallStartedEvent {
  jsonrpc: "2.0";
  method: "session.tool.call.started";
  params: ToolCallStarted;
}
export interface ToolCallStarted {
  session_id: string;
  turn_id: string;
  data: ToolStartedData;
}
export interface ToolStartedData {
  tool_name: string;
  call_id: string;
  toolRound: number;
  call: ToolCall;
}
export interface ToolCall {
  name: string;
  input: {};
  providerToolName: string;
  callId: string;
}
export interface SessionToolCallCompletedEvent {
  jsonrpc: "2.0";
  method: "session.tool.call.completed";
  params: ToolCallCompleted;
}
export interface ToolCallCompleted {
  session_id: string;
  turn_id: string;
  data: ToolCompletedData;
}
export interface ToolCompletedData {
  tool_name: string;
  call_id: string;
  ok: boolean;
  toolRound: number;
  executed: Executed;
}
export interface Executed {
  name: string;
  ok: boolean;
  input: {};
  result: unknown;
  error?: string;
}
export interface SessionToolResultsEvent {
  jsonrpc: "2.0";
  method: "session.tool.results";
  params: ToolResults;
}
export interface ToolResults {
  session_id: string;
  turn_id: string;
  data: ToolResultsData;
}
export interface ToolResultsData {
  toolRound: number;
  executed: Executed[];
}
export interface SessionContextEstimateEvent {
  jsonrpc: "2.0";
  method: "session.context.estimate";
  params: ContextEstimate;
}
export interface ContextEstimate {
  session_id: string;
  provider: Provider | null;
  total_tokens_estimate: number;
  source: "history" | "compaction";
  breakdown: ContextBreakdown;
}
export interface SessionCompletedEvent {
  jsonrpc: "2.0";
  method: "session.completed";
  params: SessionCompleted;
}
export interface SessionCompleted {
  session_id: string;
  turn_id: string;
  answer_length: number;
}
export interface SessionInterruptedEvent {
  jsonrpc: "2.0";
  method: "session.interrupted";
  params: SessionInterrupted;
}
export interface SessionInterrupted {
  session_id: string;
  turn_id: string;
  partial_output: boolean;
}
export interface SessionErrorEvent {
  jsonrpc: "2.0";
  method: "session.error";
  params: SessionError;
}
export interface SessionError {
  session_id: string;
  turn_id: string;
  message: string;
}
export interface SessionDebugEvent {
  jsonrpc: "2.0";
  method: "session.debug";
  params: SessionDebug;
}
export interface SessionDebug {
  session_id: string;
  turn_id: string;
  stage: string;
  data: unknown;
}
export interface CompactionStartedEvent {
  jsonrpc: "2.0";
  method: "compaction.started";
  params: CompactionStarted;
}
export interface CompactionStarted {
  session_id: string;
  turn_id?: string;
  reason: CompactionReason;
  anchor_event_index_before: number;
  event_count: number;
  context_window_tokens: number;
}
export interface CompactionAnchorSelectedEvent {
  jsonrpc: "2.0";
  method: "compaction.anchor_selected";
  params: CompactionAnchorSelected;
}
export interface CompactionAnchorSelected {
  session_id: string;
  turn_id?: string;
  reason: CompactionReason;
  anchor_event_index_before: number;
  anchor_event_index_after: number;
  delta_event_count: number;
}
export interface CompactionSummaryMergedEvent {
  jsonrpc: "2.0";
  method: "compaction.summary_merged";
  params: CompactionSummaryMerged;
}
export interface CompactionSummaryMerged {
  session_id: string;
  turn_id?: string;
  summary_updated_at: string;
  anchor_event_index_after: number;
}
export interface CompactionCompletedEvent {
  jsonrpc: "2.0";
  method: "compaction.completed";
  params: CompactionCompleted;
}
export interface CompactionCompleted {
  session_id: string;
  turn_id?: string;
  compressed: boolean;
  reason: CompactionReason;
  estimated_tokens_before: number;
  estimated_tokens_after: number;
  model_context_window: number;
  target_limit: number;
  high_watermark_limit: number;
  anchor_event_index_before: number;
  anchor_event_index_after: number;
}
export interface CompactionFailedEvent {
  jsonrpc: "2.0";
  method: "compaction.failed";
  params: CompactionFailed;
}
export interface CompactionFailed {
  session_id: string;
  turn_id?: string;
  reason: CompactionReason;
  message: string;
}
export interface AuthFlowStartedEvent {
  jsonrpc: "2.0";
  method: "auth.flow.started";
  params: AuthFlowStarted;
}
export interface AuthFlowStarted {
  provider: Provider;
}
export interface AuthFlowUrlEvent {
  jsonrpc: "2.0";
  method: "auth.flow.url";
  params: AuthFlowURL;
}
export interface AuthFlowURL {
  provider: Provider;
  url: string;
}
export interface AuthFlowDeviceCodeEvent {
  jsonrpc: "2.0";
  method: "auth.flow.device_code";
  params: AuthFlowDeviceCode;
}
export interface AuthFlowDeviceCode {
  provider: Provider;
  verification_url: string;
  user_code: string;
  interval_seconds: number;
  expires_in_seconds: number;
}
export interface AuthFlowCompletedEvent {
  jsonrpc: "2.0";
  method: "auth.flow.completed";
  params: AuthFlowCompleted;
}
export interface AuthFlowCompleted {
  provider: Provider;
  login_method: "browser" | "device_code";
  account_id: string | null;
}
export interface AuthFlowFailedEvent {
  jsonrpc: "2.0";
  method: "auth.flow.failed";
  params: AuthFlowFailed;
}
export interface AuthFlowFailed {
  provider: Provider;
  message: string;
}
export interface StateChangedEvent {
  jsonrpc: "2.0";
  method: "state.changed";
  params: StateChanged;
}
export interface StateChanged {
  reason: string;
  session_id?: string;
  snapshot: State;
}
export interface EnvelopedEvent {
  jsonrpc: "2.0";
  method: "event";
  params: EventEnvelope;
}
export interface SessionStatusEnvelope {
  type: "session.status";
  timestamp: string;
  payload: SessionStatus;
}
export interface SessionMessageAppendedEnvelope {
  type: "session.message.appended";
  timestamp: string;
  payload: MessageAppended;
}
export interface SessionStreamChunkEnvelope {
  type: "session.stream.chunk";
  timestamp: string;
  payload: StreamChunk;
}
export interface SessionToolCallStartedEnvelope {
  type: "session.tool.call.started";
  timestamp: string;
  payload: ToolCallStarted;
}
export interface SessionToolCallCompletedEnvelope {
  type: "session.tool.call.completed";
  timestamp: string;
  payload: ToolCallCompleted;
}
export interface SessionToolResultsEnvelope {
  type: "session.tool.results";
  timestamp: string;
  payload: ToolResults;
}
export interface SessionContextEstimateEnvelope {
  type: "session.context.estimate";
  timestamp: string;
  payload: ContextEstimate;
}
export interface SessionCompletedEnvelope {
  type: "session.completed";
  timestamp: string;
  payload: SessionCompleted;
}
export interface SessionInterruptedEnvelope {
  type: "session.interrupted";
  timestamp: string;
  payload: SessionInterrupted;
}
export interface SessionErrorEnvelope {
  type: "session.error";
  timestamp: string;
  payload: SessionError;
}
export interface SessionDebugEnvelope {
  type: "session.debug";
  timestamp: string;
  payload: SessionDebug;
}
export interface CompactionStartedEnvelope {
  type: "compaction.started";
  timestamp: string;
  payload: CompactionStarted;
}
export interface CompactionAnchorSelectedEnvelope {
  type: "compaction.anchor_selected";
  timestamp: string;
  payload: CompactionAnchorSelected;
}
export interface CompactionSummaryMergedEnvelope {
  type: "compaction.summary_merged";
  timestamp: string;
  payload: CompactionSummaryMerged;
}
export interface CompactionCompletedEnvelope {
  type: "compaction.completed";
  timestamp: string;
  payload: CompactionCompleted;
}
export interface CompactionFailedEnvelope {
  type: "compaction.failed";
  timestamp: string;
  payload: CompactionFailed;
}
export interface AuthFlowStartedEnvelope {
  type: "auth.flow.started";
  timestamp: string;
  payload: AuthFlowStarted;
}
export interface AuthFlowUrlEnvelope {
  type: "auth.flow.url";
  timestamp: string;
  payload: AuthFlowURL;
}
export interface AuthFlowDeviceCodeEnvelope {
  type: "auth.flow.device_code";
  timestamp: string;
  payload: AuthFlowDeviceCode;
}
export interface AuthFlowCompletedEnvelope {
  type: "auth.flow.completed";
  timestamp: string;
  payload: AuthFlowCompleted;
}
export interface AuthFlowFailedEnvelope {
  type: "auth.flow.failed";
  timestamp: string;
  payload: AuthFlowFailed;
}
export interface StateChangedEnvelope {
  type: "state.changed";
  timestamp: string;
  payload: StateChanged;
}
