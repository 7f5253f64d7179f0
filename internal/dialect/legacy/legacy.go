// Package legacy lists what the engine must know of sessions that former versions have made for single protocols. It decides nothing.
package legacy

// ApproveAll returns the profiles whose sessions needed an approval for every call while their settings did not have it: they had a mode
// that was only shown.
func ApproveAll() []string { return []string{"scaiflux"} }
