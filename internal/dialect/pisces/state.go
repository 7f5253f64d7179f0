package pisces

import "parley.dev/parley/internal/dialect/pisces/message"

// state returns what the session is now (get_state).
func (c *conn) state(s *session) RpcSessionState {
	st := s.eng.State()
	s.mu.Lock()
	defer s.mu.Unlock()
	queued := len(st.Steering) + len(st.FollowUps)
	state := RpcSessionState{
		ThinkingLevel: message.ThinkingLevel(st.Settings.Thinking),
		IsStreaming:   s.view.busy || st.Turn != "", IsCompacting: s.view.room != "" || st.Busy && st.Turn == "",
		SteeringMode:  c.cfg.Settings.queueMode(settingSteering),
		FollowUpMode:  c.cfg.Settings.queueMode(settingFollowUps),
		InterruptMode: c.cfg.Settings.interruptMode(),
		SessionFile:   s.path(), SessionID: string(st.ID), SessionName: st.Settings.Name,
		AutoCompactionEnabled: setting(c.cfg.Settings, settingCompact, true),
		MessageCount:          len(s.view.context.messages), QueuedMessageCount: queued, PendingMessageCount: queued,
	}
	m := c.wireModel(st.Settings.Model)
	state.Model = &m
	state.IsSettled = !state.IsStreaming && queued == 0
	return state
}
