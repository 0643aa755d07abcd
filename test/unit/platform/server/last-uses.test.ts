import { expect, it } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import type { TokenUse } from '#platform/api-tokens/api-token-repository';
import { createLastUses } from '#platform/server/last-uses';
import { createManualTime } from '../../../helpers/manual-time.ts';

function start(save: (uses: readonly TokenUse[]) => Promise<void> = async () => undefined, logger = silentLogger) {
  const time = createManualTime();
  const written: (readonly TokenUse[])[] = [];
  const saveUses = (uses: readonly TokenUse[]) => {
    written.push(uses);
    return save(uses);
  };
  const uses = createLastUses<TokenUse>(
    { name: 'API tokens', keyOf: ({ tokenId }) => tokenId, save: saveUses },
    logger,
    time.timers,
  );
  const use = (tokenId: number): TokenUse => ({ tokenId, at: time.clock.now(), address: '192.0.2.1' });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { time, written, uses, use, settle };
}

it('the uses of tokens are written at once after a quiet minute, and then once a minute', async () => {
  const { time, written, uses, use, settle } = start();
  const first = use(1);
  uses.note(first);
  await settle();
  expect(written).toEqual([[first]]);
  uses.note(use(1));
  time.pass(30_000);
  const [latest, other] = [use(1), use(2)];
  uses.note(latest);
  uses.note(other);
  await settle();
  expect(written).toHaveLength(1);
  time.pass(30_000);
  await settle();
  expect(written[1]).toEqual([latest, other]);
  time.pass(60_000);
  await settle();
  expect(written).toHaveLength(2);
  expect(time.due).toEqual([]);
  uses.note(use(1));
  await settle();
  expect(written).toHaveLength(3);
});

it('the uses that nobody has written yet are written before the platform stops', async () => {
  const { time, written, uses, use } = start();
  uses.note(use(1));
  const last = use(1);
  uses.note(last);
  await uses.stop();
  expect(written.at(-1)).toEqual([last]);
  expect(time.due).toEqual([]);
});

it('a store that is away costs the time of a use, and no request', async () => {
  const lines: unknown[] = [];
  const logger = { log: (...line: unknown[]) => void lines.push(line) };
  const { uses, use, settle } = start(() => Promise.reject(new Error('away')), logger);
  uses.note(use(1));
  await settle();
  expect(lines).toEqual([['Warn', 'The last uses of API tokens could not be stored.', expect.anything()]]);
});
