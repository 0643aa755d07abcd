import { expect, it } from 'vitest';
import { readSources, type SourceFile } from './source-tree.ts';

const sources = new Map(readSources().map((file) => [file.path.replace(/\.tsx?$/, ''), file]));
const reExport = /export (?:type )?\{([^}]*)\} from '#([^']+)'/g;

/** The names that an entry of the package exports, with the file that declares them. */
function exportsOf({ text }: SourceFile): (readonly [name: string, file: SourceFile | undefined])[] {
  return [...text.matchAll(reExport)].flatMap(([, names = '', file = '']) =>
    names
      .split(',')
      .map((name) => name.replace(/\btype\b|\bas \w+/g, '').trim())
      .filter((name) => name !== '')
      .map((name) => [name, sources.get(file)] as const),
  );
}

/** Whether a comment stands above the declaration; a line for the linter may be between. */
function isDocumented(name: string, file: SourceFile): boolean {
  const kinds = '(?:abstract )?(?:async )?(?:class|const|function|interface|type)';
  return new RegExp(`\\*/\\n(?:// biome-ignore [^\\n]*\\n)?export ${kinds} ${name}\\b`).test(file.text);
}

it('every name that the package exports has a docstring, which the API reference shows', () => {
  const exported = readSources('src/exports').flatMap(exportsOf);
  expect(exported.length).toBeGreaterThan(150);
  const undocumented = exported.filter(([name, file]) => {
    if (!file) return true;
    // A type that the file passes on is declared elsewhere.
    const isDeclaredHere = new RegExp(`export [\\w ]*\\b${name}\\b(?![^{]*\\} from)`).test(file.text);
    return isDeclaredHere && !isDocumented(name, file);
  });
  expect(undocumented.map(([name, file]) => `${file?.path}: ${name}`)).toEqual([]);
});
