import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from './source-tree.ts';

const own = path.basename(import.meta.filename);
const tests = readdirSync(path.join(repository, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && path.basename(file) !== own)
  .map((file) => ({ file, text: readFileSync(path.join(repository, 'test', file), 'utf8') }));

describe('tests', () => {
  it('mock no module', () => {
    const mocking = /\bvi\.(mock|doMock|hoisted|spyOn|fn)\(/;
    expect(tests.filter(({ text }) => mocking.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('are neither left out nor the only ones that run', () => {
    const marked = /\b(it|test|describe)\.(only|skip|todo)\(/;
    expect(tests.filter(({ text }) => marked.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('say in their name why they are skipped', () => {
    const silent = tests.filter(({ text }) => /\.(skipIf|runIf)\(/.test(text) && !text.includes('(skipped: '));
    expect(silent.map(({ file }) => file)).toEqual([]);
  });
});
