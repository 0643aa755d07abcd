#!/usr/bin/env bash
# Node.js 24: the main thread can evaluate an expression in a worker thread that computes without a pause or is in Atomics.wait.
#
# Guess: a worker that answers no message because its code computes cannot be asked anything; whoever wants its stack opens the debugger,
# pauses it, and reads the frames, and a thread in Atomics.wait runs no JavaScript at all.
# Seen (24.21.0): a session of node:inspector in the main thread, without any port, attaches to the worker (NodeWorker.enable) and sends it
# Runtime.evaluate. The worker answers within milliseconds: the expression runs on top of the code that computes or waits, so `new
# Error().stack` has its frames and AsyncLocalStorage its store, and afterwards that code goes on. The session numbers workers by itself: the
# thread id is in the title, "[worker 2]", and `workerId` may be that of another one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.21.0
cat > worker.cjs <<'JS'
const { AsyncLocalStorage } = require('node:async_hooks');
const { parentPort, workerData } = require('node:worker_threads');
const store = new AsyncLocalStorage();
globalThis.whatRuns = () => JSON.stringify({ name: store.getStore(), stack: new Error().stack });
const flag = new Int32Array(workerData.flag);
const handlers = {
  computes: () => { while (Atomics.load(flag, 0) === 0) Math.random(); },
  waits: () => { Atomics.wait(flag, 0, 0); },
};
parentPort.once('message', () => {
  store.run(workerData.kind, handlers[workerData.kind]);
  parentPort.postMessage('went on');
});
JS
cat > main.cjs <<'JS'
const { once } = require('node:events');
const { Session } = require('node:inspector');
const { Worker } = require('node:worker_threads');
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function ask(worker) {
  const session = new Session();
  session.connect();
  const answer = await new Promise((resolve) => {
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      if (!workerInfo.title.startsWith(`[worker ${worker.threadId}]`)) return;
      session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
        if (params.sessionId === sessionId) resolve(JSON.parse(JSON.parse(params.message).result.result.value));
      });
      const message = { id: 1, method: 'Runtime.evaluate', params: { expression: 'whatRuns()', returnByValue: true } };
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify(message) });
    });
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  });
  await new Promise((resolve) => session.post('NodeWorker.disable', resolve));
  session.disconnect();
  return answer;
}

(async () => {
  console.log(process.version);
  let isAsSeen = true;
  for (const kind of ['computes', 'waits']) {
    const flag = new SharedArrayBuffer(4);
    const worker = new Worker('./worker.cjs', { workerData: { kind, flag } });
    await once(worker, 'online');
    worker.postMessage('begin');
    await pause(500);
    const { name, stack } = await ask(worker);
    const isInHandler = /worker\.cjs:[78]:/.test(stack);
    console.log(`a worker that ${kind}: store "${name}", handler on the stack: ${isInHandler}`);
    isAsSeen &&= name === kind && isInHandler;
    const [message] = await Promise.all([once(worker, 'message').then(([text]) => text), release(flag)]);
    console.log(`and it ${message}`);
    isAsSeen &&= message === 'went on';
    await worker.terminate();
  }
  console.log(isAsSeen ? 'as seen' : 'CHANGED');
  process.exitCode = isAsSeen ? 0 : 1;
})();

async function release(flag) {
  const view = new Int32Array(flag);
  Atomics.store(view, 0, 1);
  Atomics.notify(view, 0);
}
JS
node_modules/.bin/node main.cjs
