package sandbox

import (
	"strings"

	"parley.dev/parley/internal/text"
)

// refusalTexts are the messages, in lower case, that programs print when the system refuses an
// operation, possibly because of a sandbox; networkTexts are those for a missing network.
var (
	refusalTexts = []string{
		"operation not permitted", "permission denied", "read-only file system",
		"invalid cross-device link", "device or resource busy", // a protected folder is a mount
	}
	networkTexts = []string{
		"network is unreachable", "network unreachable", "connection refused", "temporary failure in name resolution",
		"name or service not known", "could not resolve", "no such host", "unknown host", "getaddrinfo", "address family not supported",
	}
)

// maxRefusal limits what Refusal returns, in bytes.
const maxRefusal = 200

// Refusal returns the line of output which suggests that p refused an operation of the command
// that ended with exit; "" if there is none. The system does not report refusals: a command that
// fails and prints such an error is taken to have been refused, although the error may have
// another cause. Messages in languages other than English are not recognised.
func Refusal(p Policy, exit Exit, output string) string {
	switch {
	case p.Level == Full || exit.Interrupted || exit.Killed != nil || exit.Code == 0 && exit.Signal == "":
		return ""
	case exit.Signal == "SIGSYS":
		return "a system call that the sandbox forbids"
	}
	for line := range strings.Lines(output) {
		lower := strings.ToLower(line)
		if containsAny(lower, refusalTexts) || !p.Network && containsAny(lower, networkTexts) {
			return text.Clip(strings.TrimSpace(line), maxRefusal, "…")
		}
	}
	return ""
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
