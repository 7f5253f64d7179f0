// Package run is the command that runs one prompt, or several, at a terminal or in a script.
package run
