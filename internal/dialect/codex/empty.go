package codex

import (
	"context"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file answers about what there is nothing of here: an error would keep clients from starting, or make them ask again. What
// would change such things is refused.

func emptyMethods() []handler {
	return []handler{
		on("hooks/list", (*conn).hooksList),
		on("plugin/installed", func(c *conn, _ context.Context, id jsonrpc.ID, _ *PluginInstalledParams) {
			c.reply(id, PluginInstalledResponse{MarketplaceLoadErrors: []MarketplaceLoadErrorInfo{}})
		}),
		on("plugin/list", func(c *conn, _ context.Context, id jsonrpc.ID, _ *PluginListParams) {
			c.reply(id, PluginListResponse{MarketplaceLoadErrors: []MarketplaceLoadErrorInfo{}})
		}),
		on("plugin/reconcile", func(c *conn, _ context.Context, id jsonrpc.ID, _ *PluginReconcileParams) {
			c.reply(id, PluginReconcileResponse{})
		}),
		on("plugin/read", refusing[PluginReadParams](noPlugins)),
		on("plugin/skill/read", refusing[PluginSkillReadParams](noPlugins)),
		on("plugin/install", refusing[PluginInstallParams](noPlugins)),
		on("plugin/uninstall", refusing[PluginUninstallParams](noPlugins)),
		on("app/list", func(c *conn, _ context.Context, id jsonrpc.ID, _ *AppsListParams) { c.reply(id, AppsListResponse{}) }),
		on("app/installed", func(c *conn, _ context.Context, id jsonrpc.ID, _ *AppsInstalledParams) {
			c.reply(id, AppsInstalledResponse{})
		}),
		on("app/read", func(c *conn, _ context.Context, id jsonrpc.ID, p *AppsReadParams) {
			c.reply(id, AppsReadResponse{MissingAppIDs: p.AppIDs})
		}),
		on("experimentalFeature/list", func(c *conn, _ context.Context, id jsonrpc.ID, _ *ExperimentalFeatureListParams) {
			c.reply(id, ExperimentalFeatureListResponse{})
		}),
		on("experimentalFeature/enablement/set", (*conn).featuresSet),
		on("externalAgentConfig/detect", func(c *conn, _ context.Context, id jsonrpc.ID, _ *ExternalAgentConfigDetectParams) {
			c.reply(id, ExternalAgentConfigDetectResponse{})
		}),
		on("externalAgentConfig/import/readHistories", func(c *conn, _ context.Context, id jsonrpc.ID, _ *struct{}) {
			c.reply(id, ExternalAgentConfigImportHistoriesReadResponse{})
		}),
		on("externalAgentConfig/import", refusing[ExternalAgentConfigImportParams](noImports)),
		on("externalAgentConfig/import/recordHistory", refusing[ExternalAgentConfigImportHistoryRecordParams](noImports)),
		on("feedback/upload", refusing[FeedbackUploadParams](noFeedback)),
		on("feedback/save", refusing[FeedbackSaveParams](noFeedback)),
		on("thread/attachment/list", func(c *conn, ctx context.Context, id jsonrpc.ID, p *ThreadAttachmentListParams) {
			c.aboutThread(ctx, id, p.ThreadID, ThreadAttachmentListResponse{})
		}),
		on("thread/attachmentOwner/list", func(c *conn, _ context.Context, id jsonrpc.ID, _ *ThreadAttachmentOwnerListParams) {
			c.reply(id, ThreadAttachmentOwnerListResponse{})
		}),
		on("thread/attachment/add", refusing[ThreadAttachmentAddParams](noAttachments)),
		on("thread/attachment/remove", refusing[ThreadAttachmentRemoveParams](noAttachments)),
		on("thread/memoryMode/set", func(c *conn, ctx context.Context, id jsonrpc.ID, p *ThreadMemoryModeSetParams) {
			c.aboutThread(ctx, id, p.ThreadID, ThreadMemoryModeSetResponse{}) // nothing is remembered in either mode
		}),
		on("thread/approveGuardianDeniedAction", refusing[ThreadApproveGuardianDeniedActionParams]("no action was denied: there is no reviewing model")),
	}
}

// Why requests about these things are refused.
const (
	noPlugins     = "there are no plugins here"
	noImports     = "configurations of other agents are not imported"
	noFeedback    = "feedback is not collected"
	noAttachments = "attachments are not kept"
)

// refusing refuses well-formed requests with a text.
func refusing[P any](text string) func(*conn, context.Context, jsonrpc.ID, *P) {
	return func(c *conn, _ context.Context, id jsonrpc.ID, _ *P) { c.fail(id, "", refused(text)) }
}

// aboutThread answers a request about a thread, which must exist.
func (c *conn) aboutThread(ctx context.Context, id jsonrpc.ID, threadID string, answer any) {
	if c.subscribed(threadID) == nil {
		if _, err := c.summary(ctx, threadID); err != nil {
			c.fail(id, threadID, noThread(threadID))
			return
		}
	}
	c.reply(id, answer)
}

// featuresSet reports that none of the features is there, so that each stays off (experimentalFeature/enablement/set).
func (c *conn) featuresSet(_ context.Context, id jsonrpc.ID, p *ExperimentalFeatureEnablementSetParams) {
	answer := ExperimentalFeatureEnablementSetResponse{Enablement: map[string]bool{}}
	for name := range p.Enablement {
		answer.Enablement[name] = false
	}
	c.reply(id, answer)
}

// hooksList returns the hooks of each folder: none (hooks/list).
func (c *conn) hooksList(_ context.Context, id jsonrpc.ID, p *HooksListParams) {
	result := HooksListResponse{}
	for _, dir := range p.Cwds {
		result.Data = append(result.Data, HooksListEntry{Cwd: dir})
	}
	c.reply(id, result)
}
