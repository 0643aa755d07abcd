import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { numberArgument } from '#cli/flags/number-argument';
import { projectFlags } from '#cli/flags/project-flags';

export default class FactorsRename extends CloudCommand {
  static override summary = 'Give one of your second factors another name.';
  static override examples = ['<%= config.bin %> factors rename 3 "Key on my ring"'];
  static override args = {
    id: numberArgument({ required: true, description: 'Id of the factor.' }),
    name: string({ required: true, description: 'The name that it gets.' }),
  };
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(FactorsRename);
    const context = await this.createContext();
    const { renameFactor } = await import('#flows/people/second-factors');
    const { renderFactors } = await import('#cli/rendering/render-people');
    const folder = flags.project ?? context.workingFolder;
    this.present(await renameFactor(context, { folder, id: args.id, name: args.name }), renderFactors);
  }
}
