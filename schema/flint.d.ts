// Written by 'make schema' from flint.schema.json; not by hand.

/**
 * A line of the Flint Agent Harness Protocol.
 */
export type Message = Inbound | Outbound;
export type Inbound = ClientRequest | ClientNotification | ClientResult | Failure;
export type ClientRequest =
  | InitializeLine
  | ThreadStartLine
  | ThreadResumeLine
  | ThreadListLine
  | ThreadArchiveLine
  | TurnStartLine
  | TurnInterruptLine
  | ModelListLine
  | ConfigListLine
  | ConfigSetLine
  | ConfigReadLine;
export type RequestId = string | number;
export type AcceptedApprovalPolicy = "never" | "on-request" | "unlessTrusted" | "always" | "on-failure" | "untrusted";
export type AcceptedSandboxPolicy =
  | SandboxPolicy
  | (
      | "danger-full-access"
      | "dangerFullAccess"
      | "external-sandbox"
      | "externalSandbox"
      | "read-only"
      | "readOnly"
      | "workspace-write"
      | "workspaceWrite"
    );
export type SandboxPolicy =
  | {
      type: "dangerFullAccess";
    }
  | {
      type: "readOnly";
    }
  | {
      type: "workspaceWrite";
      writableRoots?: string[];
      networkAccess?: boolean;
    }
  | {
      type: "externalSandbox";
      networkAccess?: "restricted" | "enabled";
    };
export type UserInput = TextInput | ImageInput | LocalImageInput;
export type ClientNotification = InitializedLine;
export type Outbound = AgentRequest | AgentNotification | ExtensionNotification | AgentResult | Failure;
export type AgentRequest = ItemCommandExecutionRequestApprovalLine | ItemFileChangeRequestApprovalLine;
export type AgentNotification =
  | ThreadStartedLine
  | TurnStartedLine
  | TurnCompletedLine
  | TurnPlanUpdatedLine
  | ThreadTokenUsageUpdatedLine
  | ItemStartedLine
  | ItemCompletedLine
  | ItemAgentMessageDeltaLine
  | ItemReasoningTextDeltaLine
  | ItemReasoningSummaryTextDeltaLine
  | ItemCommandExecutionOutputDeltaLine
  | ItemFileChangeOutputDeltaLine
  | ItemPlanDeltaLine
  | ErrorLine;
export type TurnStatus = "inProgress" | "completed" | "interrupted" | "failed";
/**
 * The union is open.
 */
export type ThreadItem = KnownItem | KnownItemSDK | OtherItem;
/**
 * The items of the document, and ours.
 */
export type KnownItem =
  | UserMessageItem
  | AgentMessageItem
  | ReasoningItem
  | CommandExecutionItem
  | FileChangeItem
  | McpToolCallItem
  | WebSearchItem
  | PlanItem
  | DynamicToolCallItem
  | ContextCompactionItem;
export type CommandExecutionStatus = "inProgress" | "completed" | "failed" | "declined";
export type FileChangeStatus = "inProgress" | "completed" | "failed" | "declined";
/**
 * The items that have another form with --shapes sdk.
 */
export type KnownItemSDK = ReasoningItemSDK | FileChangeItemSDK | McpToolCallItemSDK;
export type ApprovalPolicy = "never" | "on-request" | "unlessTrusted" | "always";

