package verify

// signalNumber returns 0: on Windows no signal ends a command.
func signalNumber(string) int { return 0 }
