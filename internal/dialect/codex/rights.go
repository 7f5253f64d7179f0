package codex

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// acceptRule is the row of the answer that stores a rule for commands.
const acceptRule = rights.Answer + " " + decisionAcceptRule

// table returns what each message of a client needs.
var table = lazy.Value[rights.Table]{New: func() rights.Table {
	return rights.NewTable(
		rights.Of(rights.Viewer, "initialize", "thread/attachment/list", "thread/attachmentOwner/list", "thread/backgroundTerminals/list",
			"thread/goal/get", "thread/list", "thread/search", "thread/loaded/list", "thread/read", "thread/turns/list", "thread/items/list",
			"thread/unsubscribe", "thread/readState/update", "model/list", "account/bedrock/checkGovCloudRequirements",
			"account/securitySetup/read", "account/rateLimits/read", "account/usage/read", "account/workspaceMessages/read", "account/read",
			"app/read", "app/list", "app/installed", "collaborationMode/list", "configRequirements/read", "experimentalFeature/list",
			"experimentalFeature/enablement/set", "externalAgentConfig/detect", "externalAgentConfig/import/readHistories",
			"modelProvider/list", "modelProvider/capabilities/read", "permissionProfile/list", "plugin/list", "plugin/installed",
			"plugin/reconcile", "plugin/read", "plugin/skill/read", "config/mcpServer/reload", "mcpServerStatus/list"),
		rights.With(rights.Viewer, "config/read", func(p *ConfigReadParams) []rights.Need { return folderNeeds(p.Cwd) }),
		rights.With(rights.Viewer, "hooks/list", func(p *HooksListParams) []rights.Need { return folderNeeds(p.Cwds...) }),
		rights.With(rights.Viewer, "skills/list", func(p *SkillsListParams) []rights.Need { return folderNeeds(p.Cwds...) }),

		rights.Of(rights.Reviewer, rights.Answer),
		rights.Of(rights.Owner, acceptRule),

		rights.With(rights.Driver, "thread/start", func(p *ThreadStartParams) []rights.Need {
			return overrides{mode: p.Sandbox, permissions: p.Permissions, config: p.Config, cwd: p.Cwd}.needs()
		}),
		rights.With(rights.Driver, "thread/resume", func(p *ThreadResumeParams) []rights.Need {
			return overrides{mode: p.Sandbox, permissions: p.Permissions, config: p.Config, cwd: p.Cwd}.needs()
		}),
		rights.With(rights.Driver, "thread/fork", func(p *ThreadForkParams) []rights.Need {
			return overrides{mode: p.Sandbox, permissions: p.Permissions, config: p.Config, cwd: p.Cwd}.needs()
		}),
		rights.With(rights.Driver, "thread/settings/update", func(p *ThreadSettingsUpdateParams) []rights.Need {
			return overrides{sandbox: p.SandboxPolicy, permissions: p.Permissions, cwd: p.Cwd}.needs()
		}),
		rights.With(rights.Driver, "turn/start", func(p *TurnStartParams) []rights.Need {
			return append(overrides{sandbox: p.SandboxPolicy, permissions: p.Permissions, cwd: p.Cwd}.needs(), imageNeeds(p.Input)...)
		}),
		rights.With(rights.Driver, "turn/steer", func(p *TurnSteerParams) []rights.Need { return imageNeeds(p.Input) }),
		rights.Of(rights.Driver, "thread/revert", "thread/sample", "thread/archive", "thread/unarchive", "thread/name/set", "thread/goal/set",
			"thread/goal/clear", "thread/metadata/update", "thread/attachment/add", "thread/attachment/remove", "thread/memoryMode/set",
			"thread/compact/start", "thread/approveGuardianDeniedAction", "thread/backgroundTerminals/clean",
			"thread/backgroundTerminals/terminate", "thread/inject_items", "turn/interrupt", "review/start", "feedback/upload", "feedback/save"),

		rights.Of(rights.User, "account/login/start", "account/login/cancel", "account/logout", "account/rateLimitResetCredit/consume",
			"account/sendAddCreditsNudgeEmail", "command/exec", "command/exec/write", "command/exec/terminate", "command/exec/resize",
			"config/batchWrite", "config/value/write", "externalAgentConfig/import", "externalAgentConfig/import/recordHistory",
			"fs/readFile", "fs/writeFile", "fs/createDirectory", "fs/getMetadata", "fs/readDirectory", "fs/remove", "fs/copy", "fs/watch",
			"fs/unwatch", "fuzzyFileSearch", "fuzzyFileSearch/sessionStart", "fuzzyFileSearch/sessionUpdate", "fuzzyFileSearch/sessionStop",
			"mcpServer/oauth/login", "mcpServer/resource/read", "mcpServer/tool/call", "modelProvider/config/write", "plugin/install",
			"plugin/uninstall", "skills/config/write", "skills/extraRoots/set", "thread/delete", "thread/shellCommand"),
	)
}}

// folderNeeds returns what folders need that a client names.
func folderNeeds(named ...string) []rights.Need {
	var needs []rights.Need
	for _, dir := range named {
		if dir != "" {
			needs = append(needs, rights.Need{Path: dir, What: "with the folder " + dir})
		}
	}
	return needs
}

// imageNeeds returns what the files of a prompt need.
func imageNeeds(inputs []UserInput) []rights.Need {
	var needs []rights.Need
	for _, input := range inputs {
		if image, ok := input.Value.(LocalImageUserInput); ok {
			needs = append(needs, rights.OfFile(image.Path))
		}
	}
	return needs
}

// needs returns what overrides of the settings of a thread need. Those that cannot be used are refused for that reason.
func (o overrides) needs() []rights.Need {
	folder := []rights.Need{rights.OfFolder(o.cwd)}
	sandbox, err := sandboxOf(o)
	if err != nil {
		return folder
	}
	if sandbox == nil {
		sandbox = &approval.Sandbox{}
	}
	needs := append(folder, rights.OfSandbox(*sandbox)...)
	if err := new(conn).applyConfig(&o); err != nil {
		return folder
	}
	if wider, err := widen(approval.Sandbox{Kind: approval.SandboxWorkspace}, o.workspace); err == nil {
		needs = append(needs, rights.OfSandbox(wider)...)
	}
	return append(needs, serverNeeds(o.config)...)
}

// serverNeeds returns what the tool servers in the configuration of a request need.
func serverNeeds(config map[string]jsontext.Value) []rights.Need {
	if servers, err := serversOf(config); err != nil || len(servers) == 0 {
		return nil
	}
	return []rights.Need{{Level: rights.User, What: "with config.mcp_servers"}}
}

// guard returns what decides about the lines of the client.
func (c *conn) guard() *rights.Guard {
	read := rights.Frames{Options: frames, Session: "threadId", Params: func(f jsonrpc.Frame) (any, error) {
		h, ok := handlers()[f.Method]
		if !ok {
			return nil, jsonrpc.ErrNoMethod
		}
		return h.decode(f.Params)
	}}
	return &rights.Guard{Client: c.cfg.Rights, Table: table.Get(), Read: read.Read, Refuse: func(m rights.Message, r *rights.Refusal) {
		if f := m.Origin.(jsonrpc.Frame); f.Kind == jsonrpc.Request {
			c.out.Post(errorLine(f.ID, refused(r.Error())))
		}
	}}
}

// mayStoreRules reports whether the client may answer with a rule for commands.
func (c *conn) mayStoreRules() bool { return c.cfg.Rights.May(table.Get().Level(acceptRule)) }
