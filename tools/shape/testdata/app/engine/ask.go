package engine

func (s *Session) ask() error { return s.model.Stream() }
