import { describe, expect, it } from 'vitest';
import { StartedWorker } from '#flows/agent-worker/started-worker';
import { eventuallyTrue } from '../../../helpers/eventually.ts';

const start = (code: string) =>
  new StartedWorker({
    url: new URL(`data:text/javascript,${encodeURIComponent(code)}`),
    data: { dataSources: {}, isServing: false },
  });

describe('a worker that was started for later', () => {
  it('waits until somebody takes it or ends it', async () => {
    const started = start('setInterval(() => undefined, 1_000);');
    expect(started.isWaiting).toBe(true);
    await started.end();
    expect(started.isWaiting).toBe(false);
  });

  it('is for nobody any more when it has failed, and harms nobody', async () => {
    const started = start('throw new Error("The code of this package cannot be loaded.");');
    await eventuallyTrue(() => !started.isWaiting);
    await started.end();
  });
});
