import { collectionArguments, GenerateCommand } from '#cli/command/generate-command';

export default class GenerateAction extends GenerateCommand {
  static override summary = 'Generate an action on a record, with a form and a test.';
  static override examples = ['<%= config.bin %> generate action orders "Mark as paid"'];
  static override args = collectionArguments;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(GenerateAction);
    await this.generate('action', { ...args, ...flags });
  }
}
