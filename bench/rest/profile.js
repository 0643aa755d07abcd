// Where an agent spends its time: a CPU profile of this process, by what the time was for. Asked for by messages of the parent.
import { Session } from 'node:inspector/promises';

const session = new Session();

/** The first that fits says what a function was for. */
const purposes = [
  ['collect garbage', ({ functionName }) => functionName === '(garbage collector)'],
  ['write to sockets', ({ functionName }) => /^(?:writev|write\w+String|writeBuffer)$/.test(functionName)],
  [
    'serialise',
    ({ url }) =>
      /dist\/runtime\/(?:surfaces\/rest\/render|surfaces\/request\/request-limits|model\/packed-id)/.test(url),
  ],
  ['database', ({ url }) => /node_modules\/pg|pg-protocol|dist\/host\/postgres|dist\/runtime\/data-sources/.test(url)],
  ['plan', ({ url }) => /dist\/runtime\/(?:records|model|query|permissions)/.test(url)],
  ['HTTP', ({ url }) => /dist\/runtime\/|node_modules\/(?:fastify|find-my-way)|node:_http|node:querystring/.test(url)],
  ['Node.js', ({ url }) => url.startsWith('node:')],
];

process.on('message', async (message) => {
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
});

function sharesOf({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
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
