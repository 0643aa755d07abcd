import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class VariablesSet extends CloudCommand {
  static override summary = 'Set a variable of an environment to what stands on stdin.';
  static override description =
    'At a terminal it asks for the value and does not show it. The platform encrypts it; only hosts of the environment get it, with the next deployment.';
  static override examples = [
    '<%= config.bin %> variables set DATABASE_URL --env production < database-url.txt',
    '<%= config.bin %> variables set DATABASE_URL --env production',
  ];
  static override args = { name: string({ required: true, description: 'Name of the variable.' }) };
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(VariablesSet);
    const context = await this.createContext();
    const { changeVariables } = await import('#flows/environments/manage-variables');
    const { readSecret } = await import('#cli/asking/read-secret');
    const { renderChangedVariables } = await import('#cli/rendering/render-environments');
    const variable = args.name.split('=')[0] ?? '';
    const value = await readSecret(this.invocation.environment, context, { variable, environment: flags.env });
    const changed = await changeVariables(context, { ...targetOf(flags, context), set: { [args.name]: value } });
    this.present(changed, renderChangedVariables);
  }
}
