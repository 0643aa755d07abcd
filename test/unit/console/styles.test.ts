import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve('src/console');
const read = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));
const sheets = read('**/*.css');
const parts = read('**/*.tsx');

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

describe('the style sheets of the console', () => {
  it('use only properties that something sets, since a misspelt one counts as nothing', () => {
    const set = new Set([
      ...sheets.flatMap(({ text }) => all(text, /(--[\w-]+):/g)),
      ...parts.flatMap(({ text }) => all(text, /'(--[\w-]+)'/g)),
    ]);
    // A table sets the titles of its columns by their numbers.
    const isSet = (name: string) => set.has(name) || /^--title-\d$/.test(name);
    const used = sheets.flatMap(({ file, text }) => all(text, /var\((--[\w-]+)/g).map((name) => `${file}: ${name}`));
    expect(used.length).toBeGreaterThan(100);
    expect(used.filter((use) => !isSet(use.split(': ')[1] ?? ''))).toEqual([]);
  });

  it('have exactly the classes that the screens name', () => {
    const modules = sheets.filter(({ file }) => file.endsWith('.module.css'));
    const chosen = new Set<string>();
    const named = new Map(modules.map(({ file }) => [file, new Set<string>()]));
    for (const { file, text } of parts) {
      for (const [, sheet = ''] of text.matchAll(/import styles from '([^']+)'/g)) {
        const names = named.get(path.join(path.dirname(file), sheet));
        for (const name of all(text, /styles\['([\w-]+)'\]/g)) names?.add(name);
        // One that is chosen by its name is a text of the same folder.
        if (!/styles\[\w+\]/.test(text)) continue;
        for (const beside of read(`${path.dirname(file)}/*.{ts,tsx}`))
          for (const name of all(beside.text, /'([\w-]+)'/g)) chosen.add(name);
      }
    }
    const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\//g, '');
    const differences = modules.flatMap(({ file, text }) => {
      const has = new Set(all(withoutComments(text), /\.([a-zA-Z][\w-]*)(?=[^{}]*\{)/g));
      const wanted = named.get(file) ?? new Set<string>();
      return [
        ...[...wanted.difference(has)].map((name) => `${file} lacks ${name}`),
        ...[...has.difference(wanted).difference(chosen)].map((name) => `nothing uses ${name} of ${file}`),
      ];
    });
    expect(differences).toEqual([]);
  });
});
