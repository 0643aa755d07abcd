import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';

export default class Schema extends CloudCommand {
  static override summary = 'Write what the databases look like to schema.json, so that code is checked without them.';
  static override description = 'With --check it writes nothing, and ends with exit code 1 when the file differs.';
  static override examples = ['<%= config.bin %> schema', '<%= config.bin %> schema --check --json'];
  static override flags = {
    ...projectFlags,
    check: boolean({ summary: 'Say how the databases differ from the file, and write nothing.', env: 'SERVICE_CHECK' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Schema);
    const context = await this.createContext();
    const { checkSchema, writeSchema } = await import('#flows/schema/schema');
    const { renderSchema, renderSchemaComparison } = await import('#cli/rendering/render-project');
    const folder = flags.project ?? context.workingFolder;
    if (!flags.check) return this.present(await writeSchema(context, folder), renderSchema);
    const comparison = await checkSchema(context, folder);
    this.present(comparison, renderSchemaComparison);
    if (!comparison.isCurrent) this.invocation.environment.setExitCode(exitCodes.failed);
  }
}
