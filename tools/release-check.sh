#!/usr/bin/env bash
# Checks a release in a folder with the tools that its users have: packages are installed into an empty
# root, run and removed, and the container image is unpacked and run without root. What needs a tool that
# this machine lacks is skipped, with the reason. It changes nothing outside of a temporary folder.
set -uo pipefail
dist=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
architecture=$(uname -m)
case $architecture in x86_64) go=amd64 ;; aarch64) go=arm64 ;; *) go=$architecture ;; esac
failures=0

# check NAME COMMAND... reports whether a command succeeds, and what it printed if not.
check() {
  local name=$1
  shift
  if "$@" >"$scratch/output" 2>&1; then
    echo "ok      $name"
  else
    failures=$((failures + 1))
    echo "FAILED  $name"
    sed 's/^/        /' "$scratch/output" | head -40
  fi
}

# needs NAME TOOL... reports whether the tools of a check are installed.
needs() {
  local name=$1 tool
  shift
  for tool; do
    if ! command -v "$tool" >/dev/null; then
      echo "skipped $name: $tool is not installed"
      return 1
    fi
  done
}

# as_root NAME reports whether this process may do what only root may.
as_root() {
  [ "$(id -u)" = 0 ] && return
  echo "skipped $1: it needs root"
  return 1
}

# only PATTERN prints the one file of dist that matches.
only() {
  local found=("$dist"/$1)
  [ ${#found[@]} = 1 ] && [ -f "${found[0]}" ] && echo "${found[0]}"
}

# runs ROOT runs the installed program in a root, and compares it with the one in dist.
runs() {
  cmp "$1/usr/bin/parley" "$program" && cmp "$1/usr/bin/parley-console" "${program/parley-/parley-console-}" &&
    cmp "$1/usr/bin/parley-host" "${program/parley-/parley-host-}" && HOME=$scratch "$1/usr/bin/parley" version && HOME=$scratch "$1/usr/bin/parley" batch list
}

# complete ROOT ZSH reports whether the installed completions are scripts of their shells, where these are.
complete() {
  bash -n "$1/usr/share/bash-completion/completions/parley" || return
  if command -v zsh >/dev/null; then zsh -n "$1/$2/_parley" || return; fi
  if command -v fish >/dev/null; then fish -n "$1/usr/share/fish/vendor_completions.d/parley.fish" || return; fi
}

# manual ROOT formats each page, and reports what is wrong in one.
manual() {
  gunzip -t "$1"/usr/share/man/man1/parley-console.1.gz "$1"/usr/share/man/man1/parley-host.1.gz "$1"/usr/share/man/man1/parley-sessions-show.1.gz || return
  rm -rf "$scratch/pages" && cp -r "$1/usr/share/man/man1" "$scratch/pages" && gunzip "$scratch"/pages/*.gz && mandoc -T lint -W warning "$scratch"/pages/*.1
}

# empty ROOT FOLDER... reports what is left of the package in a root.
empty() {
  local left
  left=$(find "$1" \( -name '*parley*' -o -path '*/usr/bin/*' \) -not -path '*/var/lib/*')
  [ -z "$left" ] || { echo "left: $left"; false; }
}

archive() {
  mkdir "$scratch/archive" && tar -C "$scratch/archive" -xzf "$1" && HOME=$scratch "$scratch"/archive/*/parley version &&
    cmp "$scratch"/archive/*/parley "$program" && test -f "$scratch"/archive/*/man/parley.1 && test -f "$scratch"/archive/*/completions/parley.ps1
}

debian() {
  mkdir -p "$1/var/lib/dpkg/info" "$1/var/lib/dpkg/updates" && : >"$1/var/lib/dpkg/status" && : >"$1/var/lib/dpkg/available" &&
    dpkg --root="$1" --log=/dev/null --force-not-root --force-depends --install "$2"
}

red_hat() {
  mkdir -p "$1" && rpm --root "$1" --dbpath /var/lib/rpm --initdb && rpm --root "$1" --dbpath /var/lib/rpm --nodeps --ignorearch -i "$2"
}

# confined COMMAND... runs a command in the image as its user, on a read-only root, with a home in memory.
confined() {
  unshare --mount bash -euc '
    root=$1; shift
    mount --bind "$root" "$root"
    mount -o remount,bind,ro "$root"
    mount -t tmpfs -o mode=700,uid=65532,gid=65532 tmpfs "$root/home/nonroot"
    ! touch "$root/etc/written" 2>/dev/null
    cd "$root"
    exec env -i HOME=/home/nonroot PATH=/usr/sbin:/usr/bin chroot --userspec=65532:65532 . /usr/bin/parley "$@"' - "$scratch/image/rootfs" "$@"
}

# described reports whether the configuration of the image is what docs/release.md promises.
described() {
  skopeo inspect --config "oci-archive:$image" >"$scratch/config" &&
    jq -e '.config.User == "65532:65532" and .config.Entrypoint == ["/usr/bin/parley"] and .config.WorkingDir == "/workspace" and .os == "linux"' "$scratch/config"
}

program=$(only "parley-[0-9]*-linux-$go") || { echo "release-check: $dist has no program for linux/$go" >&2; exit 1; }
version=$(basename "$program") version=${version#parley-} version=${version%-linux-"$go"}
check "checksums" env -C "$dist" sha256sum --quiet -c checksums.txt
check "archive: unpacked, run" archive "$program.tar.gz"
for zip in "$dist"/*.zip; do
  [ -f "$zip" ] && needs "${zip##*/}" unzip && check "${zip##*/}" unzip -tq "$zip"
done

deb=$dist/parley_${version/-/\~}_$go.deb root=$scratch/debian
if needs "deb" dpkg dpkg-deb && as_root "deb"; then
  check "deb: installed" debian "$root" "$deb"
  check "deb: run" runs "$root"
  check "deb: completions" complete "$root" usr/share/zsh/vendor-completions
  needs "deb: manual pages" mandoc && check "deb: manual pages" manual "$root"
  check "deb: removed" dpkg --root="$root" --log=/dev/null --force-not-root --purge parley
  check "deb: nothing is left" empty "$root"
fi
needs "deb: lintian" lintian && check "deb: lintian" lintian --fail-on error,warning "$deb"

package=$dist/parley-${version/-/\~}-1.$architecture.rpm root=$scratch/rpm
if needs "rpm" rpm && as_root "rpm"; then
  check "rpm: digests" rpm -K --nosignature "$package"
  check "rpm: installed" red_hat "$root" "$package"
  check "rpm: run" runs "$root"
  check "rpm: completions" complete "$root" usr/share/zsh/site-functions
  needs "rpm: manual pages" mandoc && check "rpm: manual pages" manual "$root"
  check "rpm: removed" rpm --root "$root" --dbpath /var/lib/rpm --nodeps -e parley
  check "rpm: nothing is left" empty "$root"
fi

image=$dist/parley-$version-oci.tar
needs "image: configuration" skopeo jq && check "image: configuration" described
if needs "image: run" skopeo umoci unshare && as_root "image: run"; then
  check "image: read" skopeo copy --quiet "oci-archive:$image" "oci:$scratch/layout:$version"
  check "image: unpacked" umoci unpack --image "$scratch/layout:$version" "$scratch/image"
  if unshare --mount true 2>/dev/null; then
    check "image: run as its user on a read-only root" confined version
    check "image: a turn" confined run --model offline/demo "list the go files"
  else
    echo "skipped image: run: this machine does not permit mounts"
  fi
fi
exit $((failures > 0))
