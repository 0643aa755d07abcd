import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';

export default class UpdateTypings extends CloudCommand {
  static override summary = 'Write the types of the project from its databases and its customization code.';
  static override description = 'With --check it writes nothing, and ends with exit code 1 when it would.';
  static override examples = ['<%= config.bin %> update-typings', '<%= config.bin %> update-typings --check'];
  static override flags = {
    ...projectFlags,
    check: boolean({ summary: 'Say how the file differs, and write nothing.', env: 'SERVICE_CHECK' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(UpdateTypings);
    const context = await this.createContext();
    const { checkTypings, updateTypings } = await import('#flows/schema/update-typings');
    const { renderUpdateTypings } = await import('#cli/rendering/render-project');
    const { renderTypingsComparison } = await import('#cli/rendering/render-project');
    const folder = flags.project ?? context.workingFolder;
    if (!flags.check) return this.present(await updateTypings(context, folder), renderUpdateTypings);
    const comparison = await checkTypings(context, folder);
    this.present(comparison, renderTypingsComparison);
    if (!comparison.isCurrent) this.invocation.environment.setExitCode(exitCodes.failed);
  }
}
