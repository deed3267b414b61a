#!/bin/sh
# broker @VERSION@ for @TARGET@: this program, its JavaScript and a Deno runtime in one file. The first
# start unpacks both into the user's cache, checked by SHA-256; every later start is two file tests and
# an exec. Nothing below the last line of this text is read by the shell.
set -u

program_name='broker-@VERSION@-@PROGRAM_ID@'
runtime_name='deno-@DENO_VERSION@-@RUNTIME_ID@'

fail() {
  printf 'broker: error: %s\nbroker: hint: %s\n' "$1" "$2" >&2
  exit 1
}

if [ -n "${XDG_CACHE_HOME:-}" ]; then
  cache=$XDG_CACHE_HOME/broker
elif [ -n "${HOME:-}" ]; then
  cache=$HOME/@CACHE_BELOW_HOME@/broker
else
  fail 'Unpack the program: HOME is not set' 'set HOME, or XDG_CACHE_HOME to a directory of your own'
fi
program=$cache/$program_name
runtime=$cache/$runtime_name

# -O: a file that somebody else could have put there must never be run.
if [ ! -O "$cache" ] || [ ! -O "$program/start.js" ] || [ ! -O "$runtime" ] || [ ! -x "$runtime" ]; then
  own_cache() {
    umask 077
    mkdir -p "${cache%/*}" 2> /dev/null
    # Without -p, so that it is this call that makes it, with this mask.
    [ -d "$cache" ] || mkdir "$cache" 2> /dev/null
    if [ ! -d "$cache" ]; then
      fail "Unpack the program: \"$cache\" cannot be created" \
        'set XDG_CACHE_HOME to a directory that you can write to'
    fi
    for each in "$cache" "$program"; do
      if [ -e "$each" ] && [ ! -O "$each" ]; then
        fail "Unpack the program: \"$each\" belongs to somebody else" \
          'set XDG_CACHE_HOME to a directory of your own'
      fi
    done
    chmod 700 "$cache"
  }

  # Prints the SHA-256 of a file in hexadecimal.
  checksum() {
    if command -v sha256sum > /dev/null; then
      sha256sum < "$1"
    elif command -v shasum > /dev/null; then
      shasum -a 256 < "$1"
    elif command -v openssl > /dev/null; then
      openssl dgst -r -sha256 < "$1"
    fi | cut -d ' ' -f 1
  }

  verify() {
    actual=$(checksum "$1")
    [ "$actual" = "$2" ] && return
    if [ -z "$actual" ]; then
      fail 'Unpack the program: no sha256sum, shasum or openssl to check it with' 'install one of them'
    fi
    fail 'Unpack the program: its checksum is wrong' \
      'the file is damaged, or the disk is full; download it again or make room'
  }

  own_cache
  # On the same file system as the final names, so that each appears whole or not at all.
  work=$(mktemp -d "$cache/unpack.XXXXXX") ||
    fail "Unpack the program: \"$cache\" cannot be written to" 'make room, or set XDG_CACHE_HOME'
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM

  if [ ! -O "$runtime" ] || [ ! -x "$runtime" ]; then
    tail -c +@RUNTIME_FROM@ "$0" | gzip -dc > "$work/deno" 2> /dev/null
    verify "$work/deno" @RUNTIME_SHA256@
    chmod 700 "$work/deno"
    mv -f "$work/deno" "$runtime"
  fi
  if [ ! -O "$program/start.js" ]; then
    tail -c +@PROGRAM_FROM@ "$0" | head -c @PROGRAM_LENGTH@ > "$work/program.tar.gz"
    verify "$work/program.tar.gz" @PROGRAM_SHA256@
    mkdir "$work/files"
    # -o: root would otherwise restore the owner of the machine that built this.
    gzip -dc "$work/program.tar.gz" | tar -xof - -C "$work/files"
    chmod 600 "$work/files"/*
    # Several first starts may do this at once: each file is replaced whole, by the same bytes, and
    # start.js, which says that all are there, comes last.
    [ -d "$program" ] || mkdir "$program" 2> /dev/null
    mv "$work/files/start.js" "$work/start.js"
    mv -f "$work/files"/* "$program/"
    mv -f "$work/start.js" "$program/start.js"
  fi
  rm -rf "$work"
  trap - EXIT HUP INT TERM
  if [ ! -O "$program/start.js" ] || [ ! -O "$runtime" ]; then
    fail "Unpack the program: \"$cache\" cannot be written to" 'make room, or set XDG_CACHE_HOME'
  fi
fi

exec "$runtime" run --no-config --no-lock --no-remote --no-npm @PERMISSIONS@ "$program/start.js" "$@"
