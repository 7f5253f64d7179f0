// Package journaltest is the test suite for drivers of journal.Store. It includes the difficult
// cases: other processes, kill -9, full disks, incomplete writes and flipped bits.
//
// A driver's tests call [Main] from TestMain, since the suite runs the test binary again
// for its other processes, and [Run] from a test.
package journaltest
