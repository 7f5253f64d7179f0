package acp

// commandsUpdate returns the slash commands of the session.
func (s *session) commandsUpdate() AvailableCommandsUpdate {
	return AvailableCommandsUpdate{"available_commands_update", []Command{}}
}
