import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { MeasuredPlatform } from './measure-log.ts';
import type { PlatformReport } from './platform-process.ts';

/** Start a platform on a store, in a process of its own. */
export async function startPlatform(
  store: string,
): Promise<MeasuredPlatform & { readonly pid: number; stop(): Promise<void> }> {
  const child = fork(new URL('platform-process.ts', import.meta.url), [store], {
    execArgv: ['--conditions=vendor-source'],
  });
  const report = async () => {
    const answer = Promise.race([once(child, 'message'), once(child, 'exit')]);
    const [told] = (await answer) as [PlatformReport | number];
    if (typeof told === 'number') throw new Error(`The platform ended with ${told}.`);
    return told;
  };
  const { url, userToken } = await report();
  return {
    url,
    userToken,
    pid: child.pid ?? 0,
    rssMb: async () => {
      child.send('rss');
      return (await report()).rssMb;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
