import { expect, it } from 'vitest';
import type { ReplicaOptions } from '#runtime/data-sources/sql/sql-data-source-options';
import { createUriDataSource } from '#runtime/index';

const primary = 'postgres://app:secret@db1/shop';
const uris = ['postgres://db2/shop'];

function refused(options: object, uri = primary): unknown {
  try {
    createUriDataSource(uri, { replicas: options as ReplicaOptions });
    return undefined;
  } catch (error) {
    return error;
  }
}

const wrong: readonly [string, object, string?][] = [
  ['A replica names the database "other", and the primary "shop".', { uris: ['postgres://db2/other'] }],
  ['A replica is not a database of the kind of its primary.', { uris: ['mysql://db2/shop'] }],
  ['The address of a replica names one host, without "target_session_attrs".', { uris: ['postgres://db2,db3/shop'] }],
  [
    'The address of a replica names one host, without "target_session_attrs".',
    { uris: ['postgres://db2/shop?target_session_attrs=any'] },
  ],
  ['The address of a replica names no schema: those of the primary count.', { uris: ['postgres://db2/shop?schema=a'] }],
  ['"uris" of "replicas" is not a list of addresses.', {}],
  ['"waitMs" of "replicas" is not a number of milliseconds from 0 to 10000.', { uris, waitMs: -1 }],
  ['"maxLagMs" of "replicas" is not a number of milliseconds from 1000 to 3600000.', { uris, maxLagMs: Number.NaN }],
  ['"allowStaleReads" of "replicas" is neither true nor false.', { uris, allowStaleReads: 'yes' }],
  ['A replica is not a database of the kind of its primary.', { uris: ['mysql://db2/shop'] }, 'postgres://db1/shop'],
  ['A SQLite database is a file, and has no "replicas".', { uris }, 'sqlite:./shop.sqlite'],
];

for (const [message, options, uri] of wrong) {
  it(`a data source refuses ${JSON.stringify(options)} as replicas of ${uri ?? 'PostgreSQL'}`, () => {
    expect(refused(options, uri)).toMatchObject({ code: 'DATABASE_REPLICAS_INVALID', message });
  });
}

it('a data source names the setting of replicas that it does not know', () => {
  expect(refused({ uris, wait: 1 })).toMatchObject({
    code: 'DATABASE_REPLICAS_INVALID',
    message: expect.stringContaining('"wait"') as string,
  });
});

it('an address of a replica that cannot be read is refused without its password', () => {
  const error = refused({ uris: ['postgres://app:s3cret@db2:port/shop'] });
  expect(error).toMatchObject({ code: 'DATABASE_URI_INVALID' });
  expect(String(error)).not.toContain('s3cret');
});

it('a data source on MongoDB refuses replicas', () => {
  expect(refused({ uris }, 'mongodb://db1/shop')).toMatchObject({ code: 'AGENT_OPTION_INVALID' });
});
