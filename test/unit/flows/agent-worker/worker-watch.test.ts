import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Verdict } from '#flows/agent-worker/worker-silence';
import { WorkerWatch } from '#flows/agent-worker/worker-watch';
import type { Clock } from '#kernel/ports/clock';
import { systemClock } from '#node/system/system-clock';
import { eventuallyTrue } from '../../../helpers/eventually.ts';

const patience = { busyMs: 300, blockedMs: 1_000 };

/** A worker that beats a few times and then does `last` again and again: on a busy machine one time may be too short to be judged. */
function startWorker(last: string) {
  const heartbeat = new SharedArrayBuffer(4);
  const code = `
    const counter = new Int32Array(require('node:worker_threads').workerData);
    const beats = setInterval(() => {
      if (Atomics.add(counter, 0, 1) >= 3) { ${last} }
    }, 50);`;
  const worker = new Worker(code, { eval: true, workerData: heartbeat });
  onTestFinished(async () => void (await worker.terminate()));
  return { worker, heartbeat };
}

function verdictOn(last: string, clock: Clock = systemClock): Promise<Verdict> {
  return new Promise((resolve) => {
    const watch = new WorkerWatch({ ...startWorker(last), clock, patience, onStuck: resolve });
    onTestFinished(() => watch.stop());
  });
}

describe('the watch over a worker', () => {
  it.each([
    ['loop', 'for (;;);'],
    ['wait', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);'],
    ['native', "require('node:child_process').execFileSync(process.execPath, ['-e', 'setTimeout(() => {}, 3000)']);"],
    ['native', "require('node:crypto').pbkdf2Sync('', '', 8e6, 64, 'sha512');"],
  ])('tells a %s', { tags: 'long' }, async (verdict, last) => {
    expect(await verdictOn(last)).toBe(verdict);
  });

  it('does not take a stop of the process for silence of the worker', async () => {
    const { worker, heartbeat } = startWorker(
      "require('node:worker_threads').parentPort.postMessage('silent'); clearInterval(beats);",
    );
    let sleptMs = 0;
    let looks = 0;
    const clock: Clock = {
      now: systemClock.now,
      monotonicMs: () => {
        looks++;
        return systemClock.monotonicMs() + sleptMs;
      },
    };
    const further = (number: number) => {
      const wanted = looks + number;
      return eventuallyTrue(() => looks >= wanted);
    };
    const verdicts: Verdict[] = [];
    const onStuck = (verdict: Verdict) => verdicts.push(verdict);
    const watch = new WorkerWatch({
      worker,
      heartbeat,
      clock,
      patience: { busyMs: 60_000, blockedMs: 600_000 },
      onStuck,
    });
    onTestFinished(() => watch.stop());
    await once(worker, 'message');
    await further(3);
    sleptMs = 3_600_000;
    await further(3);
    expect(verdicts).toEqual([]);
  });
});
