// Package journaltest is the suite that each driver of journal.Store passes. It holds a
// driver to its word also where that is hard: other processes, kill -9, full disks, torn
// and flipped bytes.
//
// A driver's tests call [Main] from TestMain, since the suite runs the test binary again
// for its other processes, and [Run] from a test.
package journaltest
