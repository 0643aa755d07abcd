import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from './source-tree.ts';

/** Words that read as another language to most readers, with those to write in their place. */
const patterns: Readonly<Record<string, RegExp>> = {
  'mend: write "fix"': /\bmend(?:s|ed|ing)?\b/i,
  'anew: write "again"': /\banew\b/i,
  'is none: write "is not a …"': /(?<!\bthere )\b(?:is|are) none\b/i,
  'so many: write "at most N", or "this many"': /\bso many\b/i,
  'is told: say who reports it': /\b(?:is|are) told\b/i,
  'alone, at the end of a clause: write "only"': /\balone\b(?=[`'"*)]*(?:[.,;:]|$))/i,
  'whom: write "who" or "that"': /\bwhom\b/i,
  'but for: write "except for"': /\bbut for\b/i,
  'nothing but: write "only"': /\bnothing but\b/i,
  'once more: write "again"': /\bonce more\b/i,
  'lies in: write "is in"': /\blies? in\b/i,
  'hears of: write "learns about"': /\bhears? of\b/i,
  'stands in the place of: write "replaces"': /\bstands? in (?:the )?place of\b/i,
  'is no …: write "is not a …"': /(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b|other\b|one\b)[a-z]/i,
};

/** Files that quote the words. */
const allowed: readonly string[] = ['test/architecture/words.test.ts'];

const texts = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: repository, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:ts|md|sh|js|yml|service)$/.test(file) && !allowed.includes(file))
  .filter((file) => !file.startsWith('test/fixtures/'));

describe('the words of the project', () => {
  it.each(Object.entries(patterns))('leave out %s', (_name, pattern) => {
    const found = texts.flatMap((file) =>
      readFileSync(path.join(repository, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 160)}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it('stand in lines of less than 200 characters in documents, except in tables and code', () => {
    const long = texts
      .filter((file) => file.endsWith('.md') && !/^docs\/(?:errors|commands|environment)\.md$/.test(file))
      .flatMap((file) => {
        let isCode = false;
        return readFileSync(path.join(repository, file), 'utf8')
          .split('\n')
          .flatMap((line, index) => {
            if (line.trimStart().startsWith('```')) isCode = !isCode;
            const isProse = !isCode && !line.trimStart().startsWith('|');
            return isProse && line.length >= 200 ? [`${file}:${index + 1}`] : [];
          });
      });
    expect(long).toEqual([]);
  });
});
