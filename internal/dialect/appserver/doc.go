// Package appserver is what the protocols of the app-server family share: what they ask a client and when that is settled,
// pictures in prompts, output of commands as their items show it. Their wires differ, and are theirs.
package appserver
