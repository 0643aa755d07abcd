import { expect, it } from 'vitest';
import { renderBootstrap } from '#cli/rendering/render-project';
import { createStyle, type Terminal } from '#cli/terminal/terminal';

const plain = createStyle(false);
const terminal: Terminal = {
  isJson: false,
  style: plain,
  resultStyle: plain,
  columns: Number.POSITIVE_INFINITY,
  resultColumns: Number.POSITIVE_INFINITY,
  result: () => undefined,
  note: () => undefined,
  json: () => undefined,
};
const created = {
  path: '/home/ada/admin',
  name: 'admin',
  template: 'blank',
  collections: 2,
  settings: {},
  warnings: [],
  packageManager: 'pnpm',
  packageFrom: null,
  isInstalled: true,
  isRepository: true,
} as const;

it('bootstrap shows the settings that it wrote, for the user to check', () => {
  const softDelete = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`t${index}`, 'deleted_at']));
  const timestamps = { orders: { created: 'created_at', updated: 'updated_at' } };
  const lines = renderBootstrap({ ...created, settings: { main: { softDelete, timestamps } } }, terminal).split('\n');
  expect(lines.slice(1, 5)).toEqual([
    '',
    '  Check what vendor-cloud.json says of the columns of main:',
    expect.stringMatching(/^ {4}softDelete {2}t0 \(deleted_at\), .*t9 \(deleted_at\) and 2 more$/),
    '    timestamps  orders (created_at, updated_at)',
  ]);
});

it('bootstrap says nothing of settings where it wrote none', () => {
  expect(renderBootstrap(created, terminal)).not.toContain('vendor-cloud.json');
});

it('bootstrap says to install what it has not installed', () => {
  const lines = renderBootstrap({ ...created, isInstalled: false }, terminal).split('\n');
  expect(lines.slice(-3)).toEqual([
    expect.stringContaining('cd '),
    '    pnpm install',
    '    pnpm exec vendor-cloud dev',
  ]);
  expect(renderBootstrap(created, terminal)).not.toContain('pnpm install');
});
