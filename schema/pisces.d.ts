// Written by 'make schema' from pisces.schema.json; not by hand.

/**
 * A line of the RPC mode of Pisces.
 */
export type Line = Inbound | Outbound;
/**
 * What a client may say.
 */
export type Inbound = Command | ExtensionUIResponse | HostToolUpdate | HostToolResult;
export type Command =
  | Prompt
  | Steer
  | FollowUp
  | Abort
  | AbortAndPrompt
  | NewSession
  | GetState
  | SetModel
  | CycleModel
  | GetAvailableModels
  | SetThinkingLevel
  | CycleThinkingLevel
  | SetSteeringMode
  | SetFollowUpMode
  | SetInterruptMode
  | Compact
  | SetAutoCompaction
  | SetAutoRetry
  | AbortRetry
  | Bash
  | AbortBash
  | GetSessionStats
  | ExportHTML
  | SwitchSession
  | Branch
  | GetBranchMessages
  | GetLastAssistantText
  | SetSessionName
  | GetMessages
  | Fork
  | GetForkMessages
  | Clone
  | GetCommands
  | ClearQueue
  | GetAvailableThinkingLevels
  | GetEntries
  | GetTree
  | GetAvailableCommands
  | SetEventFilter
  | SetSubagentSubscription
  | GetSubagents
  | OpenSession
  | SetHostTools
  | SetTodos
  | GetMessagesPage;
export type StreamingBehavior = "steer" | "followUp";
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
export type QueueMode = "all" | "one-at-a-time";
export type InterruptMode = "immediate" | "wait";
export type Outbound = Response | Failure | Event | ExtensionUIRequest;
export type Response =
  | PromptResponse
  | SteerResponse
  | FollowUpResponse
  | NewSessionResponse
  | GetStateResponse
  | SetModelResponse
  | CycleModelResponse
  | GetAvailableModelsResponse
  | CycleThinkingLevelResponse
  | CompactResponse
  | BashResponse
  | GetSessionStatsResponse
  | ExportHTMLResponse
  | SwitchSessionResponse
  | BranchResponse
  | GetBranchMessagesResponse
  | GetLastAssistantTextResponse
  | GetMessagesResponse
  | ForkResponse
  | GetForkMessagesResponse
  | CloneResponse
  | GetCommandsResponse
  | ClearQueueResponse
  | GetAvailableThinkingLevelsResponse
  | GetEntriesResponse
  | GetTreeResponse
  | GetAvailableCommandsResponse
  | SetEventFilterResponse
  | SetSubagentSubscriptionResponse
  | GetSubagentsResponse
  | OpenSessionResponse
  | SetHostToolsResponse
  | SetTodosResponse
  | GetMessagesPageResponse
  | Done;
export type Disposition = "started" | "queued" | "handled";
export type Message =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | BashExecutionMessage
  | CustomMessage
  | FileMentionMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";
export type Event =
  | Ready
  | AgentStart
  | AgentEnd
  | TurnStart
  | TurnEnd
  | MessageStart
  | MessageUpdate
  | MessageEnd
  | ToolExecutionStart
  | ToolExecutionUpdate
  | ToolExecutionEnd
  | AutoCompactionStart
  | AutoCompactionEnd
  | AutoRetryStart
  | AutoRetryEnd
  | RetryFallbackApplied
  | RetryFallbackSucceeded
  | TTSRTriggered
  | TodoReminder
  | TodoAutoClear
  | ExtensionError
  | SubagentStart
  | SubagentEnd
  | SubagentVerificationStart
  | SubagentVerificationCommandStart
  | SubagentVerificationCommandEnd
  | SubagentVerificationEnd
  | BudgetWarning
  | BudgetExceeded
  | PromptResult
  | AgentSettled
  | SessionSettled
  | HostToolCall
  | HostToolCancel;
export type AssistantMessageEvent = BlockStart | BlockDelta | BlockEnd | ToolCallEnd;
export type CompactionReason = "threshold" | "overflow" | "idle";
export type VerificationStatus =
  "not_requested" | "passed" | "failed" | "skipped" | "retried_passed" | "budget_exceeded";
