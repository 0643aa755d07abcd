import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';

const tsc = path.resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const fixtures = path.join(import.meta.dirname, 'fixtures');
const mistakes = await readFile(path.join(fixtures, 'mistakes.ts'), 'utf8');

interface Message {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** What the compiler has to say about the fixtures; of each message the first line. */
let messages: Message[];

beforeAll(async () => {
  const { stdout } = await execa(process.execPath, [tsc, '--project', '.', '--pretty', 'false'], {
    cwd: fixtures,
    reject: false,
  });
  messages = stdout.split('\n').flatMap((output) => {
    const { file, line, text } =
      /^(?<file>\S+)\((?<line>\d+),\d+\): error TS\d+: (?<text>.*)$/.exec(output)?.groups ?? {};
    return file === undefined || text === undefined ? [] : [{ file, line: Number(line), text }];
  });
});

const comments = mistakes.split('\n').flatMap((text, index) => {
  const message = /^ +\/\/ (?<message>.+)$/.exec(text)?.groups?.['message'];
  return message === undefined ? [] : [{ message, line: index + 1 }];
});
/** Each mistake reaches to the next one. */
const expected = comments.map(({ message, line }, index) => ({
  message,
  line,
  end: comments[index + 1]?.line ?? Infinity,
}));

describe('a customization with generated typings', () => {
  it.each(expected)('is reported what is wrong at line $line: $message', ({ message, line, end }) => {
    const [first] = messages.filter((found) => found.file === 'mistakes.ts' && found.line > line && found.line < end);
    expect(first?.text).toContain(message);
  });

  it('compiles where nothing is wrong', () => {
    expect(expected.length).toBeGreaterThan(50);
    expect(messages.filter(({ file }) => file !== 'mistakes.ts')).toEqual([]);
  });
});
