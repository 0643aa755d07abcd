import { describe, expect, it } from 'vitest';
import { changeLog, thePlatform } from '#platform/audit/admin-log';
import { createElevationRepository, endElevationsOf } from '#platform/elevations/elevation-repository';
import { createEventLog } from '#platform/events/event-hub';
import { createRightsRepository } from '#platform/rights/rights-repository';
import { adminLog, authorNumbered, provisionIn } from '../../helpers/admin-log.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { followAdminLog } from '../../helpers/read-admin-log.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
const hourMs = 60 * 60_000;

describe.each(useStoreEngines())('elevations on $engine', ({ newPlace }) => {
  const open = async () => {
    const place = await newPlace();
    const store = await openTestStore(place);
    const time = createManualTime();
    const { environment, member } = await provisionIn(store, { project: 'shop', secretHash: 'secret', user: ada });
    const elevations = createElevationRepository(store, time.clock, adminLog);
    const rights = createRightsRepository(store, time.clock, adminLog);
    const author = authorNumbered(member.id);
    const ask = (isGranted: boolean, minutes = 30) =>
      elevations.add({ user: member, role: 'Root', environment, reason: 'It hangs.', minutes, isGranted, author });
    const held = async () => (await rights.listMemberships(environment.projectId)).map(({ name }) => name);
    const events = createEventLog(store);
    return {
      place,
      store,
      time,
      environment,
      member,
      elevations,
      author,
      ask,
      held,
      newest: () => events.newest(environment.id),
    };
  };

  it('give the role until their end where they begin at once, and then go', async () => {
    const { time, ask, held, elevations, environment, newest } = await open();
    const before = await newest();
    const begun = await ask(true);
    expect(begun).toMatchObject({ endsAt: time.clock.now() + 30 * 60_000, endedAt: null, decidedBy: null });
    expect(await held()).toEqual(['Root']);
    expect(await newest()).toBe(before + 1);
    await expect(ask(true)).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    await elevations.endDue();
    expect(await held()).toEqual(['Root']);
    time.pass(30 * 60_000);
    // Its time is over before anybody looks.
    expect(await held()).toEqual([]);
    await Promise.all([elevations.endDue(), elevations.endDue()]);
    expect(await newest()).toBe(before + 2);
    expect(await elevations.find(environment.id, begun.id)).toMatchObject({ endedAt: begun.endsAt });
    await ask(true);
    expect(await held()).toEqual(['Root']);
  });

  it('begin with a yes where somebody asks for them, once, and lapse after a day', async () => {
    const { time, ask, held, elevations, author, newest } = await open();
    const before = await newest();
    const asked = await ask(false);
    expect(await held()).toEqual([]);
    expect(await newest()).toBe(before);
    const decide = (isGranted: boolean) => elevations.decide(asked, { isGranted, author });
    const [granted, refused] = await Promise.allSettled([decide(true), decide(false)]);
    expect([granted.status, refused.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect(await held()).toEqual(granted.status === 'fulfilled' ? ['Root'] : []);
    time.pass(25 * hourMs);
    await elevations.endDue();
    const late = await ask(false);
    time.pass(25 * hourMs);
    await expect(elevations.decide(late, { isGranted: true, author })).rejects.toMatchObject({
      code: 'REQUEST_CONFLICT',
    });
    expect(await held()).toEqual([]);
  });

  it('are in the log of changes with their reason: asked for, answered, and over', async () => {
    const { place, time, ask, elevations, author } = await open();
    const asked = await ask(false);
    const { endsAt } = await elevations.decide(asked, { isGranted: true, author });
    time.pass(30 * 60_000);
    await elevations.endDue();
    const readNew = await followAdminLog(place);
    const rows = (await readNew()).filter(({ resource }) => resource === 'elevation');
    const told = { role: 'Root', reason: 'It hangs.', minutes: 30, user: { email: ada.email } };
    const at = endsAt === null ? null : new Date(endsAt).toISOString();
    expect(rows).toMatchObject([
      { type: 'add', initiator: 'administrator', newValue: { ...told, state: 'asked', endsAt: null } },
      { type: 'update', previousValue: { state: 'asked' }, newValue: { ...told, state: 'active', endsAt: at } },
      { type: 'remove', initiator: 'platform', previousValue: { ...told, state: 'active', endsAt: at } },
    ]);
    expect(rows.map(({ environment }) => environment?.name)).toEqual(['development', 'development', 'development']);
  });

  it('end before their time, once', async () => {
    const { store, time, ask, held, elevations, environment, member } = await open();
    const begun = await ask(true);
    const early = time.clock.now() + 60_000;
    time.pass(60_000);
    expect(await elevations.end(begun, thePlatform)).toMatchObject({ endedAt: early });
    expect(await held()).toEqual([]);
    await expect(elevations.end(begun, thePlatform)).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    await ask(true);
    await store.transaction((transaction) =>
      endElevationsOf(
        transaction,
        environment.projectId,
        member.id,
        time.clock.now(),
        changeLog(adminLog, transaction, environment.projectId, thePlatform),
      ),
    );
    expect(await held()).toEqual([]);
  });
});
