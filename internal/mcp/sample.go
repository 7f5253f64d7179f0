package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// Sampling: servers use the model of the session, where the configuration or the
// user allows it.

// Limits of sampling.
const (
	maxSamples     = 5        // of one call
	maxSampleBytes = 64 << 10 // of the texts of a request
	maxSampleShown = 4 << 10  // of them that the user sees, in bytes
)

// codeRejected is the error of a request that the user has rejected, as the protocol has it.
const codeRejected = -1

// sample answers a request of the server for an answer of the model.
func (l *connection) sample(ctx context.Context, r *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) { //nolint:staticcheck // most servers speak the version that has it
	s, err := l.scopeFor(ctx, r.Params.Meta)
	if err != nil {
		return nil, err
	}
	if s.user.sampling == tool.SamplingOff || s.hooks.Sample == nil {
		return nil, &jsonrpc.Error{Code: codeRejected, Message: "sampling is off for this server"}
	}
	ctx, end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if !s.takeSample() {
		return nil, refuseRequest(fmt.Sprintf("this call has asked the model %d times", maxSamples))
	}
	request, shown, err := s.modelRequest(r.Params)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	if s.user.sampling != tool.SamplingAllow && !s.allowSample(ctx, shown) {
		return nil, &jsonrpc.Error{Code: codeRejected, Message: "User rejected sampling request"}
	}
	answer, err := s.hooks.Sample(ctx, s.user.name, request)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the model did not answer: " + s.show(err.Error(), maxMessage)}
	}
	return &sdk.CreateMessageResult{ //nolint:staticcheck // as above
		Role: "assistant", Model: answer.Model, StopReason: stopReason(answer.Stop), Content: &sdk.TextContent{Text: answer.Message.Text()},
	}, nil
}

// takeSample counts a request to the model; false: there were enough.
func (s *scope) takeSample() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples++
	return s.samples <= maxSamples
}

// modelRequest returns the request as the model gets it, and what the user sees of it.
func (s *scope) modelRequest(p *sdk.CreateMessageParams) (*model.Request, string, error) { //nolint:staticcheck // as above
	request := &model.Request{System: p.SystemPrompt, MaxTokens: int(min(max(p.MaxTokens, 0), 1<<20))}
	if p.Temperature != 0 {
		request.Tuning.Temperature = &p.Temperature
	}
	size := len(p.SystemPrompt)
	var parts []string
	if p.SystemPrompt != "" {
		parts = append(parts, "System: "+p.SystemPrompt)
	}
	for _, m := range p.Messages {
		if m == nil {
			continue
		}
		text, ok := m.Content.(*sdk.TextContent)
		if !ok {
			return nil, "", errors.New("only texts can be sent to the model")
		}
		size += len(text.Text)
		message := model.UserText(text.Text)
		if m.Role == "assistant" {
			message.Role = model.Assistant
		}
		request.Messages = append(request.Messages, message)
		parts = append(parts, string(m.Role)+": "+text.Text)
	}
	switch {
	case len(request.Messages) == 0:
		return nil, "", errors.New("the request has no messages")
	case size > maxSampleBytes:
		return nil, "", fmt.Errorf("the request has more than %d bytes", maxSampleBytes)
	}
	return request, strings.Join(parts, "\n"), nil
}

// allowSample asks the user whether the model may answer the server. Without a user it may not.
func (s *scope) allowSample(ctx context.Context, shown string) bool {
	text := fmt.Sprintf("The tool server %q wants an answer of the model, which costs tokens and goes to the server. Its words: %q", s.name(), s.show(shown, maxSampleShown))
	err := s.hooks.Permit(ctx, text, "asked for by a tool server, not by the model")
	if !errors.Is(err, tool.ErrUnattended) {
		return err == nil
	}
	action, _, err := s.choose(ctx, text, acceptIt, &event.Elicitation{Server: s.name(), Message: s.show(shown, maxSampleShown)})
	return err == nil && action == actionAccept
}

// stopReason returns why the model stopped, in the words of the protocol.
func stopReason(stop model.Stop) string {
	switch stop {
	case model.StopTokens:
		return "maxTokens"
	case model.StopSequence:
		return "stopSequence"
	}
	return "endTurn"
}
