import { describe, expect, it } from 'vitest';
import { importersOf, isLoadedWhenUsed, readSources } from './source-tree.ts';

const sources = readSources();

/** What begins a program, a thread or a public subpath, and what the store looks up by its place. */
const entries =
  /^(?:commands|exports)\/|\/migrations\/|\/index\.ts$|^cli\/(?:main|own-modules|agent-worker|check-for-update|keychain-process)\.ts$|\/(?:scan|stretch|month)-worker\.ts$|^console\/main\.tsx$/;

/** Small files of one importer that stay by themselves, and why. */
const staysAlone: readonly (readonly [file: RegExp, reason: string])[] = [
  [/^kernel\/errors\/catalogue\//, 'the catalogue has one file for each area'],
  [/^contracts\/api\/[\w-]+-operations\.ts$/, 'the API of the platform is described in one file for each subject'],
];

describe('source files', () => {
  it('have at most 400 lines, 100 in the median', () => {
    const lines = sources.map((file) => file.lines).sort((a, b) => a - b);
    expect(sources.filter((file) => file.lines > 400).map((file) => file.path)).toEqual([]);
    expect(lines[Math.floor(lines.length / 2)]).toBeLessThanOrEqual(100);
  });

  it('join their only importer when they are small and have no test', () => {
    const importers = importersOf(sources);
    const lonely = sources.filter(({ path: file, lines }) => {
      if (lines > 60 || entries.test(file)) return false;
      const { inSource, outside } = importers(file);
      const [importer] = inSource;
      if (inSource.length !== 1 || outside > 0 || !importer || importer.path.endsWith('/index.ts')) return false;
      const isOfItsLayer = importer.path.split('/')[0] === file.split('/')[0];
      const isShortTogether = lines + importer.lines < 200;
      return isOfItsLayer && isShortTogether && !isLoadedWhenUsed(file, importer);
    });
    const unexplained = lonely.filter(({ path: file }) => !staysAlone.some(([pattern]) => pattern.test(file)));
    expect(unexplained.map(({ path: file }) => file)).toEqual([]);
    const idle = staysAlone.filter(([pattern]) => !lonely.some(({ path: file }) => pattern.test(file)));
    expect(idle.map(([, reason]) => reason)).toEqual([]);
  });

  it('keep commands to 80 lines', () => {
    const long = sources.filter((file) => file.path.startsWith('commands/') && file.lines > 80);
    expect(long.map((file) => file.path)).toEqual([]);
  });

  it('have kebab-case names that say what is inside', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|manager)(\/|\.ts$)/;
    const bad = sources
      .map((file) => file.path)
      .filter((path) => !/^[a-z0-9/-]+\.tsx?$/.test(path) || vague.test(path));
    expect(bad).toEqual([]);
  });

  it('export by name, except the command classes', () => {
    const defaults = sources.filter(
      (file) => /^export default /m.test(file.text) && !file.path.startsWith('commands/'),
    );
    expect(defaults.map((file) => file.path)).toEqual([]);
  });

  it('suppress nothing without a reason', () => {
    const suppressed = sources.filter((file) => /@ts-ignore|@ts-nocheck|biome-ignore(?!.*: \S)/.test(file.text));
    expect(suppressed.map((file) => file.path)).toEqual([]);
  });
});
