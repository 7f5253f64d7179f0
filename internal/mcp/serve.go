package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// serve makes the connection answer the requests of its server, and declares that to it.
func (l *connection) serve(p *sharedServer, o *sdk.ClientOptions) {
	o.PromptListChangedHandler = func(context.Context, *sdk.PromptListChangedRequest) { p.promptsChanged(l) }
	o.ElicitationHandler = l.elicit
	o.CreateMessageHandler = l.sample                     //nolint:staticcheck // most servers speak the version that has it
	o.Capabilities.Sampling = &sdk.SamplingCapabilities{} //nolint:staticcheck // most servers speak the version that has it
	o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
}
