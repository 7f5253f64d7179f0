package engine

func (s *Session) begin() error {
	done := make(chan error)
	go func() { done <- s.run() }()
	return <-done
}

func (s *Session) run() error {
	if s.Options().Retry.Never {
		return nil
	}
	return s.ask()
}
