#!/usr/bin/env bash
# Unpack the MySQL server of Debian's unstable suite into a folder of its own, for the tests. Neither the packages nor the package
# lists of this machine change, and no root is needed. Prints the version. Does nothing where the server is there already.
#
#   scripts/fetch-mysql-server.sh [FOLDER] [PACKAGE]
#
# PACKAGE is another server of that suite, such as mariadb-server-core. Where the server cannot be had, the exit code is 75, and
# FOLDER/why-not says why: the tests are skipped with that reason.
set -euo pipefail
folder=${1:-$(dirname "$0")/../.cache/mysql-server}
package=${2:-mysql-server-core}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$folder/work
root=$folder/root

give_up() {
  echo "$1" | tee "$folder/why-not" >&2
  rm -rf "$work"
  exit 75
}

if [ ! -d "$root" ]; then
  rm -rf "$work" "$folder/why-not"
  mkdir -p "$work"/{lists,archives}/partial "$work/root"
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || give_up 'The server is a Debian package, and apt-get is not installed.'
  # The mirror that this machine uses for its own packages.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m 1 -E '/debian/?$' || true)
  [ -n "$mirror" ] || give_up 'The sources of apt name no mirror of Debian.'
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  echo "deb $([ -r "$keyring" ] && echo "[signed-by=$keyring] ")$mirror unstable main" > "$work/sources.list"

  seconds=${FETCH_SECONDS:-180}
  apt() {
    timeout "$seconds" apt-get -qq \
      -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
      -o Dir::State::lists="$work/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$work" -o Dir::Cache::archives="$work/archives" \
      -o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false -o Acquire::Languages=none -o Acquire::Retries=2 \
      -o Debug::NoLocking=true "$@" > "$work/log" 2>&1 || { [ $? != 124 ] || echo "it took longer than $seconds seconds." >> "$work/log"; false; }
  }
  apt update || give_up "The package lists of Debian's unstable suite cannot be had: $(tail -n 1 "$work/log")"
  # With everything it needs, down to the C library: nothing of this machine is taken for installed.
  apt install --download-only --yes "$package" || give_up "The package $package cannot be had: $(tail -n 1 "$work/log")"
  for archive in "$work"/archives/*.deb; do
    dpkg --extract "$archive" "$work/root" || give_up "$(basename "$archive") cannot be unpacked."
  done
  mv "$work/root" "$root"
  rm -rf "$work"
fi

# The programs run with the C library they were unpacked with.
libraries=$(dirname "$(find "$root/usr/lib" -maxdepth 2 -name 'ld-linux-*.so.*' | head -n 1)")
server=$(find "$root/usr/sbin" -name mysqld -o -name mariadbd | head -n 1)
"$libraries"/ld-linux-*.so.* --library-path "$libraries" "$server" --no-defaults --version | sed "s#^$root##"
