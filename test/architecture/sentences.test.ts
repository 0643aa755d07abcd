import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from './source-tree.ts';

/** A reader who is not a native speaker understands a shorter sentence at the first reading. */
const mostWords = 30;

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: repository, encoding: 'utf8' })
  .split('\n')
  .filter((file) => !file.startsWith('test/fixtures/'));
const textOf = (file: string) => readFileSync(path.join(repository, file), 'utf8');

function longSentences(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])[\s)]+(?=[A-Z`"*[(])|(?<=[:;])\s+(?=[A-Z`"*[(])/)
    .map((sentence) =>
      sentence
        .replaceAll(/\]\([^)]*\)/g, ']')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((sentence) => (sentence.match(/[\w`'’./@#{}<>-]+/g) ?? []).length > mostWords);
}

/** Paragraphs and list entries, without code, tables and headings. */
function paragraphsOf(markdown: string): readonly string[] {
  return markdown
    .replaceAll(/```[\s\S]*?```/g, '')
    .split('\n')
    .map((line) => (/^\s*\||^#/.test(line) ? '' : line))
    .join('\n')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)/);
}

/** Comments, without examples and tables; each tag counts for itself. */
function commentsOf(code: string): readonly string[] {
  const blocks = [...code.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(([, text = '']) =>
    text.replaceAll(/\n\s*\* ?/g, '\n').replaceAll(/@example[\s\S]*?(?=\n@|$)/g, ''),
  );
  const lines = [...code.matchAll(/(?:^[ \t]*\/\/.*\n)+/gm)].map(([text]) => text.replaceAll(/^[ \t]*\/\/ ?/gm, ''));
  return [...blocks.flatMap((text) => text.split(/\n(?=@)/)), ...lines].flatMap(paragraphsOf);
}

const placed = (file: string, texts: readonly string[]) =>
  texts.flatMap(longSentences).map((sentence) => `${file}: ${sentence}`);

describe(`sentences of more than ${mostWords} words`, () => {
  it('are in no document', () => {
    const documents = files.filter((file) => file.endsWith('.md') && !file.startsWith('docs/commands'));
    expect(documents.flatMap((file) => placed(file, paragraphsOf(textOf(file))))).toEqual([]);
  });

  it('are in no comment of the source', () => {
    const sources = files.filter((file) => file.startsWith('src/') && file.endsWith('.ts'));
    expect(sources.flatMap((file) => placed(file, commentsOf(textOf(file))))).toEqual([]);
  });
});
