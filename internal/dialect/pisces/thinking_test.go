package pisces

import "testing"

func TestClamp(t *testing.T) {
	few := []ThinkingLevel{ThinkingLow, ThinkingHigh}
	for _, test := range []struct {
		level  ThinkingLevel
		levels []ThinkingLevel
		want   ThinkingLevel
	}{
		{ThinkingMedium, thinkingLevels, ThinkingMedium},
		{ThinkingOff, thinkingLevels, ThinkingOff},
		{ThinkingMinimal, few, ThinkingLow},
		{ThinkingMedium, few, ThinkingLow},
		{ThinkingXHigh, few, ThinkingHigh},
		{ThinkingHigh, nil, ThinkingOff},
		{"", few, ThinkingOff},
		{"most", few, ThinkingOff},
	} {
		if got := clamp(test.level, test.levels); got != test.want {
			t.Errorf("%q of %v became %q, want %q", test.level, test.levels, got, test.want)
		}
	}
}
