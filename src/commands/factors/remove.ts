import { CloudCommand } from '#cli/command/cloud-command';
import { numberArgument } from '#cli/flags/number-argument';
import { projectFlags } from '#cli/flags/project-flags';

export default class FactorsRemove extends CloudCommand {
  static override summary = 'Remove one of your second factors.';
  static override description =
    'Works within ten minutes of "vendor-cloud login". The last one stays where a role demands one.';
  static override examples = ['<%= config.bin %> factors remove 3'];
  static override args = { id: numberArgument({ required: true, description: 'Id of the factor.' }) };
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(FactorsRemove);
    const context = await this.createContext();
    const { removeFactor } = await import('#flows/people/second-factors');
    const { renderFactors } = await import('#cli/rendering/render-people');
    const folder = flags.project ?? context.workingFolder;
    this.present(await removeFactor(context, { folder, id: args.id }), renderFactors);
  }
}
