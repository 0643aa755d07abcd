import { collectionFlag, GenerateCommand, nameArgument } from '#cli/command/generate-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class GenerateChart extends GenerateCommand {
  static override summary = 'Generate a chart about everything that the agent serves, with a test.';
  static override examples = ['<%= config.bin %> generate chart Revenue --collection orders'];
  static override args = nameArgument;
  static override flags = { ...projectFlags, ...collectionFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(GenerateChart);
    await this.generate('chart', { ...args, ...flags });
  }
}
