import path from 'node:path';
import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import type { GeneratedFiles, GeneratedKind } from '#flows/generate/generate';
import { projectFlags } from '../flags/project-flags.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { CloudCommand } from './cloud-command.ts';

/** The arguments of commands that generate code for a collection. */
export const collectionArguments = {
  collection: argument({ required: true, description: 'Name of the collection.' }),
  name: argument({ required: true, description: 'What it is called.' }),
};

/** The arguments of the other ones, and the flag for the collection that their code reads. */
export const nameArgument = { name: argument({ required: true, description: 'What it is called.' }) };
export const collectionFlag = {
  collection: string({
    summary: 'The collection that the code reads (by default the first one of the project).',
    env: 'SERVICE_COLLECTION',
    helpValue: '<name>',
  }),
};

/** The base of the commands that generate code. */
export abstract class GenerateCommand extends CloudCommand {
  static override flags = projectFlags;

  protected async generate(
    kind: GeneratedKind,
    {
      name,
      collection,
      project,
    }: { readonly name: string; readonly collection?: string | undefined; readonly project?: string | undefined },
  ): Promise<void> {
    const context = await this.createContext();
    const { generate } = await import('#flows/generate/generate');
    const folder = project ?? context.workingFolder;
    this.present(await generate(context, { kind, folder, name, collection }), renderGenerated);
  }
}

function renderGenerated(
  { files, registeredIn, toRegister, testCommand }: GeneratedFiles,
  { resultStyle }: Terminal,
): string {
  const shown = (file: string) => path.relative('', file);
  return [
    ...files.map((file) => `${resultStyle.green('✔')} ${shown(file)} written`),
    ...(registeredIn === null ? [] : [`${resultStyle.green('✔')} ${shown(registeredIn)} calls it`]),
    ...(toRegister.length > 0
      ? ['', 'Write this into the entry of the project:', ...toRegister.map((line) => `  ${line}`)]
      : []),
    '',
    `Test it: ${testCommand}`,
  ].join('\n');
}
