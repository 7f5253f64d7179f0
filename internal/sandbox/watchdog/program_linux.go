package watchdog

// ownProgram returns the path of this program, which stays valid when its file is replaced.
func ownProgram() (string, error) { return "/proc/self/exe", nil }
