import path from 'node:path';
import type { FlowContext } from '../flow-context.ts';
import type { ActionAnswer, ActionRun } from './run-action.ts';

/** An action that has run, its file on the disk. */
export interface KeptRun extends Omit<ActionRun, 'answer'> {
  readonly answer: Exclude<ActionAnswer, { type: 'file' }> | KeptFile;
}

interface KeptFile {
  readonly type: 'file';
  readonly path: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
}

/**
 * Write the file that an action has made, where it made one. Under its own name it replaces no other file: it gets a number then.
 *
 * @param output Where to write it; by default under its own name in the working folder.
 */
export async function keepFile(context: FlowContext, run: ActionRun, output: string | undefined): Promise<KeptRun> {
  const { answer } = run;
  if (answer.type !== 'file') return { ...run, answer };
  const { name, mimeType, content } = answer;
  const { workingFolder } = context;
  const target = output === undefined ? await freePath(context, name) : path.resolve(workingFolder, output);
  await context.fs.writeAtomically(target, content);
  return { ...run, answer: { type: 'file', path: target, mimeType, sizeBytes: content.byteLength } };
}

/** `report.csv`, else `report-2.csv`, and so on. */
async function freePath({ fs, workingFolder }: FlowContext, name: string): Promise<string> {
  const { name: stem, ext } = path.parse(path.basename(name));
  for (let number = 1; ; number++) {
    const candidate = path.join(workingFolder, number === 1 ? `${stem}${ext}` : `${stem}-${number}${ext}`);
    if (!(await fs.exists(candidate))) return candidate;
  }
}
