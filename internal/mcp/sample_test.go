package mcp

import (
	"context"
	"strings"
	"testing"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// TestSampling: the model answers a server where the user or the configuration allows it, not more
// often than a call may ask, and never without a user, unless the configuration allows it.
func TestSampling(t *testing.T) {
	b := newBench(t, nil)
	for name, test := range map[string]struct {
		sampling tool.Sampling
		permit   error
		answers  [][][]string
		never    bool
		want     string
		requests int
		permits  int
	}{
		"permitted":   {"", nil, nil, false, `calling "sampling/createMessage": this call has asked the model 5 times`, 5, 5},
		"denied":      {"", errNo, nil, false, "User rejected sampling request", 0, 1},
		"by question": {"", tool.ErrUnattended, [][][]string{{{acceptIt}}, {{declineIt}}}, false, "yes m endTurn: ", 1, 2},
		"no user":     {"", tool.ErrUnattended, nil, true, "User rejected sampling request", 0, 1},
		"allowed":     {tool.SamplingAllow, tool.ErrUnattended, nil, true, "asked the model 5 times", 5, 0},
		"off":         {tool.SamplingOff, nil, nil, false, "sampling is off for this server", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, "asking")
			s.Sampling = test.sampling
			v := b.visit(s)
			p := &person{answers: test.answers, decide: test.permit, never: test.never}
			h := p.hooks()
			requests := 0
			h.Sample = func(_ context.Context, server string, r *model.Request) (*model.Response, error) {
				requests++
				if server != "srv" || r.System != "Be\x1b brief." || r.MaxTokens != 100 || len(r.Messages) != 1 || r.Messages[0].Text() != "Sum it up" {
					t.Errorf("%s: %+v", server, r)
				}
				return &model.Response{Model: "m", Stop: model.StopEnd, Message: model.Message{Role: model.Assistant, Blocks: []model.Block{model.TextBlock("yes")}}}, nil
			}
			r := v.prepare("sample", `{}`).Run(t.Context(), h)
			if !strings.Contains(strings.ReplaceAll(r.Text, `\"`, `"`), test.want) || requests != test.requests || len(p.permits) != test.permits {
				t.Errorf("%q, %d requests, %d approvals", r.Text, requests, len(p.permits))
			}
			for _, text := range p.permits {
				if !strings.HasPrefix(text, `The tool server "srv" wants an answer of the model`) || !strings.Contains(text, "Be\ufffd brief. user: Sum it up") {
					t.Errorf("%q", text)
				}
			}
		})
	}
}
