#!/bin/sh
# Installs broker for the user who runs it; no root is needed.
#
#   sh install.sh [--version X.Y.Z] [--dir DIRECTORY]     installs, or replaces what is installed
#   sh install.sh --uninstall [--dir DIRECTORY]           removes the program; vaults stay
#
# BROKER_INSTALL_DIR names the directory too; without either it is ~/.local/bin.
# BROKER_INSTALL_BASE_URL names the place of the releases: BASE/latest/download/FILE and
# BASE/download/vX.Y.Z/FILE. A published copy of this script has it written in.
set -eu

base_url=${BROKER_INSTALL_BASE_URL:-@BASE_URL@}
dir=${BROKER_INSTALL_DIR:-${HOME:-}/.local/bin}
version=latest
uninstall=no
temporary=

say() { printf 'install: %s\n' "$*"; }
fail() {
  printf 'install: error: %s\n' "$1" >&2
  if [ $# -gt 1 ]; then printf 'install: hint: %s\n' "$2" >&2; fi
  exit 1
}
cleanup() { if [ -n "$temporary" ]; then rm -rf "$temporary"; fi; }
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

while [ $# -gt 0 ]; do
  case $1 in
  --version | --dir)
    if [ $# -lt 2 ]; then fail "$1 needs a value" "sh install.sh --help"; fi
    if [ "$1" = --dir ]; then dir=$2; else version=${2#v}; fi
    shift
    ;;
  --uninstall) uninstall=yes ;;
  -h | --help)
    cat << 'HELP'
sh install.sh [--version X.Y.Z] [--dir DIRECTORY]     installs, or replaces what is installed
sh install.sh --uninstall [--dir DIRECTORY]           removes the program; vaults stay
The directory is BROKER_INSTALL_DIR, else ~/.local/bin.
HELP
    exit 0
    ;;
  *) fail "\"$1\" is not understood" "sh install.sh --help" ;;
  esac
  shift
done

case $dir in
/*) ;;
*) dir=$PWD/$dir ;;
esac
program=$dir/broker

if [ "$uninstall" = yes ]; then
  if [ ! -e "$program" ]; then fail "$program is not there" "name its directory: --dir DIRECTORY"; fi
  rm -f "$program" || fail "$program cannot be removed"
  say "removed $program"
  say "vaults and credentials stay in BROKER_HOME, else ~/.local/share/broker, or on macOS in"
  say "~/Library/Application Support/broker; delete that directory to remove them for good"
  exit 0
fi

case $(uname -s) in
Linux) system=unknown-linux-gnu ;;
Darwin) system=apple-darwin ;;
*) fail "there is no broker for $(uname -s) here" "on Windows, download broker-x86_64-pc-windows-msvc.exe" ;;
esac
case $(uname -m) in
x86_64 | amd64) machine=x86_64 ;;
aarch64 | arm64) machine=aarch64 ;;
*) fail "there is no broker for $(uname -m)" "build it from a checkout: deno task compile" ;;
esac
file=broker-$machine-$system

case $base_url in
http://* | https://*) ;;
*) fail "nothing says where the releases are" "set BROKER_INSTALL_BASE_URL=https://.../releases" ;;
esac
case $version in
latest) from=${base_url%/}/latest/download ;;
*) from=${base_url%/}/download/v$version ;;
esac

# Plain http is for a server on this machine, such as a test's.
case $from in
https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
*) fail "$from is not https" "releases are downloaded over https" ;;
esac

if command -v curl > /dev/null 2>&1; then
  download() { curl -fsSL --retry 2 -o "$2" "$1"; }
elif command -v wget > /dev/null 2>&1; then
  download() { wget -q -O "$2" "$1"; }
else
  fail "neither curl nor wget is there" "install one of them"
fi

if command -v sha256sum > /dev/null 2>&1; then
  checksum() { sha256sum "$1" | cut -d ' ' -f 1; }
elif command -v shasum > /dev/null 2>&1; then
  checksum() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
elif command -v openssl > /dev/null 2>&1; then
  checksum() { openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1; }
else
  fail "nothing here computes SHA-256" "install coreutils, perl or openssl"
fi

mkdir -p "$dir" 2> /dev/null || fail "$dir cannot be created" "choose another: --dir DIRECTORY"
# In the directory itself, so that the last step is a rename, which never leaves half a file.
temporary=$(mktemp -d "$dir/.broker-install-XXXXXX" 2> /dev/null) ||
  fail "$dir cannot be written to" "choose another: --dir DIRECTORY"

say "downloading $from/$file"
download "$from/checksums.txt" "$temporary/checksums.txt" ||
  fail "$from/checksums.txt could not be downloaded" "check the version and the connection"
download "$from/$file" "$temporary/broker" ||
  fail "$from/$file could not be downloaded" "check the version and the connection"

expected=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$file\$/\1/p" "$temporary/checksums.txt")
actual=$(checksum "$temporary/broker")
if [ -z "$expected" ]; then fail "checksums.txt has no line for $file"; fi
if [ "$expected" != "$actual" ]; then
  fail "$file is not what was released: its SHA-256 is $actual, not $expected" \
    "try again; if it stays so, do not use it"
fi

chmod 755 "$temporary/broker"
installed=$("$temporary/broker" --version 2> /dev/null) ||
  fail "$file does not run on this machine" "build it from a checkout: deno task compile"
if [ -d "$program" ]; then fail "$program is a directory" "choose another: --dir DIRECTORY"; fi
mv -f "$temporary/broker" "$program"
say "installed broker $installed as $program"

case :${PATH:-}: in
*:"$dir":*)
  found=$(command -v broker || true)
  if [ -n "$found" ] && [ "$found" != "$program" ]; then
    say "but \"broker\" is $found: put $dir before its directory in PATH"
  fi
  ;;
*) say "put it on your PATH: export PATH=\"$dir:\$PATH\"" ;;
esac
say "to begin: broker vault service add"
say "to remove it: rm $program, or this script with --uninstall"
