package cli

import "fmt"

// The exit codes; docs/exit-codes.md.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitUnfinished  = 3 // run: the turn ended at a limit
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

// Failed returns an error that ends the program with ExitFailed; nil stays nil.
func Failed(err error) error {
	if err == nil {
		return nil
	}
	return &ExitError{ExitFailed, err}
}
