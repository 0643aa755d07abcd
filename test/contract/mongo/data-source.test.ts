import { afterAll, beforeAll, describe } from 'vitest';
import { startMongoPeer } from '../../helpers/mingo/mongo-peer.ts';
import { describeDataSource } from '../data-source/data-source-suite.ts';
import type { EngineLimits } from '../data-source/opened.ts';
import { describeWriting } from '../data-source/writing-tests.ts';
import { openMingo } from './open-mingo.ts';
import { openServerTables } from './open-server.ts';

const lacks = {
  days: 'MongoDB has no type for a day or a time of day',
  expressions: 'the agent works out expressions on MongoDB',
  'foreign keys': 'MongoDB has none',
  'generated columns': 'MongoDB has none',
  places: 'pages are counted on MongoDB',
} satisfies EngineLimits['lacks'];

const ofMingo = { ...lacks, 'text order': 'mingo orders texts by their UTF-16 units, MongoDB by code points' };

describeDataSource('mingo', openMingo, { decimalDigits: 34, lacks: ofMingo });

describe('a driver and a server that speaks its protocol', () => {
  let peer: Awaited<ReturnType<typeof startMongoPeer>> | undefined;
  beforeAll(async () => {
    peer = await startMongoPeer();
  });
  afterAll(() => peer?.stop());

  describeDataSource('mingo behind the protocol', (tables) => openServerTables(peer?.uri ?? '', tables), {
    decimalDigits: 34,
    lacks: ofMingo,
  });
});

describe('a standalone server, without transactions', () => {
  describeWriting((tables) => openMingo(tables, { hasTransactions: false }), { decimalDigits: 34, lacks: ofMingo });
});

const server = process.env['SERVICE_TEST_MONGO_URL'] ?? '';
const reason = server === '' ? ' (skipped: SERVICE_TEST_MONGO_URL names no server)' : '';

describe.skipIf(server === '')(`A data source on a MongoDB server${reason}`, () => {
  describeDataSource('MongoDB', (tables) => openServerTables(server, tables), { decimalDigits: 34, lacks });
});
