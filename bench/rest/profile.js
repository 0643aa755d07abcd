// Where an agent spends its time: a CPU profile of this process, by what the time was for. Asked for by messages of the parent.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const session = new Session();

/** The first that fits says what a function was for. */
const purposes = [
  ['collect garbage', ({ functionName }) => functionName === '(garbage collector)'],
  ['write to sockets', ({ functionName }) => /^(?:writev|write\w+String|writeBuffer)$/.test(functionName)],
  [
    'serialise',
    ({ url }) =>
      /src\/runtime\/(?:surfaces\/rest\/render|surfaces\/request\/request-limits|model\/packed-id)/.test(url),
  ],
  ['database', ({ url }) => /node_modules\/pg|pg-protocol|src\/host\/postgres|src\/runtime\/data-sources/.test(url)],
  ['plan', ({ url }) => /src\/runtime\/(?:records|model|query|permissions)/.test(url)],
  ['HTTP', ({ url }) => /src\/runtime\/|node_modules\/(?:fastify|find-my-way)|node:_http|node:querystring/.test(url)],
  ['Node.js', ({ url }) => url.startsWith('node:')],
];

process.on('message', (message) => void obey(message));

async function obey(message) {
  if (message === 'profile') {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
    process.send('profiling');
  } else {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    process.send(sharesOf(profile));
  }
}

function sharesOf({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map(({ id, callFrame }) => [id, { ...callFrame, url: sourceOf(callFrame) }]));
  const spent = new Map();
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const frame = byId.get(id);
    if (frame.functionName === '(idle)') continue;
    const purpose = purposes.find(([, fits]) => fits(frame))?.[0] ?? 'other';
    spent.set(purpose, (spent.get(purpose) ?? 0) + timeDeltas[index]);
    busy += timeDeltas[index];
  }
  return Object.fromEntries([...spent].map(([purpose, time]) => [purpose, time / busy]));
}

/** The lines of the bundled files that were looked at, by URL. */
const linesOf = new Map();

/** The source file of a function. A bundled file holds many of them; a comment before each says where it comes from. */
function sourceOf({ url, lineNumber }) {
  if (!/^file:(?!.*node_modules\/).*\/dist\//.test(url)) return url;
  if (!linesOf.has(url)) linesOf.set(url, readFileSync(fileURLToPath(url), 'utf8').split('\n'));
  const lines = linesOf.get(url);
  for (let line = lineNumber; line >= 0; line--) {
    const source = /^\/\/ ((?:src|node_modules)\/\S+)$/.exec(lines[line] ?? '')?.[1];
    if (source) return source;
  }
  return url;
}
