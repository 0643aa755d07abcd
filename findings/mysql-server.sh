# Sourced by the findings on MySQL: makes a temporary folder the current one, installs mysql2 in it, and starts a MySQL server with an
# empty database `test`, a user `root` without a password and the socket ./mysql.sock. All of it is gone when the script ends.
# The server is mysql-server-core of Debian's unstable suite. The suite moves on, so without exactly 9.7.4 the script is skipped.
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || { kill "$server" 2> /dev/null || true; wait "$server" || true; }; rm -rf "$folder"' EXIT
cd "$folder"

skip() {
  echo "skipped: $1"
  exit 0
}

command -v apt-get > /dev/null || skip 'the server is a Debian package, and apt-get is not installed.'
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2> /dev/null | grep -m 1 -E '/debian/?$' || true)
[ -n "$mirror" ] || skip 'the sources of apt name no mirror of Debian.'
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mkdir -p lists/partial archives/partial root
echo "deb $([ ! -r $keyring ] || echo "[signed-by=$keyring]") $mirror unstable main" > sources.list
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o Dir::State::lists="$folder/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$folder" -o APT::Sandbox::User="$(id -un)" \
    -o APT::Install-Recommends=false -o Debug::NoLocking=true "$@" > log 2>&1
}
apt update || skip "the package lists of Debian's unstable suite cannot be had."
apt install --download-only --yes mysql-server-core || skip 'the package mysql-server-core cannot be had.'
for archive in archives/*.deb; do dpkg --extract "$archive" root; done

# The server runs with the C library that it was unpacked with.
libraries=$(dirname "$folder"/root/usr/lib/*/ld-linux-*.so.*)
mysqld=("$libraries"/ld-linux-*.so.* --library-path "$libraries" "$folder/root/usr/sbin/mysqld" --no-defaults)
version=$("${mysqld[@]}" --version | grep -oE 'Ver [0-9.]+')
[ "$version" = 'Ver 9.7.4' ] || skip "the suite has ${version/Ver/MySQL}, and this was seen on 9.7.4."
npm init -y > /dev/null
npm install --silent --no-audit --no-fund mysql2@3.24.5

mysqld+=(--user="$(id -un)" --datadir="$folder/data" --lc-messages-dir="$folder/root/usr/share/mysql" --secure-file-priv= --log-error="$folder/mysqld.log")
"${mysqld[@]}" --initialize-insecure
echo 'create database test;' > init.sql
"${mysqld[@]}" --init-file="$folder/init.sql" --skip-networking --mysqlx=OFF --socket="$folder/mysql.sock" &
server=$!
until grep -q 'ready for connections' mysqld.log; do
  kill -0 "$server" || { tail mysqld.log; exit 1; }
  sleep 0.2
done
