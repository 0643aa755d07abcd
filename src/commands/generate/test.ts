import { collectionFlag, GenerateCommand, nameArgument } from '#cli/command/generate-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class GenerateTest extends GenerateCommand {
  static override summary = 'Generate a test that asks the agent of "vendor-cloud exec".';
  static override examples = ['<%= config.bin %> generate test "orders are listed" --collection orders'];
  static override args = nameArgument;
  static override flags = { ...projectFlags, ...collectionFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(GenerateTest);
    await this.generate('test', { ...args, ...flags });
  }
}
