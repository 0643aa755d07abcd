import { describe, expect, it } from 'vitest';
import type { GivenAnswer } from '#contracts/mcp-marks';
import { sha256Hex } from '#node/system/digest';
import { systemRandom } from '#node/system/system-random';
import { createAskRepository } from '#platform/mcp-marks/asks';
import { createMarkRepository, listMarkedSessions } from '#platform/mcp-marks/marks';
import { authorNumbered, provisionIn } from '../../helpers/admin-log.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const read = (recordId: string) => ({ collection: 'messages', recordId, field: 'body' });
const bounds = { perCall: 10, sinceMark: 25 };

describe.each(useStoreEngines())('the marks of MCP sessions on $engine', ({ newPlace }) => {
  async function start() {
    const time = createManualTime();
    const store = await openTestStore(await newPlace());
    const user = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
    const { environment, member } = await provisionIn(store, { project: 'shop', secretHash: 'one', user });
    const other = await provisionIn(store, { project: 'other', secretHash: 'two', user });
    const logged: unknown[] = [];
    const marks = createMarkRepository(store, time.clock, (_transaction, change) => logged.push(change));
    const asks = createAskRepository(store, time.clock, systemRandom);
    const session = { personId: member.id, client: 'https://assistant.test' };
    const own = environment.id;
    const give = (more: Partial<GivenAnswer>) =>
      marks.give(own, { ...session, records: 0, reads: [], readCount: 0, bounds, ...more });
    const mark = () => give({ reads: [read('1')], readCount: 1 });
    const preview = {
      message: 'Delete it.',
      count: 1,
      sample: [{ id: '7' }],
      details: [{ name: 'status', value: 'paid' }],
    };
    const question = { ...session, digest: sha256Hex('call'), tool: 'delete', preview };
    const use = () => asks.use(own, { ...session, digest: question.digest, runId: systemRandom.uuid() });
    return { time, store, marks, asks, logged, own, other: other.environment.id, session, give, mark, question, use };
  }

  it('are made by what is read, of one person with one client in one environment, and stay', async () => {
    const { time, store, marks, own, other, session, give, mark } = await start();
    expect(await give({ records: 100 })).toEqual({ isMarked: false, isBeyond: false });
    expect(await marks.find(own, session)).toBeNull();
    expect(await mark()).toEqual({ isMarked: true, isBeyond: false });
    await give({ reads: [read('1'), read('2')], readCount: 2 });
    time.pass(400 * 24 * 3_600_000);
    expect(await marks.find(own, session)).toMatchObject({
      reads: [read('1'), read('2')],
      readCount: 3,
      markedAt: expect.any(String),
    });
    expect(await marks.find(other, session)).toBeNull();
    expect(await marks.find(own, { ...session, client: '' })).toBeNull();
    expect(await marks.find(own, { ...session, personId: session.personId + 1 })).toBeNull();
    expect(await listMarkedSessions(store, own)).toEqual([session]);
  });

  it('bound what is given by call and altogether, of several calls at the same time too', async () => {
    const { give, mark } = await start();
    await mark();
    expect(await give({ records: 11 })).toEqual({ isMarked: true, isBeyond: true });
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => give({ records: 10 })));
    expect(outcomes.filter(({ isBeyond }) => !isBeyond)).toHaveLength(2);
    // What the person has agreed to does not count, and has no bound.
    expect(await give({ records: 1_000, bounds: undefined })).toMatchObject({ isBeyond: false });
    expect(await give({ records: 5 })).toMatchObject({ isBeyond: false });
    expect(await give({ records: 1 })).toMatchObject({ isBeyond: true });
  });

  it('are cleared by their person, who sees what was read, and the log of changes says so', async () => {
    const { marks, own, session, mark, logged, asks, question } = await start();
    await mark();
    await asks.ask(own, question);
    const [listed] = await marks.list({ environmentId: own, personId: session.personId });
    expect(listed).toMatchObject({
      reads: [read('1')],
      client: session.client,
      asks: [{ tool: 'delete', answer: null }],
    });
    expect(await marks.list({ environmentId: own, personId: session.personId + 1 })).toEqual([]);
    const author = authorNumbered(session.personId);
    expect(await marks.clear(listed?.id ?? 0, { environmentId: own, personId: session.personId + 1 }, author)).toBe(
      false,
    );
    expect(await marks.clear(listed?.id ?? 0, { environmentId: own, personId: session.personId }, author)).toBe(true);
    expect(await marks.find(own, session)).toBeNull();
    expect(logged).toMatchObject([
      { type: 'remove', resource: 'mcp-mark', previousValue: { client: session.client, readCount: 1 } },
    ]);
  });

  it('ask the person: one question a call, one run a yes, for ten minutes', async () => {
    const { time, asks, own, session, mark, question, use } = await start();
    await expect(asks.ask(own, question)).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    await mark();
    const { id } = await asks.ask(own, question);
    expect(await asks.ask(own, question)).toMatchObject({ id, answer: null });
    expect(await use()).toBe(false);
    const stranger = { environmentId: own, personId: session.personId + 1 };
    expect(await asks.answer(id, stranger, 'yes')).toBe(false);
    expect(await asks.answer(id, { environmentId: own, personId: session.personId }, 'yes')).toBe(true);
    expect(await asks.answer(id, { environmentId: own, personId: session.personId }, 'no')).toBe(false);
    expect(await asks.ask(own, question)).toMatchObject({ id, answer: 'yes' });
    expect((await Promise.all([use(), use(), use()])).filter(Boolean)).toHaveLength(1);
    const again = await asks.ask(own, question);
    expect(again).toMatchObject({ answer: null });
    expect(again.id).not.toBe(id);
    await asks.answer(again.id, { environmentId: own }, 'yes');
    time.pass(600_000);
    expect(await use()).toBe(false);
  });

  it('keep the newest 20 questions', async () => {
    const { time, asks, marks, own, mark, question } = await start();
    await mark();
    const { id: oldest } = await asks.ask(own, question);
    time.pass(1_000);
    for (let turn = 0; turn < 20; turn += 1) await asks.ask(own, { ...question, digest: sha256Hex(`call ${turn}`) });
    const [listed] = await marks.list({ environmentId: own });
    expect(listed?.asks).toHaveLength(20);
    expect(await asks.answer(oldest, { environmentId: own }, 'yes')).toBe(false);
  });
});
