package main

import "strings"

// This file divides the types into files: a chapter of protocol_CHAPTER.go is a family of methods with the types that only they have
// or that they have first, or a definition that many refer to with what it consists of.

// mostLines is how long a file of types may be.
const mostLines = 500

// chapterOf returns the chapter of a method: that of its longest prefix in families, else its first word.
func chapterOf(method string) string {
	for prefix := method; prefix != ""; {
		if chapter, ok := families[prefix]; ok {
			return chapter
		}
		prefix = prefix[:max(0, strings.LastIndexByte(prefix, '/'))]
	}
	first, _, _ := strings.Cut(method, "/")
	return strings.ToLower(strings.Join(parts(first), "_"))
}

// families are the chapters of methods whose first word has too many.
var families = map[string]string{
	"account/login":   "account_login",
	"account/logout":  "account_login",
	"account/read":    "account_login",
	"account/updated": "account_login",

	"item/commandExecution/requestApproval": "item_approval",
	"item/fileChange/requestApproval":       "item_approval",
	"item/permissions/requestApproval":      "item_approval",
	"item/tool":                             "item_tool",

	"thread/start":               "thread_start",
	"thread/resume":              "thread_start",
	"thread/fork":                "thread_start",
	"thread/sample":              "thread_start",
	"thread/list":                "thread_list",
	"thread/search":              "thread_list",
	"thread/loaded":              "thread_list",
	"thread/read":                "thread_list",
	"thread/turns":               "thread_list",
	"thread/items":               "thread_list",
	"thread/readState":           "thread_list",
	"thread/goal":                "thread_goal",
	"thread/attachment":          "thread_attachment",
	"thread/attachmentOwner":     "thread_attachment",
	"thread/settings":            "thread_settings",
	"thread/backgroundTerminals": "thread_terminals",
	"thread/shellCommand":        "thread_terminals",
}

// subjects are the chapters of definitions that have one of their own.
var subjects = map[string]string{
	"Thread":                           "thread",
	"ThreadItem":                       "thread_item",
	"McpToolCallResult":                "thread_item_tools",
	"McpToolCallAppContext":            "thread_item_tools",
	"McpToolCallError":                 "thread_item_tools",
	"McpToolCallStatus":                "thread_item_tools",
	"DynamicToolCallOutputContentItem": "thread_item_tools",
	"DynamicToolCallStatus":            "thread_item_tools",
	"CollabAgentState":                 "thread_item_tools",
	"CollabAgentTool":                  "thread_item_tools",
	"CollabAgentToolCallStatus":        "thread_item_tools",
	"SubAgentActivityKind":             "thread_item_tools",
	"WebSearchAction":                  "thread_item_tools",
	"ImageGenerationFailure":           "thread_item_tools",
	"FunctionCallOutputContentItem":    "thread_item_tools",
	"Turn":                             "turn",
	"UserInput":                        "user_input",
	"ResponseItem":                     "response_item",
	"ContentItem":                      "response_content",
	"AgentMessageInputContent":         "response_content",
	"ReasoningItemContent":             "response_content",
	"ReasoningItemReasoningSummary":    "response_content",
	"LocalShellAction":                 "response_content",
	"ResponsesApiWebSearchAction":      "response_content",
	"AskForApproval":                   "approval",
	"SandboxPolicy":                    "approval",
	"DynamicToolSpec":                  "dynamic_tools",
	"CollaborationMode":                "collaboration_mode",
}
