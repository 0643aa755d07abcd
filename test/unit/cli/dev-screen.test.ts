import { expect, it } from 'vitest';
import { createDevScreen } from '#cli/dev-screen';
import { plainTerminal } from '../../helpers/plain-terminal.ts';

const ready = {
  event: 'ready',
  project: { path: '/shop' },
  agent: { url: 'http://127.0.0.1:3351/service' },
  sandbox: { url: 'http://127.0.0.1:3310', isLocal: true },
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
