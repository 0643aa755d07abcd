import { describe, expect, it } from 'vitest';
import { createMongoDataSource } from '#runtime/data-sources/create-mongo-data-source';
import { readSavedDataSource } from '#runtime/data-sources/create-saved-data-source';
import { createUriDataSource } from '#runtime/data-sources/create-sql-data-source';
import { freePort } from '../../../../helpers/free-port.ts';
import { temporaryDatabase } from '../../../../helpers/temporary-database.ts';

const invalid = (name: string) =>
  expect.objectContaining({ code: 'AGENT_OPTION_INVALID', message: expect.stringContaining(name) });

describe('a data source on MongoDB', () => {
  it('refuses options and parts of a connection that there are not, at once', () => {
    expect(() => createMongoDataSource('mongodb://h/d', { sampleSizes: 1 } as never)).toThrow(invalid('sampleSizes'));
    expect(() => createMongoDataSource({ host: 'h', database: 'd', user: 'u' } as never)).toThrow(invalid('user'));
    expect(() => createMongoDataSource('mongodb://app:secret@h')).toThrow(
      expect.objectContaining({ code: 'DATABASE_URI_INVALID' }),
    );
  });

  it('connects when the agent starts, and says why it cannot', async () => {
    const port = await freePort();
    const open = createMongoDataSource({ host: '127.0.0.1', port, database: 'shop' }, { connectTimeoutMs: 200 });
    await expect(open()).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  });
});

describe('the saved schema of a project', () => {
  it('cannot hold collections of MongoDB', async () => {
    await expect(readSavedDataSource('mongodb://app:secret@h/d')).rejects.toMatchObject({
      code: 'DATABASE_URI_INVALID',
      message: expect.stringContaining('MongoDB'),
    });
  });
});

describe('a data source by its URI', () => {
  it('is refused settings that MongoDB has nothing for', () => {
    expect(() => createUriDataSource('mongodb://h/d', { softDelete: { a: 'b' } })).toThrow(invalid('softDelete'));
    expect(() => createUriDataSource('mongodb+srv://h/d', { timestamps: { a: { created: 'b' } } })).toThrow(
      invalid('timestamps'),
    );
    expect(createUriDataSource('mongodb://h/d', { softDelete: {}, timestamps: false })).toBeTypeOf('function');
  });

  it('is on a SQL database for every other scheme', async () => {
    const storage = await temporaryDatabase('create table countries (code text primary key)');
    const source = await createUriDataSource(`sqlite:${storage}`)();
    expect(source.collections.map(({ name }) => name)).toEqual(['countries']);
    await source.close();
    expect(() => createUriDataSource('oracle://h/d')).toThrow(
      expect.objectContaining({ code: 'DATABASE_URI_INVALID' }),
    );
  });
});
