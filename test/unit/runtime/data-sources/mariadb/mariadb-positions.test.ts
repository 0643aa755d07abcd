import { describe, expect, it } from 'vitest';
import { mariadbRules, stateOf } from '#runtime/data-sources/mariadb/mariadb-positions';

const [uuid, other] = ['3e11fa47-71ca-11e1-9e33-c80aa9429562', '4e11fa47-71ca-11e1-9e33-c80aa9429562'];
const stateWith = (gtids: string, more = {}) =>
  stateOf({ server: 'copy', database: 'shop', isReadOnly: '1', gtids, ...more });
const positionOf = (gtids: string) => stateWith(gtids).position ?? '';
const hasReached = (shown: string, wanted: string) => mariadbRules.hasReached(positionOf(shown), positionOf(wanted));
const joined = (one: string, two: string) => mariadbRules.join(positionOf(one), positionOf(two));

describe('the position of a MySQL server', () => {
  it.each([
    [`${uuid}:1-5`, `${uuid}:1-5`, true],
    [`${uuid}:1-6`, `${uuid}:1-5`, true],
    [`${uuid}:1-4`, `${uuid}:1-5`, false],
    // A transaction that several threads have overtaken is not shown yet.
    [`${uuid}:1-3:5-9`, `${uuid}:1-5`, false],
    [`${uuid}:1-5`, `${uuid}:1-3:5`, true],
    [`${uuid}:1-5,\n${other}:1-2`, `${other}:1-2`, true],
    [`${uuid}:1-5`, `${uuid}:1-5,\n${other}:1`, false],
    [`${uuid}:1-5:batch:1-9`, `${uuid}:batch:3`, true],
    [`${uuid}:1-9`, `${uuid}:batch:3`, false],
    [`${uuid}:1-9223372036854775806`, `${uuid}:1-9223372036854775807`, false],
  ])('%j shows what %j does: %j', (shown, wanted, isReached) => {
    expect(hasReached(shown, wanted)).toBe(isReached);
  });

  it('joins with another one to what both show, with ranges that touch as one', () => {
    expect(joined(`${uuid}:1-3:7`, `${uuid}:4-5,${other}:1`)).toBe(positionOf(`${other}:1,${uuid}:7:1-5`));
  });

  it('names no server: its number may have the address of a network card in it', () => {
    expect(positionOf(`${uuid}:1-5`)).not.toContain(uuid.slice(0, 8));
  });
});

describe('the position of a MariaDB server', () => {
  it.each([
    ['0-1-5', '0-1-5', true],
    ['0-2-6', '0-1-5', true],
    ['0-1-4', '0-1-5', false],
    ['0-1-5,7-1-3', '7-1-2', true],
    ['0-1-5', '0-1-5,7-1-2', false],
  ])('%j shows what %j does: %j', (shown, wanted, isReached) => {
    expect(hasReached(shown, wanted)).toBe(isReached);
  });

  it('joins with another one to the later one of each domain', () => {
    expect(joined('0-1-5,7-1-1', '0-1-4,7-2-8')).toBe(positionOf('0-1-5,7-1-8'));
  });

  it('is unknown where the server numbers no transactions', () => {
    expect(stateWith('').position).toBeUndefined();
  });
});

it('a server that can be written to, the primary and one with transactions of another server are not replicas', () => {
  const primary = stateWith('0-1-9,7-1-3', { server: 'primary', isReadOnly: '0' });
  const problemOf = (gtids: string, more = {}) => mariadbRules.problemOf(stateWith(gtids, more), primary);
  expect([
    problemOf('0-1-8,7-1-3'),
    problemOf('0-1-8'),
    problemOf('0-1-8', { isReadOnly: '0' }),
    problemOf('0-1-9', { server: 'primary' }),
    problemOf('0-2-8'),
  ]).toEqual([
    undefined,
    undefined,
    'It can be written to: its "read_only" is off.',
    'It is the primary itself.',
    'It follows another primary.',
  ]);
});
