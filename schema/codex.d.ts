// Written by 'make schema' from codex.schema.json; not by hand.

/**
 * A line of the app-server protocol of Codex, as far as it is spoken here; from the schema of @openai/codex 0.169.0 (Apache-2.0).
 */
export type Message = Inbound | Outbound;
export type Inbound = ClientRequest | ClientNotification | ClientResult | Failure;
export type ClientRequest =
  | InitializeLine
  | ThreadStartLine
  | ThreadResumeLine
  | ThreadForkLine
  | ThreadSampleLine
  | ThreadArchiveLine
  | ThreadDeleteLine
  | ThreadUnsubscribeLine
  | ThreadNameSetLine
  | ThreadGoalSetLine
  | ThreadGoalGetLine
  | ThreadGoalClearLine
  | ThreadMetadataUpdateLine
  | ThreadAttachmentAddLine
  | ThreadAttachmentListLine
  | ThreadAttachmentOwnerListLine
  | ThreadAttachmentRemoveLine
  | ThreadSettingsUpdateLine
  | ThreadMemoryModeSetLine
  | ThreadUnarchiveLine
  | ThreadCompactStartLine
  | ThreadShellCommandLine
  | ThreadApproveGuardianDeniedActionLine
  | ThreadBackgroundTerminalsCleanLine
  | ThreadBackgroundTerminalsListLine
  | ThreadBackgroundTerminalsTerminateLine
  | ThreadRevertLine
  | ThreadListLine
  | ThreadSearchLine
  | ThreadLoadedListLine
  | ThreadReadLine
  | ThreadReadStateUpdateLine
  | ThreadTurnsListLine
  | ThreadItemsListLine
  | ThreadInjectItemsLine
  | TurnStartLine
  | TurnSteerLine
  | TurnInterruptLine
  | ReviewStartLine
  | ModelListLine
  | AccountLoginStartLine
  | AccountBedrockCheckGovCloudRequirementsLine
  | AccountLoginCancelLine
  | AccountLogoutLine
  | AccountSecuritySetupReadLine
  | AccountRateLimitsReadLine
  | AccountRateLimitResetCreditConsumeLine
  | AccountUsageReadLine
  | AccountWorkspaceMessagesReadLine
  | AccountSendAddCreditsNudgeEmailLine
  | AccountReadLine
  | ConfigMcpServerReloadLine
  | ConfigReadLine
  | ConfigValueWriteLine
  | ConfigBatchWriteLine
  | AppReadLine
  | AppListLine
  | AppInstalledLine
  | CollaborationModeListLine
  | CommandExecLine
  | CommandExecWriteLine
  | CommandExecTerminateLine
  | CommandExecResizeLine
  | ConfigRequirementsReadLine
  | ExperimentalFeatureListLine
  | ExperimentalFeatureEnablementSetLine
  | ExternalAgentConfigDetectLine
  | ExternalAgentConfigImportLine
  | ExternalAgentConfigImportRecordHistoryLine
  | ExternalAgentConfigImportReadHistoriesLine
  | FeedbackUploadLine
  | FeedbackSaveLine
  | FsReadFileLine
  | FsWriteFileLine
  | FsCreateDirectoryLine
  | FsGetMetadataLine
  | FsReadDirectoryLine
  | FsRemoveLine
  | FsCopyLine
  | FsWatchLine
  | FsUnwatchLine
  | FuzzyFileSearchLine
  | FuzzyFileSearchSessionStartLine
  | FuzzyFileSearchSessionUpdateLine
  | FuzzyFileSearchSessionStopLine
  | HooksListLine
  | McpServerOauthLoginLine
  | McpServerResourceReadLine
  | McpServerToolCallLine
  | McpServerStatusListLine
  | ModelProviderListLine
  | ModelProviderConfigWriteLine
  | ModelProviderCapabilitiesReadLine
  | PermissionProfileListLine
  | PluginListLine
  | PluginInstalledLine
  | PluginReconcileLine
  | PluginReadLine
  | PluginSkillReadLine
  | PluginInstallLine
  | PluginUninstallLine
  | SkillsListLine
  | SkillsExtraRootsSetLine
  | SkillsConfigWriteLine;
export type RequestId = string | number;
export type AskForApproval =
  | ("untrusted" | "on-request" | "never")
  | {
      granular: {
        mcp_elicitations: boolean;
        request_permissions?: boolean;
        rules: boolean;
        sandbox_approval: boolean;
        skill_approval?: boolean;
      };
    };
export type ApprovalsReviewer = "user" | "auto_review" | "guardian_subagent";
export type DynamicToolSpec =
  | {
      deferLoading?: boolean;
      description: string;
      inputSchema: unknown;
      name: string;
      type: "function";
    }
  | {
      description: string;
      name: string;
      tools: DynamicToolNamespaceTool[];
      type: "namespace";
    };
export type DynamicToolNamespaceTool = {
  deferLoading?: boolean;
  description: string;
  inputSchema: unknown;
  name: string;
  type: "function";
};
export type LegacyAppPathString = string;
export type ThreadHistoryMode = "legacy" | "paginated";
export type MultiAgentMode =
  | ("explicitRequestOnly" | "proactive")
  | {
      custom: string;
    };
export type Personality = "none" | "friendly" | "pragmatic";
export type AbsolutePathBuf = string;
export type SandboxMode = "read-only" | "workspace-write" | "danger-full-access";
export type CapabilityRootLocation = {
  environmentId: string;
  path: string;
  type: "environment";
};
export type ThreadStartSource = "startup" | "clear";
export type ThreadSource = string;
export type ResponseItem =
  | {
      id?: string | null;
      role: string;
      tools: unknown[];
      type: "additional_tools";
    }
  | {
      content: ContentItem[];
      encrypted_content?: string | null;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      phase?: MessagePhase | null;
      role: string;
      status?: string | null;
      type: "message";
    }
  | {
      author: string;
      content: AgentMessageInputContent[];
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      recipient: string;
      type: "agent_message";
    }
  | {
      content?: ReasoningItemContent[] | null;
      encrypted_content?: string | null;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      summary: ReasoningItemReasoningSummary[];
      type: "reasoning";
    }
  | {
      action: LocalShellAction;
      call_id?: string | null;
      encrypted_content?: string | null;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      status: LocalShellStatus;
      type: "local_shell_call";
    }
  | {
      arguments: string;
      call_id: string;
      encrypted_content?: string | null;
      encrypted_function_args?: string[] | null;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      name: string;
      namespace?: string | null;
      status?: string | null;
      type: "function_call";
    }
  | {
      arguments: unknown;
      call_id?: string | null;
      encrypted_content?: string | null;
      execution: string;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      status?: string | null;
      type: "tool_search_call";
    }
  | {
      call_id?: string | null;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      name?: string | null;
      namespace?: string | null;
      output: FunctionCallOutputBody;
      type: "function_call_output";
    }
  | {
      call_id: string;
      encrypted_content?: string | null;
      id?: string | null;
      input: string;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      name: string;
      namespace?: string | null;
      status?: string | null;
      type: "custom_tool_call";
    }
  | {
      call_id: string;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      name?: string | null;
      output: FunctionCallOutputBody;
      type: "custom_tool_call_output";
    }
  | {
      call_id?: string | null;
      execution: string;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      status: string;
      tools: unknown[];
      type: "tool_search_output";
    }
  | {
      action?: ResponsesApiWebSearchAction | null;
      encrypted_content?: string | null;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      status?: string | null;
      type: "web_search_call";
    }
  | {
      encrypted_content?: string | null;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      result: string;
      revised_prompt?: string | null;
      status: string;
      type: "image_generation_call";
    }
  | {
      encrypted_content: string;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      type: "compaction";
    }
  | {
      reasoning: ConfigurationReasoning;
      type: "configuration_update";
    }
  | {
      type: "compaction_trigger";
    }
  | {
      encrypted_content?: string | null;
      id?: string | null;
      internal_chat_message_metadata_passthrough?: InternalChatMessageMetadataPassthrough | null;
      type: "context_compaction";
    }
  | {
      type: "other";
    };
export type ContentItem =
  | {
      text: string;
      type: "input_text";
    }
  | ((
      | {
          image_url: string;
        }
      | {
          file_id: string;
        }
    ) & {
      detail?: ImageDetail | null;
      type: "input_image";
    })
  | ((
      | {
          audio_url: string;
        }
      | {
          file_id: string;
        }
    ) & {
      type: "input_audio";
    })
  | {
      annotations?: unknown[] | null;
      logprobs?: unknown[] | null;
      text: string;
      type: "output_text";
    };
export type ImageDetail = "auto" | "low" | "high" | "original";
export type MessagePhase = "commentary" | "partial_answer" | "final_answer";
export type AgentMessageInputContent =
  | {
      text: string;
      type: "input_text";
    }
  | {
      encrypted_content: string;
      type: "encrypted_content";
    };
export type ReasoningItemContent =
  | {
      text: string;
      type: "reasoning_text";
    }
  | {
      text: string;
      type: "text";
    };
export type ReasoningItemReasoningSummary = {
  text: string;
  type: "summary_text";
};
export type LocalShellAction = {
  command: string[];
  env?: {
    [k: string]: string;
  } | null;
  timeout_ms?: number | null;
  type: "exec";
  user?: string | null;
  working_directory?: string | null;
};
export type LocalShellStatus = "completed" | "in_progress" | "incomplete";
export type FunctionCallOutputBody = string | FunctionCallOutputContentItem[];
export type FunctionCallOutputContentItem =
  | {
      text: string;
      type: "input_text";
    }
  | ((
      | {
          image_url: string;
        }
      | {
          file_id: string;
        }
    ) & {
      detail?: ImageDetail | null;
      type: "input_image";
    })
  | ((
      | {
          audio_url: string;
        }
      | {
          file_id: string;
        }
    ) & {
      type: "input_audio";
    })
  | {
      encrypted_content: string;
      type: "encrypted_content";
    };
export type ResponsesApiWebSearchAction =
  | {
      queries?: string[] | null;
      query?: string | null;
      type: "search";
    }
  | {
      type: "open_page";
      url?: string | null;
    }
  | {
      pattern?: string | null;
      type: "find_in_page";
      url?: string | null;
    }
  | {
      type: "other";
    };
export type ReasoningEffort = string;
export type TurnItemsView = "notLoaded" | "summary" | "full";
export type SortDirection = "asc" | "desc";
export type ThreadGoalMutationOrigin = "user" | "automatic";
export type ThreadGoalStatus = "active" | "paused" | "blocked" | "usageLimited" | "budgetLimited" | "complete";
export type ModeKind = "plan" | "default";
export type SandboxPolicy =
  | {
      type: "dangerFullAccess";
    }
  | {
      networkAccess?: boolean;
      type: "readOnly";
    }
  | {
      networkAccess?: NetworkAccess & string;
      type: "externalSandbox";
    }
  | {
      excludeSlashTmp?: boolean;
      excludeTmpdirEnvVar?: boolean;
      networkAccess?: boolean;
      type: "workspaceWrite";
      writableRoots?: AbsolutePathBuf[];
    };
export type NetworkAccess = "restricted" | "enabled";
export type ReasoningSummary = ("auto" | "concise" | "detailed") | "none";
export type ThreadMemoryMode = "enabled" | "disabled";
export type ThreadListCwdFilter = string | string[];
export type ThreadSortKey = "created_at" | "updated_at" | "recency_at" | "section_position";
export type ThreadSourceKind =
  | "cli"
  | "vscode"
  | "exec"
  | "appServer"
  | "subAgent"
  | "subAgentReview"
  | "subAgentCompact"
  | "subAgentThreadSpawn"
  | "subAgentOther"
  | "unknown";
export type ThreadSearchSortKey = "created_at" | "updated_at" | "recency_at";
export type ThreadReadStateOperation =
  | {
      type: "read";
    }
  | {
      type: "unread";
    };
export type ThreadItemsListCursor = string | ThreadItemsListAnchor;
export type ThreadItemsListAnchor = {
  itemId: string;
  type: "item";
};
export type AdditionalContextKind = "untrusted" | "application";
export type CyberAccessProgram = "standard" | "daybreakBlue" | "daybreakRed";
export type UserInput =
  | {
      text: string;
      text_elements?: TextElement[];
      type: "text";
    }
  | ((
      | {
          url: string;
        }
      | {
          fileId: string;
        }
    ) & {
      detail?: ImageDetail | null;
      type: "image";
    })
  | {
      detail?: ImageDetail | null;
      path: string;
      type: "localImage";
    }
  | ((
      | {
          url: string;
        }
      | {
          fileId: string;
        }
    ) & {
      type: "audio";
    })
  | {
      path: string;
      type: "localAudio";
    }
  | {
      name: string;
      path: string;
      type: "skill";
    }
  | {
      name: string;
      path: string;
      type: "mention";
    };
export type ReviewDelivery = "inline";
export type ReviewTarget =
  | {
      type: "uncommittedChanges";
    }
  | {
      branch: string;
      type: "baseBranch";
    }
  | {
      sha: string;
      title?: string | null;
      type: "commit";
    }
  | {
      instructions: string;
      type: "custom";
    };
export type LoginAccountParams =
  | {
      apiKey: string;
      type: "apiKey";
    }
  | {
      appBrand?: LoginAppBrand | null;
      codexStreamlinedLogin?: boolean;
      type: "chatgpt";
      useHostedLoginSuccessPage?: boolean;
    }
  | {
      type: "chatgptDeviceCode";
    }
  | {
      accessToken: string;
      chatgptAccountId: string;
      chatgptPlanType?: string | null;
      type: "chatgptAuthTokens";
    }
  | {
      apiKey: string;
      region: string;
      type: "amazonBedrock";
    }
  | {
      accessKeyId: string;
      region: string;
      secretAccessKey: string;
      sessionToken?: string | null;
      type: "amazonBedrockAccessKeys";
    };
export type LoginAppBrand = "codex" | "chatgpt";
export type AddCreditsNudgeCreditType = "credits" | "usage_limit";
export type MergeStrategy = "replace" | "upsert";
export type ExternalAgentConfigMigrationItemType =
  | "AGENTS_MD"
  | "CONFIG"
  | "SKILLS"
  | "PLUGINS"
  | "MCP_SERVER_CONFIG"
  | "SUBAGENTS"
  | "HOOKS"
  | "COMMANDS"
  | "MEMORY"
  | "SESSIONS";
export type McpServerOauthClientRegistration = "auto" | "cimd" | "dcr";
export type McpServerStatusDetail = "full" | "toolsAndAuthOnly";
export type ProviderSettingsPatch =
  | {
      baseUrl?: string | null;
      envKey?: string | null;
      name?: string;
      providerId?: string | null;
      type: "customGateway";
    }
  | {
      profile?: string | null;
      providerId: BedrockProviderId;
      region?: string | null;
      type: "bedrock";
    }
  | {
      credentialFile?: string | null;
      location?: string | null;
      projectId?: string | null;
      providerId: GcpProviderId;
      type: "gcp";
    };
export type BedrockProviderId = "amazon-bedrock" | "amazon-bedrock-runtime";
export type GcpProviderId = "gcp";
export type PluginListMarketplaceKind =
  "local" | "vertical" | "workspace-directory" | "shared-with-me" | "created-by-me-remote";
export type ClientNotification = InitializedLine;
export type CommandExecutionApprovalDecision =
  | "accept"
  | "acceptForSession"
  | {
      acceptWithExecpolicyAmendment: {
        execpolicy_amendment: string[];
      };
    }
  | {
      applyNetworkPolicyAmendment: {
        network_policy_amendment: NetworkPolicyAmendment;
      };
    }
  | "decline"
  | "cancel";
export type NetworkPolicyRuleAction = "allow" | "deny";
export type FileChangeApprovalDecision = "accept" | "acceptForSession" | "decline" | "cancel";
export type FileSystemAccessMode = "read" | "write" | "deny";
export type FileSystemPath =
  | {
      path: LegacyAppPathString;
      type: "path";
    }
  | {
      pattern: string;
      type: "glob_pattern";
    }
  | {
      type: "special";
      value: FileSystemSpecialPath;
    };
export type FileSystemSpecialPath =
  | {
      kind: "root";
    }
  | {
      kind: "minimal";
    }
  | {
      kind: "project_roots";
      subpath?: LegacyAppPathString | null;
    }
  | {
      kind: "tmpdir";
    }
  | {
      kind: "slash_tmp";
    }
  | {
      kind: "unknown";
      path: string;
      subpath?: LegacyAppPathString | null;
    };
export type PermissionGrantScope = "turn" | "session";
export type McpServerElicitationAction = "accept" | "decline" | "cancel";
export type DynamicToolCallOutputContentItem =
  | {
      text: string;
      type: "inputText";
    }
  | {
      imageUrl: string;
      type: "inputImage";
    }
  | {
      audioUrl: string;
      type: "inputAudio";
    };
export type Outbound = AgentRequest | AgentNotification | AgentResult | Failure;
export type AgentRequest =
  | ItemCommandExecutionRequestApprovalLine
  | ItemFileChangeRequestApprovalLine
  | ItemPermissionsRequestApprovalLine
  | ItemToolRequestUserInputLine
  | McpServerElicitationRequestLine
  | ItemToolCallLine;
export type CommandAction =
  | {
      command: string;
      name: string;
      path: LegacyAppPathString;
      type: "read";
    }
  | {
      command: string;
      path?: string | null;
      type: "listFiles";
    }
  | {
      command: string;
      path?: string | null;
      query?: string | null;
      type: "search";
    }
  | {
      command: string;
      type: "unknown";
    };
