import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Config } from '@oclif/core/config';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandSurfaceText } from '../../scripts/command-surface.ts';
import { repository } from './source-tree.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const file = readFileSync(path.join(repository, 'schemas/command-line.json'), 'utf8');
let text = '';

beforeAll(async () => {
  text = commandSurfaceText(await Config.load({ root: repository }));
});

/** Every value that is not an object, by its path. */
function leavesOf(value: Json, place = ''): ReadonlyMap<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Map([[place, JSON.stringify(value)]]);
  return new Map(Object.entries(value).flatMap(([name, member]) => [...leavesOf(member, `${place} › ${name}`)]));
}

/** One line for each difference: what is gone, what is new, what has become something else. */
function differences(before: Json, now: Json): readonly string[] {
  const [old, young] = [leavesOf(before), leavesOf(now)];
  const gone = [...old].filter(([place]) => !young.has(place)).map(([place, value]) => `gone${place} = ${value}`);
  const others = [...young].flatMap(([place, value]) => {
    if (!old.has(place)) return [`new${place} = ${value}`];
    return old.get(place) === value ? [] : [`changed${place} = ${value}, before ${old.get(place)}`];
  });
  return [...gone, ...others];
}

describe('the command line as scripts rely on it (after a change: npm run docs, and an entry in CHANGELOG.md)', () => {
  it('is what schemas/command-line.json says', () => {
    expect(differences(JSON.parse(file), JSON.parse(text))).toEqual([]);
    expect(file).toBe(text);
  });

  it('names an answer for every command but the one that prints the format of another system', () => {
    const { commands }: { commands: Record<string, { answer: unknown }> } = JSON.parse(text);
    const without = Object.entries(commands).filter(([, { answer }]) => JSON.stringify(answer) === '{}');
    expect(without.map(([id]) => id)).toEqual(['audit tail']);
  });

  it('tells each difference by its place', () => {
    const before = { push: { flags: { message: { char: 'm' }, old: true }, answer: { required: ['a'] } } };
    const now = { push: { flags: { message: { char: 'n' }, young: true }, answer: { required: ['a'] } } };
    expect(differences(before, now)).toEqual([
      'gone › push › flags › old = true',
      'changed › push › flags › message › char = "n", before "m"',
      'new › push › flags › young = true',
    ]);
  });
});
