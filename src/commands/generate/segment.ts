import { collectionArguments, GenerateCommand } from '#cli/command/generate-command';

export default class GenerateSegment extends GenerateCommand {
  static override summary = 'Generate a segment with a test.';
  static override examples = ['<%= config.bin %> generate segment orders "To ship"'];
  static override args = collectionArguments;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(GenerateSegment);
    await this.generate('segment', { ...args, ...flags });
  }
}
