package engine

import "parley.dev/parley/internal/event"

// Label gives the record of that number a label for users; "" takes it away. ErrBadHead if
// there is no such record, ErrClosed.
func (l Log) Label(seq uint64, label string) error {
	s := l.s
	if err := s.lockToWrite(); err != nil {
		return err
	}
	defer s.unlock()
	switch {
	case seq == 0 || seq > s.fold.State.Head:
		return ErrBadHead
	}
	s.log.Append("", event.Labelled{Target: seq, Label: label})
	return nil
}
