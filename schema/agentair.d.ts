// Written by 'make schema' from agentair.schema.json; not by hand.

/**
 * A line of agent-air's server messages.
 */
export type Line = Inbound | Outbound;
/**
 * What a client may say.
 */
export type Inbound = ControllerInput | ControlInput | Request | "Shutdown";
export type Role = "User" | "Assistant";
export type Request =
  | PermissionResponseRequest
  | BatchPermissionResponseRequest
  | UserInteractionResponseRequest
  | CancelPermissionRequest
  | CancelBatchPermissionRequest
  | CancelUserInteractionRequest
  | InterruptRequest
  | ClearRequest
  | CompactRequest
  | ShutdownRequest
  | CreateSessionRequest
  | RemoveSessionRequest;
export type PermissionScope = "Once" | "Session";
/**
 * With a target of its own, or with the members of a PermissionRequest.
 */
export type Grant =
  | {
      target: GrantTarget;
      level: PermissionLevel;
      expires_in_secs?: number | null;
    }
  | {
      target_type: "Path";
      target: string;
      recursive: boolean;
      level: PermissionLevel;
      expires_in_secs?: number | null;
    }
  | {
      target_type: "Domain" | "Command";
      target: string;
      recursive?: boolean;
      level: PermissionLevel;
      expires_in_secs?: number | null;
    };
export type GrantTarget =
  | {
      type: "path";
      path: string;
      recursive: boolean;
    }
  | {
      type: "domain" | "command";
      pattern: string;
    }
  | {
      type: "tool";
      tool_name: string;
    };
export type PermissionLevel = "None" | "Read" | "Write" | "Execute" | "Admin";
export type Outbound = UiMessage;
export type UiMessage =
  | TextChunkMessage
  | ToolExecutingMessage
  | ToolCompletedMessage
  | CompleteMessage
  | PermissionRequiredMessage
  | BatchPermissionRequiredMessage
  | UserInteractionRequiredMessage
  | TokenUpdateMessage
  | ErrorMessage
  | SystemMessage
  | DisplayMessage
  | CommandCompleteMessage;
export type ToolStatus = "Success" | "Error" | "Timeout";
export type StopReason = "EndTurn" | "MaxTokens" | "StopSequence" | "ToolUse";
export type TargetType = "Path" | "Domain" | "Command";
export type QuestionType = "SingleChoice" | "MultiChoice" | "FreeText";

