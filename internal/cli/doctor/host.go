package doctor

import (
	"fmt"

	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/host"
)

// examineHost reports whether a host serves the sessions of a state folder. None is no defect.
func examineHost(home string) cli.Finding {
	socket := host.SocketPath(home)
	status, err := host.ReadStatus(socket)
	switch {
	case err != nil:
		return cli.Finding{
			Check: "host", Detail: fmt.Sprintf("%s (process %d): %v", socket, status.PID, err),
			Fix: "stop it with parley host stop, and start it again with parley serve",
		}
	case !status.Running:
		return cli.Finding{Check: "host", OK: true, Detail: "none runs for this state folder (parley serve starts one)"}
	}
	return cli.Finding{
		Check: "host", OK: true,
		Detail: fmt.Sprintf("%s (process %d) at %s, %s open, %s", status.Host, status.PID, status.Socket, cli.Counted(*status.Sessions, "session"), cli.Counted(*status.Clients, "client")),
	}
}
