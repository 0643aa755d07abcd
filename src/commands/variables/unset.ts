import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags } from '#cli/flags/confirm-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class VariablesUnset extends CloudCommand {
  static override summary = 'Take a variable away from an environment, from the next deployment on.';
  static override description = 'Asks first, because nobody can read the value again.';
  static override examples = [
    '<%= config.bin %> variables unset OLD_KEY --env production',
    '<%= config.bin %> variables unset OLD_KEY --env production --yes --json',
  ];
  static override args = { name: string({ required: true, description: 'Name of the variable.' }) };
  static override flags = { ...projectFlags, ...environmentFlags, ...confirmFlags };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(VariablesUnset);
    const context = await this.createContext();
    const { changeVariables } = await import('#flows/environments/manage-variables');
    const { confirmUnsetVariables } = await import('#cli/asking/confirm-change');
    const { renderChangedVariables } = await import('#cli/rendering/render-environments');
    const called = this.invocation.environment.arguments;
    const confirm = confirmUnsetVariables(context, { isConfirmed: flags.yes, called });
    const changed = await changeVariables(context, { ...targetOf(flags, context), unset: [args.name], confirm });
    this.present(changed, renderChangedVariables);
  }
}
