import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class Build extends CloudCommand {
  static override summary = 'Write what a push would send: the code with its source map, and a manifest with sizes.';
  static override description =
    'The same sources give the same bytes. Nothing is checked or sent; push builds by itself.';
  static override examples = ['<%= config.bin %> build', '<%= config.bin %> build --out dist --json'];
  static override flags = {
    ...projectFlags,
    out: string({
      summary: 'Folder to write to, instead of .vendor-cloud/build in the project.',
      env: 'SERVICE_OUT',
      helpValue: '<folder>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Build);
    const context = await this.createContext();
    const { build } = await import('#flows/build/build');
    const { renderBuild } = await import('#cli/rendering/render-deployments');
    const folder = flags.project ?? context.workingFolder;
    this.present(await build(context, { folder, out: flags.out }), renderBuild);
  }
}
