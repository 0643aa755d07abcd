import { cp, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const repository = path.resolve(import.meta.dirname, '../..');

describe('oclif.manifest.json', () => {
  it('says what the commands say: "npm run manifest" writes it', async () => {
    const folder = await temporaryFolder();
    for (const name of ['package.json', 'dist']) {
      await cp(path.join(repository, name), path.join(folder, name), { recursive: true });
    }
    await symlink(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
    await execa('oclif', ['manifest', '.'], { cwd: folder, preferLocal: true, localDir: repository });
    const fresh = JSON.parse(await readFile(path.join(folder, 'oclif.manifest.json'), 'utf8'));
    const committed = JSON.parse(await readFile(path.join(repository, 'oclif.manifest.json'), 'utf8'));
    expect(Object.keys(fresh.commands)).toContain('dev');
    expect(committed).toEqual(fresh);
  });
});
