import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class VariablesList extends CloudCommand {
  static override summary = 'List the variables of an environment by name, and which deployment uses them.';
  static override examples = ['<%= config.bin %> variables list --env production'];
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(VariablesList);
    const context = await this.createContext();
    const { listVariables } = await import('#flows/environments/manage-variables');
    const { renderVariables } = await import('#cli/rendering/render-environments');
    this.present(await listVariables(context, targetOf(flags, context)), renderVariables);
  }
}
