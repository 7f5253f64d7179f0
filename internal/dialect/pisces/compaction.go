package pisces

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/engine"
)

// continueText is the message to the model after a compaction that was not requested.
const continueText = "Continue if you have next steps."

// A compactionPolicy is when older messages are summarized without a request, as the settings say. The first of
// percent, threshold and reserve that is set is the limit.
type compactionPolicy struct {
	never     bool
	percent   float64 // of the window
	threshold int     // tokens
	reserve   int     // tokens that stay free, and at least 15 % of the window; at most half of it
	keep      int     // tokens that stay word for word; at most a quarter of the window
	goOn      bool    // the model is sent continueText
}

// compaction returns the policy that the settings describe.
func (s *Settings) compaction() compactionPolicy {
	return compactionPolicy{
		never:     !setting(s, settingCompact, true),
		percent:   s.number("compaction.thresholdPercent", 0, 0),
		threshold: int(s.number("compaction.thresholdTokens", 0, 0)),
		reserve:   int(s.number("compaction.reserveTokens", 1, 16_384)),
		keep:      int(s.number("compaction.keepRecentTokens", 1, 20_000)),
		goOn:      setting(s, "compaction.autoContinue", true),
	}
}

// Plan implements engine.CompactionPolicy.
func (p compactionPolicy) Plan(window, _ int) engine.Compaction {
	plan := engine.Compaction{Never: p.never, AfterTurn: true, Keep: min(p.keep, window/4)}
	switch {
	case p.percent > 0:
		plan.Limit = int(p.percent / 100 * float64(window))
	case p.threshold > 0:
		plan.Limit = p.threshold
	default:
		plan.Limit = window - max(window*15/100, min(p.reserve, window/2))
	}
	if p.goOn {
		plan.Continue = continueText
		plan.ContinueSent = continueSent
	}
	return plan
}

// continueSent returns continueText as a message of the protocol.
func continueSent(now time.Time) jsontext.Value {
	return rawjson.Marshal(message.User{
		Role: message.RoleDeveloper, Content: []message.Content{message.NewText(continueText)}, Attribution: "agent", Timestamp: now.UnixMilli(),
	})
}
