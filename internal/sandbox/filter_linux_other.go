//go:build linux && !amd64

package sandbox

// See filter_linux_amd64.go.
var archModeCalls, archOpenCalls map[uint32]uint32
