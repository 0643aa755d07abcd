import { describe, expect, it } from 'vitest';
import { createEndedSessionList } from '#runtime/surfaces/sign-in/session-tokens';
import { createManualTime } from '../../../../helpers/manual-time.ts';

function setUp() {
  const time = createManualTime();
  let people: { id: number; msAgo: number }[] = [];
  let grants: { id: string; msAgo: number }[] | undefined;
  let asked = 0;
  const list = createEndedSessionList(
    {
      endedSessions: async () => {
        asked++;
        return { people, ...(grants ? { grants } : {}) };
      },
    },
    time.clock,
  );
  const nowSeconds = () => time.clock.now() / 1000;
  return {
    list,
    time,
    nowSeconds,
    end: (id: number, msAgo: number) => (people = [{ id, msAgo }]),
    asked: () => asked,
    endGrant: (id: string) => (grants = [{ id, msAgo: 0 }]),
  };
}

describe('the list of ended sessions', () => {
  it('refuses the tokens of a grant that has ended, whenever they were issued', async () => {
    const { list, endGrant, nowSeconds } = setUp();
    expect(await list.hasEnded(7, nowSeconds(), 'a')).toBe(false);
    endGrant('a');
    list.drop();
    expect(await list.hasEnded(7, nowSeconds() + 5, 'a')).toBe(true);
    expect(await list.hasEnded(7, nowSeconds(), 'b')).toBe(false);
    expect(await list.hasEnded(7, nowSeconds())).toBe(false);
  });

  it('refuses the tokens of a person that are older than the end, and no others', async () => {
    const { list, end, nowSeconds } = setUp();
    end(7, 10_000);
    expect(await list.hasEnded(7, nowSeconds() - 11)).toBe(true);
    expect(await list.hasEnded(7, nowSeconds() - 10)).toBe(true);
    expect(await list.hasEnded(7, nowSeconds() - 9)).toBe(false);
    expect(await list.hasEnded(8, nowSeconds() - 11)).toBe(false);
  });

  it('answers from memory, without a promise, until it has changed', async () => {
    const { list, end, nowSeconds, asked } = setUp();
    expect(await list.hasEnded(7, nowSeconds())).toBe(false);
    end(7, 0);
    expect(list.hasEnded(7, nowSeconds())).toBe(false);
    expect(asked()).toBe(1);
    list.drop();
    expect(await list.hasEnded(7, nowSeconds())).toBe(true);
    expect(list.hasEnded(7, nowSeconds())).toBe(true);
    expect(asked()).toBe(2);
  });

  it('is asked for again after a quarter of an hour', async () => {
    const { list, end, nowSeconds, time } = setUp();
    await list.hasEnded(7, nowSeconds());
    end(7, 0);
    time.pass(15 * 60_000 + 1);
    expect(await list.hasEnded(7, nowSeconds())).toBe(true);
  });
});
