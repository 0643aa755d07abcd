import { expect, it } from 'vitest';
import { createDevScreen } from '#cli/rendering/dev-screen';
import { cloudError } from '#kernel/errors/cloud-error';
import { plainTerminal } from '../../../helpers/plain-terminal.ts';

const ready = {
  event: 'ready',
  project: { path: '/shop' },
  agent: { url: 'http://127.0.0.1:3351/service' },
  sandbox: { url: 'http://127.0.0.1:3310', isLocal: true },
  console: { url: 'http://127.0.0.1:3310/console/' },
  mcp: { url: 'http://127.0.0.1:3931/mcp', token: 'mcp' },
  token: 'agent',
  as: null,
  collections: ['orders'],
} as const;

it.each([
  ['tells the keys where somebody can press them', true, 1],
  ['tells no keys where nobody can press them', false, 0],
])('the screen of a session %s', (_what, hasKeys, lines) => {
  const pinned: string[] = [];
  const terminal = { ...plainTerminal(), pin: (line: string) => void pinned.push(line) };
  createDevScreen(terminal, { version: '1.2.3', workingFolder: '/shop', hasKeys }).show(ready);
  expect(pinned.filter((line) => line.includes('q quit'))).toHaveLength(lines);
});

it('the screen of a session shows an error that many requests meet once, and says how many met it when something else happens', () => {
  const notes: string[] = [];
  const terminal = { ...plainTerminal(), note: (text: string) => void notes.push(text), pin: () => undefined };
  const screen = createDevScreen(terminal, { version: '1.2.3', workingFolder: '/shop', hasKeys: false });
  const failed = (message: string) => {
    const error = cloudError('DATABASE_UNREACHABLE', message, 'Start it.');
    screen.show({ event: 'request-failed', error });
  };
  for (let count = 0; count < 50; count++) failed('The database is away.');
  failed('Another one is away.');
  screen.show({ event: 'reloaded', ms: 12 });
  expect(notes).toHaveLength(4);
  expect(notes[0]).toContain('The database is away.');
  expect(notes[1]).toBe('  The same error met 49 more requests.');
  expect(notes[2]).toContain('Another one is away.');
});
