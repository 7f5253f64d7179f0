package file

// lockProbe does nothing: all file systems of Windows have locks.
func lockProbe(string) error { return nil }
