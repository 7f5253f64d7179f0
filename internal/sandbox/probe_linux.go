package sandbox

import (
	"errors"
	"fmt"
	"syscall"
)

// mechanisms probe each mechanism that Linux has.
var mechanisms = []func() Mechanism{probeLandlock, probeSeccomp, probeNamespaces, probeBubblewrap}

func probeLandlock() Mechanism {
	m := Mechanism{Name: nameLandlock}
	abi, err := landlockABI.Get()
	if err == nil {
		m.Available, m.Detail = true, fmt.Sprintf("ABI %d", abi)
		if abi < abiScopes {
			m.Detail += ": signals to other processes are not held before ABI 6 (Linux 6.12)"
		}
		return m
	}
	m.Detail, m.Fix = landlockDetail(err), "use Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK"
	if errors.Is(err, syscall.EOPNOTSUPP) {
		m.Fix = `add "landlock" to the kernel parameter lsm=`
	}
	return m
}

func landlockDetail(err error) string {
	if errors.Is(err, syscall.EOPNOTSUPP) {
		return "Landlock is built into the kernel, but switched off"
	}
	return "Landlock is not in this kernel: " + err.Error()
}

func probeSeccomp() Mechanism {
	m := Mechanism{Name: nameSeccomp}
	if err := filtersError.Get(); err != nil {
		m.Detail, m.Fix = "no filters: "+err.Error(), "use a kernel with CONFIG_SECCOMP_FILTER"
		return m
	}
	m.Available, m.Detail = true, "filters"
	return m
}

func probeNamespaces() Mechanism {
	m := Mechanism{Name: nameNamespaces}
	kind, err := availableNamespaces.Get()
	switch kind {
	case rootNamespaces:
		m.Available, m.Detail = true, "mount and network, as root"
	case userNamespaces:
		m.Available, m.Detail = true, "user, mount and network"
	default:
		m.Detail = firstLine("", fmt.Errorf("refused: %w", err))
		m.Fix = "set the sysctls user.max_user_namespaces above 0 and kernel.apparmor_restrict_unprivileged_userns to 0; in a container, allow them there"
	}
	return m
}

func probeBubblewrap() Mechanism {
	m := Mechanism{Name: nameBubblewrap}
	path, err := bubblewrapPath.Get()
	if err != nil {
		m.Detail, m.Fix = err.Error(), "install the package bubblewrap, and allow it user namespaces; it is needed only without Landlock or namespaces"
		return m
	}
	m.Available, m.Detail = true, path
	return m
}
