package openai

import (
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

// thinks reports whether req asks for reasoning.
func thinks(req *model.Request) bool { return req.Thinking != "" && req.Thinking != model.Off }

// temperature returns what to send of the temperature that req wants; nil: nothing.
func temperature(at *profile.Profile, req *model.Request) *float64 {
	if at.Reasons || at.FixedTemperature && thinks(req) {
		return nil
	}
	return req.Tuning.Temperature
}