export type ExtensionUIRequest =
  | UISelect
  | UIConfirm
  | UIInput
  | UIEditor
  | UICancel
  | UINotify
  | UISetStatus
  | UISetWidget
  | UISetTitle
  | UISetEditorText;

export interface Prompt {
  id?: unknown;
  type: "prompt";
  message: string;
  images?: ImageContent[];
  streamingBehavior?: StreamingBehavior;
}
export interface ImageContent {
  type: "image";
  data: string;
  mimeType: string;
}
export interface Steer {
  id?: unknown;
  type: "steer";
  message: string;
  images?: ImageContent[];
}
export interface FollowUp {
  id?: unknown;
  type: "follow_up";
  message: string;
  images?: ImageContent[];
}
export interface Abort {
  id?: unknown;
  type: "abort";
}
export interface AbortAndPrompt {
  id?: unknown;
  type: "abort_and_prompt";
  message: string;
  images?: ImageContent[];
}
export interface NewSession {
  id?: unknown;
  type: "new_session";
  parentSession?: string;
}
export interface GetState {
  id?: unknown;
  type: "get_state";
}
export interface SetModel {
  id?: unknown;
  type: "set_model";
  provider: string;
  modelId: string;
}
export interface CycleModel {
  id?: unknown;
  type: "cycle_model";
}
export interface GetAvailableModels {
  id?: unknown;
  type: "get_available_models";
}
export interface SetThinkingLevel {
  id?: unknown;
  type: "set_thinking_level";
  level: ThinkingLevel;
}
export interface CycleThinkingLevel {
  id?: unknown;
  type: "cycle_thinking_level";
}
export interface SetSteeringMode {
  id?: unknown;
  type: "set_steering_mode";
  mode: QueueMode;
}
export interface SetFollowUpMode {
  id?: unknown;
  type: "set_follow_up_mode";
  mode: QueueMode;
}
export interface SetInterruptMode {
  id?: unknown;
  type: "set_interrupt_mode";
  mode: InterruptMode;
}
export interface Compact {
  id?: unknown;
  type: "compact";
  customInstructions?: string;
}
export interface SetAutoCompaction {
  id?: unknown;
  type: "set_auto_compaction";
  enabled: boolean;
}
export interface SetAutoRetry {
  id?: unknown;
  type: "set_auto_retry";
  enabled: boolean;
}
export interface AbortRetry {
  id?: unknown;
  type: "abort_retry";
}
export interface Bash {
  id?: unknown;
  type: "bash";
  command: string;
}
export interface AbortBash {
  id?: unknown;
  type: "abort_bash";
}
export interface GetSessionStats {
  id?: unknown;
  type: "get_session_stats";
}
export interface ExportHTML {
  id?: unknown;
  type: "export_html";
  outputPath?: string;
}
export interface SwitchSession {
  id?: unknown;
  type: "switch_session";
  sessionPath: string;
}
export interface Branch {
  id?: unknown;
  type: "branch";
  entryId: string;
}
export interface GetBranchMessages {
  id?: unknown;
  type: "get_branch_messages";
}
export interface GetLastAssistantText {
  id?: unknown;
  type: "get_last_assistant_text";
}
export interface SetSessionName {
  id?: unknown;
  type: "set_session_name";
  name: string;
}
export interface GetMessages {
  id?: unknown;
  type: "get_messages";
}
export interface Fork {
  id?: unknown;
  type: "fork";
  entryId: string;
}
export interface GetForkMessages {
  id?: unknown;
  type: "get_fork_messages";
}
export interface Clone {
  id?: unknown;
  type: "clone";
}
export interface GetCommands {
  id?: unknown;
  type: "get_commands";
}
export interface ClearQueue {
  id?: unknown;
  type: "clear_queue";
}
export interface GetAvailableThinkingLevels {
  id?: unknown;
  type: "get_available_thinking_levels";
}
export interface GetEntries {
  id?: unknown;
  type: "get_entries";
  since?: string;
}
export interface GetTree {
  id?: unknown;
  type: "get_tree";
}
export interface GetAvailableCommands {
  id?: unknown;
  type: "get_available_commands";
}
export interface SetEventFilter {
  id?: unknown;
  type: "set_event_filter";
  events?: string[] | null;
}
export interface SetSubagentSubscription {
  id?: unknown;
  type: "set_subagent_subscription";
  level: "off" | "progress" | "events";
}
export interface GetSubagents {
  id?: unknown;
  type: "get_subagents";
}
export interface OpenSession {
  id?: unknown;
  type: "open_session";
  sessionDir: string;
}
export interface SetHostTools {
  id?: unknown;
  type: "set_host_tools";
  tools: HostTool[];
}
export interface HostTool {
  name: string;
  description: string;
  parameters: {};
  hidden?: boolean;
}
export interface SetTodos {
  id?: unknown;
  type: "set_todos";
  phases: TodoPhase[];
}
export interface TodoPhase {
  id?: string;
  name: string;
  tasks: TodoItem[];
}
export interface TodoItem {
  id?: string;
  content: string;
  status: "pending" | "in_progress" | "completed" | "abandoned";
  notes?: string;
  details?: string;
}
export interface GetMessagesPage {
  id?: unknown;
  type: "get_messages_page";
  cursor?: string;
  limit?: number;
}
/**
 * It has one of value, confirmed and cancelled.
 */
