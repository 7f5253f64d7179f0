package pisces

import (
	"testing"

	"parley.dev/parley/internal/dialect/pisces/message"
)

func TestClamp(t *testing.T) {
	few := []message.ThinkingLevel{message.ThinkingLow, message.ThinkingHigh}
	for _, test := range []struct {
		level  message.ThinkingLevel
		levels []message.ThinkingLevel
		want   message.ThinkingLevel
	}{
		{message.ThinkingMedium, thinkingLevels, message.ThinkingMedium},
		{message.ThinkingOff, thinkingLevels, message.ThinkingOff},
		{message.ThinkingMinimal, few, message.ThinkingLow},
		{message.ThinkingMedium, few, message.ThinkingLow},
		{message.ThinkingXHigh, few, message.ThinkingHigh},
		{message.ThinkingHigh, nil, message.ThinkingOff},
		{"", few, message.ThinkingOff},
		{"most", few, message.ThinkingOff},
	} {
		if got := clamp(test.level, test.levels); got != test.want {
			t.Errorf("%q of %v became %q, want %q", test.level, test.levels, got, test.want)
		}
	}
}
