#!/usr/bin/env bash
# TanStack Query 5: `invalidateQueries` during the first fetch of a query does not ask again, and the old answer counts as fresh.
#
# Guess: `invalidateQueries` after a change brings every shown query to a state after the change. Its option `cancelRefetch` is `true` by default,
# so a fetch that is on its way is cancelled and starts again.
# Seen (@tanstack/query-core 5.108.4): so it is for a query that has data already. A query whose first answer is still on its way keeps its fetch.
# The promise of `invalidateQueries` ends with the answer from before the change, `isInvalidated` is false after it, and nothing asks again.
# A list that somebody adds to while it loads stays without the new row. A cancelled fetch that starts again by hand shows the row.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @tanstack/query-core@5.108.4
cat > run.mjs <<'JS'
import { QueryClient, QueryObserver } from '@tanstack/query-core';

/** Add a row while an answer is on its way, and say how often the list was asked for and what it shows at the end. */
async function run({ hasData, cancelsFirst = false }) {
  const rows = [];
  const answers = [];
  const client = new QueryClient();
  const queryKey = ['rows'];
  const queryFn = () => {
    const seen = [...rows];
    return new Promise((resolve) => answers.push(() => resolve(seen)));
  };
  if (hasData) client.setQueryData(queryKey, []);
  const observer = new QueryObserver(client, { queryKey, queryFn });
  const stop = observer.subscribe(() => {});
  rows.push('new');
  const query = client.getQueryCache().find({ queryKey });
  if (cancelsFirst) {
    query.cancel({ silent: true });
    void query.fetch();
  }
  const done = client.invalidateQueries({ queryKey });
  for (const answer of answers) answer();
  await done;
  stop();
  return [answers.length, observer.getCurrentResult().data, query.state.isInvalidated];
}
const seen = {
  withData: await run({ hasData: true }),
  firstFetch: await run({ hasData: false }),
  firstFetchStartedAgain: await run({ hasData: false, cancelsFirst: true }),
};
console.log(process.version, JSON.stringify(seen));
const expected = {
  withData: [2, ['new'], false],
  firstFetch: [1, [], false],
  firstFetchStartedAgain: [2, ['new'], false],
};
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
