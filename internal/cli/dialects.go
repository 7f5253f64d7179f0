package cli

// Dialects are the dialects that can be started by program name.
var Dialects = []string{"scaiflux", "flint", "codex", "loaf", "agentair", "pisces", "acp"}
