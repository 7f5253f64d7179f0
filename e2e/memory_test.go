package e2e

// memory returns a size from the process's status, such as VmHWM, the peak of resident memory;
// in bytes.
func (s *server) memory(name string) int64 {
	s.t.Helper()
	return s.proc("status", name)
}

// proc returns a size from a file of the process, in bytes.
func (s *server) proc(file, name string) int64 {
	s.t.Helper()
	return s.process.Size(file, name)
}
