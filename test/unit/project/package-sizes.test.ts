import { expect, it } from 'vitest';
import { packageSizes } from '#project/package-sizes';

it('the sizes of a bundle are by package, the largest first', () => {
  const bytes = (bytesInOutput: number) => ({ bytesInOutput });
  const inputs = {
    'src/index.ts': bytes(10),
    'src/more.ts': bytes(5),
    'node_modules/luxon/build/luxon.js': bytes(300),
    'node_modules/luxon/build/zone.js': bytes(1),
    'node_modules/@scope/name/index.js': bytes(20),
    'node_modules/outer/node_modules/inner/index.js': bytes(7),
    '../../node_modules/.pnpm/zod@4.0.0/node_modules/zod/index.js': bytes(40),
    'node_modules\\windows\\index.js': bytes(2),
  };
  const output = { bytes: 400, inputs, imports: [], exports: [] };
  expect(packageSizes({ outputs: { 'customization.cjs': output } })).toEqual([
    { package: 'luxon', sizeBytes: 301 },
    { package: 'zod', sizeBytes: 40 },
    { package: '@scope/name', sizeBytes: 20 },
    { package: null, sizeBytes: 15 },
    { package: 'inner', sizeBytes: 7 },
    { package: 'windows', sizeBytes: 2 },
  ]);
});
