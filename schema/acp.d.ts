// Written by 'make schema' from acp.schema.json; not by hand.

/**
 * A line of the Agent Client Protocol, as Parley speaks it.
 */
export type Line = Inbound | Outbound;
/**
 * What a client sends.
 */
export type Inbound = ClientRequest | ClientNotification | ClientResult | Failure;
export type ClientRequest =
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "initialize";
      params: InitializeParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "authenticate";
      params: AuthenticateParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "logout";
      params: LogoutParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/new";
      params: NewSessionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/load";
      params: LoadSessionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/resume";
      params: ResumeSessionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/list";
      params: ListSessionsParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/close";
      params: SessionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/delete";
      params: SessionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/fork";
      params: ForkSessionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/set_title";
      params: SetTitleParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/archive";
      params: SessionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/unarchive";
      params: SessionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/status";
      params: SessionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/set_mode";
      params: SetModeParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/set_config_option";
      params: SetConfigOptionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/prompt";
      params: PromptParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "_session/steering";
      params: SteerParams;
    };
export type RequestId = string | number | null;
export type ClientNotification =
  | {
      jsonrpc: "2.0";
      method: "session/cancel";
      params: CancelParams;
    }
  | {
      jsonrpc: "2.0";
      method: "$/cancel_request";
      params: CancelRequestParams;
    };
/**
 * What a client receives.
 */
export type Outbound = AgentRequest | AgentNotification | AgentResult | Failure;
export type AgentRequest =
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "session/request_permission";
      params: PermissionParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "fs/read_text_file";
      params: ReadTextFileParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "fs/write_text_file";
      params: WriteTextFileParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "terminal/create";
      params: CreateTerminalParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "terminal/output";
      params: TerminalParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "terminal/wait_for_exit";
      params: TerminalParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "terminal/kill";
      params: TerminalParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "terminal/release";
      params: TerminalParams;
    }
  | {
      jsonrpc: "2.0";
      id: RequestId;
      method: "elicitation/create";
      params: ElicitationParams;
    };
export type ToolKind =
  "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other";
export type ToolStatus = "pending" | "in_progress" | "completed" | "failed";
export type ToolContent = ContentOfTool | DiffOfTool | TerminalOfTool;
export type PermissionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";
export type AgentNotification =
  | {
      jsonrpc: "2.0";
      method: "session/update";
      params: SessionUpdate;
    }
  | {
      jsonrpc: "2.0";
      method: "elicitation/complete";
      params: ElicitationCompleteParams;
    }
  | {
      jsonrpc: "2.0";
      method: "$/cancel_request";
      params: CancelRequestParams;
    };
export type Update =
  | MessageChunk
  | ToolCall
  | PlanUpdate
  | AvailableCommandsUpdate
  | CurrentModeUpdate
  | ConfigOptionUpdate
  | SessionInfoUpdate
  | UsageUpdate
  | Notice
  | CompactionUpdate;
export type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

