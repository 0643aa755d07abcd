import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { openPostgresEngine } from '#runtime/data-sources/postgres/open-postgres-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import { createRecordService } from '#runtime/records/create-record-service';
import { publicErrorOf } from '#runtime/surfaces/request/public-error';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();
const call = callIn('UTC');
const page = { skip: 0, limit: 10 };
const sort = [{ field: 'id', ascending: true }];

let databases = 0;

async function serviceIn(encoding: string, text: string) {
  databases += 1;
  const database = `encoded_${databases}`;
  await server.execute(
    'postgres',
    `create database ${database} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
  );
  await server.execute(
    database,
    `create table t (id int primary key, s text); insert into t values (1, '${text}'), (2, 'plain')`,
  );
  const source = await createDataSourceOn(await openPostgresEngine(server.parameters(database)));
  return { database, source, service: createRecordService(compileModel([source], []), everythingAllowed) };
}

describe('a database in an encoding of its own', () => {
  it.each([
    ['LATIN1', 'café'],
    ['LATIN9', '10 € café'],
    ['WIN1252', '“café”'],
    ['EUC_JP', '日本語'],
    ['WIN1251', 'Привет'],
    ['KOI8R', 'Привет'],
    ['SQL_ASCII', 'café'],
  ])('is read, searched and written: %s', async (encoding, text) => {
    const { source, service } = await serviceIn(encoding, text);
    const found = async (query: object) =>
      (await service.list({ collection: 't', sort, page, ...query }, call)).map(({ id }) => id);
    expect(await service.get('t', [1], ['s'], call)).toMatchObject({ s: text });
    expect(await found({ search: text.slice(-3) })).toEqual([1]);
    expect(await found({ search: 'PLAIN' })).toEqual([2]);
    expect(await found({ where: { field: 's', operator: 'Equal', value: text } })).toEqual([1]);
    expect(await found({ sort: [{ field: 's', ascending: true }] })).toHaveLength(2);
    expect(await service.update('t', [2], { s: `${text}!` }, call)).toMatchObject({ s: `${text}!` });
    await source.close();
  });

  it.each(['LATIN1', 'EUC_JP'])('refuses a character that it lacks, and says why: %s', async (encoding) => {
    const { source, service } = await serviceIn(encoding, 'abc');
    const refusal = {
      code: 'DATABASE_VALUE_REFUSED',
      message: expect.stringContaining(
        `has a character that the encoding of the database, ${encoding}, does not have.`,
      ),
    };
    await expect(service.create('t', { id: 9, s: '😀' }, call)).rejects.toMatchObject(refusal);
    await expect(service.list({ collection: 't', search: '😀', page }, call)).rejects.toMatchObject(refusal);
    expect(await service.count({ collection: 't' }, call)).toBe(2);
    await source.close();
  });

  it('names its encoding where a stored text is not in UTF-8', async () => {
    const { database, source, service } = await serviceIn('SQL_ASCII', 'abc');
    await server.execute(database, "insert into t values (3, E'caf\\xe9')");
    const error = await service.list({ collection: 't', page }, call).then(() => undefined, publicErrorOf);
    expect(error).toMatchObject({
      code: 'DATABASE_TEXT_UNREADABLE',
      status: 503,
      detail: expect.stringContaining('The encoding of the database is SQL_ASCII'),
    });
    expect(await service.get('t', [1], ['s'], call)).toMatchObject({ s: 'abc' });
    await source.close();
  });
});
