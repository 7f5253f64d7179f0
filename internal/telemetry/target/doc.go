// Package target is where telemetry is sent to, as the configuration and the standard variables say: whether anything is exported is
// known without what exports it.
package target
