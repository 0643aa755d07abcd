import { describe, expect, it } from 'vitest';
import { readSources } from './source-tree.ts';

const sources = readSources();

describe('source files', () => {
  it('have at most 400 lines, 60 or so in the median', () => {
    const lines = sources.map((file) => file.lines).sort((a, b) => a - b);
    expect(sources.filter((file) => file.lines > 400).map((file) => file.path)).toEqual([]);
    expect(lines[Math.floor(lines.length / 2)]).toBeLessThanOrEqual(75);
  });

  it('keep commands to 80 lines', () => {
    const long = sources.filter((file) => file.path.startsWith('commands/') && file.lines > 80);
    expect(long.map((file) => file.path)).toEqual([]);
  });

  it('have kebab-case names that say what is inside', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|manager)(\/|\.ts$)/;
    const bad = sources.map((file) => file.path).filter((path) => !/^[a-z0-9/-]+\.ts$/.test(path) || vague.test(path));
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
