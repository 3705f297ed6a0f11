#!/bin/sh
# Puts the Debian package together from bin/weirkeep: bin/weirkeep_VERSION_ARCH.deb.
# What is in it, the program itself makes where it can: the configuration and
# the completions.
set -eu
cd "$(dirname "$0")/../../.."
GO=${GO:-go}
nfpm=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2
deploy=$PWD/cmd/weirkeep/deploy
root=$PWD/bin/package

rm -rf "$root"
umask 022
mkdir -p "$root/etc/weirkeep" "$root/etc/logrotate.d" "$root/DEBIAN"
install -D -m 0755 bin/weirkeep "$root/usr/bin/weirkeep"
install -D -m 0644 -t "$root/usr/lib/systemd/system" "$deploy/weirkeep.service" "$deploy/weirkeep.socket"
install -D -m 0644 README.md "$root/usr/share/doc/weirkeep/README.md"
install -D -m 0644 rules/RULES.md "$root/usr/share/doc/weirkeep/RULES.md"
install -D -m 0644 LICENSE "$root/usr/share/doc/weirkeep/copyright"
install -D -m 0644 "$deploy/weirkeep.logrotate" "$root/etc/logrotate.d/weirkeep"
install -m 0755 "$deploy/postinst" "$deploy/prerm" "$deploy/postrm" "$root/DEBIAN"

bin/weirkeep init "$root/etc/weirkeep/weirkeep.yaml" --origin 127.0.0.1:9001 >/dev/null 2>&1
completion() {
	mkdir -p "$root/$(dirname "$2")"
	bin/weirkeep completion "$1" >"$root/$2"
}
completion bash usr/share/bash-completion/completions/weirkeep
completion zsh usr/share/zsh/vendor-completions/_weirkeep
completion fish usr/share/fish/vendor_completions.d/weirkeep.fish

VERSION=$(bin/weirkeep version | cut -d ' ' -f 2)
ARCH=$($GO env GOARCH)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)} # of every file
export VERSION ARCH SOURCE_DATE_EPOCH
rm -f bin/weirkeep_*.deb
package=$PWD/bin/weirkeep_${VERSION}_${ARCH}.deb
cd "$root"
GOFLAGS= GOARCH= $GO run "$nfpm" package -f "$deploy/nfpm.yaml" -p deb -t "$package"
