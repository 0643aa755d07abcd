import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { requireEnterable, requirePostgresFolders } from '../../helpers/postgres-folders.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

it('the error names a parent folder that others may not enter, and says what to do', async () => {
  const closed = path.join(await temporaryFolder(), 'closed');
  const file = path.join(closed, 'inner', 'postgres');
  await mkdir(file, { recursive: true });
  await chmod(closed, 0o700);
  await expect(requireEnterable(file)).rejects.toThrow(`chmod o+x ${closed}`);
});

it('a user other than root starts PostgreSQL in any folder', async () => {
  await expect(requirePostgresFolders(1000)).resolves.toBeUndefined();
});
