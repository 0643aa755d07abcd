import { describe, expect, it } from 'vitest';
import { createOpenedDataSources, dataSourceWarnings } from '#runtime/agent/assemble/opened-data-sources';
import { selectCollections } from '#runtime/agent/assemble/select-collections';
import { createSqlDataSource } from '#runtime/index';
import { createShopFile } from '../../../../helpers/shop-agent.ts';

const tables = `
  create table notes (id integer primary key, deleted_at datetime, created_at datetime not null);
  create table drafts (id integer primary key, "updatedAt" datetime);
`;

async function open(selection: Parameters<typeof selectCollections>[1], settings = {}) {
  const factory = createSqlDataSource(await createShopFile(undefined, tables), settings);
  const source = await selectCollections(factory, selection, 'addDataSource')();
  await source.close();
  return source;
}

describe('the warnings of a data source', () => {
  it('name the tables that look as if columns were kept', async () => {
    expect(dataSourceWarnings(await open({}))).toEqual([
      expect.stringMatching(
        /: drafts \(updatedAt\), notes \(deleted_at, created_at\)\. .*"softDelete" and "timestamps"/,
      ),
    ]);
  });

  it('name tables that are renamed as the database does, and leave out those that are not taken', async () => {
    const source = await open({ exclude: ['drafts'], rename: { notes: 'memos' } });
    expect(dataSourceWarnings(source)).toEqual([expect.stringContaining(': notes (deleted_at, created_at). ')]);
  });

  it('are logged once, when the data source is opened', async () => {
    const log: string[] = [];
    const logger = { log: (level: string, message: string) => void log.push(`${level} ${message}`) };
    const sources = createOpenedDataSources([createSqlDataSource(await createShopFile(undefined, tables))], logger);
    await sources.get();
    await sources.get();
    await sources.close();
    expect(log).toEqual([expect.stringMatching(/^Warn Columns look like soft deletes or timestamps/)]);
  });

  it('are followed by what happens to replicas: a warning for one that is left out, and a note when it is back', async () => {
    const log: string[] = [];
    const logger = { log: (level: string, message: string) => void log.push(`${level} ${message}`) };
    const source = await open({ exclude: ['notes', 'drafts'] });
    let tell: (sentence: string, isInUse: boolean) => void = () => undefined;
    const replicas = {
      ...{ name: () => 'shop', written: () => undefined, join: (one: string) => one, look: async () => [] },
      onChange: (listener: typeof tell) => {
        tell = listener;
      },
    };
    const sources = createOpenedDataSources([async () => ({ ...source, replicas })], logger);
    await sources.get();
    tell('One is left out.', false);
    tell('One is in use again.', true);
    expect(log).toEqual(['Warn One is left out.', 'Info One is in use again.']);
  });

  it('say nothing of tables with settings', async () => {
    const settings = { softDelete: { notes: 'deleted_at' }, timestamps: { notes: false, drafts: false } };
    expect(dataSourceWarnings(await open({}, settings))).toEqual([]);
  });

  it('say how many more there are than a few', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `t${index + 10}`);
    const softDelete = Object.fromEntries(names.map((name) => [name, 'deleted_at']));
    const source = { ...(await open({})), warnings: ['left out'], suggestedSettings: { softDelete, timestamps: {} } };
    const [first, second] = dataSourceWarnings(source);
    expect([first, second]).toEqual(['left out', expect.stringContaining('t29 (deleted_at) and 5 more.')]);
  });
});
