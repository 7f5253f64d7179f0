package codex

import (
	"context"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file contains the account of the user: an API key, or none.

func accountMethods() []handler {
	return []handler{
		on("account/read", (*conn).accountRead),
		on("account/login/start", (*conn).loginStart),
		on("account/login/cancel", func(c *conn, _ context.Context, id jsonrpc.ID, _ *CancelLoginAccountParams) {
			c.reply(id, CancelLoginAccountResponse{CancelLoginAccountStatusNotFound}) // a key is stored at once
		}),
		on("account/logout", (*conn).logout),
		on("account/bedrock/checkGovCloudRequirements", (*conn).checkGovCloud),
		on("account/rateLimits/read", unread[GetAccountRateLimitsParams]("rate limits")),
		on("account/usage/read", unread[GetAccountTokenUsageParams]("token usage")),
		on("account/workspaceMessages/read", unread[struct{}]("workspace messages")),
		on("account/securitySetup/read", unread[struct{}]("security setup")),
		on("account/rateLimitResetCredit/consume", unread[ConsumeAccountRateLimitResetCreditParams]("rate limit reset credits")),
		on("account/sendAddCreditsNudgeEmail", unread[SendAddCreditsNudgeEmailParams]("credits")),
	}
}

// unread refuses what only an account of the service has.
func unread[P any](what string) func(*conn, context.Context, jsonrpc.ID, *P) {
	return func(c *conn, _ context.Context, id jsonrpc.ID, _ *P) {
		c.fail(id, "", refused("codex account authentication required to read "+what))
	}
}

// An accountAnswer is a GetAccountResponse whose absent members are null: the adapter for the Agent Client Protocol compares them to it.
type accountAnswer struct {
	Account            Account           `json:"account"`
	RequiresOpenaiAuth bool              `json:"requiresOpenaiAuth"`
	UserID             *string           `json:"userId"`
	WorkspaceRouting   *WorkspaceRouting `json:"workspaceRouting"`
}

// accountRead returns the account that the user has signed in with: none is needed (account/read).
func (c *conn) accountRead(_ context.Context, id jsonrpc.ID, _ *GetAccountParams) {
	var answer accountAnswer
	if c.hasKey() {
		answer.Account = APIKeyAccount{}
	}
	c.reply(id, answer)
}

func (c *conn) hasKey() bool { return c.cfg.Keys != nil && c.cfg.Keys.Stored() }

// loginStart stores an API key (account/login/start).
func (c *conn) loginStart(_ context.Context, id jsonrpc.ID, p *LoginAccountParams) {
	login, ok := p.Value.(APIKeyv2LoginAccountParams)
	if !ok || c.cfg.Keys == nil {
		c.fail(id, "", refused("this sign-in is not offered here; use an API key"))
		return
	}
	if err := c.cfg.Keys.Set(login.APIKey); err != nil {
		c.fail(id, "", invalid("apiKey: "+err.Error()))
		return
	}
	c.reply(id, APIKeyv2LoginAccountResponse{})
	for _, line := range c.announce("account/login/completed", AccountLoginCompletedNotification{Success: true}) {
		c.out.Post(line)
	}
	c.cfg.Process.announce("account/updated", c.account(), nil)
}

// logout forgets the key (account/logout).
func (c *conn) logout(_ context.Context, id jsonrpc.ID, _ *struct{}) {
	if c.cfg.Keys != nil {
		if err := c.cfg.Keys.Delete(); err != nil {
			c.fail(id, "", refused("the key cannot be deleted: "+err.Error()))
			return
		}
	}
	c.reply(id, LogoutAccountResponse{})
	c.cfg.Process.announce("account/updated", c.account(), nil)
}

// account returns how the user has signed in now.
func (c *conn) account() AccountUpdatedNotification {
	if c.hasKey() {
		return AccountUpdatedNotification{AuthMode: AuthModeApikey}
	}
	return AccountUpdatedNotification{}
}

// checkGovCloud reports that there is nothing to warn of (account/bedrock/checkGovCloudRequirements).
func (c *conn) checkGovCloud(_ context.Context, id jsonrpc.ID, _ *BedrockCheckGovCloudRequirementsParams) {
	c.reply(id, BedrockCheckGovCloudRequirementsResponse{})
}