export interface InitializeParams {
  protocolVersion: number;
  clientCapabilities?: ClientCapabilities;
  clientInfo?: Implementation;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ClientCapabilities {
  fs?: FileSystemCapabilities;
  terminal?: boolean;
  session?: ClientSessionCapabilities;
  auth?: ClientAuthCapabilities;
  elicitation?: ElicitationCapabilities;
  _meta?: ClientMeta;
}
export interface FileSystemCapabilities {
  readTextFile?: boolean;
  writeTextFile?: boolean;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ClientSessionCapabilities {
  configOptions?: ConfigOptionCapabilities;
  notices?: Marker;
  compaction?: Marker;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ConfigOptionCapabilities {
  boolean?: Marker;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Marker {
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ClientAuthCapabilities {
  terminal?: boolean;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ElicitationCapabilities {
  form?: Marker;
  url?: Marker;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ClientMeta {
  terminal_output?: boolean;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Implementation {
  name: string;
  title?: string;
  version: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface AuthenticateParams {
  methodId: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface LogoutParams {
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface NewSessionParams {
  cwd: string;
  mcpServers: MCPServer[];
  additionalDirectories?: string[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface MCPServer {
  type?: "http" | "sse" | "stdio";
  name: string;
  command?: string;
  args?: string[];
  env?: NameAndValue[];
  url?: string;
  headers?: NameAndValue[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface NameAndValue {
  name: string;
  value: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface LoadSessionParams {
  sessionId: string;
  cwd: string;
  mcpServers: MCPServer[];
  additionalDirectories?: string[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ResumeSessionParams {
  sessionId: string;
  cwd: string;
  mcpServers?: MCPServer[];
  additionalDirectories?: string[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ListSessionsParams {
  cwd?: string;
  cursor?: string;
  archived?: "exclude" | "include" | "only";
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SessionParams {
  sessionId: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ForkSessionParams {
  sessionId: string;
  cwd: string;
  mcpServers?: MCPServer[];
  additionalDirectories?: string[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SetTitleParams {
  sessionId: string;
  title: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SetModeParams {
  sessionId: string;
  modeId: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SetConfigOptionParams {
  sessionId: string;
  configId: string;
  type?: string;
  value: string | boolean;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface PromptParams {
  sessionId: string;
  prompt: ContentBlock[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ContentBlock {
  type: "text" | "image" | "audio" | "resource_link" | "resource";
  text?: string;
  data?: string;
  mimeType?: string;
  uri?: string;
  name?: string;
  resource?: Resource;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Resource {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SteerParams {
  sessionId: string;
  prompt: ContentBlock[];
  _meta?: SteerMeta;
}
export interface SteerMeta {
  steering?: SteerOptions;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SteerOptions {
  idleBehavior?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface CancelParams {
  sessionId: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface CancelRequestParams {
  requestId: RequestId;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ClientResult {
  jsonrpc: "2.0";
  id: RequestId;
  result:
    | PermissionResult
    | ReadTextFileResult
    | Empty
    | CreateTerminalResult
    | TerminalOutputResult
    | ExitStatus
    | ElicitationResult;
}
export interface PermissionResult {
  outcome: PermissionOutcome;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface PermissionOutcome {
  outcome: "selected" | "cancelled";
  optionId?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ReadTextFileResult {
  content: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Empty {
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface CreateTerminalResult {
  terminalId: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface TerminalOutputResult {
  output: string;
  truncated: boolean;
  exitStatus?: ExitStatus;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ExitStatus {
  exitCode?: number;
  signal?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ElicitationResult {
  action: "accept" | "decline" | "cancel";
  content?: {
    [k: string]: unknown;
  };
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Failure {
  jsonrpc: "2.0";
  id: RequestId;
  error: Error;
}
export interface Error {
  code: number;
  message: string;
  data?: ErrorData;
}
export interface ErrorData {
  method?: string;
  field?: string;
  sessionId?: string;
  reason?: string;
  kind?: string;
  status?: number;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface PermissionParams {
  sessionId: string;
  toolCall: ToolCall;
  options: PermissionOption[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ToolCall {
  sessionUpdate?: "tool_call" | "tool_call_update";
  toolCallId: string;
  title?: string;
  name?: string;
  kind?: ToolKind;
  status?: ToolStatus;
  content?: ToolContent[];
  locations?: Location[];
  rawInput?: unknown;
  rawOutput?: RawOutput;
  _meta?: ToolCallMeta;
}
export interface ContentOfTool {
  type: "content";
  content: ContentBlock;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface DiffOfTool {
  type: "diff";
  path: string;
  oldText: string | null;
  newText: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface TerminalOfTool {
  type: "terminal";
  terminalId: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Location {
  path: string;
  line?: number;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface RawOutput {
  text: string;
  exitCode?: number;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ToolCallMeta {
  terminal_info?: TerminalInfo;
  terminal_output?: TerminalOutput;
  terminal_exit?: TerminalExit;
  "parley.dev"?: ParleyToolCallMeta;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface TerminalInfo {
  terminal_id: string;
  cwd?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface TerminalOutput {
  terminal_id: string;
  data: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface TerminalExit {
  terminal_id: string;
  exit_code: number | null;
  signal: string | null;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ParleyToolCallMeta {
  parent: string;
  agent: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface PermissionOption {
  optionId: string;
  name: string;
  kind: PermissionKind;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ReadTextFileParams {
  sessionId: string;
  path: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface WriteTextFileParams {
  sessionId: string;
  path: string;
  content: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface CreateTerminalParams {
  sessionId: string;
  command: string;
  args?: string[];
  env?: NameAndValue[];
  cwd?: string;
  outputByteLimit?: number;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface TerminalParams {
  sessionId: string;
  terminalId: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ElicitationParams {
  mode: "form" | "url";
  message: string;
  requestedSchema?: FormSchema;
  elicitationId?: string;
  url?: string;
  requestId?: RequestId;
  sessionId?: string;
  toolCallId?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface FormSchema {
  type: "object";
  properties: {
    [k: string]: FormField;
  };
  required?: string[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface FormField {
  type: "string" | "array";
  title?: string;
  description?: string;
  oneOf?: FormChoice[];
  items?: FormItems;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface FormChoice {
  const: string;
  title: string;
  description?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface FormItems {
  anyOf: FormChoice[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SessionUpdate {
  sessionId: string;
  update: Update;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface MessageChunk {
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
  messageId?: string;
  content: ContentBlock;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface PlanUpdate {
  sessionUpdate: "plan";
  entries: PlanEntry[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface PlanEntry {
  content: string;
  priority: "high" | "medium" | "low";
  status: "pending" | "in_progress" | "completed";
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface AvailableCommandsUpdate {
  sessionUpdate: "available_commands_update";
  availableCommands: Command[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Command {
  name: string;
  description: string;
  input?: CommandInput;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface CommandInput {
  hint: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface CurrentModeUpdate {
  sessionUpdate: "current_mode_update";
  currentModeId: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ConfigOptionUpdate {
  sessionUpdate: "config_option_update";
  configOptions: ConfigOption[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ConfigOption {
  id: string;
  name: string;
  description?: string;
  category: string;
  type: "select";
  currentValue: string;
  options: ConfigValue[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ConfigValue {
  value: string;
  name: string;
  description?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SessionInfoUpdate {
  sessionUpdate: "session_info_update";
  title?: string;
  updatedAt?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface UsageUpdate {
  sessionUpdate: "usage_update";
  used: number;
  size: number;
  cost?: Cost;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Cost {
  amount: number;
  currency: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Notice {
  sessionUpdate: "notice";
  severity: "info" | "warning" | "error";
  title: string;
  description?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface CompactionUpdate {
  sessionUpdate: "compaction_update";
  compactionId: string;
  status: "in_progress" | "completed" | "failed" | "cancelled";
  summary?: ContentBlock[];
  error?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ElicitationCompleteParams {
  elicitationId: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface AgentResult {
  jsonrpc: "2.0";
  id: RequestId;
  result:
    | InitializeResult
    | Empty
    | NewSessionResult
    | OpenedSession
    | ListSessionsResult
    | SetTitleResult
    | SessionStatusResult
    | SetConfigOptionResult
    | PromptResult
    | SteerResult;
}
export interface InitializeResult {
  protocolVersion: number;
  agentCapabilities: AgentCapabilities;
  authMethods: AuthMethod[];
  agentInfo: Implementation;
  _meta: AgentMeta;
}
export interface AgentCapabilities {
  loadSession: boolean;
  promptCapabilities: PromptCapabilities;
  mcpCapabilities: MCPCapabilities;
  sessionCapabilities: SessionCapabilities;
  auth: AgentAuth;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface PromptCapabilities {
  image: boolean;
  audio: boolean;
  embeddedContext: boolean;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface MCPCapabilities {
  http: boolean;
  sse: boolean;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SessionCapabilities {
  list: Marker;
  delete: Marker;
  resume: Marker;
  close: Marker;
  additionalDirectories: Marker;
  fork?: Marker;
  archive?: Marker;
  status?: Marker;
  title?: Marker;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface AgentAuth {
  logout?: Marker;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface AuthMethod {
  id: string;
  type?: string;
  name: string;
  description?: string;
  args?: string[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface AgentMeta {
  steering: SteeringSupport;
  "parley.dev": ParleySupport;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SteeringSupport {
  supported: boolean;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ParleySupport {
  dialect: number;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface NewSessionResult {
  sessionId: string;
  modes: Modes;
  configOptions: ConfigOption[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Modes {
  currentModeId: string;
  availableModes: Mode[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface Mode {
  id: string;
  name: string;
  description?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface OpenedSession {
  modes: Modes;
  configOptions: ConfigOption[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ListSessionsResult {
  sessions: SessionInfo[];
  nextCursor?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SessionInfo {
  sessionId: string;
  cwd: string;
  title?: string;
  updatedAt?: string;
  archived?: boolean;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SetTitleResult {
  title: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SessionStatusResult {
  status: "open" | "saved";
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SetConfigOptionResult {
  configOptions: ConfigOption[];
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface PromptResult {
  stopReason: StopReason;
  usage?: Usage;
  _meta?: PromptMeta;
}
export interface Usage {
  totalTokens: number;
  inputTokens: number;
  outputTokens: number;
  thoughtTokens?: number;
  cachedReadTokens?: number;
  cachedWriteTokens?: number;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface PromptMeta {
  "parley.dev": ParleyPromptMeta;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface ParleyPromptMeta {
  reason?: string;
  usage?: Usage;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
export interface SteerResult {
  outcome: "injected" | "startedNewTurn" | "promptRequired";
  reason?: string;
  _meta?: {
    [k: string]: unknown;
  } | null;
}
