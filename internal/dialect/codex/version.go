package codex

// Version is that of the protocol: the release whose schema is spoken.
const Version = schemaVersion

// VersionLine is what a program of this protocol prints about itself: clients read the number.
func VersionLine() string { return "codex-cli " + Version }
