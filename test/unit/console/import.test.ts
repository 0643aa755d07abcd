import { describe, expect, it } from 'vitest';
import { csvLine, freeTargets, guessTargets, recordOf, type Target } from '../../../src/console/import/columns.ts';
import { cutBehind } from '../../../src/console/import/run-import.ts';
import {
  guessDelimiter,
  openTable,
  remainderOf,
  type Table,
  type TableRow,
} from '../../../src/console/import/table.ts';

async function all(table: Table): Promise<readonly TableRow[]> {
  const rows: TableRow[] = [];
  for await (const row of table.rows()) rows.push(row);
  return rows;
}

async function rowsOf(text: string | Blob, name = 'a.csv'): Promise<readonly TableRow[]> {
  return all(await openTable(new Blob([text]), name));
}

describe('rows that an agent had no time for', () => {
  const rows: readonly TableRow[] = [
    { line: 2, cells: ['a'] },
    { line: 3, cells: [], problem: 'cells' },
    { line: 4, cells: ['b'] },
    { line: 5, cells: [], problem: 'cells' },
    { line: 6, cells: ['c'] },
  ];
  const lines = (tried: number) => cutBehind(rows, tried).map((part) => part.map(({ line }) => line));

  it('come behind those that it has tried, rows that were not sent among them', () => {
    expect(lines(1)).toEqual([
      [2, 3],
      [4, 5, 6],
    ]);
    expect(lines(2)).toEqual([[2, 3, 4, 5], [6]]);
    expect(lines(3)).toEqual([[2, 3, 4, 5, 6], []]);
  });
});

describe('a text that somebody pasted', () => {
  const text = 'ref;note\n\nA-1;"two\nlines"\nA-2;=x\n\nA-3;"; y"\n';
  const rest = async (...left: readonly number[]) =>
    remainderOf(text, await openTable(new Blob([text]), 'pasted'), (line) => left.includes(line));

  it('keeps its header and the rows that are left, as they were typed, and knows their new lines', async () => {
    expect(await rest(3, 7)).toEqual({
      text: 'ref;note\n\nA-1;"two\nlines"\nA-3;"; y"',
      newLines: new Map([
        [3, 3],
        [7, 5],
      ]),
    });
    expect((await rest(5)).text).toBe('ref;note\n\nA-2;=x\n');
  });

  it('is empty where nothing is left', async () => {
    expect((await rest()).text).toBe('');
  });
});

describe('a table to import', () => {
  it('is read by RFC 4180, with a byte order mark, empty lines and breaks in quotes, and knows its lines', async () => {
    const text = '\uFEFFref;note\r\n\r\nA-1;"two\nlines; ""quoted"""\r\nA-2;x\r\n';
    expect((await openTable(new Blob([text]), 'a.csv')).columns).toEqual(['ref', 'note']);
    expect(await rowsOf(text)).toEqual([
      { line: 3, cells: ['A-1', 'two\nlines; "quoted"'] },
      { line: 5, cells: ['A-2', 'x'] },
    ]);
  });

  it('is read in slices, whatever they cut through', async () => {
    const count = 30_000;
    const text = `id,note\n${Array.from({ length: count }, (_, index) => `${index},"é ""${index}""\n, end"`).join('\n')}`;
    const rows = await rowsOf(text);
    expect(rows).toHaveLength(count);
    expect(rows.at(-1)).toEqual({
      line: count * 2,
      cells: [String(count - 1), `é "${count - 1}"\n, end`],
    });
  });

  it('marks rows with other cells, and lines that are not objects', async () => {
    expect((await rowsOf('a,b\n1\n1,2\n')).map(({ problem }) => problem)).toEqual(['cells', undefined]);
    const json = await rowsOf('{"a":1}\nnothing\n{"a":9007199254740993}\n', 'a.ndjson');
    expect(json.map(({ line, problem }) => [line, problem])).toEqual([
      [1, undefined],
      [2, 'json'],
      [3, undefined],
    ]);
    expect(JSON.stringify(json[2]?.cells)).toBe('[9007199254740993]');
  });

  it('is refused with the reason when it is empty, of another encoding, or has a quote that is not closed', async () => {
    const reasonOf = (bytes: BlobPart) =>
      openTable(new Blob([bytes]), 'a.csv')
        .then(all)
        .catch(({ reason }) => reason);
    expect(await reasonOf('')).toBe('empty');
    expect(await reasonOf(new Uint8Array([97, 44, 0xe9, 10]))).toBe('encoding');
    expect(await reasonOf('a,b\n1,"2\n')).toBe('csv');
    expect(await reasonOf(`a,b\n1,"${'x'.repeat(5 * 1024 ** 2)}`)).toBe('record');
  });

  it('has its delimiter guessed from the first line, outside of quotes', () => {
    expect(['a,b', 'a;b;"c,d,e,f"', 'a\tb', 'alone'].map(guessDelimiter)).toEqual([',', ';', '\t', ',']);
  });
});

describe('the columns of an import', () => {
  const targets: readonly Target[] = [
    { kind: 'values', name: 'unit_price' },
    { kind: 'values', name: 'ref' },
    { kind: 'links', name: 'customer' },
    { kind: 'titles', name: 'customer', title: 'name' },
  ];

  it('are matched by their names, each target once, and others go nowhere', () => {
    const guessed = guessTargets(['Unit Price', 'REF', 'ref', 'customer', 'x'], targets);
    expect(guessed.map((target) => target?.name)).toEqual(['unit_price', 'ref', undefined, 'customer', undefined]);
    expect(recordOf({ line: 2, cells: ['1', 'A', 'B', '7', 'y'] }, guessed)).toEqual({
      line: 2,
      values: { unit_price: '1', ref: 'A' },
      links: { customer: '7' },
      titles: {},
    });
    const titled = guessTargets(['customer:name', 'customer'], targets);
    expect(titled.map((target) => target?.kind)).toEqual(['titles', undefined]);
    expect(recordOf({ line: 2, cells: ['Zed', '7'] }, titled)).toEqual({
      line: 2,
      values: {},
      links: {},
      titles: { customer: 'Zed' },
    });
  });

  it('may choose what no other column has, also after the schema was read again', () => {
    const namesOfFree = (at: number) =>
      freeTargets(structuredClone(targets), [targets[0], undefined], at).map(({ name }) => name);
    expect(namesOfFree(0)).toEqual(['unit_price', 'ref', 'customer', 'customer']);
    expect(namesOfFree(1)).toEqual(['ref', 'customer', 'customer']);
    const [, , byId] = targets;
    expect(freeTargets(targets, [byId, undefined], 1).map(({ name }) => name)).toEqual(['unit_price', 'ref']);
  });

  it('are written as CSV again, and nothing becomes a formula', () => {
    expect(csvLine(['a"b', 'x,y', null, { z: 1 }, '=1+1', '-5', '-x'])).toBe(
      `"a""b","x,y",,"{""z"":1}",'=1+1,-5,'-x\n`,
    );
  });
});
