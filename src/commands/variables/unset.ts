import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/project-flags';

export default class VariablesUnset extends CloudCommand {
  static override summary = 'Take a variable away from an environment, from the next deployment on.';
  static override examples = ['<%= config.bin %> variables unset OLD_KEY --env production'];
  static override args = { name: string({ required: true, description: 'Name of the variable.' }) };
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(VariablesUnset);
    const context = await this.createContext();
    const { changeVariables } = await import('#flows/variables/change-variables');
    const { renderChangedVariables } = await import('#cli/render-variables');
    const changed = await changeVariables(context, { ...targetOf(flags, context), unset: [args.name] });
    this.present(changed, renderChangedVariables);
  }
}
