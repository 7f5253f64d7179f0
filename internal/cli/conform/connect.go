package conform

import (
	"io"
	"net"

	"github.com/spf13/cobra"

	"parley.dev/parley/internal/cli"
)

// connectCommand returns the command that is the server for a client which starts its server itself: it copies lines to the
// process that plays the case, and back.
func connectCommand() *cobra.Command {
	return &cobra.Command{
		Use: "connect SOCKET", Short: "Copy stdin and stdout to a case that is played", Hidden: true, Args: cli.ExactArgs("SOCKET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := net.Dial("unix", args[0])
			if err != nil {
				return cli.Failed(err)
			}
			defer conn.Close()
			go func() {
				_, _ = io.Copy(conn, cmd.InOrStdin()) // to its end
				if c, ok := conn.(*net.UnixConn); ok {
					_ = c.CloseWrite() // the other side may have closed it
				}
			}()
			_, err = io.Copy(cmd.OutOrStdout(), conn)
			return cli.Failed(err)
		},
	}
}