export type CommandExecutionApprovalKind = ("command" | "writeStdin") | "humanCommand";
export type NetworkApprovalProtocol = "http" | "https" | "socks5Tcp" | "socks5Udp";
export type McpServerElicitationRequestParams = {
  serverName: string;
  threadId: string;
  turnId?: string | null;
} & McpServerElicitationRequestParams1;
export type McpServerElicitationRequestParams1 =
  | {
      _meta?: unknown;
      challenge: string;
      description: string;
      mode: "openai/userVerification";
      title: string;
    }
  | {
      _meta?: unknown;
      message: string;
      mode: "form";
      requestedSchema: McpElicitationSchema;
    }
  | {
      _meta?: unknown;
      message: string;
      mode: "openai/form";
      requestedSchema: unknown;
    }
  | {
      _meta?: unknown;
      message: string;
      mode: "openaiForm";
      requestedSchema: unknown;
    }
  | {
      _meta?: unknown;
      elicitationId: string;
      message: string;
      mode: "url";
      url: string;
    };
export type McpElicitationPrimitiveSchema =
  McpElicitationEnumSchema | McpElicitationStringSchema | McpElicitationNumberSchema | McpElicitationBooleanSchema;
export type McpElicitationEnumSchema =
  McpElicitationSingleSelectEnumSchema | McpElicitationMultiSelectEnumSchema | McpElicitationLegacyTitledEnumSchema;
export type McpElicitationSingleSelectEnumSchema =
  McpElicitationUntitledSingleSelectEnumSchema | McpElicitationTitledSingleSelectEnumSchema;
export type McpElicitationStringType = "string";
export type McpElicitationMultiSelectEnumSchema =
  McpElicitationUntitledMultiSelectEnumSchema | McpElicitationTitledMultiSelectEnumSchema;
export type McpElicitationArrayType = "array";
export type McpElicitationStringFormat = "email" | "uri" | "date" | "date-time";
export type McpElicitationNumberType = "number" | "integer";
export type McpElicitationBooleanType = "boolean";
export type McpElicitationObjectType = "object";
export type AgentNotification =
  | ErrorLine
  | ThreadStartedLine
  | ThreadStatusChangedLine
  | ThreadReadStateChangedLine
  | ThreadArchivedLine
  | ThreadDeletedLine
  | ThreadUnarchivedLine
  | ThreadClosedLine
  | ThreadRevertedLine
  | SkillsChangedLine
  | ThreadNameUpdatedLine
  | ThreadGoalUpdatedLine
  | ThreadGoalClearedLine
  | ThreadSettingsUpdatedLine
  | ThreadTokenUsageUpdatedLine
  | TurnStartedLine
  | TurnCompletedLine
  | TurnDiffUpdatedLine
  | TurnPlanUpdatedLine
  | ItemStartedLine
  | ItemCompletedLine
  | ItemAgentMessageDeltaLine
  | ItemPlanDeltaLine
  | CommandExecOutputDeltaLine
  | ItemCommandExecutionOutputDeltaLine
  | ItemCommandExecutionTerminalInteractionLine
  | ItemFileChangeOutputDeltaLine
  | ItemFileChangePatchUpdatedLine
  | ServerRequestResolvedLine
  | ItemMcpToolCallProgressLine
  | McpServerOauthLoginCompletedLine
  | McpServerStartupStatusUpdatedLine
  | AccountUpdatedLine
  | AccountRateLimitsUpdatedLine
  | AppListUpdatedLine
  | FsChangedLine
  | ItemReasoningSummaryTextDeltaLine
  | ItemReasoningSummaryPartAddedLine
  | ItemReasoningTextDeltaLine
  | ThreadCompactedLine
  | WarningLine
  | DeprecationNoticeLine
  | ConfigWarningLine
  | FuzzyFileSearchSessionUpdatedLine
  | FuzzyFileSearchSessionCompletedLine
  | AccountLoginCompletedLine;
export type CodexErrorInfo =
  | (
      | "contextWindowExceeded"
      | "sessionBudgetExceeded"
      | "usageLimitExceeded"
      | "rateLimitExceeded"
      | "flexUnavailable"
      | "serverOverloaded"
      | "modelNotFound"
      | "policyCapacityUnavailable"
      | "cyberPolicy"
      | "misalignmentPolicyViolation"
      | "tooManyDenials"
      | "internalServerError"
      | "unauthorized"
      | "badRequest"
      | "threadRollbackFailed"
      | "sandboxError"
      | "other"
    )
  | "inferenceHookDenied"
  | {
      httpConnectionFailed: {
        httpStatusCode?: number | null;
      };
    }
  | {
      responseStreamConnectionFailed: {
        httpStatusCode?: number | null;
      };
    }
  | {
      responseStreamDisconnected: {
        httpStatusCode?: number | null;
      };
    }
  | {
      responseTooManyFailedAttempts: {
        httpStatusCode?: number | null;
      };
    }
  | {
      activeTurnNotSteerable: {
        turnKind: NonSteerableTurnKind;
      };
    }
  | (string | {});
export type NonSteerableTurnKind = "review" | "compact";
export type SessionSource =
  | ("cli" | "vscode" | "exec" | "appServer" | "unknown")
  | {
      custom: string;
    }
  | {
      subAgent: SubAgentSource;
    };
export type SubAgentSource =
  | ("review" | "compact" | "memory_consolidation")
  | {
      thread_spawn: {
        agent_nickname?: string | null;
        agent_path?: AgentPath | null;
        agent_role?: string | null;
        depth: number;
        parent_thread_id: ThreadId;
      };
    }
  | {
      other: string;
    };
export type AgentPath = string;
export type ThreadId = string;
export type ThreadStatus =
  | {
      type: "notLoaded";
    }
  | {
      type: "idle";
    }
  | {
      type: "systemError";
    }
  | {
      activeFlags: ThreadActiveFlag[];
      type: "active";
    };
export type ThreadActiveFlag = "waitingOnApproval" | "waitingOnUserInput";
export type ThreadItem = {
  completedAtMs?: number | null;
  startedAtMs?: number | null;
} & ThreadItem1;
export type ThreadItem1 =
  | {
      clientId?: string | null;
      content: UserInput[];
      id: string;
      type: "userMessage";
    }
  | {
      fragments: HookPromptFragment[];
      id: string;
      type: "hookPrompt";
    }
  | {
      delivery?: AgentMessageDelivery | null;
      id: string;
      memoryCitation?: MemoryCitation | null;
      moderation?: AgentMessageModeration | null;
      phase?: MessagePhase | null;
      questions?: AsyncUserInputQuestion[] | null;
      text: string;
      type: "agentMessage";
    }
  | {
      id: string;
      name: string;
      namespace?: string | null;
      output: FunctionCallOutputBody;
      type: "functionCallOutput";
    }
  | {
      id: string;
      text: string;
      type: "plan";
    }
  | {
      content?: string[];
      id: string;
      summary?: string[];
      type: "reasoning";
    }
  | {
      aggregatedOutput?: string | null;
      command: string;
      commandActions: CommandAction[];
      cwd: LegacyAppPathString;
      durationMs?: number | null;
      exitCode?: number | null;
      id: string;
      pluginId?: string | null;
      processId?: string | null;
      scriptPath?: string | null;
      source?: CommandExecutionSource & string;
      status: CommandExecutionStatus;
      type: "commandExecution";
    }
  | {
      changes: FileUpdateChange[];
      id: string;
      status: PatchApplyStatus;
      type: "fileChange";
    }
  | {
      appContext?: McpToolCallAppContext | null;
      arguments: unknown;
      durationMs?: number | null;
      error?: McpToolCallError | null;
      id: string;
      mcpAppResourceUri?: string | null;
      mcpAppUi?: McpAppUi | null;
      pluginId?: string | null;
      readOnlyHint?: boolean | null;
      result?: McpToolCallResult | null;
      server: string;
      status: McpToolCallStatus;
      tool: string;
      type: "mcpToolCall";
    }
  | {
      arguments: unknown;
      contentItems?: DynamicToolCallOutputContentItem[] | null;
      durationMs?: number | null;
      id: string;
      namespace?: string | null;
      status: DynamicToolCallStatus;
      success?: boolean | null;
      tool: string;
      type: "dynamicToolCall";
    }
  | {
      agentsStates: {
        [k: string]: CollabAgentState;
      };
      id: string;
      model?: string | null;
      prompt?: string | null;
      reasoningEffort?: ReasoningEffort | null;
      receiverThreadIds: string[];
      senderThreadId: string;
      status: CollabAgentToolCallStatus;
      tool: CollabAgentTool;
      type: "collabAgentToolCall";
    }
  | {
      agentPath: string;
      agentThreadId: string;
      id: string;
      kind: SubAgentActivityKind;
      model?: string | null;
      reasoningEffort?: ReasoningEffort | null;
      type: "subAgentActivity";
    }
  | {
      action?: WebSearchAction | null;
      id: string;
      query: string;
      results?: unknown[] | null;
      type: "webSearch";
    }
  | {
      id: string;
      path: LegacyAppPathString;
      type: "imageView";
    }
  | {
      durationMs: number;
      id: string;
      type: "sleep";
    }
  | ((
      | {
          fileId: string;
        }
      | {
          result: string;
        }
    ) & {
      failure?: ImageGenerationFailure | null;
      generationId?: string | null;
      id: string;
      inputImages?: ImageGenerationInputImage[];
      revisedPrompt?: string | null;
      savedPath?: AbsolutePathBuf | null;
      status: string;
      transparentBackground?: boolean | null;
      type: "imageGeneration";
    })
  | {
      id: string;
      review: string;
      type: "enteredReviewMode";
    }
  | {
      id: string;
      review: string;
      type: "exitedReviewMode";
    }
  | {
      id: string;
      type: "contextCompaction";
    };
export type AgentMessageDelivery = "async";
export type CommandExecutionSource = "agent" | "userShell" | "unifiedExecStartup" | "unifiedExecInteraction";
export type CommandExecutionStatus = "inProgress" | "completed" | "failed" | "declined";
export type PatchChangeKind =
  | {
      type: "add";
    }
  | {
      type: "delete";
    }
  | {
      move_path?: string | null;
      type: "update";
    };
export type PatchApplyStatus = "inProgress" | "completed" | "failed" | "declined";
export type McpAppDisplayMode = "inline" | "fullscreen";
export type McpToolCallStatus = "inProgress" | "completed" | "failed";
export type DynamicToolCallStatus = "inProgress" | "completed" | "failed";
export type CollabAgentStatus =
  "pendingInit" | "running" | "interrupted" | "completed" | "errored" | "shutdown" | "notFound";
export type CollabAgentToolCallStatus = "inProgress" | "completed" | "failed" | "interrupted";
export type CollabAgentTool =
  | "spawnAgent"
  | "sendInput"
  | "resumeAgent"
  | "wait"
  | "closeAgent"
  | "sendMessage"
  | "followupTask"
  | "interruptAgent"
  | "listAgents";
export type SubAgentActivityKind = "started" | "interacted" | "interrupted" | "completed";
export type WebSearchAction =
  | {
      queries?: string[] | null;
      query?: string | null;
      type: "search";
    }
  | {
      type: "openPage";
      url?: string | null;
    }
  | {
      pattern?: string | null;
      type: "findInPage";
      url?: string | null;
    }
  | {
      type: "other";
    };
export type ImageGenerationFailure = {
  limitId: string;
  resetsAt?: number | null;
  type: "usageLimitExceeded";
};
export type TurnStatus = "completed" | "interrupted" | "failed" | "inProgress";
export type ThreadUnreadPosition =
  | {
      type: "threadStart";
    }
  | {
      turnId: string;
      type: "turn";
    };
export type TurnPlanStepStatus = "pending" | "inProgress" | "completed";
export type CommandExecOutputStream = "stdout" | "stderr";
export type McpServerStartupFailureReason = "reauthenticationRequired";
export type McpServerStartupState = "starting" | "ready" | "failed" | "cancelled";
export type AuthMode =
  | "apikey"
  | "chatgpt"
  | "chatgptAuthTokens"
  | "headers"
  | "agentIdentity"
  | "personalAccessToken"
  | "bedrockApiKey"
  | "bedrockAccessKeys";
export type PlanType =
  | "free"
  | "go"
  | "plus"
  | "pro"
  | "prolite"
  | "promax"
  | "team"
  | "self_serve_business_prolite"
  | "self_serve_business_usage_based"
  | "business"
  | "ent26"
  | "enterprise_cbp_automation"
  | "enterprise_cbp_usage_based"
  | "enterprise"
  | "edu"
  | "edu_plus"
  | "edu_pro"
  | "sci"
  | "sci_plus"
  | "unknown";
export type RateLimitReachedType =
  | "rate_limit_reached"
  | "workspace_owner_credits_depleted"
  | "workspace_member_credits_depleted"
  | "workspace_owner_usage_limit_reached"
  | "workspace_member_usage_limit_reached";
export type FuzzyFileSearchMatchType = "file" | "directory";
export type DesktopOnboardingEntrypoint = "life_sciences";
export type ThreadUnsubscribeStatus = "notLoaded" | "notSubscribed" | "unsubscribed";
export type ThreadAttachmentAddOutcome = "created" | "existing";
export type InputModality = "text" | "image" | "audio";
export type MultiAgentVersion = "disabled" | "v1" | "v2";
export type LoginAccountResponse =
  | {
      type: "apiKey";
    }
  | {
      authUrl: string;
      loginId: string;
      type: "chatgpt";
    }
  | {
      loginId: string;
      type: "chatgptDeviceCode";
      userCode: string;
      verificationUrl: string;
    }
  | {
      type: "chatgptAuthTokens";
    }
  | {
      type: "amazonBedrock";
    };
export type CancelLoginAccountStatus = "canceled" | "notFound";
export type RateLimitResetType = "codexRateLimits" | "unknown";
export type RateLimitResetCreditStatus = "available" | "redeeming" | "redeemed" | "unknown";
export type ConsumeAccountRateLimitResetCreditOutcome = "reset" | "nothingToReset" | "noCredit" | "alreadyRedeemed";
export type WorkspaceMessageType = "headline" | "announcement" | "unknown";
export type AddCreditsNudgeEmailStatus = "sent" | "cooldown_active";
export type Account =
  | {
      type: "apiKey";
    }
  | {
      email: string | null;
      planType: PlanType;
      type: "chatgpt";
      workspaceName?: string | null;
    }
  | {
      type: "amazonBedrock";
      usesCodexManagedCredentials?: boolean;
    }
  | {
      type: "gcp";
    };
export type AccountRoutingOverride = "NO_CONSTRAINT" | "us" | "us_cr";
export type AppToolApproval = "auto" | "prompt" | "writes" | "approve";
export type AllowDenyRequirement = "allow" | "deny";
export type WebSearchProvider = "standalone" | "search_mcp";
export type ForcedChatgptWorkspaceIds = string | string[];
export type ForcedLoginMethod = "chatgpt" | "api";
export type AutoCompactTokenLimitScope = "total" | "body_after_prefix";
export type Verbosity = "low" | "medium" | "high";
export type WebSearchContextSize = "low" | "medium" | "high";
export type WebSearchMode = "disabled" | "cached" | "indexed" | "live";
export type ConfigLayerSource =
  | {
      file: AbsolutePathBuf;
      type: "packagedDefaults";
    }
  | {
      domain: string;
      key: string;
      type: "mdm";
    }
  | {
      file: AbsolutePathBuf;
      type: "system";
    }
  | {
      id: string;
      name: string;
      type: "enterpriseManaged";
    }
  | {
      file: AbsolutePathBuf;
      profile?: string | null;
      type: "user";
    }
  | {
      dotCodexFolder: AbsolutePathBuf;
      type: "project";
    }
  | {
      type: "sessionFlags";
    }
  | {
      file: AbsolutePathBuf;
      type: "legacyManagedConfigTomlFromFile";
    }
  | {
      type: "legacyManagedConfigTomlFromMdm";
    };
export type WriteStatus = "ok" | "okOverridden";
export type WindowsSandboxImplementation = "elevated" | "unelevated" | "mxc";
export type NetworkDomainPermission = "allow" | "deny";
export type BrowserUseAccessApprovalLifetime = "turn" | "thread";
export type CliAuthCredentialsStoreMode = "file" | "keyring" | "auto" | "ephemeral";
export type ResidencyRequirement = "us";
export type ConfiguredHookHandler =
  | {
      additionalContextLimit?: number | null;
      async: boolean;
      command: string;
      commandWindows?: string | null;
      statusMessage?: string | null;
      timeoutSec?: number | null;
      type: "command";
    }
  | {
      input: {
        [k: string]: unknown;
      };
      server: string;
      statusMessage?: string | null;
      timeoutSec?: number | null;
      tool: string;
      type: "mcp_tool";
    }
  | {
      type: "prompt";
    }
  | {
      type: "agent";
    };
export type NetworkUnixSocketPermission = "allow" | "deny";
export type OtelExporter =
  | ("none" | "statsig")
  | {
      "otlp-http": {
        endpoint: string;
        headers: {
          [k: string]: string;
        };
        protocol: OtelHttpProtocol;
        tls?: OtelTlsConfig | null;
      };
    }
  | {
      "otlp-grpc": {
        endpoint: string;
        headers: {
          [k: string]: string;
        };
        tls?: OtelTlsConfig | null;
      };
    };
export type OtelHttpProtocol = "binary" | "json";
export type ExperimentalFeatureStage = "beta" | "underDevelopment" | "stable" | "deprecated" | "removed";
export type ExternalAgentDetectedConnectorSource = "remoteMcpServersConfig" | "sessionToolUse";
export type ExternalAgentImportedConnectorSource = "remoteMcpServersConfig";
export type HookMetadata = {
  additionalContextLimit?: number | null;
  currentHash: string;
  displayOrder: number;
  enabled: boolean;
  environmentId?: string | null;
  eventName: HookEventName;
  isManaged: boolean;
  key: string;
  matcher?: string | null;
  pluginId?: string | null;
  source: HookSource;
  sourcePath: AbsolutePathBuf;
  statusMessage?: string | null;
  timeoutSec: number;
  trustStatus: HookTrustStatus;
} & HookMetadata1;
export type HookEventName =
  | "preModelRequest"
  | "postModelRequest"
  | "preToolUse"
  | "permissionRequest"
  | "postToolUse"
  | "preCompact"
  | "postCompact"
  | "sessionStart"
  | "sessionEnd"
  | "userPromptSubmit"
  | "subagentStart"
  | "subagentStop"
  | "stop"
  | "interrupt";
