package native

import "parley.dev/parley/internal/engine"

// DefaultProfile is the profile of sessions that name none: our own tools under our own names.
const DefaultProfile = "native"

// Options returns the options of DefaultProfile with these tools: a second prompt becomes what its client asks for, calls
// that change nothing run together, and follow-ups have turns of their own.
func Options(toolset []engine.Binding) engine.Options {
	o := engine.Defaults()
	o.Profile = DefaultProfile
	o.Toolset = toolset
	o.SecondPrompt = engine.SteerSecond
	o.Calls = engine.ParallelReads
	o.FollowUps = engine.FollowUpInNewTurn
	return o
}