export interface InitializeLine {
  id: RequestId;
  method: "initialize";
  params: InitializeParams;
}
export interface InitializeParams {
  clientInfo: ClientInfo;
  capabilities?: ClientCapabilities;
  _meta?: unknown;
}
export interface ClientInfo {
  name: string;
  title?: string;
  version: string;
  _meta?: unknown;
}
export interface ClientCapabilities {
  experimentalApi?: boolean;
  optOutNotificationMethods?: string[];
  _meta?: unknown;
}
export interface ThreadStartLine {
  id: RequestId;
  method: "thread/start";
  params?: ThreadStartParams;
}
export interface ThreadStartParams {
  model?: string;
  cwd?: string;
  approvalPolicy?: AcceptedApprovalPolicy;
  sandbox?: AcceptedSandboxPolicy;
  systemPrompt?: string;
  systemPromptAppend?: string;
  mcpServers?: {
    [k: string]: McpServer;
  };
  config?: {
    [k: string]: unknown;
  };
  sandboxPolicy?: AcceptedSandboxPolicy;
  baseInstructions?: string;
  developerInstructions?: string;
  _meta?: unknown;
}
export interface McpServer {
  type?: "stdio" | "http" | "streamable_http";
  command?: string;
  args?: string[];
  env?: {
    [k: string]: string;
  };
  cwd?: string;
  url?: string;
  headers?: {
    [k: string]: string;
  };
  http_headers?: {
    [k: string]: string;
  };
  _meta?: unknown;
}
export interface ThreadResumeLine {
  id: RequestId;
  method: "thread/resume";
  params: ThreadResumeParams;
}
export interface ThreadResumeParams {
  threadId: string;
  model?: string;
  cwd?: string;
  approvalPolicy?: AcceptedApprovalPolicy;
  sandbox?: AcceptedSandboxPolicy;
  systemPrompt?: string;
  systemPromptAppend?: string;
  mcpServers?: {
    [k: string]: McpServer;
  };
  config?: {
    [k: string]: unknown;
  };
  excludeTurns?: boolean;
  sandboxPolicy?: AcceptedSandboxPolicy;
  baseInstructions?: string;
  developerInstructions?: string;
  _meta?: unknown;
}
export interface ThreadListLine {
  id: RequestId;
  method: "thread/list";
  params?: ThreadListParams;
}
export interface ThreadListParams {
  cursor?: string;
  limit?: number;
  archived?: boolean;
  _meta?: unknown;
}
export interface ThreadArchiveLine {
  id: RequestId;
  method: "thread/archive";
  params: ThreadArchiveParams;
}
export interface ThreadArchiveParams {
  threadId: string;
  _meta?: unknown;
}
export interface TurnStartLine {
  id: RequestId;
  method: "turn/start";
  params: TurnStartParams;
}
export interface TurnStartParams {
  threadId: string;
  /**
   * @minItems 1
   */
  input: [UserInput, ...UserInput[]];
  model?: string;
  cwd?: string;
  approvalPolicy?: AcceptedApprovalPolicy;
  sandboxPolicy?: AcceptedSandboxPolicy;
  config?: {
    [k: string]: string;
  };
  sandbox?: AcceptedSandboxPolicy;
  _meta?: unknown;
}
export interface TextInput {
  type: "text";
  text: string;
  _meta?: unknown;
}
export interface ImageInput {
  type: "image";
  url: string;
  _meta?: unknown;
}
export interface LocalImageInput {
  type: "localImage";
  path: string;
  _meta?: unknown;
}
export interface TurnInterruptLine {
  id: RequestId;
  method: "turn/interrupt";
  params: TurnInterruptParams;
}
export interface TurnInterruptParams {
  threadId: string;
  turnId: string;
  _meta?: unknown;
}
export interface ModelListLine {
  id: RequestId;
  method: "model/list";
  params?: ModelListParams;
}
export interface ModelListParams {
  limit?: number;
  _meta?: unknown;
}
export interface ConfigListLine {
  id: RequestId;
  method: "config/list";
  params?: ConfigListParams;
}
export interface ConfigListParams {
  _meta?: unknown;
}
export interface ConfigSetLine {
  id: RequestId;
  method: "config/set";
  params: ConfigSetParams;
}
export interface ConfigSetParams {
  id: string;
  value: string;
  _meta?: unknown;
}
export interface ConfigReadLine {
  id: RequestId;
  method: "config/read";
  params?: ConfigReadParams;
}
export interface ConfigReadParams {
  _meta?: unknown;
}
export interface InitializedLine {
  method: "initialized";
  params?: InitializedParams;
}
export interface InitializedParams {
  _meta?: unknown;
}
export interface ClientResult {
  id: RequestId;
  result: CommandExecutionApprovalResponse | FileChangeApprovalResponse;
}
export interface CommandExecutionApprovalResponse {
  decision: "accept" | "acceptForSession" | "decline" | "cancel";
  _meta?: unknown;
}
export interface FileChangeApprovalResponse {
  decision: "accept" | "acceptForSession" | "decline" | "cancel";
  _meta?: unknown;
}
export interface Failure {
  id: RequestId | null;
  error: JsonRpcError;
}
export interface JsonRpcError {
  code: number;
  message: string;
  data?: unknown;
}
export interface ItemCommandExecutionRequestApprovalLine {
  id: RequestId;
  method: "item/commandExecution/requestApproval";
  params: CommandExecutionRequestApproval;
}
export interface CommandExecutionRequestApproval {
  threadId: string;
  turnId: string;
  itemId: string;
  command: string;
  cwd: string;
  reason?: string;
  _meta?: unknown;
}
export interface ItemFileChangeRequestApprovalLine {
  id: RequestId;
  method: "item/fileChange/requestApproval";
  params: FileChangeRequestApproval | FileChangeRequestApprovalSDK;
}
export interface FileChangeRequestApproval {
  threadId: string;
  turnId: string;
  itemId: string;
  changes: FileUpdateChange[];
  reason?: string;
  _meta?: unknown;
}
export interface FileUpdateChange {
  path: string;
  kind: "add" | "modify" | "delete";
  diff: string;
  movePath?: string;
  _meta?: unknown;
}
export interface FileChangeRequestApprovalSDK {
  threadId: string;
  turnId: string;
  itemId: string;
  changes: FileUpdateChangeSDK[];
  reason?: string;
  _meta?: unknown;
}
export interface FileUpdateChangeSDK {
  path: string;
  kind: ChangeKindSDK;
  diff: string;
  _meta?: unknown;
}
export interface ChangeKindSDK {
  type: "add" | "delete" | "update";
  movePath?: string;
  _meta?: unknown;
}
export interface ThreadStartedLine {
  method: "thread/started";
  params: ThreadStartedNotification;
}
export interface ThreadStartedNotification {
  thread: Thread;
  _meta?: unknown;
}
export interface Thread {
  id: string;
  preview: string;
  modelProvider: string;
  createdAt: number;
  model: string;
  cwd: string;
  updatedAt: number;
  cliVersion: string;
  source: "appServer";
  turns: Turn[];
  _meta?: unknown;
}
export interface Turn {
  id: string;
  status: TurnStatus;
  items: ThreadItem[];
  error?: TurnError;
  _meta?: unknown;
}
export interface UserMessageItem {
  type: "userMessage";
  id: string;
  content: UserInput[];
  _meta?: unknown;
}
export interface AgentMessageItem {
  type: "agentMessage";
  id: string;
  text: string;
  _meta?: unknown;
}
export interface ReasoningItem {
  type: "reasoning";
  id: string;
  summary?: string;
  content?: string;
  _meta?: unknown;
}
export interface CommandExecutionItem {
  type: "commandExecution";
  id: string;
  command: string;
  cwd: string;
  status: CommandExecutionStatus;
  exitCode?: number;
  aggregatedOutput?: string;
  durationMs?: number;
  _meta?: unknown;
}
export interface FileChangeItem {
  type: "fileChange";
  id: string;
  changes: FileUpdateChange[];
  status: FileChangeStatus;
  _meta?: unknown;
}
export interface McpToolCallItem {
  type: "mcpToolCall";
  id: string;
  server: string;
  tool: string;
  arguments?: {
    [k: string]: unknown;
  };
  status: "inProgress" | "completed" | "failed";
  result?: unknown;
  error?: string;
  durationMs?: number;
  _meta?: unknown;
}
export interface WebSearchItem {
  type: "webSearch";
  id: string;
  query: string;
  action?: {
    type: "search" | "openPage" | "findInPage" | "other";
  };
  _meta?: unknown;
}
export interface PlanItem {
  type: "plan";
  id: string;
  text: string;
  entries?: PlanEntry[];
  _meta?: unknown;
}
export interface PlanEntry {
  step: string;
  status: "pending" | "inProgress" | "completed" | "failed";
  _meta?: unknown;
}
export interface DynamicToolCallItem {
  type: "dynamicToolCall";
  id: string;
  tool: string;
  arguments: {
    [k: string]: unknown;
  };
  status: "inProgress" | "completed" | "failed";
  success?: boolean;
  text: string;
  contentItems?: ContentItem[];
  error?: string;
  durationMs?: number;
  _meta?: unknown;
}
export interface ContentItem {
  type: "inputText";
  text: string;
  _meta?: unknown;
}
export interface ContextCompactionItem {
  type: "contextCompaction";
  id: string;
  text: string;
  _meta?: unknown;
}
export interface ReasoningItemSDK {
  type: "reasoning";
  id: string;
  summary?: string[];
  content?: string[];
  _meta?: unknown;
}
export interface FileChangeItemSDK {
  type: "fileChange";
  id: string;
  changes: FileUpdateChangeSDK[];
  status: FileChangeStatus;
  _meta?: unknown;
}
export interface McpToolCallItemSDK {
  type: "mcpToolCall";
  id: string;
  server: string;
  tool: string;
  arguments?: {
    [k: string]: unknown;
  };
  status: "inProgress" | "completed" | "failed";
  result?: {
    content: unknown[];
  };
  error?: McpToolCallError;
  durationMs?: number;
  _meta?: unknown;
}
export interface McpToolCallError {
  message: string;
  _meta?: unknown;
}
export interface OtherItem {
  type: string;
  id: string;
  text?: string;
}
export interface TurnError {
  message: string;
  errorInfo?: string;
  httpStatusCode?: number;
  _meta?: unknown;
}
export interface TurnStartedLine {
  method: "turn/started";
  params: TurnStartedNotification;
}
export interface TurnStartedNotification {
  threadId: string;
  turn: Turn;
  _meta?: unknown;
}
export interface TurnCompletedLine {
  method: "turn/completed";
  params: TurnCompletedNotification;
}
export interface TurnCompletedNotification {
  threadId: string;
  turn: Turn;
  _meta?: unknown;
}
export interface TurnPlanUpdatedLine {
  method: "turn/plan/updated";
  params: TurnPlanUpdated;
}
export interface TurnPlanUpdated {
  threadId: string;
  turnId: string;
  explanation: string;
  plan: PlanEntry[];
  _meta?: unknown;
}
export interface ThreadTokenUsageUpdatedLine {
  method: "thread/tokenUsage/updated";
  params: TokenUsageUpdated;
}
export interface TokenUsageUpdated {
  threadId: string;
  turnId: string;
  usage: TokenUsage;
  _meta?: UsageMeta;
}
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens?: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  _meta?: unknown;
}
export interface UsageMeta {
  last: TokenUsage;
  thread: TokenUsage;
  contextWindow?: number;
  _meta?: unknown;
}
export interface ItemStartedLine {
  method: "item/started";
  params: ItemStartedNotification;
}
export interface ItemStartedNotification {
  threadId: string;
  turnId: string;
  item: ThreadItem;
  _meta?: unknown;
}
export interface ItemCompletedLine {
  method: "item/completed";
  params: ItemCompletedNotification;
}
export interface ItemCompletedNotification {
  threadId: string;
  turnId: string;
  item: ThreadItem;
  _meta?: unknown;
}
export interface ItemAgentMessageDeltaLine {
  method: "item/agentMessage/delta";
  params: AgentMessageDelta;
}
export interface AgentMessageDelta {
  threadId: string;
  turnId: string;
  itemId: string;
  delta: string;
  _meta?: unknown;
}
export interface ItemReasoningTextDeltaLine {
  method: "item/reasoning/textDelta";
  params: ReasoningTextDelta;
}
export interface ReasoningTextDelta {
  threadId: string;
  turnId: string;
  itemId: string;
  delta: string;
  contentIndex: number;
  _meta?: unknown;
}
export interface ItemReasoningSummaryTextDeltaLine {
  method: "item/reasoning/summaryTextDelta";
  params: ReasoningSummaryTextDelta;
}
export interface ReasoningSummaryTextDelta {
  threadId: string;
  turnId: string;
  itemId: string;
  delta: string;
  summaryIndex: number;
  _meta?: unknown;
}
export interface ItemCommandExecutionOutputDeltaLine {
  method: "item/commandExecution/outputDelta";
  params: CommandExecutionOutputDelta;
}
export interface CommandExecutionOutputDelta {
  threadId: string;
  turnId: string;
  itemId: string;
  delta: string;
  _meta?: unknown;
}
export interface ItemFileChangeOutputDeltaLine {
  method: "item/fileChange/outputDelta";
  params: FileChangeOutputDelta;
}
export interface FileChangeOutputDelta {
  threadId: string;
  turnId: string;
  itemId: string;
  delta: string;
  _meta?: unknown;
}
export interface ItemPlanDeltaLine {
  method: "item/plan/delta";
  params: PlanDelta;
}
export interface PlanDelta {
  threadId: string;
  turnId: string;
  itemId: string;
  delta: string;
  _meta?: unknown;
}
export interface ErrorLine {
  method: "error";
  params: ErrorNotification;
}
export interface ErrorNotification {
  error: TurnError;
  willRetry: boolean;
  threadId: string;
  turnId: string;
  _meta?: unknown;
}
export interface ExtensionNotification {
  method: string;
  params?:
    | {
        [k: string]: unknown;
      }
    | Warning
    | McpServerStatus
    | McpToolProgress;
}
export interface Warning {
  threadId?: string;
  message: string;
  _meta?: unknown;
}
export interface McpServerStatus {
  threadId?: string;
  name: string;
  status: "starting" | "ready" | "failed";
  error?: string;
  _meta?: unknown;
}
export interface McpToolProgress {
  threadId: string;
  turnId: string;
  itemId: string;
  done: number;
  total?: number;
  message?: string;
  _meta?: unknown;
}
export interface AgentResult {
  id: RequestId;
  result:
    | InitializeResult
    | ThreadStartResult
    | ThreadResumeResult
    | ThreadListResult
    | Empty
    | TurnStartResult
    | ModelListResult
    | ConfigListResult
    | ConfigSetResult
    | ConfigReadResult;
}
export interface InitializeResult {
  agentInfo: AgentInfo;
  capabilities: AgentCapabilities;
  _meta?: unknown;
}
export interface AgentInfo {
  name: string;
  version: string;
  provider: string;
  _meta?: unknown;
}
export interface AgentCapabilities {
  streaming: boolean;
  configOptions: boolean;
  reasoning: boolean;
  plans: boolean;
  review: boolean;
  _meta?: unknown;
}
export interface ThreadStartResult {
  thread: Thread;
  modelProvider: string;
  model: string;
  cwd: string;
  _meta?: unknown;
}
export interface ThreadResumeResult {
  thread: Thread;
  model: string;
  cwd: string;
  _meta?: unknown;
}
export interface ThreadListResult {
  data: Thread[];
  nextCursor?: string;
  _meta?: unknown;
}
export interface Empty {
  _meta?: unknown;
}
export interface TurnStartResult {
  turn: Turn;
  _meta?: unknown;
}
export interface ModelListResult {
  data: Model[];
  _meta?: unknown;
}
export interface Model {
  id: string;
  displayName: string;
  description?: string;
  isDefault: boolean;
  meta?: ModelMeta;
  _meta?: unknown;
}
export interface ModelMeta {
  provider: string;
  contextWindow?: number;
  reasoning: boolean;
  vision: boolean;
  _meta?: unknown;
}
export interface ConfigListResult {
  options: ConfigOption[];
  _meta?: unknown;
}
export interface ConfigOption {
  type: "select";
  id: string;
  name: string;
  description?: string;
  group?: string;
  /**
   * @minItems 1
   */
  options: [ConfigSelectOption, ...ConfigSelectOption[]];
  value: string;
  modelIds?: string[];
  _meta?: unknown;
}
export interface ConfigSelectOption {
  id: string;
  name: string;
  description?: string;
  _meta?: unknown;
}
export interface ConfigSetResult {
  options: ConfigOption[];
  _meta?: unknown;
}
export interface ConfigReadResult {
  model: string;
  cwd: string;
  approvalPolicy: ApprovalPolicy;
  sandboxPolicy: SandboxPolicy;
  options: ConfigOption[];
  modelProvider: string;
  _meta?: unknown;
}
