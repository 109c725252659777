#!/bin/sh
# Runs a command against a fresh Azurite table service and ends the service when the command ends.
#
#   tests/azurite/run.sh go test -tags azurite ./...
#
# The command finds the connection string in NEARLYFREE_AZURITE. The version is the one that
# package-lock.json pins; it is installed here on first use. Port: any free one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x "$here/node_modules/.bin/azurite-table" ]; then
	(cd "$here" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
fi

work=$(mktemp -d)
# Azurite itself cannot pick a free port and say which; node can.
port=$(node -e 's=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
(cd "$work" && exec node "$here/node_modules/azurite/dist/src/table/main.js" \
	--inMemoryPersistence --silent --disableTelemetry --skipApiVersionCheck \
	--tableHost 127.0.0.1 --tablePort "$port" --tableKeepAliveTimeout 60) >"$work/log" 2>&1 &
azurite=$!
trap 'kill "$azurite" 2>/dev/null || true; wait "$azurite" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

if ! node -e '
	const net = require("net"), port = Number(process.argv[1]), end = Date.now() + 60000;
	(function dial() {
		const c = net.connect(port, "127.0.0.1", () => { c.end(); process.exit(0) });
		c.on("error", () => Date.now() > end ? process.exit(1) : setTimeout(dial, 100));
	})()' "$port"; then
	echo "azurite did not start:" >&2
	cat "$work/log" >&2
	exit 1
fi

# The account and its key are the emulator's own, published by Microsoft:
# https://learn.microsoft.com/azure/storage/common/storage-use-azurite
NEARLYFREE_AZURITE="DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;TableEndpoint=http://127.0.0.1:$port/devstoreaccount1;"
export NEARLYFREE_AZURITE
"$@"