export interface ExtensionUIResponse {
  type: "extension_ui_response";
  id: string;
  value?: string;
  confirmed?: boolean;
  cancelled?: true;
  timedOut?: boolean;
}
export interface HostToolUpdate {
  type: "host_tool_update";
  id: string;
  partialResult: HostResult;
}
export interface HostResult {
  content: (TextContent | ImageContent)[];
  details?: unknown;
}
export interface TextContent {
  type: "text";
  text: string;
  textSignature?: string;
}
export interface HostToolResult {
  type: "host_tool_result";
  id: string;
  result: HostResult;
  isError?: boolean;
}
export interface PromptResponse {
  type: "response";
  id?: unknown;
  command: "prompt";
  success: true;
  data: Accepted;
}
export interface Accepted {
  disposition: Disposition;
}
export interface SteerResponse {
  type: "response";
  id?: unknown;
  command: "steer";
  success: true;
  data: Accepted;
}
export interface FollowUpResponse {
  type: "response";
  id?: unknown;
  command: "follow_up";
  success: true;
  data: Accepted;
}
export interface NewSessionResponse {
  type: "response";
  id?: unknown;
  command: "new_session";
  success: true;
  data: Cancelled;
}
export interface Cancelled {
  cancelled: boolean;
}
export interface GetStateResponse {
  type: "response";
  id?: unknown;
  command: "get_state";
  success: true;
  data: RpcSessionState;
}
export interface RpcSessionState {
  model?: Model;
  thinkingLevel?: ThinkingLevel;
  isStreaming: boolean;
  isCompacting: boolean;
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  interruptMode: InterruptMode;
  sessionFile?: string;
  sessionId: string;
  sessionName?: string;
  autoCompactionEnabled: boolean;
  messageCount: number;
  queuedMessageCount: number;
  pendingMessageCount: number;
  isSettled: boolean;
}
export interface Model {
  id: string;
  name: string;
  api: string;
  provider: string;
  baseUrl: string;
  reasoning: boolean;
  thinking?: ModelThinking;
  input: ("text" | "image")[];
  cost: ModelCost;
  contextWindow: number;
  maxTokens: number;
  headers?: {
    [k: string]: string;
  };
  compat?: {};
  premiumMultiplier?: number;
  priority?: number;
  contextPromotionTarget?: string;
}
export interface ModelThinking {
  mode: "effort" | "budget" | "google-level" | "anthropic-adaptive" | "anthropic-budget-effort";
  minLevel: ThinkingLevel;
  maxLevel: ThinkingLevel;
}
export interface ModelCost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}
export interface SetModelResponse {
  type: "response";
  id?: unknown;
  command: "set_model";
  success: true;
  data: Model;
}
export interface CycleModelResponse {
  type: "response";
  id?: unknown;
  command: "cycle_model";
  success: true;
  data: CycledModel | null;
}
export interface CycledModel {
  model: Model;
  thinkingLevel?: ThinkingLevel;
  isScoped: boolean;
}
export interface GetAvailableModelsResponse {
  type: "response";
  id?: unknown;
  command: "get_available_models";
  success: true;
  data: AvailableModels;
}
export interface AvailableModels {
  models: Model[];
}
export interface CycleThinkingLevelResponse {
  type: "response";
  id?: unknown;
  command: "cycle_thinking_level";
  success: true;
  data: CycledThinkingLevel | null;
}
export interface CycledThinkingLevel {
  level: ThinkingLevel;
}
export interface CompactResponse {
  type: "response";
  id?: unknown;
  command: "compact";
  success: true;
  data: CompactionResult;
}
export interface CompactionResult {
  summary: string;
  shortSummary?: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  details: CompactionDetails;
  preserveData: {};
}
export interface CompactionDetails {
  readFiles: string[];
  modifiedFiles: string[];
}
export interface BashResponse {
  type: "response";
  id?: unknown;
  command: "bash";
  success: true;
  data: BashResult;
}
export interface BashResult {
  output: string;
  exitCode?: number;
  cancelled: boolean;
  truncated: boolean;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  artifactId?: string;
}
export interface GetSessionStatsResponse {
  type: "response";
  id?: unknown;
  command: "get_session_stats";
  success: true;
  data: SessionStats;
}
export interface SessionStats {
  sessionFile?: string;
  sessionId: string;
  userMessages: number;
  assistantMessages: number;
  toolCalls: number;
  toolResults: number;
  totalMessages: number;
  tokens: StatsTokens;
  cost: number;
  premiumRequests: number;
}
export interface StatsTokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  total: number;
}
export interface ExportHTMLResponse {
  type: "response";
  id?: unknown;
  command: "export_html";
  success: true;
  data: ExportedHTML;
}
export interface ExportedHTML {
  path: string;
}
export interface SwitchSessionResponse {
  type: "response";
  id?: unknown;
  command: "switch_session";
  success: true;
  data: Cancelled;
}
export interface BranchResponse {
  type: "response";
  id?: unknown;
  command: "branch";
  success: true;
  data: Branched;
}
export interface Branched {
  text: string;
  cancelled: boolean;
}
export interface GetBranchMessagesResponse {
  type: "response";
  id?: unknown;
  command: "get_branch_messages";
  success: true;
  data: BranchMessages;
}
export interface BranchMessages {
  messages: BranchMessage[];
}
export interface BranchMessage {
  entryId: string;
  text: string;
}
export interface GetLastAssistantTextResponse {
  type: "response";
  id?: unknown;
  command: "get_last_assistant_text";
  success: true;
  data: LastAssistantText;
}
export interface LastAssistantText {
  text: string | null;
}
export interface GetMessagesResponse {
  type: "response";
  id?: unknown;
  command: "get_messages";
  success: true;
  data: Messages;
}
export interface Messages {
  messages: Message[];
}
export interface UserMessage {
  role: "user" | "developer";
  content: string | (TextContent | ImageContent)[];
  attribution?: "user" | "agent";
  synthetic?: boolean;
  timestamp: number;
}
export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | RedactedThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  model: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  timestamp: number;
  duration?: number;
  ttft?: number;
}
export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  thinkingSignature?: string;
}
export interface RedactedThinkingContent {
  type: "redactedThinking";
  data: string;
}
export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: {};
  intent?: string;
}
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  cost: Cost;
}
export interface Cost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  total: number;
}
export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  details?: unknown;
  isError: boolean;
  timestamp: number;
}
export interface BashExecutionMessage {
  role: "bashExecution";
  command: string;
  output: string;
  exitCode?: number;
  cancelled: boolean;
  truncated: boolean;
  excludeFromContext?: boolean;
  timestamp: number;
}
export interface CustomMessage {
  role: "custom";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  display: boolean;
  details?: unknown;
  attribution?: "user" | "agent";
  timestamp: number;
}
export interface FileMentionMessage {
  role: "fileMention";
  files: MentionedFile[];
  timestamp: number;
}
export interface MentionedFile {
  path: string;
  content: string;
  lineCount?: number;
  byteSize?: number;
  skippedReason?: string;
  image?: ImageContent;
}
export interface BranchSummaryMessage {
  role: "branchSummary";
  summary: string;
  fromId: string;
  timestamp: number;
}
export interface CompactionSummaryMessage {
  role: "compactionSummary";
  summary: string;
  shortSummary?: string;
  tokensBefore: number;
  timestamp: number;
}
export interface ForkResponse {
  type: "response";
  id?: unknown;
  command: "fork";
  success: true;
  data: Branched;
}
export interface GetForkMessagesResponse {
  type: "response";
  id?: unknown;
  command: "get_fork_messages";
  success: true;
  data: BranchMessages;
}
export interface CloneResponse {
  type: "response";
  id?: unknown;
  command: "clone";
  success: true;
  data: Cancelled;
}
export interface GetCommandsResponse {
  type: "response";
  id?: unknown;
  command: "get_commands";
  success: true;
  data: Commands;
}
export interface Commands {
  commands: SlashCommand[];
}
export interface SlashCommand {
  name: string;
  description?: string;
  source: "extension" | "prompt" | "skill";
}
export interface ClearQueueResponse {
  type: "response";
  id?: unknown;
  command: "clear_queue";
  success: true;
  data: ClearedQueue;
}
export interface ClearedQueue {
  steering: string[];
  followUp: string[];
}
export interface GetAvailableThinkingLevelsResponse {
  type: "response";
  id?: unknown;
  command: "get_available_thinking_levels";
  success: true;
  data: ThinkingLevels;
}
export interface ThinkingLevels {
  levels: string[];
}
export interface GetEntriesResponse {
  type: "response";
  id?: unknown;
  command: "get_entries";
  success: true;
  data: Entries;
}
export interface Entries {
  entries: unknown[];
  leafId: string | null;
}
export interface GetTreeResponse {
  type: "response";
  id?: unknown;
  command: "get_tree";
  success: true;
  data: Tree;
}
export interface Tree {
  tree: TreeNode[];
  leafId: string | null;
}
export interface TreeNode {
  entry: unknown;
  children: TreeNode[];
  label?: string;
  labelTimestamp?: string;
}
export interface GetAvailableCommandsResponse {
  type: "response";
  id?: unknown;
  command: "get_available_commands";
  success: true;
  data: Commands;
}
export interface SetEventFilterResponse {
  type: "response";
  id?: unknown;
  command: "set_event_filter";
  success: true;
  data: EventFilter;
}
export interface EventFilter {
  events: string[] | null;
}
export interface SetSubagentSubscriptionResponse {
  type: "response";
  id?: unknown;
  command: "set_subagent_subscription";
  success: true;
  data: SubagentSubscription;
}
export interface SubagentSubscription {
  level: "off" | "progress" | "events";
}
export interface GetSubagentsResponse {
  type: "response";
  id?: unknown;
  command: "get_subagents";
  success: true;
  data: Subagents;
}
export interface Subagents {
  subagents: Subagent[];
}
export interface Subagent {
  id: string;
  index: number;
  agent: string;
  agentSource: "bundled" | "user" | "project";
  description?: string;
  status: "pending" | "running" | "completed" | "failed" | "aborted";
  task?: string;
  assignment?: string;
  lastUpdate: number;
  parentToolCallId?: string;
}
export interface OpenSessionResponse {
  type: "response";
  id?: unknown;
  command: "open_session";
  success: true;
  data: OpenedSession;
}
export interface OpenedSession {
  cancelled: boolean;
  resumed: boolean;
  sessionId: string;
  sessionFile?: string;
}
export interface SetHostToolsResponse {
  type: "response";
  id?: unknown;
  command: "set_host_tools";
  success: true;
  data: HostTools;
}
export interface HostTools {
  toolNames: string[];
}
export interface SetTodosResponse {
  type: "response";
  id?: unknown;
  command: "set_todos";
  success: true;
  data: TodoPhases;
}
export interface TodoPhases {
  todoPhases: TodoPhase[];
}
export interface GetMessagesPageResponse {
  type: "response";
  id?: unknown;
  command: "get_messages_page";
  success: true;
  data: MessagesPage;
}
export interface MessagesPage {
  messages: Message[];
  nextCursor?: string;
  totalMessages: number;
}
export interface Done {
  type: "response";
  id?: unknown;
  command:
    | "abort"
    | "abort_and_prompt"
    | "set_thinking_level"
    | "set_steering_mode"
    | "set_follow_up_mode"
    | "set_interrupt_mode"
    | "set_auto_compaction"
    | "set_auto_retry"
    | "abort_retry"
    | "abort_bash"
    | "set_session_name";
  success: true;
}
export interface Failure {
  type: "response";
  id?: unknown;
  command?: string;
  success: false;
  error: string;
  code?: "session_busy" | "stale_cursor";
}
export interface Ready {
  type: "ready";
}
export interface AgentStart {
  type: "agent_start";
}
export interface AgentEnd {
  type: "agent_end";
  messages: Message[];
  sessionId: string;
  sessionFile?: string;
}
export interface TurnStart {
  type: "turn_start";
  turnIndex: number;
  timestamp: number;
}
export interface TurnEnd {
  type: "turn_end";
  turnIndex: number;
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
}
export interface MessageStart {
  type: "message_start";
  message: Message;
}
export interface MessageUpdate {
  type: "message_update";
  assistantMessageEvent: AssistantMessageEvent;
  message: AssistantMessage;
}
export interface BlockStart {
  type: "text_start" | "thinking_start" | "toolcall_start";
  contentIndex: number;
  partial: AssistantMessage;
}
export interface BlockDelta {
  type: "text_delta" | "thinking_delta" | "toolcall_delta";
  contentIndex: number;
  delta: string;
  partial: AssistantMessage;
}
export interface BlockEnd {
  type: "text_end" | "thinking_end";
  contentIndex: number;
  content: string;
  partial: AssistantMessage;
}
export interface ToolCallEnd {
  type: "toolcall_end";
  contentIndex: number;
  toolCall: ToolCall;
  partial: AssistantMessage;
}
export interface MessageEnd {
  type: "message_end";
  message: Message;
}
export interface ToolExecutionStart {
  type: "tool_execution_start";
  toolCallId: string;
  toolName: string;
  args: {};
  intent?: string;
}
export interface ToolExecutionUpdate {
  type: "tool_execution_update";
  toolCallId: string;
  toolName: string;
  args: {};
  partialResult: ToolResult;
}
export interface ToolResult {
  content: (TextContent | ImageContent)[];
  details?: unknown;
}
export interface ToolExecutionEnd {
  type: "tool_execution_end";
  toolCallId: string;
  toolName: string;
  result: ToolResult;
  isError: boolean;
}
export interface AutoCompactionStart {
  type: "auto_compaction_start";
  reason: CompactionReason;
  action: "context-full" | "handoff";
}
export interface AutoCompactionEnd {
  type: "auto_compaction_end";
  action: "context-full" | "handoff";
  result?: CompactionResult;
  aborted: boolean;
  willRetry: boolean;
  errorMessage?: string;
  skipped?: boolean;
}
export interface AutoRetryStart {
  type: "auto_retry_start";
  attempt: number;
  maxAttempts: number;
  delayMs: number;
  errorMessage: string;
}
export interface AutoRetryEnd {
  type: "auto_retry_end";
  success: boolean;
  attempt: number;
  finalError?: string;
}
export interface RetryFallbackApplied {
  type: "retry_fallback_applied";
  from: string;
  to: string;
  role: string;
}
export interface RetryFallbackSucceeded {
  type: "retry_fallback_succeeded";
  model: string;
  role: string;
}
export interface TTSRTriggered {
  type: "ttsr_triggered";
  rules: Rule[];
}
export interface Rule {
  name: string;
  path: string;
  content: string;
  alwaysApply: boolean;
  description?: string;
  globs?: string[];
  condition: string[];
  scope?: string[];
  interruptMode?: string;
  _source: RuleSource;
}
export interface RuleSource {
  providerName: string;
  path: string;
  level: "project" | "user";
}
export interface TodoReminder {
  type: "todo_reminder";
  todos: Todo[];
  attempt: number;
  maxAttempts: number;
}
export interface Todo {
  id: string;
  content: string;
  status: "pending" | "in_progress" | "completed" | "abandoned";
}
export interface TodoAutoClear {
  type: "todo_auto_clear";
}
export interface ExtensionError {
  type: "extension_error";
  extensionPath: string;
  event: string;
  error: string;
}
export interface SubagentStart {
  type: "subagent_start";
  id: string;
  agent: string;
  isolated: boolean;
}
export interface SubagentEnd {
  type: "subagent_end";
  id: string;
  agent: string;
  exitCode: number;
  verification?: VerificationResult;
}
export interface VerificationResult {
  requested: boolean;
  profile?: string;
  mode?: "none" | "command";
  status: VerificationStatus;
  attempts: VerificationAttempt[];
  retriesUsed: number;
  onFailure?: "return_failure" | "retry_once" | "discard_patch";
}
export interface VerificationAttempt {
  attempt: number;
  status: VerificationStatus;
  startedAt: number;
  endedAt: number;
  commandResults: VerificationCommandResult[];
  error?: string;
}
export interface VerificationCommandResult {
  name: string;
  command: string;
  exitCode: number;
  durationMs: number;
  optional?: boolean;
  timedOut: boolean;
  artifactPath?: string;
  outputPreview?: string;
}
export interface SubagentVerificationStart {
  type: "subagent_verification_start";
  id: string;
  attempt: number;
  profile?: string;
}
export interface SubagentVerificationCommandStart {
  type: "subagent_verification_command_start";
  id: string;
  attempt: number;
  commandName: string;
}
export interface SubagentVerificationCommandEnd {
  type: "subagent_verification_command_end";
  id: string;
  attempt: number;
  commandName: string;
  exitCode: number;
  durationMs: number;
  artifactId?: string;
}
export interface SubagentVerificationEnd {
  type: "subagent_verification_end";
  id: string;
  attempt: number;
  status: VerificationStatus;
}
export interface BudgetWarning {
  type: "budget_warning";
  scope: "session" | "task" | "subagent";
  snapshot: BudgetSnapshot;
}
export interface BudgetSnapshot {
  status: "ok" | "warning" | "exceeded";
  wallTimeMs: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  costUsd: number;
  toolCalls: number;
  subagents: number;
  reason?: "wall_time" | "input_tokens" | "output_tokens" | "total_tokens" | "cost" | "tool_calls" | "subagents";
}
export interface BudgetExceeded {
  type: "budget_exceeded";
  scope: "session" | "task" | "subagent";
  snapshot: BudgetSnapshot;
}
export interface PromptResult {
  type: "prompt_result";
  id?: unknown;
  agentInvoked: boolean;
  status: "completed" | "aborted" | "error";
  error?: PromptError;
  sessionSettled: boolean;
}
export interface PromptError {
  message: string;
  provider?: string;
  httpStatus?: number;
  retryable: boolean;
}
export interface AgentSettled {
  type: "agent_settled";
  aborted: boolean;
}
export interface SessionSettled {
  type: "session_settled";
}
export interface HostToolCall {
  type: "host_tool_call";
  id: string;
  toolCallId: string;
  toolName: string;
  arguments: {};
}
export interface HostToolCancel {
  type: "host_tool_cancel";
  id: string;
  targetId: string;
}
export interface UISelect {
  type: "extension_ui_request";
  method: "select";
  id: string;
  title: string;
  options: string[];
  timeout?: number;
}
export interface UIConfirm {
  type: "extension_ui_request";
  method: "confirm";
  id: string;
  title: string;
  message: string;
  timeout?: number;
}
export interface UIInput {
  type: "extension_ui_request";
  method: "input";
  id: string;
  title: string;
  placeholder?: string;
  timeout?: number;
}
export interface UIEditor {
  type: "extension_ui_request";
  method: "editor";
  id: string;
  title: string;
  prefill?: string;
  promptStyle?: boolean;
}
export interface UICancel {
  type: "extension_ui_request";
  method: "cancel";
  id: string;
  targetId: string;
}
export interface UINotify {
  type: "extension_ui_request";
  method: "notify";
  id: string;
  message: string;
  notifyType?: "info" | "warning" | "error";
}
export interface UISetStatus {
  type: "extension_ui_request";
  method: "setStatus";
  id: string;
  statusKey: string;
  statusText?: string;
}
export interface UISetWidget {
  type: "extension_ui_request";
  method: "setWidget";
  id: string;
  widgetKey: string;
  widgetLines?: string[];
  widgetPlacement?: "aboveEditor" | "belowEditor";
}
export interface UISetTitle {
  type: "extension_ui_request";
  method: "setTitle";
  id: string;
  title: string;
}
export interface UISetEditorText {
  type: "extension_ui_request";
  method: "set_editor_text";
  id: string;
  text: string;
}
