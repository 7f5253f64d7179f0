package companion

// Version is the version of all programs of the installation. It is set at build time.
var Version = "0.2.0"
