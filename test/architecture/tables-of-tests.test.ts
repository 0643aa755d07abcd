import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from './source-tree.ts';

const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');

/** The cells of every row, without the heads of the tables. */
function rowsOf(table: string): readonly (readonly string[])[] {
  const lines = read(table).split('\n');
  const isHead = (_line: string, index: number) => lines[index + 1]?.startsWith('|---') ?? false;
  return lines
    .filter((line, index) => line.startsWith('|') && !line.startsWith('|---') && !isHead(line, index))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** What is wrong with the last cell of a row: tests that are not there, or no reason why there is none. */
function problemsOf(proof: string): readonly string[] {
  if (/^(does not apply|not tested): \S/.test(proof)) return [];
  return proof.split('<br>').flatMap((named) => {
    const [, file, title = ''] = /^`(test\/[^`]+(?:\.test|-suite)\.ts)`: "(.+)"$/.exec(named) ?? [];
    if (file === undefined) return [`${named} names neither a test nor a reason`];
    if (!existsSync(path.join(repository, file))) return [`${file} does not exist`];
    return read(file).includes(title) ? [] : [`${file} has no test "${title}"`];
  });
}

describe.each(['test/bad-input.md', 'test/costly-inputs.md', 'test/mcp-edge-cases.md'])('the table %s', (table) => {
  const rows = rowsOf(table);

  it('says in every row what fails, what happens and what shows it', () => {
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([]);
  });

  it('names each failure once', () => {
    const failures = rows.map(([failure]) => failure);
    expect(failures.filter((failure, index) => failures.indexOf(failure) !== index)).toEqual([]);
  });

  it('names tests that exist, or a reason why there is none', () => {
    expect(rows.flatMap(([, , proof = '']) => problemsOf(proof))).toEqual([]);
  });
});

it('the table of edge cases has every case from 1 to 74', () => {
  const numbers = rowsOf('test/mcp-edge-cases.md').map(([edge = '']) => Number.parseInt(edge, 10));
  expect(numbers).toEqual(Array.from({ length: 74 }, (_, index) => index + 1));
});
