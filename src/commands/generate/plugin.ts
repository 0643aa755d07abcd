import { collectionFlag, GenerateCommand, nameArgument } from '#cli/command/generate-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class GeneratePlugin extends GenerateCommand {
  static override summary = 'Generate a plugin: customizations to use again and again, with a test.';
  static override examples = ['<%= config.bin %> generate plugin soft-limits'];
  static override args = nameArgument;
  static override flags = { ...projectFlags, ...collectionFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(GeneratePlugin);
    await this.generate('plugin', { ...args, ...flags });
  }
}