export interface ControllerInput {
  input_type?: "Data" | null;
  session_id: number;
  content: string;
  turn_id: TurnID;
  metadata?: {
    [k: string]: unknown;
  } | null;
}
export interface TurnID {
  role: Role;
  sequence: number;
}
export interface ControlInput {
  input_type: "Control";
  session_id: number;
  content?: unknown;
  control_cmd: "Interrupt" | "Shutdown" | "Clear" | "Compact";
  turn_id?: TurnID | null;
}
export interface PermissionResponseRequest {
  PermissionResponse: PermissionResponse;
}
export interface PermissionResponse {
  tool_use_id: string;
  response: PermissionVote;
  session_id?: number | null;
}
export interface PermissionVote {
  granted: boolean;
  scope?: PermissionScope | null;
  grant?: Grant | null;
  message?: string | null;
}
export interface BatchPermissionResponseRequest {
  BatchPermissionResponse: BatchPermissionResponse;
}
export interface BatchPermissionResponse {
  batch_id: string;
  approved_grants?: Grant[];
  denied_requests?: string[];
  auto_approved?: string[];
  approved_requests?: string[];
}
export interface UserInteractionResponseRequest {
  UserInteractionResponse: UserInteractionResponse;
}
export interface UserInteractionResponse {
  tool_use_id: string;
  response: AskUserQuestionsResponse;
  session_id?: number | null;
}
export interface AskUserQuestionsResponse {
  answers: Answer[];
}
export interface Answer {
  question: string;
  answer: string[];
}
export interface CancelPermissionRequest {
  CancelPermission: CancelPermission;
}
export interface CancelPermission {
  tool_use_id: string;
}
export interface CancelBatchPermissionRequest {
  CancelBatchPermission: CancelBatchPermission;
}
export interface CancelBatchPermission {
  batch_id: string;
}
export interface CancelUserInteractionRequest {
  CancelUserInteraction: CancelUserInteraction;
}
export interface CancelUserInteraction {
  tool_use_id: string;
}
export interface InterruptRequest {
  Interrupt: Interrupt;
}
export interface Interrupt {
  session_id: number;
}
export interface ClearRequest {
  Clear: Clear;
}
export interface Clear {
  session_id: number;
}
export interface CompactRequest {
  Compact: Compact;
}
export interface Compact {
  session_id: number;
}
export interface ShutdownRequest {
  Shutdown: Shutdown | null;
}
export interface Shutdown {}
export interface CreateSessionRequest {
  CreateSession: CreateSession;
}
export interface CreateSession {
  model?: string | null;
  system_prompt?: string | null;
  working_dir?: string | null;
}
export interface RemoveSessionRequest {
  RemoveSession: RemoveSession;
}
export interface RemoveSession {
  session_id: number;
}
export interface TextChunkMessage {
  TextChunk: TextChunk;
}
export interface TextChunk {
  text: string;
  session_id: number;
  turn_id: TurnID;
}
export interface ToolExecutingMessage {
  ToolExecuting: ToolExecuting;
}
export interface ToolExecuting {
  tool_use_id: string;
  tool_name: string;
  input: {
    [k: string]: unknown;
  };
  session_id: number;
  display_name?: string | null;
  display_title?: string | null;
  turn_id?: TurnID | null;
}
export interface ToolCompletedMessage {
  ToolCompleted: ToolCompleted;
}
export interface ToolCompleted {
  tool_use_id: string;
  result: string;
  session_id: number;
  status?: ToolStatus;
  error?: string | null;
  turn_id?: TurnID | null;
}
export interface CompleteMessage {
  Complete: Complete;
}
export interface Complete {
  session_id: number;
  turn_id: TurnID;
  stop_reason: StopReason;
}
export interface PermissionRequiredMessage {
  PermissionRequired: PermissionRequired;
}
export interface PermissionRequired {
  tool_use_id: string;
  request: PermissionRequest;
  session_id: number;
  turn_id?: TurnID | null;
}
export interface PermissionRequest {
  target_type: TargetType;
  target: string;
  level: PermissionLevel;
  description: string;
  reason: string | null;
  recursive: boolean;
  id: string;
  tool_name: string;
}
export interface BatchPermissionRequiredMessage {
  BatchPermissionRequired: BatchPermissionRequired;
}
export interface BatchPermissionRequired {
  batch_id: string;
  requests: PermissionRequest[];
  session_id: number;
  suggested_grants?: Grant[];
  turn_id?: TurnID | null;
}
export interface UserInteractionRequiredMessage {
  UserInteractionRequired: UserInteractionRequired;
}
export interface UserInteractionRequired {
  tool_use_id: string;
  request: AskUserQuestionsRequest;
  session_id: number;
  turn_id?: TurnID | null;
}
export interface AskUserQuestionsRequest {
  questions: Question[];
}
export interface Question {
  id: string;
  text: string;
  question_type: QuestionType;
  options: string[] | null;
  required: boolean;
  defaultValue?: string;
}
export interface TokenUpdateMessage {
  TokenUpdate: TokenUpdate;
}
export interface TokenUpdate {
  input_tokens: number;
  output_tokens: number;
  session_id: number;
  context_limit?: number;
  turn_id?: TurnID | null;
}
export interface ErrorMessage {
  Error: Error;
}
export interface Error {
  message: string;
  session_id: number | null;
  turn_id?: TurnID | null;
}
export interface SystemMessage {
  System: System;
}
export interface System {
  message: string;
  session_id: number | null;
}
export interface DisplayMessage {
  Display: Display;
}
export interface Display {
  content: string;
  session_id: number;
  turn_id?: TurnID | null;
}
export interface CommandCompleteMessage {
  CommandComplete: CommandComplete;
}
export interface CommandComplete {
  command: string;
  session_id: number;
  success?: boolean;
  message?: string | null;
}
