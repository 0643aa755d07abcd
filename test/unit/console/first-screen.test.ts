import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve('src/console');

/** The modules that come with the first screen: what `main.tsx` imports, and what that imports, except for what is loaded when it is used. */
function modulesOfTheFirstScreen(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const open = [path.join(root, 'main.tsx')];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue;
    const text = readFileSync(file, 'utf8');
    found.set(file, text);
    for (const [, clause = '', name = ''] of text.matchAll(/^(?:import|export) ([^;]*?)from '(\.[^']+\.tsx?)';/gms))
      if (!clause.startsWith('type ')) open.push(path.resolve(path.dirname(file), name));
  }
  return found;
}

describe('the first screen of the console', () => {
  it('has its own sentences, and does not wait for those of later screens', () => {
    const modules = modulesOfTheFirstScreen();
    expect(modules.size).toBeGreaterThan(40);
    const waiting = [...modules].filter(([file, text]) => !file.includes('/messages/') && /\buseMessages\b/.test(text));
    expect(waiting.map(([file]) => path.relative(root, file))).toEqual([]);
  });

  it('brings nothing that only dialogs, other screens and other people’s views need', () => {
    const names = [...modulesOfTheFirstScreen().keys()].map((file) => path.relative(root, file));
    const later = ['app/impersonation.tsx', 'app/code-problems.tsx', 'design/controls.tsx', 'design/leave-guard.ts'];
    const ofScreens = ['list/views.ts', 'log/log-state.ts', 'model/notes.ts', 'values/read-zone-time.ts'];
    expect(names.filter((name) => [...later, ...ofScreens].includes(name))).toEqual([]);
    const all = [...modulesOfTheFirstScreen().values()].join('\n');
    expect(all).not.toMatch(/\b(?:useMutation|useInfiniteQuery|useBlocker)\b/);
  });
});
