import { collectionArguments, GenerateCommand } from '#cli/command/generate-command';

export default class GenerateHook extends GenerateCommand {
  static override summary = 'Generate a hook with a test; its name says when it runs.';
  static override examples = ['<%= config.bin %> generate hook orders before-create'];
  static override args = collectionArguments;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(GenerateHook);
    await this.generate('hook', { ...args, ...flags });
  }
}
