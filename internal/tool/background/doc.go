// Package background runs the commands of a session that outlive the calls which started them.
package background
