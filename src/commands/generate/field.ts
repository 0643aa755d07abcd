import { collectionArguments, GenerateCommand } from '#cli/command/generate-command';

export default class GenerateField extends GenerateCommand {
  static override summary = 'Generate a computed field with a test.';
  static override examples = ['<%= config.bin %> generate field customers displayName'];
  static override args = collectionArguments;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(GenerateField);
    await this.generate('field', { ...args, ...flags });
  }
}
