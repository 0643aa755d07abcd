import { describe, expect, it } from 'vitest';
import { nodeFileSystem } from '#node/files/node-file-system';
import { readEnvFile } from '../../../src/project/env-file.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

async function read(text: string): Promise<Record<string, string>> {
  const folder = await temporaryFolder();
  await writeFiles(folder, { '.env': text });
  return readEnvFile(nodeFileSystem, folder);
}

describe('readEnvFile', () => {
  it('reads plain, quoted, exported and multi-line values and skips comments', async () => {
    expect(await read('# note\nA=1\nexport B="two words"\n\nC="x\ny"\r\nD=\n')).toEqual({
      A: '1',
      B: 'two words',
      C: 'x\ny',
      D: '',
    });
  });

  it('loses nothing of a file with a byte order mark, nor of a value that holds its own quotes', async () => {
    expect(await read('\uFEFFA=1\nB="a \\"b\\" c"\nC="x"y\n')).toEqual({ A: '1', B: 'a \\"b\\" c', C: '"x"y' });
  });

  it('is empty where there is no file', async () => {
    expect(await readEnvFile(nodeFileSystem, await temporaryFolder())).toEqual({});
  });

  it.each([
    ['a line without an equals sign', 'A=1\nSECRET hunter2\n', 2],
    ['a name that starts with a digit', '1A=x\n', 1],
    ['a quote that is never closed', 'A=1\nB="x\nC=2\n', 2],
  ])('refuses %s, naming the line and not the value', async (_what, text, line) => {
    const error = await read(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PROJECT_ENV_FILE_INVALID', location: { line } });
    expect(String(error)).not.toContain('hunter2');
  });
});
