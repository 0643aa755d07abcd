import { boolean, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';

export default class UpdateTypings extends CloudCommand {
  static override summary = 'Write the types of the project from its databases and its customization code.';
  static override description =
    'With --check it writes nothing, and ends with exit code 1 when it would. With --role it writes the types of what the role sees by permissions.json into a file of their own.';
  static override examples = [
    '<%= config.bin %> update-typings',
    '<%= config.bin %> update-typings --check',
    '<%= config.bin %> update-typings --role Support',
  ];
  static override flags = {
    ...projectFlags,
    role: string({
      summary: 'A role of permissions.json, whose fields and collections are in the types.',
      env: 'SERVICE_ROLE',
      helpValue: '<name>',
    }),
    check: boolean({ summary: 'Say how the file differs, and write nothing.', env: 'SERVICE_CHECK' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(UpdateTypings);
    const context = await this.createContext();
    const { checkTypings, checkTypingsOfRole, updateTypings, updateTypingsOfRole } = await import(
      '#flows/schema/update-typings'
    );
    const { renderUpdateTypings } = await import('#cli/rendering/render-project');
    const { renderTypingsComparison } = await import('#cli/rendering/render-project');
    const folder = flags.project ?? context.workingFolder;
    const ofRole = flags.role === undefined ? undefined : await this.#inputOf(context, folder, flags.role);
    if (!flags.check) {
      const written = ofRole ? await updateTypingsOfRole(context, ofRole) : await updateTypings(context, folder);
      return this.present(written, renderUpdateTypings);
    }
    const comparison = ofRole ? await checkTypingsOfRole(context, ofRole) : await checkTypings(context, folder);
    this.present(comparison, renderTypingsComparison);
    if (!comparison.isCurrent) this.invocation.environment.setExitCode(exitCodes.failed);
  }

  async #inputOf(context: Awaited<ReturnType<UpdateTypings['createContext']>>, folder: string, role: string) {
    const { developerOf } = await import('#cli/invocation/developer');
    return { folder, role, developer: await developerOf(context), signal: this.invocation.interrupted };
  }
}
