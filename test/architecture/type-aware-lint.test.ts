import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const root = path.resolve(import.meta.dirname, '../..');

const faults = `
declare function save(): Promise<boolean>;
declare function later(run: () => void): void;
declare const state: 'open' | 'closed';

save();
later(save);
switch (state) {
  case 'open':
    break;
}

void save();
later(() => void save());
switch (state) {
  case 'open':
    break;
  default:
}
export {};
`;

it('the lint refuses a promise that nobody awaits, a misused promise and a switch that leaves a case out', async () => {
  const folder = await temporaryFolder();
  await writeFile(path.join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }');
  await writeFile(path.join(folder, 'faults.ts'), faults);
  const configuration = path.join(root, '.oxlintrc.json');
  const { stdout, status } = spawnSync(
    path.join(root, 'node_modules/.bin/oxlint'),
    ['--type-aware', '--config', configuration, '--format', 'json', folder],
    { encoding: 'utf8' },
  );
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; severity: string }[] };
  expect(diagnostics.map(({ code, severity }) => `${severity}: ${code}`).sort()).toEqual([
    'error: typescript(no-floating-promises)',
    'error: typescript(no-misused-promises)',
    'error: typescript(switch-exhaustiveness-check)',
  ]);
  expect(status).toBe(1);
});
