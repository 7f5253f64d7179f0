package cli

// Dialects are the dialects that can be started by program name.
var Dialects = []string{"scaiflux", "flint", "loaf", "agentair", "pisces", "acp"}
