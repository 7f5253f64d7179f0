// Package watchdog kills commands when this process has not renewed its lease for a time, even if this process is stopped at
// that time (SIGSTOP, a debugger, a paused container) and so can do nothing itself.
//
// Two small processes wait for the deadline: this program, started again, which the init function of this package then turns
// into a watchdog. Each is in a session of its own and knows the process groups of all running commands. Two, because a command
// can kill or stop one of them. The rest of the package is this process's side: it registers commands and renewals with both,
// replaces one that has ended or that does not answer, and kills the commands if neither can be started.
package watchdog
