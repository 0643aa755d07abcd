import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly patternFolder: string;
  }
}

/**
 * Gives the tests of a project a folder for what a process makes once and copies for each of its files. Vitest ends the processes by a
 * signal, so they cannot remove it. `vitest.config.ts` names this file as global setup.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const parent = project.config.env['TMPDIR'] ?? tmpdir();
  const folder = await realpath(await mkdtemp(path.join(parent, 'vendor-cloud-patterns-')));
  project.provide('patternFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
