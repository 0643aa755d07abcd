import { expect, it } from 'vitest';
import { postgresRules } from '#runtime/data-sources/postgres/postgres-positions';
import { Replica, type ServerState } from '#runtime/data-sources/sql/replica';
import type { SqlEngine } from '#runtime/data-sources/sql/sql-engine';

const standby: ServerState = { database: 'shop', branch: '1', run: 'a', isStandby: true, position: '05' };
const primary: ServerState = { ...standby, run: 'p', isStandby: false, position: '09' };

/** A replica whose server says what the test has it say. */
function createReplica() {
  const server = { state: standby, written: '09', rows: () => Promise.resolve(['row']) };
  let connect: (state: ServerState) => void = () => undefined;
  let reconnects = 0;
  const replica = new Replica('db2:5432', postgresRules, (onConnected) => {
    connect = onConnected;
    return {
      engine: { close: async () => undefined, openConnections: () => 0 } as unknown as SqlEngine,
      watch: {
        state: async () => server.state,
        written: async () => '',
        reconnect: () => {
          reconnects += 1;
        },
        openConnections: () => 0,
        close: async () => undefined,
      },
    };
  });
  const look = (state = primary) =>
    replica.look({ state, lagOf: () => 0, written: async () => server.written, maxLagMs: 1_000 });
  const ask = () => replica.ask(() => server.rows(), undefined);
  return { replica, server, look, ask, connect: (state: ServerState) => connect(state), reconnects: () => reconnects };
}

it('a replica shows what it has reached, and nothing before it was looked at', async () => {
  const { replica, look } = createReplica();
  expect(replica.shows(undefined)).toBe(false);
  await look();
  expect([undefined, '05', '06', '?'].map((minimum) => replica.shows(minimum))).toEqual([true, true, false, false]);
});

it('a new connection that shows less takes back what was known, and its read is not used', async () => {
  const { replica, server, look, ask, connect, reconnects } = createReplica();
  connect(standby);
  await look();
  server.rows = async () => {
    connect({ ...standby, position: '03' });
    return ['old'];
  };
  expect(await ask()).toBeUndefined();
  expect([replica.shows('03'), replica.shows('05')]).toEqual([true, false]);
  expect(reconnects()).toBe(1);
});

it('a connection to another run of the server takes back what was known, even if it shows as much', async () => {
  const { server, look, ask, connect, reconnects } = createReplica();
  connect(standby);
  await look();
  server.rows = async () => {
    connect({ ...standby, run: 'b' });
    return ['of another server'];
  };
  expect(await ask()).toBeUndefined();
  expect(reconnects()).toBe(1);
});

it('a new connection does not count on what an earlier look at the replica saw', async () => {
  const { replica, server, look, connect } = createReplica();
  connect(standby);
  await look();
  server.state = { ...standby, position: '08' };
  const looking = look();
  connect({ ...standby, position: '06' });
  await looking;
  expect([replica.shows('06'), replica.shows('08')]).toEqual([true, false]);
});

it('a replica that was ahead of its primary is left out', async () => {
  const { replica, server, look } = createReplica();
  await look();
  expect(replica.isInUse()).toBe(true);
  server.state = { ...standby, position: '0A' };
  await look();
  await look();
  expect(replica.status()).toMatchObject({ leftOut: 'It is ahead of the primary, and so it follows another one.' });
});

it('a replica that is ahead of its primary at the first look is never used', async () => {
  const { replica, server, look } = createReplica();
  server.state = { ...standby, position: '0A' };
  await look();
  expect(replica.status()).toMatchObject({ leftOut: 'It is ahead of the primary, and so it follows another one.' });
  server.written = '0A';
  server.state = { ...standby, position: '08' };
  const behind = () =>
    replica.look({ state: primary, lagOf: () => undefined, written: async () => server.written, maxLagMs: 1_000 });
  await behind();
  await behind();
  expect(replica.status()).toMatchObject({ leftOut: 'It has not reached yet what the primary showed first.' });
});

it('a replica that is left out answers none of the reads that are under way', async () => {
  const { server, look, ask, replica } = createReplica();
  await look();
  server.rows = () => new Promise(() => undefined);
  const asked = ask();
  server.state = { ...standby, isStandby: false };
  await look();
  expect(await asked).toBeUndefined();
  expect(replica.load()).toBe(0);
});