export type HookSource =
  | "system"
  | "user"
  | "project"
  | "mdm"
  | "sessionFlags"
  | "plugin"
  | "cloudRequirements"
  | "cloudManagedConfig"
  | "legacyManagedConfigFile"
  | "legacyManagedConfigMdm"
  | "unknown";
export type HookTrustStatus = "managed" | "untrusted" | "trusted" | "modified";
export type HookMetadata1 =
  | {
      async?: boolean;
      command: string;
      handlerType: "command";
    }
  | {
      handlerType: "mcpTool";
      server: string;
      tool: string;
    }
  | {
      handlerType: "prompt";
    }
  | {
      handlerType: "agent";
    };
export type ResourceContent =
  | {
      _meta?: unknown;
      mimeType?: string | null;
      text: string;
      uri: string;
    }
  | {
      _meta?: unknown;
      blob: string;
      mimeType?: string | null;
      uri: string;
    };
export type McpAuthStatus = "unknown" | "unsupported" | "notLoggedIn" | "bearerToken" | "oAuth";
export type McpServerConnectionStatus =
  "notStarted" | "starting" | "connected" | "authenticationRequired" | "failed" | "cancelled" | "disabled";
export type ProviderSettings =
  | {
      type: "openai";
    }
  | {
      auth: GatewayAuth;
      type: "customGateway";
    }
  | {
      profile?: string | null;
      region?: string | null;
      type: "bedrock";
    }
  | {
      credentialFile?: string | null;
      location?: string | null;
      projectId?: string | null;
      type: "gcp";
    };
export type GatewayAuth =
  | {
      mode: "none";
    }
  | {
      envKey: string;
      mode: "environmentVariable";
    }
  | {
      envKey?: string | null;
      mode: "externallyConfigured";
    };
export type PluginAuthPolicy = "ON_INSTALL" | "ON_USE";
export type PluginAvailability = "DISABLED_BY_ADMIN" | "AVAILABLE";
export type PluginDisabledReason = "disabled_by_admin" | "plan_not_eligible" | "required_app_unavailable" | "unknown";
export type PluginInstallPolicy = "NOT_AVAILABLE" | "AVAILABLE" | "INSTALLED_BY_DEFAULT";
export type PluginInstallPolicySource = "WORKSPACE_SETTING" | "IMPLICIT_CANONICAL_APP";
export type PluginShareDiscoverability = "LISTED" | "UNLISTED" | "PRIVATE";
export type PluginSharePrincipalType = "user" | "group" | "workspace";
export type PluginSharePrincipalRole = "reader" | "editor" | "owner";
export type PluginSource =
  | {
      path: AbsolutePathBuf;
      type: "local";
    }
  | {
      path?: string | null;
      refName?: string | null;
      sha?: string | null;
      type: "git";
      url: string;
    }
  | {
      package: string;
      registry?: string | null;
      type: "npm";
      version?: string | null;
    }
  | {
      type: "remote";
    };
export type AppTemplateUnavailableReason = "NOT_CONFIGURED_FOR_WORKSPACE" | "NO_ACTIVE_WORKSPACE";
export type ScheduledTaskSchedule =
  | {
      days?: ScheduledTaskWeekday[] | null;
      intervalHours: number;
      type: "hourly";
    }
  | {
      time: string;
      type: "daily";
    }
  | {
      time: string;
      type: "weekdays";
    }
  | {
      days: ScheduledTaskWeekday[];
      time: string;
      type: "weekly";
    };
export type ScheduledTaskWeekday = "MO" | "TU" | "WE" | "TH" | "FR" | "SA" | "SU";
export type SkillScope = "user" | "repo" | "system" | "admin";

