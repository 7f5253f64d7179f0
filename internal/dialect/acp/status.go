package acp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// status shows the settings and the usage of the session (the command status).
func status(_ context.Context, s *session, id jsonrpc.ID, _ string) {
	st := s.eng.State()
	var lines []string
	for _, option := range s.configOptions() {
		lines = append(lines, fmt.Sprintf("- %s: %s", option.Name, option.CurrentValue))
	}
	window := cmp.Or(s.conn.models.info(st.Settings.Model).ContextWindow, defaultWindow)
	lines = append(lines,
		"- Folder: "+st.Dir(),
		fmt.Sprintf("- Context: %d of %d tokens", st.Context, window),
		fmt.Sprintf("- Tokens: %d in, %d out", st.Usage.Context(), st.Usage.Output))
	if st.Cost > 0 {
		lines = append(lines, fmt.Sprintf("- Cost: $%.4f", st.Cost))
	}
	s.say(id, strings.Join(lines, "\n"))
}
