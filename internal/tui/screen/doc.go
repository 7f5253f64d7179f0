// Package screen is the terminal console as a Bubble Tea model: a function from messages to frames. It draws the
// conversation, the input, approvals, lists and the footer, and requests what the user wants of a [Host]. It opens no
// terminal and no connection, and reads no clock but that of its [Options].
package screen
