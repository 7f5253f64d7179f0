// Package parts has the parts of [app.Parts] that link much: stores on NATS, and the export of telemetry.
package parts

import "parley.dev/parley/internal/app"

// All returns every part.
func All() app.Parts { return app.Parts{OpenShared: openShared, Export: export} }
