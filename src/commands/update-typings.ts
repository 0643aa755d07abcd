import { CloudCommand } from '#cli/cloud-command';
import { projectFlags } from '#cli/project-flags';
import { renderUpdateTypings } from '#cli/render-results';
import { updateTypings } from '#flows/update-typings/update-typings';

export default class UpdateTypings extends CloudCommand {
  static override summary = 'Write the types of the project from its databases and its customization code.';
  static override examples = ['<%= config.bin %> update-typings'];
  static override flags = projectFlags;

  override async run(): Promise<void> {
    const { flags } = await this.parse(UpdateTypings);
    const context = this.createContext();
    this.present(await updateTypings(context, flags.project ?? context.workingFolder), renderUpdateTypings);
  }
}
