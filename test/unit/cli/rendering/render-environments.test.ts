import { expect, it } from 'vitest';
import { renderLink } from '#cli/rendering/render-environments';
import { plainTerminal } from '../../../helpers/plain-terminal.ts';

it('a folder without a link reads that the default may have chosen its platform', () => {
  const project = { root: '/shop', name: 'shop', serverUrl: 'http://127.0.0.1:3310', environment: null };
  const lines = renderLink({ ...project, isLinked: false }, plainTerminal()).split('\n');
  expect(lines.at(-1)).toBe('  This folder has no link: a variable, the configuration or the default says so.');
});
