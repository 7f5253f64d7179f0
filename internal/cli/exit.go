package cli

import (
	"errors"
	"fmt"

	"parley.dev/parley/internal/stream/address"
)

// The exit codes; docs/exit-codes.md.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitUnfinished  = 3 // run: the turn ended at a limit; batch: tasks are finished and not done
	ExitWaiting     = 4 // batch status: not all tasks are finished
	ExitInternal    = 70
	ExitInterrupted = 130
)

// An ExitError ends the program with a code; err may be nil when all was said.
type ExitError struct {
	Code int
	Err  error
}

// Error returns the text of Err, or the code where there is none.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *ExitError) Unwrap() error { return e.Err }

// Failed returns an error that ends the program with ExitFailed, or with the code that err has; nil stays nil. A password in the
// address of a store is a bad command line, wherever the address is from.
func Failed(err error) error {
	switch _, hasCode := errors.AsType[*ExitError](err); {
	case err == nil:
		return nil
	case hasCode:
		return err
	case errors.Is(err, address.ErrPassword):
		return &ExitError{ExitUsage, err}
	}
	return &ExitError{ExitFailed, err}
}
