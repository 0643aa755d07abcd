import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'undici';

const program = path.join(import.meta.dirname, 'bare.js');

/** The least possible program that serves the same code, in a process of its own. */
export interface BareProgram {
  /** The file to save. */
  readonly entry: string;
  sourceOf(revision: string): string;
  read(): Promise<{ readonly revision: string; readonly builtMs: number }>;
  stop(): Promise<void>;
}

/** @param sourceOf The code of the project that is served beside it. */
export async function startBareProgram(folder: string, sourceOf: (revision: string) => string): Promise<BareProgram> {
  const entry = path.join(folder, 'bare/index.ts');
  const withValue = (revision: string) => `${sourceOf(revision)}\nexport const served = '${revision}';\n`;
  await mkdir(path.dirname(entry), { recursive: true });
  await writeFile(entry, withValue('r0'));
  const child = spawn(process.execPath, [program, entry], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(String(line)) as { port: number };
  const client = new Client(`http://127.0.0.1:${port}`);
  return {
    entry,
    sourceOf: withValue,
    read: async () => {
      const { body } = await client.request({ method: 'GET', path: '/' });
      return (await body.json()) as { revision: string; builtMs: number };
    },
    async stop() {
      await client.close();
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