export interface InitializeLine {
  id: RequestId;
  method: "initialize";
  params: InitializeParams;
}
export interface InitializeParams {
  capabilities?: InitializeCapabilities | null;
  clientInfo: ClientInfo;
}
export interface InitializeCapabilities {
  experimentalApi?: boolean;
  explicitGatewayOauth?: boolean;
  extensions?: {
    [k: string]: unknown;
  } | null;
  mcpServerOpenaiFormElicitation?: boolean;
  optOutNotificationMethods?: string[] | null;
  requestAttestation?: boolean;
  requiredHumanApproval?: boolean;
}
export interface ClientInfo {
  name: string;
  title?: string | null;
  version: string;
}
export interface ThreadStartLine {
  id: RequestId;
  method: "thread/start";
  params: ThreadStartParams;
}
export interface ThreadStartParams {
  allowProviderModelFallback?: boolean;
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  baseInstructions?: string | null;
  config?: {
    [k: string]: unknown;
  } | null;
  cwd?: string | null;
  daybreakEnabled?: boolean | null;
  developerInstructions?: string | null;
  dynamicTools?: DynamicToolSpec[] | null;
  environments?: TurnEnvironmentParams[] | null;
  ephemeral?: boolean | null;
  experimentalRawEvents?: boolean;
  historyMode?: ThreadHistoryMode | null;
  mockExperimentalField?: string | null;
  model?: string | null;
  modelProvider?: string | null;
  multiAgentMode?: MultiAgentMode | null;
  permissions?: string | null;
  personality?: Personality | null;
  projectId?: string | null;
  runtimeWorkspaceRoots?: AbsolutePathBuf[] | null;
  sandbox?: SandboxMode | null;
  selectedCapabilityRoots?: SelectedCapabilityRoot[] | null;
  serviceName?: string | null;
  serviceTier?: string | null;
  sessionStartSource?: ThreadStartSource | null;
  threadSource?: ThreadSource | null;
}
export interface TurnEnvironmentParams {
  cwd: LegacyAppPathString;
  environmentId: string;
  runtimeWorkspaceRoots?: LegacyAppPathString[] | null;
}
export interface SelectedCapabilityRoot {
  id: string;
  location: CapabilityRootLocation;
}
export interface ThreadResumeLine {
  id: RequestId;
  method: "thread/resume";
  params: ThreadResumeParams;
}
export interface ThreadResumeParams {
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  baseInstructions?: string | null;
  config?: {
    [k: string]: unknown;
  } | null;
  cwd?: string | null;
  developerInstructions?: string | null;
  excludeTurns?: boolean;
  history?: ResponseItem[] | null;
  initialTurnsPage?: ThreadResumeInitialTurnsPageParams | null;
  model?: string | null;
  modelProvider?: string | null;
  path?: string | null;
  permissions?: string | null;
  personality?: Personality | null;
  runtimeWorkspaceRoots?: AbsolutePathBuf[] | null;
  sandbox?: SandboxMode | null;
  serviceTier?: string | null;
  threadId: string;
}
export interface InternalChatMessageMetadataPassthrough {
  turn_id?: string | null;
}
export interface ConfigurationReasoning {
  effort: ReasoningEffort;
}
export interface ThreadResumeInitialTurnsPageParams {
  itemsView?: TurnItemsView | null;
  limit?: number | null;
  sortDirection?: SortDirection | null;
}
export interface ThreadForkLine {
  id: RequestId;
  method: "thread/fork";
  params: ThreadForkParams;
}
export interface ThreadForkParams {
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  attachToSource?: boolean;
  baseInstructions?: string | null;
  beforeTurnId?: string | null;
  config?: {
    [k: string]: unknown;
  } | null;
  cwd?: string | null;
  deferGoalContinuation?: boolean;
  developerInstructions?: string | null;
  ephemeral?: boolean;
  excludeTurns?: boolean;
  experimentalDisablePredictionMcp?: boolean;
  experimentalPredictionMode?: boolean;
  lastTurnId?: string | null;
  model?: string | null;
  modelProvider?: string | null;
  path?: string | null;
  permissions?: string | null;
  runtimeWorkspaceRoots?: AbsolutePathBuf[] | null;
  sandbox?: SandboxMode | null;
  serviceTier?: string | null;
  threadId: string;
  threadSource?: ThreadSource | null;
}
export interface ThreadSampleLine {
  id: RequestId;
  method: "thread/sample";
  params: ThreadSampleParams;
}
export interface ThreadSampleParams {
  allowInProgressTurn?: boolean;
  disableMcp?: boolean;
  effort?: ReasoningEffort | null;
  expectedTurnId: string;
  interruptOnCancel?: boolean | null;
  prompt: string;
  responsesapiClientMetadata?: {
    [k: string]: string;
  } | null;
  threadId: string;
  threadSource?: ThreadSource | null;
  turnTrigger?: string | null;
}
export interface ThreadArchiveLine {
  id: RequestId;
  method: "thread/archive";
  params: ThreadArchiveParams;
}
export interface ThreadArchiveParams {
  threadId: string;
}
export interface ThreadDeleteLine {
  id: RequestId;
  method: "thread/delete";
  params: ThreadDeleteParams;
}
export interface ThreadDeleteParams {
  threadId: string;
}
export interface ThreadUnsubscribeLine {
  id: RequestId;
  method: "thread/unsubscribe";
  params: ThreadUnsubscribeParams;
}
export interface ThreadUnsubscribeParams {
  threadId: string;
}
export interface ThreadNameSetLine {
  id: RequestId;
  method: "thread/name/set";
  params: ThreadSetNameParams;
}
export interface ThreadSetNameParams {
  name: string;
  threadId: string;
}
export interface ThreadGoalSetLine {
  id: RequestId;
  method: "thread/goal/set";
  params: ThreadGoalSetParams;
}
export interface ThreadGoalSetParams {
  objective?: string | null;
  origin?: ThreadGoalMutationOrigin | null;
  status?: ThreadGoalStatus | null;
  threadId: string;
  tokenBudget?: number | null;
}
export interface ThreadGoalGetLine {
  id: RequestId;
  method: "thread/goal/get";
  params: ThreadGoalGetParams;
}
export interface ThreadGoalGetParams {
  threadId: string;
}
export interface ThreadGoalClearLine {
  id: RequestId;
  method: "thread/goal/clear";
  params: ThreadGoalClearParams;
}
export interface ThreadGoalClearParams {
  origin?: ThreadGoalMutationOrigin | null;
  threadId: string;
}
export interface ThreadMetadataUpdateLine {
  id: RequestId;
  method: "thread/metadata/update";
  params: ThreadMetadataUpdateParams;
}
export interface ThreadMetadataUpdateParams {
  daybreakEnabled?: boolean | null;
  gitInfo?: ThreadMetadataGitInfoUpdateParams | null;
  projectId?: string | null;
  threadId: string;
}
export interface ThreadMetadataGitInfoUpdateParams {
  branch?: string | null;
  originUrl?: string | null;
  sha?: string | null;
}
export interface ThreadAttachmentAddLine {
  id: RequestId;
  method: "thread/attachment/add";
  params: ThreadAttachmentAddParams;
}
export interface ThreadAttachmentAddParams {
  attachmentType: string;
  identityKey: string;
  payload: unknown;
  threadId: string;
}
export interface ThreadAttachmentListLine {
  id: RequestId;
  method: "thread/attachment/list";
  params: ThreadAttachmentListParams;
}
export interface ThreadAttachmentListParams {
  cursor?: string | null;
  limit?: number | null;
  threadId: string;
}
export interface ThreadAttachmentOwnerListLine {
  id: RequestId;
  method: "thread/attachmentOwner/list";
  params: ThreadAttachmentOwnerListParams;
}
export interface ThreadAttachmentOwnerListParams {
  archived?: boolean | null;
  attachmentType: string;
  cursor?: string | null;
  identityKey: string;
  limit?: number | null;
}
export interface ThreadAttachmentRemoveLine {
  id: RequestId;
  method: "thread/attachment/remove";
  params: ThreadAttachmentRemoveParams;
}
export interface ThreadAttachmentRemoveParams {
  attachmentType: string;
  identityKey: string;
  threadId: string;
}
export interface ThreadSettingsUpdateLine {
  id: RequestId;
  method: "thread/settings/update";
  params: ThreadSettingsUpdateParams;
}
export interface ThreadSettingsUpdateParams {
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  collaborationMode?: CollaborationMode | null;
  cwd?: string | null;
  disabledPluginIds?: string[] | null;
  effort?: ReasoningEffort | null;
  environments?: TurnEnvironmentParams[] | null;
  model?: string | null;
  multiAgentMode?: MultiAgentMode | null;
  permissions?: string | null;
  personality?: Personality | null;
  sandboxPolicy?: SandboxPolicy | null;
  serviceTier?: string | null;
  summary?: ReasoningSummary | null;
  threadId: string;
}
export interface CollaborationMode {
  mode: ModeKind;
  settings: Settings;
}
export interface Settings {
  developer_instructions?: string | null;
  model: string;
  reasoning_effort?: ReasoningEffort | null;
}
export interface ThreadMemoryModeSetLine {
  id: RequestId;
  method: "thread/memoryMode/set";
  params: ThreadMemoryModeSetParams;
}
export interface ThreadMemoryModeSetParams {
  mode: ThreadMemoryMode;
  threadId: string;
}
export interface ThreadUnarchiveLine {
  id: RequestId;
  method: "thread/unarchive";
  params: ThreadUnarchiveParams;
}
export interface ThreadUnarchiveParams {
  threadId: string;
}
export interface ThreadCompactStartLine {
  id: RequestId;
  method: "thread/compact/start";
  params: ThreadCompactStartParams;
}
export interface ThreadCompactStartParams {
  threadId: string;
}
export interface ThreadShellCommandLine {
  id: RequestId;
  method: "thread/shellCommand";
  params: ThreadShellCommandParams;
}
export interface ThreadShellCommandParams {
  command: string;
  threadId: string;
  timeoutMs?: number | null;
}
export interface ThreadApproveGuardianDeniedActionLine {
  id: RequestId;
  method: "thread/approveGuardianDeniedAction";
  params: ThreadApproveGuardianDeniedActionParams;
}
export interface ThreadApproveGuardianDeniedActionParams {
  event: unknown;
  threadId: string;
}
export interface ThreadBackgroundTerminalsCleanLine {
  id: RequestId;
  method: "thread/backgroundTerminals/clean";
  params: ThreadBackgroundTerminalsCleanParams;
}
export interface ThreadBackgroundTerminalsCleanParams {
  threadId: string;
}
export interface ThreadBackgroundTerminalsListLine {
  id: RequestId;
  method: "thread/backgroundTerminals/list";
  params: ThreadBackgroundTerminalsListParams;
}
export interface ThreadBackgroundTerminalsListParams {
  cursor?: string | null;
  limit?: number | null;
  threadId: string;
}
export interface ThreadBackgroundTerminalsTerminateLine {
  id: RequestId;
  method: "thread/backgroundTerminals/terminate";
  params: ThreadBackgroundTerminalsTerminateParams;
}
export interface ThreadBackgroundTerminalsTerminateParams {
  processId: string;
  threadId: string;
}
export interface ThreadRevertLine {
  id: RequestId;
  method: "thread/revert";
  params: ThreadRevertParams;
}
export interface ThreadRevertParams {
  beforeTurnId: string;
  threadId: string;
}
export interface ThreadListLine {
  id: RequestId;
  method: "thread/list";
  params: ThreadListParams;
}
export interface ThreadListParams {
  ancestorThreadId?: string | null;
  archived?: boolean | null;
  attachedToThreadId?: string | null;
  currentAccountOnly?: boolean;
  cursor?: string | null;
  cwd?: ThreadListCwdFilter | null;
  excludedThreadIds?: string[] | null;
  includeAttachedThreads?: boolean;
  limit?: number | null;
  modelProviders?: string[] | null;
  originators?: string[] | null;
  parentThreadId?: string | null;
  projectId?: string | null;
  searchTerm?: string | null;
  sectionId?: string | null;
  sortDirection?: SortDirection | null;
  sortKey?: ThreadSortKey | null;
  sourceKinds?: ThreadSourceKind[] | null;
  useStateDbOnly?: boolean;
}
export interface ThreadSearchLine {
  id: RequestId;
  method: "thread/search";
  params: ThreadSearchParams;
}
export interface ThreadSearchParams {
  archived?: boolean | null;
  currentAccountOnly?: boolean;
  cursor?: string | null;
  includeAttachedThreads?: boolean;
  limit?: number | null;
  searchTerm: string;
  sortDirection?: SortDirection | null;
  sortKey?: ThreadSearchSortKey | null;
  sourceKinds?: ThreadSourceKind[] | null;
}
export interface ThreadLoadedListLine {
  id: RequestId;
  method: "thread/loaded/list";
  params: ThreadLoadedListParams;
}
export interface ThreadLoadedListParams {
  cursor?: string | null;
  limit?: number | null;
}
export interface ThreadReadLine {
  id: RequestId;
  method: "thread/read";
  params: ThreadReadParams;
}
export interface ThreadReadParams {
  includeTurns?: boolean;
  threadId: string;
}
export interface ThreadReadStateUpdateLine {
  id: RequestId;
  method: "thread/readState/update";
  params: ThreadReadStateUpdateParams;
}
export interface ThreadReadStateUpdateParams {
  expectedRevision: string;
  operation: ThreadReadStateOperation;
  threadId: string;
}
export interface ThreadTurnsListLine {
  id: RequestId;
  method: "thread/turns/list";
  params: ThreadTurnsListParams;
}
export interface ThreadTurnsListParams {
  cursor?: string | null;
  itemsView?: TurnItemsView | null;
  limit?: number | null;
  sortDirection?: SortDirection | null;
  threadId: string;
}
export interface ThreadItemsListLine {
  id: RequestId;
  method: "thread/items/list";
  params: ThreadItemsListParams;
}
export interface ThreadItemsListParams {
  cursor?: ThreadItemsListCursor | null;
  deferOutput?: ThreadItemOutputDeferral | null;
  limit?: number | null;
  sortDirection?: SortDirection | null;
  threadId: string;
  turnId?: string | null;
}
export interface ThreadItemOutputDeferral {
  commandExecution?: boolean;
  mcpToolCall?: boolean;
}
export interface ThreadInjectItemsLine {
  id: RequestId;
  method: "thread/inject_items";
  params: ThreadInjectItemsParams;
}
export interface ThreadInjectItemsParams {
  items: unknown[];
  threadId: string;
}
export interface TurnStartLine {
  id: RequestId;
  method: "turn/start";
  params: TurnStartParams;
}
export interface TurnStartParams {
  additionalContext?: {
    [k: string]: AdditionalContextEntry;
  } | null;
  approvalPolicy?: AskForApproval | null;
  approvalsReviewer?: ApprovalsReviewer | null;
  clientUserMessageId?: string | null;
  collaborationMode?: CollaborationMode | null;
  cwd?: string | null;
  cyberAccessProgram?: CyberAccessProgram | null;
  disabledPluginIds?: string[] | null;
  effort?: ReasoningEffort | null;
  environments?: TurnEnvironmentParams[] | null;
  input: UserInput[];
  model?: string | null;
  multiAgentMode?: MultiAgentMode | null;
  outputSchema?: unknown;
  parentTurnId?: string | null;
  permissions?: string | null;
  personality?: Personality | null;
  responsesapiClientMetadata?: {
    [k: string]: string;
  } | null;
  responsesapiClientMetadataPatch?: {
    [k: string]: string;
  } | null;
  rootTurnId?: string | null;
  runtimeWorkspaceRoots?: AbsolutePathBuf[] | null;
  sandboxPolicy?: SandboxPolicy | null;
  serviceTier?: string | null;
  serviceTierForTurn?: string | null;
  summary?: ReasoningSummary | null;
  threadId: string;
  toolOutput?: TurnToolOutput | null;
  turnTrigger?: string | null;
}
export interface AdditionalContextEntry {
  kind: AdditionalContextKind;
  name?: string | null;
  value: string;
}
export interface TextElement {
  byteRange: ByteRange;
  placeholder?: string | null;
}
export interface ByteRange {
  end: number;
  start: number;
}
export interface TurnToolOutput {
  name: string;
  namespace?: string | null;
  output: FunctionCallOutputBody;
  retain?: boolean;
}
export interface TurnSteerLine {
  id: RequestId;
  method: "turn/steer";
  params: TurnSteerParams;
}
export interface TurnSteerParams {
  additionalContext?: {
    [k: string]: AdditionalContextEntry;
  } | null;
  clientUserMessageId?: string | null;
  expectedTurnId: string;
  input: UserInput[];
  responsesapiClientMetadata?: {
    [k: string]: string;
  } | null;
  responsesapiClientMetadataPatch?: {
    [k: string]: string;
  } | null;
  threadId: string;
}
export interface TurnInterruptLine {
  id: RequestId;
  method: "turn/interrupt";
  params: TurnInterruptParams;
}
export interface TurnInterruptParams {
  threadId: string;
  turnId: string;
}
export interface ReviewStartLine {
  id: RequestId;
  method: "review/start";
  params: ReviewStartParams;
}
export interface ReviewStartParams {
  delivery?: ReviewDelivery | null;
  target: ReviewTarget;
  threadId: string;
}
export interface ModelListLine {
  id: RequestId;
  method: "model/list";
  params: ModelListParams;
}
export interface ModelListParams {
  cursor?: string | null;
  includeHidden?: boolean | null;
  limit?: number | null;
  modelProvider?: string | null;
}
export interface AccountLoginStartLine {
  id: RequestId;
  method: "account/login/start";
  params: LoginAccountParams;
}
export interface AccountBedrockCheckGovCloudRequirementsLine {
  id: RequestId;
  method: "account/bedrock/checkGovCloudRequirements";
  params: BedrockCheckGovCloudRequirementsParams;
}
export interface BedrockCheckGovCloudRequirementsParams {}
export interface AccountLoginCancelLine {
  id: RequestId;
  method: "account/login/cancel";
  params: CancelLoginAccountParams;
}
export interface CancelLoginAccountParams {
  loginId: string;
}
export interface AccountLogoutLine {
  id: RequestId;
  method: "account/logout";
  params?: null;
}
export interface AccountSecuritySetupReadLine {
  id: RequestId;
  method: "account/securitySetup/read";
  params?: null;
}
export interface AccountRateLimitsReadLine {
  id: RequestId;
  method: "account/rateLimits/read";
  params?: GetAccountRateLimitsParams | null;
}
export interface GetAccountRateLimitsParams {
  excludeResetCreditDetails?: boolean;
  supportsLunaReserve?: boolean;
}
export interface AccountRateLimitResetCreditConsumeLine {
  id: RequestId;
  method: "account/rateLimitResetCredit/consume";
  params: ConsumeAccountRateLimitResetCreditParams;
}
export interface ConsumeAccountRateLimitResetCreditParams {
  creditId?: string | null;
  idempotencyKey: string;
}
export interface AccountUsageReadLine {
  id: RequestId;
  method: "account/usage/read";
  params?: GetAccountTokenUsageParams | null;
}
export interface GetAccountTokenUsageParams {
  threadId?: string | null;
}
export interface AccountWorkspaceMessagesReadLine {
  id: RequestId;
  method: "account/workspaceMessages/read";
  params?: null;
}
export interface AccountSendAddCreditsNudgeEmailLine {
  id: RequestId;
  method: "account/sendAddCreditsNudgeEmail";
  params: SendAddCreditsNudgeEmailParams;
}
export interface SendAddCreditsNudgeEmailParams {
  creditType: AddCreditsNudgeCreditType;
}
export interface AccountReadLine {
  id: RequestId;
  method: "account/read";
  params: GetAccountParams;
}
export interface GetAccountParams {
  refreshToken?: boolean;
}
export interface ConfigMcpServerReloadLine {
  id: RequestId;
  method: "config/mcpServer/reload";
  params?: null;
}
export interface ConfigReadLine {
  id: RequestId;
  method: "config/read";
  params: ConfigReadParams;
}
export interface ConfigReadParams {
  cwd?: string | null;
  includeLayers?: boolean;
}
export interface ConfigValueWriteLine {
  id: RequestId;
  method: "config/value/write";
  params: ConfigValueWriteParams;
}
export interface ConfigValueWriteParams {
  expectedVersion?: string | null;
  filePath?: string | null;
  keyPath: string;
  mergeStrategy: MergeStrategy;
  value: unknown;
}
export interface ConfigBatchWriteLine {
  id: RequestId;
  method: "config/batchWrite";
  params: ConfigBatchWriteParams;
}
export interface ConfigBatchWriteParams {
  edits: ConfigEdit[];
  expectedVersion?: string | null;
  filePath?: string | null;
  reloadUserConfig?: boolean;
}
export interface ConfigEdit {
  keyPath: string;
  mergeStrategy: MergeStrategy;
  value: unknown;
}
export interface AppReadLine {
  id: RequestId;
  method: "app/read";
  params: AppsReadParams;
}
export interface AppsReadParams {
  appIds: string[];
  includeTools?: boolean;
  threadId?: string | null;
}
export interface AppListLine {
  id: RequestId;
  method: "app/list";
  params: AppsListParams;
}
export interface AppsListParams {
  cursor?: string | null;
  forceRefetch?: boolean;
  limit?: number | null;
  threadId?: string | null;
}
export interface AppInstalledLine {
  id: RequestId;
  method: "app/installed";
  params: AppsInstalledParams;
}
export interface AppsInstalledParams {
  forceRefresh?: boolean;
  threadId?: string | null;
}
export interface CollaborationModeListLine {
  id: RequestId;
  method: "collaborationMode/list";
  params: CollaborationModeListParams;
}
export interface CollaborationModeListParams {}
export interface CommandExecLine {
  id: RequestId;
  method: "command/exec";
  params: CommandExecParams;
}
export interface CommandExecParams {
  command: string[];
  cwd?: string | null;
  disableOutputCap?: boolean;
  disableTimeout?: boolean;
  env?: {
    [k: string]: string | null;
  } | null;
  outputBytesCap?: number | null;
  permissionProfile?: string | null;
  processId?: string | null;
  sandboxPolicy?: SandboxPolicy | null;
  size?: CommandExecTerminalSize | null;
  streamStdin?: boolean;
  streamStdoutStderr?: boolean;
  timeoutMs?: number | null;
  tty?: boolean;
}
export interface CommandExecTerminalSize {
  cols: number;
  rows: number;
}
export interface CommandExecWriteLine {
  id: RequestId;
  method: "command/exec/write";
  params: CommandExecWriteParams;
}
export interface CommandExecWriteParams {
  closeStdin?: boolean;
  deltaBase64?: string | null;
  processId: string;
}
export interface CommandExecTerminateLine {
  id: RequestId;
  method: "command/exec/terminate";
  params: CommandExecTerminateParams;
}
export interface CommandExecTerminateParams {
  processId: string;
}
export interface CommandExecResizeLine {
  id: RequestId;
  method: "command/exec/resize";
  params: CommandExecResizeParams;
}
export interface CommandExecResizeParams {
  processId: string;
  size: CommandExecTerminalSize;
}
export interface ConfigRequirementsReadLine {
  id: RequestId;
  method: "configRequirements/read";
  params?: null;
}
export interface ExperimentalFeatureListLine {
  id: RequestId;
  method: "experimentalFeature/list";
  params: ExperimentalFeatureListParams;
}
export interface ExperimentalFeatureListParams {
  cursor?: string | null;
  limit?: number | null;
  threadId?: string | null;
}
export interface ExperimentalFeatureEnablementSetLine {
  id: RequestId;
  method: "experimentalFeature/enablement/set";
  params: ExperimentalFeatureEnablementSetParams;
}
export interface ExperimentalFeatureEnablementSetParams {
  enablement: {
    [k: string]: boolean;
  };
}
export interface ExternalAgentConfigDetectLine {
  id: RequestId;
  method: "externalAgentConfig/detect";
  params: ExternalAgentConfigDetectParams;
}
export interface ExternalAgentConfigDetectParams {
  cwds?: string[] | null;
  includeHome?: boolean;
  maxSessionAgeDays?: number | null;
  maxSessions?: number | null;
  migrationSource?: string | null;
  source?: string | null;
}
export interface ExternalAgentConfigImportLine {
  id: RequestId;
  method: "externalAgentConfig/import";
  params: ExternalAgentConfigImportParams;
}
export interface ExternalAgentConfigImportParams {
  migrationItems: ExternalAgentConfigMigrationItem[];
  migrationSource?: string | null;
  providerId?: string | null;
  source?: string | null;
}
export interface ExternalAgentConfigMigrationItem {
  cwd?: string | null;
  description: string;
  details?: MigrationDetails | null;
  itemType: ExternalAgentConfigMigrationItemType;
}
export interface MigrationDetails {
  commands?: CommandMigration[];
  hooks?: HookMigration[];
  mcpServers?: McpServerMigration[];
  memory?: string[];
  plugins?: PluginsMigration[];
  sessions?: SessionMigration[];
  skills?: SkillMigration[];
  subagents?: SubagentMigration[];
}
export interface CommandMigration {
  name: string;
}
export interface HookMigration {
  name: string;
}
export interface McpServerMigration {
  name: string;
}
export interface PluginsMigration {
  marketplaceName: string;
  pluginNames: string[];
}
export interface SessionMigration {
  cwd: string;
  path: string;
  title?: string | null;
}
export interface SkillMigration {
  name: string;
}
export interface SubagentMigration {
  name: string;
}
export interface ExternalAgentConfigImportRecordHistoryLine {
  id: RequestId;
  method: "externalAgentConfig/import/recordHistory";
  params: ExternalAgentConfigImportHistoryRecordParams;
}
export interface ExternalAgentConfigImportHistoryRecordParams {
  itemTypeResults: ExternalAgentConfigImportHistoryRecordTypeResultParams[];
  providerId: string;
}
export interface ExternalAgentConfigImportHistoryRecordTypeResultParams {
  failures: ExternalAgentConfigImportItemTypeFailure[];
  itemType: ExternalAgentConfigMigrationItemType;
  successes: ExternalAgentConfigImportHistoryRecordSuccessParams[];
}
export interface ExternalAgentConfigImportItemTypeFailure {
  cwd?: string | null;
  errorType?: string | null;
  failureStage: string;
  itemType: ExternalAgentConfigMigrationItemType;
  message: string;
  source?: string | null;
  subErrorType?: string | null;
}
export interface ExternalAgentConfigImportHistoryRecordSuccessParams {
  cwd?: string | null;
  itemType: ExternalAgentConfigMigrationItemType;
  source?: string | null;
  target?: string | null;
  title?: string | null;
}
export interface ExternalAgentConfigImportReadHistoriesLine {
  id: RequestId;
  method: "externalAgentConfig/import/readHistories";
  params?: null;
}
export interface FeedbackUploadLine {
  id: RequestId;
  method: "feedback/upload";
  params: FeedbackUploadParams;
}
export interface FeedbackUploadParams {
  classification: string;
  extraLogFiles?: string[] | null;
  includeLogs?: boolean;
  reason?: string | null;
  tags?: {
    [k: string]: string;
  } | null;
  threadId?: string | null;
}
export interface FeedbackSaveLine {
  id: RequestId;
  method: "feedback/save";
  params: FeedbackSaveParams;
}
export interface FeedbackSaveParams {
  classification: string;
  extraLogFiles?: string[] | null;
  includeLogs?: boolean;
  reason?: string | null;
  savePath: LegacyAppPathString;
  tags?: {
    [k: string]: string;
  } | null;
  threadId?: string | null;
}
export interface FsReadFileLine {
  id: RequestId;
  method: "fs/readFile";
  params: FsReadFileParams;
}
export interface FsReadFileParams {
  path: AbsolutePathBuf;
}
export interface FsWriteFileLine {
  id: RequestId;
  method: "fs/writeFile";
  params: FsWriteFileParams;
}
export interface FsWriteFileParams {
  dataBase64: string;
  path: AbsolutePathBuf;
}
export interface FsCreateDirectoryLine {
  id: RequestId;
  method: "fs/createDirectory";
  params: FsCreateDirectoryParams;
}
export interface FsCreateDirectoryParams {
  path: AbsolutePathBuf;
  recursive?: boolean | null;
}
export interface FsGetMetadataLine {
  id: RequestId;
  method: "fs/getMetadata";
  params: FsGetMetadataParams;
}
export interface FsGetMetadataParams {
  path: AbsolutePathBuf;
}
export interface FsReadDirectoryLine {
  id: RequestId;
  method: "fs/readDirectory";
  params: FsReadDirectoryParams;
}
export interface FsReadDirectoryParams {
  path: AbsolutePathBuf;
}
export interface FsRemoveLine {
  id: RequestId;
  method: "fs/remove";
  params: FsRemoveParams;
}
export interface FsRemoveParams {
  force?: boolean | null;
  path: AbsolutePathBuf;
  recursive?: boolean | null;
}
export interface FsCopyLine {
  id: RequestId;
  method: "fs/copy";
  params: FsCopyParams;
}
export interface FsCopyParams {
  destinationPath: AbsolutePathBuf;
  recursive?: boolean;
  sourcePath: AbsolutePathBuf;
}
export interface FsWatchLine {
  id: RequestId;
  method: "fs/watch";
  params: FsWatchParams;
}
export interface FsWatchParams {
  path: AbsolutePathBuf;
  watchId: string;
}
export interface FsUnwatchLine {
  id: RequestId;
  method: "fs/unwatch";
  params: FsUnwatchParams;
}
export interface FsUnwatchParams {
  watchId: string;
}
export interface FuzzyFileSearchLine {
  id: RequestId;
  method: "fuzzyFileSearch";
  params: FuzzyFileSearchParams;
}
export interface FuzzyFileSearchParams {
  cancellationToken?: string | null;
  query: string;
  roots: string[];
}
export interface FuzzyFileSearchSessionStartLine {
  id: RequestId;
  method: "fuzzyFileSearch/sessionStart";
  params: FuzzyFileSearchSessionStartParams;
}
export interface FuzzyFileSearchSessionStartParams {
  roots: string[];
  sessionId: string;
}
export interface FuzzyFileSearchSessionUpdateLine {
  id: RequestId;
  method: "fuzzyFileSearch/sessionUpdate";
  params: FuzzyFileSearchSessionUpdateParams;
}
export interface FuzzyFileSearchSessionUpdateParams {
  query: string;
  sessionId: string;
}
export interface FuzzyFileSearchSessionStopLine {
  id: RequestId;
  method: "fuzzyFileSearch/sessionStop";
  params: FuzzyFileSearchSessionStopParams;
}
export interface FuzzyFileSearchSessionStopParams {
  sessionId: string;
}
export interface HooksListLine {
  id: RequestId;
  method: "hooks/list";
  params: HooksListParams;
}
export interface HooksListParams {
  cwds?: string[];
  threadId?: string | null;
}
export interface McpServerOauthLoginLine {
  id: RequestId;
  method: "mcpServer/oauth/login";
  params: McpServerOauthLoginParams;
}
export interface McpServerOauthLoginParams {
  clientRegistration?: McpServerOauthClientRegistration | null;
  name: string;
  scopes?: string[] | null;
  threadId?: string | null;
  timeoutSecs?: number | null;
}
export interface McpServerResourceReadLine {
  id: RequestId;
  method: "mcpServer/resource/read";
  params: McpResourceReadParams;
}
export interface McpResourceReadParams {
  _meta?: {
    [k: string]: unknown;
  } | null;
  connectorId?: string | null;
  originCallId?: string | null;
  server: string;
  target?: McpResourceReadTarget | null;
  threadId?: string | null;
  uri: string;
}
export interface McpResourceReadTarget {
  connectorId: string;
  linkId: string | null;
}
export interface McpServerToolCallLine {
  id: RequestId;
  method: "mcpServer/tool/call";
  params: McpServerToolCallParams;
}
export interface McpServerToolCallParams {
  _meta?: unknown;
  arguments?: unknown;
  server: string;
  threadId: string;
  tool: string;
}
export interface McpServerStatusListLine {
  id: RequestId;
  method: "mcpServerStatus/list";
  params: ListMcpServerStatusParams;
}
export interface ListMcpServerStatusParams {
  cursor?: string | null;
  detail?: McpServerStatusDetail | null;
  limit?: number | null;
  serverName?: string | null;
  threadId?: string | null;
}
export interface ModelProviderListLine {
  id: RequestId;
  method: "modelProvider/list";
  params: ModelProviderListParams;
}
export interface ModelProviderListParams {}
export interface ModelProviderConfigWriteLine {
  id: RequestId;
  method: "modelProvider/config/write";
  params: ModelProviderConfigWriteParams;
}
export interface ModelProviderConfigWriteParams {
  settings: ProviderSettingsPatch;
}
export interface ModelProviderCapabilitiesReadLine {
  id: RequestId;
  method: "modelProvider/capabilities/read";
  params: ModelProviderCapabilitiesReadParams;
}
export interface ModelProviderCapabilitiesReadParams {}
export interface PermissionProfileListLine {
  id: RequestId;
  method: "permissionProfile/list";
  params: PermissionProfileListParams;
}
export interface PermissionProfileListParams {
  cursor?: string | null;
  cwd?: string | null;
  limit?: number | null;
}
export interface PluginListLine {
  id: RequestId;
  method: "plugin/list";
  params: PluginListParams;
}
export interface PluginListParams {
  cwds?: AbsolutePathBuf[] | null;
  forceRefetch?: boolean;
  marketplaceKinds?: PluginListMarketplaceKind[] | null;
}
export interface PluginInstalledLine {
  id: RequestId;
  method: "plugin/installed";
  params: PluginInstalledParams;
}
export interface PluginInstalledParams {
  cwds?: AbsolutePathBuf[] | null;
  installSuggestionPluginNames?: string[] | null;
}
export interface PluginReconcileLine {
  id: RequestId;
  method: "plugin/reconcile";
  params: PluginReconcileParams;
}
export interface PluginReconcileParams {
  reason?: string | null;
}
export interface PluginReadLine {
  id: RequestId;
  method: "plugin/read";
  params: PluginReadParams;
}
export interface PluginReadParams {
  marketplacePath?: AbsolutePathBuf | null;
  pluginName: string;
  remoteMarketplaceName?: string | null;
}
export interface PluginSkillReadLine {
  id: RequestId;
  method: "plugin/skill/read";
  params: PluginSkillReadParams;
}
export interface PluginSkillReadParams {
  remoteMarketplaceName: string;
  remotePluginId: string;
  skillName: string;
}
export interface PluginInstallLine {
  id: RequestId;
  method: "plugin/install";
  params: PluginInstallParams;
}
export interface PluginInstallParams {
  installAttemptId?: string | null;
  marketplacePath?: AbsolutePathBuf | null;
  pluginName: string;
  remoteMarketplaceName?: string | null;
}
export interface PluginUninstallLine {
  id: RequestId;
  method: "plugin/uninstall";
  params: PluginUninstallParams;
}
export interface PluginUninstallParams {
  pluginId: string;
}
export interface SkillsListLine {
  id: RequestId;
  method: "skills/list";
  params: SkillsListParams;
}
export interface SkillsListParams {
  cwds?: string[];
  forceReload?: boolean;
}
export interface SkillsExtraRootsSetLine {
  id: RequestId;
  method: "skills/extraRoots/set";
  params: SkillsExtraRootsSetParams;
}
export interface SkillsExtraRootsSetParams {
  extraRoots: AbsolutePathBuf[];
}
export interface SkillsConfigWriteLine {
  id: RequestId;
  method: "skills/config/write";
  params: SkillsConfigWriteParams;
}
export interface SkillsConfigWriteParams {
  enabled: boolean;
  name?: string | null;
  path?: AbsolutePathBuf | null;
}
export interface InitializedLine {
  method: "initialized";
}
export interface ClientResult {
  id: RequestId;
  result:
    | CommandExecutionRequestApprovalResponse
    | FileChangeRequestApprovalResponse
    | PermissionsRequestApprovalResponse
    | ToolRequestUserInputResponse
    | McpServerElicitationRequestResponse
    | DynamicToolCallResponse;
}
export interface CommandExecutionRequestApprovalResponse {
  decision: CommandExecutionApprovalDecision;
}
export interface NetworkPolicyAmendment {
  action: NetworkPolicyRuleAction;
  host: string;
}
export interface FileChangeRequestApprovalResponse {
  decision: FileChangeApprovalDecision;
}
export interface PermissionsRequestApprovalResponse {
  permissions: GrantedPermissionProfile;
  scope?: PermissionGrantScope & string;
  strictAutoReview?: boolean | null;
}
export interface GrantedPermissionProfile {
  fileSystem?: AdditionalFileSystemPermissions | null;
  network?: AdditionalNetworkPermissions | null;
}
export interface AdditionalFileSystemPermissions {
  entries?: FileSystemSandboxEntry[] | null;
  globScanMaxDepth?: number | null;
  read?: LegacyAppPathString[] | null;
  write?: LegacyAppPathString[] | null;
}
export interface FileSystemSandboxEntry {
  access: FileSystemAccessMode;
  path: FileSystemPath;
}
export interface AdditionalNetworkPermissions {
  enabled?: boolean | null;
}
export interface ToolRequestUserInputResponse {
  answers: {
    [k: string]: ToolRequestUserInputAnswer;
  };
}
export interface ToolRequestUserInputAnswer {
  answers: string[];
}
export interface McpServerElicitationRequestResponse {
  _meta?: unknown;
  action: McpServerElicitationAction;
  content?: unknown;
}
export interface DynamicToolCallResponse {
  contentItems: DynamicToolCallOutputContentItem[];
  success: boolean;
}
export interface Failure {
  error: JSONRPCErrorError;
  id: RequestId | null;
}
export interface JSONRPCErrorError {
  code: number;
  data?: unknown;
  message: string;
}
export interface ItemCommandExecutionRequestApprovalLine {
  id: RequestId;
  method: "item/commandExecution/requestApproval";
  params: CommandExecutionRequestApprovalParams;
}
export interface CommandExecutionRequestApprovalParams {
  additionalPermissions?: AdditionalPermissionProfile | null;
  approvalId?: string | null;
  availableDecisions?: CommandExecutionApprovalDecision[] | null;
  command?: string | null;
  commandActions?: CommandAction[] | null;
  cwd?: LegacyAppPathString | null;
  environmentId?: string | null;
  itemId: string;
  kind?: CommandExecutionApprovalKind & string;
  networkApprovalContext?: NetworkApprovalContext | null;
  proposedExecpolicyAmendment?: string[] | null;
  proposedNetworkPolicyAmendments?: NetworkPolicyAmendment[] | null;
  reason?: string | null;
  startedAtMs: number;
  threadId: string;
  turnId: string;
}
export interface AdditionalPermissionProfile {
  fileSystem?: AdditionalFileSystemPermissions | null;
  network?: AdditionalNetworkPermissions | null;
}
export interface NetworkApprovalContext {
  host: string;
  protocol: NetworkApprovalProtocol;
}
export interface ItemFileChangeRequestApprovalLine {
  id: RequestId;
  method: "item/fileChange/requestApproval";
  params: FileChangeRequestApprovalParams;
}
export interface FileChangeRequestApprovalParams {
  grantRoot?: string | null;
  itemId: string;
  reason?: string | null;
  startedAtMs: number;
  threadId: string;
  turnId: string;
}
export interface ItemPermissionsRequestApprovalLine {
  id: RequestId;
  method: "item/permissions/requestApproval";
  params: PermissionsRequestApprovalParams;
}
export interface PermissionsRequestApprovalParams {
  cwd: LegacyAppPathString;
  environmentId?: string | null;
  itemId: string;
  permissions: RequestPermissionProfile;
  reason?: string | null;
  startedAtMs: number;
  threadId: string;
  turnId: string;
}
export interface RequestPermissionProfile {
  fileSystem?: AdditionalFileSystemPermissions | null;
  network?: AdditionalNetworkPermissions | null;
}
export interface ItemToolRequestUserInputLine {
  id: RequestId;
  method: "item/tool/requestUserInput";
  params: ToolRequestUserInputParams;
}
export interface ToolRequestUserInputParams {
  autoResolutionMs?: number | null;
  isBlocking: boolean;
  itemId: string;
  questions: ToolRequestUserInputQuestion[];
  threadId: string;
  turnId: string;
}
export interface ToolRequestUserInputQuestion {
  header: string;
  id: string;
  isOther?: boolean;
  isSecret?: boolean;
  options?: ToolRequestUserInputOption[] | null;
  question: string;
}
export interface ToolRequestUserInputOption {
  description: string;
  label: string;
}
export interface McpServerElicitationRequestLine {
  id: RequestId;
  method: "mcpServer/elicitation/request";
  params: McpServerElicitationRequestParams;
}
export interface McpElicitationSchema {
  properties: {
    [k: string]: McpElicitationPrimitiveSchema;
  };
  required?: string[] | null;
  type: McpElicitationObjectType;
}
export interface McpElicitationUntitledSingleSelectEnumSchema {
  default?: string | null;
  description?: string | null;
  enum: string[];
  title?: string | null;
  type: McpElicitationStringType;
}
export interface McpElicitationTitledSingleSelectEnumSchema {
  default?: string | null;
  description?: string | null;
  oneOf: McpElicitationConstOption[];
  title?: string | null;
  type: McpElicitationStringType;
}
export interface McpElicitationConstOption {
  const: string;
  title: string;
}
export interface McpElicitationUntitledMultiSelectEnumSchema {
  default?: string[] | null;
  description?: string | null;
  items: McpElicitationUntitledEnumItems;
  maxItems?: number | null;
  minItems?: number | null;
  title?: string | null;
  type: McpElicitationArrayType;
}
export interface McpElicitationUntitledEnumItems {
  enum: string[];
  type: McpElicitationStringType;
}
export interface McpElicitationTitledMultiSelectEnumSchema {
  default?: string[] | null;
  description?: string | null;
  items: McpElicitationTitledEnumItems;
  maxItems?: number | null;
  minItems?: number | null;
  title?: string | null;
  type: McpElicitationArrayType;
}
export interface McpElicitationTitledEnumItems {
  anyOf: McpElicitationConstOption[];
}
export interface McpElicitationLegacyTitledEnumSchema {
  default?: string | null;
  description?: string | null;
  enum: string[];
  enumNames?: string[] | null;
  title?: string | null;
  type: McpElicitationStringType;
}
export interface McpElicitationStringSchema {
  default?: string | null;
  description?: string | null;
  format?: McpElicitationStringFormat | null;
  maxLength?: number | null;
  minLength?: number | null;
  title?: string | null;
  type: McpElicitationStringType;
}
export interface McpElicitationNumberSchema {
  default?: number | null;
  description?: string | null;
  maximum?: number | null;
  minimum?: number | null;
  title?: string | null;
  type: McpElicitationNumberType;
}
export interface McpElicitationBooleanSchema {
  default?: boolean | null;
  description?: string | null;
  title?: string | null;
  type: McpElicitationBooleanType;
}
export interface ItemToolCallLine {
  id: RequestId;
  method: "item/tool/call";
  params: DynamicToolCallParams;
}
export interface DynamicToolCallParams {
  arguments: unknown;
  callId: string;
  namespace?: string | null;
  threadId: string;
  tool: string;
  turnId: string;
}
export interface ErrorLine {
  emittedAtMs?: number;
  method: "error";
  params: ErrorNotification;
}
export interface ErrorNotification {
  error: TurnError;
  threadId: string;
  turnId: string;
  willRetry: boolean;
}
export interface TurnError {
  additionalDetails?: string | null;
  codexErrorInfo?: CodexErrorInfo | null;
  message: string;
  misalignment?: MisalignmentErrorDetails | null;
}
export interface MisalignmentErrorDetails {
  detailedExplanation?: string | null;
  errorType?: string | null;
  reviewTarget?: string | null;
  steer?: MisalignmentSteer | null;
}
export interface MisalignmentSteer {
  message: string;
}
export interface ThreadStartedLine {
  emittedAtMs?: number;
  method: "thread/started";
  params: ThreadStartedNotification;
}
export interface ThreadStartedNotification {
  thread: Thread;
}
export interface Thread {
  agentNickname?: string | null;
  agentRole?: string | null;
  attachedToThreadId?: string | null;
  canAcceptDirectInput?: boolean | null;
  cliVersion: string;
  createdAt: number;
  cwd: AbsolutePathBuf;
  daybreakEnabled?: boolean | null;
  environments?: ThreadEnvironment[] | null;
  ephemeral: boolean;
  extra?: ThreadExtra | null;
  forkedFromId?: string | null;
  gitInfo?: GitInfo | null;
  historyMode?: ThreadHistoryMode & string;
  id: string;
  model?: string | null;
  modelProvider: string;
  name?: string | null;
  originator?: string | null;
  parentThreadId?: string | null;
  path?: string | null;
  preview: string;
  projectId: string | null;
  reasoningEffort?: ReasoningEffort | null;
  recencyAt?: number | null;
  section?: ThreadSection | null;
  sectionEnteredAt?: number | null;
  sessionId: string;
  source: SessionSource;
  status: ThreadStatus;
  threadSource?: ThreadSource | null;
  turns: Turn[];
  updatedAt: number;
}
export interface ThreadEnvironment {
  cwd: LegacyAppPathString;
  environmentId: string;
  runtimeWorkspaceRoots: LegacyAppPathString[];
}
export interface ThreadExtra {}
export interface GitInfo {
  branch?: string | null;
  originUrl?: string | null;
  sha?: string | null;
}
export interface ThreadSection {
  appearance?: ThreadSectionAppearance | null;
  id: string;
  name: string;
}
export interface ThreadSectionAppearance {
  color?: string | null;
  icon?: string | null;
}
export interface Turn {
  completedAt?: number | null;
  durationMs?: number | null;
  error?: TurnError | null;
  id: string;
  items: ThreadItem[];
  itemsView?: TurnItemsView & string;
  rootTurnId?: string | null;
  startedAt?: number | null;
  status: TurnStatus;
}
export interface HookPromptFragment {
  hookRunId: string;
  text: string;
}
export interface MemoryCitation {
  entries: MemoryCitationEntry[];
  threadIds: string[];
}
export interface MemoryCitationEntry {
  lineEnd: number;
  lineStart: number;
  note: string;
  path: string;
}
export interface AgentMessageModeration {
  display?: AgentMessageDisplay | null;
  moderated: boolean;
}
export interface AgentMessageDisplay {
  action: string;
  blockType?: string | null;
  checkTrustedContacts?: boolean | null;
  cyberTrustedAccess?: boolean | null;
}
export interface AsyncUserInputQuestion {
  options?: string[] | null;
  title: string;
}
export interface FileUpdateChange {
  diff: string;
  kind: PatchChangeKind;
  path: string;
}
export interface McpToolCallAppContext {
  actionName?: string | null;
  appName?: string | null;
  connectorId: string;
  linkId?: string | null;
  resourceUri?: string | null;
}
export interface McpToolCallError {
  message: string;
}
export interface McpAppUi {
  preferredModelDisplayMode: McpAppDisplayMode;
  resourceUri: string;
}
export interface McpToolCallResult {
  _meta?: unknown;
  content: unknown[];
  structuredContent?: unknown;
}
export interface CollabAgentState {
  message?: string | null;
  status: CollabAgentStatus;
}
export interface ImageGenerationInputImage {
  path: AbsolutePathBuf;
  sha256: string;
}
export interface ThreadStatusChangedLine {
  emittedAtMs?: number;
  method: "thread/status/changed";
  params: ThreadStatusChangedNotification;
}
export interface ThreadStatusChangedNotification {
  status: ThreadStatus;
  threadId: string;
}
export interface ThreadReadStateChangedLine {
  emittedAtMs?: number;
  method: "thread/readState/changed";
  params: ThreadReadStateChangedNotification;
}
export interface ThreadReadStateChangedNotification {
  readState: ThreadReadState;
  threadId: string;
}
export interface ThreadReadState {
  firstUnread?: ThreadUnreadPosition | null;
  revision: string;
}
export interface ThreadArchivedLine {
  emittedAtMs?: number;
  method: "thread/archived";
  params: ThreadArchivedNotification;
}
export interface ThreadArchivedNotification {
  threadId: string;
}
export interface ThreadDeletedLine {
  emittedAtMs?: number;
  method: "thread/deleted";
  params: ThreadDeletedNotification;
}
export interface ThreadDeletedNotification {
  threadId: string;
}
export interface ThreadUnarchivedLine {
  emittedAtMs?: number;
  method: "thread/unarchived";
  params: ThreadUnarchivedNotification;
}
export interface ThreadUnarchivedNotification {
  threadId: string;
}
export interface ThreadClosedLine {
  emittedAtMs?: number;
  method: "thread/closed";
  params: ThreadClosedNotification;
}
export interface ThreadClosedNotification {
  threadId: string;
}
export interface ThreadRevertedLine {
  emittedAtMs?: number;
  method: "thread/reverted";
  params: ThreadRevertedNotification;
}
export interface ThreadRevertedNotification {
  threadId: string;
}
export interface SkillsChangedLine {
  emittedAtMs?: number;
  method: "skills/changed";
  params: SkillsChangedNotification;
}
export interface SkillsChangedNotification {}
export interface ThreadNameUpdatedLine {
  emittedAtMs?: number;
  method: "thread/name/updated";
  params: ThreadNameUpdatedNotification;
}
export interface ThreadNameUpdatedNotification {
  threadId: string;
  threadName?: string | null;
}
export interface ThreadGoalUpdatedLine {
  emittedAtMs?: number;
  method: "thread/goal/updated";
  params: ThreadGoalUpdatedNotification;
}
export interface ThreadGoalUpdatedNotification {
  goal: ThreadGoal;
  threadId: string;
  turnId?: string | null;
}
export interface ThreadGoal {
  createdAt: number;
  objective: string;
  status: ThreadGoalStatus;
  threadId: string;
  timeUsedSeconds: number;
  tokenBudget?: number | null;
  tokensUsed: number;
  updatedAt: number;
}
export interface ThreadGoalClearedLine {
  emittedAtMs?: number;
  method: "thread/goal/cleared";
  params: ThreadGoalClearedNotification;
}
export interface ThreadGoalClearedNotification {
  threadId: string;
}
export interface ThreadSettingsUpdatedLine {
  emittedAtMs?: number;
  method: "thread/settings/updated";
  params: ThreadSettingsUpdatedNotification;
}
export interface ThreadSettingsUpdatedNotification {
  threadId: string;
  threadSettings: ThreadSettings;
}
export interface ThreadSettings {
  activePermissionProfile?: ActivePermissionProfile | null;
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  collaborationMode: CollaborationMode;
  cwd: AbsolutePathBuf;
  disabledPluginIds?: string[];
  effort?: ReasoningEffort | null;
  environments?: ThreadEnvironment[] | null;
  model: string;
  modelProvider: string;
  multiAgentMode?: MultiAgentMode & string;
  personality?: Personality | null;
  sandboxPolicy: SandboxPolicy;
  serviceTier?: string | null;
  summary?: ReasoningSummary | null;
}
export interface ActivePermissionProfile {
  extends?: string | null;
  id: string;
}
export interface ThreadTokenUsageUpdatedLine {
  emittedAtMs?: number;
  method: "thread/tokenUsage/updated";
  params: ThreadTokenUsageUpdatedNotification;
}
export interface ThreadTokenUsageUpdatedNotification {
  threadId: string;
  tokenUsage: ThreadTokenUsage;
  turnId: string;
}
export interface ThreadTokenUsage {
  last: TokenUsageBreakdown;
  modelContextWindow?: number | null;
  total: TokenUsageBreakdown;
}
export interface TokenUsageBreakdown {
  cacheWriteInputTokens?: number;
  cachedInputTokens: number;
  inputTokens: number;
  outputTokens: number;
  reasoningOutputTokens: number;
  totalTokens: number;
}
export interface TurnStartedLine {
  emittedAtMs?: number;
  method: "turn/started";
  params: TurnStartedNotification;
}
export interface TurnStartedNotification {
  threadId: string;
  turn: Turn;
}
export interface TurnCompletedLine {
  emittedAtMs?: number;
  method: "turn/completed";
  params: TurnCompletedNotification;
}
export interface TurnCompletedNotification {
  threadId: string;
  turn: Turn;
}
export interface TurnDiffUpdatedLine {
  emittedAtMs?: number;
  method: "turn/diff/updated";
  params: TurnDiffUpdatedNotification;
}
export interface TurnDiffUpdatedNotification {
  diff: string;
  threadId: string;
  turnId: string;
}
export interface TurnPlanUpdatedLine {
  emittedAtMs?: number;
  method: "turn/plan/updated";
  params: TurnPlanUpdatedNotification;
}
export interface TurnPlanUpdatedNotification {
  explanation?: string | null;
  plan: TurnPlanStep[];
  threadId: string;
  turnId: string;
}
export interface TurnPlanStep {
  status: TurnPlanStepStatus;
  step: string;
}
export interface ItemStartedLine {
  emittedAtMs?: number;
  method: "item/started";
  params: ItemStartedNotification;
}
export interface ItemStartedNotification {
  item: ThreadItem;
  startedAtMs: number;
  threadId: string;
  turnId: string;
}
export interface ItemCompletedLine {
  emittedAtMs?: number;
  method: "item/completed";
  params: ItemCompletedNotification;
}
export interface ItemCompletedNotification {
  completedAtMs: number;
  contentTokenCount?: number | null;
  item: ThreadItem;
  threadId: string;
  turnId: string;
}
export interface ItemAgentMessageDeltaLine {
  emittedAtMs?: number;
  method: "item/agentMessage/delta";
  params: AgentMessageDeltaNotification;
}
export interface AgentMessageDeltaNotification {
  delta: string;
  itemId: string;
  threadId: string;
  turnId: string;
}
export interface ItemPlanDeltaLine {
  emittedAtMs?: number;
  method: "item/plan/delta";
  params: PlanDeltaNotification;
}
export interface PlanDeltaNotification {
  delta: string;
  itemId: string;
  threadId: string;
  turnId: string;
}
export interface CommandExecOutputDeltaLine {
  emittedAtMs?: number;
  method: "command/exec/outputDelta";
  params: CommandExecOutputDeltaNotification;
}
export interface CommandExecOutputDeltaNotification {
  capReached: boolean;
  deltaBase64: string;
  processId: string;
  stream: CommandExecOutputStream;
}
export interface ItemCommandExecutionOutputDeltaLine {
  emittedAtMs?: number;
  method: "item/commandExecution/outputDelta";
  params: CommandExecutionOutputDeltaNotification;
}
export interface CommandExecutionOutputDeltaNotification {
  delta: string;
  itemId: string;
  threadId: string;
  turnId: string;
}
export interface ItemCommandExecutionTerminalInteractionLine {
  emittedAtMs?: number;
  method: "item/commandExecution/terminalInteraction";
  params: TerminalInteractionNotification;
}
export interface TerminalInteractionNotification {
  itemId: string;
  processId: string;
  stdin: string;
  threadId: string;
  turnId: string;
}
export interface ItemFileChangeOutputDeltaLine {
  emittedAtMs?: number;
  method: "item/fileChange/outputDelta";
  params: FileChangeOutputDeltaNotification;
}
export interface FileChangeOutputDeltaNotification {
  delta: string;
  itemId: string;
  threadId: string;
  turnId: string;
}
export interface ItemFileChangePatchUpdatedLine {
  emittedAtMs?: number;
  method: "item/fileChange/patchUpdated";
  params: FileChangePatchUpdatedNotification;
}
export interface FileChangePatchUpdatedNotification {
  changes: FileUpdateChange[];
  itemId: string;
  threadId: string;
  turnId: string;
}
export interface ServerRequestResolvedLine {
  emittedAtMs?: number;
  method: "serverRequest/resolved";
  params: ServerRequestResolvedNotification;
}
export interface ServerRequestResolvedNotification {
  requestId: RequestId;
  threadId: string;
}
export interface ItemMcpToolCallProgressLine {
  emittedAtMs?: number;
  method: "item/mcpToolCall/progress";
  params: McpToolCallProgressNotification;
}
export interface McpToolCallProgressNotification {
  itemId: string;
  message: string;
  threadId: string;
  turnId: string;
}
export interface McpServerOauthLoginCompletedLine {
  emittedAtMs?: number;
  method: "mcpServer/oauthLogin/completed";
  params: McpServerOauthLoginCompletedNotification;
}
export interface McpServerOauthLoginCompletedNotification {
  error?: string | null;
  loginId?: string | null;
  name: string;
  success: boolean;
  threadId?: string | null;
}
export interface McpServerStartupStatusUpdatedLine {
  emittedAtMs?: number;
  method: "mcpServer/startupStatus/updated";
  params: McpServerStatusUpdatedNotification;
}
export interface McpServerStatusUpdatedNotification {
  error?: string | null;
  failureReason?: McpServerStartupFailureReason | null;
  name: string;
  status: McpServerStartupState;
  threadId?: string | null;
}
export interface AccountUpdatedLine {
  emittedAtMs?: number;
  method: "account/updated";
  params: AccountUpdatedNotification;
}
export interface AccountUpdatedNotification {
  authMode?: AuthMode | null;
  planType?: PlanType | null;
}
export interface AccountRateLimitsUpdatedLine {
  emittedAtMs?: number;
  method: "account/rateLimits/updated";
  params: AccountRateLimitsUpdatedNotification;
}
export interface AccountRateLimitsUpdatedNotification {
  rateLimits: RateLimitSnapshot;
}
export interface RateLimitSnapshot {
  credits?: CreditsSnapshot | null;
  individualLimit?: SpendControlLimitSnapshot | null;
  limitId?: string | null;
  limitName?: string | null;
  normalModelSlug?: string | null;
  planType?: PlanType | null;
  primary?: RateLimitWindow | null;
  rateLimitReachedType?: RateLimitReachedType | null;
  secondary?: RateLimitWindow | null;
  spendControlReached?: boolean | null;
}
export interface CreditsSnapshot {
  balance?: string | null;
  hasCredits: boolean;
  unlimited: boolean;
}
export interface SpendControlLimitSnapshot {
  limit: string;
  remainingPercent: number;
  resetsAt: number;
  used: string;
}
export interface RateLimitWindow {
  resetsAt?: number | null;
  usedPercent: number;
  windowDurationMins?: number | null;
}
export interface AppListUpdatedLine {
  emittedAtMs?: number;
  method: "app/list/updated";
  params: AppListUpdatedNotification;
}
export interface AppListUpdatedNotification {
  data: AppInfo[];
}
export interface AppInfo {
  appMetadata?: AppMetadata | null;
  branding?: AppBranding | null;
  description?: string | null;
  distributionChannel?: string | null;
  iconAssets?: {
    [k: string]: string;
  } | null;
  iconDarkAssets?: {
    [k: string]: string;
  } | null;
  id: string;
  installUrl?: string | null;
  isAccessible?: boolean;
  isEnabled?: boolean;
  labels?: {
    [k: string]: string;
  } | null;
  logoUrl?: string | null;
  logoUrlDark?: string | null;
  name: string;
  pluginDisplayNames?: string[];
}
export interface AppMetadata {
  categories?: string[] | null;
  developer?: string | null;
  firstPartyRequiresInstall?: boolean | null;
  review?: AppReview | null;
  screenshots?: AppScreenshot[] | null;
  seoDescription?: string | null;
  showInComposerWhenUnlinked?: boolean | null;
  subCategories?: string[] | null;
  version?: string | null;
  versionId?: string | null;
  versionNotes?: string | null;
}
export interface AppReview {
  status: string;
}
export interface AppScreenshot {
  fileId?: string | null;
  url?: string | null;
  userPrompt: string;
}
export interface AppBranding {
  category?: string | null;
  developer?: string | null;
  isDiscoverableApp: boolean;
  privacyPolicy?: string | null;
  termsOfService?: string | null;
  website?: string | null;
}
export interface FsChangedLine {
  emittedAtMs?: number;
  method: "fs/changed";
  params: FsChangedNotification;
}
export interface FsChangedNotification {
  changedPaths: AbsolutePathBuf[];
  watchId: string;
}
export interface ItemReasoningSummaryTextDeltaLine {
  emittedAtMs?: number;
  method: "item/reasoning/summaryTextDelta";
  params: ReasoningSummaryTextDeltaNotification;
}
export interface ReasoningSummaryTextDeltaNotification {
  delta: string;
  itemId: string;
  summaryIndex: number;
  threadId: string;
  turnId: string;
}
export interface ItemReasoningSummaryPartAddedLine {
  emittedAtMs?: number;
  method: "item/reasoning/summaryPartAdded";
  params: ReasoningSummaryPartAddedNotification;
}
export interface ReasoningSummaryPartAddedNotification {
  itemId: string;
  summaryIndex: number;
  threadId: string;
  turnId: string;
}
export interface ItemReasoningTextDeltaLine {
  emittedAtMs?: number;
  method: "item/reasoning/textDelta";
  params: ReasoningTextDeltaNotification;
}
export interface ReasoningTextDeltaNotification {
  contentIndex: number;
  delta: string;
  itemId: string;
  threadId: string;
  turnId: string;
}
export interface ThreadCompactedLine {
  emittedAtMs?: number;
  method: "thread/compacted";
  params: ContextCompactedNotification;
}
export interface ContextCompactedNotification {
  threadId: string;
  turnId: string;
}
export interface WarningLine {
  emittedAtMs?: number;
  method: "warning";
  params: WarningNotification;
}
export interface WarningNotification {
  message: string;
  threadId?: string | null;
}
export interface DeprecationNoticeLine {
  emittedAtMs?: number;
  method: "deprecationNotice";
  params: DeprecationNoticeNotification;
}
export interface DeprecationNoticeNotification {
  details?: string | null;
  summary: string;
}
export interface ConfigWarningLine {
  emittedAtMs?: number;
  method: "configWarning";
  params: ConfigWarningNotification;
}
export interface ConfigWarningNotification {
  details?: string | null;
  path?: string | null;
  range?: TextRange | null;
  summary: string;
}
export interface TextRange {
  end: TextPosition;
  start: TextPosition;
}
export interface TextPosition {
  column: number;
  line: number;
}
export interface FuzzyFileSearchSessionUpdatedLine {
  emittedAtMs?: number;
  method: "fuzzyFileSearch/sessionUpdated";
  params: FuzzyFileSearchSessionUpdatedNotification;
}
export interface FuzzyFileSearchSessionUpdatedNotification {
  files: FuzzyFileSearchResult[];
  query: string;
  sessionId: string;
}
export interface FuzzyFileSearchResult {
  file_name: string;
  indices?: number[] | null;
  match_type: FuzzyFileSearchMatchType;
  path: string;
  root: string;
  score: number;
}
export interface FuzzyFileSearchSessionCompletedLine {
  emittedAtMs?: number;
  method: "fuzzyFileSearch/sessionCompleted";
  params: FuzzyFileSearchSessionCompletedNotification;
}
export interface FuzzyFileSearchSessionCompletedNotification {
  sessionId: string;
}
export interface AccountLoginCompletedLine {
  emittedAtMs?: number;
  method: "account/login/completed";
  params: AccountLoginCompletedNotification;
}
export interface AccountLoginCompletedNotification {
  error?: string | null;
  loginId?: string | null;
  onboardingEntrypoint?: DesktopOnboardingEntrypoint | null;
  success: boolean;
}
export interface AgentResult {
  id: RequestId;
  result:
    | InitializeResponse
    | ThreadStartResponse
    | ThreadResumeResponse
    | ThreadForkResponse
    | ThreadSampleResponse
    | ThreadArchiveResponse
    | ThreadDeleteResponse
    | ThreadUnsubscribeResponse
    | ThreadSetNameResponse
    | ThreadGoalSetResponse
    | ThreadGoalGetResponse
    | ThreadGoalClearResponse
    | ThreadMetadataUpdateResponse
    | ThreadAttachmentAddResponse
    | ThreadAttachmentListResponse
    | ThreadAttachmentOwnerListResponse
    | ThreadAttachmentRemoveResponse
    | ThreadSettingsUpdateResponse
    | ThreadMemoryModeSetResponse
    | ThreadUnarchiveResponse
    | ThreadCompactStartResponse
    | ThreadShellCommandResponse
    | ThreadApproveGuardianDeniedActionResponse
    | ThreadBackgroundTerminalsCleanResponse
    | ThreadBackgroundTerminalsListResponse
    | ThreadBackgroundTerminalsTerminateResponse
    | ThreadRevertResponse
    | ThreadListResponse
    | ThreadSearchResponse
    | ThreadLoadedListResponse
    | ThreadReadResponse
    | ThreadReadStateUpdateResponse
    | ThreadTurnsListResponse
    | ThreadItemsListResponse
    | ThreadInjectItemsResponse
    | TurnStartResponse
    | TurnSteerResponse
    | TurnInterruptResponse
    | ReviewStartResponse
    | ModelListResponse
    | LoginAccountResponse
    | BedrockCheckGovCloudRequirementsResponse
    | CancelLoginAccountResponse
    | LogoutAccountResponse
    | GetAccountSecuritySetupResponse
    | GetAccountRateLimitsResponse
    | ConsumeAccountRateLimitResetCreditResponse
    | GetAccountTokenUsageResponse
    | GetWorkspaceMessagesResponse
    | SendAddCreditsNudgeEmailResponse
    | GetAccountResponse
    | McpServerRefreshResponse
    | ConfigReadResponse
    | ConfigWriteResponse
    | AppsReadResponse
    | AppsListResponse
    | AppsInstalledResponse
    | CollaborationModeListResponse
    | CommandExecResponse
    | CommandExecWriteResponse
    | CommandExecTerminateResponse
    | CommandExecResizeResponse
    | ConfigRequirementsReadResponse
    | ExperimentalFeatureListResponse
    | ExperimentalFeatureEnablementSetResponse
    | ExternalAgentConfigDetectResponse
    | ExternalAgentConfigImportResponse
    | ExternalAgentConfigImportHistoryRecordResponse
    | ExternalAgentConfigImportHistoriesReadResponse
    | FeedbackUploadResponse
    | FeedbackSaveResponse
    | FsReadFileResponse
    | FsWriteFileResponse
    | FsCreateDirectoryResponse
    | FsGetMetadataResponse
    | FsReadDirectoryResponse
    | FsRemoveResponse
    | FsCopyResponse
    | FsWatchResponse
    | FsUnwatchResponse
    | FuzzyFileSearchResponse
    | FuzzyFileSearchSessionStartResponse
    | FuzzyFileSearchSessionUpdateResponse
    | FuzzyFileSearchSessionStopResponse
    | HooksListResponse
    | McpServerOauthLoginResponse
    | McpResourceReadResponse
    | McpServerToolCallResponse
    | ListMcpServerStatusResponse
    | ModelProviderListResponse
    | ModelProviderConfigWriteResponse
    | ModelProviderCapabilitiesReadResponse
    | PermissionProfileListResponse
    | PluginListResponse
    | PluginInstalledResponse
    | PluginReconcileResponse
    | PluginReadResponse
    | PluginSkillReadResponse
    | PluginInstallResponse
    | PluginUninstallResponse
    | SkillsListResponse
    | SkillsExtraRootsSetResponse
    | SkillsConfigWriteResponse;
}
export interface InitializeResponse {
  codexHome: AbsolutePathBuf;
  platformFamily: string;
  platformOs: string;
  userAgent: string;
}
export interface ThreadStartResponse {
  activePermissionProfile?: ActivePermissionProfile | null;
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  cwd: AbsolutePathBuf;
  disabledPluginIds?: string[];
  instructionSources?: LegacyAppPathString[];
  model: string;
  modelProvider: string;
  multiAgentMode?: MultiAgentMode & string;
  reasoningEffort?: ReasoningEffort | null;
  runtimeWorkspaceRoots?: AbsolutePathBuf[];
  sandbox: SandboxPolicy;
  serviceTier?: string | null;
  thread: Thread;
}
export interface ThreadResumeResponse {
  activePermissionProfile?: ActivePermissionProfile | null;
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  collaborationMode?: CollaborationMode | null;
  cwd: AbsolutePathBuf;
  disabledPluginIds?: string[];
  initialTurnsPage?: TurnsPage | null;
  instructionSources?: LegacyAppPathString[];
  itemsBackwardsCursor?: string | null;
  model: string;
  modelProvider: string;
  multiAgentMode?: MultiAgentMode & string;
  reasoningEffort?: ReasoningEffort | null;
  runtimeWorkspaceRoots?: AbsolutePathBuf[];
  sandbox: SandboxPolicy;
  serviceTier?: string | null;
  thread: Thread;
  turnsBackwardsCursor?: string | null;
}
export interface TurnsPage {
  backwardsCursor?: string | null;
  data: Turn[];
  nextCursor?: string | null;
}
export interface ThreadForkResponse {
  activePermissionProfile?: ActivePermissionProfile | null;
  approvalPolicy: AskForApproval;
  approvalsReviewer: ApprovalsReviewer;
  cwd: AbsolutePathBuf;
  disabledPluginIds?: string[];
  instructionSources?: LegacyAppPathString[];
  model: string;
  modelProvider: string;
  multiAgentMode?: MultiAgentMode & string;
  reasoningEffort?: ReasoningEffort | null;
  runtimeWorkspaceRoots?: AbsolutePathBuf[];
  sandbox: SandboxPolicy;
  serviceTier?: string | null;
  thread: Thread;
}
export interface ThreadSampleResponse {
  cachedInputTokens?: number | null;
  inputTokens?: number | null;
  outputTokens?: number | null;
  responseId: string;
  sourceTurnId: string;
  text?: string | null;
}
export interface ThreadArchiveResponse {}
export interface ThreadDeleteResponse {}
export interface ThreadUnsubscribeResponse {
  status: ThreadUnsubscribeStatus;
}
export interface ThreadSetNameResponse {}
export interface ThreadGoalSetResponse {
  goal: ThreadGoal;
}
export interface ThreadGoalGetResponse {
  goal?: ThreadGoal | null;
}
export interface ThreadGoalClearResponse {
  cleared: boolean;
}
export interface ThreadMetadataUpdateResponse {
  thread: Thread;
}
export interface ThreadAttachmentAddResponse {
  attachment: ThreadAttachment;
  outcome: ThreadAttachmentAddOutcome;
}
export interface ThreadAttachment {
  attachmentType: string;
  createdAt: number;
  id: string;
  identityKey: string;
  payload: unknown;
}
export interface ThreadAttachmentListResponse {
  data: ThreadAttachment[];
  nextCursor?: string | null;
}
export interface ThreadAttachmentOwnerListResponse {
  data: ThreadAttachmentOwner[];
  nextCursor?: string | null;
}
export interface ThreadAttachmentOwner {
  archived: boolean;
  threadId: string;
}
export interface ThreadAttachmentRemoveResponse {}
export interface ThreadSettingsUpdateResponse {}
export interface ThreadMemoryModeSetResponse {}
export interface ThreadUnarchiveResponse {
  thread: Thread;
}
export interface ThreadCompactStartResponse {}
export interface ThreadShellCommandResponse {}
export interface ThreadApproveGuardianDeniedActionResponse {}
export interface ThreadBackgroundTerminalsCleanResponse {}
export interface ThreadBackgroundTerminalsListResponse {
  data: ThreadBackgroundTerminal[];
  nextCursor?: string | null;
}
export interface ThreadBackgroundTerminal {
  command: string;
  cpuPercent?: number | null;
  cwd: LegacyAppPathString;
  itemId: string;
  osPid?: number | null;
  processId: string;
  rssKb?: number | null;
}
export interface ThreadBackgroundTerminalsTerminateResponse {
  terminated: boolean;
}
export interface ThreadRevertResponse {
  itemsBackwardsCursor?: string | null;
  thread: Thread;
  turnsBackwardsCursor?: string | null;
}
export interface ThreadListResponse {
  backwardsCursor?: string | null;
  data: Thread[];
  nextCursor?: string | null;
  readStates?: {
    [k: string]: ThreadReadState;
  } | null;
}
export interface ThreadSearchResponse {
  backwardsCursor?: string | null;
  data: ThreadSearchResult[];
  nextCursor?: string | null;
}
export interface ThreadSearchResult {
  snippet: string;
  thread: Thread;
}
export interface ThreadLoadedListResponse {
  data: string[];
  nextCursor?: string | null;
}
export interface ThreadReadResponse {
  readState?: ThreadReadState | null;
  thread: Thread;
}
export interface ThreadReadStateUpdateResponse {
  readState: ThreadReadState;
}
export interface ThreadTurnsListResponse {
  backwardsCursor?: string | null;
  data: Turn[];
  nextCursor?: string | null;
}
export interface ThreadItemsListResponse {
  backwardsCursor?: string | null;
  data: ThreadItemEntry[];
  nextCursor?: string | null;
}
export interface ThreadItemEntry {
  completedAtMs?: number | null;
  item: ThreadItem;
  outputDeferred?: boolean;
  startedAtMs?: number | null;
  turnId: string;
}
export interface ThreadInjectItemsResponse {}
export interface TurnStartResponse {
  turn: Turn;
}
export interface TurnSteerResponse {
  turnId: string;
}
export interface TurnInterruptResponse {}
export interface ReviewStartResponse {
  reviewThreadId: string;
  turn: Turn;
}
export interface ModelListResponse {
  data: Model[];
  nextCursor?: string | null;
}
export interface Model {
  additionalSpeedTiers?: string[];
  availabilityNux?: ModelAvailabilityNux | null;
  availableAccessPrograms?: ModelAccessPrograms | null;
  defaultReasoningEffort: ReasoningEffort;
  defaultServiceTier?: string | null;
  description: string;
  displayName: string;
  hidden: boolean;
  id: string;
  inputModalities?: InputModality[];
  isDefault: boolean;
  model: string;
  modelSpecialty?: string | null;
  multiAgentVersion?: MultiAgentVersion | null;
  serviceTiers?: ModelServiceTier[];
  supportedReasoningEfforts: ReasoningEffortOption[];
  supportsPersonality?: boolean;
  upgrade?: string | null;
  upgradeInfo?: ModelUpgradeInfo | null;
}
export interface ModelAvailabilityNux {
  message: string;
}
export interface ModelAccessPrograms {
  cyber: CyberAccessProgram[];
}
export interface ModelServiceTier {
  description: string;
  id: string;
  name: string;
}
export interface ReasoningEffortOption {
  description: string;
  reasoningEffort: ReasoningEffort;
}
export interface ModelUpgradeInfo {
  migrationMarkdown?: string | null;
  model: string;
  modelLink?: string | null;
  retirementAt?: number | null;
  upgradeCopy?: string | null;
}
export interface BedrockCheckGovCloudRequirementsResponse {
  isGovCloud: boolean;
  shouldWarn: boolean;
}
export interface CancelLoginAccountResponse {
  status: CancelLoginAccountStatus;
}
export interface LogoutAccountResponse {}
export interface GetAccountSecuritySetupResponse {
  notice?: AccountSecuritySetupNotice | null;
}
export interface AccountSecuritySetupNotice {
  accountId: string;
  action: AccountSecuritySetupAction;
  description: string;
  title: string;
  userId: string;
}
export interface AccountSecuritySetupAction {
  label: string;
  url: string;
}
export interface GetAccountRateLimitsResponse {
  accountId?: string | null;
  ordinaryUsageAllowed?: boolean | null;
  rateLimitResetCredits?: RateLimitResetCreditsSummary | null;
  rateLimitUpsell?: unknown;
  rateLimits: RateLimitSnapshot;
  rateLimitsByLimitId?: {
    [k: string]: RateLimitSnapshot;
  } | null;
}
export interface RateLimitResetCreditsSummary {
  availableCount: number;
  credits?: RateLimitResetCredit[] | null;
}
export interface RateLimitResetCredit {
  description?: string | null;
  expiresAt?: number | null;
  grantedAt: number;
  id: string;
  resetType: RateLimitResetType;
  status: RateLimitResetCreditStatus;
  title?: string | null;
}
export interface ConsumeAccountRateLimitResetCreditResponse {
  outcome: ConsumeAccountRateLimitResetCreditOutcome;
}
export interface GetAccountTokenUsageResponse {
  dailyUsageBuckets?: AccountTokenUsageDailyBucket[] | null;
  summary: AccountTokenUsageSummary;
  threadUsage?: ThreadUsage | null;
}
export interface AccountTokenUsageDailyBucket {
  startDate: string;
  tokens: number;
}
export interface AccountTokenUsageSummary {
  currentStreakDays?: number | null;
  lifetimeTokens?: number | null;
  longestRunningTurnSec?: number | null;
  longestStreakDays?: number | null;
  peakDailyTokens?: number | null;
}
export interface ThreadUsage {
  estimatedUsageCreditsMicros: number;
  estimatedUsageUsdMicros?: number | null;
  groups: ThreadUsageBreakdownGroup[];
  nativeUsageUsdMicros?: number | null;
  threadId: string;
}
export interface ThreadUsageBreakdownGroup {
  cachedInputTokens?: number | null;
  estimatedUsageCreditsMicros: number;
  inputTokens?: number | null;
  model?: string | null;
  netNewInputTokens?: number | null;
  outputTokens?: number | null;
  reasoningEffort?: string | null;
  speed?: string | null;
  totalTokens?: number | null;
}
export interface GetWorkspaceMessagesResponse {
  featureEnabled: boolean;
  messages: WorkspaceMessage[];
}
export interface WorkspaceMessage {
  archivedAt?: number | null;
  createdAt?: number | null;
  messageBody: string;
  messageId: string;
  messageType: WorkspaceMessageType;
}
export interface SendAddCreditsNudgeEmailResponse {
  status: AddCreditsNudgeEmailStatus;
}
export interface GetAccountResponse {
  account?: Account | null;
  requiresOpenaiAuth: boolean;
  userId?: string | null;
  workspaceRouting?: WorkspaceRouting | null;
}
export interface WorkspaceRouting {
  accountRoutingOverride: AccountRoutingOverride;
  backendOrigin: string;
  chatgptAccountId: string;
}
export interface McpServerRefreshResponse {}
export interface ConfigReadResponse {
  config: Config;
  layers?: ConfigLayer[] | null;
  origins: {
    [k: string]: ConfigLayerMetadata;
  };
}
export interface Config {
  analytics?: AnalyticsConfig | null;
  approval_policy?: AskForApproval | null;
  approvals_reviewer?: ApprovalsReviewer | null;
  apps?: AppsConfig | null;
  browser_use?: BrowserUseConfig | null;
  client_search_provider?: WebSearchProvider | null;
  compact_prompt?: string | null;
  computer_use?: ComputerUseConfig | null;
  desktop?: {
    [k: string]: unknown;
  } | null;
  developer_instructions?: string | null;
  forced_chatgpt_workspace_id?: ForcedChatgptWorkspaceIds | null;
  forced_login_method?: ForcedLoginMethod | null;
  instructions?: string | null;
  model?: string | null;
  model_auto_compact_token_limit?: number | null;
  model_auto_compact_token_limit_scope?: AutoCompactTokenLimitScope | null;
  model_context_window?: number | null;
  model_provider?: string | null;
  model_reasoning_effort?: ReasoningEffort | null;
  model_reasoning_summary?: ReasoningSummary | null;
  model_verbosity?: Verbosity | null;
  review_model?: string | null;
  sandbox_mode?: SandboxMode | null;
  sandbox_workspace_write?: SandboxWorkspaceWrite | null;
  service_tier?: string | null;
  tools?: ToolsV2 | null;
  web_search?: WebSearchMode | null;
  [k: string]: unknown;
}
export interface AnalyticsConfig {
  enabled?: boolean | null;
  [k: string]: unknown;
}
export interface AppsConfig {
  _default?: AppsDefaultConfig | null;
}
export interface AppsDefaultConfig {
  approvals_reviewer?: ApprovalsReviewer | null;
  default_tools_approval_mode?: AppToolApproval | null;
  destructive_enabled?: boolean;
  enabled?: boolean;
  open_world_enabled?: boolean;
}
export interface BrowserUseConfig {
  allow_history_access?: boolean | null;
  default_origin_policy?: BrowserUseOriginPolicyConfig | null;
  origins?: {
    [k: string]: BrowserUseOriginPolicyConfig;
  } | null;
}
export interface BrowserUseOriginPolicyConfig {
  access?: AllowDenyRequirement | null;
  downloads?: AllowDenyRequirement | null;
  full_cdp_access?: AllowDenyRequirement | null;
  uploads?: AllowDenyRequirement | null;
}
export interface ComputerUseConfig {
  default_app_access?: AllowDenyRequirement | null;
  macos?: ComputerUseMacosConfig | null;
  windows?: ComputerUseWindowsConfig | null;
}
export interface ComputerUseMacosConfig {
  bundle_ids?: {
    [k: string]: AllowDenyRequirement;
  } | null;
}
export interface ComputerUseWindowsConfig {
  aumids?: {
    [k: string]: AllowDenyRequirement;
  } | null;
  exes?: ComputerUseWindowsExeConfig[] | null;
}
export interface ComputerUseWindowsExeConfig {
  access: AllowDenyRequirement;
  binary_name?: string | null;
  product_name: string;
  publisher_name: string;
}
export interface SandboxWorkspaceWrite {
  exclude_slash_tmp?: boolean;
  exclude_tmpdir_env_var?: boolean;
  network_access?: boolean;
  writable_roots?: string[];
}
export interface ToolsV2 {
  web_search?: WebSearchToolConfig | null;
}
export interface WebSearchToolConfig {
  allowed_domains?: string[] | null;
  context_size?: WebSearchContextSize | null;
  location?: WebSearchLocation | null;
}
export interface WebSearchLocation {
  city?: string | null;
  country?: string | null;
  region?: string | null;
  timezone?: string | null;
}
export interface ConfigLayer {
  config: unknown;
  disabledReason?: string | null;
  name: ConfigLayerSource;
  version: string;
}
export interface ConfigLayerMetadata {
  name: ConfigLayerSource;
  version: string;
}
export interface ConfigWriteResponse {
  filePath: AbsolutePathBuf;
  overriddenMetadata?: OverriddenMetadata | null;
  status: WriteStatus;
  version: string;
}
export interface OverriddenMetadata {
  effectiveValue: unknown;
  message: string;
  overridingLayer: ConfigLayerMetadata;
}
export interface AppsReadResponse {
  apps: ConnectorMetadata[];
  missingAppIds: string[];
}
export interface ConnectorMetadata {
  description?: string | null;
  distributionChannel?: string | null;
  iconUrl?: string | null;
  iconUrlDark?: string | null;
  id: string;
  installUrl?: string | null;
  name: string;
  pluginDisplayNames?: string[];
  toolSummaries?: AppToolSummary[] | null;
}
export interface AppToolSummary {
  description: string;
  disabledReason?: string | null;
  isEnabled?: boolean;
  isReadOnly?: boolean;
  name: string;
  title?: string | null;
}
export interface AppsListResponse {
  data: AppInfo[];
  nextCursor?: string | null;
}
export interface AppsInstalledResponse {
  apps: InstalledApp[];
}
export interface InstalledApp {
  callable: boolean;
  enabled: boolean;
  id: string;
  runtimeName?: string | null;
}
export interface CollaborationModeListResponse {
  data: CollaborationModeMask[];
}
export interface CollaborationModeMask {
  mode?: ModeKind | null;
  model?: string | null;
  name: string;
  reasoning_effort?: (ReasoningEffort | null) | null;
}
export interface CommandExecResponse {
  exitCode: number;
  stderr: string;
  stdout: string;
}
export interface CommandExecWriteResponse {}
export interface CommandExecTerminateResponse {}
export interface CommandExecResizeResponse {}
export interface ConfigRequirementsReadResponse {
  requirements?: ConfigRequirements | null;
  supportsIndependentSpeedModes?: boolean | null;
}
export interface ConfigRequirements {
  additionalDeveloperInstructions?: string | null;
  allowAppshots?: boolean | null;
  allowBrowserAndComputerUse?: boolean | null;
  allowLoginShell?: boolean | null;
  allowManagedHooksOnly?: boolean | null;
  allowRemoteControl?: boolean | null;
  allowedApprovalPolicies?: AskForApproval[] | null;
  allowedApprovalsReviewers?: ApprovalsReviewer[] | null;
  allowedLoginMethods?: ForcedLoginMethod[] | null;
  allowedPermissionProfiles?: {
    [k: string]: boolean;
  } | null;
  allowedSandboxModes?: SandboxMode[] | null;
  allowedWebSearchModes?: WebSearchMode[] | null;
  allowedWindowsSandboxImplementations?: WindowsSandboxImplementation[] | null;
  application?: ApplicationRequirements | null;
  autoReview?: AutoReviewRequirements | null;
  browserUse?: BrowserUseRequirements | null;
  chatgptBaseUrl?: string | null;
  checkForUpdateOnStartup?: boolean | null;
  cliAuthCredentialsStore?: CliAuthCredentialsStoreMode | null;
  computerUse?: ComputerUseRequirements | null;
  defaultPermissions?: string | null;
  enforceResidency?: ResidencyRequirement | null;
  featureRequirements?: {
    [k: string]: boolean;
  } | null;
  feedback?: FeedbackRequirements | null;
  hooks?: ManagedHooksRequirements | null;
  inAppBrowser?: InAppBrowserRequirements | null;
  logDir?: string | null;
  modelCatalogJson?: string | null;
  modelProvider?: string | null;
  modelProviders?: {
    [k: string]: unknown;
  } | null;
  models?: ModelsRequirements | null;
  network?: NetworkRequirements | null;
  otel?: OtelRequirements | null;
  sqliteHome?: string | null;
}
export interface ApplicationRequirements {
  network?: ApplicationNetworkRequirements | null;
  storage?: ApplicationStorageRequirements | null;
}
export interface ApplicationNetworkRequirements {
  domains: {
    [k: string]: NetworkDomainPermission;
  };
  enabled: boolean;
}
export interface ApplicationStorageRequirements {
  defaultProjectParent?: LegacyAppPathString | null;
  projectlessWorkspaceRoot?: LegacyAppPathString | null;
}
export interface AutoReviewRequirements {
  ignoreRules?: string[] | null;
  requiredOnModels?: string[] | null;
}
export interface BrowserUseRequirements {
  allowGlobalPersistentApproval?: boolean | null;
  allowHistoryAccess?: boolean | null;
  allowWebmcp?: boolean | null;
  defaultOriginPolicy?: BrowserUseOriginPolicy | null;
  disableAutoReview?: boolean | null;
  extension?: BrowserUseExtensionRequirements | null;
  origins?: {
    [k: string]: BrowserUseOriginPolicy;
  } | null;
}
export interface BrowserUseOriginPolicy {
  access?: AllowDenyRequirement | null;
  accessApprovalLifetime?: BrowserUseAccessApprovalLifetime | null;
  autoReview?: AllowDenyRequirement | null;
  downloads?: AllowDenyRequirement | null;
  fullCdpAccess?: AllowDenyRequirement | null;
  persistentApproval?: boolean | null;
  uploads?: AllowDenyRequirement | null;
}
export interface BrowserUseExtensionRequirements {
  requestHeaders?: RequestHeader[] | null;
}
export interface RequestHeader {
  name: string;
  value: string;
}
export interface ComputerUseRequirements {
  allowLockedComputerUse?: boolean | null;
  allowPersistentApproval?: boolean | null;
  defaultAppAccess?: AllowDenyRequirement | null;
  macos?: ComputerUseMacosRequirements | null;
  windows?: ComputerUseWindowsRequirements | null;
}
export interface ComputerUseMacosRequirements {
  bundleIds?: {
    [k: string]: AllowDenyRequirement;
  } | null;
}
export interface ComputerUseWindowsRequirements {
  aumids?: {
    [k: string]: AllowDenyRequirement;
  } | null;
  exes?: ComputerUseWindowsExeRequirement[] | null;
}
export interface ComputerUseWindowsExeRequirement {
  access: AllowDenyRequirement;
  binaryName?: string | null;
  productName: string;
  publisherName: string;
}
export interface FeedbackRequirements {
  enabled?: boolean | null;
}
export interface ManagedHooksRequirements {
  Interrupt?: ConfiguredHookMatcherGroup[];
  PermissionRequest: ConfiguredHookMatcherGroup[];
  PostCompact: ConfiguredHookMatcherGroup[];
  PostModelRequest?: ConfiguredHookMatcherGroup[];
  PostToolUse: ConfiguredHookMatcherGroup[];
  PreCompact: ConfiguredHookMatcherGroup[];
  PreModelRequest?: ConfiguredHookMatcherGroup[];
  PreToolUse: ConfiguredHookMatcherGroup[];
  SessionEnd?: ConfiguredHookMatcherGroup[];
  SessionStart: ConfiguredHookMatcherGroup[];
  Stop: ConfiguredHookMatcherGroup[];
  SubagentStart: ConfiguredHookMatcherGroup[];
  SubagentStop: ConfiguredHookMatcherGroup[];
  UserPromptSubmit: ConfiguredHookMatcherGroup[];
  managedDir?: string | null;
  windowsManagedDir?: string | null;
}
export interface ConfiguredHookMatcherGroup {
  hooks: ConfiguredHookHandler[];
  matcher?: string | null;
}
export interface InAppBrowserRequirements {
  allowExternalBrowserSettingsImport?: boolean | null;
}
export interface ModelsRequirements {
  newThread?: NewThreadModelDefaults | null;
}
export interface NewThreadModelDefaults {
  model?: string | null;
  modelReasoningEffort?: ReasoningEffort | null;
  serviceTier?: string | null;
}
export interface NetworkRequirements {
  allowLocalBinding?: boolean | null;
  allowUnixSockets?: string[] | null;
  allowUpstreamProxy?: boolean | null;
  allowedDomains?: string[] | null;
  dangerouslyAllowAllUnixSockets?: boolean | null;
  dangerouslyAllowNonLoopbackProxy?: boolean | null;
  deniedDomains?: string[] | null;
  domains?: {
    [k: string]: NetworkDomainPermission;
  } | null;
  enabled?: boolean | null;
  httpPort?: number | null;
  managedAllowedDomainsOnly?: boolean | null;
  reviewDomains?: string[] | null;
  socksPort?: number | null;
  unixSockets?: {
    [k: string]: NetworkUnixSocketPermission;
  } | null;
}
export interface OtelRequirements {
  environment?: string | null;
  exporter?: OtelExporter | null;
  log_agent_responses?: boolean | null;
  log_guardian_assessments?: boolean | null;
  log_sse_deltas?: boolean | null;
  log_user_prompt?: boolean | null;
  metrics_exporter?: OtelExporter | null;
  span_attributes?: {
    [k: string]: string;
  } | null;
  tool_result?: OtelToolResultLogConfig | null;
  trace_exporter?: OtelExporter | null;
  tracestate?: {
    [k: string]: {
      [k: string]: string;
    };
  } | null;
}
export interface OtelTlsConfig {
  "ca-certificate"?: string | null;
  "client-certificate"?: string | null;
  "client-private-key"?: string | null;
}
export interface OtelToolResultLogConfig {
  max_bytes: number;
}
export interface ExperimentalFeatureListResponse {
  data: ExperimentalFeature[];
  nextCursor?: string | null;
}
export interface ExperimentalFeature {
  announcement?: string | null;
  defaultEnabled: boolean;
  description?: string | null;
  displayName?: string | null;
  enabled: boolean;
  name: string;
  stage: ExperimentalFeatureStage;
}
export interface ExperimentalFeatureEnablementSetResponse {
  enablement: {
    [k: string]: boolean;
  };
}
export interface ExternalAgentConfigDetectResponse {
  connectors?: ExternalAgentDetectedConnectorCandidate[];
  items: ExternalAgentConfigMigrationItem[];
}
export interface ExternalAgentDetectedConnectorCandidate {
  name: string;
  sessionCount: number;
  source: ExternalAgentDetectedConnectorSource;
}
export interface ExternalAgentConfigImportResponse {
  importId: string;
}
export interface ExternalAgentConfigImportHistoryRecordResponse {
  importId: string;
}
export interface ExternalAgentConfigImportHistoriesReadResponse {
  connectors: ExternalAgentImportedConnectorCandidate[];
  data: ExternalAgentConfigImportHistory[];
}
export interface ExternalAgentImportedConnectorCandidate {
  name: string;
  sessionCount: number;
  source: ExternalAgentImportedConnectorSource;
}
export interface ExternalAgentConfigImportHistory {
  completedAtMs: number;
  failures: ExternalAgentConfigImportItemTypeFailure[];
  importId: string;
  providerId?: string | null;
  successes: ExternalAgentConfigImportItemTypeSuccess[];
}
export interface ExternalAgentConfigImportItemTypeSuccess {
  cwd?: string | null;
  itemType: ExternalAgentConfigMigrationItemType;
  source?: string | null;
  target?: string | null;
  title?: string | null;
}
export interface FeedbackUploadResponse {
  promptHash?: string | null;
  threadId: string;
}
export interface FeedbackSaveResponse {
  promptHash?: string | null;
  savedPath: LegacyAppPathString;
  threadId: string;
}
export interface FsReadFileResponse {
  dataBase64: string;
}
export interface FsWriteFileResponse {}
export interface FsCreateDirectoryResponse {}
export interface FsGetMetadataResponse {
  createdAtMs: number;
  isDirectory: boolean;
  isFile: boolean;
  isSymlink: boolean;
  modifiedAtMs: number;
}
export interface FsReadDirectoryResponse {
  entries: FsReadDirectoryEntry[];
}
export interface FsReadDirectoryEntry {
  fileName: string;
  isDirectory: boolean;
  isFile: boolean;
}
export interface FsRemoveResponse {}
export interface FsCopyResponse {}
export interface FsWatchResponse {
  path: AbsolutePathBuf;
}
export interface FsUnwatchResponse {}
export interface FuzzyFileSearchResponse {
  files: FuzzyFileSearchResult[];
}
export interface FuzzyFileSearchSessionStartResponse {}
export interface FuzzyFileSearchSessionUpdateResponse {}
export interface FuzzyFileSearchSessionStopResponse {}
export interface HooksListResponse {
  data: HooksListEntry[];
}
export interface HooksListEntry {
  cwd: string;
  errors: HookErrorInfo[];
  hooks: HookMetadata[];
  warnings: string[];
}
export interface HookErrorInfo {
  message: string;
  path: string;
}
export interface McpServerOauthLoginResponse {
  authorizationUrl: string;
  loginId?: string | null;
}
export interface McpResourceReadResponse {
  contents: ResourceContent[];
  originCallId?: string | null;
}
export interface McpServerToolCallResponse {
  _meta?: unknown;
  content: unknown[];
  isError?: boolean | null;
  structuredContent?: unknown;
}
export interface ListMcpServerStatusResponse {
  data: McpServerStatus[];
  nextCursor?: string | null;
}
export interface McpServerStatus {
  authStatus: McpAuthStatus;
  httpOrigin?: string | null;
  name: string;
  pluginId?: string | null;
  resourceTemplates: ResourceTemplate[];
  resources: Resource[];
  runtimeStatus?: McpServerConnectionStatus | null;
  serverCapabilities?: unknown;
  serverInfo?: McpServerInfo | null;
  toolListMeta?: unknown;
  tools: {
    [k: string]: Tool;
  };
  toolsError?: string | null;
}
export interface ResourceTemplate {
  annotations?: unknown;
  description?: string | null;
  mimeType?: string | null;
  name: string;
  title?: string | null;
  uriTemplate: string;
}
export interface Resource {
  _meta?: unknown;
  annotations?: unknown;
  description?: string | null;
  icons?: unknown[] | null;
  mimeType?: string | null;
  name: string;
  size?: number | null;
  title?: string | null;
  uri: string;
}
export interface McpServerInfo {
  description?: string | null;
  icons?: unknown[] | null;
  name: string;
  title?: string | null;
  version: string;
  websiteUrl?: string | null;
}
export interface Tool {
  _meta?: unknown;
  annotations?: unknown;
  description?: string | null;
  icons?: unknown[] | null;
  inputSchema: unknown;
  name: string;
  outputSchema?: unknown;
  title?: string | null;
}
export interface ModelProviderListResponse {
  canChangeDefault: boolean;
  data: ModelProviderSummary[];
  defaultProviderId: string;
}
export interface ModelProviderSummary {
  baseUrl?: string | null;
  canEdit: boolean;
  id: string;
  name: string;
  settings: ProviderSettings;
}
export interface ModelProviderConfigWriteResponse {
  provider: ModelProviderSummary;
}
export interface ModelProviderCapabilitiesReadResponse {
  imageGeneration: boolean;
  webSearch: boolean;
}
export interface PermissionProfileListResponse {
  data: PermissionProfileSummary[];
  nextCursor?: string | null;
}
export interface PermissionProfileSummary {
  allowed: boolean;
  description?: string | null;
  id: string;
}
export interface PluginListResponse {
  featuredPluginIds?: string[];
  marketplaceLoadErrors?: MarketplaceLoadErrorInfo[];
  marketplaces: PluginMarketplaceEntry[];
}
export interface MarketplaceLoadErrorInfo {
  marketplacePath: AbsolutePathBuf;
  message: string;
}
export interface PluginMarketplaceEntry {
  interface?: MarketplaceInterface | null;
  name: string;
  path?: AbsolutePathBuf | null;
  plugins: PluginSummary[];
}
export interface MarketplaceInterface {
  displayName?: string | null;
}
export interface PluginSummary {
  authPolicy: PluginAuthPolicy;
  availability?: PluginAvailability & string;
  disabledReason?: PluginDisabledReason | null;
  eligiblePlanTypes?: string[] | null;
  enabled: boolean;
  id: string;
  installPolicy: PluginInstallPolicy;
  installPolicySource?: PluginInstallPolicySource | null;
  installed: boolean;
  installedAt?: number | null;
  interface?: PluginInterface | null;
  keywords?: string[];
  localVersion?: string | null;
  mustShowInstallationInterstitial?: boolean | null;
  name: string;
  remotePluginId?: string | null;
  shareContext?: PluginShareContext | null;
  source: PluginSource;
  version?: string | null;
}
export interface PluginInterface {
  brandColor?: string | null;
  capabilities: string[];
  category?: string | null;
  composerIcon?: AbsolutePathBuf | null;
  composerIconUrl?: string | null;
  defaultPrompt?: string[] | null;
  developerName?: string | null;
  displayName?: string | null;
  logo?: AbsolutePathBuf | null;
  logoDark?: AbsolutePathBuf | null;
  logoUrl?: string | null;
  logoUrlDark?: string | null;
  longDescription?: string | null;
  privacyPolicyUrl?: string | null;
  screenshotUrls: string[];
  screenshots: AbsolutePathBuf[];
  shortDescription?: string | null;
  termsOfServiceUrl?: string | null;
  websiteUrl?: string | null;
}
export interface PluginShareContext {
  canPublishToWorkspace?: boolean | null;
  creatorAccountUserId?: string | null;
  creatorName?: string | null;
  discoverability?: PluginShareDiscoverability | null;
  remotePluginId: string;
  remoteVersion?: string | null;
  sharePrincipals?: PluginSharePrincipal[] | null;
  shareUrl?: string | null;
}
export interface PluginSharePrincipal {
  name: string;
  principalId: string;
  principalType: PluginSharePrincipalType;
  role: PluginSharePrincipalRole;
}
export interface PluginInstalledResponse {
  marketplaceLoadErrors?: MarketplaceLoadErrorInfo[];
  marketplaces: PluginMarketplaceEntry[];
}
export interface PluginReconcileResponse {
  changedPlugins: PluginReconcileChangedPlugin[];
  failedMaterializationRemotePluginIds: string[];
  failedRemotePluginIds: string[];
}
export interface PluginReconcileChangedPlugin {
  hasApps: boolean;
  hasHooks: boolean;
  hasMcps: boolean;
  hasSkills: boolean;
  id: string;
}
export interface PluginReadResponse {
  plugin: PluginDetail;
}
export interface PluginDetail {
  appTemplates: AppTemplateSummary[];
  apps: AppSummary[];
  description?: string | null;
  hooks: PluginHookSummary[];
  marketplaceName: string;
  marketplacePath?: AbsolutePathBuf | null;
  mcpServers: string[];
  onboardingSkill?: SkillSummary | null;
  scheduledTasks?: ScheduledTaskSummary[] | null;
  shareUrl?: string | null;
  skills: SkillSummary[];
  summary: PluginSummary;
}
export interface AppTemplateSummary {
  canonicalConnectorId?: string | null;
  category?: string | null;
  description?: string | null;
  logoUrl?: string | null;
  logoUrlDark?: string | null;
  materializedAppIds: string[];
  name: string;
  reason?: AppTemplateUnavailableReason | null;
  templateId: string;
}
export interface AppSummary {
  category?: string | null;
  description?: string | null;
  id: string;
  installUrl?: string | null;
  name: string;
}
export interface PluginHookSummary {
  eventName: HookEventName;
  key: string;
}
export interface SkillSummary {
  description: string;
  enabled: boolean;
  interface?: SkillInterface | null;
  name: string;
  path?: LegacyAppPathString | null;
  shortDescription?: string | null;
}
export interface SkillInterface {
  brandColor?: string | null;
  defaultPrompt?: string | null;
  displayName?: string | null;
  iconLarge?: AbsolutePathBuf | null;
  iconLargeUrl?: string | null;
  iconSmall?: AbsolutePathBuf | null;
  iconSmallUrl?: string | null;
  shortDescription?: string | null;
}
export interface ScheduledTaskSummary {
  key: string;
  name: string;
  prompt: string;
  schedule: ScheduledTaskSchedule;
}
export interface PluginSkillReadResponse {
  contents?: string | null;
}
export interface PluginInstallResponse {
  appsNeedingAuth: AppSummary[];
  authPolicy: PluginAuthPolicy;
}
export interface PluginUninstallResponse {}
export interface SkillsListResponse {
  data: SkillsListEntry[];
}
export interface SkillsListEntry {
  cwd: string;
  errors: SkillErrorInfo[];
  skills: SkillMetadata[];
}
export interface SkillErrorInfo {
  message: string;
  path: string;
}
export interface SkillMetadata {
  dependencies?: SkillDependencies | null;
  description: string;
  enabled: boolean;
  interface?: SkillInterface | null;
  name: string;
  path: LegacyAppPathString;
  pluginId?: string | null;
  scope: SkillScope;
  shortDescription?: string | null;
}
export interface SkillDependencies {
  tools: SkillToolDependency[];
}
export interface SkillToolDependency {
  command?: string | null;
  description?: string | null;
  transport?: string | null;
  type: string;
  url?: string | null;
  value: string;
}
export interface SkillsExtraRootsSetResponse {}
export interface SkillsConfigWriteResponse {
  effectiveEnabled: boolean;
}
